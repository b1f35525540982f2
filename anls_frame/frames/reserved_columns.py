"""Columns of frames that the package makes, by which other functions recognize what their rows are."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Reserved:
    """
    Columns that are made together, and what other functions do with them without being told.

    Attributes
    ----------
    names
        The columns. Of several systems, `status` is `NAME_status`, and so on.
    made_by
        The functions that make them.
    used
        What other functions do with them.
    known_by
        How they are told apart from columns of your own with these names.
    """

    names: tuple[str, ...]
    made_by: str
    used: str
    known_by: str


RESERVED = (
    Reserved(
        (STATUS, FIELD, ITEM, ANSWERS, PREDICTION, CONFIDENCE),
        "`fields`",
        "Every function that scores texts counts a value that was predicted where gold has none, as wrong. "
        "`find_slices` does not take statuses and confidences for slices by default. `documents` reads them.",
        "`status` is an Enum of its own. Where a file has made it text, all its values are statuses, with "
        "a column `field`. Any other `status`, such as that of an order, is your own.",
    ),
    Reserved(
        (NULL_IN_GOLD,),
        '`fields` with `nulls="keep"`',
        "`fabrication_rate` divides by the rows that it marks. `find_slices` does not take it for slices by "
        "default.",
        "The name is enough.",
    ),
    Reserved(
        (N_FIELDS, N_WRONG, ALL_RIGHT),
        "`documents`",
        "`find_slices` does not take them, and `confidence` with them, for slices by default.",
        "All three are there: `all_right` holds truth values, the others whole numbers.",
    ),
    Reserved(
        (AUDIT, AUDIT_PROBABILITY, AUDIT_STRATUM, AUDIT_CLUSTER),
        "`audit_sample`",
        "`audited_scores` and `corrected` check that exactly the drawn rows are judged. `corrected` reads "
        "probabilities, strata and documents. `browse` shows the drawn rows with `audit=True`.",
        "`audit` is read only with `audit_probability`, or if you pass `audit=True`.",
    ),
    Reserved(
        (SYSTEM, EPOCH),
        "`read_logs`, and `readers.read_inspect` of logs with several epochs",
        "`browse` shows them, and verdicts note them, to tell rows with the same id apart. On the command "
        "line, answers to the same question in several epochs are averaged.",
        "They hold text or whole numbers. Epochs are averaged only where `question_id` repeats and no "
        "question has the same epoch twice; `--system-column epoch` compares them as systems.",
    ),
    Reserved(
        (DOCUMENT,),
        "readers of files with questions, and `read_pages` with a pattern of several documents",
        "Results with intervals warn if no `cluster` is given and documents have several rows.",
        "A value is in more than one row. The warning changes no figure.",
    ),
    Reserved(
        (PAGE, REFERENCE),
        "`read_pages`",
        'Results with error rates say "pages" where others say "rows", and list the worst pages by name.',
        'Both are there, and all metrics are error rates; or they are those of `metrics="ocr"`. No figure '
        "changes.",
    ),
    Reserved(
        (QUESTION,),
        "readers of files with questions",
        "`find_slices` computes the length of the question if the search has `features=True`.",
        "It holds text.",
    ),
)
"""All of them; every other column is found by the name that you pass."""
