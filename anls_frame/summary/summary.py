"""
Summaries, which hold all that a report or a comparison needs of the rows, and add up.

Rows are counted and summed by *cell*: by the values of the `by` columns (a whole list of question types is
one value) and by the cluster, if there is one. Cells partition the rows, so the summaries of parts add up to
the summary of all rows. Every figure is computed from a summary, by adding up cells.
"""

from __future__ import annotations

import dataclasses
import io
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic

import polars as pl
import polars.selectors as cs

from anls_frame._atomic import replacing
from anls_frame._paths import as_path
from anls_frame._text import listed, numbered, visible
from anls_frame._typing import Table, Table_co
from anls_frame.summary import files
from anls_frame.summary.account import Account
from anls_frame.summary.catalogue import TEXT_METRICS
from anls_frame.summary.cell_sums import ALL, CellSums, Kind, Predictions, hexadecimal
from anls_frame.summary.cells import rounded, score_of
from anls_frame.summary.keys import CLUSTER
from anls_frame.summary.measures import COUNTS, Metric
from anls_frame.summary.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class Summary(Generic[Table_co]):
    """
    Counts and sums of scored rows, by cell, of one system or of several systems on the same rows.

    `summarize` creates a summary, and `merge` adds up several. `Report.from_summary` makes the report of one
    system, `Comparison.from_summary` the comparison of several.

    Parameters
    ----------
    settings
        The settings of the summary.
    systems
        The systems, as an ordered mapping from names to columns; a column alone is a system of its name.
    parts
        The names of its parts, with their numbers of rows.
    sums
        The sums; internal, may change.
    is_folded
        Whether clusters were folded into groups by `fold_clusters`.
    scored_by
        The protocol of the harness that wrote the file, if known; a report with another protocol says so. For
        existing scores, a description of their computation, if known.
    forgotten_documents
        A column that seems to identify documents with several rows, if no cluster was named; a report then
        notes that its intervals are too narrow.
    from_pandas
        Whether the summary was made from pandas frames, so that its tables are pandas frames, too. This flag
        is not saved: tables of a loaded summary are Polars frames.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"], "lang": ["en", "de"]})
    >>> summary = af.summarize(df, "old", "answer", by="lang")
    >>> summary
    <Summary of old on 2 rows by lang: 1 part, 2 cells; anls|protocol:anls|threshold:0.5|errors:raw|missing:empty|cluster:none|v:0.1.0>
    >>> summary.rows
    2
    >>> parts = [af.summarize(half, ["old", "new"], "answer") for half in (df[:1], df[1:])]
    >>> af.Comparison.from_summary(af.merge(parts)).overall["difference"].item()
    0.5
    """  # noqa: E501 - printed output

    settings: Settings
    systems: Mapping[str, str]
    parts: Mapping[str, int]
    sums: CellSums
    is_folded: bool = False
    scored_by: str | None = None
    forgotten_documents: str | None = None
    from_pandas: bool = False

    @property
    def kind(self) -> Kind:
        """
        The purpose of the summary: `"report"` or `"comparison"`.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a"], "new": ["b"], "answer": ["a"]})
        >>> af.summarize(df, "old", "answer").kind, af.summarize(df, ["old", "new"], "answer").kind
        ('report', 'comparison')
        """
        return "comparison" if len(self.systems) > 1 else "report"

    @property
    def rows(self) -> int:
        """Number of rows that were read."""
        return sum(self.parts.values())

    @property
    def predictions(self) -> Mapping[str, Predictions]:
        """The digest of each system's rows, and counts of its predictions."""
        lines = self.sums.frames["predictions"].iter_rows(named=True)
        return {line.pop("system"): Predictions(**line) for line in lines}

    @property
    def digest(self) -> str:
        """
        Sum of the hashes of all systems' scored rows, as 16 hexadecimal digits.

        The digest does not depend on the order of rows or on their split into parts.
        """
        return hexadecimal(sum(own.digest for own in self.predictions.values()))

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, with bounds that follow from the scores where none are given."""
        every = chain.from_iterable(metrics for _, _, metrics in self.groups())
        by_name = {metric.name: metric for metric in every}
        return tuple(by_name[metric.name] for metric in self.settings.metrics)

    @property
    def account(self) -> Account[Table_co]:
        """How many rows were read and scored, and why others were left out or changed."""
        own, counted = list(self.predictions.values()), self.sums.counted
        first, cells = next(iter(counted.values())), next(iter(self.sums.cells.values()))
        counts = first.select(cs.by_name(*COUNTS, "n_dropped", require_all=False).sum()).row(0, named=True)
        scored = {name: int(frame["n"].sum()) for name, frame in counted.items() if name is not ALL}
        lacking = counts["n_missing" if self.kind == "report" else "n_dropped"]
        dropped = lacking if self.settings.missing == "drop" else 0
        accounted = counts["n"] + counts["n_unanswerable"] + dropped
        if counts["rows"] != self.rows or (self.kind == "report" and accounted != self.rows):
            raise RuntimeError(
                f"the rows do not add up: {self.rows} read, {counts['rows']} in cells, {accounted} scored, "
                "missing or unanswerable; the summary is damaged"
            )
        has_documents = CLUSTER in cells.columns
        unnamed = int(cells.filter(pl.col(CLUSTER).is_null())["n"].sum()) if has_documents else 0
        return Account(
            systems=list(self.systems),
            settings=self.settings,
            given=self.rows,
            used=counts["n"],
            unanswerable=counts["n_unanswerable"],
            dropped=dropped,
            missing=[of_system.n_missing for of_system in own],
            invented=[of_system.n_invented for of_system in own],
            empty_answers=own[0].n_empty_answers,
            unnamed=unnamed,
            scored={name: n for name, n in scored.items() if n != counts["n"]},
            from_pandas=self.from_pandas,
        )

    @property
    def report_sums(self) -> CellSums:
        """The sums of one system; internal, may change."""
        if self.kind != "report":
            advice = "compare them with `compare`, or their summary with Comparison.from_summary"
            raise ValueError(f"a report shows one system, not {listed(self.systems)}: {advice}")
        return self.sums

    @property
    def comparison_sums(self) -> CellSums:
        """The sums of several systems; internal, may change."""
        if self.kind != "comparison":
            advice = "use Report.from_summary, or pass the columns of all systems to summarize"
            raise ValueError(f"this is a summary of one system, {listed(self.systems)}: {advice}")
        return self.sums

    def __repr__(self) -> str:
        settings = self.settings
        by = f" by {' and '.join(settings.by)}" if settings.by else ""
        cells = sum(cells.height for cells in self.sums.cells.values())
        contents = [numbered(len(self.parts), "part"), numbered(cells, "cell")]
        if settings.worst:
            contents.append(numbered(self.sums.frames["worst"].height, "worst row"))
        if settings.details:
            contents.append("details")
        rows = f"{', '.join(self.systems)} on {numbered(self.rows, 'row')}"
        # Column names may contain control characters, which are shown as symbols.
        return visible(f"<Summary of {rows}{by}: {', '.join(contents)}; {settings.signature}>")

    def fold_clusters(self) -> Summary[Table_co]:
        """
        Fold the clusters into 4,096 groups, so that the size no longer depends on the number of clusters.

        The group of a cluster depends only on its name, so a cluster may still have rows in several parts.

        Returns
        -------
        Summary
            A summary that can be merged with other folded summaries. Reports and comparisons have the same
            scores, differences, wins and losses. Intervals, ranks and p-values treat each group as a cluster.
            They are valid, because clusters are independent, and change little unless there were fewer than a
            few hundred clusters. `n_clusters` is the number of groups.

        Raises
        ------
        ValueError
            If the summary has no clusters.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a"] * 9000, "answer": ["a", "x"] * 4500})
        >>> summary = af.summarize(df.with_row_index("doc"), "prediction", "answer", cluster="doc")
        >>> summary.fold_clusters()
        <Summary of prediction on 9,000 rows: 1 part, 3,630 cells; anls|protocol:anls|threshold:0.5|errors:raw|missing:empty|cluster:doc|v:0.1.0>
        """  # noqa: E501 - printed output
        if self.settings.cluster is None:
            raise ValueError("there are no clusters to fold; name their column in cluster= when summarizing")
        if self.is_folded:
            return self
        return dataclasses.replace(self, sums=self.sums.folded(self.settings), is_folded=True)

    def groups(self) -> Iterator[tuple[str | None, pl.DataFrame, tuple[Metric, ...]]]:
        """Return the frames of cells, each with its key and the metrics computed from it."""
        by_name = {metric.name: metric for metric in self.settings.metrics}
        for name, cells in self.sums.cells.items():
            if name is not ALL:
                metrics: Iterable[Metric] = [by_name[name]]
            elif self.kind == "comparison":
                metrics = self.settings.metrics
            else:
                metrics = TEXT_METRICS if self.settings.has_texts else ()
            yield name, cells, tuple(metric.within(*self._ends(metric)) for metric in metrics)

    def _ends(self, metric: Metric) -> tuple[Any, Any]:
        """Return the lowest and the highest score in a custom metric."""
        if metric.is_built_in:
            return None, None
        scores = self.sums.counted[metric.name]
        names = ["score_min", "score_max"] if metric.probability is None else [score_of(scores)] * 2
        return scores[names[0]].min(), scores[names[1]].max()

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Save the summary as one Parquet file, with the settings in its metadata.

        Parameters
        ----------
        path
            Path of the file, which is written completely or not at all.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a"], "new": ["b"], "answer": ["a"]})
        >>> path = Path(tempfile.mkdtemp()) / "summary.parquet"
        >>> af.summarize(df, ["old", "new"], "answer").save(path)
        >>> af.Summary.load(path).rows
        1
        """
        content = self.to_bytes()
        # Written through memory, because Polars would report a full disk with an error of its own.
        with replacing(as_path(path)) as file:
            file.write(content)

    def to_bytes(self) -> bytes:
        """
        Return the content of the file that `save` writes, for example to send it to another machine.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a"], "answer": ["a"]})
        >>> content = af.summarize(df, "prediction", "answer").to_bytes()
        >>> af.Summary.from_bytes(content).rows
        1
        """
        frames = {name: rounded(frame) for name, frame in self.sums.frames.items()}
        return files.content(frames, {name: getattr(self, name) for name in files.HEADER})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Summary[pl.DataFrame]:
        """
        Load a summary from a file written by `save`.

        Raises
        ------
        ValueError
            If the file is not a summary, or has a format that this version cannot read.
        """
        path = as_path(path)
        # Python reads the bytes, because Polars cannot open a file whose name is not valid Unicode.
        return Summary(**files.read(io.BytesIO(path.read_bytes()), str(path)))

    @classmethod
    def from_bytes(cls, content: bytes) -> Summary[pl.DataFrame]:
        """
        Load a summary from the bytes that `to_bytes` returned.

        Raises
        ------
        ValueError
            If the bytes are not a summary, or have a format that this version cannot read.
        """
        return Summary(**files.read(io.BytesIO(content), "the content"))


def merge(summaries: Iterable[Summary[Table]]) -> Summary[Table]:
    """
    Merge the summaries of parts, in any order, into the summary of all rows.

    Parameters
    ----------
    summaries
        One or more summaries of the same systems. A cluster may have rows in several parts.

    Returns
    -------
    Summary
        The summary of all rows. Its tables are pandas frames if all parts were pandas frames.

    Raises
    ------
    ValueError
        If there are no summaries, their systems or settings differ (the error names the differences), a part
        occurs twice, or only some summaries have folded clusters.

    See Also
    --------
    anls_frame.summarize : the summary of a part.

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
    summaries = [summaries] if isinstance(summaries, Summary) else list(summaries)
    if not summaries:
        raise ValueError("merge needs at least one summary")
    if not all(isinstance(summary, Summary) for summary in summaries):
        raise TypeError("merge needs summaries, as returned by summarize and Summary.load")
    settings = _common_settings(summaries)
    parts = [part for summary in summaries for part in summary.parts.items()]
    twice = sorted(name for name, times in Counter(name for name, _ in parts).items() if times > 1)
    if twice:
        raise ValueError(f"the same part occurs twice: {', '.join(twice)}")
    # Sorted by name, so that the order in which parts are listed does not change the order of the rows.
    summaries.sort(key=lambda summary: sorted(summary.parts))
    first = summaries[0]
    scored_by = {summary.scored_by for summary in summaries}
    return Summary(
        settings=settings,
        systems=first.systems,
        parts=dict(sorted(parts)),
        sums=first.sums.added([summary.sums for summary in summaries], settings),
        is_folded=first.is_folded,
        scored_by=scored_by.pop() if len(scored_by) == 1 else _computed(settings),
        forgotten_documents=next(filter(None, (summary.forgotten_documents for summary in summaries)), None),
        from_pandas=all(summary.from_pandas for summary in summaries),
    )


def _computed(settings: Settings) -> str | None:
    """Return how scores were computed, for parts with different numbers of epochs or missing predictions."""
    return f"Scores were computed with {settings.computation}." if settings.computation else None


def _common_settings(summaries: Sequence[Summary]) -> Settings:
    if len({summary.is_folded for summary in summaries}) > 1:
        folding = "on the command line --fold-clusters, in Python fold_clusters()"
        raise ValueError(f"the clusters of some summaries are folded; fold those of all: {folding}")
    orders = [summary.settings.orders for summary in summaries]
    common = {
        name: order for name, order in orders[0].items() if all(given.get(name) == order for given in orders)
    }
    left_out: Counter[str] = Counter()
    for summary in summaries:
        left_out.update(summary.settings.left_out)
    settings = dataclasses.replace(summaries[0].settings, orders=common, left_out=dict(left_out))
    for other in summaries[1:]:
        names = list(summaries[0].systems), list(other.systems)
        systems = {} if names[0] == names[1] else {"systems": names}
        differing = systems | settings.differences(other.settings)
        if differing:
            named = ", ".join(f"{name} ({own!r} and {its!r})" for name, (own, its) in differing.items())
            raise ValueError(f"summaries with different settings cannot be merged: {named}")
    return settings
