"""
The design effect: how much more a mean varies than if its rows were independent.

Rows of a document are similar, so a mean of ten rows in one document varies more than one of ten rows in
ten documents. Every interval that is printed takes its design effect from here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anls_frame.statistics.arrays import FloatArray

USUAL_CORRELATION = 0.3
"""Intraclass correlation that is assumed where the data cannot estimate it."""

FEW_UNITS = 6.0
"""
From this many independent rows on the rarer side, the observed design effect outweighs the usual one.

benchmarks/choose_constants.py chooses both constants.
"""


def usual_design(rows: npt.ArrayLike, correlation: npt.ArrayLike = USUAL_CORRELATION) -> FloatArray:
    """
    Return the design effect of units with these numbers of rows, whose rows are correlated.

    Parameters
    ----------
    rows
        Rows of a unit, n / G for the effective number G of units.
    correlation
        Intraclass correlation of the rows; by default, the usual one.
    """
    return np.asarray(1 + np.asarray(correlation, np.float64) * (np.asarray(rows, np.float64) - 1))


def design_effect(
    observed: npt.ArrayLike,
    rows: npt.ArrayLike,
    information: npt.ArrayLike,
    correlation: npt.ArrayLike = USUAL_CORRELATION,
) -> tuple[FloatArray, FloatArray]:
    """
    Return the design effect of a mean, and the trust in the observed one, from 0 to 1.

    With few independent rows on the rarer side, the observed design effect is poorly known, and too small
    exactly when the mean is too extreme. So it is raised towards the usual one. A larger one is kept: where
    whole documents are right or wrong, the usual one would be too small.

    Parameters
    ----------
    observed
        The variance of the mean divided by that for independent rows, at least 1.
    rows
        Rows of a unit, n / G, at least 1.
    information
        Number of independent rows on the rarer side, which say how large the design effect is.
    """
    observed, rows, information = (np.asarray(each, np.float64) for each in (observed, rows, information))
    trust = information**4 / (information**4 + FEW_UNITS**4)
    usual = usual_design(rows, correlation) - 1
    raised = 1 + trust * (observed - 1) + (1 - trust) * usual
    return np.maximum(observed, raised), trust
