"""
Read result files, from harnesses or made by hand, as one standard frame.

The readers report all problems of a file at once, each with its place, and lose none of its data. There is
one module per kind of file; libraries are imported when a file needs them.
"""

from __future__ import annotations

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
