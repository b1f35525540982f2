"""What a score report consists of, apart from the format it is written in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

from anls_frame._arguments import string
from anls_frame.export.values import json_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame.export.figures import Figure

__all__ = ["Document", "Kind", "Table"]

Kind: TypeAlias = Literal["key", "count", "score", "rate", "difference", "p_value", "number", "text", "note"]
"""
What a column holds, and so how a format shows it: the keys of a group, whole numbers, scores and rates
(three decimals), differences of them (with their sign), p-values (four decimals), other numbers (four
significant digits), text, and remarks.
"""

OVERALL = "overall"
GROUP = "group"
ALL_ROWS = "all rows"
"""How the row over everything is called where people read it; in data it is `OVERALL`."""
SLICE = "slice"


@dataclass(frozen=True)
class Table:
    """
    One table of a report.

    Attributes
    ----------
    name
        Heading of the table and name of its sheet, such as "By question_types".
    frame
        The rows: scalars, or lists of them in the keys; any of them may be null. Where the first column is
        called `slice` and is no key, it tells the row over everything ("overall") from the rows of groups
        ("group"): a null key is a group like others.
    kinds
        Kind of each column. Columns that are left out count as "number" or "text", as their dtype is.
    """

    name: str
    frame: pl.DataFrame
    kinds: Mapping[str, Kind] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_text("the name of a table", self.name)
        unknown = [column for column in self.kinds if column not in self.frame.columns]
        if unknown:
            raise ValueError(
                f"table {self.name!r} has kinds for the columns {unknown}, which it does not have"
            )

    def kind(self, column: str) -> Kind:
        """Kind of a column, by its dtype if none is given."""
        if column in self.kinds:
            return self.kinds[column]
        return "number" if self.frame.schema[column].is_numeric() else "text"

    @property
    def has_slices(self) -> bool:
        """Whether the first column tells the overall row from the rows of groups."""
        if self.frame.columns[:1] != [SLICE] or self.kind(SLICE) == "key":
            return False
        values = self.frame[SLICE]
        return values.dtype == pl.String and set(values.unique()) <= {OVERALL, GROUP}


@dataclass(frozen=True)
class Document:
    """
    A report: tables with what is needed to tell how they came about.

    Attributes
    ----------
    title
        Title of the whole.
    tables
        The tables, the main one first. Formats that hold one table only hold that one.
    settings
        How the figures were computed: protocol, threshold, digest of the inputs, versions. JSON values only.
    signature
        The settings that make figures comparable, in one line.
    notes
        Remarks, shown below the tables.
    figures
        What formats with pictures draw beside the tables.
    """

    title: str
    tables: Sequence[Table]
    settings: Mapping[str, object]
    signature: str
    notes: Sequence[str] = ()
    figures: Sequence[Figure] = ()

    def __post_init__(self) -> None:
        _check_text("the title", self.title)
        _check_text("the signature", self.signature)
        for note in self.notes:
            _check_text("a note", note)
        _check_text("settings", json_text(self.settings, "settings"))
        names = [table.name for table in self.tables]
        if not names:
            raise ValueError("a document has at least one table")
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"several tables have the same name: {doubled}")

    @property
    def main(self) -> Table:
        """The first table."""
        return self.tables[0]


def _check_text(what: str, value: object) -> None:
    try:
        string(what, value).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} holds half of a surrogate pair, which is no text: {value!a}") from error
