"""The problems of a file, collected while reading and raised together."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from anls_frame.exceptions import InputError, Problem
from anls_frame.readers.descriptions import READER_OPTIONS

_KEPT = 1000
_OF_SHELL = re.compile(
    "answers|cluster|details|epoch|gold|keep|metric|pass_at|prediction|repeats|runs|scores|systems|unmatched"
    "|worst"
)
"""Options of the shell, besides those of readers, that messages name."""
# Quoted data in a message, or an option with its value, which may be left out.
_OPTION = re.compile(
    r"""(?<!\w)(?:'[^']*'|"[^"]*")|(?<!\S)(?P<name>[a-z_]+)=(?P<value>'[^']*'|"[^"]*"|\.\.\.|-?\w+)?"""
)


class Advice(str):
    """A message with options as they are written in Python; `in_shell` has them as in the shell."""

    __slots__ = ()

    @property
    def in_shell(self) -> str:
        """The message with options as written in the shell; those of readers follow the reader's name."""
        return _OPTION.sub(_in_shell, self)


def _in_shell(option: re.Match[str]) -> str:
    name, value = option["name"], option["value"] or ""
    value = str(ast.literal_eval(value)) if value[:1] in {"'", '"'} else value
    if name == "question_id":
        return f"--id {shlex.quote(value)}" if value else "--id"
    if name in READER_OPTIONS:
        reader = "table" if name == "format" else "auto"
        value = value.lower() if value in {"True", "False"} else value
        return f"--reader {shlex.quote(f'{reader},{name}={value}')}"
    if name == "gold_id":
        return f"--gold FILE,gold_id={value}"
    if name is None or not _OF_SHELL.fullmatch(name):
        return option[0]
    return f"--{name.replace('_', '-')}" + (f" {shlex.quote(value)}" if value not in {"", "True"} else "")


class Problems:
    """The problems of a file, or of several; all are counted, but only the first thousand kept."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or Path()
        self._kept: list[Problem] = []
        self._hints: dict[Advice, None] = {}
        self._total = 0

    def add(self, message: str, place: str = "", path: Path | None = None) -> None:
        """Add a problem of the main file, if there is one, unless another file is given."""
        file = path or self.path
        self._add([Problem("" if file == Path() else str(file), place, Advice(message))], 1)

    def hint(self, message: str) -> None:
        """Say, once, below the problems what to do."""
        self._hints[Advice(message)] = None

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
            self._hints |= {Advice(hint): None for hint in error.hints}

    def __len__(self) -> int:
        return self._total

    def raise_any(self) -> None:
        """Raise an error that lists all problems, if there are any."""
        if self._total:
            raise InputError(self._kept, self._total, self._hints)


def problem(path: Path, message: str, place: str = "") -> InputError:
    """Return the error for a file that cannot be read further."""
    return InputError([Problem(str(path), place, Advice(message))])
