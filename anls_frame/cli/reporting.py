"""Reports on files and on summaries of parts, for `report` and `merge`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, cast

import polars as pl

import anls_frame as af
from anls_frame._text import listed, numbered
from anls_frame.cli import browsing
from anls_frame.cli.comparing import put
from anls_frame.cli.options import DataSet, Reporting
from anls_frame.cli.output import (
    check_target,
    counting,
    plain,
    print_document,
    print_table,
    say,
    with_spaces,
    working,
)
from anls_frame.export import SUFFIXES
from anls_frame.frames import origins
from anls_frame.readers import _long
from anls_frame.readers import repeated_answers as epochs
from anls_frame.readers.any_file import load, reading, scan, stored_rows
from anls_frame.readers.repeated_ids import Ids, note_of_repeated
from anls_frame.readers.score_columns import columns_of, with_numbers
from anls_frame.readers.system_files import SystemFiles, rows_of
from anls_frame.summary.keys import optional
from anls_frame.summary.summarizing import passes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from anls_frame.cli.options import Arranging, Target
    from anls_frame.export import Document
    from anls_frame.readers.any_file import Reading
    from anls_frame.reports.reports import Arrangement
    from anls_frame.summary.settings import Settings

_SHOWN = 3
"""Number of files that a line of progress names."""


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """Where a report goes: to files and to the terminal."""

    output: Path | None
    summary: Path | None
    arranging: Arranging
    confidence: float
    fold_clusters: bool = False
    """Whether the clusters of the summary that is saved are put into groups."""
    target: Target
    page: Callable[[], af.RowsPage] | None = None
    """Makes the page of the rows behind the figures."""
    source: Sequence[Path] = ()
    """The files that a page names."""

    def check(self) -> None:
        """Raise an error, before any work is done, if the files cannot be written."""
        check_target(self.output, self.target.force, SUFFIXES)
        check_target(self.summary, self.target.force, (".parquet",))

    def put(self, summary: af.Summary) -> None:
        """Write and print the report of a summary."""
        report = af.Report.from_summary(summary, confidence=self.confidence)
        if not report.overall["n"]:
            raise ValueError("no row has an answer to score against")
        shown = cast("Arrangement", vars(self.arranging))
        # A wrong option leaves no file behind.
        document = report.to_document(**shown)
        if self.summary is not None:
            (summary.fold_clusters() if self.fold_clusters else summary).save(self.summary)
        if self.output is not None:
            page = None if self.page is None else self.page()
            escapes = self.target.escape_formulas
            report.write(self.output, **shown, escape_formulas=escapes, rows=page, source=self.source)
        if self.target.json:
            print_document(document)
        elif self.output is None:
            print(plain(report.to_text(**shown)))
            self._print_rest(document)
        else:
            scored = numbered(report.overall["n"], "row")
            first = report.measures[0]
            print(plain(f"{scored}, {first.label} {report.overall[first.name]:.4f}: {self.output}"))

    def put_comparison(self, summary: af.Summary) -> None:
        """Write and print the comparison of a summary of several systems."""
        useless = [
            f"--{one.name.replace('_', '-')}"
            for one in fields(self.arranging)
            if getattr(self.arranging, one.name) != one.default
        ]
        if useless:
            raise ValueError(
                f"{', '.join(useless)}: only for reports; these are summaries of several systems"
            )
        comparison = af.Comparison.from_summary(summary, confidence=self.confidence)
        if self.summary is not None:
            summary.save(self.summary)
        put(comparison, self.output, self.target)

    def _print_rest(self, document: Document) -> None:
        """Print the tables beside the slices: the worst rows, error types and confusions."""
        for table in document.tables:
            if not table.has_slices:
                print(f"\n{plain(table.name)}")
                print_table(with_spaces(table.frame))


@dataclass(frozen=True, kw_only=True)
class Work:
    """The input of a report: files, how they are read and how they are scored."""

    files: Sequence[Path]
    source: Reading
    settings: dict[str, Any]
    allow_repeated_ids: bool = False
    repeats: bool = False
    """Whether files with questions in common hold several answers to them."""
    are_logs: bool = False
    """Whether files are read together: what one holds depends on others, or on the data set."""
    data_set: DataSet = field(default_factory=DataSet)

    def __post_init__(self) -> None:
        doubled = {str(path) for path in self.files if self.files.count(path) > 1}
        if doubled:
            raise ValueError(f"a file is given twice: {', '.join(sorted(doubled))}")

    def summary(self) -> af.Summary:
        """Summarize the rows of all files."""
        if self.are_logs:
            return self._summary_of_logs()
        if len(self.files) > 1:
            return self._summary_of_files()
        (path,) = self.files
        rows = stored_rows(path, self.source)
        if rows is None:  # the number of rows is known only after reading the whole file
            with working(f"Reading {path}"):
                loaded = load(path, self.source, every_response=True)
            rows, frame = loaded.height, origins.like(loaded.lazy(), loaded)
        else:
            frame = scan(path, self.source)
        if epochs.has(frame):
            return self._summary_of_epochs(origins.like(_long.with_epoch(frame.collect()), frame))
        if self.settings["cluster"] is None:
            with reading(path, self.source):
                note = note_of_repeated(frame, rows)
            if note is not None:
                say(f"anls-frame: {path}: {note}")
        with counting(f"Scoring {path}", rows * self._passes):
            return self._summarize(path, frame, str(path))

    def page(self, n: int) -> af.RowsPage:
        """Return a page of the rows."""
        if self.are_logs:
            rows = self._rows()
            frame = origins.like(rows.lazy(), rows)
        else:
            scanned = [scan(path, self.source, every_response=True) for path in self.files]
            frame = origins.like(pl.concat(scanned, how="diagonal_relaxed"), scanned[0])
        if epochs.has(frame):
            raise ValueError(
                "--rows shows single answers, but questions have several: choose an epoch with --epoch"
            )
        chosen = self.settings["metrics"] or ["qa"]
        with reading(self.files[0], self.source), working("Writing rows"):
            return browsing.page(
                with_numbers(frame, columns_of(chosen)),
                "prediction",
                option="--rows",
                metrics=chosen,
                by=list(dict.fromkeys(name for names in self.settings["by"] or () for name in names)),
                keep=self.settings["keep"],
                n=n,
                **{one.name: self.settings[one.name] for one in fields(Reporting)},
            )

    @property
    def _expected_settings(self) -> Settings:
        """Return the settings of the summaries, without reading anything."""
        by = [name for names in self.settings["by"] or () for name in names]
        columns = [*by, *self.settings["keep"], self.settings["cluster"]]
        texts = ["prediction", "answers", *columns, *columns_of(self.settings["metrics"])]
        nothing = pl.DataFrame(schema={name: pl.String for name in texts if name is not None})
        return self._summarize(self.files[0], nothing.lazy(), "nothing").settings

    def _summary_of_files(self) -> af.Summary:
        stored = [stored_rows(path, self.source) for path in self.files]
        known = None if None in stored else sum(rows or 0 for rows in stored) * self._passes
        ids = Ids()
        summaries = []
        with counting(f"Scoring {self._listed}", known):
            for path in self.files:
                frame = scan(path, self.source, every_response=True)
                if epochs.has(frame):
                    return self._summary_of_logs()
                if not self.allow_repeated_ids:
                    with reading(path, self.source):
                        ids.add(path, frame)
                summaries.append(self._summarize(path, frame, str(path)))
        ids.check()
        return af.merge(summaries)

    def _summary_of_logs(self) -> af.Summary:
        """Summarize files whose rows depend on other files: on the data set, or on other epochs."""
        with working(f"Reading {self._listed}"):
            rows = self._rows()
        in_files = rows.group_by("question_id").agg(pl.col("log_file").n_unique())
        if not self.repeats and not in_files.filter(pl.col("log_file") > 1).is_empty():
            ids = Ids()
            for (file,), own in rows.group_by("log_file", maintain_order=True):
                ids.add(file, own.lazy())
            ids.check()
        if epochs.has(rows.lazy()):
            return self._summary_of_epochs(rows)
        return self._summarize(self.files[0], origins.like(rows.lazy(), rows), self._name)

    def _rows(self) -> pl.DataFrame:
        """Return the rows of all files, which are those of one system."""
        data_set = self.data_set
        of_one = SystemFiles(
            files=self.files,
            how=self.source,
            docs=data_set.docs,
            docs_id=data_set.docs_id,
            runs=data_set.runs,
        )
        return rows_of(of_one, {"all": self.files}, self.source)

    def _summary_of_epochs(self, rows: pl.DataFrame) -> af.Summary:
        """Summarize the means of questions that were answered several times, or all answers if needed."""
        settings, what = self.settings, self._name
        chosen = epochs.resolved(settings["metrics"] or ["qa"], rows, settings["protocol"])
        of_rows = [f"--{name}" for name in ("worst", "keep", "details") if settings[name]]
        of_rows += [f"--metric {metric.name}" for metric in chosen if metric.is_ratio]
        uneven = epochs.note_of_uneven(rows)
        if uneven is not None:
            say(f"anls-frame: {uneven}")
        if of_rows:
            cluster = settings["cluster"] or "question_id"
            verb = "needs" if len(of_rows) == 1 else "need"
            questions = numbered(rows["question_id"].n_unique(), "question")
            say(
                f"anls-frame: {' and '.join(of_rows)} {verb} single answers, so these are all "
                f"{rows.height:,} rows of {questions}, in clusters by {cluster}, not means over epochs"
            )
            lazy = origins.like(rows.lazy(), rows)
            return self._summarize(self.files[0], lazy, what, cluster=cluster)
        scoring = {one.name: settings[one.name] for one in fields(Reporting)}
        keep = [*(name for table in settings["by"] or () for name in table), *optional(settings["cluster"])]
        means, metrics = epochs.averaged(rows, chosen, id=["question_id"], keep=keep, **scoring)
        of_means = {"by": settings["by"], "cluster": settings["cluster"], "metrics": metrics}
        summary: af.Summary = af.summarize(means, part=what, **of_means)
        return summary

    def _summarize(self, path: Path, frame: pl.LazyFrame, part: str, **settings: Any) -> af.Summary:
        with reading(path, self.source):
            frame = with_numbers(frame, columns_of(self.settings["metrics"]))
            summary: af.Summary = af.summarize(
                frame,
                "prediction",
                "answers",
                part=part,
                **(self.settings | settings),
            )
        return summary

    @property
    def _name(self) -> str:
        """The name of the part that all files are, if they are read together."""
        return "+".join(map(str, self.files))

    @property
    def _listed(self) -> str:
        return listed(map(str, self.files), _SHOWN)

    @property
    def _passes(self) -> int:
        return passes(self._expected_settings)
