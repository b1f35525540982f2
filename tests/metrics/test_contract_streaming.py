"""The streaming engine cuts columns into morsels; no size of them changes a row."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest
from campaign import amount
from registry import (
    LIST_EXAMPLES,
    LIST_EXPRESSIONS,
    ROW_EXPRESSIONS,
    SCORE_DTYPE,
    TEXT_EXAMPLES,
    Example,
    RowExpression,
)
from shell import RunPython

import anls_frame as af

REPEATS = 3


def frame_of(rows: Sequence[Example]) -> pl.LazyFrame:
    """Return the rows three times over, in uneven chunks, numbered and in three groups."""
    columns = {
        "prediction": [row.prediction for row in rows],
        "answers": [row.answers for row in rows],
    }
    one = pl.DataFrame(columns)
    frame = pl.concat([one, one.head(5), one.slice(5), *[one] * (REPEATS - 2)], rechunk=False)
    return frame.lazy().with_row_index("row").with_columns(group=pl.col("row") % 3)


def everywhere(rows: Sequence[Example], expressions: Sequence[RowExpression]) -> dict[str, list[Any]]:
    """Evaluate the expressions in several contexts, with the default engine."""
    lazy = frame_of(rows)
    results: dict[str, list[Any]] = {}
    for row in expressions:
        expression = row.function("prediction", "answers")
        grouped = (
            lazy.group_by("group")
            .agg("row", expression)
            .explode("row", row.name, empty_as_null=False)
            .sort("row")
        )
        contexts = {
            "select": lazy.select(expression),
            "with_columns": lazy.with_columns(expression).select(row.name),
            "filter": lazy.filter(pl.col("row") >= 0).select(expression),
            "over": lazy.select(expression.over("group")),
            "group_by": grouped.select(row.name),
            "after_join": lazy.join(lazy, on="row", maintain_order="left").select(expression),
        }
        for context, plan in contexts.items():
            results[f"{row.name} {context}"] = plan.collect().to_series().to_list()
    scores = af.add_scores(lazy, "prediction", "answers").drop("prediction", "answers", "row", "group")
    results["add_scores"] = scores.collect().to_dicts()
    return results


def written_out(rows: Sequence[Example], expressions: Sequence[RowExpression]) -> dict[str, list[Any]]:
    """Return what `everywhere` should give."""
    contexts = ("select", "with_columns", "filter", "over", "group_by", "after_join")
    values = {
        f"{row.name} {context}": [example.expected(row.name) for example in rows] * REPEATS
        for row in expressions
        for context in contexts
    }
    nothing = dict.fromkeys(SCORE_DTYPE.to_schema())
    return values | {"add_scores": [example.expected("score") or nothing for example in rows] * REPEATS}


@pytest.mark.parametrize("morsel", amount(["1"], ["1", "7"]))
def test_no_size_of_morsels_changes_a_row(run_python: RunPython, morsel: str) -> None:
    process = run_python(__file__, POLARS_IDEAL_MORSEL_SIZE=morsel, POLARS_ENGINE_AFFINITY="streaming")

    assert process.stderr == ""
    texts, lists = json.loads(process.stdout)
    assert texts == written_out(TEXT_EXAMPLES, ROW_EXPRESSIONS)
    assert lists == written_out(LIST_EXAMPLES, LIST_EXPRESSIONS)


EXPRESSIONS = {**{row.name: row.function for row in ROW_EXPRESSIONS}, "explain": af.explain}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_streams_without_holding_rows(name: str) -> None:
    plan = frame_of(TEXT_EXAMPLES).select(EXPRESSIONS[name]("prediction", "answers"))
    graph = plan.show_graph(engine="streaming", plan_stage="physical", raw_output=True, show=False)

    # Nodes that hold rows, or leave the streaming engine, are filled with a colour: the source alone is.
    assert graph is not None
    filled = [line for line in graph.splitlines() if "fillcolor" in line]
    assert all("in-memory-source" in line for line in filled)
    assert len(filled) == 1


if __name__ == "__main__":
    both = everywhere(TEXT_EXAMPLES, ROW_EXPRESSIONS), everywhere(LIST_EXAMPLES, LIST_EXPRESSIONS)
    sys.stdout.write(json.dumps(both))
