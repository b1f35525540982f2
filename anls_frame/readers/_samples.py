"""The samples of a harness' file: as columns, or one by one where one has to look at each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from anls_frame._text import listed, quoted
from anls_frame.readers import _content, _json, _json_columns
from anls_frame.readers._json_columns import JsonColumn
from anls_frame.readers._problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from anls_frame.readers._problems import Problems

Sample: TypeAlias = tuple[str, dict[str, Any]]
"""A sample's place in the file, and its fields."""


@dataclass
class Samples:
    """The samples of a file of JSON Lines."""

    path: Path
    table: _json_columns.JsonTable | None
    """Their fields as columns; None if the lines must be read one by one."""
    read: Callable[[], Iterable[Sample]]
    """Return them one by one."""

    @cached_property
    def rows(self) -> list[Sample]:
        """The samples one by one."""
        return list(self.read())

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples one by one, for the only time unless `rows` has them."""
        return iter(self.rows if "rows" in vars(self) else self.read())

    def values(self, key: str) -> list[str]:
        """Return the different values of a field as strings."""
        if self.table is None:
            return values(self.rows, key)
        return _different(self.table.columns.get(key, []))

    def only(self, key: str, wanted: str) -> Samples:
        """Return the samples with the wanted value of a field."""
        column = None if self.table is None else self.table.columns.get(key)
        found = None
        # A missing value is "None", and a number "NaN", where samples are read one by one.
        if isinstance(column, JsonColumn) and column.holds_texts and wanted != "None":
            found = column.rows_with(wanted)
        return Samples(self.path, found, lambda: only(self.path, self.rows, key, wanted))


def in_lines(path: Path, problems: Problems) -> Samples:
    """Return the samples in a file of JSON Lines."""
    text = _content.read_text(path)
    return Samples(path, _json_columns.of(text), lambda: _json.read_lines(path, text, problems))


def values(rows: Iterable[Sample], key: str) -> list[str]:
    """Return the different values of a field as strings."""
    return _different(sample.get(key) for _, sample in rows)


def only(path: Path, rows: list[Sample], key: str, wanted: str) -> list[Sample]:
    """
    Return the samples with the wanted value of a field.

    Raises
    ------
    InputError
        If there is none.
    """
    found = [(place, sample) for place, sample in rows if str(sample.get(key)) == wanted]
    if not found:
        among = listed([quoted(value) for value in values(rows, key)]) or "none"
        raise problem(path, f"no {key} {quoted(wanted)}; available: {among}")
    return found


def _different(found: Iterable[Any]) -> list[str]:
    if isinstance(found, JsonColumn) and found.holds_texts:
        found = found.texts().unique()
    return sorted({str(value) for value in found if value is not None})
