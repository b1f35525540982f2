"""
Daft frames: on a laptop (native runner) or a cluster (Ray runner).

`anls_frame.add_scores`, `report`, `compare`, `find_slices` and `summarize` accept Daft frames like any other
frame. Rows are scored where they are stored. Only summaries are sent; they add up to the summary of all rows,
so a report equals that of a single machine. This module contains everything specific to Daft. It needs the
extra `daft` and is imported when a Daft frame is given.
"""

from __future__ import annotations

_INSTALL = "pip install 'anls-frame[daft]'"
try:
    import daft
except ImportError as error:
    raise ImportError(f"anls_frame.distributed needs Daft: {_INSTALL}") from error
if not hasattr(daft, "udaf"):
    raise ImportError(f"anls_frame.distributed needs Daft 0.7.12 or later: {_INSTALL}")

from anls_frame.distributed.frames import Batches  # noqa: E402 - needs Daft

__all__ = ["Batches"]
