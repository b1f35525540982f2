"""Systems on the same questions, for `compare` and `changes`: their texts or scores side by side."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame._text import differing_in_case, listed, numbered, path_text, quoted
from anls_frame.cli import epochs, logs
from anls_frame.cli import metrics as named_metrics
from anls_frame.cli.options import DataSet
from anls_frame.cli.output import say
from anls_frame.cli.paths import by_system, files, is_many, name_of
from anls_frame.cli.source import are_pages, load_systems, options, table
from anls_frame.exceptions import InputError, Problem
from anls_frame.frames import origins
from anls_frame.frames.checks import no_column
from anls_frame.readers._raw import numbers
from anls_frame.readers._standard import ids_text
from anls_frame.readers.pages import read_engines
from anls_frame.reports.pairing import disagreeing
from anls_frame.summary.keys import optional

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame.cli.options import Reporting, Source


@dataclass(frozen=True, kw_only=True)
class Systems:
    """Where the systems are: in a file each, in columns of one file, or below each other in one file."""

    files: Sequence[Path]
    columns: str | None
    column_of_names: str | None = None
    names: Sequence[str] | None = None
    source: Source
    data_set: DataSet = field(default_factory=DataSet)
    repeats: bool = False
    """Whether a folder holds repeated answers of one system, not systems."""
    number: str = "two or more"
    """How many there may be, for messages."""
    least: int = 2
    """How many there must be."""

    @classmethod
    def of_two(cls, first: Path, second: Path | None, columns: str | None, source: Source) -> Systems:
        """Return two systems: of two files, or columns of one."""
        files = [first] if second is None else [first, second]
        return cls(files=files, columns=columns, source=source, number="two")

    @property
    def unmatched(self) -> str:
        """What to do about questions that a system lacks."""
        return self.source.unmatched or "error"

    @property
    def are_logged(self) -> bool:
        """Whether each system has rows of its own, in place of a column."""
        in_rows = self.column_of_names is not None and self.columns is None
        of_one = self.least == 1 and self.columns is None and self.data_set.docs is not None
        return in_rows or of_one or len(self.files) > 1 or is_many(self.files[0])


def compared(
    given: Systems,
    metrics: Sequence[str] | None,
    scoring: Reporting,
    *,
    lower_is_better: bool,
    details: bool,
    **options: Any,
) -> af.Comparison:
    """Compare the texts of the systems; of repeated answers, the means."""
    _check_direction(lower_is_better=lower_is_better)
    chosen = metrics_of(given, metrics)
    rows, labels = logged(given) if given.are_logged else (None, {})
    found = [] if rows is None else epochs.resolved(chosen, rows, scoring.protocol)
    if rows is not None and (epochs.are_repeated(rows) or epochs.are_read(found)):
        if details:
            raise ValueError(
                "--details counts the error types of texts, not of means over epochs or columns of scores: "
                "choose one epoch with --epoch, and metrics of texts"
            )
        keep = [*(name for table in options["by"] or () for name in table), *optional(options["cluster"])]
        means, asked = epochs.averaged(rows, found, scoring, keep=keep)
        epochs.check_scored(means, asked, labels)
        comparison: af.Comparison = af.compare(
            means, system="system", id="question_id", metrics=asked, **options
        )
    else:
        frame, systems = _columns(given) if rows is None else _side_by_side(rows, [*labels])
        scored = named_metrics.with_numbers(frame.lazy(), named_metrics.columns(chosen)).collect()
        scored = origins.like(scored, frame)
        options |= {**vars(scoring), "details": details}
        comparison = af.compare(scored, systems, "answers", metrics=chosen, **options)
    return _not_empty(comparison, "no row has an answer to score against")


def metrics_of(given: Systems, metrics: Sequence[str] | None) -> list[str | af.Metric]:
    """Return the metrics of texts with these names, or the usual one."""
    usual = "cer_corpus" if are_pages(given.files[0], given.source) else "anls"
    return named_metrics.parse(metrics) or [usual]


def compared_scores(
    given: Systems, scoring: Reporting, names: Sequence[str] | None, *, lower_is_better: bool, **options: Any
) -> af.Comparison:
    """Compare columns of scores; options for texts do not apply to them."""
    frame, systems, metric = scores_of(given, scoring, names, lower_is_better=lower_is_better)
    comparison: af.Comparison = af.compare(frame, systems, None, metrics=metric, **options)
    return _not_empty(comparison, "no row has the scores of all systems")


def texts_of(given: Systems, *, lower_is_better: bool) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return a frame with the texts of all systems, and the systems' columns by name."""
    _check_direction(lower_is_better=lower_is_better)
    if not given.are_logged:
        return _columns(given)
    rows, labels = logged(given)
    if epochs.are_repeated(rows):
        found = listed([str(epoch) for epoch in rows["epoch"].unique().sort()])
        raise ValueError(f"there are several epochs: {found}; choose one with --epoch")
    return _side_by_side(rows, [*labels])


def _check_direction(*, lower_is_better: bool) -> None:
    if lower_is_better:
        raise ValueError(
            "--lower-is-better applies only to --scores; metrics of texts have their own direction"
        )


def scores_of(
    given: Systems, scoring: Reporting, names: Sequence[str] | None, *, lower_is_better: bool
) -> tuple[pl.DataFrame, dict[str, str], af.Metric]:
    """Return a frame with the scores of all systems, their columns by name, and the scores' metric."""
    if names is not None and len(names) > 1:
        raise ValueError("--metric may be given once with --scores, as the name of the scores")
    frame, systems = _scores(given)
    of_texts = [one.name for one in fields(scoring) if getattr(scoring, one.name) != one.default]
    if of_texts:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in of_texts)
        raise ValueError(f"--scores cannot be combined with {options}")
    better = False if lower_is_better else None
    return frame, systems, af.Metric(systems, name=names[0] if names else "score", higher_is_better=better)


def _not_empty(comparison: af.Comparison, message: str) -> af.Comparison:
    if not comparison.overall["n"].max():
        raise ValueError(message)
    return comparison


def _scores(given: Systems) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return a table with a column of scores for each system."""
    if len(given.files) > 1 or given.columns is None:
        raise ValueError(
            f"--scores compares {given.number} columns of one file; name them with --systems OLD,NEW"
        )
    names = _column_names(given)
    (path,) = given.files
    frame = table(path, given.source)
    for name in names:
        if name not in frame.columns:
            raise InputError([Problem(str(path), "", no_column(name, frame.columns, names))])
        # In text files, numbers are strings, and a missing score is an empty string.
        column = frame[name]
        filled = column.set(column == "", None) if column.dtype == pl.String else column
        column = numbers(filled.drop_nulls()) if column.dtype == pl.String else column
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise InputError([Problem(str(path), "", f"column {quoted(name)} must hold numbers")])
        frame = frame.with_columns(filled.cast(pl.Float64).alias(name))
    return frame, dict(zip(_names(given, names), names, strict=True))


def _column_names(given: Systems) -> list[str]:
    names = [] if given.columns is None else given.columns.split(",")
    if len(names) < 2 or len(set(names)) < len(names):  # noqa: PLR2004
        raise ValueError(
            f"name {given.number} files, or {given.number} prediction columns of one file with --systems "
            "OLD,NEW, each once"
        )
    if given.column_of_names is not None:
        raise ValueError("--systems names columns, and --system-column is for files that have one: pass one")
    return names


def _columns(given: Systems) -> tuple[pl.DataFrame, dict[str, str]]:
    names = _column_names(given)
    (path,) = given.files
    frame, predictions = load_systems(path, given.source, names)
    return _beside(frame, predictions, _names(given, names))


def logged(given: Systems, *, together: bool = True) -> tuple[pl.DataFrame, dict[str, str]]:
    """
    Return a row for each system, epoch and question, and how messages name each system.

    Raises
    ------
    InputError
        If the files have problems, or a system lacks a question or an epoch of one, unless these may be left
        out or the systems are not looked at together.
    """
    # What is unmatched is known when the files of all systems are read.
    source, data_set = dataclasses.replace(given.source, unmatched=None), given.data_set
    is_filled = together and given.unmatched == "null"
    least = given.least if together else 1
    runs = "all" if given.repeats else data_set.runs
    without = [path for path in (source.gold, data_set.docs) if path is not None]
    twice = next((path for place, path in enumerate(given.files) if path in given.files[:place]), None)
    if twice is not None:
        raise ValueError(f"{twice}: the same file twice; name {given.number} files")
    if given.columns is not None:
        raise ValueError(f"--systems is for systems in one file, but {len(given.files)} files are given")
    if given.column_of_names is not None:
        paths = [path for one in given.files for path in files(one, without, runs)]
        rows = logs.by_column(paths, given.column_of_names, source, data_set, is_filled=is_filled)
        found = rows["system"].unique(maintain_order=True).to_list()
        labels, noun = dict(zip(found, found, strict=True)), "system"
        if len(found) < least:
            message = f"column {quoted(given.column_of_names)} names one system: two are needed"
            raise InputError([Problem(str(paths[0]), "", message)])
    else:
        pages = are_pages(given.files[0], source)
        of_systems = (
            {path: [path] for path in given.files}
            if pages
            else by_system(given.files, without, runs, of_one=given.repeats)
        )
        stems = [name_of(path) for path in of_systems]
        found = stems if len(set(stems)) == len(stems) else [path_text(path) for path in of_systems]
        labels, noun = dict(zip(found, map(str, of_systems), strict=True)), "file"
        if len(found) < least:
            raise ValueError(f"{labels[found[0]]}: holds the logs of one system; name {given.number} systems")
        if pages:
            frames = read_engines(given.files, **options(["pages"], given.source))
            rows = pl.concat(
                (
                    frame.with_columns(system=pl.lit(name), epoch=1)
                    for name, frame in zip(found, frames, strict=True)
                ),
                how="diagonal",
            )
        else:
            of_names = dict(zip(found, of_systems.values(), strict=True))
            rows = logs.of_systems(of_names, source, data_set, is_filled=is_filled)
    origin = origins.of(rows)
    if together:
        rows = _complete(given, rows, labels, noun)
    if noun == "system" or pages:  # of files, the reader has checked them
        _check_answers(rows, labels)
    names = dict(zip(found, _names(given, found), strict=True))
    rows = rows.with_columns(rows["system"].replace_strict(names, return_dtype=pl.String))
    protocols = {names[name]: protocol for name, protocol in origin.of_systems.items()}
    rows = origins.remember(rows, origin.protocol, of_systems=protocols)
    return rows, {names[name]: label for name, label in labels.items()}


def _complete(given: Systems, rows: pl.DataFrame, labels: Mapping[str, str], noun: str) -> pl.DataFrame:
    """Return the rows of questions that all systems have; raise an error if others may not be left out."""
    ids = rows.select("question_id").unique(maintain_order=True)
    lacking, uneven = [], []
    unshared: list[str] = []
    for name, label in labels.items():
        own = rows.filter(system=name).group_by("question_id", maintain_order=True).len("epochs")
        lost = ids.join(own, on="question_id", how="anti", maintain_order="left")["question_id"].to_list()
        if lost:
            unshared += lost
            count = numbered(len(lost), "question")
            lacking.append(Problem(label, "", f"lacks {count} that another {noun} has: {ids_text(lost)}"))
        most = max(own["epochs"], default=0)
        fewer = own.filter(pl.col("epochs") < most)["question_id"].to_list()
        if fewer:
            count = numbered(len(fewer), "question")
            uneven.append(Problem(label, "", f"lacks some of {most} epochs of {count}: {ids_text(fewer)}"))
    if (lacking or uneven) and given.unmatched == "error":
        ways = ["leave out questions that are not in all of them"] if lacking else []
        ways += ["average the epochs that there are"] if uneven else []
        advice = (
            f"pass --unmatched drop to {' and '.join(ways)}, or --unmatched null to count what is missing as "
            "missing predictions"
        )
        hint = differing_in_case(unshared)
        hints = [Problem("", "", text) for text in (hint, advice) if text]
        problems = [*lacking, *uneven, *hints]
        raise InputError(problems, total=len(problems))
    for problem in lacking:
        say(f"anls-frame: left out: {problem}")
    for problem in uneven:
        say(f"anls-frame: averaged over fewer epochs: {problem}")
    if lacking:
        systems = rows.group_by("question_id").agg(pl.col("system").n_unique())
        shared = systems.filter(system=len(labels))
        rows = rows.join(shared, on="question_id", how="semi", maintain_order="left")
    if rows.is_empty():
        raise ValueError(f"there is no question that every {noun} has")
    return rows


def _check_answers(rows: pl.DataFrame, labels: Mapping[str, str]) -> None:
    """Raise an error if a system accepts other answers than the first."""
    firsts = rows.unique(["system", "question_id"], keep="first", maintain_order=True)
    first_name, *others = labels
    first = firsts.filter(system=first_name).select("question_id", first="answers")
    problems = []
    for name in others:
        both = firsts.filter(system=name).join(first, on="question_id", maintain_order="right")
        wrong = both.filter(disagreeing(both["answers"], both["first"]))["question_id"].to_list()
        if wrong:
            count = numbered(len(wrong), "question")
            message = f"accepts other answers than {labels[first_name]} for {count}: {ids_text(wrong)}"
            problems.append(Problem(labels[name], "", message))
    if problems:
        raise InputError(problems, total=len(problems))


def _side_by_side(rows: pl.DataFrame, names: Sequence[str]) -> tuple[pl.DataFrame, dict[str, str]]:
    """Put the predictions of systems in columns, with all other columns from the first system."""
    first, *others = (rows.filter(system=name) for name in names)
    of_others = (
        first.select("question_id").join(frame, on="question_id", how="left", maintain_order="left")
        for frame in (frame.select("question_id", "prediction") for frame in others)
    )
    predictions = [first["prediction"], *(frame["prediction"] for frame in of_others)]
    frame, columns = _beside(first, predictions, names)
    return origins.like(frame, rows), columns


def _beside(
    frame: pl.DataFrame, predictions: Sequence[pl.Series], names: Sequence[str]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return a frame with the predictions of all systems, in columns whose names were not taken."""
    rest = frame.drop("prediction")
    columns: dict[str, str] = {}
    for name in names:
        column = f"prediction of {quoted(name)}"
        while column in rest.columns or column in columns.values():
            column += "_"
        columns[name] = column
    texts = [series.alias(column) for series, column in zip(predictions, columns.values(), strict=True)]
    return rest.with_columns(texts), columns


def _names(given: Systems, usual: Sequence[str]) -> list[str]:
    """Return the given names of the systems, or the usual ones."""
    names = list(given.names or usual)
    if len(names) != len(usual):
        raise ValueError(f"--name must be given for each system or none: {len(names)} for {len(usual)}")
    if len(set(names)) < len(names) or "" in names:
        raise ValueError(
            f"--name must be another one for each system, got {listed(list(map(quoted, names)))}"
        )
    return names
