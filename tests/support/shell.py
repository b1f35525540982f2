"""
The installed commands: `run` calls one within this process, `run_alone` starts it as a shell does.

A process of its own takes a second, nearly all of it for imports. It is for what depends on the process:
streams, signals, limits, imports, variables that Polars reads when it is loaded.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from anls_frame import cli
from anls_frame.cli import calculate_anls

Done = subprocess.CompletedProcess[str]
RunPython = Callable[..., Done]
"""The fixture `run_python` of `conftest.py`."""

SCRIPTS = Path(sys.executable).parent
"""The folder of the installed commands."""

_ENTRIES: dict[str, Callable[[], None]] = {"anls-frame": cli.main, "calculate-anls": calculate_anls.main}


def run(folder: Path, *arguments: object, program: str = "anls-frame", **environment: str) -> Done:
    """Call a command in a folder; an exception that it lets through reaches the test."""
    command = [program, *map(str, arguments)]
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code: Any = None
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, environment),
        mock.patch.object(sys, "argv", command),
        warnings.catch_warnings(),
    ):
        # As in a new process; pytest has warnings raised.
        warnings.resetwarnings()
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            _ENTRIES[program]()
        except SystemExit as end:
            code = end.code
    texts = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(command, code or 0, *texts)


def fine(done: Done, stderr: str = "") -> str:
    """Return what a command printed that has succeeded, and said nothing else on standard error."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == stderr
    return done.stdout


def refused(done: Done, *messages: str, code: int = 2) -> None:
    """Check that a command has ended with these messages, which may be wrapped, and no traceback."""
    assert done.returncode == code, done.stdout + done.stderr
    for message in messages:
        assert message in done.stderr or message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def on_a_terminal(command: list[str], folder: Path, columns: int = 100) -> tuple[str, bytes]:
    """Run a command whose standard error is a terminal; return what it printed, and what it showed there."""
    import pty  # noqa: PLC0415 - of POSIX alone

    leader, follower = pty.openpty()
    environment = {"TERM": "xterm", "COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(  # noqa: S603 - our own scripts
        command,
        stdout=subprocess.PIPE,
        stderr=follower,
        encoding="utf-8",
        cwd=folder,
        env=os.environ | environment,
    ) as process:
        os.close(follower)
        shown = b""
        with contextlib.suppress(OSError):  # the other side has gone
            while more := os.read(leader, 1000):
                shown += more
        assert process.stdout is not None
        printed = process.stdout.read()
    os.close(leader)
    assert process.returncode == 0
    return printed, shown


def run_alone(
    folder: Path,
    *arguments: object,
    program: str = "anls-frame",
    environment: dict[str, str] | None = None,
    **options: Any,
) -> Done:
    """Run a command in a process of its own; the options are those of `subprocess.run`."""
    streams = {} if "stdout" in options else {"capture_output": True}
    return subprocess.run(  # noqa: S603 - our own scripts
        [str(SCRIPTS / program), *map(str, arguments)],
        **{"encoding": "utf-8", "timeout": 240, "cwd": folder, **streams, **options},
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **(environment or {})},
    )
