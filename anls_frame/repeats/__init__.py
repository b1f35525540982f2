"""Repeated answers of a system to each question: mean scores, variance components, and pass@k."""

from __future__ import annotations

from anls_frame._lazy import attach

_HOMES = {
    "question_scores": "mean_over_epochs pass_at_k VarianceComponents variance_components",
}
"""The public names of each module: `.ci/stub.py` writes them out for type checkers."""

__getattr__, __all__ = attach(__name__, _HOMES)
