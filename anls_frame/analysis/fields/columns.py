"""The columns of rows of fields, and of the systems in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anls_frame.frames.reserved_columns import PREDICTION
from anls_frame.summary.systems import systems_of


def columns_of_systems(
    prediction: str | Mapping[str, str] | Sequence[str], model_confidence: str | Mapping[str, str] | None
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return for each system its column, the beginning of its new columns, and the column of confidences."""
    systems = {PREDICTION: prediction} if isinstance(prediction, str) else systems_of(prediction)
    given = {PREDICTION: model_confidence} if isinstance(model_confidence, str) else model_confidence or {}
    sure = dict(given) if isinstance(given, Mapping) else {}
    if len(sure) < len(given) or not sure.keys() <= systems.keys():
        raise ValueError(
            "model_confidence must be a column for one system, and a mapping from the names of systems for "
            f"several, here of {list(systems)}, got {model_confidence!r}"
        )
    starts = {system: "" if isinstance(prediction, str) else f"{system}_" for system in systems}
    return systems, starts, sure
