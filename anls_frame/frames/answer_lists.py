"""Parsing of texts that hold several answers: lists printed by Python, numpy or JSON, and separators."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, overload

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import string, type_name
from anls_frame._text import numbered, quoted
from anls_frame.exceptions import warn
from anls_frame.frames import conversion
from anls_frame.frames.checks import check_texts
from anls_frame.frames.missing_values import is_missing
from anls_frame.frames.strict_json import Number, kind, parse, scalar_text

if TYPE_CHECKING:
    import pandas as pd

_LIST = pl.List(pl.String)
_QUOTED = re.compile(r"""\[[\[(\s]*(?:np\.str_\()?['"]""")
# After the whitespace that Python strips; what is in round or curly brackets begins with a text.
_BEGINNING = r"""\A[\s\x1c-\x1f]*(?:\[|array\(|[({]\s*['"])"""
_DEEPEST = 50
# A value as Python and numpy print it, what may follow it, and the end of a call; numpy prints no commas.
# Digits are never given back, because a number of a megabyte could be split in as many ways.
_VALUE = re.compile(
    r"""\s*(?: '(?P<single>(?:[^'\\]|\\.)*)' | "(?P<double>(?:[^"\\]|\\.)*)"
    |   (?P<number>[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)(?![\w.])
    |   (?P<null>None|nan|<NA>)(?!\w)
    |   (?P<truth>True|False)(?!\w)
    |   (?P<call>(?:np\.\w+|array)\()
    |   (?P<open>[\[({]) )""",
    re.VERBOSE | re.DOTALL,
)
_AFTER = re.compile(r"""\s*(?:(?P<sign>[,:])|(?=[\])}'"]|np\.))""")
_CLOSING = re.compile(r"\s*([\])}])")
_END_OF_CALL = re.compile(r"\s*(?:,\s*dtype=[\w'<>=]+\s*)?\)")
_PAIRS = {"[": "]", "(": ")", "{": "}"}
_ANSWER_KEYS = ("text", "answer")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"""\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U(0010|000[0-9a-fA-F])[0-9a-fA-F]{4}|[0-3]?[0-7]{1,2}|[abfnrtv\\'"\n])"""
)
"""An escape of a string literal; Python leaves any other backslash as it is."""


class NotAListError(ValueError):
    """A text that begins like a printed list but cannot be read as one."""


@overload
def parse_answers(answers: str | pl.Expr, *, answers_format: str = "list") -> pl.Expr: ...
@overload
def parse_answers(answers: pl.Series, *, answers_format: str = "list") -> pl.Series: ...
@overload
def parse_answers(answers: pd.Series[Any], *, answers_format: str = "list") -> pd.Series[Any]: ...
def parse_answers(answers: Any, *, answers_format: str = "list") -> Any:
    """
    Parse a column of texts that hold several accepted answers, as lists of answers.

    Parameters
    ----------
    answers
        The column: a Polars or pandas Series, an Arrow array or, for a query, a column name or an expression.
        Cells that already are lists stay unchanged, also in a pandas Series that has texts, too.
    answers_format
        How texts are read, as in `read_results`: `"list"`, the default, reads printed lists as lists and
        other texts as a single answer; a separator such as `"|"` or `";"` also splits these other texts;
        `"text"` reads every text as a single answer.

    Returns
    -------
    Series or Expr
        `List(String)` (lists in pandas) with the name and index of the column. A cell becomes

        - the entries of a list printed by Python, numpy or JSON, such as `['a', 'b']`, `["a", null]` or
          `array(['a', 'b'], dtype=object)`, of a tuple or set of texts, such as `('a', 'b')`, or the answers
          in an object of SQuAD or VQA, such as `{'text': ['a', 'b'], 'answer_start': [3, 9]}`; numbers stay
          as printed, and `None` and `nan` become null;
        - otherwise the non-empty parts between separators, without surrounding whitespace;
        - otherwise the text itself as the only answer, such as `Coke` or `[illegible]`. Null stays null.

    Raises
    ------
    ValueError
        If a text begins like a printed list but is damaged, such as `['a', 'b`, or the format is unknown.
    DTypeError
        If the column does not hold texts or lists of texts.
    TypeError
        If the argument is not a column.

    See Also
    --------
    anls_frame.read_results : reads files, with the same option.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"answers": ["['Coke', 'Coca Cola']", "Pepsi|Pepsi Cola", "Fanta", None]})
    >>> df.with_columns(af.parse_answers(df["answers"], answers_format="|"))["answers"].to_list()
    [['Coke', 'Coca Cola'], ['Pepsi', 'Pepsi Cola'], ['Fanta'], None]
    """
    check_answers_format(answers_format)

    def parse_series(column: pl.Series) -> pl.Series:
        return _parsed_series(column, answers_format)

    if isinstance(answers, str | pl.Expr):
        column = cs.by_name(answers).as_expr() if isinstance(answers, str) else answers
        return column.map_batches(parse_series, return_dtype=_LIST, is_elementwise=True)
    if isinstance(answers, pl.Series):
        return parse_series(answers)
    if conversion.is_pandas(answers, "Series"):
        from anls_frame.frames import from_pandas  # noqa: PLC0415 - imports pandas

        return from_pandas.parse_answers(answers, parse_series)
    if hasattr(answers, "__arrow_c_stream__") or hasattr(answers, "__arrow_c_array__"):
        from anls_frame.frames import from_arrow  # noqa: PLC0415 - imports pyarrow

        return parse_series(from_arrow.to_series("answers", answers)).to_arrow()
    raise TypeError(
        "answers must be a Polars or pandas Series, an Arrow array, an expression or the name of a column, "
        f"got {type_name(answers)}"
    )


def _parsed_series(column: pl.Series, answers_format: str) -> pl.Series:
    """Return a column parsed; raise an error that shows the first damaged list."""
    dtype = column.dtype
    if isinstance(dtype, pl.List | pl.Array) and dtype.inner in (pl.String, pl.Null):
        return column.cast(_LIST)
    if dtype in (pl.Null, pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    check_texts([column])
    lists, damaged = parsed(column, answers_format)
    if damaged:
        row, message = next(iter(damaged.items()))
        others = f" ({len(damaged) - 1:,} more do)" if len(damaged) > 1 else ""
        raise ValueError(
            f"column {column.name!r}, row {row:,} (counted from 0) {message}{others}; fix it or, if it is "
            f"an answer, make it a list of one text"
        )
    return lists


def check_answers_format(
    given: str, words: Sequence[str] = ("list", "text"), name: str = "answers_format"
) -> None:
    """Raise an error unless this is a known word, or a separator, which has no letter or digit."""
    if string(name, given) in words or (given and not any(map(str.isalnum, given))):
        return
    named = ", ".join(map(repr, words))
    raise ValueError(f"{name} must be one of {named} or a separator such as '|', got {given!r}")


def parsed(texts: pl.Series, answers_format: str) -> tuple[pl.Series, dict[int, str]]:
    """
    Return texts as lists of answers, and the problem of each damaged list, by row; damaged lists become null.

    Lists as Python prints them, without quotes and escapes in their texts, are split at once; other texts
    that may be lists are examined one by one.
    """
    text = pl.col("text")
    if answers_format == "text":
        return texts.to_frame("text").select(alone(text)).to_series().alias(texts.name), {}
    frame = pl.DataFrame({"text": texts, "may_be": may_be_lists(texts).fill_null(value=False)})
    parts = text.str.strip_prefix("['").str.strip_suffix("']").str.split("', '")
    is_plain = (
        pl.col("may_be")
        & text.str.starts_with("['")
        & text.str.ends_with("']")
        & ~text.str.contains("\\", literal=True)
        & (text.str.count_matches("'", literal=True) == 2 * parts.list.len())
    )
    frame = frame.with_columns(is_plain=is_plain).with_row_index("row")
    rows: list[int] = []
    every: list[Sequence[str | None] | None] = []
    damaged: dict[int, str] = {}
    cut: list[str] = []
    for row, value in frame.filter(pl.col("may_be") & ~pl.col("is_plain")).select("row", "text").iter_rows():
        try:
            entries = _printed_entries(value.strip())
        except NotAListError as error:
            damaged[row], entries = str(error), None
        if entries is not None or row in damaged:
            rows.append(row)
            every.append(entries)
        if entries is not None and _HALF.search(value) and any("\ufffd" in (text or "") for text in entries):
            cut.append(value)
    if cut:
        warn(
            f"{numbered(len(cut), 'printed list')} with lone surrogates read as U+FFFD, such as "
            f"{quoted(cut[0])}; was a text cut within a character?"
        )
    read = pl.DataFrame({"row": pl.Series(rows, dtype=pl.get_index_type()), "entries": as_lists("", every)})
    joined = frame.join(read.with_columns(is_read=True), on="row", how="left", maintain_order="left")
    others = alone(text, None if answers_format == "list" else answers_format)
    lists = pl.when("is_read").then("entries").when("is_plain").then(parts).otherwise(others)
    return joined.select(lists.alias("lists"))["lists"].alias(texts.name), damaged


def alone(texts: pl.Expr, separator: str | None = None) -> pl.Expr:
    """Return texts as lists of a single answer, or of the parts between separators; null stays null."""
    single = pl.when(texts.is_not_null()).then(pl.concat_list(texts))
    if separator is None:
        return single
    part = pl.element().str.strip_chars()
    parts = texts.str.split(separator).list.eval(part.filter(part != ""))
    is_split = texts.str.contains(separator, literal=True) & (parts.list.len() > 0)
    return pl.when(is_split).then(parts).otherwise(single)


def may_be_lists(texts: pl.Series) -> pl.Series:
    """Return whether each string begins like a printed list."""
    # A Series finds its column by its name, which may read like a pattern.
    return texts.alias("texts").str.contains(_BEGINNING)


def _printed_entries(text: str) -> Sequence[str | None] | None:
    """Return the entries of a printed list, tuple, set or object of answers, or None if it is none."""
    if text.startswith("["):
        entries = _parsed(text) if text.endswith("]") else None
        if entries is None and _QUOTED.match(text):
            raise NotAListError(f"looks like a list but cannot be read as one: {quoted(text)}")
        return entries
    if text.startswith("{"):
        with suppress(ValueError):
            return answers_in(parse(text))
    return _scanned(text)


def _parsed(text: str) -> Sequence[str | None] | None:
    if text.startswith("['"):  # as Python prints it, which is not JSON
        return _scanned(text)
    try:
        value = parse(text)
    except ValueError:
        if text[:_DEEPEST] == "[" * _DEEPEST:
            raise NotAListError("has too many nested lists") from None
        return _scanned(text)
    return answers_in(value)


def _scanned(text: str) -> list[str | None] | None:
    """Return the answers in a value that Python or numpy printed, with numbers as written."""
    try:
        value, end = _value(text, 0)
        return answers_in(value) if end == len(text) and isinstance(value, list | dict) else None
    except ValueError:
        return None


def printed_value(value: Any) -> Any:
    """Return the object or list that JSON or Python printed as this text, and any other value as it is."""
    stripped = value.strip() if isinstance(value, str) else ""
    if not stripped.startswith(("{", "[", "(", "array(")):
        return value
    with suppress(ValueError):
        return parse(stripped)
    with suppress(ValueError):
        printed, end = _value(stripped, 0)
        return printed if end == len(stripped) else value
    return value


def _value(text: str, start: int, depth: int = 0) -> tuple[Any, int]:
    """Return the value that begins here, and where it ends; raise an error if there is none."""
    match = _VALUE.match(text, start)
    if match is None or depth > _DEEPEST:
        raise ValueError("no value")
    kind, end = match.lastgroup, match.end()
    if kind == "open":
        return _container(text, end, _PAIRS[match["open"]], depth)
    if kind == "call":
        value, end = _value(text, end, depth + 1)
        close = _END_OF_CALL.match(text, end)
        if close is None:
            raise ValueError("a call without an end")
        return value, close.end()
    if kind in {"number", "truth"}:
        return Number(match[kind]), end
    return (None if kind == "null" else _unescaped(match[kind or ""])), end


def _container(text: str, start: int, closing: str, depth: int) -> tuple[Any, int]:
    """Return the list (or tuple, or set) or the object after an opening bracket, and where it ends."""
    keys: list[Any] = []
    entries: list[Any] = []
    sign = None
    while (close := _CLOSING.match(text, start)) is None:
        value, start = _value(text, start, depth + 1)
        after = _AFTER.match(text, start)
        if after is None:
            raise ValueError("no end of a value")
        sign, start = after["sign"], after.end()
        if sign == ":" and not isinstance(value, str):
            raise ValueError("a key that is not text")
        (keys if sign == ":" else entries).append(value)
    is_object = bool(keys)
    is_in_brackets = closing == ")" and len(entries) == 1 and sign != ","
    if close[1] != closing or is_in_brackets or (is_object and (closing != "}" or len(keys) != len(entries))):
        raise ValueError("brackets that do not belong together")
    return (dict(zip(keys, entries, strict=True)) if is_object else entries), close.end()


def answers_in(value: Any) -> list[str | None]:
    """
    Return the answers in a list, or in an object as data sets such as SQuAD and VQA have them.

    Raises
    ------
    NotAListError
        If there is anything else.
    """
    if isinstance(value, dict):
        key = answer_key(value)
        if key is None:
            raise NotAListError(f"must be a list of strings, got {kind(value)}")
        return _texts(value[key])
    return [text for item in value for text in _answers_of_entry(item)]


def answer_key(fields: Mapping[str, Any], *, is_entry: bool = False) -> str | None:
    """
    Return the key of the answers in an object: text or answer, among answer_start, answer_id and others.

    An entry of a list may have this key alone; any other object with it could be a document. Label Studio
    writes several choices, or texts, as an object of one list.
    """
    if [*fields] in (["choices"], ["text"]) and isinstance(next(iter(fields.values())), list | pl.List):
        return next(iter(fields))
    keys = [name for name in fields if name in _ANSWER_KEYS]
    others = [name for name in fields if name not in _ANSWER_KEYS]
    is_known = len(keys) == 1 and all(name.startswith("answer_") for name in others) and (others or is_entry)
    return keys[0] if is_known else None


def _answers_of_entry(value: Any) -> list[str | None]:
    key = answer_key(value, is_entry=True) if isinstance(value, dict) else None
    return [entry(value)] if key is None else _texts(value[key])


def _texts(value: Any) -> list[str | None]:
    return list(map(entry, value if isinstance(value, list) else [value]))


def _unescaped(text: str) -> str:
    """Return a string literal of Python without its escapes."""
    text = _ESCAPE.sub(lambda escape: escape[0].encode().decode("unicode_escape"), text)
    # Half of a surrogate pair is no character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def entry(value: Any) -> str | None:
    """Return a value of a list that is text, a number, true or false, as written; None for a missing one."""
    if is_missing(value):
        return None
    if isinstance(value, str | bool):
        return scalar_text(value)
    raise NotAListError(f"must hold only strings, got {kind(value)}")


def as_lists(name: str, lists: Sequence[Sequence[str | None] | None]) -> pl.Series:
    """Return lists of strings as a column; Polars itself is slower, because it inspects each list."""
    if not lists:  # no text is a printed list
        return pl.Series(name, [], pl.List(pl.String))
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    rows = [entries or () for entries in lists]
    ends = pa.array(accumulate(map(len, rows), initial=0), pa.int64())
    entries = pa.array(list(chain.from_iterable(rows)), pa.large_string())
    mask = pa.array([entries is None for entries in lists], pa.bool_())
    column = pa.LargeListArray.from_arrays(ends, entries, mask=mask)
    return pl.Series(name, pl.from_arrow(column), dtype=pl.List(pl.String))
