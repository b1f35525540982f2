"""What a comparison is asked for, what it refuses, and when it calls a regression."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from campaign import amount

import anls_frame as af
from anls_frame.exceptions import ColumnNotFoundError, DTypeError
from anls_frame.reports.comparisons import Comparison, compare

BOUNDS = ["difference_low", "difference_high"]
COLUMNS = [
    *("metric", "baseline", "system", "n", "score", "score_low", "score_high", "baseline_score"),
    *("difference", *BOUNDS, "p_value", "p_adjusted", "wins", "ties", "losses", "few_rows", "n_clusters"),
]
FRAME = pl.DataFrame(
    {
        "a": ["ab", "x", None, "cd", ""],
        "b": ["ab", "ab", "ab", None, "x"],
        "t": [["ab"], ["ab"], ["ab"], [], [""]],
        "k": [["s"], ["s", "r"], ["r", "r"], [], None],
        "d": [1, 1, 2, 2, None],
    }
)
SYSTEMS = {"old": "a", "new": "b"}


@functools.cache
def usual(cluster: str | None) -> pl.DataFrame:
    """Return the comparison of these systems by `k`."""
    return compare(FRAME, SYSTEMS, "t", by="k", cluster=cluster).to_polars()


def test_slices_are_sorted_by_size_and_key_with_null_last() -> None:
    frame = pl.DataFrame({"a": ["x"] * 7, "t": ["x"] * 7, "k": ["d", "d", None, None, "c", "b", "b"]})
    made = compare(frame, {"old": "a", "new": "a"}, "t", by="k")
    assert made.by_group["k"].to_list() == ["b", "d", None, "c"]


@pytest.mark.parametrize(
    "column", [[0.5, None, 1.0], [1, None, 0], [True, None, False], [None, None, None]], ids=str
)
def test_existing_scores_are_compared_as_they_are(column: list[Any]) -> None:
    frame = pl.DataFrame({"x": column, "y": [0.25, 1.0, 1.0]})
    made = compare(frame, {"x": "x", "y": "y"}, None, metrics="nls")
    differences = [1.0 * y - x for x, y in frame.iter_rows() if x is not None]
    assert made.overall["n"].item() == len(differences)
    assert made.settings["n_dropped"] == 3 - len(differences)
    assert made.settings["n_missing"] == {"x": 3 - len(differences), "y": 0}
    assert made.settings["rows"] == 3
    assert made.settings["missing"] == "drop"
    expected = sum(differences) / len(differences) if differences else None
    assert made.overall["difference"].item() == expected


@pytest.mark.parametrize(
    "systems",
    [{}, {"old": "a"}, ["a"], ["a", 1], {"old": 1, "new": 2}, {1: "a", 2: "b"},
     {"old": None, "new": "b"}, "ab", None, {"old": ["a"], "new": "b"}],
    ids=str,
)  # fmt: skip
def test_systems_are_two_names_with_their_columns(systems: Any) -> None:
    with pytest.raises(ValueError, match="systems must name two or more prediction columns"):
        compare(FRAME, systems, "t")


def test_systems_without_answers_are_told_to_pass_them() -> None:
    advice = "column 'a' must hold numbers, .*; if it holds predictions, pass the column of their answers too"
    with pytest.raises(af.DTypeError, match=advice):
        compare(FRAME, SYSTEMS)


@pytest.mark.parametrize("name", [*amount(COLUMNS[::3], COLUMNS), "slice", "k"])
def test_systems_may_be_named_as_columns_of_the_result(name: str) -> None:
    made = compare(FRAME, {"old": "a", name: "b"}, "t", by="k")
    assert made.to_polars().equals(usual(None).with_columns(system=pl.lit(name)))
    heading = repr(made).splitlines()[2]
    assert re.search(rf"┆ +{name}( \(2\))? +┆", heading)


@pytest.mark.parametrize("name", [*COLUMNS, "slice"])
def test_slices_named_as_columns_of_the_result_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"columns \['{name}'\] would collide"):
        compare(FRAME.rename({"k": name}), SYSTEMS, "t", by=name)


NAMES = ["first", "second", "unit", "cluster", "key_0", "key_1", "x", "p", "p (adjusted)", "values",
         "missing", "^k$", "^.*$", "*", "", "first_sum", "{{x}}", "old "]  # fmt: skip


@pytest.mark.parametrize("name", amount(NAMES[::2], NAMES))
def test_any_other_name_will_do(name: str) -> None:
    expected, renamed = usual("d"), FRAME.rename({"k": name})
    found = compare(renamed, SYSTEMS, "t", by=name, cluster="d")
    assert found.to_polars().equals(expected.rename({"k": name}))
    named = compare(FRAME, {name: "a", "new": "b"}, "t", by="k", cluster="d")
    assert named.to_polars().equals(expected.with_columns(baseline=pl.lit(name)))
    for made in (found, named):
        assert "+" in repr(made)
        assert made._repr_html_()
        assert made.to_pandas().shape == expected.shape
    columns = compare(FRAME.rename({"a": name}), {"old": name, "new": "b"}, "t", by="k", cluster="d")
    assert columns.to_polars().equals(expected)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"metrics": "wer"},
            ValueError,
            "metrics must be one of 'qa', 'ocr', 'speech', 'fields', 'anls', 'nls', 'exact_match', 'zeros', ",
        ),
        ({"metrics": "zeros"}, ValueError, "'zeros' is not; pass 'anls'"),
        ({"metrics": af.Metric("d")}, ValueError, "metric 'd' is one column, but systems are compared"),
        ({"metrics": pl.col("d")}, ValueError, "metric 'd' is one column, but systems are compared"),
        (
            {"metrics": af.Metric({"old": "d", "newer": "d"}, name="m")},
            ValueError,
            r"metric 'm' must have a column for each of \['old', 'new'\]",
        ),
        ({"draws": 0}, ValueError, "draws must be an integer from 1 to 10,000,000, got 0"),
        ({"draws": 10**7 + 1}, ValueError, "draws must be an integer from 1 to 10,000,000, got 10000001"),
        ({"seed": -1}, ValueError, "seed must be an integer of at least 0, got -1"),
        ({"confidence": 1}, ValueError, r"confidence must be a number in \(0, 1\)"),
        ({"confidence": float("nan")}, ValueError, r"confidence must be a number in \(0, 1\)"),
        ({"by": "kk"}, ColumnNotFoundError, "no column 'kk'"),
        ({"systems": {"old": "aa", "new": "b"}}, ColumnNotFoundError, "no column 'aa'"),
        ({"systems": {"old": "a", "new": "d"}}, DTypeError, "column 'd'"),
        ({"answers": "d"}, DTypeError, "column 'd'"),
    ],
    ids=lambda value: re.sub(r" at 0x\w+", "", str(value)),  # of an expression
)
def test_arguments_outside_their_choices_are_refused_at_once(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    def compute(texts: pl.Series) -> pl.Series:
        raise AssertionError(f"{len(texts)} rows were computed")

    never_computed = FRAME.lazy().with_columns(pl.col("a").map_batches(compute, return_dtype=pl.String))
    with pytest.raises(error, match=message):
        compare(never_computed, **{"systems": SYSTEMS, "answers": "t", **options})


@pytest.mark.parametrize(
    "scored",
    [
        lambda frame, own: af.report(frame, metrics=own),
        lambda frame, own: af.summarize(frame, metrics=own),
        lambda frame, own: af.worst(frame, "a", "t", metrics=own),
        lambda frame, own: af.find_slices(frame, None, None, ["k"], metrics=own),
        lambda frame, own: af.selective(frame, None, None, "d", metrics=own),
        lambda frame, own: af.repeats.mean_over_epochs(frame, id="k", metrics=own),
    ],
    ids=["report", "summarize", "worst", "find_slices", "selective", "mean_over_epochs"],
)
def test_scores_of_several_systems_are_refused_for_one(scored: Any) -> None:
    own = af.Metric({"old": "d", "new": "d"}, name="m")
    with pytest.raises(ValueError, match=r"metric 'm' is that of the systems \['old', 'new'\]; for one"):
        scored(FRAME, own)


def test_options_reach_the_scores() -> None:
    frame = pl.DataFrame({"a": ["abcd", "ABC"], "b": ["abxx", "abc"], "t": ["abce", "abc"]})
    defaults = compare(frame, SYSTEMS, "t").overall["baseline_score"].item()
    rrc = af.PROTOCOLS["rrc"].replace(threshold=0.9)
    folded = af.PROTOCOLS["anls"].replace(errors="anls")
    assert compare(frame, SYSTEMS, "t", protocol=rrc).overall["baseline_score"].item() == 0.5
    assert defaults == pytest.approx(0.875)
    assert compare(frame, SYSTEMS, "t", metrics="cer_mean").overall["baseline_score"].item() > 0.5
    of_folded = compare(frame, SYSTEMS, "t", metrics="cer_mean", protocol=folded).overall
    assert of_folded["baseline_score"].item() == 0.125


def test_settings_and_signature_say_what_was_compared() -> None:
    made = compare(FRAME, SYSTEMS, "t", by="k", cluster="d", metrics="nls", seed=7, draws=99, confidence=0.9)
    settings = made.settings
    assert settings["systems"] == SYSTEMS
    assert (settings["metric"], settings["seed"], settings["draws"], settings["confidence"]) == (
        "nls",
        7,
        99,
        0.9,
    )
    assert (settings["by"], settings["cluster"], settings["version"]) == (["k"], "d", af.__version__)
    assert set(settings["digests"]) == {"old", "new"}
    for mapping in (settings, settings["systems"], made.systems):
        mapping.clear()
    assert made.settings["systems"] == made.systems == SYSTEMS  # each caller gets a dictionary of its own
    assert json.loads(json.dumps(settings)) == settings
    assert made.signature.startswith("nls:new-old|anls|protocol:anls|")
    assert "cluster:d" in made.signature


def difference_of(
    rows: int, step: float, *, by: list[Any] | None = None, metrics: Any = "anls"
) -> Comparison:
    """Compare scores of which every row differs by a step, and two rows by a little more."""
    values = [step + (0.001 if n < 2 else 0.0) for n in range(rows)]
    frame = pl.DataFrame(
        {"a": [0.5] * rows, "b": [0.5 + value for value in values], "k": by or [None] * rows}
    )
    return compare(frame, {"old": "a", "new": "b"}, None, by=None if by is None else "k", metrics=metrics)


@pytest.mark.parametrize(
    ("metric", "rows", "step", "arguments", "is_regression"),
    [
        ("anls", 30, -0.1, {}, True),
        ("anls", 30, 0.1, {}, False),
        ("anls", 30, -0.005, {}, False),
        ("anls", 30, -0.005, {"drop": 0.001}, True),
        ("anls", 30, -0.1, {"drop": 0.2}, False),
        ("anls", 3, -0.1, {}, False),
        ("anls", 3, -0.1, {"alpha": 0.5}, True),
        ("anls", 30, -0.1, {"alpha": 0.0}, False),
        ("nls", 30, -0.1, {}, True),
        ("exact_match", 30, -0.1, {}, True),
        ("cer", 30, 0.1, {}, True),
        ("cer", 30, -0.1, {}, False),
        ("cer", 30, 0.005, {}, False),
        ("cer", 3, 0.1, {}, False),
    ],
)
def test_regression_is_a_loss_that_is_large_and_no_chance(
    metric: str, rows: int, step: float, arguments: dict[str, float], *, is_regression: bool
) -> None:
    assert difference_of(rows, step, metrics=metric).regressed(**arguments) is is_regression


@pytest.mark.parametrize("others", [1, 40])
def test_regression_of_one_slice_counts_whatever_slices_of_few_rows_there_are(others: int) -> None:
    # Eight equal losses are two of 256 combinations: p = 0.0078. Slices of two rows cannot show anything, and
    # Holm's adjustment by 41 slices would let the loss pass.
    rows = [(-0.1, "bad")] * 8 + [(0.2, f"good {n}") for n in range(others) for _ in range(2)]
    frame = pl.DataFrame([(0.5, 0.5 + step, key) for step, key in rows], schema=["a", "b", "k"], orient="row")
    made = compare(frame, {"old": "a", "new": "b"}, None, by="k")
    bad = made.by_group.row(by_predicate=pl.col("k") == "bad", named=True)
    assert bad["p_value"] == 2 / 256
    assert bad["p_adjusted"] == pytest.approx(2 / 256, abs=0.003)
    assert made.regressed()


THREE = pl.DataFrame(
    {
        "a": ["ab", None, None, None, "x", "ab"],
        "b": ["ab", None, "ab", None, "x", "ab"],
        "c": ["ab", "ab", "ab", None, "x", "ab"],
        "t": [["ab"], ["ab"], ["ab"], None, [""], ["x"]],
        "k": [1, 1, 2, 2, 3, 3],
    }
)
"""Of the fourth row, which has no answer, no prediction is missing."""


@pytest.mark.parametrize("systems", [["a", "b"], ["a", "b", "c"]], ids=len)
@pytest.mark.parametrize("cluster", [None, "k"])
@pytest.mark.parametrize("missing", ["empty", "drop"])
def test_missing_predictions_are_counted_for_each_system(
    systems: list[str], cluster: str | None, missing: Any, tmp_path: Path
) -> None:
    parts = [
        af.summarize(rows, systems, "t", cluster=cluster, missing=missing) for rows in (THREE[:2], THREE[2:])
    ]
    af.merge(parts).save(tmp_path / "summary.parquet")
    merged = af.Comparison.from_summary(af.Summary.load(tmp_path / "summary.parquet"))
    expected = dict(zip("abc", (2, 1, 0), strict=True))
    for made in (compare(THREE, systems, "t", cluster=cluster, missing=missing), merged):
        assert made.settings["n_missing"] == {name: expected[name] for name in systems}
        for name in systems:
            assert af.report(THREE, name, "t").overall["n_missing"] == expected[name]
        assert made.settings["n_dropped"] == (2 if missing == "drop" else 0)
        assert f"{3 if missing == 'drop' else 5} of 6 rows were used; 1 has no accepted answer" in repr(made)
        note = "missing predictions are scored as the empty text (2 of a, 1 of b)."
        if missing == "drop":
            note = "2 have no prediction of a system (2 of a, 1 of b) and were left out"
        assert note in repr(made)
        for suffix in (".md", ".html", ".json"):
            made.write(tmp_path / f"out{suffix}")
            assert note in (tmp_path / f"out{suffix}").read_text(encoding="utf-8")


def test_many_systems_with_missing_predictions_are_named_in_part() -> None:
    systems = {f"s{place:02}": [None] * place + ["a"] * (40 - place) for place in range(20)}
    made = compare(pl.DataFrame({**systems, "t": ["a"] * 40}), list(systems), "t")
    assert made.settings["n_missing"] == {name: place for place, name in enumerate(systems)}
    note = next(line for line in repr(made).splitlines() if "missing" in line)
    named = ", ".join(f"{place} of s{place:02}" for place in range(19, 16, -1))
    assert note.endswith(f"scored as the empty text ({named}, 136 of 16 more systems).")
    made = compare(pl.DataFrame({**systems, "t": ["a"] * 40}), list(systems)[:5], "t")
    assert "(4 of s04, 3 of s03, 2 of s02, 1 of s01)" in repr(made)


@pytest.mark.parametrize("cluster", [None, "doc"])
@pytest.mark.parametrize("name", ["ratio", "word_errors"])
def test_rows_without_a_denominator_count_nowhere(name: str, cluster: str | None) -> None:
    frame = pl.DataFrame(
        {
            "text": ["a", "b", "c", "d", "e"],
            "x": [1, 9, 0, 2, 3],
            "size of x": [2, None, 1, 0, 4],
            "y": [2, 9, 9, 1, 3],
            "size of y": [2, 1, None, 1, 4],
            "doc": [1, 1, 2, 2, 3],
        }
    )
    alone = af.Metric("x", denominator="size of x", name=name)
    report = af.report(frame, "text", "text", metrics=alone, cluster=cluster, worst=9, keep=["doc"])
    assert (report.overall[f"{name}_n"], report.overall[name]) == (4, 6 / 7)
    assert sorted(report.worst_rows[name].to_list()) == [0, 0.5, 0.75, 2]
    assert "b" not in af.worst(frame, "text", "text", 9, metrics=alone)["text"].to_list()
    sizes = {"x": "size of x", "y": "size of y"}
    both = af.Metric({"x": "x", "y": "y"}, denominator=sizes, name=name)
    compared = af.compare(frame, ["x", "y"], metrics=both, cluster=cluster).overall.row(0, named=True)
    assert (compared["n"], compared["baseline_score"], compared["score"]) == (3, 1, 6 / 7)
    # 1/2 becomes 1, 2 becomes 1, and 3/4 stays.
    assert [compared[column] for column in ("wins", "ties", "losses")] == [1, 1, 1]
    for kind in ("better", "worse"):
        assert af.changes(frame, ["x", "y"], None, metrics=both, kind=kind).height == 1
