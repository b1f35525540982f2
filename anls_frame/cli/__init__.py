"""
The command line: `anls-frame` and the drop-in `calculate-anls`.

Exit codes: 0 success, 1 a failed gate or check, 2 wrong usage or input, 3 an undecided gate. Libraries are
imported by the command that needs them.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run `anls-frame` and end the process with its exit code."""
    try:
        from anls_frame.cli.app import run
        from anls_frame.cli.exits import guarded
    except KeyboardInterrupt:  # while libraries are loaded
        sys.exit(130)
    guarded("anls-frame", run)
