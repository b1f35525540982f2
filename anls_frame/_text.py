"""Text for terminals, pages and plots, without invisible characters, shortened, and of known width."""

from __future__ import annotations

import itertools
import math
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
)
_CONTROLS = re.compile(f"[\0-\x1f\x7f-\x9f\u2028\u2029{_NONCHARACTERS}]")
# Marks that change the direction of the text after them, and others without width. Not joiners, which
# scripts and emoji need.
_UNSEEN_MARKS = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SYMBOLS = re.compile("[\u2400-\u241f]")
_UNITS = re.compile(r"⟨U\+[0-9A-F]{4,6}⟩|.", re.DOTALL)
"""What is shown as a whole or not at all: a character, or its code."""

SPACE = "␣"
"""The sign for a space, which makes it visible."""
CARRIER = "◌"
"""The circle on which a combining mark is shown."""

LABEL_WIDTH = 34
"""Maximum width of a group's label in text columns; a wide character takes two."""

_NULL, _EMPTY = "null", "empty"
_LONGEST = 200
_CONTEXT = 8
"""Columns that are shown on both sides of what differs."""
_CUT = 10 * _LONGEST
"""Characters of as many codes, which have up to ten each."""
_LONGEST_QUOTED = 60


def visible(text: str, *, marks: bool = True) -> str:
    """
    Replace control characters, marks without width, and those of the direction, which reorder what follows.

    A line feed becomes ␊, and a character without a symbol becomes a code such as ⟨U+0085⟩.

    Parameters
    ----------
    text
        The text.
    marks
        Whether marks of the direction, and others without width, are replaced, too.
    """
    text = _CONTROLS.sub(_symbol, text)
    return _UNSEEN_MARKS.sub(_symbol, text) if marks else text


def _symbol(match: re.Match[str]) -> str:
    character = match[0]
    if character < " ":
        return chr(0x2400 + ord(character))
    return "␡" if character == "\x7f" else f"⟨U+{ord(character):04X}⟩"


def shown(text: str) -> str:
    """Replace invisible characters by escapes, because fonts often lack the symbols for them."""
    return _SYMBOLS.sub(lambda match: repr(chr(ord(match[0]) - 0x2400))[1:-1], visible(text))


def quoted(value: object) -> str:
    """Return a value for a message: escaped and shortened."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]}..."


def exact(number: float) -> str:
    """Return a number in digits that read as the same number, because rows are compared with it."""
    return f"{number:g}" if float(f"{number:g}") == number else repr(number)


def nearest(name: str, known: Sequence[Any]) -> str:
    """Return the end of a message, which suggests the nearest of the known names, if one is near."""
    from rapidfuzz import process  # noqa: PLC0415 - only for the message

    roots = [name[:dot] for dot, letter in enumerate(name) if letter == "." and name[:dot] in known]
    if roots:
        made = ".struct.field(...), of JSON with .str.json_path_match(...)"
        return (
            f"; if {quoted(roots[0])} holds objects, make a column of the entry first, in Polars with {made}"
        )
    found = process.extractOne(name, [str(other) for other in known], scorer=_likeness, score_cutoff=65)
    if found is None:
        return ""
    other = known[found[2]]
    hint = f"; did you mean {quoted(other)}?"
    if not isinstance(other, str):
        hint += " Column names must be strings: rename them, in pandas with `.rename(columns=str)`"
    return hint


def _likeness(name: Any, other: Any, /, *, score_cutoff: float | None = None) -> float:  # noqa: ARG001
    """Return how similar two names are, in per cent; the ending _id does not count."""
    from rapidfuzz import fuzz  # noqa: PLC0415 - only for the message

    if name and other.startswith(name):  # before names that occur in this one
        return 90 + 10 * len(name) / len(other)
    short, long = sorted((name, other), key=len)
    if len(short) <= 2:  # noqa: PLR2004 - one or two letters are within most names, so they must be a word
        return 90 if short in re.findall(r"[^\W_]+", long) else fuzz.ratio(short, long)
    return fuzz.WRatio(name.removesuffix("_id"), other.removesuffix("_id"))


def listed(values: Iterable[str], most: int = 10) -> str:
    """Return the first few values, separated by commas."""
    every = list(values)
    rest = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + rest


def label(value: Any) -> str:
    """Return the value of a key as a text short enough for an axis label."""
    return shortened(whole_label(value))


def whole_label(value: Any, drawn: Callable[[str], str] = shown) -> str:
    """
    Return the value of a key as a text; a text that reads like the word for null or empty is in quotes.

    Parameters
    ----------
    value
        The value.
    drawn
        What makes texts visible.
    """
    if value is None or value == "":
        return _NULL if value is None else _EMPTY
    if isinstance(value, list | tuple):
        return ", ".join(whole_label(entry, drawn) for entry in value)
    # Truth values as in tables.
    text = spelled_space(drawn(str(value).lower() if isinstance(value, bool) else str(value)))
    return f'"{text}"' if text.lower() in {_NULL, _EMPTY, "none"} else text


def shortened(text: str, most: int = LABEL_WIDTH) -> str:
    """Cut the middle of text wider than `most`, because long labels often differ only at their ends."""
    if text_width(text) <= most:
        return text
    tail = most // 3
    return f"{_start(text, most - tail - 1).rstrip()}…{_end(text, tail).lstrip()}"


def shortened_apart(names: Sequence[str], most: int = LABEL_WIDTH) -> list[str]:
    """Cut names that are too wide; of those that would look the same, show the parts that differ."""
    short = {name: shortened(name, most) for name in names}
    for group in _looking_alike(short):
        short |= zip(group, _differing_parts(group, most), strict=True)
    # The parts in which one group differs may be those of another group, so these are told apart together.
    if rest := [*itertools.chain.from_iterable(_looking_alike(short))]:
        short |= zip(rest, _differing_parts(rest, most), strict=True)
    return [short[name] for name in names]


def _looking_alike(short: Mapping[str, str]) -> list[list[str]]:
    """Return the names that have the same short form, together."""
    alike: dict[str, list[str]] = {}
    for name, text in short.items():
        alike.setdefault(text, []).append(name)
    return [group for group in alike.values() if len(group) > 1]


def _differing_parts(names: Sequence[str], most: int) -> list[str]:
    """Return names with the parts that differ, and as much as fits of what is around them."""
    start = len(shared_start(names))
    end = len(shared_start(name[start:][::-1] for name in names))
    if not start + end:
        return [shortened(name, most) for name in names]
    rest = [name[start : len(name) - end] for name in names]
    before, after = names[0][:start], names[0][len(names[0]) - end :]
    # With the marks of what is left out, around the widest part.
    room = min(max(most - 2 - max(map(text_width, rest)), 0) // 2, _CONTEXT)
    before = before if text_width(before) <= room + 1 else f"…{_end(before, room)}"
    after = after if text_width(after) <= room + 1 else f"{_start(after, room)}…"
    return [f"{before}{part}{after}" for part in shortened_apart(rest, max(most - 2, 1))]


def shared_start(texts: Iterable[str]) -> str:
    """Return how all texts begin."""
    return os.path.commonprefix(list(texts))  # noqa: RUF071 - by letters


def text_width(text: str) -> int:
    """Return the width of text in columns: East Asian characters take two, combining marks none."""
    return sum(map(_columns, text))


@lru_cache(maxsize=1 << 12)
def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _start(text: str, most: int) -> str:
    """Return the beginning of a text that takes at most `most` columns."""
    return "".join(_fitting(_UNITS.findall(text[:_CUT]), most))


def _end(text: str, most: int) -> str:
    """Return the end of a text that takes at most `most` columns."""
    return "".join(_fitting(_UNITS.findall(text[-_CUT:])[::-1], most)[::-1])


def _fitting(units: Sequence[str], most: int) -> Sequence[str]:
    taken = 0
    for index, unit in enumerate(units):
        taken += text_width(unit)
        # Text that consists only of accents takes no columns, so its length is limited too.
        if taken > most or index >= _LONGEST:
            return units[:index]
    return units


def numbered(count: int, noun: str) -> str:
    """Return a count with its noun: 1 row, 2 rows."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def level_text(level: float) -> str:
    """Return a confidence level in per cent, with two decimals, or as many as tell it from certainty."""
    missed = 100 * (1 - level)
    decimals = 2 if missed <= 0 else max(2, -math.floor(math.log10(missed)))
    return f"{round(100 * level, decimals):.15g} %"


def distinct(
    names: Iterable[str],
    taken: Iterable[str] = (),
    numbered: Callable[[str, int], str] = "{} ({})".format,
    key: Callable[[str], str] = str,
) -> list[str]:
    """Return names that differ from each other and from those that are taken, by numbers where necessary."""
    used, made = {*taken}, list[str]()
    for name in names:
        candidates = itertools.chain([name], (numbered(name, number) for number in itertools.count(2)))
        made.append(next(candidate for candidate in candidates if key(candidate) not in used))
        used.add(key(made[-1]))
    return made


def path_text(path: str | os.PathLike[str]) -> str:
    r"""Return a path as text; bytes of a POSIX file name that are not text are shown as \xff."""
    return os.fsencode(path).decode(errors="backslashreplace")


def differing_in_notation(ids: Iterable[str]) -> str:
    """
    Return a hint that names two ids that differ only in notation; empty without such ids.

    Notation is case, whitespace around the id, the Unicode form, and how a number is written.
    """
    seen: dict[str, str] = {}
    for name in ids:
        plain = unicodedata.normalize("NFC", name.strip().casefold())
        with suppress(InvalidOperation):
            plain = str(Decimal(plain).normalize())
        other = seen.setdefault(plain, name)
        if other != name:
            forms = unicodedata.normalize("NFC", other) == unicodedata.normalize("NFC", name)
            one, two = (ascii(text) if forms else repr(shown(text)) for text in (other, name))
            cause = ""
            if name == f"{other}.0" or other == f"{name}.0":
                cause = (
                    "; pandas makes floats of whole numbers where one is missing: keep ids as text there, "
                    "with dtype={...: str}, or as `Int64`"
                )
            return f"ids must be written the same way: {one} and {two} count as different{cause}"
    return ""


def spelled_space(text: str) -> str:
    """Spell out whitespace at the ends of a text, which nobody would see, with ␣ for a space."""
    inner = text.strip()
    if len(inner) == len(text):
        return text
    start = len(text) - len(text.lstrip())
    return f"{_spelled(text[:start])}{inner}{_spelled(text[start + len(inner) :])}"


def _spelled(spaces: str) -> str:
    codes = (f"⟨U+{ord(space):04X}⟩" if visible(space) == space else space for space in spaces)
    return "".join("␣" if code == "⟨U+0020⟩" else code for code in codes)


def seen_characters(text: str) -> str:
    """
    Return one character or a few as they can be seen and told apart.

    A space becomes ␣, a combining mark gets a circle, and other spaces, pictures of control characters,
    lone joiners (others belong to words and emoji) and characters for private use become codes.
    """
    unseen = {"Co", "Zs", "Cf"} if len(text) == 1 else {"Co", "Zs"}
    carrier = CARRIER if unicodedata.category(text[:1] or " ").startswith("M") else ""
    return carrier + "".join(
        f"⟨U+{ord(character):04X}⟩"
        if unicodedata.category(character) in unseen or _SYMBOLS.match(character)
        else character
        for character in text.replace(" ", SPACE)
    )


def left_to_right(text: str) -> str:
    """
    Return a text to be followed by others: one from right to left is kept from reordering them.

    Without marks, `(2-5)` after a Hebrew name reads `(5-2)`.
    """
    is_turned = any(unicodedata.bidirectional(character) in {"R", "AL", "AN"} for character in text)
    return f"\u200e{text}\u200e" if is_turned else text


def script(character: str) -> str:
    """Return the script of a letter, such as Cyrillic, after its name in Unicode; empty for anything else."""
    if not unicodedata.category(character).startswith("L"):
        return ""
    word = unicodedata.name(character, "").partition(" ")[0].partition("-")[0]
    return word if word == "CJK" else word.capitalize()


def scripts(first: str | None, second: str | None) -> str:
    """Return the scripts of two letters, as Latin → Cyrillic; empty if they have the same or are none."""
    both = [script((text or " ")[0]) for text in (first, second)]
    return " → ".join(both) if all(both) and both[0] != both[1] else ""
