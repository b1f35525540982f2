"""Tests on Daft run where it is installed, and end as it lets them."""

from __future__ import annotations

import importlib.util
import os
import sys

import pytest

# Daft has an environment of its own, where `make test-daft` runs them.
os.environ.setdefault("DO_NOT_TRACK", "1")
collect_ignore_glob = [] if importlib.util.find_spec("daft") else ["test_*.py"]

_exit_status: list[int] = []


def pytest_sessionfinish(exitstatus: int) -> None:
    """Keep the result for the end of the process."""
    _exit_status.append(int(exitstatus))


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End at once where Daft ran: its threads may crash a Python that takes its time, after all tests."""
    if "daft" in sys.modules and "ray" not in sys.modules and not hasattr(config, "workerinput"):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_exit_status[-1] if _exit_status else pytest.ExitCode.INTERNAL_ERROR)
