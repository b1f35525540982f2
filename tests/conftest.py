"""Fixtures of the contract tests."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

# Daft has an environment of its own, where `make test-daft` runs them.
collect_ignore_glob = [] if importlib.util.find_spec("daft") else ["test_distributed*.py"]


def pytest_configure(config: pytest.Config) -> None:
    """Where no font has Chinese characters, matplotlib warns of it, rightly; with one it must not."""
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 - after the options are read

    installed = " ".join(fontManager.get_font_names())
    if not any(name in installed for name in ("CJK", "WenQuanYi", "IPA", "Source Han", "Arial Unicode")):
        config.addinivalue_line("filterwarnings", "ignore:Glyph .* missing from font:UserWarning")


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


@pytest.fixture(scope="session")
def run_python(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """
    Run a Python process of its own: for what could end it, and for what depends on the order of imports.

    Takes the interpreter's arguments, and environment variables as keywords.
    """
    # From a folder of its own, where the installed package is found and not the source tree.
    folder = tmp_path_factory.mktemp("process")

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - our own interpreter and our own scripts
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=240,
            check=False,
            cwd=folder,
            # A panic's backtrace takes seconds to print and says nothing more than its message.
            env={**os.environ, "RUST_BACKTRACE": "0", "PYTHONIOENCODING": "utf-8", **environment},
        )

    return run
