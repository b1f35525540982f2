"""Checks of what the file of a summary says about itself, besides its tables: see `consistency`."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from anls_frame.summary.predictions import COUNTS, Predictions
from anls_frame.summary.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_ROWS = 1 << 62
_COUNTS_OF_SYSTEMS = ("rows", "n_dropped", "n_unanswerable", "n", "n_empty_reference")


def checked_header(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the header with its settings and the counts of each system's predictions."""
    settings, systems = Settings.from_dict(header["settings"]), header["systems"]
    expect(_are_counts(header["parts"]) and "" not in header["parts"], "'parts' must name numbers of rows")
    for name in ("scored_by", "forgotten_documents"):
        expect(header[name] is None or isinstance(header[name], str), f"{name!r} must be a text or null")
    is_folded = header["is_folded"]
    expect(
        is_folded is False or (is_folded is True and settings.cluster is not None),
        "'is_folded' must be true or false, and true only with clusters",
    )
    are_named = (
        isinstance(systems, dict) and systems and all(isinstance(one, str) for one in systems.values())
    )
    expect(are_named, "'systems' must name columns")
    rows = sum(header["parts"].values())
    predictions = _checked_predictions(header["predictions"], systems, rows)
    return {**header, "settings": settings, "predictions": predictions}


def _checked_predictions(values: Any, systems: Mapping[str, str], rows: int) -> dict[str, Predictions]:
    """Return what is counted of each system's predictions."""
    expect(isinstance(values, dict) and [*values] == [*systems], "'predictions' must be of the systems")
    found = {}
    for name, own in values.items():
        expect(own.keys() == {"digest", *COUNTS}, f"'predictions' of {name!r} are incomplete")
        expect(
            isinstance(own["digest"], str) and re.fullmatch("[0-9a-f]{16}", own["digest"]),
            "'digest' must be 16 hexadecimal digits",
        )
        for count in COUNTS:
            expect(_is_count(own[count], rows), f"{count!r} must be a number of at most {rows:,}")
        found[name] = Predictions(**own | {"digest": int(own["digest"], 16)})
    return found


def checked_columns(columns: Any) -> dict[str, dict[str, str]]:
    """Return the columns of each kind of frame, each with its name in the file."""
    are_names = isinstance(columns, dict) and all(
        isinstance(of_kind, dict) and all(isinstance(name, str) for name in of_kind.values())
        for of_kind in columns.values()
    )
    expect(are_names, "'columns' must name the columns of frames")
    return dict(columns)


def check_counts(sums: Any, settings: Settings, rows: int) -> None:
    """Raise an error unless the counts and ends of several systems are possible."""
    names = {metric.name for metric in settings.metrics}
    counts, ends = sums["counts"], sums["ends"]
    for values in (counts, ends):
        expect(isinstance(values, dict) and values.keys() == names, "the metrics differ from the settings")
    for name in names:
        _check_counts_of_metric(name, counts[name], rows)
        low, high = ends[name]
        are_numbers = all(isinstance(end, int | float) and not math.isnan(end) for end in (low, high))
        expect(
            (low is None and high is None) or (are_numbers and low <= high),
            f"the lowest and the highest score in {name!r} must be two numbers or null",
        )


def _check_counts_of_metric(name: str, counts: Any, rows: int) -> None:
    expect(
        _are_counts(counts) and counts.keys() == {*_COUNTS_OF_SYSTEMS},
        f"the counts of {name!r} are incomplete",
    )
    add_up(f"in the counts of {name!r}", rows, counts["rows"])
    expect(max(counts.values()) <= rows, f"counts of {name!r} are larger than the number of rows")
    expect(counts["n_empty_reference"] <= counts["n"], f"empty references of {name!r} are too many")


def _is_count(value: Any, most: int = _MOST_ROWS) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _are_counts(values: Any) -> bool:
    return isinstance(values, dict) and bool(values) and all(map(_is_count, values.values()))


def add_up(what: str, expected: int, found: int) -> None:
    """Raise an error unless two numbers are equal."""
    expect(expected == found, f"the numbers {what} do not add up: {expected:,} and {found:,}")


def expect(condition: Any, message: str) -> None:
    """Raise an error unless the condition holds."""
    if not condition:
        raise ValueError(message)
