"""`compare`: two systems on the same questions, and a gate for scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame.cli.output import check_target, plain, print_document, say, working
from anls_frame.cli.source import load, table
from anls_frame.exceptions import InputError, Problem
from anls_frame.export import SUFFIXES
from anls_frame.readers._problems import shown
from anls_frame.readers._raw import numbers
from anls_frame.readers._standard import ids_text
from anls_frame.reports.documents import untestable_note
from anls_frame.reports.pairing import disagreeing

if TYPE_CHECKING:
    from pathlib import Path

    from anls_frame.cli.source import Source

_RESULT_NAMES = ("first", "second")


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The two systems: two files, or two columns of one."""

    first: Path
    second: Path | None
    systems: str | None
    allow_unmatched: bool
    scores: bool = False
    lower_is_better: bool = False


@dataclass(frozen=True, kw_only=True)
class Gate:
    """When a comparison fails; never if no drop is given."""

    drop: float | None
    alpha: float


def compare(
    pair: Pair,
    source: Source,
    options: dict[str, Any],
    gate: Gate,
    output: Path | None,
    *,
    force: bool,
    json: bool,
    escape_formulas: bool,
) -> bool:
    """Compare two systems; return whether the gate failed."""
    check_target(output, force, SUFFIXES)
    if gate.drop is not None and not 0 <= gate.drop < float("inf"):
        raise ValueError(f"--fail-if-drop is a number from 0 on, got {gate.drop}")
    if not 0 <= gate.alpha <= 1:
        raise ValueError(f"--alpha lies between 0 and 1, got {gate.alpha}")
    with working("Comparing"):
        comparison = _compared(pair, source, options)
        if output is not None:
            comparison.write(output, escape_formulas=escape_formulas)
    _tell_untestable(comparison, gate)
    failed = gate.drop is not None and comparison.regressed(gate.drop, gate.alpha)
    if json:
        print_document(comparison.to_document())
    elif output is None:
        print(plain(repr(comparison)))
    else:
        difference = comparison.overall["difference"]
        shown_difference = "unknown" if difference is None else f"{difference:+z.4f}"
        print(plain(f"difference {shown_difference}: {output}"))
    if failed:
        old, new = comparison.systems
        say(
            f"anls-frame: {new} is worse than {old} by at least {gate.drop:g}, overall or in a slice "
            f"(p at most {gate.alpha:g})"
        )
    return failed


def _compared(pair: Pair, source: Source, options: dict[str, Any]) -> af.Comparison:
    if pair.scores:
        frame, systems = _scores(pair, source)
        better = False if pair.lower_is_better else None
        options = {name: value for name, value in options.items() if name not in _of_texts(options)}
        comparison = af.compare(frame, systems, None, higher_is_better=better, **options)
        lacking = "no row has both scores"
    else:
        if pair.lower_is_better:
            raise ValueError(
                "--lower-is-better is the direction of --scores; metrics of texts have their own"
            )
        frame, systems = _columns(pair, source) if pair.second is None else _files(pair, source)
        comparison = af.compare(frame, systems, "answers", **options)
        lacking = "no row has an answer to score against"
    if not comparison.overall["n"]:
        raise ValueError(lacking)
    return comparison


def _of_texts(options: dict[str, Any]) -> set[str]:
    """Return the options that scores have no use for; an error if one of them is given."""
    defaults = {"protocol": "anls", "threshold": None, "cer_protocol": "raw", "missing": "empty"}
    given = [name for name, value in defaults.items() if options[name] != value]
    if given:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise ValueError(f"scores that exist already are compared without {names}")
    return set(defaults)


def _scores(pair: Pair, source: Source) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return a table with two columns of scores."""
    names = _two_names(pair) if pair.second is None else []
    if not names:
        raise ValueError("--scores compares two columns of one file: --systems OLD,NEW")
    frame = table(pair.first, source)
    for name in names:
        if name not in frame.columns:
            raise InputError([Problem(str(pair.first), "", f"no column {shown(name)}")])
        # Text files have numbers as texts, and nothing for none.
        column = frame[name]
        filled = column.set(column == "", None) if column.dtype == pl.String else column
        column = numbers(filled.drop_nulls()) if column.dtype == pl.String else column
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise InputError([Problem(str(pair.first), "", f"column {shown(name)} holds other than scores")])
        frame = frame.with_columns(filled.cast(pl.Float64).alias(name))
    return frame, dict(zip(_apart(names), names, strict=True))


def _two_names(pair: Pair) -> list[str]:
    names = [] if pair.systems is None else pair.systems.split(",")
    if len(names) != 2 or names[0] == names[1]:  # noqa: PLR2004
        raise ValueError("name two files, or two prediction columns of one: --systems OLD,NEW")
    return names


def _tell_untestable(comparison: af.Comparison, gate: Gate) -> None:
    """Say what a gate that does not fail has not looked at."""
    if gate.drop is None:
        return
    note = untestable_note(comparison.to_polars(), comparison.settings, gate.alpha)
    if note is not None:
        say(f"anls-frame: {note}")


def _columns(pair: Pair, source: Source) -> tuple[pl.DataFrame, dict[str, str]]:
    names = _two_names(pair)
    # Read once for each: a column has its role, and with it its checks, in one of them only.
    first, second = (load(pair.first, source.with_prediction(name)) for name in names)
    columns = _free(first, names)
    frame = first.rename({"prediction": columns[0]}) if columns[0] != "prediction" else first
    frame = frame.with_columns(second["prediction"].alias(columns[1]))
    return frame, dict(zip(_apart(names), columns, strict=True))


def _files(pair: Pair, source: Source) -> tuple[pl.DataFrame, dict[str, str]]:
    assert pair.second is not None  # noqa: S101 - asked before
    if pair.systems is not None:
        raise ValueError("--systems names columns of one file, and there are two")
    paths = (pair.first, pair.second)
    if pair.first.resolve() == pair.second.resolve():
        raise ValueError(
            f"{pair.second}: the same file twice; name two files, or two columns of one: --systems OLD,NEW"
        )
    frames = [load(path, source, unique_ids=True) for path in paths]
    for path, frame in zip(paths, frames, strict=True):
        if "question_id" not in frame.columns:
            raise InputError(
                [Problem(str(path), "", "has no ids to pair by; name their column: --question-id")]
            )
    # What is lost is told before what differs.
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
    """Raise an error where the files accept different answers: that would not be the same question."""
    other = frames[1].select("question_id", pl.col("answers").alias("other"))
    both = paired.select("question_id", "answers").join(other, on="question_id", how="left")
    differing = both.filter(disagreeing(both["answers"], both["other"]))["question_id"].to_list()
    if differing:
        message = (
            f"accepts other answers than {pair.first} for {len(differing):,} questions: {ids_text(differing)}"
        )
        raise InputError([Problem(str(pair.second), "", message)])


def _apart(names: list[str]) -> list[str]:
    """Names of systems that no column of the result has."""
    from anls_frame.reports.differences import RESULT_COLUMNS

    return [f"{name} " if name in RESULT_COLUMNS else name for name in names]


def _free(frame: pl.DataFrame, names: list[str]) -> list[str]:
    """Column names for the predictions that nothing else in the frame has."""
    taken = set(frame.columns) - {"prediction"}
    free = []
    for name in names:
        new = f"prediction of {shown(name)}"
        while new in taken:
            new += "_"
        free.append(new)
    return free
