"""Text for HTML: escaped, with nothing that cannot be seen and nothing that turns the writing around it."""

from __future__ import annotations

from html import escape

from anls_frame._text import visible

__all__ = ["data", "spelled"]


def data(text: str) -> str:
    """
    Write a text so that a browser shows it and does nothing else with it.

    Control characters are shown by symbols, marks of the writing direction by their numbers: a browser would
    obey them. Right-to-left scripts need no marks, because what holds a text has `dir="auto"`.
    """
    return escape(visible(text, directions=True), quote=True)


def spelled(text: str) -> str:
    """Write a text of nothing but whitespace as what it is, a space as ␣; any other as it is."""
    if not text.isspace() or visible(text) != text:
        return text
    return "".join("␣" if character == " " else f"⟨U+{ord(character):04X}⟩" for character in text)
