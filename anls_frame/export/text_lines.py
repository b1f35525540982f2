"""Lines of CSV and JSON for all rows at once, equal to those made value by value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame.export.csv_files import FORMULA_STARTS
from anls_frame.export.values import as_text, json_text, plain_frame

if TYPE_CHECKING:
    from collections.abc import Callable

# What JSON escapes.
_ESCAPES = {letter: json.dumps(letter)[1:-1] for letter in (*map(chr, range(0x20)), '"', "\\")}

# The characters that Python strips, which are more than those of Rust.
_SPACE = r"[\s\x1c-\x1f]"


def json_lines(frame: pl.DataFrame) -> pl.Series:
    """Return each row as a JSON object, equal to the result of `values.json_text`."""
    frame = plain_frame(frame, "rows")
    fields = [
        pl.lit(f"{json_text(name)}: ") + _json(cs.by_name(name).as_expr(), dtype)
        for name, dtype in frame.schema.items()
    ]
    return _joined(frame, fields, ", ", "{", "}")


def delimited_lines(frame: pl.DataFrame, delimiter: str, *, escape_formulas: bool) -> pl.Series:
    """Return each row, equal to the result of `delimited.line`, without line ends."""
    frame = plain_frame(frame, "rows")
    fields = [
        _field(cs.by_name(name).as_expr(), dtype, delimiter, escape_formulas=escape_formulas)
        for name, dtype in frame.schema.items()
    ]
    return _joined(frame, fields, delimiter)


def _joined(
    frame: pl.DataFrame, fields: list[pl.Expr], separator: str, start: str = "", end: str = ""
) -> pl.Series:
    if not fields:
        return pl.Series([], dtype=pl.String)
    line = pl.concat_str(fields, separator=separator)
    return frame.select((pl.lit(start) + line + pl.lit(end)).alias("line")).to_series()


def _json(values: pl.Expr, dtype: Any) -> pl.Expr:
    if dtype == pl.String:
        text = pl.lit('"') + values.str.replace_many(list(_ESCAPES), list(_ESCAPES.values())) + pl.lit('"')
    elif _is_list_of_simple(dtype):
        entries = values.list.eval(_json(pl.element(), dtype.inner))
        text = pl.lit("[") + entries.list.join(", ") + pl.lit("]")
    elif _is_written_alike(dtype):
        text = values.cast(pl.String)
    else:
        text = _each(values, json_text)
    return text.fill_null("null")


def _field(values: pl.Expr, dtype: Any, delimiter: str, *, escape_formulas: bool) -> pl.Expr:
    if _is_written_alike(dtype):
        return values.cast(pl.String).fill_null("")
    if dtype.is_float():
        return _each(values, as_text).fill_null("")
    text = values if dtype == pl.String else pl.when(values.is_not_null()).then(_json(values, dtype))
    if escape_formulas and dtype == pl.String:
        runs = text.str.contains(f"^[{''.join(FORMULA_STARTS)}]".replace("-", r"\-"))
        text = pl.when(runs).then(pl.lit("'") + text).otherwise(text)
    # Readers drop a byte order mark at the start of the file.
    quoted = text.str.contains(rf'^$|^{_SPACE}|{_SPACE}$|[{delimiter}"\r\n\x{{feff}}]')
    doubled = pl.lit('"') + text.str.replace_all('"', '""', literal=True) + pl.lit('"')
    return pl.when(quoted).then(doubled).otherwise(text).fill_null("")


def _is_written_alike(dtype: Any) -> bool:
    """Return whether Polars writes the values as Python does."""
    return dtype.is_integer() or dtype in {pl.Boolean, pl.Null}


def _is_list_of_simple(dtype: Any) -> bool:
    if not isinstance(dtype, pl.List):
        return False
    # Otherwise, a Python function would be called for each list.
    return dtype.inner == pl.String or _is_written_alike(dtype.inner) or _is_list_of_simple(dtype.inner)


def _each(values: pl.Expr, text: Callable[[Any], str]) -> pl.Expr:
    def texts(column: pl.Series) -> pl.Series:
        return pl.Series(
            [None if value is None else text(value) for value in column.to_list()], dtype=pl.String
        )

    return values.map_batches(texts, return_dtype=pl.String, is_elementwise=True)
