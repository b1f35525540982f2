"""Lists in table cells: a list, JSON, a list printed by Python or numpy, or one string."""

from __future__ import annotations

import re
from itertools import chain
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice
from anls_frame.exceptions import warn
from anls_frame.frames import printed_lists
from anls_frame.readers import _json, _json_columns, _raw
from anls_frame.readers._json import Number, kind
from anls_frame.readers._problems import Advice, Option, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anls_frame.readers._problems import Problems
    from anls_frame.readers._raw import Column, Raw

AnswersFormat: TypeAlias = Literal["auto", "text", "list"]
FORMATS: tuple[AnswersFormat, ...] = get_args(AnswersFormat)

_LIST = pl.List(pl.String)
_NEVER_LISTS = frozenset({"reference", "transcription", "gt", "text"})
_ARRAY = re.compile(r"^array\((?P<list>\[.*\])(,\s*dtype=[\w'<>=]+)?\)$", re.DOTALL)
_QUOTED = re.compile(r"""\[[\[(\s]*(?:np\.str_\()?['"]""")
# After whitespace: what Python strips.
_BEGINNING = r"\A[\s\x1c-\x1f]*(?:\[|array\()"
_DEEPEST = 50
# An entry as Python and numpy print it, and what may follow it; numpy prints no commas.
_ENTRY = re.compile(
    r"""\s*(?:np\.\w+\()?
    (?: '(?P<single>(?:[^'\\]|\\.)*)' | "(?P<double>(?:[^"\\]|\\.)*)"
    |   (?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w.])
    |   (?P<null>None|nan|<NA>)(?!\w) )
    \)?(?P<end>\s*,\s*|\s*\]\Z|\s*(?=['"]|np\.))""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {
    **dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True)),
    **{mark: mark for mark in "\\'\""},
    "\n": "",
}


class _NoListError(ValueError):
    pass


def check_format(answers_format: str) -> None:
    """Raise an error unless this is a valid `answers_format`."""
    choice("answers_format", answers_format, FORMATS)


def answers(raw: Raw, source: str, problems: Problems, answers_format: AnswersFormat) -> pl.Series:
    """
    Return the column of the answers as lists of strings.

    "text" takes each string as one answer, "list" parses each string that is a printed list. "auto" parses
    them only if the file's format has no lists, the column is not called reference, transcription, gt or
    text, and every cell that is not empty is a printed list.
    """
    name, column = "answers", raw.column(source)
    if answers_format == "list":
        return lists(name, column, problems, raw.place)
    if answers_format == "auto" and not raw.typed and isinstance(column, pl.Series):
        found = None if _is_text(source) else _every(name, column, problems, raw.place)
        if found is not None:
            return found
    if answers_format == "auto":
        _warn_of_texts(source, column, problems, raw)
    return lists(name, column, problems, raw.place, printed=False)


def lists(
    name: str,
    column: Column,
    problems: Problems,
    place: Callable[[int], str],
    *,
    printed: bool = True,
) -> pl.Series:
    """
    Return a column as lists of strings; a string becomes a list of one.

    If `printed`, a string that starts and ends like a list is parsed as JSON, or as a list printed by Python
    or numpy. A string that only looks like a list (`[illegible]`) stays a string; a truncated or damaged list
    is a problem.
    """
    if isinstance(column, _json_columns.Column) and (column.holds_texts or column.holds_lists):
        column = column.texts() if column.holds_texts else column.lists()
    if isinstance(column, pl.Series):
        found = _from_series(name, column, problems, printed=printed)
        if found is not None:
            return found.alias(name)
        column = column.to_list()
    kinds = set(map(type, column))
    if kinds <= {list, NoneType} and not (
        set(map(type, chain.from_iterable(filter(None, column)))) - {str, NoneType}
    ):
        return _raw.as_lists(name, column)
    entries: list[Sequence[str | None] | None] = []
    for index, value in enumerate(column):
        plain = _plain(value) if printed and type(value) is str else None
        try:
            entries.append(plain or _entries(value, printed=printed))
        except _NoListError as error:
            problems.add(f"{name!r} {error}", place(index))
            entries.append(None)
    return _raw.as_lists(name, entries)


def _from_series(name: str, column: pl.Series, problems: Problems, *, printed: bool) -> pl.Series | None:
    """Return what `lists` does; None if it has to look at each string."""
    dtype = column.dtype
    if isinstance(dtype, pl.List | pl.Array):
        inner = dtype.inner
        if inner == pl.String or inner in (pl.Null, pl.Categorical, pl.Enum) or inner.is_integer():
            return column.cast(_LIST)
    elif dtype.is_integer() or dtype in (pl.Null, pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        problems.add(f"column {name!r} must hold strings or lists of strings, got {dtype}")
        return pl.Series([None] * len(column), dtype=_LIST)
    # Most columns hold plain strings: only cells that may be lists are parsed.
    special = may_be_lists(column)
    if printed and special.any():
        return _plain_lists(column, special)
    return column.to_frame(name).select(alone(cs.by_name(name).as_expr()))[name]


def may_be_lists(texts: pl.Series) -> pl.Series:
    """Return for each string whether it begins like a printed list."""
    return texts.str.contains(_BEGINNING)


def alone(texts: pl.Expr) -> pl.Expr:
    """Return strings as lists of one; null stays null."""
    return pl.when(texts.is_not_null()).then(pl.concat_list(texts))


def _is_text(source: str) -> bool:
    """Whether a column's name implies one string per row."""
    return source.casefold().strip() in _NEVER_LISTS


def _every(name: str, column: pl.Series, problems: Problems, place: Callable[[int], str]) -> pl.Series | None:
    """Return a column of printed lists as lists; None if a cell is not a printed list, or all are empty."""
    filled = column.str.strip_chars()
    shaped = filled.str.starts_with("[") | filled.str.starts_with("array(")
    if not (shaped | (filled == "")).all() or not shaped.any():
        return None
    found: list[Sequence[str | None] | None] = []
    wrong: list[tuple[int, str]] = []
    for index, (text, value) in enumerate(zip(filled, column, strict=True)):
        try:
            listed = _listed(text) if text else None
        except _NoListError as error:
            wrong.append((index, str(error)))
            listed = []
        if text and listed is None:
            return None
        found.append(listed if text else None if value is None else [value])
    for index, message in wrong:
        advice = Advice(f"{name!r} {message}; if it is one string, pass ", Option("answers_format", "text"))
        problems.add(advice, place(index))
    return _raw.as_lists(name, found)


def _warn_of_texts(source: str, column: Column, problems: Problems, raw: Raw) -> None:
    """Warn if strings that are taken as answers look like printed lists."""
    if isinstance(column, pl.Series):
        texts = column
    elif isinstance(column, _json_columns.Column) and (column.holds_texts or str not in column.kinds):
        texts = (
            column.texts().head(printed_lists.LOOKED_AT)
            if str in column.kinds
            else pl.Series(dtype=pl.String)
        )
    else:
        first = column[: printed_lists.LOOKED_AT]
        texts = pl.Series([value if type(value) is str else None for value in first], dtype=pl.String)
    if texts.dtype != pl.String:
        return
    looks = texts.str.contains(printed_lists.TEXTS)
    mixed = not raw.typed and not _is_text(source)
    if not looks.any() or not (mixed or printed_lists.most_look_printed(texts)):
        return
    index = looks.arg_max() or 0
    others = (~looks & (texts.str.strip_chars() != "")).fill_null(value=False)
    beside = f", but not {shown(texts[others.arg_max() or 0])} ({raw.place(others.arg_max() or 0)})"
    advice = Advice(
        f"{problems.path}: column {source!r} holds texts that look like lists, as {shown(texts[index])} "
        f"({raw.place(index)}){beside if others.any() else ''}; each is taken as one text. Pass ",
        *(Option("answers_format", "list"), " to read them as lists, or "),
        *(Option("answers_format", "text"), " if they are texts"),
    )
    warn(advice)


def _entries(value: Any, *, printed: bool) -> Sequence[str | None] | None:
    """Return the strings of a cell, None for null."""
    if type(value) is list:
        return [_entry(one) for one in value]
    if value is None or (isinstance(value, Number) and value == "NaN"):
        return None
    if isinstance(value, Number):
        return [str(value)]
    if not isinstance(value, str):
        raise _NoListError(f"must be a list of strings, got {kind(value)}")
    listed = _listed(value.strip()) if printed else None
    return [value] if listed is None else listed


def _plain_lists(column: pl.Series, special: pl.Series) -> pl.Series | None:
    """Return what `_plain` does for all strings that may be lists; None if it cannot read one of them."""
    text = pl.col("text")
    parts = text.str.strip_prefix("['").str.strip_suffix("']").str.split("', '")
    is_plain = (
        text.str.starts_with("['")
        & text.str.ends_with("']")
        & ~text.str.contains("\\", literal=True)
        & (text.str.count_matches("'", literal=True) == 2 * parts.list.len())
    )
    frame = pl.DataFrame({"text": column, "special": special})
    if not frame.select((is_plain | ~pl.col("special") | text.is_null()).all()).item():
        return None
    return frame.select(pl.when("special").then(parts).otherwise(alone(text)).alias("text"))["text"]


def _plain(text: str) -> list[str | None] | None:
    """Return the entries of a list that Python printed, if its strings have no quotes and escapes."""
    if text[:2] == "['" and text[-2:] == "']" and "\\" not in text:
        entries: list[str | None] = [*text[2:-2].split("', '")]
        if text.count("'") == 2 * len(entries):
            return entries
    return None


def _listed(text: str) -> Sequence[str | None] | None:
    """Return the entries of a printed list, or None if the string is not one."""
    array = _ARRAY.match(text)
    if array is not None:
        text = array["list"]
    if not text.startswith("["):
        return None
    listed = _parsed(text) if text.endswith("]") else None
    if listed is None and _QUOTED.match(text):
        raise _NoListError(f"looks like a list and cannot be read as one: {shown(text)}")
    return listed


def _parsed(text: str) -> list[str | None] | None:
    if text.startswith("['"):  # as Python prints it, which is not JSON
        return _plain(text) or _scanned(text)
    try:
        value = _json.parse(text)
    except ValueError:
        if text[:_DEEPEST] == "[" * _DEEPEST:
            raise _NoListError("has too many nested lists") from None
        return _scanned(text)
    return [_entry(one) for one in value]


def _scanned(text: str) -> list[str | None] | None:
    """Return the entries of a list that Python or numpy printed, with numbers as written."""
    found: list[str | None] = []
    position = 1
    while (match := _ENTRY.match(text, position)) is not None:
        if match["null"]:
            found.append(None)
        elif match["number"]:
            found.append(match["number"])
        else:
            found.append(_unescaped(match["single"] if match["single"] is not None else match["double"]))
        position = match.end()
        if match["end"].endswith("]"):
            return found
        if position == len(text) - 1 and "," in match["end"]:
            return found
    return None


def _unescaped(text: str) -> str:
    """Return a string literal of Python without its escapes."""
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_escape, text)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _NoListError("holds half of a surrogate pair (such as \\ud800), which is invalid") from None
    return text


def _escape(match: re.Match[str]) -> str:
    code = match[1]
    if code in _LETTERS:
        return _LETTERS[code]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number <= 0x10FFFF else match[0]  # noqa: PLR2004 - the last character
    return chr(int(code, 8)) if code[0] in "01234567" else match[0]


def _entry(value: Any) -> str | None:
    if value is None or (isinstance(value, Number) and value == "NaN"):
        return None
    if isinstance(value, str):
        return str(value)
    raise _NoListError(f"must hold only strings, got {kind(value)}")
