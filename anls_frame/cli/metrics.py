"""Metrics named on the command line: built-in metrics, columns of the file, and functions in Python files."""

from __future__ import annotations

import errno
import importlib
import runpy
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from anls_frame.summary.measures import Metric


def parse(
    names: Sequence[str] | None, columns: Callable[[], Collection[str]] = tuple
) -> list[str | Metric] | None:
    """Return metrics by their names, as `metric_named` does."""
    return [metric_named(name, columns) for name in names] if names else None


def metric_named(name: str, columns: Callable[[], Collection[str]] = tuple) -> str | Metric:
    """
    Return a metric by its name.

    FILE.py:NAME and MODULE:NAME name functions and metrics in Python, median:NAME and quantile:0.9:NAME name
    quantiles of a score, bounds:0:1:NAME a score with its bounds, lower:NAME and higher:NAME one with its
    direction, and ratio:usd:right the ratio of the sums of two columns, unless a column has exactly this
    name.
    The columns are read only if a name is ambiguous.
    """
    if ":" not in name or name in columns():
        return name
    kind, _, score = name.partition(":")
    if kind in {"median", "quantile"}:
        probability, _, score = ("0.5", "", score) if kind == "median" else score.partition(":")
        try:
            number = float(probability)
        except ValueError:
            raise ValueError(
                f"--metric {name}: write a probability and a score, as quantile:0.9:cer"
            ) from None
        return Metric.quantile(metric_named(score, columns), number)
    if kind == "bounds":
        return _bounded(name, columns)
    if kind in {"lower", "higher"}:
        return _described(score, columns, higher_is_better=kind == "higher")
    if kind == "ratio":
        numerator, _, denominator = score.partition(":")
        if not (numerator and denominator):
            raise ValueError(f"--metric {name}: write two columns, as ratio:usd:right")
        return Metric(numerator, denominator=denominator, name=f"{numerator}_per_{denominator}")
    module, _, attribute = name.rpartition(":")
    return _from_python(module, attribute) if module and attribute.isidentifier() else name


def _bounded(name: str, columns: Callable[[], Collection[str]]) -> Metric:
    """Return the metric of a name such as bounds:0:1:judge; an end that is empty is open."""
    _, *ends, score = name.split(":", 3)
    try:
        bounds = tuple(float(end) if end else None for end in ends)
    except ValueError:
        bounds = ()
    if len(bounds) != 2:  # noqa: PLR2004
        raise ValueError(
            f"--metric {name}: write both bounds and a score, as bounds:0:1:judge or bounds:0::loss"
        )
    return _described(score, columns, bounds=bounds)


def _described(score: str, columns: Callable[[], Collection[str]], **options: Any) -> Metric:
    """Return the metric of a column or function with an option, as `Metric` does, whatever its name."""
    metric = metric_named(score, columns)
    return Metric(metric, **options) if isinstance(metric, str) else replace(metric, **options)


def _from_python(module: str, attribute: str) -> Metric:
    value = getattr(_module(module), attribute, None)
    if isinstance(value, Metric):
        return value
    if callable(value):
        return Metric(value, name=attribute)
    raise ValueError(f"--metric {module}:{attribute}: {module} has no metric or function {attribute!r}")


def _module(name: str) -> Any:
    """Return a module, or what a file of Python defines."""
    path = Path(name)
    if path.suffix == ".py":
        if not path.is_file():
            raise FileNotFoundError(errno.ENOENT, "there is no such file", name)
        return SimpleNamespace(**runpy.run_path(name))
    # As for `python -m`: modules of the current folder are found.
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ValueError(f"--metric: cannot import {name!r}: {error}") from None
