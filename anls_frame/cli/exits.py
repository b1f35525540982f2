"""What a command may end with: an exit code and a message, never a traceback."""

from __future__ import annotations

import os
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

FINE, GATE_FAILED, BAD_INPUT = 0, 1, 2
_INTERRUPTED = 130
_CLOSED_PIPE = 141

_OPTION = re.compile(
    r"(?P<before>: |[Pp]ass |as |or |; )"
    r"(?P<name>prediction|answers|answers_format|question_id|format|sheet|encoding|filter|scorer|epoch"
    r"|response|allow_missing)="
    r"(?P<value>\.\.\.|True|'[^']*'|)"
)
"""How messages of the readers name what to pass, which the shell has as options."""


_FIRST = re.compile(
    "^(?:threshold|cer_protocol|missing|worst|sort|confidence|max_length|min_nls|metric|seed|format|delimiter"
    "|answers_format|by|cluster|suffix)(?= (?:is|must|lies|takes|names)\\b)"
)
"""How messages of the library begin with the parameter that they are about."""


def guarded(program: str, run: Callable[[], int]) -> NoReturn:
    """Run and end the process: 130 after Ctrl-C and 141 after a closed pipe, as shells have it."""
    from polars.exceptions import PanicException, PolarsError

    from anls_frame.exceptions import InputError

    _prepare_streams()
    _show_warnings(program)
    try:
        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BrokenPipeError:
        _give_up_output()
        code = _CLOSED_PIPE
    except OSError as error:
        try:
            sys.stdout.flush()
        except OSError:
            _give_up_output()
        code = _failed(program, f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except InputError as error:
        code = _failed(program, _for_shell(str(error)))
    except (ValueError, TypeError, PolarsError, PanicException) as error:
        code = _failed(program, _FIRST.sub(_as_option, str(error)))
    except MemoryError:
        code = _failed(program, "not enough memory")
    sys.exit(code)


def _give_up_output() -> None:
    """Let the rest of the output go nowhere, which Python would print, and fail with, at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _prepare_streams() -> None:
    """Make every print succeed, whatever the terminal's encoding, and where a stream is closed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end
        else:
            # What a terminal of another encoding cannot show must not end the program.
            getattr(sys, name).reconfigure(errors="backslashreplace")


def _show_warnings(program: str) -> None:
    """Print what this package warns of as a line, without the place in the code."""
    from anls_frame.cli.output import say
    from anls_frame.exceptions import InputWarning

    usual = warnings.showwarning

    def show(  # noqa: PLR0917 - as the standard library has it
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, InputWarning):
            say(f"{program}: {_for_shell(str(message))}")
        else:
            usual(message, category, filename, lineno, file, line)

    warnings.showwarning = show


def _as_option(match: re.Match[str]) -> str:
    return f"--{match[0].replace('_', '-')}"


def _for_shell(message: str) -> str:
    """Write `prediction=...` as `--prediction ...`."""

    def option(match: re.Match[str]) -> str:
        value = match["value"].removeprefix("True").strip("'")
        return f"{match['before']}--{match['name'].replace('_', '-')} {value}".rstrip()

    return _OPTION.sub(option, message)


def _failed(program: str, message: str) -> int:
    from anls_frame.cli.output import plain

    print(f"{program}: {plain(message)}", file=sys.stderr)
    return BAD_INPUT
