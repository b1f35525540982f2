"""Counts of a system's predictions over all rows, in addition to the cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_UINT64 = 1 << 64

COUNTS = ("n_missing", "n_invented", "n_placeholders")


@dataclass(frozen=True, kw_only=True)
class Predictions:
    """
    The digest of a system's scored rows and counts of its predictions, which add up over parts.

    Parameters
    ----------
    digest
        Sum of the hashes of the scored rows.
    n_missing
        Number of missing predictions in rows with an answer; without texts, of missing scores.
    n_invented
        Number of predicted texts in rows without an answer.
    n_placeholders
        Number of predictions such as "N/A" that are scored as texts and are wrong.
    """

    digest: int
    n_missing: int
    n_invented: int = 0
    n_placeholders: int = 0

    def __add__(self, other: Predictions) -> Predictions:
        counts = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        return Predictions(digest=(self.digest + other.digest) % _UINT64, **counts)

    def to_dict(self) -> dict[str, Any]:
        """Return the values as a dictionary that can be written as JSON."""
        return {**vars(self), "digest": hexadecimal(self.digest)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Predictions:
        """Return the counts from the dictionary that `to_dict` returned."""
        return cls(**{**values, "digest": int(values["digest"], 16)})


def hexadecimal(digest: int) -> str:
    """Return a digest as 16 hexadecimal digits."""
    return f"{digest % _UINT64:016x}"


def digest_of(low: int, high: int) -> int:
    """Return a digest from the sums of the low and high halves of the hashes of rows."""
    return (low + (high << 32)) % _UINT64
