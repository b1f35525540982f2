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
from typing import Any

from anls_frame import _accessors, _engines

try:
    from anls_frame._native import __version__ as __version__
except ModuleNotFoundError as error:
    if error.name != "anls_frame._native":
        raise
    raise ImportError(
        "the compiled library of anls_frame is missing: `make install` builds it in a checkout"
    ) from None

_HOMES = {
    "analysis.browsing": "browse",
    "analysis.changed_rows": "changes",
    "analysis.characters": "confusions",
    "analysis.curves": "length_scores threshold_curve",
    "analysis.fields": "documents fields",
    "analysis.worst_rows": "worst",
    "exceptions": "DTypeError DuplicateColumnError InputError InputWarning",
    "frames.answer_lists": "parse_answers",
    "frames.progress": "progress",
    "metrics.distances": "hamming lcs_distance levenshtein",
    "metrics.errors": "edit_ops error_type explain",
    "metrics.scores": "anls cer exact_match nearest_answer nls score",
    "metrics.scoring": "add_scores",
    "metrics.vectors": "hamming_vectors",
    "pairs.matrices": "edit_matrix",
    "pairs.string_scores": "anls_score",
    "protocol": "PROTOCOLS ScoreProtocol",
    "readers": "read_logs read_pages read_results read_rrc scan_results write_results",
    "reports.comparisons": "Comparison compare pair side_by_side",
    "reports.reports": "Report report",
    "slices.finding": "find_slices",
    "slices.plan": "SliceSearch",
    "streaming": "ANLS CharErrorRate NormalizedLevenshteinSimilarity",
    "summary.measures": "Metric",
    "summary.merging": "merge",
    "summary.summarizing": "summarize",
    "summary.summary": "Summary",
    "words": "wer",
}
"""The public names of each module: `.ci/stub.py` writes them out for type checkers."""

__all__ = [name for names in _HOMES.values() for name in names.split()]
__all__ += ["__version__"]

_MODULES = [
    "distributed",
    "exceptions",
    "export",
    "gec",
    "pairs",
    "plot",
    "protocol",
    "readers",
    "repeats",
    "statistics",
    "streaming",
    "words",
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
