"""Reports of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice
from anls_frame._messages import Message, Option
from anls_frame._paths import is_many
from anls_frame._text import listed, numbered
from anls_frame._typing import Missing
from anls_frame.exceptions import warn
from anls_frame.files.file import File
from anls_frame.files.standard_frames import ids_text
from anls_frame.files.table_files import reading_parquet
from anls_frame.frames import origins
from anls_frame.frames.documents import forgotten
from anls_frame.frames.number_columns import with_numbers
from anls_frame.frames.progress import following_together
from anls_frame.frames.reserved_columns import QUESTION_ID
from anls_frame.overviews.roles import warn_of_systems
from anls_frame.protocol import ScoreProtocol
from anls_frame.reports.reports import Report
from anls_frame.runs.log_files import Paths
from anls_frame.runs.reading import Reading, are_pages, reading, warn_of_transcripts
from anls_frame.runs.score_columns import (
    Scores,
    Tables,
    as_list,
    every_column,
    score_columns_of,
    tables_of,
    text_columns,
)
from anls_frame.runs.system_files import SystemFiles, has_epochs
from anls_frame.summary.measures import Metric
from anls_frame.summary.settings import Unanswerable
from anls_frame.summary.summarizing import passes, summarize
from anls_frame.summary.summary import Summary, merge

SharedIds: TypeAlias = Literal["error", "repeats", "rows"]


def report_files(
    files: Paths | SystemFiles,
    reading: Reading | None = None,
    *,
    metrics: Scores | None = None,
    by: Tables | None = None,
    cluster: str | None = None,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    worst: int = 0,
    keep: Sequence[str] = (),
    details: bool = False,
    shared_ids: SharedIds = "error",
    confidence: float = 0.95,
) -> Report:
    """
    Report the scores of the files of one system, as `anls-frame report` does.

    A question with several epochs counts once, with the mean of its scores.

    Parameters
    ----------
    files
        A file of results, several of the same kind, a pattern, or a folder of these.
    reading
        How to read the files; by default, everything is detected.
    metrics
        As for `anls_frame.report`; by default "qa" or, of pages of OCR, "ocr".
    by
        Columns to slice by, which are crossed, or lists of columns, one for each table.
    cluster, protocol, missing, unanswerable, worst, keep, details
        As for `anls_frame.report`.
    shared_ids
        What questions mean that are in several files: an `"error"`, `"repeats"` of the same questions, whose
        scores are averaged, or `"rows"` like all others.
    confidence
        Confidence level of the intervals.

    Returns
    -------
    Report
        The report. Its summary has each file as a part, so that it merges with those of other files.

    Warns
    -----
    InputWarning
        If questions have different numbers of epochs, or as the readers warn.

    Raises
    ------
    InputError
        If the files have problems; the error lists all of them, with their places.
    OSError
        If a file cannot be opened, or no file matches a pattern.
    ValueError
        If files have ids in common, or options do not fit.

    See Also
    --------
    compare_files : compares the files of several systems.
    anls_frame.report : reports a frame.

    Examples
    --------
    >>> import anls_frame as af
    >>> af.sample().write_parquet("questions.parquet")
    >>> reading = af.readers.Reading(options={"prediction": "tesseract"})
    >>> report = af.readers.report_files("questions.parquet", reading, by="lang", cluster="doc_id")
    >>> round(report.overall["anls"], 3)
    0.66
    """
    choice("shared_ids", shared_ids, get_args(SharedIds))
    chosen = as_list(metrics)
    given = SystemFiles.of(files, reading, chosen, repeats=shared_ids == "repeats")
    tables = tables_of(by)
    given = given.naming(*every_column(tables, cluster), *keep, *score_columns_of(chosen))
    warn_of_transcripts(chosen, given.how)
    of_pages = are_pages(given.how)
    options = {
        "metrics": chosen or (["ocr"] if of_pages else None),
        "by": tables,
        "cluster": cluster,
        "protocol": protocol,
        "missing": missing,
        "unanswerable": unanswerable,
        "worst": worst,
        "keep": keep or (["question_id"] if of_pages else ()),
        "details": details,
    }
    return Report.from_summary(_summary_of(given, shared_ids, options), confidence=confidence)


_SHOWN = 3
"""Number of files that a line of progress names."""


def single_answers(given: SystemFiles, metrics: Sequence[str | Metric]) -> pl.LazyFrame:
    """Return the rows of all files; raise an error if questions have several answers."""
    if _are_logs(given):
        rows = given.together
        frame = origins.like(rows.lazy(), rows)
    else:
        scanned = [frame for frame, _ in given.scanned.values()]
        frame = origins.like(pl.concat(scanned, how="diagonal_relaxed"), scanned[0])
    if has_epochs(frame):
        single = "a page of rows shows single answers, but questions have several: choose an epoch with "
        raise ValueError(Message(single, Option("epoch")))
    return with_numbers(frame, score_columns_of(metrics))


def _summary_of(given: SystemFiles, shared_ids: SharedIds, options: dict[str, Any]) -> Summary:
    """Summarize the files of one system, with means over repeated answers to questions."""
    if _are_logs(given, shared_ids):
        return _summarize_logs(given, options)
    scanned = given.scanned
    frames = {str(file): frame for file, (frame, _) in scanned.items()}
    if any(map(has_epochs, frames.values())):
        return _summarize_logs(given, options)
    n_rows = sum(rows for _, rows in scanned.values())
    if len(frames) > 1 and shared_ids != "rows":
        check_disjoint(frames)

    def summarized(file: File, frame: pl.LazyFrame) -> Summary:
        with reading(file, given.how):
            if n_rows <= MOST_ROWS:
                others = origins.like(frame.drop(every_column(options["by"]), strict=False), frame)
                warn_of_systems(others, [QUESTION_ID, "question"])
            return _summarized(frame, str(file), options)

    file, (frame, _) = next(iter(scanned.items()))
    with reading(file, given.how):
        nothing = _summarized(frame.head(0).collect(), str(file), options)
    total = n_rows * passes(nothing.settings)
    with following_together(total, f"Scoring {listed(frames, _SHOWN)}"):
        merged = merge(summarized(file, frame) for file, (frame, _) in scanned.items())
    if merged.forgotten_documents is None and shared_ids != "rows":
        # Each file may be a document.
        some = pl.concat([frame.head(2) for frame in frames.values()], how="diagonal_relaxed")
        return replace(merged, forgotten_documents=forgotten(some, options["cluster"]))
    return merged


def _are_logs(given: SystemFiles, shared_ids: SharedIds = "error") -> bool:
    """Return whether files are read together: their rows depend on other files or on the data set."""
    if are_pages(given.how):
        return False
    are_repeats = shared_ids != "rows" and any(is_many(file.path) for file in given.files)
    return given.how.gold is not None or given.repeats or are_repeats


def _summarize_logs(given: SystemFiles, options: dict[str, Any]) -> Summary:
    """Summarize files whose rows depend on other files, such as the data set or other epochs."""
    rows = given.together
    if not given.repeats:
        by_file = rows.group_by("log_file", maintain_order=True)
        check_disjoint({str(file): own.lazy() for (file,), own in by_file})
    lazy = origins.like(rows.lazy(), rows)
    if has_epochs(lazy):
        from anls_frame.runs.scored_files import averaged, resolved  # noqa: PLC0415 - only for epochs

        wanted = options["metrics"] or ["qa"]
        chosen = resolved(wanted, rows, options["protocol"])
        needing_rows = [Option(name) for name in ("worst", "keep", "details") if options[name]]
        needing_rows += [
            Option("metric", metric if isinstance(metric, str) else metric.name)
            for metric in wanted
            if not all(one.is_mean for one in resolved([metric], rows, options["protocol"]))
        ]
        _warn_of_uneven(rows)
        if not needing_rows:
            by, cluster = options["by"], options["cluster"]
            scoring = {name: options[name] for name in ("protocol", "missing", "unanswerable")}
            means, metrics = averaged(
                rows, chosen, id=["question_id"], keep=every_column(by, cluster), **scoring
            )
            asked = {"by": by, "cluster": cluster, "metrics": metrics}
            return _summarized(origins.like(means.lazy(), means), given.part, asked)
        options = options | {"cluster": options["cluster"] or "question_id"}
        questions = numbered(rows["question_id"].n_unique(), "question")
        verb = "needs" if len(needing_rows) == 1 else "need"
        named = Message.joined(" and ", map(Message, needing_rows))
        what = (
            f" {verb} single answers, so these are all {rows.height:,} rows of {questions}, in clusters by "
        )
        warn(named, what, f"{options['cluster']}, not means over epochs")
    with reading(given.every_file[0], given.how):
        return _summarized(lazy, given.part, options)


def _summarized(frame: pl.DataFrame | pl.LazyFrame, part: str, options: dict[str, Any]) -> Summary:
    rows = with_numbers(frame, score_columns_of(options["metrics"]))
    summary: Summary = summarize(rows, *text_columns(rows), part=part, **options)
    return summary


MOST_ROWS = 5_000_000
"""The ids of more rows would take too much memory, so they are not checked."""


def check_disjoint(files: Mapping[str, pl.LazyFrame]) -> None:
    """
    Raise an error if an id is in several files or, without ids, the same answers in the same order.

    Parameters
    ----------
    files
        The rows of each file, by its name.
    """
    every: list[pl.DataFrame] = []
    known: dict[bytes, str] = {}
    for name, frame in files.items():
        columns = frame.collect_schema()
        if "question_id" not in columns:
            _check_other_answers(
                name, frame.select(cs.by_name("question", "answers", require_all=False)), known
            )
            continue
        if sum(ids.height for ids in every) > MOST_ROWS:
            continue
        ids = frame.select("question_id", file=pl.lit(name)).drop_nulls().unique(maintain_order=True)
        with reading_parquet(File.of(name)):
            every.append(ids.collect(engine="streaming"))
    if not every:
        return
    owners = pl.concat(every).group_by("question_id", maintain_order=True).agg("file")
    shared = owners.filter(pl.col("file").list.len() > 1)
    if shared.is_empty():
        return
    first, second = shared["file"][0][:2]
    both = pl.col("file").list.contains(first) & pl.col("file").list.contains(second)
    shared_ids = ids_text(shared.filter(both)["question_id"].to_list())
    raise ValueError(
        Message(
            f"{first} and {second} have ids in common ({shared_ids}); their rows would count as those of one "
            f"system. To compare two systems: anls-frame compare {first} {second}. For repeated answers to "
            "the same questions, pass ",
            Option("shared_ids", "repeats"),
            "; for different questions, ",
            Option("shared_ids", "rows"),
        )
    )


def _check_other_answers(name: str, frame: pl.LazyFrame, known: dict[bytes, str]) -> None:
    """Raise an error if a file without ids has the questions and answers of a known one, in their order."""
    if "answers" not in frame.collect_schema():
        return
    with reading_parquet(File.of(name)):
        rows = frame.head(MOST_ROWS).collect(engine="streaming").hash_rows()
    first = known.setdefault(rows.to_numpy().tobytes(), name) if rows.n_unique() > 1 else name
    if first != name:
        raise ValueError(
            Message(
                f"{first} and {name} have the same {numbered(len(rows), 'answer')} in the same order, and no "
                "ids; their rows would count as different questions of one system. To compare systems, or to "
                "average repeated answers, add a column id with the number of the row to each file. For "
                "different questions, pass ",
                Option("shared_ids", "rows"),
            )
        )


def _warn_of_uneven(rows: pl.DataFrame) -> None:
    """Warn of questions that have fewer epochs than others."""
    counts = rows.group_by("question_id", maintain_order=True).len("epochs")
    most = max(counts["epochs"])
    fewer = counts.filter(pl.col("epochs") < most)["question_id"].to_list()
    if fewer:
        questions = numbered(len(fewer), "question")
        warn(
            f"{questions} with fewer than {most} epochs, averaged over the existing epochs: {ids_text(fewer)}"
        )
