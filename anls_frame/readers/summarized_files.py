"""Summaries of the files of one system: a file, several parts, or logs with repeated answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._text import listed, numbered
from anls_frame.exceptions import warn
from anls_frame.frames import origins
from anls_frame.frames.progress import following_together
from anls_frame.readers import _log_files, _long
from anls_frame.readers._problems import Advice, Option
from anls_frame.readers.any_file import are_pages, kind_of_file, load, reading, scan, stored_rows
from anls_frame.readers.logs import rows_of
from anls_frame.readers.repeated_answers import averaged, has_epochs, note_of_uneven, resolved
from anls_frame.readers.repeated_ids import Ids, note_of_repeated
from anls_frame.readers.score_columns import columns_of, with_numbers
from anls_frame.summary.keys import optional
from anls_frame.summary.merging import merge
from anls_frame.summary.summarizing import passes, summarize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from anls_frame.readers._runs import Runs
    from anls_frame.readers.any_file import Reading
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings
    from anls_frame.summary.summary import Summary

_SHOWN = 3
"""Number of files that a line of progress names."""


@dataclass(frozen=True, kw_only=True)
class FilesOfSystem:
    """The files of one system, with options for reading them."""

    files: Sequence[Path]
    how: Reading
    repeats: bool = False
    """Whether files with questions in common hold several answers to them."""
    allow_repeated_ids: bool = False
    are_logs: bool = False
    """Whether files are read together: what one holds depends on others, or on the data set."""

    def __post_init__(self) -> None:
        _log_files.check_different(self.files)

    @classmethod
    def found(
        cls,
        paths: Sequence[Path],
        how: Reading,
        *,
        runs: Runs,
        repeats: bool,
        **options: bool,
    ) -> Self:
        """Return the files for names, folders and patterns."""
        files, are_logs = [*paths], False
        if not are_pages(how):
            wanted: Runs = "all" if repeats else runs
            files = _log_files.files_of(paths, wanted, how.gold_files)
            joins = how.joins([kind_of_file(files[0], how)])
            are_logs = any(map(_log_files.is_many, paths)) or joins or repeats
        return cls(files=files, how=how, repeats=repeats, are_logs=are_logs, **options)

    @property
    def name(self) -> str:
        """The name of the single part that all files form, if they are read together."""
        return "+".join(map(str, self.files))

    @property
    def listed(self) -> str:
        """The files for a line of progress."""
        return listed(map(str, self.files), _SHOWN)

    def rows(self) -> pl.DataFrame:
        """Return the rows of files read together."""
        unmatched = self.how.unmatched or ("error" if self.how.gold is not None else "keep")
        return _long.told_apart(rows_of({self.name: self.files}, self.how, unmatched))

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


@dataclass(frozen=True, kw_only=True)
class FileSummary:
    """The options for summarizing the files of a system."""

    of: FilesOfSystem
    metrics: Sequence[str | Metric] | None
    by: Sequence[Sequence[str]] | None
    cluster: str | None
    worst: int
    keep: Sequence[str]
    details: bool | Mapping[str, float]
    scoring: Mapping[str, Any]
    """The options `protocol`, `missing` and `unanswerable`."""

    def summary(self) -> Summary:
        """Summarize the rows of all files, with means over repeated answers to questions."""
        files, how = self.of.files, self.of.how
        if self.of.are_logs:
            return self._of_logs()
        if len(files) > 1:
            return self._of_parts()
        (path,) = files
        rows = stored_rows(path, how)
        if rows is None:  # the number of rows is known only after reading the whole file
            loaded = load(path, how, every_response=True)
            rows, frame = loaded.height, origins.like(loaded.lazy(), loaded)
        else:
            frame = scan(path, how)
        if has_epochs(frame):
            return self._of_epochs(origins.like(_long.with_epoch(frame.collect()), frame))
        if self.cluster is None:
            with reading(path, how):
                note = note_of_repeated(frame, rows)
            if note is not None:
                warn(Advice(f"{path}: {note}", Option("cluster", None)))
        with following_together(rows * self._passes, f"Scoring {path}"):
            return self._summarized(path, frame, str(path))

    def _of_parts(self) -> Summary:
        stored = [stored_rows(path, self.of.how) for path in self.of.files]
        known = None if None in stored else sum(rows or 0 for rows in stored) * self._passes
        ids = Ids()
        summaries = []
        with following_together(known, f"Scoring {self.of.listed}"):
            for path in self.of.files:
                frame = scan(path, self.of.how, every_response=True)
                if has_epochs(frame):
                    return self._of_logs()
                if not self.of.allow_repeated_ids:
                    with reading(path, self.of.how):
                        ids.add(path, frame)
                summaries.append(self._summarized(path, frame, str(path)))
        ids.check()
        return merge(summaries)

    def _of_logs(self) -> Summary:
        """Summarize files whose rows depend on other files, such as the data set or other epochs."""
        rows = self.of.rows()
        in_files = rows.group_by("question_id").agg(pl.col("log_file").n_unique())
        if not self.of.repeats and not in_files.filter(pl.col("log_file") > 1).is_empty():
            ids = Ids()
            for (file,), own in rows.group_by("log_file", maintain_order=True):
                ids.add(file, own.lazy())
            ids.check()
        if has_epochs(rows.lazy()):
            return self._of_epochs(rows)
        return self._summarized(self.of.files[0], origins.like(rows.lazy(), rows), self.of.name)

    def _of_epochs(self, rows: pl.DataFrame) -> Summary:
        """Summarize the means over repeated answers, or all answers if needed."""
        chosen = resolved(self.metrics or ["qa"], rows, self.scoring["protocol"])
        needed = {"worst": self.worst, "keep": self.keep, "details": self.details}
        of_rows = [Option(name, None) for name, value in needed.items() if value]
        of_rows += [Option("metric", metric.name) for metric in chosen if not metric.is_mean]
        uneven = note_of_uneven(rows)
        if uneven is not None:
            warn(uneven)
        if of_rows:
            cluster = self.cluster or "question_id"
            questions = numbered(rows["question_id"].n_unique(), "question")
            named = [part for option in of_rows for part in (" and ", option)][1:]
            verb = "needs" if len(of_rows) == 1 else "need"
            every = (
                f" {verb} single answers, so these are all {rows.height:,} rows of {questions}, in clusters "
                f"by {cluster}, not means over epochs"
            )
            warn(Advice(*named, every))
            lazy = origins.like(rows.lazy(), rows)
            return self._summarized(self.of.files[0], lazy, self.of.name, cluster=cluster)
        means, metrics = averaged(
            rows,
            chosen,
            id=["question_id"],
            keep=[*(name for table in self.by or () for name in table), *optional(self.cluster)],
            **self.scoring,
        )
        summary: Summary = summarize(
            means, by=self.by, cluster=self.cluster, metrics=metrics, part=self.of.name
        )
        return summary

    def _summarized(self, path: Path, frame: pl.LazyFrame, part: str, cluster: str | None = None) -> Summary:
        with reading(path, self.of.how):
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
        settings: Settings = self._summarized(self.of.files[0], nothing.lazy(), "nothing").settings
        return passes(settings)
