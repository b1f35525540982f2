"""Comparisons of several systems and in several metrics, against reports and comparisons of two."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
import report_oracle
from polars.testing import assert_frame_equal, assert_series_equal

import anls_frame as af
from anls_frame import statistics
from anls_frame.reports.comparisons import Comparison, compare

SYSTEMS = ["a", "b", "c", "d"]
METRICS = ["anls", "exact_match", "cer_mean", "cer_corpus"]


def drawn(rows: int = 240, seed: int = 0) -> pl.DataFrame:
    """Predictions of four systems, the last of which is a copy of the first, with nulls and lists."""
    dice = np.random.default_rng(seed)
    words = np.array(["total", "totale", "12 EUR", "12 EU", "Jackson", "jackson", "", "yes", "no"])
    answers = words[dice.integers(0, 9, rows)]
    table: dict[str, Any] = {
        "answer": [None if dice.random() < 0.05 else [text, "other"] for text in answers],
        "k": [["s", "t"][: dice.integers(0, 3)] for _ in range(rows)],
        "lang": dice.choice(["de", "en", "fr"], rows),
        "doc": [None if one == 0 else int(one) for one in dice.integers(0, 25, rows)],
    }
    for place, system in enumerate(SYSTEMS[:3]):
        wrong = dice.random(rows) < 0.2 + 0.15 * place
        texts = np.where(wrong, words[dice.integers(0, 9, rows)], answers)
        table[system] = [None if dice.random() < 0.03 else str(text) for text in texts]
    table["d"] = table["a"]
    return pl.DataFrame(table)


FRAME = drawn()


@pytest.mark.parametrize("missing", ["empty", "drop"])
@pytest.mark.parametrize("cluster", [None, "doc"])
@pytest.mark.parametrize("by", [None, "k", ["k", "lang"], [["k"], ["lang"]]], ids=str)
def test_scores_are_those_of_reports_of_each_system(by: Any, cluster: str | None, missing: Any) -> None:
    comparison = compare(
        FRAME, SYSTEMS, "answer", by=by, cluster=cluster, metrics=METRICS, missing=missing, draws=99
    )
    made, differences = comparison.ranking, comparison.to_polars()
    common = FRAME
    if missing == "drop":
        common = FRAME.drop_nulls(SYSTEMS)
    for system in SYSTEMS:
        of_system = af.report(
            common, system, "answer", by=by, cluster=cluster, metrics=METRICS, missing=missing
        ).to_polars()
        keys = [name for name in ("slice", "table", "k", "lang") if name in of_system.columns]
        for metric in METRICS:
            ranked = made.filter((pl.col("system") == system) & (pl.col("metric") == metric))
            ends = {metric: "score", f"{metric}_low": "score_low", f"{metric}_high": "score_high"}
            expected = of_system.select(*keys, "n", *ends).rename(ends).sort(keys)
            assert_frame_equal(ranked.select(expected.columns).sort(keys), expected, rel_tol=1e-9)
            assert_series_equal(ranked.sort(keys)["score"], expected["score"], rel_tol=1e-12)
            if system != SYSTEMS[0]:
                changed = differences.filter(system=system, metric=metric)
                assert_frame_equal(changed.select(expected.columns).sort(keys), expected, rel_tol=1e-9)


def test_five_documents_never_show_which_of_several_systems_is_better() -> None:
    frame = FRAME.filter(pl.col("doc") < 5)
    made = compare(frame, SYSTEMS, "answer", cluster="doc")
    assert made.differences()["p_adjusted"].to_list() == [1] * 6
    assert made.ranking["rank_high"].to_list() == [4] * 4


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_two_systems_in_several_metrics_have_the_figures_of_each(cluster: str | None) -> None:
    pair = {"a": "a", "b": "b"}
    made = compare(FRAME, pair, "answer", by="lang", cluster=cluster, metrics=METRICS)
    for metric in METRICS:
        alone = compare(FRAME, pair, "answer", by="lang", cluster=cluster, metrics=metric).to_polars()
        row = made.differences().filter(pl.col("metric") == metric).sort("slice", "lang")
        expected = alone.sort("slice", "lang")
        columns = [name for name in expected.columns if name != "p_adjusted"]
        assert_frame_equal(row.select(columns), expected.select(columns))
        groups, of_one = (table.filter(pl.col("slice") == "group")["p_adjusted"] for table in (row, expected))
        # The family has four times as many members.
        assert (groups >= of_one - 0.02).all()
        assert (row["p_adjusted"] >= row["p_value"]).all()


@pytest.mark.parametrize(("count", "cluster"), [(2, None), (4, "doc")])
def test_merged_parts_are_the_whole(cluster: str | None, count: int, tmp_path: Any) -> None:
    systems = SYSTEMS[:count]
    options: dict[str, Any] = {
        "by": [["k"], ["lang"]],
        "cluster": cluster,
        "metrics": METRICS,
        "details": True,
    }
    whole = Comparison.from_summary(af.summarize(FRAME, systems, "answer", **options), draws=300)
    parts = []
    for place, start in enumerate((200, 0, 97)):
        end = {0: 97, 97: 200, 200: 240}[start]
        part = af.summarize(FRAME[start:end], systems, "answer", **options)
        part.save(tmp_path / f"{place}.parquet")
        parts.append(af.Summary.load(tmp_path / f"{place}.parquet"))
    merged = Comparison.from_summary(af.merge(parts), draws=300)
    for one, other in (
        (whole.ranking, merged.ranking),
        (whole.differences(), merged.differences()),
        (whole.to_polars(), merged.to_polars()),
        (whole.transitions, merged.transitions),
    ):
        report_oracle.check_close(one, other)
    assert whole.settings["digests"] == merged.settings["digests"]


def test_baseline_turns_signs_and_order() -> None:
    made = compare(FRAME, ["c", "a", "b", "d"], "answer", cluster="doc")
    assert made.overall["baseline"].to_list() == ["c"] * 3
    assert made.overall["system"].to_list() == ["a", "b", "d"]
    plain = compare(FRAME, SYSTEMS, "answer", cluster="doc").differences("c")
    assert_frame_equal(plain.drop("slice"), made.overall)
    turned = compare(FRAME, ["c", "a"], "answer").overall
    straight = compare(FRAME, ["a", "c"], "answer").overall
    assert turned["difference"].item() == -straight["difference"].item()
    assert turned.select("wins", "losses").row(0) == straight.select("losses", "wins").row(0)
    with pytest.raises(ValueError, match="baseline must be one of the systems"):
        made.differences("x")


def test_simultaneous_intervals_are_those_of_a_higher_level() -> None:
    made = compare(FRAME, SYSTEMS, "answer", by="lang", cluster="doc").differences(simultaneous=True)
    groups = made.filter(pl.col("slice") == "group")
    level = 0.05 / groups.height
    stricter = compare(FRAME, SYSTEMS, "answer", by="lang", cluster="doc", confidence=1 - level)
    expected = stricter.differences().filter(pl.col("slice") == "group")
    assert groups["simultaneous_low"].to_list() == pytest.approx(expected["difference_low"].to_list())
    assert (groups["simultaneous_low"] <= groups["difference_low"]).all()
    assert (groups["simultaneous_high"] >= groups["difference_high"]).all()


def long_frame() -> pl.DataFrame:
    wide = FRAME.with_row_index("id").drop_nulls("answer")
    return wide.unpivot(
        SYSTEMS, index=["id", "answer", "lang", "doc"], variable_name="model", value_name="output"
    ).sample(fraction=1, shuffle=True, seed=1)


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas"])
def test_long_frames_are_the_wide_ones(kind: str) -> None:
    long: Any = long_frame()
    long = {"polars": long, "lazy": long.lazy(), "pandas": long.to_pandas() if kind == "pandas" else None}[
        kind
    ]
    order = ["a", "d", "b", "c"]
    columns = af.side_by_side(long, "output", "answer", system="model", id="id", systems=order)
    made = compare(columns, by="lang", metrics=["anls", "cer_corpus"])
    assert list(made.systems) == order
    wide = compare(FRAME.drop_nulls("answer"), order, "answer", by="lang", metrics=["anls", "cer_corpus"])
    differences: Any = made.differences()
    assert type(differences).__module__.split(".")[0] == ("pandas" if kind == "pandas" else "polars")
    assert_frame_equal(pl.DataFrame(differences), pl.DataFrame(wide.differences()), check_dtypes=False)


def test_long_frames_name_the_questions_that_a_system_lacks() -> None:
    options: dict[str, Any] = {"system": "model", "id": "id"}
    long = long_frame()
    lacking = long.filter(~((pl.col("model") == "b") & pl.col("id").is_in([1, 3])))
    with pytest.raises(ValueError, match=r"'b' lacks 2 questions \(id\): (1, 3|3, 1)"):
        af.side_by_side(lacking, "output", "answer", **options)
    twice = pl.concat([long, long.head(1)])
    with pytest.raises(ValueError, match="each system must have one row for a question"):
        af.side_by_side(twice, "output", "answer", **options)
    other = long.with_columns(
        answer=pl.when((pl.col("model") == "c") & (pl.col("id") == 5)).then(pl.lit(["x"])).otherwise("answer")
    )
    with pytest.raises(ValueError, match=r"different accepted answers for 1 question \(id\): 5"):
        af.side_by_side(other, "output", "answer", **options)
    with pytest.raises(ValueError, match=r"systems must be among \['\w', .*\], got \['e'\]"):
        af.side_by_side(long, "output", "answer", systems=["a", "e"], **options)
    with pytest.raises(ValueError, match=r"systems must be among \['\w', .*\], got \[\]"):
        af.side_by_side(long, "output", "answer", systems=[], **options)
    with pytest.raises(ValueError, match=r"id must name at least one column, got \[\]"):
        af.side_by_side(long, "output", "answer", system="model", id=[])
    with pytest.raises(ValueError, match="name the column of predictions or, of scores, metrics"):
        af.side_by_side(long, **options)
    wide = af.side_by_side(long, "output", "answer", **options)
    with pytest.raises(ValueError, match="side_by_side has named systems and answers, so leave them out"):
        compare(wide, ["a", "b"], "answer")


def test_transitions_count_error_types_against_the_first_system() -> None:
    made = compare(FRAME, SYSTEMS, "answer", by="lang", details=True).transitions
    kinds = FRAME.with_columns(
        old=af.error_type("a", "answer").cast(pl.String), new=af.error_type("b", "answer").cast(pl.String)
    ).drop_nulls("old")
    expected = kinds.group_by("lang", "old", "new").len().sort("lang", "old", "new")
    found = made.filter(pl.col("system") == "b").with_columns(
        pl.col("baseline_error_type", "error_type").cast(str)
    )
    counted = found.select("lang", old="baseline_error_type", new="error_type", len="n")
    assert_frame_equal(
        counted.sort("lang", "old", "new"), expected, check_dtypes=False, check_column_order=False
    )
    dropped = compare(FRAME, SYSTEMS, "answer", missing="drop", details=True)
    complete = compare(FRAME.drop_nulls(SYSTEMS), SYSTEMS, "answer", details=True)
    assert_frame_equal(dropped.transitions, complete.transitions)
    without = compare(FRAME, SYSTEMS, "answer")
    assert not hasattr(without, "transitions")
    with pytest.raises(AttributeError) as raised:
        _ = without.transitions
    # Python adds names of other attributes to the message that users see.
    assert traceback.format_exception_only(raised.value)[-1].endswith("pass details=True\n")


def test_ranks_of_two_agree_with_their_statistics() -> None:
    made = compare(FRAME, ["a", "c"], "answer", cluster="doc")
    assert made.overall["p_value"].item() < 0.05
    assert made.ranking.select("system", "rank", "rank_low", "rank_high").rows() == [
        ("a", 1, 1, 1),
        ("c", 2, 2, 2),
    ]
    same = compare(FRAME, ["a", "d"], "answer", cluster="doc").ranking
    assert same.select("rank", "rank_low", "rank_high").rows() == [(1, 1, 2), (1, 1, 2)]
    assert statistics.sign_flip([0.0, 0.0]) == 1


@pytest.mark.parametrize("cluster", [None, "doc"])
@pytest.mark.parametrize("metrics", ["anls", METRICS], ids=str)
@pytest.mark.parametrize("systems", [SYSTEMS, SYSTEMS[:2]], ids=str)
def test_without_rows_to_score_there_are_no_figures(
    systems: list[str], cluster: str | None, metrics: Any
) -> None:
    for frame in (FRAME.head(0), FRAME.with_columns(answer=pl.lit(None, pl.List(pl.String)))):
        made = compare(frame, systems, "answer", by="lang", cluster=cluster, metrics=metrics)
        figures = made.ranking.drop("n_clusters")
        assert set(figures["slice"]) == {"overall"}
        assert figures["n"].unique().to_list() == [0]
        assert (
            figures.select("score", "score_low", "score_high", "rank", "rank_low").null_count().row(0)
            == (figures.height,) * 5
        )
        pairs = made.differences()
        assert pairs.select("difference", "p_value").null_count().row(0) == (pairs.height,) * 2
        assert not made.regressed()
        assert repr(made)


@pytest.mark.parametrize(("count", "metrics"), [(2, "anls"), (4, METRICS)], ids=str)
def test_folded_parts_with_common_clusters_are_the_folded_whole(count: int, metrics: Any) -> None:
    systems = SYSTEMS[:count]
    options: dict[str, Any] = {"by": "lang", "cluster": "doc", "metrics": metrics}
    whole = af.summarize(FRAME, systems, "answer", **options)
    parts = [af.summarize(half, systems, "answer", **options) for half in (FRAME[:100], FRAME[100:])]
    merged = af.merge([part.fold_clusters() for part in parts])
    merged = af.Summary.from_bytes(merged.to_bytes())
    one, other = (Comparison.from_summary(each, draws=300) for each in (whole.fold_clusters(), merged))
    report_oracle.check_close(one.ranking, other.ranking)
    report_oracle.check_close(one.differences(), other.differences())
    # 26 documents hardly share any of the 4,096 groups.
    plain = Comparison.from_summary(whole, draws=300)
    figures = ["n", "score", "baseline_score", "difference", "wins", "ties", "losses"]
    report_oracle.check_close(plain.differences().select(figures), one.differences().select(figures))
    assert (plain.ranking["n_clusters"] - one.ranking["n_clusters"]).max() <= 1
    with pytest.raises(ValueError, match="the clusters of some summaries are folded"):
        af.merge([parts[0].fold_clusters(), parts[1]])
    with pytest.raises(ValueError, match="there are no clusters to fold"):
        af.summarize(FRAME, systems, "answer").fold_clusters()


def test_what_is_no_comparison_is_refused_with_the_way_to_one() -> None:
    one = af.summarize(FRAME, "a", "answer", part="1")
    several = af.summarize(FRAME, ["a", "b"], "answer", by="lang", part="1")
    others = af.summarize(FRAME, ["a", "c"], "answer", by="lang", part="2")
    scores = pl.DataFrame({"a": [0.5], "b": [1.0]})
    nameless = long_frame().with_columns(pl.col("model").replace("b", None))
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: Comparison.from_summary(one), "summary of one system, a: use Report.from_summary, or pass"),
        (lambda: af.Report.from_summary(several), "one system, not a, b: compare them with `compare`"),
        (
            lambda: af.merge([several, others]),
            r"cannot be merged: systems \(\['a', 'b'\] and \['a', 'c'\]\)$",
        ),
        (lambda: af.merge([one, several]), r"cannot be merged: systems \(\['a'\] and \['a', 'b'\]\), by"),
        (lambda: af.summarize(FRAME, ["a", "b"], "answer", worst=3), "are for the summary of one system"),
        (lambda: af.summarize(FRAME, ["a", "b"], "answer", keep="lang"), "are for the summary of one system"),
        (lambda: compare(FRAME, ["a", "a"], "answer"), "systems must have different names"),
        (lambda: compare(scores, ["a", "b"], None, metrics=["f1"]), "must be a name for the scores or a Me"),
        (
            lambda: af.side_by_side(nameless, "output", "answer", system="model", id="id"),
            r"the frame has 2\d\d rows without an id in",
        ),
        (lambda: af.Metric(pl.col("a", "b")), "must be one column, got an expression of several"),
        (lambda: af.Metric.of_texts("ratio"), "must be a function of two texts, got 'ratio'"),  # type: ignore[arg-type]
    ]
    for call, message in calls:
        with pytest.raises((TypeError, ValueError), match=message):
            call()
    assert repr(several).startswith("<Summary of a, b on 240 rows by lang: 1 part, ")
