"""Every frame with an interval has a column that says where it is only rough: all public results are read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl
import pytest

import anls_frame as af
from anls_frame import gec, repeats
from anls_frame.results import SlicedResult

QUESTIONS = af.sample().filter(pl.col("answers").list.len() > 0)
SYSTEMS = {"tesseract": "tesseract", "rapidocr": "rapidocr"}
OPTIONS: dict[str, Any] = {"by": "lang", "cluster": "doc_id"}
CONFIDENCES = {"sure": "tesseract_confidence", "surer": "rapidocr_confidence"}

ARGUMENTS: dict[str, dict[str, Any]] = {
    "beside": {"published": {"Smith 2024": 0.8}},
    "differences": {"simultaneous": True},
    "threshold": {"risk": 0.2},
    "verdicts_needed": {"width": 0.05},
}
"""How to call the methods that need an argument, or have more columns with one."""

OTHER_RANGES = {
    "sample_size": "ranges of plans",
    "decide": "bounds of gates, which ask for more documents where few carry a difference",
}
"""Methods whose frames have two ends that are no interval of a printed figure."""


def judged() -> Any:
    """Return scores of two systems that are corrected by a truth."""
    frame = QUESTIONS.with_columns(
        (pl.col("tesseract_confidence").fill_null(0) > 0.9).cast(pl.Float64).alias("one"),
        (pl.col("rapidocr_confidence").fill_null(0) > 0.9).cast(pl.Float64).alias("other"),
        audited=pl.when(pl.int_range(pl.len()) % 7 == 0).then(af.exact_match("tesseract", "answers")),
    )
    systems = {"a": ("one", "audited"), "b": ("other", "audited")}
    return af.corrected(frame, systems=systems, **OPTIONS)


RESULTS: dict[str, Callable[[], Any]] = {
    "Report": lambda: af.report(QUESTIONS, "rapidocr", "answers", details=True, **OPTIONS),
    "Comparison": lambda: af.compare(QUESTIONS, SYSTEMS, "answers", details=True, draws=99, **OPTIONS),
    "FormatTax": lambda: af.format_tax(QUESTIONS, "rapidocr", "answers", **OPTIONS),
    "Selective": lambda: af.selective(
        QUESTIONS, "rapidocr", "answers", CONFIDENCES, metrics="exact_match", **OPTIONS
    ),
    "Corrected": judged,
    "Slices": lambda: af.find_slices(QUESTIONS, "rapidocr", "answers", ["doc_type"], cluster="doc_id"),
}
"""A result of every class that has intervals."""


def frames(result: Any) -> Iterator[tuple[str, Any]]:
    """Yield all tables that a result's public properties and methods return, with their names."""
    for member in sorted(set(dir(type(result))) - {"transitions", *OTHER_RANGES}):
        own = inspect.getattr_static(type(result), member)
        if member.startswith("_"):
            continue
        if not callable(own):
            value = getattr(result, member)
            yield member, value
        elif str(inspect.signature(own).return_annotation).endswith("Table_co"):
            yield member, getattr(result, member)(**ARGUMENTS.get(member, {}))


def without_mark(table: Any) -> bool:
    """Return whether a table has an interval and no mark."""
    names = list(table if isinstance(table, dict) else getattr(table, "columns", ()))
    return any(str(name).endswith("_low") for name in names) and "few_rows" not in names


@pytest.mark.parametrize("name", RESULTS)
def test_every_table_with_an_interval_has_the_mark(name: str) -> None:
    tables = dict(frames(RESULTS[name]()))
    assert sum(any("_low" in str(column) for column in getattr(t, "columns", ())) for t in tables.values())
    assert not [member for member, table in tables.items() if without_mark(table)]


def test_every_class_with_intervals_is_read() -> None:
    classes = {name for name in af.__all__ if inspect.isclass(getattr(af, name))}
    printed = {name for name in classes if issubclass(getattr(af, name), SlicedResult)}
    assert printed <= {type(make()).__name__ for make in RESULTS.values()}


def test_functions_that_return_a_table_with_intervals_mark_them() -> None:
    spaces = {"": af, "gec.": gec, "repeats.": repeats}
    described = {
        f"{space}{name}"
        for space, module in spaces.items()
        for name in module.__all__
        if inspect.isfunction(getattr(module, name)) and "_low`" in (getattr(module, name).__doc__ or "")
    }
    assert described == {"gec.compare"}
    assert "`few_rows`" in (gec.compare.__doc__ or "")
