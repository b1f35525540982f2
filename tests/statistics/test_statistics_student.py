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
    # Below, where p is above 0.99999, scipy 1.17 keeps nine digits of it.
    t = T[T > 1e-5]
    assert relative(t_two_sided(t, 1), 2 / math.pi * np.arctan2(1, t)) < 1e-11
    root = np.sqrt(2 + T * T)
    assert relative(t_two_sided(T, 2), 2 / (root * (root + T))) < 1e-13
    assert relative(t_two_sided(T[T < 37], math.inf), scipy.special.erfc(T[T < 37] / math.sqrt(2))) < 1e-12


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
