"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

from anls_frame.statistics.intervals import effective_units as effective_units
from anls_frame.statistics.intervals import ratio_interval as ratio_interval
from anls_frame.statistics.intervals import ratio_variance as ratio_variance
from anls_frame.statistics.intervals import t_interval as t_interval
from anls_frame.statistics.intervals import wilson_interval as wilson_interval
from anls_frame.statistics.many_systems import Pairwise as Pairwise
from anls_frame.statistics.many_systems import Ranks as Ranks
from anls_frame.statistics.many_systems import pairwise as pairwise
from anls_frame.statistics.many_systems import rank_sets as rank_sets
from anls_frame.statistics.nested import NestedAnova as NestedAnova
from anls_frame.statistics.nested import nested_anova as nested_anova
from anls_frame.statistics.nested import pass_at_k as pass_at_k
from anls_frame.statistics.risk_coverage import RiskCoverage as RiskCoverage
from anls_frame.statistics.risk_coverage import difference_of_augrc as difference_of_augrc
from anls_frame.statistics.significance import holm as holm
from anls_frame.statistics.significance import sign_flip as sign_flip
from anls_frame.statistics.significance import sign_flip_counts as sign_flip_counts
from anls_frame.statistics.step_down import max_t as max_t
from anls_frame.statistics.student import t_quantile as t_quantile
from anls_frame.statistics.student import t_two_sided as t_two_sided
from anls_frame.statistics.system_sums import SystemSums as SystemSums
