"""
The frame functions on Daft: on a laptop (native runner) or a cluster (Ray runner).

Rows are scored where they are; what travels are summaries, which add up to that of all rows, so that a report
is the one that a single machine would make. Needs the extra `daft`, which this module alone imports.

Importing it switches Daft's telemetry off for this process, unless one of the variables is set by which Daft
lets its users decide (`DO_NOT_TRACK`, `SCARF_NO_ANALYTICS`, `DAFT_ANALYTICS_ENABLED`). Daft reports its own
import too, so import this module before Daft.
"""

from __future__ import annotations

import os

_TELEMETRY = ("DO_NOT_TRACK", "SCARF_NO_ANALYTICS", "DAFT_ANALYTICS_ENABLED")
if not any(name in os.environ for name in _TELEMETRY):
    os.environ["DAFT_ANALYTICS_ENABLED"] = "0"

_INSTALL = "pip install 'anls-frame[daft]'"
try:
    import daft
except ImportError as error:
    raise ImportError(f"anls_frame.distributed runs on Daft: {_INSTALL}") from error
if not hasattr(daft, "udaf"):
    raise ImportError(f"anls_frame.distributed needs Daft 0.7.12 or later: {_INSTALL}")

from anls_frame.distributed.frames import add_scores, report, summarize  # noqa: E402 - needs Daft

__all__ = ["add_scores", "report", "summarize"]
