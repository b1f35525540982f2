"""
Result files of people and harnesses as one standard frame.

The readers report everything that is wrong in a file at once, with its place, and lose nothing of what is
in it. A module for each kind of file; libraries are imported when a file needs them.
"""

from __future__ import annotations

from anls_frame.readers.harness import read_inspect, read_lm_eval, read_lmms_eval, read_vlmevalkit
from anls_frame.readers.rrc import read_rrc, write_submission
from anls_frame.readers.table import read_results, scan_results

__all__ = [
    "read_inspect",
    "read_lm_eval",
    "read_lmms_eval",
    "read_results",
    "read_rrc",
    "read_vlmevalkit",
    "scan_results",
    "write_submission",
]
