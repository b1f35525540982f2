"""The problems of a file, collected while reading and raised together."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from anls_frame.exceptions import (
    InputError,
    Problem,
)
from anls_frame.readers.descriptions import READER_OPTIONS

_KEPT = 1000
_UNSAID: dict[Any, str] = {None: "", ...: "..."}


class Option(NamedTuple):
    """An option in a message, with the value to pass: `...` for any value, None for no value."""

    name: str
    value: Any = ...
    reader: str = "auto"
    """The reader that has it, if only one has."""

    def __str__(self) -> str:
        """Return the option as written in Python."""
        return f"{self.name}={_UNSAID.get(self.value, repr(self.value))}"

    @property
    def in_shell(self) -> str:
        """Return the option as written in the shell, quoted, with the name of its reader if it has one."""
        value = _UNSAID.get(self.value, str(self.value))
        if self.name in READER_OPTIONS:
            value = "true" if self.value is True else value
            return f"--reader {shlex.quote(f'{self.reader},{self.name}={value}')}"
        if self.name == "gold_id":
            return f"--gold FILE,gold_id={value}"
        has_value = bool(value) and self.value is not True
        return f"--{self.name.replace('_', '-')}" + (f" {shlex.quote(value)}" if has_value else "")


class Advice(str):
    """A message that says what to pass in Python and, as `in_shell`, in the shell."""

    __slots__ = ("in_shell",)
    in_shell: str

    def __new__(cls, *parts: str | Option) -> Self:
        """Put texts and options together."""
        advice = super().__new__(cls, "".join(map(str, parts)))
        advice.in_shell = "".join(part.in_shell if isinstance(part, Option) else part for part in parts)
        return advice


class Problems:
    """The problems of a file, or of several; all are counted, but only the first thousand kept."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or Path()
        self._kept: list[Problem] = []
        self._total = 0

    def add(self, message: str, place: str = "", path: Path | None = None) -> None:
        """Add a problem of the main file, if there is one, unless another file is given."""
        file = path or self.path
        self._add([Problem("" if file == Path() else str(file), place, message)], 1)

    def _add(self, problems: Sequence[Problem], total: int) -> None:
        self._total += total
        self._kept += problems[: _KEPT - len(self._kept)]

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Add the problems of an error raised in the block, and continue after the block."""
        try:
            yield
        except InputError as error:
            self._add(error.problems, error.total)

    def __len__(self) -> int:
        return self._total

    def raise_any(self) -> None:
        """Raise an error that lists all problems, if there are any."""
        if self._total:
            raise InputError(self._kept, self._total)


def problem(path: Path, message: str, place: str = "") -> InputError:
    """Return the error for a file that cannot be read further."""
    return InputError([Problem(str(path), place, message)])
