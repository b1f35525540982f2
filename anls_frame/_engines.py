"""Engines besides Polars and pandas, which compute functions of frames where the rows are stored."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
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

    def computed(home: Any, given: inspect.BoundArguments) -> T:
        given.apply_defaults()
        result: T = getattr(home, function.__name__)(**_listed(given.arguments))
        return result

    return _dispatched(function, computed)


def checked_first(function: Callable[Options, T]) -> Callable[Options, T]:
    """Let a function that calls one of `on_engines` report invalid options before rows are read."""

    def computed(home: Any, given: inspect.BoundArguments) -> T:
        options = _listed(given.arguments)
        function(**{**options, "frame": home.without_rows(options["frame"])})  # type: ignore[call-arg]
        return function(**options)  # type: ignore[call-arg]

    return _dispatched(function, computed)


def _dispatched(
    function: Callable[Options, T], elsewhere: Callable[[Any, inspect.BoundArguments], T]
) -> Callable[Options, T]:
    """Return a function that calls the engine's module, or the given function for other frames."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def on_any_frame(*arguments: Options.args, **options: Options.kwargs) -> T:
        home = _home(arguments, options)
        if home is None:
            return function(*arguments, **options)
        return elsewhere(home, signature.bind(*arguments, **options))

    return on_any_frame


def _listed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with lists in place of iterators."""
    return {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}


def _home(arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """Return the engine's module for a frame (the first argument); None for a frame in this process."""
    module = type(arguments[0] if arguments else options.get("frame")).__module__
    for frames, functions in _homes.items():
        if module == frames or module.startswith(f"{frames}."):
            return import_module(functions)
    return None
