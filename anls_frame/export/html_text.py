"""Text for HTML: escaped, with nothing that cannot be seen and nothing that turns the writing around it."""

from __future__ import annotations

from html import escape

from anls_frame.export.characters import visible

__all__ = ["data"]


def data(text: str) -> str:
    """
    Write a text so that a browser shows it and does nothing else with it.

    Control characters are shown by symbols, marks of the writing direction by their numbers: a browser would
    obey them. Right-to-left scripts need no marks, because what holds a text has `dir="auto"`.
    """
    return escape(visible(text, directions=True), quote=True)
