"""Systems on the same questions, for `compare` and `changes`: their texts or scores side by side."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.cli import metrics as named_metrics
from anls_frame.cli.output import say
from anls_frame.cli.source import are_pages, load, load_systems, table
from anls_frame.exceptions import InputError, Problem
from anls_frame.readers._compressed import FORMATS as COMPRESSIONS
from anls_frame.readers._problems import listed, shown
from anls_frame.readers._raw import numbers
from anls_frame.readers._standard import ids_text
from anls_frame.reports.pairing import disagreeing

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
    allow_unmatched: bool
    source: Source
    number: str = "two or more"
    """How many there may be, for messages."""


def compared(
    given: Systems, metrics: Sequence[str] | None, *, lower_is_better: bool, **options: Any
) -> af.Comparison:
    """Compare the texts of the systems."""
    frame, systems = texts_of(given, lower_is_better=lower_is_better)
    usual = "cer_corpus" if are_pages(given.files[0], given.source) else "anls"
    chosen = named_metrics.parse(metrics) or [usual]
    scored = named_metrics.with_numbers(frame.lazy(), named_metrics.columns(chosen)).collect()
    # A name by itself may be that of a set.
    asked = chosen[0] if len(chosen) == 1 else chosen
    comparison: af.Comparison = af.compare(scored, systems, "answers", metrics=asked, **options)
    return _not_empty(comparison, "no row has an answer to score against")


def compared_scores(
    given: Systems, scoring: Reporting, names: Sequence[str] | None, *, lower_is_better: bool, **options: Any
) -> af.Comparison:
    """Compare columns of scores; options for texts do not apply to them."""
    frame, systems, metric = scores_of(given, scoring, names, lower_is_better=lower_is_better)
    comparison: af.Comparison = af.compare(frame, systems, None, metrics=metric, **options)
    return _not_empty(comparison, "no row has the scores of all systems")


def texts_of(given: Systems, *, lower_is_better: bool) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return a frame with the texts of all systems, and the systems' columns by name."""
    if lower_is_better:
        raise ValueError(
            "--lower-is-better applies only to --scores; metrics of texts have their own direction"
        )
    if len(given.files) > 1:
        return _files(given)
    is_long = given.column_of_names is not None and given.columns is None
    return _rows(given) if is_long else _columns(given)


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
    scored = comparison.overall["n"]
    if not (scored if comparison.is_of_two else scored.max()):
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
            raise InputError([Problem(str(path), "", f"no column {shown(name)}")])
        # In text files, numbers are strings, and a missing score is an empty string.
        column = frame[name]
        filled = column.set(column == "", None) if column.dtype == pl.String else column
        column = numbers(filled.drop_nulls()) if column.dtype == pl.String else column
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise InputError([Problem(str(path), "", f"column {shown(name)} must hold numbers")])
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


def _files(given: Systems) -> tuple[pl.DataFrame, dict[str, str]]:
    if given.columns is not None or given.column_of_names is not None:
        option = "--systems" if given.columns is not None else "--system-column"
        raise ValueError(f"{option} is for systems in one file, but {len(given.files)} files are given")
    twice = [path for place, path in enumerate(given.files) if path.resolve() in _resolved(given, place)]
    if twice:
        raise ValueError(
            f"{twice[0]}: the same file twice; name {given.number} files, or columns with --systems OLD,NEW"
        )
    stems = [_stem(path) for path in given.files]
    usual = stems if len(set(stems)) == len(stems) else [str(path) for path in given.files]
    names = _names(given, usual)
    frames = [load(path, given.source, unique_ids=True) for path in given.files]
    for path, frame in zip(given.files, frames, strict=True):
        if "question_id" not in frame.columns:
            raise InputError(
                [Problem(str(path), "", "has no ids to pair by; name their column with --question-id")]
            )
    return _joined(given, dict(zip(map(str, given.files), frames, strict=True)), "file", names)


def _resolved(given: Systems, place: int) -> list[Path]:
    return [path.resolve() for path in given.files[:place]]


def _rows(given: Systems) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the systems of a file with a row for each system and question."""
    (path,) = given.files
    column = given.column_of_names
    frame = load(path, given.source)
    if column not in frame.columns:
        raise InputError([Problem(str(path), "", f"no column {shown(column)}")])
    if "question_id" not in frame.columns:
        raise InputError(
            [Problem(str(path), "", "has no ids of questions; name their column with --question-id")]
        )
    keys = frame.select(pl.col("question_id"), pl.col(column).cast(pl.String).alias("system"))
    for name, what in (("question_id", "an id"), ("system", f"a system in {shown(column)}")):
        lacking = keys[name].null_count()
        if lacking:
            raise InputError([Problem(str(path), "", f"{numbered(lacking, 'row')} without {what}")])
    doubled = keys.filter(keys.is_duplicated()).unique(maintain_order=True)
    if doubled.height:
        found = listed([f"{shown(id_)} of {shown(system)}" for id_, system in doubled.iter_rows()])
        raise InputError([Problem(str(path), "", f"several rows for a question of a system: {found}")])
    found_names = keys["system"].unique(maintain_order=True).to_list()
    if len(found_names) < 2:  # noqa: PLR2004
        raise InputError([Problem(str(path), "", f"column {shown(column)} names one system: two are needed")])
    frames = {name: frame.filter(keys["system"] == name) for name in found_names}
    return _joined(given, frames, "system", _names(given, found_names))


def _joined(
    given: Systems, frames: Mapping[str, pl.DataFrame], noun: str, names: Sequence[str]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """
    Put systems side by side by the ids of their questions, with all other columns from the first.

    Raises
    ------
    InputError
        If a system lacks a question that another one has, unless these may be left out, or accepts other
        answers.
    """
    ids = pl.concat([frame.select("question_id") for frame in frames.values()]).unique(maintain_order=True)
    # Unmatched questions are reported before differing answers.
    lacking = []
    for name, frame in frames.items():
        lost = ids.join(frame, on="question_id", how="anti", maintain_order="left")["question_id"].to_list()
        if lost:
            count = numbered(len(lost), "question")
            lacking.append(Problem(name, "", f"lacks {count} that another {noun} has: {ids_text(lost)}"))
    if lacking and not given.allow_unmatched:
        advice = Problem("", "", "pass --allow-unmatched to leave out questions that are not in all of them")
        raise InputError([*lacking, advice], total=len(lacking) + 1)
    for problem in lacking:
        say(f"anls-frame: left out: {problem}")
    (first_name, first), *others = frames.items()
    matched = first
    for _, frame in others:
        matched = matched.join(frame, on="question_id", how="semi", maintain_order="left")
    if matched.is_empty():
        raise ValueError(f"there is no question that every {noun} has")
    predictions = [matched["prediction"]]
    differing = []
    for name, frame in others:
        other = matched.select("question_id").join(
            frame.select("question_id", "prediction", "answers"),
            on="question_id",
            how="left",
            maintain_order="left",
        )
        predictions.append(other["prediction"])
        wrong = matched.filter(disagreeing(matched["answers"], other["answers"]))["question_id"].to_list()
        if wrong:
            count = numbered(len(wrong), "question")
            message = f"accepts other answers than {first_name} for {count}: {ids_text(wrong)}"
            differing.append(Problem(name, "", message))
    if differing:
        raise InputError(differing, total=len(differing))
    return _beside(matched, predictions, names)


def _beside(
    frame: pl.DataFrame, predictions: Sequence[pl.Series], names: Sequence[str]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return a frame with the predictions of all systems, in columns whose names were not taken."""
    rest = frame.drop("prediction")
    columns: dict[str, str] = {}
    for name in names:
        column = f"prediction of {shown(name)}"
        while column in rest.columns or column in columns.values():
            column += "_"
        columns[name] = column
    texts = [series.alias(column) for series, column in zip(predictions, columns.values(), strict=True)]
    return rest.with_columns(texts), columns


def _names(given: Systems, usual: Sequence[str]) -> list[str]:
    """Return the given names of the systems, or the usual ones."""
    from anls_frame.reports.differences import RESULT_COLUMNS

    names = list(given.names or usual)
    if len(names) != len(usual):
        raise ValueError(f"--name must be given for each system or none: {len(names)} for {len(usual)}")
    if len(set(names)) < len(names) or "" in names:
        raise ValueError(f"--name must be another one for each system, got {listed(list(map(shown, names)))}")
    if len(names) > 2:  # noqa: PLR2004 - only two systems have columns of their own
        return names
    return [f"{name} " if name in RESULT_COLUMNS else name for name in names]


def _stem(path: Path) -> str:
    """Return a file's name without its format: a name such as model-1.5.jsonl has other dots too."""
    named = Path(path.stem) if path.suffix.lower() in COMPRESSIONS else path
    return named.stem or path.name
