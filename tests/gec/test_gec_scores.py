"""`gec.scores` gives for pandas and Arrow frames what expressions give for Polars frames."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest
from gec_cases import frame, noised, tiny
from polars.testing import assert_frame_equal

from anls_frame import gec
from anls_frame.exceptions import ColumnNotFoundError, DuplicateColumnError, InputWarning

COLUMNS = ("prediction", "source", "edits", "annotators")
RNG = random.Random(8)
DATA = frame([tiny(RNG) if number % 2 else noised(RNG) for number in range(60)]).with_columns(
    system=pl.Series(["one", "two", None] * 20), part=pl.int_range(60) // 30
)
PANDAS = DATA.to_pandas().set_axis(range(100, 160))
CORPUS = {
    "m2": gec.m2_corpus(gec.m2(*COLUMNS)),
    "i_measure": gec.i_measure_corpus(gec.i_measure(*COLUMNS)),
    "errant": gec.errant_corpus(gec.errant("edits", "edits", "annotators", "annotators")),
}
each_corpus = pytest.mark.parametrize("expression", CORPUS.values(), ids=list(CORPUS))


@each_corpus
@pytest.mark.parametrize(
    "make", [pl.DataFrame.clone, pl.DataFrame.lazy, pl.DataFrame.to_arrow, lambda _: PANDAS]
)
@pytest.mark.parametrize("by", [None, "system", ["system", "part"]])
def test_tables_are_those_of_the_expressions(
    expression: pl.Expr, make: Callable[[pl.DataFrame], object], by: str | list[str] | None
) -> None:
    grouped = DATA.group_by(by, maintain_order=True).agg(expression) if by else DATA.select(expression)

    data = make(DATA)
    table = gec.scores(data, expression, by=by)

    assert type(table) is (pl.DataFrame if isinstance(data, pl.LazyFrame) else type(data))
    polars_table = pl.from_pandas(table) if isinstance(table, pd.DataFrame) else pl.DataFrame(table)
    assert_frame_equal(polars_table, grouped.unnest(grouped.columns[-1]), check_exact=True)


def test_rows_of_a_pandas_frame_keep_their_index() -> None:
    rows = gec.scores(PANDAS, gec.i_measure(*COLUMNS))
    counts = gec.scores(PANDAS, gec.m2(*COLUMNS))

    assert rows.index.tolist() == counts.index.tolist() == PANDAS.index.tolist()
    measured = DATA.select(gec.i_measure(*COLUMNS).struct.field("i_measure")).to_series()
    assert rows["i_measure"].fillna(9.0).tolist() == measured.fill_null(9.0).to_list()
    assert [len(one) for one in counts["gec_m2"]] == DATA["annotators"].list.len().to_list()
    assert gec.scores(PANDAS[:1], CORPUS["m2"]).index.tolist() == [0]
    assert gec.scores(PANDAS[:0], CORPUS["m2"])["f"].tolist() == [1.0]


def test_missing_texts_of_a_pandas_frame_are_null() -> None:
    holes = PANDAS.assign(prediction=PANDAS["prediction"].where(PANDAS.index != 101, None))
    filled = DATA.with_row_index().with_columns(prediction=pl.when(pl.col("index") != 1).then("prediction"))

    assert gec.scores(holes, CORPUS["m2"]).to_dict("records") == gec.scores(filled, CORPUS["m2"]).to_dicts()


@pytest.mark.parametrize("data", [DATA, PANDAS])
def test_columns_of_groups_may_be_called_as_patterns_are(data: Any) -> None:
    named = data.rename({"part": "^s.*$"}) if data is DATA else data.rename(columns={"part": "^s.*$"})

    table = gec.scores(named, CORPUS["m2"], by=["^s.*$", "^s.*$"])

    assert next(iter(table.columns)) == "^s.*$"
    assert list(table["^s.*$"]) == [0, 1]


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame])
def test_groups_of_measurements_and_of_several_labels_are_told(kind: Any) -> None:
    rows = pl.concat([DATA] * 2).with_columns(
        length=pl.int_range(120) / 7, task=pl.Series(["essay", "essay;exam", "exam"] * 40)
    )
    rows = rows if kind is pl.DataFrame else rows.to_pandas()
    with pytest.raises(ValueError, match=r"by column 'length' has .* different numbers, each of which"):
        gec.scores(rows, CORPUS["m2"], by=["system", "length"])
    with pytest.warns(InputWarning, match="by column 'task' holds ';' between labels in 1 of 3 values"):
        gec.scores(rows, CORPUS["m2"], by="task")


def test_wrong_arguments() -> None:
    with pytest.raises(ColumnNotFoundError, match=r"no column 'model' among"):
        gec.scores(DATA, CORPUS["m2"], by="model")
    with pytest.raises(ColumnNotFoundError, match=r"(?s)\"texts\".*prediction.*system"):
        gec.scores(PANDAS, gec.m2("texts", "source", "edits"))
    with pytest.raises(DuplicateColumnError, match=r"the scores have a field 'f'; rename this column of by="):
        gec.scores(DATA.rename({"system": "f"}), CORPUS["m2"], by=["part", "f"])
    with pytest.raises(TypeError, match=r"by must be the names of columns, got \[1\]"):
        gec.scores(DATA, CORPUS["m2"], by=[1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="takes an expression, as from `m2_corpus`, got str"):
        gec.scores(DATA, "m2")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="got dict"):
        gec.scores({}, CORPUS["m2"])
    with pytest.raises(TypeError, match=r"got pandas\.Series; wrap values in `pl\.Series`"):
        gec.m2(PANDAS["prediction"], "source", "edits")


@pytest.mark.parametrize("series", [pl.Series("part", [0]), pd.Series([0], name="part")])
def test_a_series_is_refused_where_a_name_is_meant(series: Any) -> None:
    error = "takes names of columns, got a .*; pass its name: "

    with pytest.raises(TypeError, match=f"by {error}by='part'"):
        gec.scores(DATA, CORPUS["m2"], by=series)
    with pytest.raises(TypeError, match=f"cluster {error}cluster='part'"):
        gec.compare(["prediction", "source"], DATA, cluster=series)
