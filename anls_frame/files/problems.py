"""The problems of a file, collected while reading and raised together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from anls_frame.exceptions import InputError, Problem

_KEPT = 1000


class Problems:
    """The problems of a file, or of several; all are counted, but only the first thousand kept."""

    def __init__(self, path: os.PathLike[str] | None = None) -> None:
        self.path = Path() if path is None else Path(path)
        self._kept: list[Problem] = []
        self._hints: dict[str, None] = {}
        self._total = 0

    def add(self, message: str, place: str = "", path: os.PathLike[str] | None = None) -> None:
        """Add a problem of the main file, if there is one, unless another file is given."""
        file = Path(path or self.path)
        self._add([Problem("" if file == Path() else str(file), place, message)], 1)

    def hint(self, *messages: str) -> None:
        """Say, once, below the problems what to do."""
        self._hints |= dict.fromkeys(messages)

    def _add(self, problems: Sequence[Problem], total: int) -> None:
        self._total += total
        self._kept += problems[: _KEPT - len(self._kept)]

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Add the problems of an error raised in the block, and continue after the block."""
        try:
            yield
        except InputError as error:
            if error.problems[-1] not in self._kept:  # as the folder of several files may be
                self._add(error.problems, error.total)
            self._hints |= dict.fromkeys(error.hints)

    def __len__(self) -> int:
        return self._total

    def raise_any(self) -> None:
        """Raise an error that lists all problems, if there are any."""
        if self._total:
            raise InputError(self._kept, self._total, self._hints)


def problem(path: os.PathLike[str], message: str, place: str = "") -> InputError:
    """Return the error for a file that cannot be read further."""
    return InputError([Problem(os.fspath(path), place, message)])
