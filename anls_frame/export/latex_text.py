r"""
Escaped text for LaTeX, which contains no commands and never stops a run, with any engine and fonts.

Characters that pdfLaTeX has in every text font are written literally. All others are arguments of macros in
the file, which print the character if the fonts of the run have it, and otherwise a code such as [U+4E2D].
"""

from __future__ import annotations

import functools
import re
import unicodedata

from anls_frame.export.display import shortened

# The macros test encodings, not packages: T1 has letters that the old default lacks, and only engines that
# define \Umathcode (LuaLaTeX, XeLaTeX) cover all of Unicode. Codes are decimal, as babel may redefine `"`.
MACROS = r"""
\ifdefined\anlsframecode\else
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
\makeatother
\fi
""".strip()

_ASCII = {
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
            return shortened(text, count)
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
    if letter in _ASCII:
        return _ASCII[letter]
    code = ord(letter)
    if re.fullmatch("[ -~]", letter) or letter in _LATIN:
        return letter
    if letter in _LATIN_T1:
        return f"\\anlsframetone{{{code:04X}}}{{{letter}}}"
    # Never written literally: control, format, surrogate, private and unassigned characters, and separators.
    if unicodedata.category(letter).startswith(("C", "Z")) or letter == _REPLACEMENT:
        return f"\\anlsframecode{{{code:04X}}}"
    return f"\\anlsframechar{{{code}}}{{{code:04X}}}{{{letter}}}"
