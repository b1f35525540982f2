"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

from anls_frame.repeats.question_scores import VarianceComponents as VarianceComponents
from anls_frame.repeats.question_scores import mean_over_epochs as mean_over_epochs
from anls_frame.repeats.question_scores import pass_at_k as pass_at_k
from anls_frame.repeats.question_scores import variance_components as variance_components
