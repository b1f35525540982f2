"""What the tests of commands share: a folder of their own to run in."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest
import shell


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., shell.Done]:
    """Run `anls-frame` in the folder of the test."""
    return functools.partial(shell.run, tmp_path)
