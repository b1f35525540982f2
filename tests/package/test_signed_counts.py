"""Counts of every public table are signed, so the difference of two columns does not wrap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import polars as pl
import pytest

import anls_frame as af
from anls_frame import gec

ROWS = pl.DataFrame(
    {
        "old": ["ab", "cart", None, "tree 7", "x"] * 8,
        "new": ["abc", "cat", "no", "tree", "xyz"] * 8,
        "third": ["abd", "c", "noo", "three 7", "y"] * 8,
        "gold": ["abc", "cat", "no", "tree 7", "xy"] * 8,
        "kind": ["p", "q"] * 20,
        "doc": [f"d{number // 4}" for number in range(40)],
    }
)
SYSTEMS = ["old", "new", "third"]


def report(frame: Any) -> Iterator[tuple[str, Any]]:
    found = af.report(frame, "old", "gold", by=["kind"], cluster="doc", details=True)
    yield from {
        "by": found.by("kind"),
        "to_polars": found.to_polars(),
        "errors": found.errors("kind"),
        "confusions": found.confusions(),
        "against_rest": found.against_rest(),
    }.items()


def comparison(systems: list[str]) -> Callable[[Any], Iterator[tuple[str, Any]]]:
    def tables(frame: Any) -> Iterator[tuple[str, Any]]:
        found = af.compare(frame, systems, "gold", by=["kind"], cluster="doc", metrics=["anls", "cer_corpus"])
        yield from {
            "by": found.by("kind"),
            "to_polars": found.to_polars(),
            "differences": found.differences(),
            "ranking": found.ranking,
        }.items()
        if len(systems) == 2:
            planned = af.compare(frame, systems, "gold", by=["kind"], cluster="doc", details=True)
            yield "detectable_difference", planned.detectable_difference()
            yield "transitions", planned.transitions

    return tables


def rows(frame: Any) -> Iterator[tuple[str, Any]]:
    yield "add_scores", af.add_scores(frame, "new", "gold")
    yield "worst", af.worst(frame, "new", "gold")
    yield "changes", af.changes(frame, ["old", "new"], "gold")
    yield "length_scores", af.length_scores(frame, "new", "gold")
    yield "confusions", af.confusions(frame, "new", "gold", by="kind")
    yield "threshold_curve", af.threshold_curve(af.summarize(frame, "new", "gold"))
    yield "find_slices", af.find_slices(frame, "old", "gold", columns=["kind"]).to_polars()
    yield "mean_over_epochs", af.repeats.mean_over_epochs(frame, "new", "gold", id="gold")
    yield "pass_at_k", af.repeats.pass_at_k(frame, 1, "new", "gold", id="gold")


def corrections(_: Any) -> Iterator[tuple[str, Any]]:
    texts = pl.DataFrame({"source": ["a b", "c d"], "old": ["a x", "c"], "gold": [["a x"], ["c e"]]})
    scores = texts.select(gec.i_measure("old", "source", references="gold")).to_series()
    yield "i_measure", scores.struct.unnest()


def alignments(_: Any) -> Iterator[tuple[str, Any]]:
    yield "edit_matrix", af.edit_matrix("abc", "abd").to_polars()
    yield "alignment", af.pairs.alignment("abc\nx", "abd\nx").to_polars()
    yield "by_line", af.pairs.alignment("abc\nx", "abd\nx").by_line().to_polars()


def unsigned(dtype: pl.DataType) -> bool:
    if isinstance(dtype, pl.List):
        return unsigned(dtype.inner)  # type: ignore[arg-type] # of a schema: an instance
    if isinstance(dtype, pl.Struct):
        return any(unsigned(field.dtype) for field in dtype.fields)  # type: ignore[arg-type]
    return dtype.is_unsigned_integer()


TABLES = [report, comparison(SYSTEMS[:2]), comparison(SYSTEMS), rows, corrections, alignments]


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame])
def test_no_table_holds_unsigned_integers(tables: Any, kind: type) -> None:
    for name, table in tables(ROWS if kind is pl.DataFrame else ROWS.to_pandas()):
        if isinstance(table, pd.DataFrame):
            wrapping = [column for column, dtype in table.dtypes.items() if "uint" in str(dtype).lower()]
        else:
            wrapping = [column for column, dtype in table.schema.items() if unsigned(dtype)]
        assert wrapping == [], name


def test_differences_of_counts_are_negative_where_the_second_is_larger() -> None:
    counts = ROWS.head(2).select(
        old=af.levenshtein("old", "gold"),
        new=af.levenshtein("new", "gold"),
        beyond=af.score("old", "gold").struct.field("char_errors")
        - af.score("old", "gold").struct.field("reference_length"),
    )
    assert counts.select(pl.col("new") - pl.col("old")).to_series().to_list() == [-1, -1]
    assert counts["beyond"].to_list() == [-2, -2]

    frame = ROWS.to_pandas().head(2)
    change = af.levenshtein(frame["new"], frame["gold"]) - af.levenshtein(frame["old"], frame["gold"])
    assert change.tolist() == [-1, -1]
