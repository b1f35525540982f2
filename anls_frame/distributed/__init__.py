"""
The frame functions on Daft: on a laptop (native runner) or a cluster (Ray runner).

Rows are scored where they are stored. Only summaries are sent, and they add up to the summary of all rows, so
a report equals that of a single machine. This module needs the extra `daft`; no other module imports Daft.

Importing it switches off Daft's telemetry in this process, unless one of the environment variables is set
with which Daft's users choose (`DO_NOT_TRACK`, `SCARF_NO_ANALYTICS`, `DAFT_ANALYTICS_ENABLED`). Daft also
reports its own import, so import this module before Daft.
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
    raise ImportError(f"anls_frame.distributed needs Daft: {_INSTALL}") from error
if not hasattr(daft, "udaf"):
    raise ImportError(f"anls_frame.distributed needs Daft 0.7.12 or later: {_INSTALL}")

from anls_frame.distributed.frames import (  # noqa: E402 - needs Daft
    add_scores,
    compare,
    find_slices,
    report,
    summarize,
    summarize_systems,
)

__all__ = ["add_scores", "compare", "find_slices", "report", "summarize", "summarize_systems"]
