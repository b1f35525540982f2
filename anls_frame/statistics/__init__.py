"""
Intervals and tests on plain numbers, which take the sums of groups and return numpy arrays.

Every function takes one number per group, in arrays that broadcast against each other; scalars give arrays of
shape (). *Units* are independent of each other: the clusters (documents) of a group, or its rows if there are
no clusters. A statistic that is undefined for the data (no rows, a single unit) is nan rather than an error.
"""

from __future__ import annotations

from anls_frame.statistics.intervals import USUAL_CORRELATION as USUAL_CORRELATION
from anls_frame.statistics.intervals import (
    effective_units,
    ratio_interval,
    ratio_variance,
    t_interval,
    wilson_interval,
)
from anls_frame.statistics.many_systems import Pairwise, pairwise
from anls_frame.statistics.nested import NestedAnova, nested_anova, pass_at_k
from anls_frame.statistics.ranks import Ranks, rank_sets
from anls_frame.statistics.risk_coverage import RiskCoverage, difference_of_augrc
from anls_frame.statistics.significance import holm, sign_flip, sign_flip_counts
from anls_frame.statistics.step_down import max_t
from anls_frame.statistics.student import t_quantile, t_two_sided
from anls_frame.statistics.system_sums import SystemSums

__all__ = [
    "NestedAnova",
    "Pairwise",
    "Ranks",
    "RiskCoverage",
    "SystemSums",
    "difference_of_augrc",
    "effective_units",
    "holm",
    "max_t",
    "nested_anova",
    "pairwise",
    "pass_at_k",
    "rank_sets",
    "ratio_interval",
    "ratio_variance",
    "sign_flip",
    "sign_flip_counts",
    "t_interval",
    "t_quantile",
    "t_two_sided",
    "wilson_interval",
]
