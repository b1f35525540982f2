"""The public names of the package, each with the module from which it is imported on first use."""

from __future__ import annotations

from anls_frame._lazy import attach
from anls_frame._metric_names import METRICS

HOMES = {
    "analysis.audit_samples": "audit_sample",
    "analysis.browsing": "browse",
    "analysis.changed_rows": "changes",
    "analysis.characters": "confusions",
    "analysis.curves": "length_scores threshold_curve",
    "analysis.fields.rows": "fields",
    "analysis.fields.whole_documents": "documents",
    "analysis.worst_rows": "worst",
    "exceptions": "DTypeError DuplicateColumnError InputError InputWarning",
    "frames.answer_lists": "parse_answers",
    "frames.progress": "progress",
    "overviews.overview": "Overview overview",
    "pairs.matrices": "edit_matrix",
    "pairs.string_scores": "anls_score",
    "protocol": "PROTOCOLS ScoreProtocol",
    "readers": "audited_scores read_logs read_pages read_results read_rrc scan_results write_results",
    "reports.comparisons": "Comparison compare",
    "reports.corrected_scores": "corrected",
    "reports.long_frames": "side_by_side",
    "reports.pairing": "pair",
    "reports.wrapping_costs": "format_tax",
    "reports.reports": "Report report",
    "reports.confidences": "selective",
    "samples": "sample",
    "slices.finding": "find_slices",
    "slices.plan": "SliceSearch",
    "streaming": "ANLS CharErrorRate NormalizedLevenshteinSimilarity",
    "summary.measures": "Metric",
    "summary.summarizing": "summarize",
    "summary.summary": "Summary merge",
    "words": "wer",
    **METRICS,
}
"""The public names of each module: `.ci/stub.py` writes them out for type checkers."""

_PUBLIC = "distributed exceptions export gec pairs plot protocol readers repeats statistics streaming words"
MODULES = _PUBLIC.split()
"""The modules that are public themselves."""

imported, NAMES = attach("anls_frame", HOMES)
