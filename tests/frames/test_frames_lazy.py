"""`add_scores` on a LazyFrame reads nothing, and plans one call of the plugin."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest
from polars.io.plugins import register_io_source
from registry import Engine, each_engine, namespace

import anls_frame as af

FRAME = pl.DataFrame({"prediction": ["CocaCola", "x", None], "answers": [["Coca Cola"], ["y", "x"], ["a"]]})
NLS = [0.8888888888888888, 1.0, None]


class Source:
    """A lazy source that counts how often it is read, and which columns are asked of it."""

    def __init__(self, frame: pl.DataFrame, *, broken: bool = False) -> None:
        self.frame = frame
        self.broken = broken
        self.reads = 0
        self.asked: list[str] | None = None

    def scan(self) -> pl.LazyFrame:
        return register_io_source(self.batches, schema=self.frame.schema)

    def batches(
        self,
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        del batch_size
        self.reads += 1
        if self.broken:
            raise OSError("the disk is gone")
        self.asked = with_columns
        frame = self.frame.select(with_columns) if with_columns is not None else self.frame
        frame = frame.head(n_rows) if n_rows is not None else frame
        yield frame.filter(predicate) if predicate is not None else frame


def test_a_source_that_cannot_be_read_is_not_read() -> None:
    source = Source(FRAME, broken=True)

    scored = namespace(source.scan()).add_scores("prediction", "answers")

    assert isinstance(scored, pl.LazyFrame)
    assert scored.collect_schema().names()[:3] == ["prediction", "answers", "nls"]
    assert source.reads == 0


def test_a_wrong_column_is_found_without_reading() -> None:
    source = Source(FRAME.with_columns(number=1), broken=True)

    with pytest.raises(af.exceptions.ColumnNotFoundError, match="did you mean 'prediction'"):
        af.add_scores(source.scan(), "predicton", "answers")
    with pytest.raises(af.DTypeError, match="column 'number' has dtype Int32"):
        af.add_scores(source.scan(), "number", "answers")
    with pytest.raises(af.DuplicateColumnError, match="nls"):
        af.add_scores(source.scan().with_columns(nls=1), "prediction", "answers")
    assert source.reads == 0


@each_engine
def test_collecting_reads_once(engine: Engine) -> None:
    source = Source(FRAME)

    result = af.add_scores(source.scan(), "prediction", "answers").collect(engine=engine)

    assert result["nls"].to_list() == NLS
    assert source.reads == 1


@each_engine
def test_only_the_columns_that_are_needed_are_read(engine: Engine) -> None:
    source = Source(FRAME.with_columns(image=pl.lit("large")))

    scored = af.add_scores(source.scan(), "prediction", "answers").select("nls", "cer")

    assert scored.collect(engine=engine)["nls"].to_list() == NLS
    assert set(source.asked or []) == {"prediction", "answers"}


@pytest.mark.parametrize("optimized", [True, False])
@each_engine
def test_the_plugin_is_called_once_for_all_fields(engine: Engine, optimized: bool) -> None:  # noqa: FBT001
    scored = af.add_scores(FRAME.lazy(), "prediction", "answers")
    plans = {
        "all": scored,
        "some": scored.select("nls", "cer", "answer_index"),
        "filtered": scored.filter(pl.col("nls") > 0.5),
        "summed up": scored.group_by("exact_match").agg(pl.col("nls", "anls", "cer").mean()),
        "sorted": scored.sort("nls").head(2),
    }

    calls = {
        name: plan.explain(engine=engine, optimized=optimized).count(":score(")
        for name, plan in plans.items()
    }

    assert calls == dict.fromkeys(plans, 1)


def test_a_filter_on_other_columns_goes_before_the_scores() -> None:
    source = Source(FRAME.with_columns(keep=pl.Series([True, False, True])))

    plan = af.add_scores(source.scan(), "prediction", "answers").filter("keep")

    assert plan.collect()["nls"].to_list() == [NLS[0], NLS[2]]
    assert "SELECTION" in plan.explain()
