"""Settings of a summary, which must be equal for summaries to be merged."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from anls_frame._arguments import choice
from anls_frame._native import __version__
from anls_frame.protocol import PROTOCOLS, ScoreProtocol, described

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Missing", "Settings", "check_by", "check_missing", "resolve_missing"]

Missing = Literal["empty", "drop"]
MOST_ROWS = 1 << 32
"""Polars counts rows with 32 bits."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """
    Settings of a summary; summaries can be merged only if their settings are equal.

    Parameters
    ----------
    by
        Columns that slice the rows.
    cluster
        Column with the cluster (the document) of each row.
    score
        Name of the column with existing scores; `None` if texts were scored.
    higher_is_better
        Whether higher scores are better.
    protocol, threshold, cer_protocol
        How texts were scored, as for `anls_frame.score`.
    missing
        How null predictions are counted.
    worst
        How many of the worst rows are kept.
    details
        Whether error types, confusions and lengths are counted.
    version
        Version of the package.

    Examples
    --------
    >>> import anls_frame as af
    >>> af.Settings(by=("lang",), cluster="doc_id").signature
    'anls|protocol:anls|threshold:0.5|cer:raw|missing:empty|cluster:doc_id|v:0.1.0'
    """

    by: tuple[str, ...] = ()
    cluster: str | None = None
    score: str | None = None
    higher_is_better: bool = True
    protocol: ScoreProtocol = PROTOCOLS["anls"]
    threshold: float | None = 0.5
    cer_protocol: ScoreProtocol = PROTOCOLS["raw"]
    missing: Missing = "empty"
    worst: int = 0
    details: bool = False
    version: str = __version__

    @property
    def signature(self) -> str:
        """One line with the settings that must be equal for scores to be comparable."""
        if self.score is not None:
            parts = [f"score:{self.score}", *([] if self.higher_is_better else ["better:lower"])]
        else:
            parts = [
                "anls",
                f"protocol:{described(self.protocol)}",
                f"threshold:{self.threshold:g}",
                f"cer:{described(self.cer_protocol)}",
            ]
        parts += [f"missing:{self.missing}", f"cluster:{self.cluster or 'none'}", f"v:{self.version}"]
        return "|".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a dictionary that can be written as JSON."""
        return dataclasses.asdict(self) | {"by": list(self.by)}

    def differences(self, other: Settings) -> dict[str, tuple[Any, Any]]:
        """Return the settings that differ, each with both values, its own first."""
        own, others = vars(self), vars(other)
        return {name: (value, others[name]) for name, value in own.items() if value != others[name]}

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Settings:
        """Return the settings from the dictionary that `to_dict` returned."""
        protocols = {key: ScoreProtocol(**settings[key]) for key in ("protocol", "cer_protocol")}
        return cls(**{**settings, **protocols, "by": tuple(settings["by"])})


def check_by(by: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the slicing columns as a tuple of names."""
    if by is None:
        return ()
    columns = (by,) if isinstance(by, str) else tuple(by) if isinstance(by, Iterable) else (by,)
    if not all(isinstance(column, str) for column in columns):
        raise TypeError(f"by must be a column name or a list of them, got {by!r}")
    if len(set(columns)) < len(columns):
        raise ValueError(f"by must not name a column twice, got {list(columns)}")
    return columns


def check_missing(missing: str) -> None:
    """Raise an error unless the value is one of the choices."""
    choice("missing", missing, get_args(Missing))


def resolve_missing(missing: Missing | None, *, has_scores: bool) -> Missing:
    """Return how nulls are counted; raise an error if the choice is unknown or does not apply."""
    if missing is None:
        return "drop" if has_scores else "empty"
    check_missing(missing)
    if has_scores and missing == "empty":
        raise ValueError(
            "missing='empty' scores a null prediction as an empty string, but the scores exist already; fill "
            "their nulls with the score of an empty prediction, or leave them out with missing='drop'"
        )
    return missing
