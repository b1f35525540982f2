"""The functions of `anls_frame.gec` in every context and engine, with nulls, literals and wrong columns."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from gec_cases import edit, frame, noised, tiny

from anls_frame import gec
from anls_frame.exceptions import DTypeError

COLUMNS = ("prediction", "source", "edits", "annotators")
RNG = random.Random(6)
DATA = frame([tiny(RNG) if number % 2 else noised(RNG) for number in range(300)]).with_columns(
    group=pl.int_range(pl.len()) % 7, references=pl.concat_list("source", "prediction")
)
ROWS = {
    "m2": gec.m2(*COLUMNS),
    "m2_edits": gec.m2_edits(*COLUMNS),
    "i_measure": gec.i_measure(*COLUMNS),
    "i_measure of references": gec.i_measure("prediction", "source", references="references"),
    "align3": gec.align3("prediction", "source", pl.col("references").list.first()),
    "errant": gec.errant("edits", "edits", "annotators", "annotators"),
}
TOTALS = {
    "m2 greedy": gec.m2_corpus(ROWS["m2"]),
    "m2 best_sentence": gec.m2_corpus(ROWS["m2"], choose="best_sentence"),
    "m2 sum": gec.m2_corpus(ROWS["m2"], choose="sum"),
    "m2 annotator": gec.m2_corpus(ROWS["m2"], choose="annotator", annotator=0),
    "i_measure": gec.i_measure_corpus(ROWS["i_measure"]),
    "errant": gec.errant_corpus(ROWS["errant"]),
}
each_row = pytest.mark.parametrize("expression", ROWS.values(), ids=list(ROWS))
each_total = pytest.mark.parametrize("expression", TOTALS.values(), ids=list(TOTALS))
engines = pytest.mark.parametrize("engine", ["in-memory", "streaming"])


@each_row
@engines
def test_rows_are_the_same_in_every_context(expression: pl.Expr, engine: Any) -> None:
    whole = DATA.select(expression).to_series()
    name = whole.name

    assert DATA.lazy().select(expression).collect_schema()[name] == whole.dtype
    assert DATA.lazy().select(expression).collect(engine=engine)[name].equals(whole)
    parts = pl.concat([DATA[:100], DATA[100:]], rechunk=False)
    assert parts.select(expression).to_series().equals(whole)
    grouped = DATA.lazy().with_row_index().group_by("group").agg("index", expression).collect(engine=engine)
    assert grouped.explode("index", name, empty_as_null=False).sort("index")[name].equals(whole)
    assert DATA.select(expression.over("group")).to_series().equals(whole)
    assert DATA[:0].select(expression).to_series().equals(whole[:0])


@each_total
@engines
def test_totals_are_the_same_in_every_context(expression: pl.Expr, engine: Any) -> None:
    whole = DATA.select(expression)

    assert whole.height == 1
    assert DATA.lazy().select(expression).collect(engine=engine).equals(whole)
    grouped = (
        DATA.lazy()
        .group_by("group", maintain_order=True)
        .agg(expression)
        .collect(engine=engine)
        .sort("group")
    )
    parts = pl.concat([DATA.filter(group=group).select(expression) for group in range(7)])
    assert grouped.drop("group").equals(parts)
    assert DATA.lazy().select(expression).collect_schema() == whole.schema


@each_row
def test_a_null_gives_null(expression: pl.Expr) -> None:
    row = DATA.filter(pl.col("edits").list.len() > 0)[:1]
    inputs = [name for name in expression.meta.root_names() if name != "annotators"]

    for name in inputs:
        nulled = row.with_columns(pl.lit(None, row.schema[name]).alias(name))
        assert nulled.select(expression).to_series().to_list() == [None], name


def test_totals_leave_nulls_out() -> None:
    more = pl.concat([DATA, DATA[:5].with_columns(prediction=pl.lit(None, pl.String))])

    for name in ("m2 greedy", "m2 sum", "i_measure"):
        assert more.select(TOTALS[name]).equals(DATA.select(TOTALS[name]))


def test_a_null_list_of_annotators_leaves_them_to_the_edits() -> None:
    data = DATA.with_columns(annotators=pl.lit(None, pl.List(pl.Int32)))

    assert data.select(ROWS["m2"]).equals(data.select(gec.m2(*COLUMNS[:3])))


def test_literals_and_series() -> None:
    source, edits = pl.lit("a b"), pl.lit(pl.Series([[edit(0, 1, 2, ["c"])]]))
    predictions = pl.Series(["a c", "a b", None])

    counts = pl.select(gec.m2(predictions, source, edits)).to_series().to_list()

    assert [one and (one[0]["tp"], one[0]["fn"]) for one in counts] == [(1, 0), (0, 1), None]


def test_integers_of_any_width_and_categories() -> None:
    narrow = pl.List(
        pl.Struct(
            {
                "start": pl.UInt8,
                "end": pl.Int64,
                "type": pl.Categorical,
                "corrections": pl.List(pl.Categorical),
                "annotator": pl.UInt16,
            }
        )
    )
    fields = narrow.inner.to_schema()  # type: ignore[attr-defined]
    data = DATA.with_columns(
        pl.col("edits").list.eval(pl.struct(pl.element().struct.field(n).cast(d) for n, d in fields.items())),
        pl.col("prediction").cast(pl.Categorical),
        pl.col("annotators").cast(pl.List(pl.UInt64)),
    )

    assert data.select(ROWS["m2"]).equals(DATA.select(ROWS["m2"]))


def test_null_corrections_delete_and_null_edits_are_left_out() -> None:
    data = pl.DataFrame({"source": ["a b"], "edits": [[edit(0, 1, 2, ["c"]), None]]}).with_columns(
        prediction=pl.lit("a")
    )
    none = pl.lit(None, pl.List(pl.String))
    nulled = data.with_columns(pl.col("edits").list.eval(pl.element().struct.with_fields(corrections=none)))

    assert data.select(gec.m2(*COLUMNS[:3])).item()[0]["gold"] == 1
    assert nulled.select(gec.m2(*COLUMNS[:3])).item()[0]["tp"] == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: gec.m2("p", "s", "e", max_unchanged=-1),
        lambda: gec.m2("p", "s", "e", lattice="other"),  # type: ignore[arg-type]
        lambda: gec.m2("p", "s", "e", method="fast"),  # type: ignore[arg-type]
        lambda: gec.m2("p", "s", "e", insert_labels="v3"),  # type: ignore[arg-type]
        lambda: gec.m2("p", "s", "e", method="dp", insert_labels="v3.2"),
        lambda: gec.m2_corpus("c", beta=0),
        lambda: gec.m2_corpus("c", beta=float("nan")),
        lambda: gec.m2_corpus("c", choose="best"),  # type: ignore[arg-type]
        lambda: gec.m2_corpus("c", choose="annotator"),
        lambda: gec.m2_corpus("c", annotator=1),
        lambda: gec.i_measure("p", "s", "e", w=-1),
        lambda: gec.i_measure("p", "s", "e", optimise="f1"),  # type: ignore[arg-type]
        lambda: gec.i_measure("p", "s", "e", max_references=0),
        lambda: gec.i_measure_corpus("c", aspect="both"),  # type: ignore[arg-type]
        lambda: gec.align3("p", "s", "r", max_cells=0),
        lambda: gec.align3("p", "s", "r", gap_cost=0),
        lambda: gec.i_measure("p", "s", "e", mismatch_cost=1001),
        lambda: gec.errant("e", "e", mode="dx"),  # type: ignore[arg-type]
        lambda: gec.by_type(DATA, "c", tier=4),  # type: ignore[arg-type]
        lambda: gec.weighted_accuracy(*[pl.col("a")] * 5, w=0),
    ],
)
def test_wrong_values_are_refused_at_once(call: Callable[[], object]) -> None:
    with pytest.raises(
        ValueError,
        match=r'^\w+ must be (one of|an integer|a number)|^annotator must be given|^method="dp" requires',
    ):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: gec.m2(["a"], "s", "e"),  # type: ignore[arg-type]
        lambda: gec.m2("p", "s", [{}]),  # type: ignore[arg-type]
        lambda: gec.m2("p", "s", "e", max_unchanged=1.5),  # type: ignore[arg-type]
        lambda: gec.m2("p", "s", "e", ignore_whitespace_casing=1),  # type: ignore[arg-type]
        lambda: gec.m2_edits("p", "s", "e", shrink="yes"),  # type: ignore[arg-type]
        lambda: gec.m2_corpus("c", beta="1"),  # type: ignore[arg-type]
        lambda: gec.m2("p", "s", "e", lattice=None),  # type: ignore[arg-type]
        lambda: gec.errant("e", "e", filt="R:NOUN"),
        lambda: gec.errant_corpus("e", round4=None),  # type: ignore[arg-type]
        lambda: gec.improvement(1.0, 2.0),  # type: ignore[arg-type]
        lambda: gec.i_measure("p", "s", "e", gap_cost=2.0),  # type: ignore[arg-type]
    ],
)
def test_wrong_types_are_refused_at_once(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError):
        call()


def test_a_column_of_the_wrong_dtype_is_named() -> None:
    with pytest.raises(pl.exceptions.ComputeError, match="column 'group' has dtype Int64"):
        DATA.select(gec.m2("group", "source", "edits"))
    with pytest.raises(pl.exceptions.ComputeError, match="column 'references' has dtype List"):
        DATA.lazy().select(gec.align3("prediction", "source", "references")).collect_schema()


ENTRY = edit(0, 1, 2, ["c"])


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ("a c", "'edits' has dtype String; pass reference sentences to `i_measure` as references="),
        (["a c"], r"'edits' has dtype List\(String\); pass reference sentences to `i_measure`"),
        (1, "'edits' has dtype Int64$"),
        ([1], r"'edits' has dtype List\(Int64\)$"),
        (ENTRY, r"'edits' has dtype Struct"),
        *(
            ([field], r"'edits' has dtype List\(Struct\(.*\)\)$")
            for field in (
                {"start": 1, "end": 2},
                ENTRY | {"start": 1.0},
                ENTRY | {"annotator": "0"},
                ENTRY | {"type": 1},
                ENTRY | {"corrections": "c"},
                ENTRY | {"corrections": [1]},
            )
        ),
    ],
)
@engines
def test_what_is_no_edits_is_named_with_its_column(edits: Any, message: str, engine: Any) -> None:
    data = pl.LazyFrame({"prediction": ["a c"], "source": ["a b"], "edits": [edits]})
    calls = {
        "m2": gec.m2("prediction", "source", "edits"),
        "m2_edits": gec.m2_edits("prediction", "source", "edits"),
        "i_measure": gec.i_measure("prediction", "source", "edits"),
        "errant": gec.errant("edits", "edits"),
    }
    for name, call in calls.items():
        with pytest.raises(DTypeError, match=f"^`{name}` needs edits, .*column {message.rstrip('$')}"):
            data.select(call).collect(engine=engine)


def test_what_is_no_list_of_annotators_is_named_with_its_column() -> None:
    for wrong in ("0", 0, ["0"], [0.5]):
        data = DATA[:1].with_columns(annotators=pl.lit(pl.Series([wrong])))
        with pytest.raises(
            DTypeError, match=r"^`m2` needs one list of integers per row .* column 'annotators' has"
        ):
            data.select(ROWS["m2"])


def test_lists_without_any_edit_have_no_dtype_and_are_read_all_the_same() -> None:
    data = pl.DataFrame({"prediction": ["a c", "a"], "source": ["a b", "a"]})
    empty = data.with_columns(edits=pl.Series([[], []]), annotators=pl.Series([[], []]))
    nulls = data.with_columns(edits=pl.lit(None), annotators=pl.lit(None))

    assert empty.schema["edits"] == pl.List(pl.Null)
    counts = empty.select(ROWS["m2"]).to_series().to_list()
    assert [(one[0]["proposed"], one[0]["gold"]) for one in counts] == [(1, 0), (0, 0)]
    assert nulls.select(ROWS["m2"]).to_series().to_list() == [None, None]


def test_fields_without_any_value_and_of_a_fixed_width() -> None:
    fields = {"start": 1, "end": 2, "annotator": 0}
    bare = pl.DataFrame({"edits": [[fields | {"type": None, "corrections": None}]]})
    fixed = pl.DataFrame({"edits": [[fields | {"type": "X", "corrections": ["c", "d"]}]]})
    width = pl.List(
        pl.Struct({**fixed.schema["edits"].inner.to_schema(), "corrections": pl.Array(pl.String, 2)})
    )  # type: ignore[attr-defined]

    for data, prediction in (
        (bare, "a"),
        (fixed.cast(width), "a d"),
        (fixed.cast(pl.Array(width.inner, 1)), "a d"),
    ):
        [counts] = data.select(gec.m2(pl.lit(prediction), pl.lit("a b"), "edits")).item()
        assert (counts["tp"], counts["gold"]) == (1, 1)
