"""Display of the differences of two texts, as lines of a terminal and as HTML."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import cast

from anls_frame._text import SPACE, text_width, visible
from anls_frame.pairs.edits import Move, Operation, Segment, is_read
from anls_frame.pairs.units import clusters
from anls_frame.protocol import Unit

GAP = "*"
_SIGNS: dict[str, str] = {
    "equal": " ",
    "replace": "S",
    "insert": "I",
    "delete": "D",
    "moved": "M",
    "repeated": "R",
    "fabricated": "F",
}
_NOTHING = " ", " ", " "
_WHITESPACE = re.compile(r"\s+")
# Invisible, except between emoji.
_JOINERS = re.compile("[\u200c\u200d]")
# Marks that force and end left-to-right writing, so that columns stay aligned.
_LEFT_TO_RIGHT = "\u202d", "\u202c"
# Colours that are distinguishable with every kind of colour vision, on any background, plus a line.
STYLES: dict[Operation, str] = {
    "replace": "background:rgba(230,159,0,.35);text-decoration:underline",
    "insert": "background:rgba(0,158,115,.35);text-decoration:underline double",
    "delete": "background:rgba(213,94,0,.35);text-decoration:line-through",
}
TAGS: dict[Operation, str] = {"replace": "mark", "insert": "ins", "delete": "del"}
BLOCKS = {
    "moved": "background:rgba(86,180,233,.3);outline:1px dotted",
    "repeated": "background:rgba(204,121,167,.35);outline:1px dashed",
    "fabricated": "background:rgba(240,228,66,.3);outline:1px solid",
}
"""Styles of blocks of words, which have their name before them."""


def cells(segments: Iterable[Segment], unit: Unit = "codepoint") -> Iterator[tuple[str, str, str]]:
    """Yield columns of three: a character of each text, and the sign of the operation."""
    if unit == "word":
        word_cells = itertools.chain.from_iterable(_word_cells(*segment) for segment in segments)
        # One space between words is enough, whatever whitespace the texts have.
        for cell, same in itertools.groupby(word_cells):
            yield from [cell] if cell == _NOTHING else same
        return
    split: Callable[[str], list[str]] = list if unit == "codepoint" else clusters
    for op, *texts in segments:
        if op == "equal":
            for character in map(_symbol, clusters(texts[0])):
                yield character, character, _SIGNS[op]
            continue
        for first, second in itertools.zip_longest(*map(split, texts), fillvalue=GAP):
            yield _changed_symbol(first), _changed_symbol(second), _sign(op)


def _sign(op: str) -> str:
    return _SIGNS[op.partition(" ")[0]]


def _word_cells(op: str, *texts: str) -> Iterator[tuple[str, str, str]]:
    """Yield the characters of a word, or of equal words, with the sign under the first."""
    # Whitespace is not compared, and its kind would only break the lines.
    split = (map(_symbol, clusters(_WHITESPACE.sub(" ", text))) for text in texts)
    sign = _sign(op)
    for first, second in itertools.zip_longest(*split, fillvalue=" " if op in {"equal", "replace"} else GAP):
        yield first, second, sign
        sign = " "


def blocks(cells: Iterable[tuple[str, str, str]], width: int, labels: Sequence[str]) -> str:
    """Return cells as blocks of labelled lines; words are not broken if they fit."""
    room = width - len(labels[0])
    lines, used = [["", "", ""]], 0
    for word in _words(cells):
        wide = sum(max(map(text_width, cell)) for cell in word)
        if used and used + wide > room and wide <= room:
            lines.append(["", "", ""])
            used = 0
        for cell in word:
            columns = max(map(text_width, cell))
            if used + columns > room:
                lines.append(["", "", ""])
                used = 0
            used += columns
            for index, text in enumerate(cell):
                lines[-1][index] += text + " " * (columns - text_width(text))
    return "\n\n".join(
        "\n".join(
            label + _ordered(line.rstrip(" ")) for label, line in zip(labels, block, strict=True)
        ).rstrip()
        for block in lines
    )


def marked_in_line(op: str, text: str, name: str, seen: set[str]) -> str:
    """
    Return a text as HTML for a style sheet, with the name of its block in front.

    A moved block links to its other place. Ids begin with `name`; those in `seen` are taken.
    """
    if op == "equal" or not text:
        return _equal(text)
    block = op.partition(" ")[0]
    if block not in BLOCKS:
        shown = escape("".join(map(_changed_symbol, clusters(text))))
        # Lines may break after a space that is shown; and more fonts have the arrow.
        shown = shown.replace(SPACE, f"{SPACE}<wbr>").replace("␊", "↵")
        tag = TAGS[cast("Operation", op)]
        return f'<{tag} title="{op}">{shown}</{tag}>'
    if text.isspace():
        return _equal(text.replace("\n", ""))
    label, own = block, ""
    if isinstance(op, Move):
        is_away, (start, end) = not is_read(op), op.lines
        said = f"to line {end}" if is_away else f"from line {start}"
        here, there = (
            f"{name}-{side}-{start}-{end}" for side in (("from", "to") if is_away else ("to", "from"))
        )
        label = f'<a href="#{there}">moved {said}</a>'
        own = "" if here in seen else f' id="{here}"'
        seen.add(here)
    return f'<span class="{block}" title="{op}"{own}><b>{label}</b> {_equal(text.strip())}</span>'


def _equal(text: str) -> str:
    """Return a text as HTML; a line feed is shown as its symbol, followed by a line feed."""
    return escape(visible(text).replace("␊", "␊\n"))


def _words(cells: Iterable[tuple[str, str, str]]) -> Iterator[list[tuple[str, str, str]]]:
    """Split cells after spaces, and between letters of two columns, where lines may always break."""
    word: list[tuple[str, str, str]] = []
    for cell in cells:
        word.append(cell)
        if cell[0] in {" ", SPACE} or cell[1] in {" ", SPACE} or text_width(cell[0]) > 1:
            yield word
            word = []
    if word:
        yield word


def _symbol(text: str) -> str:
    """Return the symbol of a character, with a known width and a fixed position."""
    text = visible(text)
    # A combining mark needs a base character, and a character without width is shown by name.
    if unicodedata.combining(text[0]):
        return "◌" + text
    return text if text_width(text) else "".join(f"⟨U+{ord(character):04X}⟩" for character in text)


def _changed_symbol(text: str) -> str:
    if text.isspace() and text.isprintable():
        return SPACE
    if len(text) > 1 and _JOINERS.search(text) and "So" not in map(unicodedata.category, text):
        return _JOINERS.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)
    return _symbol(text)


def _ordered(line: str) -> str:
    """Keep the columns in order if the script runs from right to left."""
    is_reversed = any(unicodedata.bidirectional(character) in {"R", "AL", "AN"} for character in line)
    return line.join(_LEFT_TO_RIGHT) if is_reversed else line
