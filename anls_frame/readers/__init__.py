"""
Read result files, from harnesses or made by hand, as one standard frame.

The readers report all problems of a file at once, each with its place, and lose none of its data. There is
one module per kind of file, which is imported when a file needs it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from anls_frame.readers.descriptions import READERS

if TYPE_CHECKING:
    from anls_frame.readers.dude import read_dude
    from anls_frame.readers.harness import read_inspect, read_lm_eval, read_lmms_eval, read_vlmevalkit
    from anls_frame.readers.judged_rows import judged
    from anls_frame.readers.logs import read_logs
    from anls_frame.readers.pages import read_pages
    from anls_frame.readers.rrc import read_rrc, write_submission
    from anls_frame.readers.table import read_results, scan_results
    from anls_frame.readers.verdicts import read_verdicts
    from anls_frame.readers.writing import write_results

__all__ = [
    "judged",
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
    "scan_results",
    "write_results",
    "write_submission",
]

_OTHERS = (
    *(
        "judged_rows.judged",
        "logs.read_logs",
        "pages.read_pages",
        "rrc.write_submission",
        "table.scan_results",
    ),
    *("verdicts.read_verdicts", "writing.write_results"),
)
"""The modules of the functions that read no kind of their own."""


def __getattr__(name: str) -> Any:
    """Import a function on first use, so that the shell's help need not wait for the readers."""
    for function in (*_OTHERS, *(description.function for description in READERS.values())):
        module, _, own = function.rpartition(".")
        if own == name and name in __all__:
            return globals().setdefault(name, getattr(import_module(f"{__name__}.{module}"), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
