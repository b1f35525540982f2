"""Summaries of the files of one system: a file, several parts, or logs with repeated answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from anls_frame._text import listed, numbered
from anls_frame.exceptions import warn
from anls_frame.frames import origins
from anls_frame.frames.number_columns import with_numbers
from anls_frame.frames.progress import following_together
from anls_frame.readers import _log_files, _long
from anls_frame.readers._problems import Advice
from anls_frame.readers.any_file import are_pages, kind_of_file, reading, scan, scan_counted
from anls_frame.readers.logs import rows_of
from anls_frame.readers.repeated_answers import averaged, has_epochs, note_of_uneven, resolved
from anls_frame.readers.repeated_ids import check_disjoint, note_of_repeated
from anls_frame.readers.score_columns import columns_of, texts_of
from anls_frame.readers.system_files import SystemFiles
from anls_frame.summary.keys import optional
from anls_frame.summary.measures import Metric
from anls_frame.summary.merging import merge
from anls_frame.summary.summarizing import passes, summarize
from anls_frame.summary.summary import Summary

_SHOWN = 3
"""Number of files that a line of progress names."""


def single_answers(given: SystemFiles, metrics: Sequence[str | Metric]) -> pl.LazyFrame:
    """Return the rows of all files; raise an error if questions have several answers."""
    if _are_logs(given):
        rows = _rows(given)
        frame = origins.like(rows.lazy(), rows)
    else:
        scanned = [scan(path, given.how, every_response=True) for path in given.every_file]
        frame = origins.like(pl.concat(scanned, how="diagonal_relaxed"), scanned[0])
    if has_epochs(frame):
        single = (
            "a page of rows shows single answers, but questions have several: choose an epoch with epoch="
        )
        raise ValueError(Advice(single))
    return with_numbers(frame, columns_of(metrics))


def summarize_files(given: SystemFiles, *, allow_repeated_ids: bool, **options: Any) -> Summary:
    """
    Summarize the files of one system, with means over repeated answers to questions.

    Other options are those of `summarize`.
    """
    if _are_logs(given):
        return _summarize_logs(given, options)
    scanned = {path: scan_counted(path, given.how, every_response=True) for path in given.every_file}
    frames = {str(path): frame for path, (frame, _) in scanned.items()}
    if any(map(has_epochs, frames.values())):
        return _summarize_logs(given, options)
    n_rows = sum(rows for _, rows in scanned.values())
    if len(frames) > 1 and not allow_repeated_ids:
        check_disjoint(frames)
    elif len(frames) == 1 and options["cluster"] is None:
        [(part, frame)] = frames.items()
        with reading(given.every_file[0], given.how):
            note = note_of_repeated(frame, n_rows)
        if note is not None:
            warn(Advice(f"{part}: {note}"))

    def summarized(path: Path, frame: pl.LazyFrame) -> Summary:
        with reading(path, given.how):
            return _summarized(frame, str(path), options)

    # The number of passes over the rows is known without reading.
    by = [name for names in options["by"] or () for name in names]
    columns = [*by, *options["keep"], *optional(options["cluster"]), *columns_of(options["metrics"])]
    texts = filter(None, texts_of(next(iter(frames.values()))))
    nothing = pl.LazyFrame(schema=dict.fromkeys([*texts, *columns], pl.String))
    total = n_rows * passes(summarized(given.every_file[0], nothing).settings)
    with following_together(total, f"Scoring {listed(frames, _SHOWN)}"):
        return merge(summarized(path, frame) for path, (frame, _) in scanned.items())


def _are_logs(given: SystemFiles) -> bool:
    """Return whether files are read together: their rows depend on other files or on the data set."""
    if are_pages(given.how):
        return False
    joins = given.how.joins([kind_of_file(given.every_file[0], given.how)])
    return joins or given.repeats or any(map(_log_files.is_many, given.files))


def _part(given: SystemFiles) -> str:
    """Return the name of the single part that all files form, if they are read together."""
    return "+".join(map(str, given.every_file))


def _rows(given: SystemFiles) -> pl.DataFrame:
    """Return the rows of files read together."""
    unmatched = given.how.unmatched or ("error" if given.how.gold is not None else "keep")
    return _long.told_apart(rows_of({_part(given): given.every_file}, given.how, unmatched))


def _summarize_logs(given: SystemFiles, options: dict[str, Any]) -> Summary:
    """Summarize files whose rows depend on other files, such as the data set or other epochs."""
    rows = _rows(given)
    if not given.repeats:
        by_file = rows.group_by("log_file", maintain_order=True)
        check_disjoint({str(file): own.lazy() for (file,), own in by_file})
    lazy = origins.like(rows.lazy(), rows)
    if has_epochs(lazy):
        chosen = resolved(options["metrics"] or ["qa"], rows, options["protocol"])
        needing_rows = [f"{name}=" for name in ("worst", "keep", "details") if options[name]]
        needing_rows += [f"metric={metric.name!r}" for metric in chosen if not metric.is_mean]
        uneven = note_of_uneven(rows)
        if uneven is not None:
            warn(uneven)
        if not needing_rows:
            return _summarize_means(rows, chosen, _part(given), options)
        options = options | {"cluster": options["cluster"] or "question_id"}
        questions = numbered(rows["question_id"].n_unique(), "question")
        verb = "needs" if len(needing_rows) == 1 else "need"
        single = (
            f"{' and '.join(needing_rows)} {verb} single answers, so these are all {rows.height:,} rows of"
        )
        warn(Advice(f"{single} {questions}, in clusters by {options['cluster']}, not means over epochs"))
    with reading(given.every_file[0], given.how):
        return _summarized(lazy, _part(given), options)


def _summarize_means(
    rows: pl.DataFrame, chosen: Sequence[Metric], part: str, options: dict[str, Any]
) -> Summary:
    """Summarize the means over repeated answers."""
    by, cluster = options["by"], options["cluster"]
    keep = [*(name for table in by or () for name in table), *optional(cluster)]
    scoring = {name: options[name] for name in ("protocol", "missing", "unanswerable")}
    means, metrics = averaged(rows, chosen, id=["question_id"], keep=keep, **scoring)
    summary: Summary = summarize(means, by=by, cluster=cluster, metrics=metrics, part=part)
    return summary


def _summarized(frame: pl.LazyFrame, part: str, options: dict[str, Any]) -> Summary:
    rows = with_numbers(frame, columns_of(options["metrics"]))
    summary: Summary = summarize(rows, *texts_of(rows), part=part, **options)
    return summary
