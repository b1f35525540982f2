"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

from anls_frame.plot.character_matrices import confusion_matrix as confusion_matrix
from anls_frame.plot.character_matrices import edit_matrix as edit_matrix
from anls_frame.plot.distributions import cer_distribution as cer_distribution
from anls_frame.plot.distributions import ecdf as ecdf
from anls_frame.plot.distributions import score_distribution as score_distribution
from anls_frame.plot.group_plots import comparison as comparison
from anls_frame.plot.group_plots import error_types as error_types
from anls_frame.plot.group_plots import group_scores as group_scores
from anls_frame.plot.group_plots import worse_slices as worse_slices
from anls_frame.plot.score_curves import curve as curve
from anls_frame.plot.score_curves import reliability as reliability
from anls_frame.plot.score_curves import risk_coverage as risk_coverage
from anls_frame.plot.score_curves import threshold_curve as threshold_curve
from anls_frame.plot.system_plots import heat_map as heat_map
from anls_frame.plot.system_plots import ranking as ranking
from anls_frame.plot.system_plots import tradeoff as tradeoff
