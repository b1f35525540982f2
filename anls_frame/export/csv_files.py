"""The main table as CSV or TSV, quoted as in RFC 4180."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, BinaryIO

import polars as pl
import polars.selectors as cs

from anls_frame._text import distinct
from anls_frame.export.document import Document
from anls_frame.export.values import Frame, plain_frame

FORMULA_START = "[=+\\-@\t\r\n＝＋－＠]"  # noqa: RUF001 - meant
"""Pattern of what starts a formula in spreadsheets, including full-width forms and line ends."""


def write_csv(document: Document, file: BinaryIO, *, escape_formulas: bool, separator: str = ",") -> None:
    """Write one line per row; the signature and the digest are columns, so they stay with the figures."""
    frame, digest = document.single.frame, document.settings.get("digest")
    provenance = (document.signature, None if digest is None else str(digest))
    names = distinct(("signature", "digest"), frame.columns, lambda name, number: name + "_" * (number - 1))
    frame = frame.with_columns(
        pl.lit(text, pl.String).alias(name) for name, text in zip(names, provenance, strict=True)
    )
    file.write(header(frame.columns, separator, escape_formulas=escape_formulas))
    lines = fields(frame, document.single.name, escape_formulas=escape_formulas)
    file.write(lines.write_csv(separator=separator, include_header=False).encode())


write_tsv = partial(write_csv, separator="\t")


def header(names: Sequence[str], separator: str, *, escape_formulas: bool) -> bytes:
    """Return the line with the names of columns."""
    line = fields(pl.DataFrame([names], orient="row"), "names", escape_formulas=escape_formulas)
    # Readers drop a byte order mark at the start of the file.
    style: Any = "always" if "".join(names[:1]).startswith("\ufeff") else "necessary"
    return line.write_csv(separator=separator, include_header=False, quote_style=style).encode()


def fields(frame: Frame, name: str, *, escape_formulas: bool) -> Frame:
    """
    Return a frame whose values can be fields: lists and objects become JSON.

    Parameters
    ----------
    frame
        The frame.
    name
        Name of the table, for error messages.
    escape_formulas
        Whether to put an apostrophe before texts that a spreadsheet would run as a formula.
    """
    plain = plain_frame(frame, name)
    schema = plain.collect_schema()
    nested = [_as_json(name) for name, dtype in schema.items() if dtype.is_nested()]
    texts = [name for name, dtype in schema.items() if dtype == pl.String] if escape_formulas else []
    return plain.with_columns(*map(_escaped, texts), *nested)


def _escaped(name: str) -> pl.Expr:
    """Return the texts of a column, with an apostrophe before those that are formulas."""
    texts = cs.by_name(name).as_expr()
    is_formula = texts.str.contains(f"^{FORMULA_START}")
    return pl.when(is_formula).then(pl.concat_str(pl.lit("'"), texts)).otherwise(texts).alias(name)


def _as_json(name: str) -> pl.Expr:
    """Return the values of a column as JSON: those of objects, without the object around them."""
    values = cs.by_name(name).as_expr()
    text = pl.struct(values.alias("")).struct.json_encode().str.strip_prefix('{"":').str.strip_suffix("}")
    return pl.when(values.is_not_null()).then(text).alias(name)
