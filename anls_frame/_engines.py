"""Daft frames, alone or in batches: functions of frames compute where the rows are stored."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
Options = ParamSpec("Options")

_DAFT = ("daft.", "anls_frame.distributed.")
"""The packages of the classes of such frames."""


def on_engines(function: Callable[Options, T]) -> Callable[Options, T]:
    """Let a function of a frame also accept Daft frames, with the same options."""

    def computed(home: Any, options: dict[str, Any]) -> T:
        result: T = getattr(home, function.__name__)(**options)
        return result

    return _dispatched(function, computed)


def checked_first(function: Callable[Options, T]) -> Callable[Options, T]:
    """Let a function that calls one of `on_engines` report invalid options before rows are read."""

    def computed(home: Any, options: dict[str, Any]) -> T:
        function(**{**options, "frame": home.without_rows(options["frame"])})  # type: ignore[call-arg]
        return function(**options)  # type: ignore[call-arg]

    return _dispatched(function, computed)


def _dispatched(
    function: Callable[Options, T], elsewhere: Callable[[Any, dict[str, Any]], T]
) -> Callable[Options, T]:
    """Return a function that calls the other one for Daft frames, with their module and all options."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def on_any_frame(*arguments: Options.args, **options: Options.kwargs) -> T:
        frame = arguments[0] if arguments else options.get("frame")
        if not type(frame).__module__.startswith(_DAFT):
            return function(*arguments, **options)
        given = signature.bind(*arguments, **options)
        given.apply_defaults()
        # An iterator would be read up by the first of several calls.
        listed = {name: list(v) if isinstance(v, Iterator) else v for name, v in given.arguments.items()}
        return elsewhere(import_module("anls_frame.distributed.frames"), listed)

    return on_any_frame
