"""What a command may end with: an exit code and a message, never a traceback."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

FINE, GATE_FAILED, BAD_INPUT = 0, 1, 2
_INTERRUPTED = 130
_CLOSED_PIPE = 141

_OPTION = re.compile(
    r"(?P<before>: |pass |as |; )"
    r"(?P<name>prediction|answers|question_id|format|sheet|encoding|filter|scorer|epoch|allow_missing)="
    r"(?P<value>\.\.\.|True|'[^']*'|)"
)
"""How messages of the readers name what to pass, which the shell has as options."""


def guarded(program: str, run: Callable[[], int]) -> NoReturn:
    """Run and end the process: 130 after Ctrl-C and 141 after a closed pipe, as shells have it."""
    from polars.exceptions import PolarsError

    from anls_frame.exceptions import InputError

    for stream in (sys.stdout, sys.stderr):
        # What a terminal of another encoding cannot show must not end the program.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = _CLOSED_PIPE
    except OSError as error:
        code = _failed(program, f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except InputError as error:
        code = _failed(program, _for_shell(str(error)))
    except (ValueError, TypeError, PolarsError) as error:
        code = _failed(program, str(error))
    except MemoryError:
        code = _failed(program, "not enough memory")
    sys.exit(code)


def _for_shell(message: str) -> str:
    """Write `prediction=...` as `--prediction ...`."""

    def option(match: re.Match[str]) -> str:
        value = match["value"].removeprefix("True").strip("'")
        return f"{match['before']}--{match['name'].replace('_', '-')} {value}".rstrip()

    return _OPTION.sub(option, message)


def _failed(program: str, message: str) -> int:
    from anls_frame.cli._output import plain

    print(f"{program}: {plain(message)}", file=sys.stderr)
    return BAD_INPUT
