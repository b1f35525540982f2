"""What type checkers are told of the public functions holds at run time."""

from __future__ import annotations

import runpy
from pathlib import Path


def test_a_typed_script_runs() -> None:
    runpy.run_path(str(Path(__file__).with_name("typed_script.py")), run_name="__main__")
