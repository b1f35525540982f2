"""What every test has: processes of its own, and the same warnings on every machine."""

from __future__ import annotations

import atexit
import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["campaign", "engines"]

# The same examples at each run in CI; new ones at each run elsewhere, more of them on demand.
for name, examples in {"few": 10, "quick": 25, "thorough": 1_000, "campaign": 10_000}.items():
    settings.register_profile(name, max_examples=examples, deadline=None, derandomize="CI" in os.environ)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# What is made to collect the tests stays: to look for garbage in it takes a tenth of the time.
gc.disable()

# Processes that run tests side by side have it; what is printed into a pipe must not be cut.
os.environ.pop("COLUMNS", None)

SUPPORT = Path(__file__).parent / "support"


def pytest_configure(config: pytest.Config) -> None:
    """Where no font has Chinese characters, matplotlib warns of it, rightly; with one it must not."""
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 - after the options are read

    installed = " ".join(fontManager.get_font_names())
    if not any(name in installed for name in ("CJK", "WenQuanYi", "IPA", "Source Han", "Arial Unicode")):
        config.addinivalue_line("filterwarnings", "ignore:Glyph .* missing from font:UserWarning")


def pytest_collection_finish() -> None:
    """
    Let no garbage collection go through all tests: a full one would take a third of a second.

    Nearly all that tests make is freed without one, so a tenth as many hold as little memory.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(7_000)
    gc.enable()
    # Libraries find what they wait for when the process ends, after pytest has collected garbage twice more.
    atexit.register(gc.unfreeze)


@pytest.fixture(autouse=True, scope="session")
def no_waiting_for_disks() -> Iterator[None]:
    """Thousands of small files need not survive a power failure; test_export_atomic.py holds the steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


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
            env={
                **os.environ,
                # Where tests run themselves, they import what they import here.
                "PYTHONPATH": os.pathsep.join(filter(None, [str(SUPPORT), os.environ.get("PYTHONPATH")])),
                # A panic's backtrace takes seconds to print and says nothing more than its message.
                "RUST_BACKTRACE": "0",
                "PYTHONIOENCODING": "utf-8",
                **environment,
            },
        )

    return run
