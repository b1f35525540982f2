"""
Error analysis of predictions on dataframes: NLS, ANLS and CER as columns, in Polars and pandas.

`nls`, `anls`, `cer` and similar functions are Polars expressions that score each row; `add_scores` adds all
scores to a Polars, pandas or Arrow frame; `report` breaks them down by slice; `compare` tests the difference
between two systems, and `changes` returns the rows that make it up; `find_slices` finds the slices that are
worse than the rest; `ANLS` and similar classes are metric objects for training loops; `gec` scores
grammatical error correction. Importing the package adds the namespace ``.anls`` to Polars frames and
expressions and to pandas frames.

Examples
--------
>>> import polars as pl
>>> import anls_frame as af
>>> df = pl.DataFrame({"prediction": ["CocaCola"], "answers": [["Coke", "Coca Cola"]]})
>>> df.with_columns(af.nls("prediction", "answers").round(4), af.cer("prediction", "answers").round(4))
shape: (1, 4)
┌────────────┬───────────────────────┬────────┬────────┐
│ prediction ┆ answers               ┆ nls    ┆ cer    │
│ ---        ┆ ---                   ┆ ---    ┆ ---    │
│ str        ┆ list[str]             ┆ f64    ┆ f64    │
╞════════════╪═══════════════════════╪════════╪════════╡
│ CocaCola   ┆ ["Coke", "Coca Cola"] ┆ 0.8889 ┆ 0.1111 │
└────────────┴───────────────────────┴────────┴────────┘
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from anls_frame import _accessors, _engines

try:
    from anls_frame._native import __version__
except ModuleNotFoundError as error:
    if error.name != "anls_frame._native":
        raise
    raise ImportError(
        "the compiled library of anls_frame is missing: `make install` builds it in a checkout"
    ) from None

if TYPE_CHECKING:
    from anls_frame import distributed as distributed
    from anls_frame import gec as gec
    from anls_frame import plot as plot
    from anls_frame import streaming as streaming
    from anls_frame.analysis.browsing import RowsPage, browse
    from anls_frame.analysis.changed_rows import changes
    from anls_frame.analysis.characters import confusions
    from anls_frame.analysis.curves import length_scores, threshold_curve
    from anls_frame.analysis.worst_rows import worst
    from anls_frame.exceptions import (
        ColumnNotFoundError,
        DTypeError,
        DuplicateColumnError,
        InputError,
        InputWarning,
    )
    from anls_frame.frames.answer_lists import parse_answers
    from anls_frame.metrics.distances import hamming, lcs_distance, levenshtein
    from anls_frame.metrics.errors import edit_ops, error_type, explain
    from anls_frame.metrics.scores import anls, cer, exact_match, nearest_answer, nls, score
    from anls_frame.metrics.scoring import add_scores
    from anls_frame.metrics.vectors import hamming_vectors
    from anls_frame.metrics.words import bag_of_words_error, edit_counts, mer, wer, wil, word_errors
    from anls_frame.pairs.alignments import Alignment, Edit, alignment
    from anls_frame.pairs.line_alignments import AlignedLine, LineAlignment
    from anls_frame.pairs.matrices import EditMatrix, edit_matrix
    from anls_frame.pairs.scores import anls_score, edit_distance, get_cer, hamming_distance
    from anls_frame.protocol import PROTOCOLS, ScoreProtocol
    from anls_frame.readers import (
        judged,
        read_dude,
        read_inspect,
        read_lm_eval,
        read_lmms_eval,
        read_logs,
        read_pages,
        read_results,
        read_rrc,
        read_verdicts,
        read_vlmevalkit,
        scan_results,
        write_results,
        write_submission,
    )
    from anls_frame.reports.comparisons import Comparison, Paired, compare, pair
    from anls_frame.reports.components import VarianceComponents, variance_components
    from anls_frame.reports.decisions import Decision
    from anls_frame.reports.epochs import mean_over_epochs, pass_at_k
    from anls_frame.reports.reports import Report, report
    from anls_frame.slices.finding import find_slices
    from anls_frame.slices.result import Slices
    from anls_frame.streaming import ANLS, CharErrorRate, NormalizedLevenshteinSimilarity
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.merging import merge
    from anls_frame.summary.settings import Settings
    from anls_frame.summary.summarizing import summarize
    from anls_frame.summary.summary import Summary
    from anls_frame.summary.systems_summary import SystemsSummary, summarize_systems

__all__ = [
    "ANLS",
    "PROTOCOLS",
    "AlignedLine",
    "Alignment",
    "CharErrorRate",
    "ColumnNotFoundError",
    "Comparison",
    "DTypeError",
    "Decision",
    "DuplicateColumnError",
    "Edit",
    "EditMatrix",
    "InputError",
    "InputWarning",
    "LineAlignment",
    "Metric",
    "NormalizedLevenshteinSimilarity",
    "Paired",
    "Report",
    "RowsPage",
    "ScoreProtocol",
    "Settings",
    "Slices",
    "Summary",
    "SystemsSummary",
    "VarianceComponents",
    "__version__",
    "add_scores",
    "alignment",
    "anls",
    "anls_score",
    "bag_of_words_error",
    "browse",
    "cer",
    "changes",
    "compare",
    "confusions",
    "edit_counts",
    "edit_distance",
    "edit_matrix",
    "edit_ops",
    "error_type",
    "exact_match",
    "explain",
    "find_slices",
    "get_cer",
    "hamming",
    "hamming_distance",
    "hamming_vectors",
    "judged",
    "lcs_distance",
    "length_scores",
    "levenshtein",
    "mean_over_epochs",
    "mer",
    "merge",
    "nearest_answer",
    "nls",
    "pair",
    "parse_answers",
    "pass_at_k",
    "read_dude",
    "read_inspect",
    "read_lm_eval",
    "read_lmms_eval",
    "read_logs",
    "read_pages",
    "read_results",
    "read_rrc",
    "read_verdicts",
    "read_vlmevalkit",
    "report",
    "scan_results",
    "score",
    "summarize",
    "summarize_systems",
    "threshold_curve",
    "variance_components",
    "wer",
    "wil",
    "word_errors",
    "worst",
    "write_results",
    "write_submission",
]

_HOMES = {
    "analysis.browsing": "RowsPage browse",
    "analysis.changed_rows": "changes",
    "analysis.characters": "confusions",
    "analysis.curves": "length_scores threshold_curve",
    "analysis.worst_rows": "worst",
    "exceptions": "ColumnNotFoundError DTypeError DuplicateColumnError InputError InputWarning",
    "frames.answer_lists": "parse_answers",
    "metrics.distances": "hamming lcs_distance levenshtein",
    "metrics.errors": "edit_ops error_type explain",
    "metrics.scores": "anls cer exact_match nearest_answer nls score",
    "metrics.scoring": "add_scores",
    "metrics.vectors": "hamming_vectors",
    "metrics.words": "bag_of_words_error edit_counts mer wer wil word_errors",
    "pairs.alignments": "Alignment Edit alignment",
    "pairs.line_alignments": "AlignedLine LineAlignment",
    "pairs.matrices": "EditMatrix edit_matrix",
    "pairs.scores": "anls_score edit_distance get_cer hamming_distance",
    "protocol": "PROTOCOLS ScoreProtocol",
    "readers": "judged read_dude read_inspect read_lm_eval read_lmms_eval read_logs read_pages read_results "
    "read_rrc read_verdicts read_vlmevalkit scan_results write_results write_submission",
    "reports.comparisons": "Comparison Paired compare pair",
    "reports.components": "VarianceComponents variance_components",
    "reports.decisions": "Decision",
    "reports.epochs": "mean_over_epochs pass_at_k",
    "reports.reports": "Report report",
    "slices.finding": "find_slices",
    "slices.result": "Slices",
    "streaming": "ANLS CharErrorRate NormalizedLevenshteinSimilarity",
    "summary.measures": "Metric",
    "summary.merging": "merge",
    "summary.settings": "Settings",
    "summary.summarizing": "summarize",
    "summary.summary": "Summary",
    "summary.systems_summary": "SystemsSummary summarize_systems",
}
"""The public names of each module."""

_MODULES = [
    "distributed",
    "exceptions",
    "export",
    "gec",
    "plot",
    "protocol",
    "readers",
    "statistics",
    "streaming",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that nobody waits for modules that they do not use."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    for module, names in _HOMES.items():
        if name in names.split():
            return globals().setdefault(name, getattr(import_module(f"{__name__}.{module}"), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})


_accessors.register()
# A Daft frame, alone or in batches.
_engines.register("daft", functions="anls_frame.distributed.frames")
_engines.register("anls_frame.distributed", functions="anls_frame.distributed.frames")
