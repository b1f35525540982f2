r"""
LaTeX tables in booktabs style, to include in a paper with `\input`.

The file needs `\usepackage{booktabs}`, tables of more than 40 rows also `\usepackage{longtable}`, and LaTeX
2020 or later with any engine. With `\usepackage[T1]{fontenc}`, pdfLaTeX prints European letters in the Latin
script; for other scripts, use LuaLaTeX with a suitable font. A table that is wider than a column of a paper
of two spans both; a table of more than 40 rows has pages of one column there, because longtable needs them.
Tables that are too wide are shrunk if `\usepackage{graphicx}` is loaded; long tables are rotated if
`\usepackage{pdflscape}` is loaded.

Texts contain no commands and never stop a run. Characters that pdfLaTeX has in every text font are written
literally. All others are arguments of macros in the file, which print the character if the fonts of the run
have it, and otherwise a code such as [U+4E2D].
"""

from __future__ import annotations

import functools
import json
import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from anls_frame._text import distinct
from anls_frame.export.columns import POSSIBLY_BEST
from anls_frame.export.display import Cell, ShownColumn, ShownRow, display_table, truncated
from anls_frame.export.document import BEST, Document
from anls_frame.export.values import as_json

LONGEST_FLOAT = 40
"""Largest number of rows of a table that is not split over pages."""

# LaTeX fails if too many floats wait for a page.
_MOST_FLOATS = 15
_LONGEST_TEXT = 400
_LONGEST_UNWRAPPED = 36
_LONGEST_HEADING = 100
_COMMENT_WIDTH = 100
# Forms of long tables: the size, the width of a digit and that of the text in points, as in LaTeX's article
# class, and whether the page is turned.
_FORMS = (
    ("footnotesize", 4.3, 345, False),
    ("footnotesize", 4.3, 550, True),
    ("scriptsize", 4.0, 550, True),
    ("tiny", 3.4, 550, True),
)
_WRAPPED_EMS = 14
# No text font of pdfLaTeX has them.
_MARKS = {POSSIBLY_BEST: r"$\bullet$", BEST: r"$\triangleleft$", "≤": r"$\leq$", "≥": r"$\geq$"}
# A minus is longer than a hyphen.
_SIGNS = str.maketrans({
    "-": "$-$",
    "<": "$<$",
    "%": r"\%",
    **_MARKS,
})  # fmt: skip
# The macros test encodings, not packages: T1 has letters that the old default lacks, and only engines that
# define \Umathcode (LuaLaTeX, XeLaTeX) cover all of Unicode. Codes are decimal, as babel may redefine `"`.
MACROS = r"""
\ifdefined\anlsframebox\else
\makeatletter
\protected\def\anlsframecode#1{\texttt{[U+#1]}\allowbreak{}}
\protected\def\anlsframechar#1#2#3{\ifdefined\Umathcode
  \iffontchar\font#1 #3\else\anlsframecode{#2}\fi\else\anlsframecode{#2}\fi}
\def\anlsframe@tone{T1}
\protected\def\anlsframetone#1#2{\ifdefined\Umathcode#2\else
  \ifx\f@encoding\anlsframe@tone#2\else\anlsframecode{#1}\fi\fi}
\long\protected\def\anlsframefit#1{\sbox\z@{#1}%
  \ifdim\wd\z@>\linewidth\ifdefined\resizebox\resizebox{\linewidth}{!}{\usebox\z@}\else\usebox\z@\fi
  \else\usebox\z@\fi}
\newsavebox\anlsframebox
\newenvironment{anlsframetable}
  {\ifdim\wd\anlsframebox>\columnwidth\def\anlsframefloat{table*}\else\def\anlsframefloat{table}\fi
  \expandafter\begin\expandafter{\anlsframefloat}}
  {\expandafter\end\expandafter{\anlsframefloat}}
\newcommand\anlsframewide{\if@twocolumn\onecolumn\def\anlsframeback{\twocolumn\relax}%
  \else\let\anlsframeback\relax\fi}
\makeatother
\fi
""".strip()

_COMMANDS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    # \textquotedbl is not in every encoding, and babel can make the plain character a command.
    '"': r"{\char34}",
    # After \\, both would be parsed as its arguments.
    "[": "{[}",
    "*": "{*}",
    **{letter: f"\\{letter}" for letter in "{}$&%#_"},
    "\xa0": "~",
    **_MARKS,
}
# Printed by pdfLaTeX since 2020 in the encodings OT1 and T1, tried one by one.
_LATIN = frozenset(
    "¡¢£¤¥¦§¨©ª¬®¯°±²³´µ¶·¸¹º¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖ×ØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõö÷øùúûüýÿ"  # noqa: RUF001 - as they are
    "ĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭİıĲĳĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤť"
    "ŨũŪūŬŭŮůŰűŴŵŶŷŸŹźŻżŽžƒȘșȚțȷḂḃḍḞḟḠḡḥḰḱḷṃṅṇṛṣṭẎẏẐẑẞỲỳ–—‘’“”†‡•…‰€№™←→"  # noqa: RUF001 - as they are
)
_LATIN_T1 = frozenset("«»ÐÞðþĄąĐđĘęĮįŊŋŲų‚„‹›")  # noqa: RUF001 - as they are
_LIGATURES = ("--", ",,")
_BREAK_BEHIND = "/_|:;.,=)]}-"
_LONGEST_WORD = 20
_MACROS = (r"\anlsframecode", r"\anlsframechar")
# LuaLaTeX treats it as a sign of broken input.
_REPLACEMENT = "\ufffd"
_SPACING = r"\setlength{\tabcolsep}{4pt}"
_SPACE = 8


def write(document: Document, file: BinaryIO) -> None:
    """Write all tables, with notes and signature below the first, and the settings as comments."""
    parts = [*_comments(document), MACROS]
    captions = [_caption(document.title, table.name) for table in document.tables]
    plain = (re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "table" for text in captions)
    labels = distinct(plain, numbered="{}-{}".format)
    for number, (table, label) in enumerate(zip(document.tables, labels, strict=True)):
        if number and number % _MOST_FLOATS == 0:
            parts += ["", r"\clearpage"]
        columns, rows = display_table(table)
        caption = escaped(clipped(captions[number], _LONGEST_TEXT))
        below = _below(document) if number == 0 else []
        build = _float if len(rows) <= LONGEST_FLOAT else _longtable
        parts += ["", *build(columns, rows, f"\\caption{{{caption}}}\\label{{tab:{label}}}", below)]
    file.write(("\n".join(parts) + "\n").encode())


def _caption(title: str, name: str) -> str:
    """Return the title and the name of a table, which a title may end in: Scores by lang, By lang."""
    return title if title.lower().endswith(f" {name.lower()}") else ": ".join(filter(None, (title, name)))


def _comments(document: Document) -> Iterator[str]:
    """Yield title, signature and settings as comments in ASCII, so that no character can end a comment."""
    yield r"% Needs \usepackage{booktabs}, for long tables \usepackage{longtable} too, and LaTeX of 2020"
    yield r"% or later. With \usepackage{graphicx} wide tables are made smaller, with \usepackage{pdflscape}"
    yield r"% wide long ones are turned. pdfLaTeX with \usepackage[T1]{fontenc} prints Latin letters, and"
    yield r"% codes such as [U+4E2D] for others; LuaLaTeX prints those with a font that has them."
    entries: dict[str, object] = {"title": document.title, "signature": document.signature}
    if document.left_out:
        entries["further tables, which tables= adds"] = ", ".join(document.left_out)
    entries |= {f"settings: {name}": value for name, value in document.settings.items()}
    for name, value in entries.items():
        line = f"{json.dumps(name)[1:-1]}: {json.dumps(as_json(value, name))}"
        pieces = textwrap.wrap(line, _COMMENT_WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        yield from (f"% {piece}" for piece in pieces)


def _below(document: Document) -> list[str]:
    """Return the notes and the signature as lines below a table."""
    notes = [wrapped(clipped(note, 5 * _LONGEST_TEXT)) for note in document.notes]
    if document.signature:
        signature = wrapped(clipped(document.signature, 5 * _LONGEST_TEXT))
        notes.append(f"Signature: \\texttt{{{signature}}}")
    lines = [r"\par\smallskip{\footnotesize\raggedright", r"\par\nopagebreak ".join(notes), r"\par}"]
    return lines if notes else []


def _float(
    columns: Sequence[ShownColumn], rows: Sequence[ShownRow], caption: str, below: Sequence[str]
) -> list[str]:
    return [
        rf"\sbox\anlsframebox{{{_SPACING}%",
        rf"\begin{{tabular}}{{{_alignment(columns, rows)}}}",
        r"\toprule",
        *_header(columns),
        r"\midrule",
        *_body(columns, rows, interval=r"\scriptsize"),
        r"\bottomrule",
        r"\end{tabular}}%",
        r"\begin{anlsframetable}",
        r"\centering",
        rf"{caption}\par\smallskip",
        r"\anlsframefit{\usebox\anlsframebox}",
        *below,
        r"\end{anlsframetable}",
    ]


def _longtable(
    columns: Sequence[ShownColumn], rows: Sequence[ShownRow], caption: str, below: Sequence[str]
) -> list[str]:
    header = [r"\toprule", *_header(columns), r"\midrule"]
    size, turned = _form(columns, rows)
    lines = [
        r"\begingroup",
        rf"\{size}{_SPACING}",
        rf"\begin{{longtable}}{{{_alignment(columns, rows)}}}",
        caption + r"\tabularnewline",
        *header,
        r"\endfirsthead",
        *header,
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *_body(columns, rows),
        r"\end{longtable}",
        r"\endgroup",
        *below,
    ]
    turns = [rf"\ifdefined\landscape\{end}{{landscape}}\fi" for end in ("begin", "end") if turned]
    return [r"\anlsframewide", *turns[:1], *lines, *turns[1:], r"\anlsframeback"]


def _header(columns: Sequence[ShownColumn]) -> list[str]:
    return [_line([escaped(clipped(column.heading, _LONGEST_HEADING)) for column in columns])]


def _body(columns: Sequence[ShownColumn], rows: Sequence[ShownRow], interval: str = "") -> Iterator[str]:
    wide = [_is_wide(index, column, rows) for index, column in enumerate(columns)]
    for number, row in enumerate(rows):
        cells = [_cell(*each, interval) for each in zip(row.cells, wide, strict=True)]
        yield _line(
            [
                f"\\textbf{{{text}}}" if text and is_bold else text
                for text, is_bold in zip(cells, row.bold, strict=True)
            ]
        )
        if row.is_overall and number + 1 < len(rows):
            yield r"\midrule"


def _line(cells: Sequence[str]) -> str:
    # Unlike \\, \tabularnewline also ends the row after \raggedright.
    return " & ".join(cells) + r" \tabularnewline"


def _cell(cell: Cell, is_wide: bool, interval: str) -> str:  # noqa: FBT001 - private
    text = clipped(cell.text, _LONGEST_TEXT)
    if cell.role == "plain":
        value, bracket, ends = text.translate(_SIGNS).partition(" [")
        return f"{value} {{{interval}[{ends}}}" if bracket else value
    if cell.role == "mark":
        return f"\\emph{{{text}}}" if text else ""
    return f"\\raggedright {wrapped(text)}" if is_wide else escaped(text)


def _alignment(columns: Sequence[ShownColumn], rows: Sequence[ShownRow]) -> str:
    kinds = []
    for index, column in enumerate(columns):
        narrow = "r" if column.is_numeric else "l"
        kinds.append(rf"p{{{_WRAPPED_EMS}em}}" if _is_wide(index, column, rows) else narrow)
    # No space beyond the rules of booktabs.
    return "@{}" + "".join(kinds) + "@{}"


def _is_wide(index: int, column: ShownColumn, rows: Sequence[ShownRow]) -> bool:
    return not column.is_numeric and any(
        printed_width(row.cells[index].text) > _LONGEST_UNWRAPPED for row in rows
    )


def _form(columns: Sequence[ShownColumn], rows: Sequence[ShownRow]) -> tuple[str, bool]:
    """Return the largest font size at which the columns fit the page, and whether to turn the page."""
    digits = 0
    for index, column in enumerate(columns):
        widest = max([printed_width(column.heading), *(printed_width(row.cells[index].text) for row in rows)])
        # An em is two digits wide.
        digits += 2 * _WRAPPED_EMS if _is_wide(index, column, rows) else widest
    fitting = (form for form in _FORMS if digits * form[1] <= form[2] - len(columns) * _SPACE)
    size, _, _, turned = next(fitting, _FORMS[-1])
    return size, turned


def escaped(text: str) -> str:
    """
    Escape a text, so that LaTeX prints it literally.

    Parameters
    ----------
    text
        Any text.
    """
    return "".join(_pieces(text))


def wrapped(text: str) -> str:
    """Escape a text, and allow line breaks within its long words."""
    broken, run = [], 0
    for letter, piece, following in zip(text, _pieces(text), f"{text} "[1:], strict=True):
        broken.append(piece)
        run = run + 1 if letter.isalnum() else 0
        if following != " " and (letter in _BREAK_BEHIND or run == _LONGEST_WORD):
            broken.append(r"\allowbreak{}")
            run = 0
    return "".join(broken)


def clipped(text: str, digits: int) -> str:
    """
    Truncate a text that is wider than `digits` when printed, and state at its end how much is missing.

    Parameters
    ----------
    text
        Any text.
    digits
        Maximum printed width, in digits.
    """
    width = 0
    for count, letter in enumerate(text):
        width += _width(letter)
        if width > digits:
            return truncated(text, count)
    return text


def printed_width(text: str) -> int:
    """Return the width of a text in digits, assuming that pdfLaTeX must print codes."""
    return sum(map(_width, text))


@functools.cache
def _width(letter: str) -> int:
    return len("[U+0000]") if _piece(letter).startswith(_MACROS) else 1


def _pieces(text: str) -> list[str]:
    pieces = [_piece(letter) for letter in text]
    for index, letter in enumerate(text):
        if text[index : index + 2] in _LIGATURES:
            pieces[index] += "{}"
        # LaTeX drops a space at either end or next to another one.
        if letter == " " and (index == 0 or text[index - 1] == " " or index == len(text) - 1):
            pieces[index] = r"\ "
    return pieces


@functools.cache
def _piece(letter: str) -> str:
    if letter in _COMMANDS:
        return _COMMANDS[letter]
    code = ord(letter)
    if re.fullmatch("[ -~]", letter) or letter in _LATIN:
        return letter
    if letter in _LATIN_T1:
        return f"\\anlsframetone{{{code:04X}}}{{{letter}}}"
    # Never written literally: control, format, surrogate, private and unassigned characters, and separators.
    if unicodedata.category(letter).startswith(("C", "Z")) or letter == _REPLACEMENT:
        return f"\\anlsframecode{{{code:04X}}}"
    return f"\\anlsframechar{{{code}}}{{{code:04X}}}{{{letter}}}"
