"""Functions of one prediction and one reference, as strings: scores, alignments, and edit-distance tables."""

from __future__ import annotations

from anls_frame._lazy import attach

_HOMES = {
    "alignments": "Alignment alignment",
    "edits": "Edit",
    "line_alignments": "AlignedLine LineAlignment",
    "matrices": "EditMatrix edit_matrix",
    "string_scores": "anls_score edit_distance get_cer hamming_distance",
}
"""The public names of each module: `.ci/stub.py` writes them out for type checkers."""

__getattr__, __all__ = attach(__name__, _HOMES)
