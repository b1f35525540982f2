"""Texts that count what is done with them, for tests of how operations grow with the input."""

from __future__ import annotations

from collections.abc import Callable


class Counted(str):
    """A text that counts how often such texts are compared, hashed, or looked at for being empty."""

    __slots__ = ()
    operations = 0

    def __eq__(self, other: object) -> bool:
        Counted.operations += 1
        return str.__eq__(self, other)

    def __len__(self) -> int:
        Counted.operations += 1
        return str.__len__(self)

    def __hash__(self) -> int:
        Counted.operations += 1
        return str.__hash__(self)


def operations_of(function: Callable[[], object]) -> int:
    """Return how often a call does so."""
    Counted.operations = 0
    function()
    return Counted.operations
