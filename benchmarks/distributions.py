"""Distributions of scores with a given mean, and the copula that makes rows of a document alike."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

Array: TypeAlias = npt.NDArray[np.float64]

# Scores: each kind is the quantile function of a distribution with the given mean.


def zero_one(mean: float) -> Callable[[Array], Array]:
    """Right or wrong."""
    return lambda u: (u >= 1 - mean).astype(np.float64)


def anls_like(mean: float) -> Callable[[Array], Array]:
    """Mass at 0 and at 1, the rest in [0.5, 1]: what a cut at 0.5 leaves."""
    between = min(0.15, 0.6 * (1 - mean))
    ones = mean - 0.8 * between
    zeros = 1 - ones - between

    def quantile(u: Array) -> Array:
        inner = 0.5 + 0.5 * np.clip((u - zeros) / between, 0, 1) ** (2 / 3)
        return np.where(u < zeros, 0.0, np.where(u >= 1 - ones, 1.0, inner))

    return quantile


def nls_like(mean: float) -> Callable[[Array], Array]:
    """Mass at 1, the rest spread over [0, 1] around 0.4."""
    ones = (mean - 0.4) / 0.6
    return lambda u: np.where(u >= 1 - ones, 1.0, np.clip(u / (1 - ones), 0, 1) ** 1.5)


KINDS = {"ANLS": anls_like, "0/1": zero_one, "NLS": nls_like}


@functools.cache
def latent_correlation(kind: str, mean: float, icc: float) -> float:
    """Correlation of the normal copula that gives scores of one cluster the intraclass correlation."""
    if icc == 0:
        return 0.0
    quantile = KINDS[kind](mean)
    fine = quantile((np.arange(20_000) + 0.5) / 20_000)
    z = special.ndtri((np.arange(400) + 0.5) / 400)
    low, high = 0.0, 0.999
    for _ in range(25):
        rho = (low + high) / 2
        expected = quantile(special.ndtr(math.sqrt(rho) * z[:, None] + math.sqrt(1 - rho) * z)).mean(axis=1)
        low, high = (rho, high) if expected.var() < icc * fine.var() else (low, rho)
    return rho
