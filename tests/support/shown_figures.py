"""Figures as people read them, written out once more."""

from __future__ import annotations

NONE = "\N{EN DASH}"


def shown_p(p: float | None) -> str:
    """Return a p-value in three decimals."""
    return NONE if p is None else "<0.001" if p < 0.0005 else f"{p:.3f}"


def shown_difference(value: float) -> str:
    """Return a difference with its sign in three decimals, or in its first digit that is not 0."""
    if abs(value) < 1e-9:
        return "0.000"
    return f"{value:+.3f}" if abs(value) >= 0.0005 else f"{value:+.0e}".replace("e-0", "e-")
