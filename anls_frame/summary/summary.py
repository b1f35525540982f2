"""
Summaries: all that a report needs to know about the rows, in a form that can be added up.

Rows are counted and summed by *cell*: by the unexploded values of the `by` columns (a list of question types
is one value) and by the cluster, if there is one. Cells partition the rows, so the summaries of parts add up
to the summary of all rows. Every report is computed from a summary, by adding up cells.
"""

from __future__ import annotations

import dataclasses
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic

import polars as pl

from anls_frame._text import numbered, visible
from anls_frame._typing import Table_co
from anls_frame.summary import files
from anls_frame.summary.catalogue import TEXT_METRICS
from anls_frame.summary.cells import add_up, widened
from anls_frame.summary.cluster_groups import in_groups
from anls_frame.summary.details import KEYS
from anls_frame.summary.keys import key_names
from anls_frame.summary.saved import Saved
from anls_frame.summary.saved_header import SYSTEMS

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings

__all__ = ["Summary"]


@dataclass(frozen=True, kw_only=True)
class Summary(Saved, Generic[Table_co]):
    """
    Counts and sums of scored rows, by cell.

    It is made by `summarize`, added up by `merge`, and turned into a report by `Report.from_summary`.

    Parameters
    ----------
    settings
        How it was made.
    parts
        Names of its parts, each with its number of rows.
    digest
        Sum of the hashes of all scored rows, as 16 hexadecimal digits; it does not depend on the order of the
        rows or on how they are split into parts.
    cells
        One row for each combination of `by` values (columns `key_0`, `key_1`, ...) and cluster. Sums of
        scores are integers, so that they do not depend on the order of the rows: `anls_units` and `nls_units`
        are in units of 2**-53, `cer_units` and the sums of squares in units of 2**-62.
    own
        The same for each own metric, by its name. A mean has one row for each `scale` as well; the units of
        `score_units` are relative to it.
    bins
        One row for each combination of `by` values and grid point, the threshold k/200 at which the protocol's
        cut only just keeps a score, with the number of rows and the sum of `nls`, as in the cells.
    worst_rows
        The rows with the worst scores, as many as the settings ask for; list keys are not exploded.
    details
        If the settings ask for them, the counts of `errors` (error types), `confusions` and `lengths` by
        cell; see `Report.errors`, `Report.confusions` and `Report.lengths`.
    is_folded
        Whether its clusters are groups of clusters, after `fold_clusters`.
    scored_by
        The protocol used by the harness that wrote the file, if a reader knows it; a report with another
        protocol says so. Of existing scores, how they were computed, if it is known.
    forgotten_documents
        The column with documents of several rows, if the frame has one and no cluster was named; a report
        then says that its intervals are too narrow.
    from_pandas
        Whether it was made from pandas frames, so that the tables made from it are pandas frames too. This is
        not saved: tables of a loaded summary are Polars frames.

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
    own: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    details: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    is_folded: bool = False
    scored_by: str | None = None
    forgotten_documents: str | None = None
    from_pandas: bool = False

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
        # Column names may contain control characters, which are shown as symbols.
        return visible(text)

    def fold_clusters(self) -> Summary[Table_co]:
        """
        Put the clusters into 4,096 groups, so that the size no longer depends on the number of clusters.

        The group of a cluster follows from its name alone, so that a cluster may still have rows in several
        parts.

        Returns
        -------
        Summary
            It can be merged with other folded summaries. Reports have the same scores. Intervals and p-values
            treat a group as one cluster: they are valid, as clusters are independent, and hardly differ,
            unless there were fewer than a few hundred clusters. `n_clusters` is the number of groups.

        Raises
        ------
        ValueError
            If there are no clusters.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a"] * 9000, "answer": ["a", "x"] * 4500})
        >>> summary = af.summarize(df.with_row_index("doc"), "prediction", "answer", cluster="doc")
        >>> summary.cells.height, summary.fold_clusters().cells.height
        (9000, 3630)
        """
        if self.settings.cluster is None:
            raise ValueError("there are no clusters to fold; name their column in cluster= when summarizing")
        if self.is_folded:
            return self
        keys = key_names(self.settings.by, self.settings.cluster)

        def folded(cells: pl.DataFrame) -> pl.DataFrame:
            # Groups are few, and may have more rows than clusters can.
            return add_up([widened(in_groups(cells))], keys)

        return dataclasses.replace(
            self,
            cells=folded(self.cells),
            own={name: folded(cells) for name, cells in self.own.items()},
            is_folded=True,
        )

    def groups(self) -> Iterator[tuple[str, pl.DataFrame, tuple[Metric, ...]]]:
        """Return the cells with the metrics that are computed from them: "" and those of own metrics."""
        yield "", self.cells, TEXT_METRICS if self.settings.has_texts else ()
        for metric in self.settings.own:
            cells = self.own[metric.name]
            ends = cells.select(pl.col("score_min").min(), pl.col("score_max").max()).row(0)
            yield metric.name, cells, (metric.within(*ends),)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Summary[pl.DataFrame]:
        """
        Load a summary that `save` has written.

        Raises
        ------
        ValueError
            If the file is not a summary, or its format is not the one that this version reads.
        """
        return cls._of(*files.load(Path(path)), str(path))

    @classmethod
    def from_bytes(cls, content: bytes) -> Summary[pl.DataFrame]:
        """
        Load a summary from the bytes that `to_bytes` returned.

        Raises
        ------
        ValueError
            If these are not the bytes of a summary, or its format is not the one that this version reads.
        """
        return cls._of(*files.read(io.BytesIO(content), "the content"), "the content")

    def _content(self) -> bytes:
        frames = {"cell": self.cells, "bin": self.bins, "worst": self.worst_rows, **self.details}
        # Names of metrics may be those of other frames.
        frames |= {f"own {name}": cells for name, cells in self.own.items()}
        header = {name: getattr(self, name) for name in files.HEADER}
        return files.content(frames, header)

    @classmethod
    def _of(
        cls, frames: Mapping[str, pl.DataFrame], header: Mapping[str, Any], name: str
    ) -> Summary[pl.DataFrame]:
        if SYSTEMS in header:
            raise ValueError(f"{name} is a summary of several systems: load it with SystemsSummary")
        return Summary(
            **header,
            cells=frames["cell"],
            bins=frames["bin"],
            worst_rows=frames["worst"],
            own={
                kind.removeprefix("own "): frame for kind, frame in frames.items() if kind.startswith("own ")
            },
            details={kind: frames[kind] for kind in KEYS if kind in frames},
        )
