"""Intervals of scores whose mean is far above their spread, against exact fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats

import anls_frame as af

FAR = [9e5, 2e6, 1e8, 1.7e9, 1e12, -1.7e9, -3e-9, -1e-140, 9e139]
"""Means over spreads of 1: byte counts, time stamps; small and huge ones over spreads of a millionth."""


def scores_about(mean: float, n: int, seed: int = 0) -> list[float]:
    spread = abs(mean) / 1e6 if abs(mean) < 1 or abs(mean) > 1e15 else 1.0
    noise = np.random.default_rng(seed).standard_normal(n)
    return [float(mean + spread * one) for one in noise.tolist()]


def interval(scores: Sequence[float], units: Sequence[Any]) -> tuple[float, float]:
    """Mean ± t times the cluster-robust standard error, for units of one size."""
    mean = sum(map(Fraction, scores)) / len(scores)
    residuals: dict[Any, Fraction] = {}
    for score, unit in zip(scores, units, strict=True):
        residuals[unit] = residuals.get(unit, Fraction(0)) + Fraction(score) - mean
    count = len(residuals)
    square = Fraction(count, count - 1) * sum(one**2 for one in residuals.values()) / len(scores) ** 2
    # Scaled, so that the squares of large scores are floats.
    size = 2 ** max(0, int(abs(mean)).bit_length() - 40)
    half = float(scipy.stats.t.ppf(0.975, count - 1)) * float(square / size**2) ** 0.5 * size
    return float(mean - Fraction(half)), float(mean + Fraction(half))


def check(found: Mapping[str, Any], scores: Sequence[float], units: Sequence[Any]) -> None:
    low, high = interval(scores, units)
    # The ends are floats about the mean: of their distance no more is left than that.
    grain = 4 * np.spacing(abs(low))
    assert found["s_high"] - found["s_low"] == pytest.approx(high - low, rel=1e-6, abs=grain)
    assert found["s_low"] == pytest.approx(low, rel=0, abs=grain + 1e-6 * (high - low))


@pytest.mark.parametrize("mean", FAR)
def test_interval_of_rows_is_that_of_exact_sums(mean: float) -> None:
    scores = scores_about(mean, 60)
    check(af.report(pl.DataFrame({"s": scores}), metrics="s").overall, scores, range(60))


@pytest.mark.parametrize("mean", FAR)
def test_interval_of_clusters_is_that_of_exact_sums(mean: float) -> None:
    scores = scores_about(mean, 60)
    documents = [row % 12 for row in range(60)]
    frame = pl.DataFrame({"s": scores, "d": documents})
    check(af.report(frame, metrics="s", cluster="d").overall, scores, documents)


def test_interval_of_slices_and_of_scores_in_several_scales() -> None:
    """65,536 is the first number of another scale."""
    scores = [65_536.0 + one / 1024 for one in range(-30, 30)]
    keys = ["a" if row % 3 else None for row in range(60)]
    report = af.report(pl.DataFrame({"s": scores, "k": keys}), metrics="s", by="k")
    check(report.overall, scores, range(60))
    for row in report.by_group.iter_rows(named=True):
        members = [score for score, key in zip(scores, keys, strict=True) if key == row["k"]]
        check(row, members, range(len(members)))


def test_equal_scores_have_no_spread() -> None:
    for score in (0.1, 1.7e9 + 0.1, -3.3):
        frame = pl.DataFrame(
            {"s": [score] * 50 + [7.0] * 2, "k": ["a"] * 50 + ["b"] * 2, "d": [*range(10)] * 5 + [0, 1]}
        )
        for cluster in (None, "d"):
            found = af.report(frame, metrics="s", by="k", cluster=cluster).by_group.row(0, named=True)
            assert found["s_low"] == found["s"] == found["s_high"]


def test_texts_nearly_all_right() -> None:
    """NLS about 1 - 1e-5, with a spread of a millionth."""
    references = ["x" * (90_000 + 700 * row) for row in range(30)]
    frame = pl.DataFrame({"p": [text[:-1] + "y" for text in references], "a": references})
    scores = [1 - 1 / len(text) for text in references]
    found = af.report(frame.with_columns(s=pl.Series(scores)), "p", "a").overall
    assert found["nls"] == pytest.approx(sum(scores) / 30, rel=1e-14)
    assert found["cer_mean_high"] > found["cer_mean"] > found["cer_mean_low"] > 0


def test_own_error_rates_have_the_interval_of_cer() -> None:
    """Declared as better the lower: on the logarithmic scale, and not below 0."""
    texts = pl.DataFrame(
        {"p": ["ab", "abc", "x", "abcd"] * 6 + ["abcdefghi"], "a": ["ab"] * 25, "d": [*range(5)] * 5}
    )
    scored = texts.with_columns(s=af.cer("p", "a"))
    assert scored["s"].max() > 1  # type: ignore[operator]
    of_texts = af.report(texts, "p", "a", cluster="d").overall
    own = af.report(scored, metrics=af.Metric("s", higher_is_better=False), cluster="d").overall
    for end in ("", "_low", "_high"):
        assert own[f"s{end}"] == pytest.approx(of_texts[f"cer_mean{end}"], rel=1e-12)
    as_scores = af.report(scored, metrics="s", cluster="d").overall
    assert as_scores["s_low"] != pytest.approx(own["s_low"])
