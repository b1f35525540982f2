"""Keyword arguments of torchmetrics metrics: accepted where they apply here, otherwise rejected by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Keyword(NamedTuple):
    """The accepted values, and the reason why others are not."""

    values: tuple[object, ...]
    reason: str


_NOTHING_IS_SENT = (
    "this metric sends nothing to other processes; add up the metrics of all processes with `merge`"
)
_EITHER = (True, False)

_OPTIONS: dict[str, _Keyword] = {
    # Sums and scores are always on the CPU, and the value always covers all pairs so far.
    "compute_on_cpu": _Keyword(_EITHER, "sums are always kept on the CPU"),
    "compute_with_cache": _Keyword(_EITHER, "the value always covers all pairs so far"),
    "dist_sync_on_step": _Keyword((False,), _NOTHING_IS_SENT),
    "sync_on_compute": _Keyword((False,), _NOTHING_IS_SENT),
    "process_group": _Keyword((None,), _NOTHING_IS_SENT),
    "dist_sync_fn": _Keyword((None,), _NOTHING_IS_SENT),
    "distributed_available_fn": _Keyword((None,), _NOTHING_IS_SENT),
    # In torchmetrics before 0.11.
    "compute_on_step": _Keyword((True, None), "a call always returns the value of its batch; use `update`"),
}


def check_options(metric: str, options: Mapping[str, Any]) -> None:
    """Raise an error that names the first option that is not accepted."""
    for name, value in options.items():
        if name not in _OPTIONS:
            raise TypeError(
                f"{metric} has no argument {name!r}; it accepts these of torchmetrics: {', '.join(_OPTIONS)}"
            )
        values, reason = _OPTIONS[name]
        # By identity: 1 is not True, and values of other types may define their own equality.
        if not any(value is known for known in values):
            choices = " or ".join(map(repr, values))
            raise ValueError(f"{name} must be {choices}, got {value!r}: {reason}")
