"""Summaries of the files of one system: a file, several parts, or logs with repeated answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._text import listed, numbered
from anls_frame.exceptions import warn
from anls_frame.frames import origins
from anls_frame.frames.progress import following_together
from anls_frame.readers import _log_files, _long
from anls_frame.readers._problems import Advice, Option
from anls_frame.readers.any_file import are_pages, kind_of_file, reading, scan, scan_counted
from anls_frame.readers.logs import rows_of
from anls_frame.readers.repeated_answers import averaged, has_epochs, note_of_uneven, resolved
from anls_frame.readers.repeated_ids import check_disjoint, note_of_repeated
from anls_frame.readers.score_columns import columns_of, with_numbers
from anls_frame.summary.keys import optional
from anls_frame.summary.merging import merge
from anls_frame.summary.summarizing import passes, summarize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from anls_frame.readers.any_file import Reading
    from anls_frame.readers.system_files import SystemFiles
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings
    from anls_frame.summary.summary import Summary

_SHOWN = 3
"""Number of files that a line of progress names."""


@dataclass(frozen=True, kw_only=True)
class FileSummary:
    """The files of one system, and the options for summarizing them."""

    given: SystemFiles
    allow_repeated_ids: bool = False
    metrics: Sequence[str | Metric] | None
    by: Sequence[Sequence[str]] | None
    cluster: str | None
    worst: int
    keep: Sequence[str]
    details: bool
    scoring: Mapping[str, Any]
    """The options `protocol`, `missing` and `unanswerable`."""

    @property
    def files(self) -> list[Path]:
        """The files of the system."""
        return self.given.every_file

    @property
    def how(self) -> Reading:
        """How the files are read."""
        return self.given.how

    @cached_property
    def are_logs(self) -> bool:
        """Whether files are read together, because their rows depend on other files or on the data set."""
        if are_pages(self.how):
            return False
        joins = self.how.joins([kind_of_file(self.files[0], self.how)])
        return joins or self.given.repeats or any(map(_log_files.is_many, self.given.files))

    @property
    def part(self) -> str:
        """The name of the single part that all files form, if they are read together."""
        return "+".join(map(str, self.files))

    def rows(self) -> pl.DataFrame:
        """Return the rows of files read together."""
        unmatched = self.how.unmatched or ("error" if self.how.gold is not None else "keep")
        return _long.told_apart(rows_of({self.part: self.files}, self.how, unmatched))

    def single_answers(self, metrics: Sequence[str | Metric]) -> pl.LazyFrame:
        """Return all rows; raise an error if questions have several answers."""
        if self.are_logs:
            rows = self.rows()
            frame = origins.like(rows.lazy(), rows)
        else:
            scanned = [scan(path, self.how, every_response=True) for path in self.files]
            frame = origins.like(pl.concat(scanned, how="diagonal_relaxed"), scanned[0])
        if has_epochs(frame):
            single = "a page of rows shows single answers, but questions have several: choose an epoch with "
            raise ValueError(Advice(single, Option("epoch", None)))
        return with_numbers(frame, columns_of(metrics))

    def summary(self) -> Summary:
        """Summarize the rows of all files, with means over repeated answers to questions."""
        if self.are_logs:
            return self._summarize_logs()
        scanned = {path: scan_counted(path, self.how, every_response=True) for path in self.files}
        frames = {str(path): frame for path, (frame, _) in scanned.items()}
        if any(map(has_epochs, frames.values())):
            return self._summarize_logs()
        n_rows = sum(rows for _, rows in scanned.values())
        if len(frames) > 1 and not self.allow_repeated_ids:
            check_disjoint(frames)
        elif len(frames) == 1 and self.cluster is None:
            with reading(self.files[0], self.how):
                note = note_of_repeated(frames[self.part], n_rows)
            if note is not None:
                warn(Advice(f"{self.part}: {note}", Option("cluster", None)))
        with following_together(n_rows * self._passes, f"Scoring {listed(frames, _SHOWN)}"):
            return merge(self._summarized(path, frame, str(path)) for path, (frame, _) in scanned.items())

    def _summarize_logs(self) -> Summary:
        """Summarize files whose rows depend on other files, such as the data set or other epochs."""
        rows = self.rows()
        if not self.given.repeats:
            by_file = rows.group_by("log_file", maintain_order=True)
            check_disjoint({str(file): own.lazy() for (file,), own in by_file})
        if has_epochs(rows.lazy()):
            return self._summarize_epochs(rows)
        return self._summarized(self.files[0], origins.like(rows.lazy(), rows), self.part)

    def _summarize_epochs(self, rows: pl.DataFrame) -> Summary:
        """Summarize the means over repeated answers, or all answers if needed."""
        chosen = resolved(self.metrics or ["qa"], rows, self.scoring["protocol"])
        needed = {"worst": self.worst, "keep": self.keep, "details": self.details}
        needing_rows = [Option(name, None) for name, value in needed.items() if value]
        needing_rows += [Option("metric", metric.name) for metric in chosen if not metric.is_mean]
        uneven = note_of_uneven(rows)
        if uneven is not None:
            warn(uneven)
        if needing_rows:
            cluster = self.cluster or "question_id"
            questions = numbered(rows["question_id"].n_unique(), "question")
            named = [part for option in needing_rows for part in (" and ", option)][1:]
            verb = "needs" if len(needing_rows) == 1 else "need"
            every = (
                f" {verb} single answers, so these are all {rows.height:,} rows of {questions}, in clusters "
                f"by {cluster}, not means over epochs"
            )
            warn(Advice(*named, every))
            lazy = origins.like(rows.lazy(), rows)
            return self._summarized(self.files[0], lazy, self.part, cluster=cluster)
        means, metrics = averaged(
            rows,
            chosen,
            id=["question_id"],
            keep=[*(name for table in self.by or () for name in table), *optional(self.cluster)],
            **self.scoring,
        )
        summary: Summary = summarize(means, by=self.by, cluster=self.cluster, metrics=metrics, part=self.part)
        return summary

    def _summarized(self, path: Path, frame: pl.LazyFrame, part: str, cluster: str | None = None) -> Summary:
        with reading(path, self.how):
            summary: Summary = summarize(
                with_numbers(frame, columns_of(self.metrics)),
                "prediction",
                "answers",
                metrics=self.metrics,
                by=self.by,
                cluster=cluster or self.cluster,
                **self.scoring,
                worst=self.worst,
                keep=self.keep,
                details=self.details,
                part=part,
            )
        return summary

    @property
    def _passes(self) -> int:
        """The number of passes over the rows, known from the settings without reading."""
        by = [name for names in self.by or () for name in names]
        columns = [*by, *self.keep, *optional(self.cluster)]
        texts = ["prediction", "answers", *columns, *columns_of(self.metrics)]
        nothing = pl.DataFrame(schema=dict.fromkeys(texts, pl.String))
        settings: Settings = self._summarized(self.files[0], nothing.lazy(), "nothing").settings
        return passes(settings)
