"""Characters that cannot be seen, or that move what stands around them."""

from __future__ import annotations

import re

__all__ = ["visible"]

_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
)
_CONTROLS = re.compile(f"[\0-\x1f\x7f-\x9f\u2028\u2029{_NONCHARACTERS}]")
# Marks that turn the direction of the text behind them, and the byte order mark.
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_DELETE = "\x7f"


def visible(text: str, *, directions: bool = False) -> str:
    """
    Write a text with symbols in place of control characters: ␊ for a line feed, ⟨U+0085⟩ where none exists.

    Parameters
    ----------
    text
        The text.
    directions
        Do so with marks of the writing direction too.
    """
    text = _CONTROLS.sub(_symbol, text)
    return _DIRECTIONS.sub(_symbol, text) if directions else text


def _symbol(match: re.Match[str]) -> str:
    character = match[0]
    if character < " ":
        return chr(0x2400 + ord(character))
    return "␡" if character == _DELETE else f"⟨U+{ord(character):04X}⟩"
