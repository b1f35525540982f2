"""
Plots of scores and errors, with matplotlib.

Each function takes an object with the data it needs: a frame of rows, a report, a comparison, a summary, or a
frame returned by these. It draws on the given axes, or on new axes, and returns them. New axes have their own
figure, which pyplot does not manage: nothing is shown until you ask for it, nothing must be closed, and no
setting is changed. Notebooks display such axes; `ax.figure.savefig("plot.svg")` writes them to a file. A
system has the same colour in every plot.

Examples
--------
>>> import polars as pl
>>> import anls_frame as af
>>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"], "lang": ["en", "de"]})
>>> report = af.report(df, "prediction", "answer", by="lang")
>>> af.plot.group_scores(report).get_xlabel()
'ANLS, 95 % interval'
"""

from __future__ import annotations

from anls_frame.plot.character_matrices import confusion_matrix, edit_matrix
from anls_frame.plot.confidence_plots import reliability, risk_coverage
from anls_frame.plot.distributions import cer_distribution, ecdf, score_distribution
from anls_frame.plot.error_shares import error_types
from anls_frame.plot.group_plots import comparison, group_scores
from anls_frame.plot.score_curves import length_effect, threshold_curve
from anls_frame.plot.slice_plots import worse_slices
from anls_frame.plot.system_plots import heat_map, ranking

__all__ = [
    "cer_distribution",
    "comparison",
    "confusion_matrix",
    "ecdf",
    "edit_matrix",
    "error_types",
    "group_scores",
    "heat_map",
    "length_effect",
    "ranking",
    "reliability",
    "risk_coverage",
    "score_distribution",
    "threshold_curve",
    "worse_slices",
]
