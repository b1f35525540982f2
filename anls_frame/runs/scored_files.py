"""Comparisons and summaries of files: by texts, means over repeated answers, or columns of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame._paths import is_many
from anls_frame._text import listed, numbered, quoted
from anls_frame.exceptions import InputError, Problem, warn
from anls_frame.files.file import File
from anls_frame.files.problems import Advice
from anls_frame.files.standard_frames import ids_text
from anls_frame.files.table_files import reading_parquet
from anls_frame.frames import origins
from anls_frame.frames.number_columns import with_numbers
from anls_frame.frames.progress import following_together
from anls_frame.protocol import ScoreProtocol
from anls_frame.repeats.question_scores import (
    VarianceComponents,
    mean_over_epochs,
    pass_at_k,
    variance_components,
)
from anls_frame.reports.comparisons import Comparison, baseline_first, compare
from anls_frame.reports.long_frames import side_by_side as in_columns
from anls_frame.runs.reading import are_pages, kind_of_file, reading
from anls_frame.runs.score_columns import columns_of, texts_of
from anls_frame.runs.system_files import (
    QUESTION,
    SystemFiles,
    are_repeated,
    has_epochs,
    scores_in_columns,
    side_by_side,
    systems_of,
)
from anls_frame.summary.catalogue import NAMES, SETS, check_names, resolve
from anls_frame.summary.keys import optional
from anls_frame.summary.measures import Metric
from anls_frame.summary.summarizing import passes, summarize
from anls_frame.summary.summary import Summary, merge


def usual_metric(given: SystemFiles) -> str:
    """Return the default metric of texts for comparisons."""
    return "cer_corpus" if are_pages(given.how) else "anls"


def compare_texts(
    given: SystemFiles,
    metrics: Sequence[str | Metric],
    *,
    baseline: str | None,
    details: bool,
    scoring: Mapping[str, Any],
    **options: Any,
) -> Comparison:
    """Compare the texts of systems, or means over repeated answers; other options are those of `compare`."""
    rows = given.rows if given.are_logged else None
    asked = [] if rows is None else resolved(metrics, rows, scoring["protocol"])
    comparison: Comparison
    if rows is not None and (are_repeated(rows) or are_read(asked)):
        if details:
            counted = "details= counts the error types of texts, not of means or columns of scores"
            raise ValueError(Advice(f"{counted}: choose one epoch with epoch=, and metrics of texts"))
        kept = [*(name for table in options["by"] or () for name in table), *optional(options["cluster"])]
        means, asked = averaged(rows, asked, keep=kept, **scoring)
        check_scored(means, asked)
        order = baseline_first(systems_of(rows), baseline)
        wide = in_columns(means, system="system", id="question_id", systems=order, metrics=asked)
        comparison = compare(wide, **options)
    else:
        frame, systems = given.texts if rows is None else side_by_side(rows)
        comparison = compare(
            _with_scores(frame, metrics),
            {name: systems[name] for name in baseline_first(systems, baseline)},
            "answers",
            metrics=metrics,
            details=details,
            **scoring,
            **options,
        )
    return _not_empty(comparison, "no row has an answer to score against")


def compare_scores(
    given: SystemFiles, name: str, *, lower_is_better: bool, baseline: str | None, **options: Any
) -> Comparison:
    """Compare columns of scores; other options are those of `compare`."""
    frame, systems = scores_in_columns(given)
    comparison: Comparison = compare(
        frame,
        {name: systems[name] for name in baseline_first(systems, baseline)},
        None,
        metrics=metric_of_scores(systems, name, lower_is_better=lower_is_better),
        **options,
    )
    return _not_empty(comparison, "no row has the scores of all systems")


def metric_of_scores(systems: dict[str, str], name: str, *, lower_is_better: bool) -> Metric:
    """Return the metric of the columns of systems."""
    return Metric(systems, name=name, higher_is_better=False if lower_is_better else None)


def _not_empty(comparison: Comparison, message: str) -> Comparison:
    if not comparison.overall["n"].max():
        raise ValueError(message)
    return comparison


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


def are_read(metrics: Sequence[Metric]) -> bool:
    """Return whether a metric reads scores from the rows, rather than computes them from texts."""
    return any(not metric.is_built_in and isinstance(metric.numerator, str | pl.Expr) for metric in metrics)


def resolved(chosen: Sequence[str | Metric], rows: pl.DataFrame, protocol: ScoreProtocol) -> list[Metric]:
    """Return the metrics; of a set, only those with a mean over epochs, which ratios of two sums lack."""
    named = columns_of([metric for metric in chosen if isinstance(metric, str)])
    unknown = [name for name in named if name not in rows.columns]
    if unknown:
        numbers = [name for name, dtype in rows.schema.items() if dtype.is_numeric() and name != "epoch"]
        also = f"; they have numbers in {listed(list(map(quoted, numbers)))}" if numbers else ""
        scores = ", ".join((*SETS, *NAMES))
        message = f"metric={unknown[0]!r}: neither a score ({scores}) nor a column of the files{also}"
        raise ValueError(Advice(message))
    groups = [resolve(metric, rows.columns, has_texts=True, protocol=protocol) for metric in chosen]
    metrics = [metric for group in groups for metric in group if len(group) == 1 or not metric.is_ratio]
    check_names(metrics)
    return metrics


def averaged(
    rows: pl.DataFrame,
    metrics: Sequence[Metric],
    *,
    id: Sequence[str] = QUESTION,  # noqa: A002 - as in `mean_over_epochs`
    keep: Sequence[str],
    **scoring: Any,
) -> tuple[pl.DataFrame, list[Metric]]:
    """Return the mean scores of each question of a system, and the metrics for these means."""
    table = _with_scores(rows, metrics)
    means = mean_over_epochs(table, *texts_of(table), id=id, keep=keep, metrics=metrics, **scoring)
    return means, [_as_mean(metric) for metric in metrics]


def _with_scores(rows: pl.DataFrame, metrics: Sequence[str | Metric]) -> pl.DataFrame:
    """Return the rows, with numbers in the columns of scores that metrics read."""
    own = [metric for metric in metrics if isinstance(metric, str) or not metric.is_built_in]
    return origins.like(with_numbers(rows, columns_of(own)).collect(), rows)


def _as_mean(metric: Metric) -> Metric:
    """Return the metric of a column of means."""
    return Metric(
        metric.name,
        label=metric.label,
        bounds=metric.bounds,
        higher_is_better=metric.higher_is_better,
        format=metric.format,
        in_text="figure" if metric.in_text == "figure" else "interval",
    )


def check_scored(means: pl.DataFrame, metrics: Sequence[Metric]) -> None:
    """Raise an error if a system has no scores at all, for example without a column of scores."""
    for metric in metrics:
        counts = means.group_by("system", maintain_order=True).agg(cs.by_name(metric.name).count())
        scored = counts.filter(counts[metric.name] > 0)
        if 0 < scored.height < counts.height:
            without = [name for name in counts["system"] if name not in scored["system"].to_list()]
            raise InputError(
                [Problem("", "", f"{name!r} has no scores in {quoted(metric.name)}") for name in without]
            )


def check_repeated(rows: pl.DataFrame) -> None:
    """Raise an error if a system answered every question only once."""
    systems = rows.group_by("system", maintain_order=True)
    once = [quoted(name) for (name,), own in systems if not are_repeated(own)]
    if once:
        message = Advice(
            f"{listed(once)}: one answer to each question, so nothing is known about epochs; for several "
            "runs of a system, each in a file, name their folder and pass repeats=True"
        )
        raise ValueError(message)


def components_of_systems(
    rows: pl.DataFrame, metric: str | Metric, **options: Any
) -> dict[str, VarianceComponents[pl.DataFrame]]:
    """Return the variance components of each system, with options of `variance_components`."""
    table, chosen = _with_metric(rows, metric, options["protocol"])
    given = {"id": "question_id", "metrics": chosen, **options}
    return {
        str(system): variance_components(own, "prediction", "answers", **given)
        for (system,), own in table.group_by("system", maintain_order=True)
    }


def pass_at_k_of_systems(
    rows: pl.DataFrame, k: Sequence[int], metric: str | Metric, **scoring: Any
) -> pl.DataFrame:
    """Return pass@k of each system, averaged over its questions."""
    least = rows.group_by(QUESTION).len()["len"].to_list()
    if max(k) > min(least):
        fewest = numbered(min(least), "epoch")
        raise ValueError(Advice(f"pass_at={max(k)}: there are questions with {fewest}"))
    table, chosen = _with_metric(rows, metric, scoring["protocol"])
    questions = pass_at_k(table, k, "prediction", "answers", id=QUESTION, metrics=chosen, **scoring)
    counted = pl.col("n_epochs").filter(pl.col("n_epochs") > 0).len().alias("questions")
    names = [f"pass_at_{size}" for size in k]
    means: pl.DataFrame = questions.group_by("system", maintain_order=True).agg(counted, pl.col(names).mean())
    return means


def _with_metric(
    rows: pl.DataFrame, metric: str | Metric, protocol: ScoreProtocol
) -> tuple[pl.DataFrame, Metric]:
    """Return the rows, with numbers in the column that the metric reads, and the metric."""
    chosen = resolved([metric], rows, protocol)
    if len(chosen) != 1:
        raise ValueError(f"metric {metric!r} must be one score")
    return _with_scores(rows, chosen), chosen[0]


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
    scanned = given.scanned
    frames = {str(file): frame for file, (frame, _) in scanned.items()}
    if any(map(has_epochs, frames.values())):
        return _summarize_logs(given, options)
    n_rows = sum(rows for _, rows in scanned.values())
    if len(frames) > 1 and not allow_repeated_ids:
        check_disjoint(frames)
    elif len(frames) == 1 and options["cluster"] is None:
        [(file, (frame, _))] = scanned.items()
        with reading(file, given.how):
            _warn_of_repeated(file, frame, n_rows)

    def summarized(file: File, frame: pl.LazyFrame) -> Summary:
        with reading(file, given.how):
            return _summarized(frame, str(file), options)

    # The number of passes over the rows is known without reading.
    by = [name for names in options["by"] or () for name in names]
    columns = [*by, *options["keep"], *optional(options["cluster"]), *columns_of(options["metrics"])]
    texts = filter(None, texts_of(next(iter(frames.values()))))
    nothing = pl.LazyFrame(schema=dict.fromkeys([*texts, *columns], pl.String))
    total = n_rows * passes(summarized(given.every_file[0], nothing).settings)
    with following_together(total, f"Scoring {listed(frames, _SHOWN)}"):
        return merge(summarized(file, frame) for file, (frame, _) in scanned.items())


def _are_logs(given: SystemFiles) -> bool:
    """Return whether files are read together: their rows depend on other files or on the data set."""
    if are_pages(given.how):
        return False
    joins = given.how.joins([kind_of_file(given.every_file[0], given.how)])
    return joins or given.repeats or any(is_many(file.path) for file in given.files)


def _summarize_logs(given: SystemFiles, options: dict[str, Any]) -> Summary:
    """Summarize files whose rows depend on other files, such as the data set or other epochs."""
    rows = given.together
    if not given.repeats:
        by_file = rows.group_by("log_file", maintain_order=True)
        check_disjoint({str(file): own.lazy() for (file,), own in by_file})
    lazy = origins.like(rows.lazy(), rows)
    if has_epochs(lazy):
        chosen = resolved(options["metrics"] or ["qa"], rows, options["protocol"])
        needing_rows = [f"{name}=" for name in ("worst", "keep", "details") if options[name]]
        needing_rows += [f"metric={metric.name!r}" for metric in chosen if not metric.is_mean]
        _warn_of_uneven(rows)
        if not needing_rows:
            by, cluster = options["by"], options["cluster"]
            keep = [*(name for table in by or () for name in table), *optional(cluster)]
            scoring = {name: options[name] for name in ("protocol", "missing", "unanswerable")}
            means, metrics = averaged(rows, chosen, id=["question_id"], keep=keep, **scoring)
            asked = {"by": by, "cluster": cluster, "metrics": metrics}
            return _summarized(origins.like(means.lazy(), means), given.part, asked)
        options = options | {"cluster": options["cluster"] or "question_id"}
        questions = numbered(rows["question_id"].n_unique(), "question")
        verb = "needs" if len(needing_rows) == 1 else "need"
        single = (
            f"{' and '.join(needing_rows)} {verb} single answers, so these are all {rows.height:,} rows of"
        )
        warn(Advice(f"{single} {questions}, in clusters by {options['cluster']}, not means over epochs"))
    with reading(given.every_file[0], given.how):
        return _summarized(lazy, given.part, options)


def _summarized(frame: pl.LazyFrame, part: str, options: dict[str, Any]) -> Summary:
    rows = with_numbers(frame, columns_of(options["metrics"]))
    summary: Summary = summarize(rows, *texts_of(rows), part=part, **options)
    return summary


MOST_ROWS = 5_000_000
"""The ids of more rows would take too much memory, so they are not checked."""
_SHOWN_IDS = 3


def check_disjoint(files: Mapping[str, pl.LazyFrame]) -> None:
    """
    Raise an error if an id is in several files.

    Parameters
    ----------
    files
        The rows of each file, by its name.
    """
    every: list[pl.DataFrame] = []
    for name, frame in files.items():
        if "question_id" not in frame.collect_schema() or sum(ids.height for ids in every) > MOST_ROWS:
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
    shared_ids = listed(map(quoted, shared.filter(both)["question_id"]), _SHOWN_IDS)
    raise ValueError(
        f"{first} and {second} have ids in common ({shared_ids}); "
        "their rows would count as those of one system. To compare two systems: anls-frame compare "
        f"{first} {second}. For repeated answers to the same questions, pass "
        "--repeats; for different questions, --allow-repeated-ids"
    )


def _warn_of_repeated(file: File, frame: pl.LazyFrame, rows: int) -> None:
    """Warn of rows that repeat an id, because they are not independent observations."""
    if "question_id" not in frame.collect_schema() or rows > MOST_ROWS:
        return
    ids = pl.col("question_id")
    counts = frame.select(ids.count() - ids.drop_nulls().hash().n_unique()).collect(engine="streaming")
    if repeated := counts.item():
        warn(
            Advice(
                f"{file}: {numbered(repeated, 'row')} of {rows:,} repeat the id of another row. Rows of one "
                "question are not independent, so the intervals are too narrow: name a column that they "
                "share with cluster="
            )
        )
