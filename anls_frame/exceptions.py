"""Exceptions and warnings of this package."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from polars.exceptions import ColumnNotFoundError, PolarsError

from anls_frame._messages import Message, Named

__all__ = [
    "ColumnNotFoundError",
    "DTypeError",
    "DuplicateColumnError",
    "InputError",
    "InputWarning",
    "Problem",
]

_SHOWN_PROBLEMS = 20
_SHOWN_ALIKE = 3
_PACKAGE = str(Path(__file__).parent)


class DTypeError(TypeError, PolarsError):
    """
    A column has a dtype that does not fit its role.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": [1, 2], "answer": ["1", "2"]})
    >>> try:
    ...     af.add_scores(df, "prediction", "answer")
    ... except af.DTypeError as error:
    ...     print(error)
    `score` needs one string per row (String), but column 'prediction' has dtype Int64. Read the file with `schema_overrides={'prediction': pl.String}`, or with `anls_frame.read_results`, which keeps numbers as they are written (42, 42.0, 042), or make texts of whole numbers with `.cast(pl.String)`.
    """  # noqa: E501 - printed output


class DuplicateColumnError(ValueError, PolarsError):
    """
    A new column would have the name of an existing column.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a"], "answer": ["a"], "nls": [0.5]})
    >>> try:
    ...     af.add_scores(df, "prediction", "answer", columns=["nls"])
    ... except af.DuplicateColumnError as error:
    ...     print(error)
    the frame already has the columns ['nls']; pass overwrite=True to replace them, prefix= or suffix= to give the new ones other names, or columns= to add only some of them
    """  # noqa: E501 - printed output


class InputWarning(UserWarning):
    """
    The data look valid but are probably not what the function expects.

    Examples
    --------
    >>> import warnings
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["Coke"], "answers": ["['Coke', 'Coca Cola']"]})
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = af.add_scores(df, "prediction", "answers")
    >>> print(str(caught[0].message).partition(";")[0])
    column 'answers' holds lists that were printed as text, such as "['Coke', 'Coca Cola']"
    """


def warn(*said: str | Named, category: type[Warning] = InputWarning) -> None:
    """Warn with these parts, and attribute the warning to the line outside this package that called it."""
    warning_at_caller()(Message(*said), category)


def warning_at_caller() -> Callable[[str, type[Warning]], None]:
    """Return a function that warns from any thread and attributes the warning to the line of `warn`."""
    # Like `skip_file_prefixes` of Python 3.12.
    frame: Any = inspect.currentframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    code, line, names = frame.f_code, frame.f_lineno, frame.f_globals

    def warn_there(message: str, category: type[Warning]) -> None:
        registry = names.setdefault("__warningregistry__", {})
        module = names.get("__name__", "<unknown>")
        warnings.warn_explicit(message, category, code.co_filename, line, module, registry)

    return warn_there


class Problem(NamedTuple):
    """A problem in a file, with its place."""

    file: str
    place: str
    """A line, an index, a cell or an id; empty for the file as a whole."""
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in self if part)


class InputError(ValueError):
    r"""A file has invalid content.

    The error lists all problems of the file at once, each with its place.

    Parameters
    ----------
    problems
        The problems, in the order of the file. The message shows 20 of them; if there are more, up
        to three with the same message.
    total
        Total number of problems, if `problems` does not hold all of them.
    hints
        What to do, at the end of the message.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> path = Path(tempfile.mkdtemp()) / "results.csv"
    >>> _ = path.write_text("id,prediction,answer\n1,a,a\n2,b\n1,c,c\n")
    >>> try:
    ...     af.read_results(path)
    ... except af.InputError as error:
    ...     print([(problem.place, problem.message) for problem in error.problems])
    [('line 3', '2 fields instead of 3'), ('line 4', "duplicate id '1', first seen at line 2")]
    """

    def __init__(
        self, problems: Iterable[Problem], total: int | None = None, hints: Iterable[str] = ()
    ) -> None:
        self.problems = tuple(problems)
        self.total = len(self.problems) if total is None else total
        self.hints = tuple(hints)
        super().__init__(self._text())

    def _text(self) -> str:
        kinds: dict[object, list[Problem]] = {}
        for problem in dict.fromkeys(self.problems):
            # Whole files that share a problem are of one kind.
            kind = (problem.place and problem.file, problem.message)
            kinds.setdefault(kind if self.total > _SHOWN_PROBLEMS else problem, []).append(problem)
        named = list(kinds.values())[:_SHOWN_PROBLEMS]
        shown = ["\n".join(map(str, alike[:_SHOWN_ALIKE])) for alike in named]
        for place, alike in enumerate(named):
            if (n := len(alike) - _SHOWN_ALIKE) > 0:
                shown[place] += f" ({n:,} more like this)"
        if (n_left := self.total - sum(map(len, named))) > 0:
            shown.append(f"... and {n_left:,} more")
        heading = [] if self.total == 1 else [f"{self.total:,} problems:"]
        return "\n".join([*heading, *shown, *self.hints])

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...], int, tuple[str, ...]]]:
        return InputError, (self.problems, self.total, self.hints)
