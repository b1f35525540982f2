"""The bins of a summary give ANLS at every threshold k/200, as scoring anew with that threshold does."""

from __future__ import annotations

from typing import Any

import oracle
import polars as pl
import pytest
import report_oracle
from hypothesis import given
from hypothesis import strategies as st

import anls_frame as af
from anls_frame import Summary, merge, summarize

GRID = 200
WITH_CUT = ["anls", "rrc", "anls_star"]

# Every quotient of small numbers, and every step of the grid: where a comparison is decided by the last bit.
LENGTHS = [*range(1, 31), 40, 50, 100, GRID]
FRACTIONS = pl.DataFrame(
    [{"p": "x" * d + "a" * (length - d), "a": "a" * length} for length in LENGTHS for d in range(length + 1)]
)


def kept(bins: pl.DataFrame, step: int, cut: str) -> pl.DataFrame:
    """Bins whose rows the threshold step/200 keeps."""
    at = pl.col("grid_threshold")
    return bins.filter(at <= step if cut == "distance" else at >= step)


def distances_of(frame: pl.DataFrame, protocol: af.ScoreProtocol) -> list[float]:
    """Normalized distance of each row to its nearest answer, in plain Python."""
    rows = [oracle.given(prediction, answers) for prediction, answers in frame.iter_rows()]
    return [min(oracle.normalized_distance(p, a, protocol) for _, p, a in row) for row in rows if row]


def kept_by_definition(distances: list[float], threshold: float, cut: str) -> int:
    if cut == "distance":
        return sum(distance < threshold for distance in distances)
    return sum(1 - distance >= threshold for distance in distances)


def check_grid(summary: Summary, frame: pl.DataFrame, protocol: str, steps: Any = range(GRID + 1)) -> None:
    preset = af.PROTOCOLS[protocol]
    texts = frame.select("p", "a").with_columns(pl.col("p").fill_null(""))
    expressions = [
        af.anls("p", "a", protocol=protocol, threshold=step / GRID).mean().alias(str(step)) for step in steps
    ]
    direct = texts.select(expressions)
    distances = distances_of(texts, preset)
    n = int(summary.report_sums.cells[None]["n"].sum())
    for step in steps:
        bins = kept(summary.report_sums.frames["bins"], step, preset.cut)
        assert bins["n"].sum() == kept_by_definition(distances, step / GRID, preset.cut), step
        expected = direct[str(step)].item()
        if expected is None:
            assert n == 0
        else:
            assert bins["nls_units"].sum() / 2**53 / n == pytest.approx(expected, rel=1e-12, abs=1e-15), step


@pytest.mark.parametrize("protocol", WITH_CUT)
def test_bins_give_every_threshold_for_every_quotient(protocol: str) -> None:
    summary = summarize(FRACTIONS, "p", "a", protocol=protocol)
    check_grid(summary, FRACTIONS, protocol)
    assert summary.report_sums.frames["bins"]["n"].sum() == FRACTIONS.height
    assert set(summary.report_sums.frames["bins"]["grid_threshold"].drop_nulls()) <= set(range(GRID + 1))


@report_oracle.FEWER
@given(rows=report_oracle.rows_of(), protocol=st.sampled_from(WITH_CUT), data=st.data())
def test_bins_give_every_threshold_for_any_rows(
    rows: list[dict[str, Any]], protocol: str, data: st.DataObject
) -> None:
    frame = pl.DataFrame(
        [{"p": row["prediction"], "a": row["answers"], "k": row["types"]} for row in rows],
        schema={"p": pl.String, "a": pl.List(pl.String), "k": pl.List(pl.String)},
    )
    steps = data.draw(st.lists(st.integers(0, GRID), min_size=1, max_size=5, unique=True))
    cut = data.draw(st.integers(0, len(rows)))
    parts = [summarize(part, "p", "a", by="k", protocol=protocol) for part in (frame[:cut], frame[cut:])]
    check_grid(merge(parts), frame, protocol, steps)


def test_bins_do_not_depend_on_the_threshold_or_on_clusters() -> None:
    frame = FRACTIONS.with_row_index("doc")
    plain = summarize(frame, "p", "a").report_sums.frames["bins"].sort("grid_threshold")
    low, high = (af.PROTOCOLS["anls"].replace(threshold=threshold) for threshold in (0.0, 0.9))
    for options in ({"protocol": low}, {"protocol": high}, {"cluster": "doc"}):
        other = summarize(frame, "p", "a", **options).report_sums.frames["bins"].sort("grid_threshold")
        assert other["n"].equals(plain["n"])
        assert other["grid_threshold"].equals(plain["grid_threshold"])


def test_rows_that_no_threshold_keeps_are_counted_under_none() -> None:
    frame = pl.DataFrame({"p": ["a", "a", "x"], "a": ["a", "b", "y"]})
    distance, similarity = (
        summarize(frame, "p", "a", protocol=name).report_sums.frames["bins"] for name in ("anls", "rrc")
    )
    # A distance of 1 is below no threshold; a similarity of 0 is at least 0.
    assert dict(distance.select("grid_threshold", "n").iter_rows()) == {1: 1, None: 2}
    assert dict(similarity.select("grid_threshold", "n").iter_rows()) == {GRID: 1, 0: 2}


def test_bins_leave_out_what_is_not_scored() -> None:
    frame = pl.DataFrame({"p": ["a", None, "x"], "a": ["a", "b", None]})
    assert summarize(frame, "p", "a").report_sums.frames["bins"]["n"].sum() == 2
    assert summarize(frame, "p", "a", missing="drop").report_sums.frames["bins"]["n"].sum() == 1
    assert summarize(frame.clear(), "p", "a").report_sums.frames["bins"].is_empty()


def test_existing_scores_have_no_bins() -> None:
    assert summarize(pl.DataFrame({"s": [0.5]}), metrics="s").report_sums.of("bins") == {}
