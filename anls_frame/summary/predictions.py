"""Counts of a system's predictions over all rows, in addition to the cells."""

from __future__ import annotations

from dataclasses import dataclass

COUNTS = ("n_missing", "n_invented", "n_placeholders")


@dataclass(frozen=True, kw_only=True)
class Predictions:
    """
    The digest of a system's scored rows and counts of its predictions, which add up over parts.

    Parameters
    ----------
    digest
        Sum of the hashes of the scored rows, modulo 2**64.
    n_missing
        Number of missing predictions in rows with an answer; without texts, of missing scores.
    n_invented
        Number of predicted texts in rows without an answer.
    n_placeholders
        Number of predictions such as "N/A" that are scored as texts and are wrong.
    n_empty_answers
        Number of rows without an answer that are scored against the empty text.
    """

    digest: int
    n_missing: int
    n_invented: int = 0
    n_placeholders: int = 0
    n_empty_answers: int = 0

    def __add__(self, other: Predictions) -> Predictions:
        return Predictions(**{name: value + getattr(other, name) for name, value in vars(self).items()})


def hexadecimal(digest: int) -> str:
    """Return a digest as 16 hexadecimal digits."""
    return f"{digest % (1 << 64):016x}"
