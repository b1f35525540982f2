"""The main table as CSV or TSV, quoted as in RFC 4180."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from anls_frame.export.values import as_text, plain_frame

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anls_frame.export.document import Document

# Characters that start a formula in spreadsheets, including full-width forms and line ends.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - meant


def write_csv(document: Document, file: BinaryIO, *, escape_formulas: bool) -> None:
    """Write the main table with comma-separated fields."""
    _write(document, file, ",", escape_formulas=escape_formulas)


def write_tsv(document: Document, file: BinaryIO, *, escape_formulas: bool) -> None:
    """Write the main table with tab-separated fields."""
    _write(document, file, "\t", escape_formulas=escape_formulas)


def _write(document: Document, file: BinaryIO, delimiter: str, *, escape_formulas: bool) -> None:
    """Write one line per row; the signature and the digest are columns, so they stay with the figures."""
    frame = plain_frame(document.single.frame, document.single.name)
    digest = document.settings.get("digest")
    provenance = (document.signature, None if digest is None else str(digest))
    header = [*frame.columns, *_free_names(("signature", "digest"), frame.columns)]
    file.write(line(header, delimiter, escape_formulas=escape_formulas))
    file.writelines(
        line((*row, *provenance), delimiter, escape_formulas=escape_formulas) for row in frame.iter_rows()
    )


def line(values: Iterable[object], delimiter: str, *, escape_formulas: bool) -> bytes:
    """
    Return a row as a line.

    Parameters
    ----------
    values
        Values of a plain frame.
    delimiter
        Separator of two fields.
    escape_formulas
        Whether to put an apostrophe before texts that a spreadsheet would run as formulas.
    """
    fields = [_field(value, delimiter, escape_formulas=escape_formulas) for value in values]
    return (delimiter.join(fields) + "\n").encode()


def _field(value: object, delimiter: str, *, escape_formulas: bool) -> str:
    """Return a value as a field, quoted if necessary."""
    # Null is an empty field, an empty string a quoted empty field.
    if value is None:
        return ""
    text = as_text(value)
    if escape_formulas and isinstance(value, str) and text.startswith(FORMULA_STARTS):
        text = f"'{text}"
    # Readers drop a byte order mark at the start of the file.
    needs_quotes = (delimiter, '"', "\r", "\n", "\ufeff")
    quoted = not text or text != text.strip() or any(letter in text for letter in needs_quotes)
    return '"' + text.replace('"', '""') + '"' if quoted else text


def _free_names(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return the names, with underscores appended to those that are already column names."""
    used = set(taken)
    free = []
    for name in names:
        while name in used:
            name += "_"  # noqa: PLW2901 - grows until it is free
        free.append(name)
    return free
