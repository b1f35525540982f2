"""Pause Python's garbage collector while a file is read."""

from __future__ import annotations

import gc
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def paused(read: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """
    Pause the collector in each call of the function.

    A file becomes millions of lists and dictionaries that live until its columns are made, and none refers
    back to itself. The collector would look at all of them again and again, a third of the time that reading
    takes.
    """

    # Not a context manager: its frame, of another package, would be the line that warnings name.
    @wraps(read)
    def call(*arguments: _Arguments.args, **options: _Arguments.kwargs) -> _Result:
        enabled = gc.isenabled()
        gc.disable()
        try:
            return read(*arguments, **options)
        finally:
            if enabled:
                gc.enable()

    return call
