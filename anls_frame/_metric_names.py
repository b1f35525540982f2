"""The public names of the modules of metrics; `.ci/stub.py` writes this file."""

from __future__ import annotations

METRICS = {
    "metrics.accuracies": "contains_answer relaxed_accuracy vqa_accuracy",
    "metrics.distances": "hamming lcs_distance levenshtein",
    "metrics.errors": "edit_ops error_type explain",
    "metrics.page_errors": "page_errors reading_order_free_cer",
    "metrics.scores": "anls cer exact_match nearest_answer nls score",
    "metrics.scoring": "add_scores",
    "metrics.vectors": "hamming_vectors",
    "metrics.wrapping": "unwrap",
}
