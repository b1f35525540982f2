"""Summaries of several systems on the same rows, which comparisons are computed from."""

from __future__ import annotations

import dataclasses
import io
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Generic, cast

from anls_frame._arguments import takes_names
from anls_frame._engines import on_engines
from anls_frame._text import numbered, visible
from anls_frame._typing import Missing, Options, Table_co
from anls_frame.frames import documents
from anls_frame.frames.conversion import at_hand, is_pandas
from anls_frame.frames.origins import scored_by
from anls_frame.summary import files, transitions
from anls_frame.summary.cluster_groups import in_groups
from anls_frame.summary.keys import key_names
from anls_frame.summary.rows import Live
from anls_frame.summary.saved import Saved
from anls_frame.summary.saved_header import SYSTEMS
from anls_frame.summary.settings import Settings, check_part, resolve_missing, scoring
from anls_frame.summary.slicing import By, check_values
from anls_frame.summary.slicing import resolve as slicing_of
from anls_frame.summary.system_rows import scored_rows
from anls_frame.summary.system_sums import SystemSums, added_cells, collect
from anls_frame.summary.systems import resolve_for, resolve_systems

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd
    import polars as pl

    from anls_frame._typing import OnFrames
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.summary.catalogue import Metrics
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Unanswerable

__all__ = ["SystemsSummary", "summarize_systems"]


@dataclass(frozen=True, kw_only=True)
class SystemsSummary(Saved, Generic[Table_co]):
    """
    Counts and sums of the scores of several systems on the same rows, by cell.

    It is made by `summarize_systems`, added up by `merge`, and turned into a comparison by
    `Comparison.from_summary`.

    Parameters
    ----------
    settings
        How it was made.
    systems
        The systems, from name to column, in order.
    parts
        Names of its parts, each with its number of rows.
    sums
        The sums; internal, and may change.
    transitions
        If details were asked for, the counts of rows by the error type of the first system and that of each
        other one, by its name.
    from_pandas
        Whether it was made from pandas frames, so that the tables made from it are pandas frames too.
    is_folded, scored_by, forgotten_documents
        As for `Summary`.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
    >>> parts = [
    ...     af.summarize_systems(half, {"old": "old", "new": "new"}, "answer") for half in (df[:1], df[1:])
    ... ]
    >>> af.Comparison.from_summary(af.merge(parts)).overall["difference"].item()
    0.5
    """

    settings: Settings
    systems: Mapping[str, str]
    parts: Mapping[str, int]
    sums: SystemSums
    transitions: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    from_pandas: bool = False
    is_folded: bool = False
    scored_by: str | None = None
    forgotten_documents: str | None = None

    @property
    def rows(self) -> int:
        """Number of rows that were read."""
        return sum(self.parts.values())

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, with bounds that follow from the scores where none are given."""
        return tuple(metric.within(*self.sums.ends[metric.name]) for metric in self.settings.metrics)

    @property
    def digests(self) -> dict[str, str]:
        """Sum of the hashes of each system's scored rows, as 16 hexadecimal digits."""
        return {name: f"{digest:016x}" for name, digest in zip(self.systems, self.sums.digests, strict=True)}

    @property
    def n_missing(self) -> dict[str, int]:
        """Number of missing predictions of each system, in rows with an answer; without texts, of scores."""
        return dict(zip(self.systems, self.sums.missing, strict=True))

    @property
    def n_invented(self) -> dict[str, int]:
        """Number of texts that each system predicted in rows without an answer."""
        return dict(zip(self.systems, self.sums.invented, strict=True))

    @property
    def n_placeholders(self) -> dict[str, int]:
        """Number of predictions of each system such as "N/A" that are scored as texts and are not right."""
        return dict(zip(self.systems, self.sums.placeholders, strict=True))

    def __repr__(self) -> str:
        settings = self.settings
        by = f" by {' and '.join(settings.by)}" if settings.by else ""
        cells = sum(cells.height for cells in self.sums.cells.values())
        contents = f"{numbered(len(self.parts), 'part')}, {numbered(cells, 'cell')}"
        systems = ", ".join(self.systems)
        text = f"<Summary of {systems} on {numbered(self.rows, 'row')}{by}: {contents}; {settings.signature}>"
        return visible(text)

    def fold_clusters(self) -> SystemsSummary[Table_co]:
        """
        Put the clusters into 4,096 groups, so that the size no longer depends on the number of clusters.

        The group of a cluster follows from its name alone, so that a cluster may still have rows in several
        parts.

        Returns
        -------
        SystemsSummary
            It can be merged with other folded summaries. Comparisons have the same scores, differences, wins
            and losses. Ranks, intervals and p-values treat a group as one cluster: they are valid, as
            clusters are independent, and hardly differ, unless there were fewer than a few hundred clusters.
            `n_clusters` is the number of groups.

        Raises
        ------
        ValueError
            If there are no clusters.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"a": ["x"] * 9000, "b": ["y"] * 9000, "answer": ["x"] * 9000})
        >>> summary = af.summarize_systems(df.with_row_index("doc"), ["a", "b"], "answer", cluster="doc")
        >>> af.Comparison.from_summary(summary.fold_clusters()).overall["difference"].item()
        -1.0
        """
        if self.settings.cluster is None:
            raise ValueError("there are no clusters to fold; name their column in cluster= when summarizing")
        if self.is_folded:
            return self
        keys = key_names(self.settings.by, None)
        cells = {
            metric.name: added_cells(
                [in_groups(self.sums.cells[metric.name])], keys, metric, len(self.systems)
            )
            for metric in self.settings.metrics
        }
        return dataclasses.replace(self, sums=dataclasses.replace(self.sums, cells=cells), is_folded=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SystemsSummary[pl.DataFrame]:
        """
        Load a summary that `save` has written.

        Raises
        ------
        ValueError
            If the file is not a summary of several systems, or its format is not the one that this version
            reads.
        """
        return cls._of(*files.load(Path(path)), str(path))

    @classmethod
    def from_bytes(cls, content: bytes) -> SystemsSummary[pl.DataFrame]:
        """
        Load a summary from the bytes that `to_bytes` returned.

        Raises
        ------
        ValueError
            If these are not the bytes of a summary of several systems, or its format is not the one that this
            version reads.
        """
        return cls._of(*files.read(io.BytesIO(content), "the content"), "the content")

    def _content(self) -> bytes:
        sums = self.sums
        frames = {
            f"{kind} {name}": frame
            for kind in _FRAMES
            for name, frame in (self.transitions if kind == "transitions" else getattr(sums, kind)).items()
        }
        header = {
            "settings": self.settings,
            "parts": self.parts,
            "digest": "",
            "scored_by": self.scored_by,
            "forgotten_documents": self.forgotten_documents,
            "is_folded": self.is_folded,
            SYSTEMS: {
                "columns": dict(self.systems),
                "counts": {name: dict(counts) for name, counts in sums.counts.items()},
                "missing": list(sums.missing),
                "invented": list(sums.invented),
                "placeholders": list(sums.placeholders),
                "digests": list(sums.digests),
                "ends": {name: list(ends) for name, ends in sums.ends.items()},
            },
        }
        return files.content(frames, header)

    @classmethod
    def _of(
        cls, frames: Mapping[str, pl.DataFrame], header: Mapping[str, Any], name: str
    ) -> SystemsSummary[pl.DataFrame]:
        if SYSTEMS not in header:
            raise ValueError(f"{name} is a summary of one system: load it with Summary")
        found = header[SYSTEMS]
        by_kind = {
            kind: {
                of: frame
                for named, frame in frames.items()
                for own, _, of in [named.partition(" ")]
                if own == kind
            }
            for kind in _FRAMES
        }
        return SystemsSummary(
            settings=header["settings"],
            systems=found["columns"],
            is_folded=header["is_folded"],
            scored_by=header["scored_by"],
            forgotten_documents=header["forgotten_documents"],
            parts=header["parts"],
            transitions=by_kind.pop("transitions"),
            sums=SystemSums(
                **by_kind,
                counts=found["counts"],
                missing=found["missing"],
                invented=found["invented"],
                placeholders=found["placeholders"],
                digests=found["digests"],
                ends={metric: (low, high) for metric, (low, high) in found["ends"].items()},
            ),
        )


_FRAMES = ("cells", "votes", "slices", "transitions")


def _on_frames(
    function: Callable[Concatenate[Any, Options], SystemsSummary],
) -> OnFrames[Options, SystemsSummary[pd.DataFrame], SystemsSummary[pl.DataFrame]]:
    return cast("OnFrames[Options, SystemsSummary[pd.DataFrame], SystemsSummary[pl.DataFrame]]", function)


@_on_frames
@on_engines
@takes_names
def summarize_systems(
    frame: Any,
    systems: Mapping[str, str] | Sequence[str],
    answers: str | None,
    *,
    by: By | None = None,
    cluster: str | None = None,
    metrics: Metrics | None = None,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    details: bool = False,
    part: str | None = None,
) -> SystemsSummary:
    """
    Count and sum the scores of several systems on the same rows, for a comparison of rows in several parts.

    Parameters
    ----------
    frame, systems, answers, by, cluster, metrics, protocol
        As for `compare`; the frame has a column for each system.
    missing, unanswerable, details
        As for `compare`.
    part
        Name of this part, by which `merge` recognises it; random by default.

    Returns
    -------
    SystemsSummary
        Its size depends on the number of clusters or, without clusters, of different combinations of scores.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If there are fewer than two systems, an option has an invalid value, or a metric has a value outside
        its bounds.

    See Also
    --------
    anls_frame.merge : add up the summaries of parts.
    anls_frame.compare : the comparison of one frame; `Comparison.from_summary` makes that of a summary.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
    >>> summary = af.summarize_systems(df, ["old", "new"], "answer")
    >>> af.Comparison.from_summary(summary).overall["difference"].item()
    0.5
    """
    check_part(part)
    named = resolve_systems(systems)
    has_texts = answers is not None
    slicing = slicing_of(by)
    chosen = resolve_for(metrics, named, has_texts=has_texts, protocol=protocol)
    of_texts = scoring(protocol, of_texts=has_texts, unanswerable=unanswerable, details=details)
    settings = Settings(
        by=slicing.names,
        tables=slicing.tables,
        cluster=cluster,
        metrics=tuple(metric.described() for metric in chosen),
        has_texts=has_texts,
        missing=resolve_missing(missing, has_scores=not has_texts),
        **of_texts,
    )
    frame = at_hand(frame)
    rows = scored_rows(frame, named, answers, Live(slicing=slicing, metrics=chosen), settings)
    sums = collect(rows)
    names = dict(zip(key_names(settings.by, None), settings.by, strict=True))
    for cells in sums.cells.values():
        check_values(cells, names)
    counted = {}
    if details and answers is not None:
        typed = transitions.typed_rows(frame, list(named.values()), answers, slicing, settings)
        for place, name in enumerate(named):
            if place:
                found = transitions.counts(typed, 0, place).collect(engine="streaming")
                counted[name] = transitions.added([found], key_names(settings.by, None))
    return SystemsSummary(
        settings=dataclasses.replace(settings, orders=rows.orders),
        systems=named,
        parts={part or uuid.uuid4().hex: next(iter(sums.counts.values()))["rows"]},
        sums=sums,
        transitions=counted,
        from_pandas=is_pandas(frame),
        scored_by=scored_by(frame, has_texts=has_texts),
        forgotten_documents=documents.forgotten(frame, cluster),
    )
