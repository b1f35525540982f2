"""Which values of frames and of JSON say that nothing is there."""

from __future__ import annotations

from anls_frame.frames.strict_json import Number


def is_missing(value: object) -> bool:
    """Return whether a single value is missing: None, NaN of any type, NaT, pandas' NA, or JSON's NaN."""
    if value is None:
        return True
    if isinstance(value, str):
        return isinstance(value, Number) and value == "NaN"
    if hasattr(value, "__len__"):
        return False
    try:
        return bool(value != value)  # noqa: PLR0124 - true of NaN and NaT alone
    except ArithmeticError:  # a signalling NaN of Decimal must not be compared
        return True
    except TypeError:  # pandas' NA equals nothing, not even in a condition
        return type(value).__name__ == "NAType"
