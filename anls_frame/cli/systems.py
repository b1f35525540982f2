"""Two systems on the same questions, for `compare` and `changes`."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame.cli.output import say
from anls_frame.cli.source import load, table
from anls_frame.exceptions import InputError, Problem
from anls_frame.readers._problems import shown
from anls_frame.readers._raw import numbers
from anls_frame.readers._standard import ids_text
from anls_frame.reports.pairing import disagreeing

if TYPE_CHECKING:
    from pathlib import Path

    from anls_frame.cli.options import Reporting, Source


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The two systems: two files, or two columns of one."""

    first: Path
    second: Path | None
    systems: str | None
    allow_unmatched: bool
    source: Source


def compared(pair: Pair, *, lower_is_better: bool, **options: Any) -> af.Comparison:
    """Compare the texts of two systems."""
    frame, systems = texts_of(pair, lower_is_better=lower_is_better)
    comparison: af.Comparison = af.compare(frame, systems, "answers", **options)
    if not comparison.overall["n"]:
        raise ValueError("no row has an answer to score against")
    return comparison


def compared_scores(
    pair: Pair, scoring: Reporting, *, name: str | None, lower_is_better: bool, **options: Any
) -> af.Comparison:
    """Compare two columns of scores; options for texts do not apply to them."""
    frame, systems, metric = scores_of(pair, scoring, name, lower_is_better=lower_is_better)
    comparison: af.Comparison = af.compare(frame, systems, None, metrics=metric, **options)
    if not comparison.overall["n"]:
        raise ValueError("no row has both scores")
    return comparison


def texts_of(pair: Pair, *, lower_is_better: bool) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return a frame with the texts of both systems, and the systems' columns by name."""
    if lower_is_better:
        raise ValueError(
            "--lower-is-better applies only to --scores; metrics of texts have their own direction"
        )
    return _columns(pair) if pair.second is None else _files(pair)


def scores_of(
    pair: Pair, scoring: Reporting, name: str | None, *, lower_is_better: bool
) -> tuple[pl.DataFrame, dict[str, str], af.Metric]:
    """Return a frame with the scores of both systems, their columns by name, and the scores' metric."""
    frame, systems = _scores(pair)
    given = [one.name for one in fields(scoring) if getattr(scoring, one.name) != one.default]
    if given:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise ValueError(f"--scores cannot be combined with {names}")
    better = False if lower_is_better else None
    return frame, systems, af.Metric(systems, name=name or "score", higher_is_better=better)


def _scores(pair: Pair) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return a table with two columns of scores."""
    names = _two_names(pair) if pair.second is None else []
    if not names:
        raise ValueError("--scores compares two columns of one file; name them with --systems OLD,NEW")
    frame = table(pair.first, pair.source)
    for name in names:
        if name not in frame.columns:
            raise InputError([Problem(str(pair.first), "", f"no column {shown(name)}")])
        # In text files, numbers are strings, and a missing score is an empty string.
        column = frame[name]
        filled = column.set(column == "", None) if column.dtype == pl.String else column
        column = numbers(filled.drop_nulls()) if column.dtype == pl.String else column
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise InputError([Problem(str(pair.first), "", f"column {shown(name)} must hold numbers")])
        frame = frame.with_columns(filled.cast(pl.Float64).alias(name))
    return frame, dict(zip(_apart(names), names, strict=True))


def _two_names(pair: Pair) -> list[str]:
    names = [] if pair.systems is None else pair.systems.split(",")
    if len(names) != 2 or names[0] == names[1]:  # noqa: PLR2004
        raise ValueError("name two files, or two prediction columns of one file with --systems OLD,NEW")
    return names


def _columns(pair: Pair) -> tuple[pl.DataFrame, dict[str, str]]:
    names = _two_names(pair)
    # The file is read twice, because only the column in the role of the prediction is checked.
    first, second = (load(pair.first, replace(pair.source, prediction=name)) for name in names)
    columns = _free(first, names)
    frame = first.rename({"prediction": columns[0]}) if columns[0] != "prediction" else first
    frame = frame.with_columns(second["prediction"].alias(columns[1]))
    return frame, dict(zip(_apart(names), columns, strict=True))


def _files(pair: Pair) -> tuple[pl.DataFrame, dict[str, str]]:
    assert pair.second is not None  # noqa: S101 - asked before
    if pair.systems is not None:
        raise ValueError("--systems names two columns of one file, but two files are given")
    paths = (pair.first, pair.second)
    if pair.first.resolve() == pair.second.resolve():
        raise ValueError(
            f"{pair.second}: the same file twice; name two files, or two columns with --systems OLD,NEW"
        )
    frames = [load(path, pair.source, unique_ids=True) for path in paths]
    for path, frame in zip(paths, frames, strict=True):
        if "question_id" not in frame.columns:
            raise InputError(
                [Problem(str(path), "", "has no ids to pair by; name their column with --question-id")]
            )
    # Unmatched questions are reported before differing answers.
    paired = af.pair(*frames, on="question_id", prediction="prediction", answers=[])
    lost = [
        Problem(str(path), "", f"{len(ids):,} questions that the other file does not have: {ids_text(ids)}")
        for path, only in zip(paths, (paired.only_first, paired.only_second), strict=True)
        if (ids := only["question_id"].to_list())
    ]
    if lost and not pair.allow_unmatched:
        advice = Problem("", "", "pass --allow-unmatched to leave them out")
        raise InputError([*lost, advice], total=len(lost) + 1)
    for problem in lost:
        say(f"anls-frame: left out: {problem}")
    _check_answers(pair, frames, paired.frame)
    stems = [path.name.partition(".")[0] or path.name for path in paths]
    names = _apart(stems if stems[0] != stems[1] else [str(path) for path in paths])
    return paired.frame, dict(zip(names, ("prediction_first", "prediction_second"), strict=True))


def _check_answers(pair: Pair, frames: list[pl.DataFrame], paired: pl.DataFrame) -> None:
    """Raise an error if the files accept different answers, because the questions would not be the same."""
    other = frames[1].select("question_id", pl.col("answers").alias("other"))
    both = paired.select("question_id", "answers").join(other, on="question_id", how="left")
    differing = both.filter(disagreeing(both["answers"], both["other"]))["question_id"].to_list()
    if differing:
        message = (
            f"accepts other answers than {pair.first} for {len(differing):,} questions: {ids_text(differing)}"
        )
        raise InputError([Problem(str(pair.second), "", message)])


def _apart(names: list[str]) -> list[str]:
    """Return names of systems that differ from all columns of the result."""
    from anls_frame.reports.differences import RESULT_COLUMNS

    return [f"{name} " if name in RESULT_COLUMNS else name for name in names]


def _free(frame: pl.DataFrame, names: list[str]) -> list[str]:
    """Return column names for the predictions that are not taken in the frame."""
    taken = set(frame.columns) - {"prediction"}
    free = []
    for name in names:
        new = f"prediction of {shown(name)}"
        while new in taken:
            new += "_"
        free.append(new)
    return free
