"""
Checks of arguments, with uniform error messages: "threshold must be a number in [0, 1], got 2".

NumPy numbers are accepted as numbers; True, False and NaN are not.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

from anls_frame._messages import Message, about, wrong
from anls_frame._text import nearest

T = TypeVar("T")
Options = ParamSpec("Options")

_WIDEST_IN_POINTS = 2
"""Scores of a wider range, such as 0 to 100, are not quoted in points of 0.01."""


class ArgumentTypeError(TypeError, ValueError):
    """A number or a choice of the wrong type, which `except ValueError` catches, too."""


_OF_COLUMNS = (
    "prediction answers systems system id question_id on by cluster metrics keep columns image "
    "model_confidence baseline scores length cer error_type score truth repaired "
    "probability stratum x y"
)
COLUMNS = frozenset(_OF_COLUMNS.split())
"""Parameters of functions of frames that take names of columns."""
_ALSO_EXPRESSIONS = ("by", "columns", "metrics", "a metric")


def takes_names(function: Callable[Options, T]) -> Callable[Options, T]:
    """Let a function of a frame explain which options it has, and what to pass for names of columns."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def with_names(*arguments: Options.args, **options: Options.kwargs) -> T:
        given = bound(function, signature.bind_partial, arguments, options)
        for name, value in given.arguments.items():
            if name in COLUMNS:
                refuse_columns(name, value, f"{name}=")
                # pandas has the names of columns as an index.
                given.arguments[name] = value.tolist() if hasattr(value, "tolist") else value
        return function(*given.args, **given.kwargs)

    return with_names


def bound(
    function: Callable[..., Any],
    bind: Callable[..., inspect.BoundArguments],
    arguments: Iterable[Any],
    options: Mapping[str, Any],
) -> inspect.BoundArguments:
    """Return the arguments of a call by name; an error says what the function takes."""
    try:
        return bind(*arguments, **options)
    except TypeError as failed:
        error = failed
    parameters, named = inspect.signature(function).parameters, inspect.Parameter.KEYWORD_ONLY
    of_call = [f"{name}=..." if one.kind is named else name for name, one in parameters.items()]
    message = f"{function.__name__}(): {error}; it takes `{function.__name__}({', '.join(of_call)})`"
    unknown = next((name for name in options if name not in parameters), None)
    hint = "" if unknown is None else nearest(unknown, [*parameters])
    if unknown is not None and not hint and "protocol" in parameters:
        preset = f"anls_frame.PROTOCOLS[{parameters['protocol'].default!r}]"
        hint = f"; the protocol says what counts as equal: `protocol={preset}.replace(ignore_case=True)`"
    raise TypeError(f"{message}{hint}")


def refuse_columns(name: str, value: object, before: str = "") -> None:
    """
    Raise an error if names of columns are, or include, a Series, `pandas.col`, a frame or `df.anls`.

    So does an expression of Polars, where only names are taken. `before` is the text before the name in a
    call.
    """
    kinds = {_type_name(kind) for kind in type(value).__mro__}
    columns = {"pandas.Series", "pandas.Expression", "polars.Series"}
    if name not in _ALSO_EXPRESSIONS:
        columns.add("polars.Expr")
    is_accessor = "anls_frame.AnlsFrameNamespace" in kinds
    if kinds & {"pandas.DataFrame", "polars.DataFrame", "polars.LazyFrame"}:
        given = f"takes names of columns, got a {type_name(value)}"
        raise TypeError(about(name, f"{given}; join the frames first, with `anls_frame.pair`"))
    if is_accessor or kinds & columns:
        called = "anls" if is_accessor else getattr(value, "name", None)
        advice = (
            f"pass its name: {before}{called!r}" if isinstance(called, str) and called else "pass its name"
        )
        given = "the accessor `df.anls`" if is_accessor else f"a {type_name(value)}"
        if name == "by" and not is_accessor:
            assigned = (
                "`with_columns(group=...)`" if "polars.Series" in kinds else "`frame.assign(group=...)`"
            )
            advice += f' if the frame has it; otherwise add it, as with {assigned}, and pass by="group"'
        raise TypeError(about(name, f"takes names of columns, got {given}; {advice}"))
    entries = list(value.values()) if isinstance(value, Mapping) else value
    for entry in entries if isinstance(entries, list | tuple) else ():
        refuse_columns(name, entry)


def check_names(names: Iterable[object]) -> None:
    """Raise an error unless names of columns are strings."""
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"a column name must be a string, got {name!r}")


def choice(name: str, value: T, choices: Iterable[object]) -> T:
    """Return the value; raise an error unless it is a valid choice."""
    choices = tuple(choices)
    # Only within a type, because a Series or an expression cannot be compared with a text.
    if not any(isinstance(value, type(one)) and value == one for one in choices):
        error = ValueError if isinstance(value, str) else ArgumentTypeError
        raise error(_must(name, f"one of {', '.join(map(repr, choices))}", value))
    return value


def count(name: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """Return the value as an int; raise an error unless it is an integer within the bounds."""
    wanted = f"an integer of at least {least}" if most is None else f"an integer from {least:,} to {most:,}"
    if not _is(numbers.Integral, value):
        raise ArgumentTypeError(_must(name, wanted, value))
    if value < least or (most is not None and value > most):
        raise ValueError(_must(name, wanted, value))
    return int(value)


def share(name: str, value: Any, *, ends: bool = True) -> float:
    """Return the value as a float; raise an error unless it is in [0, 1], or (0, 1) without `ends`."""
    return number(name, value, 0, 1, ends=ends)


def level_of_run(alpha: float, planned_runs: Any) -> float:
    """Return the level of each of several runs on the same documents, so that alpha holds overall."""
    return alpha / count("planned_runs", planned_runs, 1)


def number(name: str, value: Any, least: float, most: float = math.inf, *, ends: bool = True) -> float:
    """Return a finite number as a float; raise an error unless it is within the bounds (`ends` inclusive)."""
    if most == math.inf:
        wanted = f"a number {'of at least' if ends else 'above'} {least}"
    else:
        wanted = f"a number in {'[' if ends else '('}{least}, {most}{']' if ends else ')'}"
    if not _is(numbers.Real, value):
        raise ArgumentTypeError(_must(name, wanted, value))
    # The value is compared before it is rounded to a float. NaN fails both comparisons.
    inside = least <= value <= most if ends else least < value < most
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not inside or math.isinf(result):
        raise ValueError(_must(name, wanted, value))
    return result


def margin(
    name: str,
    value: Any,
    bounds: tuple[float | None, float | None],
    score: str,
    *,
    zero: bool = False,
    in_points: bool = False,
) -> float:
    """
    Return a difference of scores as a float; raise an error unless scores within the bounds can exceed it.

    A gate with a larger margin always passes. Only `zero` lets the margin be 0. For scores `in_points`, such
    as error rates without an upper bound, 1 is 100 percentage points, so a margin this large was meant as a
    percentage.
    """
    loss = number(name, value, 0, ends=zero)
    low, high = bounds
    widest = math.inf if low is None or high is None else high - low
    limit = min(widest, 1) if in_points else widest
    if loss < limit:
        return loss
    reason = f"which is 100 percentage points of {score}"
    if limit == widest:
        reason = f"because {score} lies between {low:g} and {high:g} and cannot change by more"
    points = "; 1 percentage point is 0.01" if limit <= _WIDEST_IN_POINTS else ""
    raise wrong(name, f"must be less than {limit:g}, {reason}, got {loss:g}{points}")


def flag(name: str, value: Any) -> bool:
    """Return the value; raise an error unless it is True or False."""
    if not isinstance(value, bool):
        raise TypeError(_must(name, "True or False", value))
    return value


def string(name: str, value: Any, wanted: str = "a string") -> str:
    """Return the value; raise an error unless it is a string, and text."""
    if not isinstance(value, str):
        raise TypeError(about(name, f"must be {wanted}, got {type(value).__name__}"))
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            message = f"{name} holds half of a surrogate pair, which is not text: {value!a}"
            raise ValueError(message) from None
    return value


def strings(name: str, values: Any) -> list[str]:
    """Return the values as a list; raise an error unless they are several strings, not one."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(_must(name, "a list of strings", values))
    return [string(f"each of {name}", value) for value in values]


def type_name(value: object) -> str:
    """Return the name of a value's type with its library, because Polars and pandas share names of types."""
    return _type_name(type(value))


def _type_name(kind: type) -> str:
    library = kind.__module__.partition(".")[0]
    return kind.__qualname__ if library == "builtins" else f"{library}.{kind.__qualname__}"


def _is(kind: type, value: object) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _must(name: str, wanted: str, value: object) -> Message:
    shown = repr(value)
    if "\n" in shown:
        shown = type_name(value)
    return about(name, f"must be {wanted}, got {shown}")
