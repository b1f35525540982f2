"""
The command line: `anls-frame` and the drop-in `calculate-anls`.

Exit codes: 0 success, 1 a failed gate or check, 2 wrong usage or input, 3 an undecided gate. Libraries are
imported by the command that needs them.
"""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run `anls-frame` and end the process with its exit code."""
    # Imports make many objects that stay: looking for cycles among them took a tenth of a short command.
    gc.set_threshold(100_000)
    try:
        from anls_frame.cli.app import run
        from anls_frame.cli.exits import guarded
    except KeyboardInterrupt:  # while libraries are loaded
        sys.exit(130)
    guarded("anls-frame", run)
