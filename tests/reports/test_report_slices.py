"""Slices of reports: which rows count where, and what is made of them, held against plain loops."""

from __future__ import annotations

from typing import Any, Literal

import polars as pl
import pytest
import report_oracle
from report_oracle import Options

from anls_frame.reports.reports import report

ROWS: list[dict[str, Any]] = [
    {"prediction": "CocaCola", "answers": ["Coca Cola", "Coke"], "types": ["form", "table"], "doc": "a"},
    {"prediction": "coke", "answers": ["Coca Cola", "Coke"], "types": ["table", "form"], "doc": "a"},
    {"prediction": None, "answers": ["12"], "types": ["form"], "doc": "a"},
    {"prediction": "12", "answers": ["12", None], "types": ["form", "form"], "doc": "b"},
    {"prediction": "yes", "answers": ["no"], "types": [], "doc": "b"},
    {"prediction": "", "answers": ["", "x"], "types": None, "doc": "b"},
    {"prediction": "x", "answers": [""], "types": [None], "doc": None},
    {"prediction": "Zürich", "answers": ["Zurich"], "types": [None, "table"], "doc": None},
    {"prediction": "abc", "answers": [], "types": ["form"], "doc": "c"},
    {"prediction": None, "answers": [None], "types": ["layout"], "doc": "c"},
    {"prediction": None, "answers": ["", "n/a"], "types": ["layout", "table"], "doc": "c"},
    {"prediction": "1O", "answers": ["10"], "types": ["table", None, "table"], "doc": "d"},
    {"prediction": "half wrong", "answers": ["half right"], "types": ["free"], "doc": "d"},
]
for position, row in enumerate(ROWS):
    row["lang"] = ["en", "de", None][position % 3]
    row["page"] = position % 2
FRAME = pl.DataFrame(ROWS)


def make(options: Options) -> Any:
    return report(FRAME, "prediction", "answers", **options.arguments())


@pytest.mark.parametrize("cluster", [None, "doc", "lang", "page"])
@pytest.mark.parametrize(
    "by", [(), ("types",), ("lang",), ("types", "lang"), ("lang", "types", "page"), ("doc",)], ids=str
)
def test_slices_are_those_of_plain_loops(by: tuple[str, ...], cluster: str | None) -> None:
    options = Options(by=by, cluster=cluster)
    report_oracle.check_report(make(options), ROWS, options)


@pytest.mark.parametrize("missing", ["empty", "drop"])
@pytest.mark.parametrize("protocol", ["anls", "rrc", "anls_star"])
@pytest.mark.parametrize("threshold", [None, 0.0, 0.8, 1.0])
def test_options_reach_the_scores(
    missing: Literal["empty", "drop"], protocol: str, threshold: float | None
) -> None:
    options = Options(
        by=("types",),
        cluster="doc",
        protocol=protocol,
        threshold=threshold,
        missing=missing,
        errors="rrc",
    )
    report_oracle.check_report(make(options), ROWS, options)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.999])
def test_confidence_reaches_every_interval(confidence: float) -> None:
    options = Options(by=("types",), cluster="doc", confidence=confidence)
    report_oracle.check_report(make(options), ROWS, options)


def by_types(types: list[Any], **options: Any) -> dict[Any, int]:
    frame = pl.DataFrame(
        {"p": ["a"] * len(types), "a": ["a"] * len(types), "k": pl.Series(types, dtype=pl.List(pl.String))}
    )
    return dict(report(frame, "p", "a", by="k", **options).by_group.select("k", "n").iter_rows())


@pytest.mark.parametrize("cluster", [None, "k"])
@pytest.mark.parametrize(
    ("types", "slices"),
    [
        ([["a", "b"], ["b"]], {"a": 1, "b": 2}),
        ([["a", "a", "a"]], {"a": 1}),
        ([["a", "b"], ["b", "a"], ["a", "b", "a"]], {"a": 3, "b": 3}),
        ([None, [], [None], [None, None]], {None: 4}),
        ([[None, "a"]], {None: 1, "a": 1}),
        ([["a", None], ["a"], None], {None: 2, "a": 2}),
        ([[""], [" "], ["a"], ["A"]], {"": 1, " ": 1, "a": 1, "A": 1}),
    ],
    ids=["overlap", "repeated", "order", "nothing", "null beside", "null or nothing", "as it stands"],
)
def test_row_counts_once_in_each_entry_of_its_list(
    types: list[Any], slices: dict[Any, int], cluster: str | None
) -> None:
    assert by_types(types, cluster=cluster) == slices


def test_crossing_of_two_lists_has_every_pair() -> None:
    frame = pl.DataFrame(
        {"p": ["a", "x"], "a": ["a", "a"], "k": [["a", "b"], ["b"]], "l": [["x", "y", "x"], None]}
    )
    made = report(frame, "p", "a", by=["k", "l"])
    pairs = {("a", "x"): 1, ("a", "y"): 1, ("b", "x"): 1, ("b", "y"): 1, ("b", None): 1}
    assert {(k, l_): n for k, l_, n in made.by_group.select("k", "l", "n").iter_rows()} == pairs
    assert dict(made.by("l").select("l", "n").iter_rows()) == {"x": 1, "y": 1, None: 1}
    assert dict(made.by("k").select("k", "n").iter_rows()) == {"a": 1, "b": 2}


def test_roll_up_of_a_crossing_is_the_report_by_that_column() -> None:
    crossed = make(Options(by=("types", "lang", "page"), cluster="doc"))
    for by in ([], ["types"], ["lang"], ["page", "types"], ["lang", "page", "types"]):
        alone = report(FRAME, "prediction", "answers", by=by, cluster="doc")
        report_oracle.check_alike(crossed.by(*by), alone.by_group)


def test_overall_does_not_count_overlapping_rows_twice() -> None:
    made = make(Options(by=("types",)))
    assert made.overall["n"] == 11
    assert made.by_group["n"].sum() > 11
    assert made.by().row(0, named=True) == made.overall


def test_overall_is_the_report_without_slices() -> None:
    report_oracle.check_figures(make(Options(by=("types",))).overall, make(Options()).overall)


def test_report_without_slices_has_one_row() -> None:
    made = make(Options())
    assert made.by_group.height == 1
    assert made.to_polars()["slice"].to_list() == ["overall"]


def test_frame_holds_all_rows_first_and_then_each_slice() -> None:
    made = make(Options(by=("types", "lang")))
    frame = made.to_polars()
    assert frame.columns == ["slice", "types", "lang", *report_oracle.TEXT_COLUMNS]
    assert frame["slice"].to_list() == ["overall"] + ["group"] * made.by_group.height
    assert frame.row(0)[1:3] == (None, None)
    assert frame.tail(-1).drop("slice").equals(made.by_group)
    assert {name: frame.row(0, named=True)[name] for name in made.overall} == made.overall


@pytest.mark.parametrize("column", ["types", "lang"])
def test_unanswerable_rows_count_in_their_slices_without_a_score(column: str) -> None:
    made = make(Options(by=(column,)))
    assert made.overall["n_unanswerable"] == 2
    assert made.by_group["n_unanswerable"].sum() == 2


def test_slice_of_unanswerable_rows_alone_is_there_without_scores() -> None:
    frame = pl.DataFrame(
        {"p": ["a", "b"], "a": [["a"], []], "k": [1, 2]}, schema_overrides={"a": pl.List(pl.String)}
    )
    row = report(frame, "p", "a", by="k").by_group.row(1, named=True)
    assert (row["n"], row["n_unanswerable"]) == (0, 1)
    assert {row[name] for name in report_oracle.TEXT_COLUMNS[4:-2]} == {None}


def test_missing_prediction_is_right_where_an_empty_answer_is_accepted() -> None:
    frame = pl.DataFrame({"p": [None, None], "a": [["", "n/a"], ["x"]]}, schema_overrides={"p": pl.String})
    scored, dropped = (report(frame, "p", "a", missing=missing).overall for missing in ("empty", "drop"))
    assert (scored["n"], scored["n_missing"], scored["anls"], scored["exact_match"]) == (2, 2, 0.5, 0.5)
    assert (dropped["n"], dropped["n_missing"], dropped["anls"]) == (0, 2, None)


def test_empty_references_are_counted_and_their_insertions_too() -> None:
    frame = pl.DataFrame({"p": ["abc", "", "ab"], "a": ["", "", "abcd"]})
    overall = report(frame, "p", "a").overall
    assert overall["n_empty_reference"] == 2
    assert overall["cer_mean"] == pytest.approx((3 + 0 + 0.5) / 3)
    assert overall["cer_corpus"] == (3 + 0 + 2) / 4


def test_corpus_rate_without_any_reference_text_is_null() -> None:
    overall = report(pl.DataFrame({"p": ["abc", "x"], "a": ["", ""]}), "p", "a").overall
    assert overall["cer_mean"] == 2
    assert [overall[f"cer_corpus{bound}"] for bound in ("", "_low", "_high")] == [None] * 3


def test_null_clusters_are_one_cluster() -> None:
    frame = pl.DataFrame({"p": ["a", "b", "c"], "a": ["a", "x", "c"], "d": [None, None, "d"]})
    assert report(frame, "p", "a", cluster="d").overall["n_clusters"] == 2


def test_cluster_without_scored_rows_is_no_unit() -> None:
    frame = pl.DataFrame({"p": ["a", "b", "c"], "a": ["a", "x", None], "d": ["d", "e", "f"]})
    assert report(frame, "p", "a", cluster="d").overall["n_clusters"] == 2


def test_cluster_in_several_slices_and_cells_is_one_unit_of_each() -> None:
    frame = pl.DataFrame(
        {
            "p": ["a", "x", "a", "x"],
            "a": ["a"] * 4,
            "k": [["t"], ["t", "u"], ["u", "t"], ["u"]],
            "d": [1, 1, 1, 2],
        }
    )
    made = report(frame, "p", "a", by="k", cluster="d")
    assert made.by_group["n_clusters"].to_list() == [1, 2]
    assert made.overall["n_clusters"] == 2
    assert made.by_group["anls_low"][0] is None


def test_slices_by_the_cluster_itself_have_one_unit_each() -> None:
    options = Options(by=("doc",), cluster="doc")
    made = make(options)
    assert set(made.by_group["n_clusters"]) == {1}
    assert made.by_group["anls_low"].null_count() == made.by_group.height
    report_oracle.check_report(made, ROWS, options)
