"""Keyword arguments of every torchmetrics metric: taken where they hold here, refused by name elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Option(NamedTuple):
    """The values that hold here, and why others do not."""

    values: tuple[object, ...]
    reason: str


_NOTHING_IS_SENT = (
    "a metric here sends nothing to other processes; add the metrics of all processes up with `merge`"
)
_EITHER = (True, False)

_OPTIONS: dict[str, _Option] = {
    # Sums and scores are on the CPU in any case, and the value is always that of the pairs so far.
    "compute_on_cpu": _Option(_EITHER, "sums are always kept on the CPU"),
    "compute_with_cache": _Option(_EITHER, "the value is always that of all pairs so far"),
    "dist_sync_on_step": _Option((False,), _NOTHING_IS_SENT),
    "sync_on_compute": _Option((False,), _NOTHING_IS_SENT),
    "process_group": _Option((None,), _NOTHING_IS_SENT),
    "dist_sync_fn": _Option((None,), _NOTHING_IS_SENT),
    "distributed_available_fn": _Option((None,), _NOTHING_IS_SENT),
    # Of torchmetrics before 0.11.
    "compute_on_step": _Option((True, None), "a call always returns the value of its batch; use `update`"),
}


def check_options(metric: str, options: Mapping[str, Any]) -> None:
    """Raise an error that names the first option which does not hold here."""
    for name, value in options.items():
        if name not in _OPTIONS:
            raise TypeError(
                f"{metric} has no argument {name!r}; of torchmetrics' own it takes {', '.join(_OPTIONS)}"
            )
        values, reason = _OPTIONS[name]
        # By identity: 1 is no True, and a value of any kind may be compared in its own way.
        if not any(value is one for one in values):
            choices = " or ".join(map(repr, values))
            raise ValueError(f"{name} must be {choices}, got {value!r}: {reason}")
