"""Student's t against closed forms and itself."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
import scipy.special

from anls_frame.statistics import t_quantile, t_two_sided

T = np.array([0.0, *np.geomspace(1e-12, 1e8, 500)])


def relative(actual: npt.NDArray[np.float64], expected: npt.NDArray[np.float64]) -> float:
    """Largest relative error."""
    return float(np.max(np.abs(actual - expected) / np.where(expected == 0, 1.0, np.abs(expected))))


def test_tails_in_closed_form() -> None:
    assert relative(t_two_sided(T, 1), 2 / math.pi * np.arctan2(1, T)) < 1e-13
    root = np.sqrt(2 + T * T)
    assert relative(t_two_sided(T, 2), 2 / (root * (root + T))) < 1e-13
    assert relative(t_two_sided(T[T < 37], math.inf), scipy.special.erfc(T[T < 37] / math.sqrt(2))) < 1e-12


def test_quantiles_in_closed_form() -> None:
    below = 0.5 - np.geomspace(1e-3, 0.4999999, 500)
    assert relative(t_quantile(below, 1), -1 / np.tan(math.pi * below)) < 1e-12
    upward = 4 * below * (1 - below)
    assert relative(t_quantile(below, 2), -2 * (0.5 - below) * np.sqrt(2 / upward)) < 1e-12


DF = np.array([*np.geomspace(1, 1e6, 400), *range(1, 400), math.inf])


@pytest.mark.parametrize("level", [0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 1 - 1e-6, 1 - 1e-9])
def test_quantiles_and_tails_of_scipy(level: float) -> None:
    probability = 0.5 + level / 2
    quantiles = t_quantile(probability, DF)
    assert relative(quantiles, np.asarray(scipy.special.stdtrit(DF, probability))) < 1e-12
    assert relative(t_two_sided(quantiles, DF), 2 * scipy.special.stdtr(DF, -quantiles)) < 1e-12


def test_quantiles_are_symmetric() -> None:
    probability = np.arange(1, 64) / 64
    assert np.array_equal(t_quantile(probability, 3), -t_quantile(1 - probability, 3))


@pytest.mark.parametrize("df", [0.001, 0.02, 0.5, 1, 1.5, 3, 30, 1e4, 1e15, math.inf])
def test_quantiles_have_their_tails(df: float) -> None:
    tails = np.geomspace(1e-300, 0.999, 2_000)
    quantiles = t_quantile(tails / 2, df)
    in_range = np.isfinite(quantiles)
    assert in_range.any()
    assert relative(t_two_sided(quantiles, df)[in_range], tails[in_range]) < 1e-12


@pytest.mark.parametrize(
    ("probability", "df", "expected"),
    [
        (0, 3, -math.inf),
        (1, 3, math.inf),
        (0.5, 3, 0),
        (0.5, math.inf, 0),
        (math.nan, 3, math.nan),
        (-0.1, 3, math.nan),
        (1.1, 3, math.nan),
        (0.9, 0, math.nan),
        (0.9, -1, math.nan),
        (0.9, math.nan, math.nan),
    ],
)
def test_quantiles_at_the_edges(probability: float, df: float, expected: float) -> None:
    assert np.array_equal(t_quantile(probability, df), np.float64(expected), equal_nan=True)


def test_shapes() -> None:
    assert t_quantile(0.9, 5).shape == ()
    assert t_quantile([0.9], [[5], [6]]).shape == (2, 1)
    assert t_quantile([], 5).shape == t_two_sided([], []).shape == (0,)
