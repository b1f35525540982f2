"""Metrics named on the command line: built-in ones, columns of the file, and functions in Python files."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame._text import visible
from anls_frame.frames import origins
from anls_frame.summary import own_metrics
from anls_frame.summary.catalogue import NAMES, OTHER_NAMES, SETS
from anls_frame.summary.measures import Metric

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from types import ModuleType


def parse(
    names: Sequence[str] | None, columns: Callable[[], Collection[str]] = tuple
) -> list[str | Metric] | None:
    """Return metrics by their names, as `one` does."""
    return [one(name, columns) for name in names] if names else None


def one(name: str, columns: Callable[[], Collection[str]] = tuple) -> str | Metric:
    """
    Return a metric by its name.

    FILE.py:NAME and MODULE:NAME name functions and metrics in Python, unless a column has this very name. The
    columns are asked for only if a name could be both.
    """
    return _from_python(name) if _is_python(name) and name not in columns() else name


def columns(metrics: Sequence[str | Metric] | None) -> list[str]:
    """Return the columns that hold scores."""
    given = metrics or ()
    named = [name for name in given if isinstance(name, str) and not _is_built_in(name)]
    own = [metric for metric in given if isinstance(metric, Metric)]
    values = [value for metric in own for value in (metric.numerator, metric.denominator)]
    of_systems = [name for value in values if isinstance(value, Mapping) for name in value.values()]
    return [*named, *of_systems, *own_metrics.needed(own)]


def with_numbers(frame: pl.LazyFrame, names: Sequence[str]) -> pl.LazyFrame:
    """Return a table with columns of scores as numbers: in text files they are strings, and "" is missing."""
    schema = frame.collect_schema()
    texts = [name for name in dict.fromkeys(names) if schema.get(name) == pl.String]
    return origins.like(frame.with_columns(_number(name) for name in texts), frame)


def _number(name: str) -> pl.Expr:
    def convert(written: pl.Series) -> pl.Series:
        filled = written.set(written == "", None)
        found = filled.str.strip_chars().cast(pl.Float64, strict=False)
        wrong = written.filter(found.is_null() & filled.is_not_null())
        if wrong.len():
            raise ValueError(f"column {name!r} must hold numbers, got {visible(str(wrong[0]))!r}")
        return found

    return cs.by_name(name).map_batches(convert, return_dtype=pl.Float64, is_elementwise=True)


def _is_built_in(name: str) -> bool:
    return name in (*SETS, *NAMES, *OTHER_NAMES)


def _is_python(name: str) -> bool:
    module, colon, attribute = name.rpartition(":")
    return bool(colon) and attribute.isidentifier() and bool(module)


def _from_python(name: str) -> Metric:
    module_name, _, attribute = name.rpartition(":")
    module = _module(module_name)
    found: Any = getattr(module, attribute, None)
    if isinstance(found, Metric):
        return found
    if callable(found):
        return Metric(found, name=attribute)
    raise ValueError(f"--metric {name}: {module_name} has no metric or function {attribute!r}")


def _module(name: str) -> ModuleType:
    path = Path(name)
    if path.suffix != ".py":
        # As for `python -m`: modules of the current folder are found.
        if "" not in sys.path:
            sys.path.insert(0, "")
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise ValueError(f"--metric: cannot import {name!r}: {error}") from None
    if not path.is_file():
        raise FileNotFoundError(2, "No such file", str(path))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - the suffix says Python
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
