"""
Error analysis of predictions on dataframes: NLS, ANLS and CER as columns, in Polars and pandas.

`nls`, `anls`, `cer` and their kin are Polars expressions that score each row; `add_scores` adds all scores
to a Polars, pandas or Arrow frame; `report` breaks them down by slice, `compare` holds two systems against
each other; `ANLS` and its kin are metric objects for training loops; `gec` scores grammatical error
correction; importing the package adds the namespace ``.anls`` to Polars' frames and expressions and to
pandas' frames.

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

from anls_frame import _pandas_hook, namespaces
from anls_frame._native import __version__
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
from anls_frame.frames.scoring import add_scores
from anls_frame.metrics.errors import edit_ops, error_type, explain
from anls_frame.metrics.scores import (
    anls,
    cer,
    exact_match,
    hamming,
    lcs_distance,
    levenshtein,
    nearest_answer,
    nls,
    score,
)
from anls_frame.metrics.vectors import hamming_vectors
from anls_frame.pairs.alignments import Alignment, Edit, alignment
from anls_frame.pairs.matrices import EditMatrix, edit_matrix
from anls_frame.pairs.scores import anls_score, edit_distance, get_cer, hamming_distance
from anls_frame.protocol import PROTOCOLS, ScoreProtocol
from anls_frame.reports.comparisons import Comparison, Paired, compare, pair
from anls_frame.reports.reports import Report, report
from anls_frame.summary import Settings, Summary, merge, summarize

if TYPE_CHECKING:
    from anls_frame import distributed as distributed
    from anls_frame import gec as gec
    from anls_frame import plot as plot
    from anls_frame import streaming as streaming
    from anls_frame.readers import (
        read_inspect,
        read_lm_eval,
        read_lmms_eval,
        read_results,
        read_rrc,
        read_vlmevalkit,
        scan_results,
        write_submission,
    )
    from anls_frame.streaming import ANLS, CharErrorRate, NormalizedLevenshteinSimilarity

__all__ = [
    "ANLS",
    "PROTOCOLS",
    "Alignment",
    "CharErrorRate",
    "ColumnNotFoundError",
    "Comparison",
    "DTypeError",
    "DuplicateColumnError",
    "Edit",
    "EditMatrix",
    "InputError",
    "InputWarning",
    "NormalizedLevenshteinSimilarity",
    "Paired",
    "Report",
    "ScoreProtocol",
    "Settings",
    "Summary",
    "__version__",
    "add_scores",
    "alignment",
    "anls",
    "anls_score",
    "cer",
    "compare",
    "confusions",
    "edit_distance",
    "edit_matrix",
    "edit_ops",
    "error_type",
    "exact_match",
    "explain",
    "get_cer",
    "hamming",
    "hamming_distance",
    "hamming_vectors",
    "lcs_distance",
    "length_scores",
    "levenshtein",
    "merge",
    "nearest_answer",
    "nls",
    "pair",
    "read_inspect",
    "read_lm_eval",
    "read_lmms_eval",
    "read_results",
    "read_rrc",
    "read_vlmevalkit",
    "report",
    "scan_results",
    "score",
    "summarize",
    "threshold_curve",
    "worst",
    "write_submission",
]

_MODULES = ("distributed", "gec", "plot", "streaming")
_READERS = {name for name in __all__ if name.startswith(("read_", "scan_", "write_"))}
_STREAMING = {"ANLS", "CharErrorRate", "NormalizedLevenshteinSimilarity"}


def __getattr__(name: str) -> Any:
    """Import what not everybody needs when it is asked for: a third of the time of the import."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _READERS:
        return getattr(import_module(f"{__name__}.readers"), name)
    if name in _STREAMING:
        return getattr(import_module(f"{__name__}.streaming"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


namespaces.register()
_pandas_hook.register()
