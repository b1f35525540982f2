"""
Readers of result files, written by harnesses or by hand, which return a standard frame.

A reader reports all problems of a file at once, each with its place, and loses no data. Each kind of file has
its own module, which is imported on first use.
"""

from __future__ import annotations

from anls_frame._lazy import attach
from anls_frame.readers.descriptions import READERS

_OTHERS = {
    "files.table_files": "scan_results write_results",
    "readers._page_names": "Pages",
    "readers.pages": "read_pages",
    "readers.submissions": "write_submission",
    "reports.judgements": "LostPoints audited_scores judged lost_points read_verdicts",
    "runs.compared_files": "compare_files",
    "runs.reading": "Reading read_file",
    "runs.reported_files": "report_files",
    "runs.rules": "ScoringRules scoring_rules",
    "runs.system_files": "read_logs read_systems",
}
"""The names of each module that are not readers of a kind."""


def _homes() -> dict[str, str]:
    """Return the names of each module; pages are read in Python by `read_pages`, which has more options."""
    homes = dict(_OTHERS)
    for kind, reader in READERS.items():
        module, _, function = reader.function.rpartition(".")
        if kind != "pages":
            homes[module] = f"{homes[module]} {function}" if module in homes else function
    return homes


_HOMES = _homes()
# On first use, so that the command line's help need not wait for the readers.
__getattr__, __all__ = attach(__name__, _HOMES, below="anls_frame")
