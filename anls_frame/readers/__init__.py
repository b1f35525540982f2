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
    from anls_frame.readers.any_file import read_file
    from anls_frame.readers.dude import read_dude
    from anls_frame.readers.harness import read_inspect, read_lm_eval, read_lmms_eval, read_vlmevalkit
    from anls_frame.readers.judged_rows import judged
    from anls_frame.readers.logs import read_logs
    from anls_frame.readers.pages import read_pages
    from anls_frame.readers.rrc import read_rrc, write_submission
    from anls_frame.readers.rules import ScoringRules, scoring_rules
    from anls_frame.readers.system_files import SystemTexts, read_systems
    from anls_frame.readers.table import read_results, scan_results
    from anls_frame.readers.verdict_losses import LostPoints, lost_points
    from anls_frame.readers.verdicts import read_verdicts
    from anls_frame.readers.writing import write_results

__all__ = [
    "LostPoints",
    "ScoringRules",
    "SystemTexts",
    "judged",
    "lost_points",
    "read_dude",
    "read_file",
    "read_inspect",
    "read_lm_eval",
    "read_lmms_eval",
    "read_logs",
    "read_pages",
    "read_results",
    "read_rrc",
    "read_systems",
    "read_verdicts",
    "read_vlmevalkit",
    "scan_results",
    "scoring_rules",
    "write_results",
    "write_submission",
]

_OTHERS = {
    "any_file": "read_file",
    "judged_rows": "judged",
    "logs": "read_logs",
    "verdict_losses": "LostPoints lost_points",
    "pages": "read_pages",
    "rrc": "write_submission",
    "rules": "ScoringRules scoring_rules",
    "system_files": "SystemTexts read_systems",
    "table": "scan_results",
    "verdicts": "read_verdicts",
    "writing": "write_results",
}
"""The names of each module that are not readers of a kind."""


def __getattr__(name: str) -> Any:
    """Import a name on first use, so that the shell's help need not wait for the readers."""
    homes = {own: module for module, names in _OTHERS.items() for own in names.split()}
    homes |= {kind.function.partition(".")[2]: kind.function.partition(".")[0] for kind in READERS.values()}
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{homes[name]}"), name))
