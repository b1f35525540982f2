"""
The end of commands, with an exit code and a message.

Only errors of the program, or of a custom metric, show a traceback; they also end with 2, because 1 means
that a gate failed.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from anls_frame.cli.spelling import spelled

GATE_FAILED, BAD_INPUT, UNDECIDED = 1, 2, 3
_DECIDED = {"fine": 0, "undecided": UNDECIDED, "regressed": GATE_FAILED}
_INTERRUPTED = 130
CLOSED_PIPE = 141


def gate_code(*answers: str) -> int:
    """Return the exit code of the decisions of a gate: 1 if one regressed, 3 if one is undecided, or 0."""
    return _DECIDED[max(answers, key=[*_DECIDED].index)]


def guarded(program: str, run: Callable[[], int]) -> NoReturn:
    """Run and end the process, with 130 after Ctrl-C and 141 after a closed pipe, as usual in shells."""
    # All objects end with the process: looking for cycles among them took a sixth of a short command.
    atexit.register(gc.freeze)
    # OpenBLAS starts a thread for each core when numpy is imported, which took another sixth. One thread also
    # makes products of matrices, and so their last digits, independent of the number of cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _prepare_streams()
    _show_warnings(program)
    message = None
    try:
        code = run()
        sys.stdout.flush()
    except SystemExit:
        raise
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BrokenPipeError:
        _give_up_output()
        code = CLOSED_PIPE
    except OSError as error:
        try:
            sys.stdout.flush()
        except OSError:
            _give_up_output()
        # What `open` raises, in the words of the readers.
        is_plain = error.strerror == os.strerror(errno.ENOENT)
        said = "there is no such file" if is_plain else spelled(error.strerror)
        message = f"{error.filename}: {said}" if error.filename else str(error)
    except MemoryError:
        message = "not enough memory"
    except _errors_of_input() as error:
        message = _message(error)
    except Exception as error:  # noqa: BLE001 - Python would end with 1, which means that a gate failed
        traceback.print_exc()
        message = f"{type(error).__name__}: an error of this program, or of a metric of your own; see above"
    if message is not None:
        from anls_frame.cli.output import say

        say(message, program)
        code = BAD_INPUT
    sys.exit(code)


def _errors_of_input() -> tuple[type[BaseException], ...]:
    """Return the errors of wrong input; Polars, which has some of them, is imported only for an error."""
    from polars.exceptions import PanicException, PolarsError

    return ValueError, TypeError, PolarsError, PanicException


def _message(error: BaseException) -> str:
    """Return the message of an error, with options named as on the command line."""
    from anls_frame.exceptions import InputError
    from anls_frame.frames.checks import plugin_message

    if not isinstance(error, InputError):
        return plugin_message(spelled(error.args[0] if len(error.args) == 1 else error))
    problems = [problem._replace(message=spelled(problem.message)) for problem in error.problems]
    return str(InputError(problems, error.total, map(spelled, error.hints)))


def _give_up_output() -> None:
    """Discard the remaining output, which Python would otherwise flush at exit, and fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _prepare_streams() -> None:
    """Make every print succeed, with any encoding of the terminal and with closed streams."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end
        else:
            # Characters that the terminal's encoding lacks must not end the program.
            getattr(sys, name).reconfigure(errors="backslashreplace")


def _show_warnings(program: str) -> None:
    """Print this package's warnings as one line, without the place in the code."""
    usual = warnings.showwarning

    def show(message: Warning | str, *place: Any, **more: Any) -> None:
        from anls_frame.cli.output import say
        from anls_frame.exceptions import InputWarning

        if isinstance(message, InputWarning):
            say(spelled(message.args[0]), program)
        else:
            usual(message, *place, **more)

    warnings.showwarning = show
