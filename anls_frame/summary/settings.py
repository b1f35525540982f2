"""Settings of a summary, which must be equal for merging."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from anls_frame._arguments import choice, count, flag, share
from anls_frame._messages import Message, Option, about, wrong
from anls_frame._native import __version__
from anls_frame._typing import Missing
from anls_frame.export.row_names import PAGES, ROWS, Names
from anls_frame.frames import origins
from anls_frame.frames.conversion import column_names
from anls_frame.frames.field_rows import are_fields
from anls_frame.frames.reserved_columns import PAGE, REFERENCE
from anls_frame.protocol import (
    PROTOCOLS,
    ScoreProtocol,
    described,
    protocol_from_dict,
    protocol_to_dict,
    resolve_errors,
    resolve_protocol,
    resolve_scoring,
    spelled,
)
from anls_frame.summary.catalogue import (
    LENGTHS,
    TEXT_METRICS,
    are_error_rates,
    are_of_fields,
    from_dict,
    have_lengths,
    is_described,
)
from anls_frame.summary.measures import Metric

Unanswerable = Literal["drop", "empty"]
INVENTED: Any = "invented"
"""
What `unanswerable="drop"` means for rows of `fields`, where a value without gold is an error.

Rows without an answer count, with the empty text as their answer, if a system predicted something there.
"""
LONGEST_CONFUSION = 3
READ = 0.5
"""Smallest NLS at which characters of a row count as confused; below, the answer is another one."""
_CUT = ("anls", "zeros")
"""The metrics that need the threshold of a protocol."""
MOST_ROWS = 1 << 32
"""Polars counts rows with 32 bits."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """
    Settings of a summary; summaries can be merged only if their settings are equal.

    Parameters
    ----------
    by
        Names of the keys that slice the rows.
    tables
        Names of the keys of each table; empty for a single table with all keys.
    orders
        The ordered values of keys that have an order, such as those of an Enum.
    cluster
        Column with the cluster (the document) of each row.
    metrics
        The scores by name and description; the worst rows are chosen by the first.
    has_texts
        Whether texts were scored, rather than existing scores read.
    computation
        The protocol and the options by which existing scores were computed, if known.
    protocol
        How texts were scored, as for `anls_frame.score`.
    missing
        How null predictions are treated; null scores are always dropped.
    unanswerable
        How rows without an answer are treated.
    worst
        Number of worst rows to keep.
    keep
        Columns to keep for these rows.
    details
        Whether error types, confusions and lengths are counted.
    max_length, min_nls
        How confusions are counted, as in `anls_frame.confusions`.
    from_pages
        Whether `read_pages` made the frame.
    answers_format
        The separator at which the reader of a file split answers without being asked.
    empty_lines
        `"drop"` if `read_pages` left empty lines out of the texts.
    where
        The condition by which rows were chosen while their file was read.
    left_out
        The numbers of questions, pages or documents that were left out while files were read or tables
        joined, by what they are. They are no condition of merging, which adds them up.
    version
        Version of the package.

    Examples
    --------
    >>> from anls_frame.summary.settings import Settings
    >>> Settings(by=("lang",), cluster="doc_id").signature
    'anls|protocol:anls|threshold:0.5|errors:raw|missing:empty|cluster:doc_id|v:0.1.0'
    """

    by: tuple[str, ...] = ()
    tables: tuple[tuple[str, ...], ...] = ()
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cluster: str | None = None
    metrics: tuple[Metric, ...] = TEXT_METRICS
    has_texts: bool = True
    computation: str | None = None
    protocol: ScoreProtocol = PROTOCOLS["anls"]
    missing: Missing = "empty"
    unanswerable: Unanswerable = "drop"
    worst: int = 0
    keep: tuple[str, ...] = ()
    details: bool = False
    max_length: int = 1
    min_nls: float = 0.0
    from_pages: bool = False
    answers_format: str | None = None
    empty_lines: str | None = None
    where: str | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    version: str = __version__

    def __post_init__(self) -> None:
        choice("missing", self.missing, get_args(Missing))
        # Functions are no part of what is saved and compared.
        object.__setattr__(self, "metrics", tuple(metric.described() for metric in self.metrics))
        if self.has_texts and any(metric.name in _CUT for metric in self.metrics if metric.is_built_in):
            resolve_scoring(self.protocol)
        if not self.has_texts:
            # Null scores are always left out.
            object.__setattr__(self, "missing", "drop")
        if self.has_texts and are_of_fields(self.metrics):
            object.__setattr__(self, "unanswerable", "empty")

    @property
    def signature(self) -> str:
        """The settings that must be equal for scores to be comparable, in one line."""
        parts, threshold = [_signature(metric) for metric in self.own], self.protocol.threshold
        if self.has_texts:
            parts = [
                "anls",
                *parts,
                f"protocol:{described(self.protocol)}",
                f"threshold:{'none' if threshold is None else f'{threshold:g}'}",
                f"errors:{described(resolve_errors(self.protocol))}",
            ]
        # Which predictions were missing is part of how given scores were computed.
        parts.append(f"scores:{self.computation}" if self.computation else f"missing:{self.missing}")
        if self.unanswerable != "drop":
            parts.append(f"unanswerable:{self.unanswerable}")
        if self.answers_format is not None:
            parts.append("answers:split")
        if self.empty_lines is not None:
            parts.append(f"empty_lines:{self.empty_lines}")
        if self.where is not None:
            parts.append(f"where:{' '.join(self.where.split())}")
        if self.left_out:
            parts.append(f"left_out:{sum(self.left_out.values())}")
        parts += [f"cluster:{self.cluster or 'none'}", f"v:{self.version}"]
        return "|".join(parts)

    @property
    def own(self) -> tuple[Metric, ...]:
        """The custom metrics."""
        return tuple(metric for metric in self.metrics if not metric.is_built_in)

    @property
    def has_fields(self) -> bool:
        """Whether rows are fields: a system has those with a gold value or its own prediction."""
        return self.unanswerable == INVENTED or are_of_fields(self.metrics)

    @property
    def are_error_rates(self) -> bool:
        """Whether errors are counted, as of pages, rather than answers scored."""
        return self.has_texts and are_error_rates(self.metrics)

    @property
    def names(self) -> Names:
        """The names for rows and their texts."""
        is_told = self.from_pages or have_lengths(self.metrics)
        return PAGES if is_told and self.are_error_rates else ROWS

    @property
    def lengths(self) -> Mapping[str, str]:
        """Columns with the lengths of pages, each with the rate that it divides; empty without pages."""
        if not have_lengths(self.metrics):
            return {}
        # A protocol that compares words counts no characters.
        return {
            name: rate
            for name, rate in LENGTHS.items()
            if name != "characters" or resolve_errors(self.protocol).unit != "word"
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a dictionary that can be written as JSON."""
        return {
            **vars(self),
            "by": list(self.by),
            "tables": [list(table) for table in self.tables],
            "orders": {name: list(values) for name, values in self.orders.items()},
            "keep": list(self.keep),
            "metrics": [metric.to_dict() for metric in self.metrics],
            "protocol": protocol_to_dict(self.protocol),
        }

    def differences(self, other: Settings) -> dict[str, tuple[Any, Any]]:
        """Return the settings that differ, each with both values, those of `self` first."""
        own, others = vars(self), vars(other)
        differing = {
            name: (value, others[name])
            for name, value in own.items()
            # Values and rows add up in any order.
            if value != others[name] and name not in {"orders", "left_out"}
        }
        if "protocol" in differing:
            differing["protocol"] = (spelled(self.protocol), spelled(other.protocol))
        metrics = [[_signature(metric) for metric in settings.metrics] for settings in (self, other)]
        if metrics[0] != metrics[1]:
            differing["metrics"] = (metrics[0], metrics[1])
        return differing

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Settings:
        """Return the settings from the dictionary that `to_dict` returned."""
        protocol = protocol_from_dict(settings["protocol"])
        lists: dict[str, Any] = {key: named_columns(key, settings[key]) for key in ("by", "keep")}
        lists["tables"] = tuple(named_columns("tables", table) for table in settings["tables"])
        metrics = tuple(map(from_dict, settings["metrics"]))
        return cls(**{**settings, **lists, "protocol": protocol, "metrics": metrics})


def _signature(metric: Metric) -> str:
    """Return the text that identifies a metric; built-in metrics are identified by name."""
    if metric.is_built_in or is_described(metric):
        return metric.name
    named = () if metric.sources == (metric.name,) else ("/".join(metric.sources),)
    return ":".join((metric.name, *named, *(() if metric.higher_is_better else ("lower",))))


def check_by(by: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the slicing columns as a tuple of names."""
    return () if by is None else named_columns("by", by)


def named_columns(role: str, given: str | Sequence[str]) -> tuple[str, ...]:
    """Return one or several names of columns as a tuple of different ones."""
    is_single = isinstance(given, str) or not isinstance(given, Iterable)
    columns: tuple[str, ...] = (given,) if is_single else tuple(given)  # type: ignore[assignment]
    if not all(isinstance(column, str) for column in columns):
        raise TypeError(about(role, f"must be a column name or a list of them, got {given!r}"))
    if len(set(columns)) < len(columns):
        raise wrong(role, f"must not name a column twice, got {list(columns)}")
    return columns


def id_columns(given: str | Sequence[str]) -> list[str]:
    """Return the columns that identify a question, at least one."""
    columns = list(named_columns("id", given))
    if not columns:
        raise wrong("id", f"must name at least one column, got {given!r}")
    return columns


def are_texts(prediction: object, answers: str | None) -> bool:
    """
    Return whether the columns hold texts to score; columns of several systems without answers hold scores.

    Raise an error if only one of prediction and answers is given.
    """
    if not (prediction is None or isinstance(prediction, str)):
        return answers is not None
    if (prediction is None) != (answers is None):
        raise ValueError("pass both columns, prediction and answers, or neither and the scores in metrics=")
    return answers is not None


def unanswerable_in(unanswerable: Unanswerable, frame: Any) -> Unanswerable:
    """Return how rows without an answer are treated in this frame, which may be one of `fields`."""
    if unanswerable != INVENTED:
        choice("unanswerable", unanswerable, get_args(Unanswerable))
    is_invented = unanswerable == "drop" and are_fields(frame)
    return INVENTED if is_invented else unanswerable


def scoring(
    protocol: ScoreProtocol | str,
    frame: Any,
    *,
    has_texts: bool,
    missing: Missing = "drop",
    unanswerable: Unanswerable = "drop",
) -> dict[str, Any]:
    """Return the fields of `Settings` for the scoring of a frame's texts, and for the choice of its rows."""
    if not has_texts and unanswerable != "drop":
        exist = " scores rows without an answer, but the scores exist already; fill their nulls with the "
        scores = "scores that these rows should have"
        raise ValueError(Message(Option("unanswerable", "empty"), exist, scores))
    origin = origins.of(frame)
    options = {"has_texts": has_texts, "missing": missing, **origins.of_rows(frame)}
    if not has_texts:
        return options | {"computation": origin.computation}
    return {
        **options,
        "protocol": resolve_protocol(protocol),
        "unanswerable": unanswerable_in(unanswerable, frame),
        "from_pages": origin.are_pages or {PAGE, REFERENCE} <= {*column_names(frame)},
        "answers_format": origin.separator,
        "empty_lines": origin.empty_lines,
    }


def detail_settings(details: object, *, has_texts: bool, is_comparison: bool = False) -> dict[str, Any]:
    """Return the fields of `Settings` for counting details."""
    given = details if isinstance(details, Mapping) and not is_comparison else None
    if given is None and not flag("details", details):
        return {}
    if not has_texts:
        raise ValueError("details need texts; columns of scores have none")
    given = given or {}
    unknown = sorted(map(str, given.keys() - {"max_length", "min_nls"}))
    if unknown:
        raise wrong("details", f"must be True, False or options max_length and min_nls, got {unknown}")
    longest = count("max_length", given.get("max_length", 1), 1, LONGEST_CONFUSION)
    return {"details": True, "max_length": longest, "min_nls": share("min_nls", given.get("min_nls", READ))}
