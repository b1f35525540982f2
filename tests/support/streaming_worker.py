"""What other processes run in the tests of the metric objects: they find functions in modules alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.streaming.base import MetricObject


def updated(metric: MetricObject, batches: Sequence[tuple[Any, Any]]) -> MetricObject:
    """Take batches in, in another process, and send the metric back."""
    for predictions, answers in batches:
        metric.update(predictions, answers)
    return metric
