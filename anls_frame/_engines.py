"""Engines besides Polars and pandas, which compute functions of frames where the rows are stored."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
Options = ParamSpec("Options")

_homes: dict[str, str] = {}


def register(frames: str, functions: str) -> None:
    """
    Register the module that computes functions of a kind of frame.

    Parameters
    ----------
    frames
        The package or module of the class of frames.
    functions
        A module with functions of the same names, which take the frame and all options by name, and with
        `without_rows`. It is imported when such a frame is passed.
    """
    _homes[frames] = functions


def on_engines(function: Callable[Options, T]) -> Callable[Options, T]:
    """Let a function of a frame also accept frames of other engines, with the same options."""

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
    """Return a function that calls the other one for frames of engines, with their module and all options."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def on_any_frame(*arguments: Options.args, **options: Options.kwargs) -> T:
        functions = _functions(arguments[0] if arguments else options.get("frame"))
        if functions is None:
            return function(*arguments, **options)
        given = signature.bind(*arguments, **options)
        given.apply_defaults()
        # An iterator would be read up by the first of several calls.
        listed = {name: list(v) if isinstance(v, Iterator) else v for name, v in given.arguments.items()}
        return elsewhere(import_module(functions), listed)

    return on_any_frame


def _functions(frame: Any) -> str | None:
    """Return the name of the module that computes functions of a frame; None for one in this process."""
    module = f"{type(frame).__module__}."
    return next((_homes[frames] for frames in _homes if module.startswith(f"{frames}.")), None)
