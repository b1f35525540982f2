"""
Columns of frames that the package makes, by which other functions recognize what their rows are.

`docs/reference/reserved.md` lists them, with what each means to other functions.
"""

from __future__ import annotations

STATUS, FIELD, ITEM, ANSWERS, PREDICTION, CONFIDENCE, NULL_IN_GOLD = (
    *("status", "field", "item", "answers", "prediction"),
    *("confidence", "null_in_gold"),
)
"""Of rows of `fields`."""
N_FIELDS, N_WRONG, ALL_RIGHT = "n_fields", "n_wrong", "all_right"
"""Of `documents`."""
AUDIT, AUDIT_PROBABILITY, AUDIT_STRATUM, AUDIT_CLUSTER = (
    *("audit", "audit_probability", "audit_stratum"),
    "audit_cluster",
)
"""Of an `audit_sample`."""
SYSTEM, EPOCH = "system", "epoch"
"""Of `read_logs`."""
DOCUMENT, QUESTION, QUESTION_ID = "doc_id", "question", "question_id"
"""Of readers of files with questions."""
PAGE, REFERENCE = "page", "reference"
"""Of `read_pages`."""
