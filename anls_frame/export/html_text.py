"""A text of nothing but whitespace, for HTML."""

from __future__ import annotations

from anls_frame._text import visible

__all__ = ["spelled"]


def spelled(text: str) -> str:
    """Write a text of nothing but whitespace as what it is, a space as ␣; any other as it is."""
    if not text.isspace() or visible(text) != text:
        return text
    return "".join("␣" if character == " " else f"⟨U+{ord(character):04X}⟩" for character in text)
