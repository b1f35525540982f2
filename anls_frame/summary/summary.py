"""
Summaries: what a report needs to know of the rows, in a form that adds up.

Rows are counted and summed by *cell*: the values of the `by` columns as they stand (a list of question
types is one value), and the cluster where there is one. Cells partition the rows, so the summaries of parts
add up to the summary of the whole, and every report is made from one by rolling cells up.
"""

from __future__ import annotations

import dataclasses
import io
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._text import numbered, visible
from anls_frame.frames.origins import protocol_of
from anls_frame.frames.progress import following
from anls_frame.protocol import ScoreProtocol, resolve_protocol, resolve_threshold
from anls_frame.summary import files, folding, merging
from anls_frame.summary.cells import Collected, add_up, collect, existing_scores, lowest, scored_texts
from anls_frame.summary.details import KEYS, plans
from anls_frame.summary.keys import CLUSTER, key_names
from anls_frame.summary.settings import MOST_ROWS, Settings, check_by, resolve_direction, resolve_missing

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from anls_frame.summary.settings import Missing

__all__ = ["Summary", "merge", "summarize"]

_UINT64 = 1 << 64


@dataclass(frozen=True, kw_only=True)
class Summary:
    """
    Counts and sums of scored rows, by cell.

    Made by `summarize`, added up by `merge`, turned into a report by `Report.from_summary`.

    Parameters
    ----------
    settings
        How it was made.
    parts
        The parts it consists of, with their numbers of rows.
    digest
        Sum of the hashes of all scored rows, as 16 hexadecimal digits: equal for the same rows in any
        order and any split.
    cells
        One row for each combination of `by` values (columns `key_0`, `key_1`, ...) and cluster. Sums of
        scores are whole numbers, so that they are the same in any order of the rows: `anls_units` and
        `nls_units` in units of 2**-53, `cer_units` and the sums of squares in units of 2**-62. For scores
        that existed already there is one row for each `scale` besides, in which `score_units` counts.
    bins
        One row for each combination of `by` values and place on the grid of thresholds k/200, at which a
        score is just kept by the protocol's cut: numbers of rows and sums of `nls`, as in the cells.
    worst_rows
        The rows with the lowest scores, as many as the settings say; lists among the keys as they stand.
    details
        Where the settings ask for them: the counts of `errors` (types of errors), `confusions` and `lengths`
        by cell, see `Report.errors`, `Report.confusions` and `Report.lengths`.
    folded
        After `fold_clusters` one row for each slice that a report can ask for; otherwise `None`.
    scored_by
        The protocol by which the harness scores whose file the rows were read from, where a reader knows it;
        a report by another protocol says so.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"], "lang": ["en", "de"]})
    >>> summary = af.summarize(df, "prediction", "answer", by="lang")
    >>> summary
    <Summary of 2 rows by lang: 1 part, 2 cells; anls|protocol:anls|threshold:0.5|cer:raw|missing:empty|cluster:none|v:0.1.0>
    >>> summary.rows
    2
    """  # noqa: E501 - printed output

    settings: Settings
    parts: Mapping[str, int]
    digest: str
    cells: pl.DataFrame
    bins: pl.DataFrame
    worst_rows: pl.DataFrame
    details: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    folded: pl.DataFrame | None = None
    scored_by: str | None = None

    @property
    def rows(self) -> int:
        """Number of rows that were read."""
        return sum(self.parts.values())

    def __repr__(self) -> str:
        settings = self.settings
        by = f" by {' and '.join(settings.by)}" if settings.by else ""
        contents = [numbered(len(self.parts), "part"), numbered(self.cells.height, "cell")]
        if self.worst_rows.height:
            contents.append(numbered(self.worst_rows.height, "worst row"))
        if self.details:
            contents.append("details")
        text = f"<Summary of {numbered(self.rows, 'row')}{by}: {', '.join(contents)}; {settings.signature}>"
        # What a terminal would obey is shown by symbols: names of columns may hold it.
        return visible(text, directions=True)

    def fold_clusters(self) -> Summary:
        """
        Let the clusters go and keep of each slice what its intervals need of them.

        With clusters the size of a summary grows with the number of pairs of cell and cluster, folded it
        depends on the number of slices alone. In return only parts that share no cluster may be merged
        afterwards: nobody can tell any more, and the intervals of shared clusters would be too narrow.

        Returns
        -------
        Summary
            It gives the same report, and merges with other folded ones.

        Raises
        ------
        ValueError
            If there are no clusters.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"], "doc": [1, 2]})
        >>> summary = af.summarize(df, "prediction", "answer", cluster="doc")
        >>> summary.cells.height, summary.fold_clusters().cells.height
        (2, 1)
        """
        if self.settings.cluster is None:
            raise ValueError("there are no clusters to fold; name their column in cluster= when summarizing")
        if self.folded is not None:
            return self
        keys = key_names(self.settings.by, None)
        return dataclasses.replace(
            self,
            cells=folding.without_clusters(self.cells, keys),
            folded=folding.fold(self.cells, keys, has_texts=self.settings.score is None),
        )

    def save(self, path: str | os.PathLike[str], *, metadata: Mapping[str, str] | None = None) -> None:
        """
        Save as one Parquet file, with the settings in its metadata.

        Parameters
        ----------
        path
            The file, which is written whole or not at all.
        metadata
            More texts to keep in the file, which `polars.read_parquet_metadata` gives back.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a"], "answer": ["a"]})
        >>> path = getfixture("tmp_path") / "summary.parquet"
        >>> af.summarize(df, "prediction", "answer").save(path)
        >>> af.Summary.load(path).rows
        1
        """
        from anls_frame._atomic import replacing  # noqa: PLC0415 - only for those who save

        # Through memory: Polars would write to the file's descriptor and report a full disk as it likes.
        content = files.content(self, metadata or {})
        with replacing(Path(path)) as file:
            file.write(content)

    def to_bytes(self) -> bytes:
        """
        Return the content of the file that `save` writes, to send it from one machine to another.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a"], "answer": ["a"]})
        >>> content = af.summarize(df, "prediction", "answer").to_bytes()
        >>> af.Summary.from_bytes(content).rows
        1
        """
        return files.content(self, {})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Summary:
        """
        Load what `save` has saved.

        Raises
        ------
        ValueError
            If the file is no summary, or of a format that this version does not read.
        """
        return cls(**files.load(Path(path)))

    @classmethod
    def from_bytes(cls, content: bytes) -> Summary:
        """
        Return the summary that `to_bytes` gave.

        Raises
        ------
        ValueError
            If these are not the bytes of a summary, or of a format that this version does not read.
        """
        return cls(**files.read(io.BytesIO(content), "the content"))


def summarize(
    frame: Any,
    prediction: str | None = None,
    answers: str | None = None,
    *,
    score: str | None = None,
    higher_is_better: bool | None = None,
    by: str | Sequence[str] | None = None,
    cluster: str | None = None,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing | None = None,
    worst: int = 0,
    details: bool = False,
    part: str | None = None,
    progress: bool | Callable[[int], object] = False,
) -> Summary:
    """
    Count and sum the scores of a frame by cell.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine, so it may be larger than memory), a
        pandas DataFrame, or any object with the Arrow PyCapsule interface.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers.
    score
        Name of a column with scores that exist already, in place of `prediction` and `answers`.
    higher_is_better
        Direction of these scores; by default `False` if its name has the word cer, wer, mer, wil or
        ter, as error rates have, and `True` for all others.
    by
        Columns that slice the rows. A row counts in each entry of a list column; null, an empty list and a
        list of nulls are one slice, null.
    cluster
        Column of the cluster (the document) that a row belongs to; nulls are one cluster.
    protocol, threshold, cer_protocol
        How texts are scored, as for `anls_frame.score`; a `cer_protocol` of your own is best made from "raw",
        which prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``.
    missing
        `"empty"`, the default, scores a null prediction as the empty text, `"drop"` leaves it out. A null
        score is always left out.
    worst
        How many of the rows with the lowest scores to keep; the highest ones where lower is better.
    details
        Count kinds of errors, confusions of characters (under `cer_protocol`) and lengths as well, which
        reads the rows three times more.
    part
        Name of this part, by which `merge` knows it; random by default.
    progress
        `True` draws a bar on a terminal or in a notebook; a function is told the number of rows of each
        batch that is read, from any thread. `cluster` and `worst` read the rows once more each, `details`
        three times.

    Returns
    -------
    Summary
        Its size depends on the number of cells, not of rows.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    ValueError
        If an option is outside its choices, or both or none of texts and `score` are given.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", None], "answer": ["a", "x"], "lang": ["en", "en"]})
    >>> af.summarize(df, "prediction", "answer", by="lang").cells.select("key_0", "n", "zeros_sum")
    shape: (1, 3)
    ┌───────┬─────┬───────────┐
    │ key_0 ┆ n   ┆ zeros_sum │
    │ ---   ┆ --- ┆ ---       │
    │ str   ┆ u64 ┆ u64       │
    ╞═══════╪═════╪═══════════╡
    │ en    ┆ 2   ┆ 1         │
    └───────┴─────┴───────────┘
    """
    missing = resolve_missing(missing, has_scores=score is not None)
    better = resolve_direction(score, higher_is_better)
    if isinstance(worst, bool) or not isinstance(worst, int) or not 0 <= worst < MOST_ROWS:
        raise ValueError(f"worst is a number of rows, got {worst!r}; it must be from 0 to {MOST_ROWS - 1:,}")
    if not isinstance(details, bool):
        raise TypeError(f"details is True or False, got {details!r}")
    if details and score is not None:
        raise ValueError("details are those of texts; a column of scores has none")
    if part is not None and not (isinstance(part, str) and part):
        raise ValueError(f"part is a name, got {part!r}")
    columns = check_by(by)
    if score is not None:
        if prediction is not None or answers is not None:
            raise ValueError("give either prediction and answers, or score")
        settings = Settings(
            by=columns,
            cluster=cluster,
            score=score,
            higher_is_better=better,
            threshold=None,
            missing=missing,
            worst=worst,
        )
    else:
        if prediction is None or answers is None:
            raise ValueError("give the columns prediction and answers, or score for scores that exist")
        settings = Settings(
            by=columns,
            cluster=cluster,
            protocol=resolve_protocol(protocol),
            threshold=resolve_threshold(protocol, threshold),
            cer_protocol=resolve_protocol(cer_protocol),
            missing=missing,
            worst=worst,
            details=details,
        )
    scored_by = protocol_of(frame)
    with following(progress, frame, passes(settings)) as advance:
        if prediction is None or answers is None:
            rows = existing_scores(frame, str(score), settings, advance)
        else:
            rows = scored_texts(frame, prediction, answers, settings, advance)
            if details:
                keys = key_names(columns, None)
                rows = dataclasses.replace(rows, details=plans(rows.frame, keys, settings))
        summary = _summary(collect(rows, worst), settings, part or uuid.uuid4().hex)
        return dataclasses.replace(summary, scored_by=scored_by)


def merge(summaries: Iterable[Summary]) -> Summary:
    """
    Add up the summaries of parts, in any order.

    Parameters
    ----------
    summaries
        At least one. Clusters may straddle parts, unless they were folded.

    Returns
    -------
    Summary
        That of all rows together.

    Raises
    ------
    ValueError
        If there is none, if their settings differ (the error names them), if the same part is there
        twice, or if the clusters of some are folded and those of others are not.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"]})
    >>> parts = [af.summarize(half, "prediction", "answer") for half in (df[:1], df[1:])]
    >>> whole = af.summarize(df, "prediction", "answer")
    >>> af.merge(parts).digest == whole.digest
    True
    """
    summaries = list(summaries)
    if not summaries:
        raise ValueError("there is no summary to merge")
    if not all(isinstance(summary, Summary) for summary in summaries):
        raise TypeError("merge takes summaries, as summarize and Summary.load return them")
    settings = summaries[0].settings
    for other in summaries[1:]:
        merging.check_settings(settings, other.settings)
    folded = [summary.folded for summary in summaries if summary.folded is not None]
    if len(folded) not in {0, len(summaries)}:
        raise ValueError("the clusters of some summaries are folded; call fold_clusters() on all of them")
    parts: dict[str, int] = {}
    for summary in summaries:
        twice = parts.keys() & summary.parts.keys()
        if twice:
            raise ValueError(f"the same part is there twice: {', '.join(sorted(twice))}")
        parts |= summary.parts
    merging.check_dtypes(summaries, settings)
    # By name: whoever lists the parts of a job in another order gets the same lines in the same order.
    summaries.sort(key=lambda summary: sorted(summary.parts))
    keys = key_names(settings.by, None)
    clusters = [] if settings.cluster is None or folded else [CLUSTER]
    digest = sum(int(summary.digest, 16) for summary in summaries) % _UINT64
    origins = {summary.scored_by for summary in summaries}
    return Summary(
        settings=settings,
        parts=dict(sorted(parts.items())),
        digest=f"{digest:016x}",
        cells=add_up([summary.cells for summary in summaries], [*keys, *clusters]),
        bins=summaries[0].bins
        if settings.score is not None
        else add_up([summary.bins for summary in summaries], [*keys, "grid_threshold"]),
        worst_rows=lowest(
            pl.concat([summary.worst_rows for summary in summaries], how="vertical_relaxed"), settings
        ),
        details={
            name: add_up([summary.details[name] for summary in summaries], [*keys, *KEYS[name]])
            for name in summaries[0].details
        },
        folded=folding.add_up(folded) if folded else None,
        scored_by=origins.pop() if len(origins) == 1 else None,
    )


def passes(settings: Settings) -> int:
    """Return how often the rows are read."""
    clusters = settings.cluster is not None and settings.score is None
    return 1 + clusters + bool(settings.worst) + settings.details * len(KEYS)


def _summary(collected: Collected, settings: Settings, part: str) -> Summary:
    cells = collected.cells
    not_finite = cells["not_finite_sum"].sum() if "not_finite_sum" in cells.columns else 0
    if not_finite:
        raise ValueError(
            f"column {settings.score!r} holds NaN or infinity in {not_finite} rows; drop or fill them"
        )
    return Summary(
        settings=settings,
        parts={part: int(cells["rows"].sum())},
        digest=collected.digest,
        cells=cells,
        bins=collected.bins,
        worst_rows=lowest(collected.worst, settings),
        details=collected.details,
    )
