"""
Intervals and tests on plain numbers, which take the sums of groups and return numpy arrays.

Every function takes one number per group, in arrays that broadcast against each other; scalars give arrays of
shape (). *Units* are independent of each other: the clusters (documents) of a group, or its rows if there are
no clusters. A statistic that is undefined for the data (no rows, a single unit) is nan rather than an error.
"""

from __future__ import annotations

from anls_frame._lazy import attach

_HOMES = {
    "intervals": "effective_units ratio_interval ratio_variance t_interval wilson_interval",
    "many_systems": "Pairwise Ranks pairwise rank_sets",
    "nested": "NestedAnova nested_anova pass_at_k",
    "risk_coverage": "RiskCoverage difference_of_augrc",
    "significance": "holm sign_flip sign_flip_counts",
    "step_down": "max_t",
    "student": "t_quantile t_two_sided",
    "system_sums": "SystemSums",
}
"""The public names of each module: `.ci/stub.py` writes them out for type checkers."""

__getattr__, __all__ = attach(__name__, _HOMES)
