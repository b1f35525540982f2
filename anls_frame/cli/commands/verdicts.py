"""`verdicts`: the share of the loss that is the model's error, according to verdicts on a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import polars as pl

import anls_frame as af
from anls_frame._messages import Message
from anls_frame._text import numbered
from anls_frame.cli import options
from anls_frame.cli.output import print_table, score_text, show, working
from anls_frame.export.columns import heading_of
from anls_frame.export.display import figure
from anls_frame.export.kinds import Kind
from anls_frame.export.page_verdicts import OF_JUDGE
from anls_frame.export.row_names import Names

_CORRECTED = {"anls": ("anls",), "cer": ("cer", "wer")}
"""The scores that verdicts on a sample correct, by the score that people judge."""
_LOSSES = {
    "anls": "with a loss of {} out of {}, and {} of it is not the {}'s error",
    "cer": "with {} of {} character errors, and {} of these are not the {}'s errors",
}
"""The loss of judged rows, of that of all rows, and the part that is not the system's."""


@options.command(
    "anls-frame verdicts verdicts.jsonl results.csv -o judged.csv",
    "anls-frame verdicts verdicts_judge.jsonl judge.parquet -m judge",
    "anls-frame verdicts verdicts_two.jsonl old.jsonl new.jsonl --json",
)
def verdicts(
    saved: Annotated[Path, {"metavar": "VERDICTS"}],
    files: list[Path],
    *,
    target: options.RowsTarget,
    metric: str | None = None,
    scoring: options.Reporting,
    runs: options.Runs = "error",
    source: options.SystemColumns,
) -> None:
    """
    Count the score lost to each verdict of people.

    The rows are written with their verdicts. Give the files that the page was made from: rows are found by
    id, and their texts must equal the judged texts. Each verdict must match exactly one row; otherwise an
    error names the verdicts. For a sample from `audit`, the verdicts also correct the score.

    Parameters
    ----------
    saved
        Verdicts that a page of rows saved, in JSON Lines.
    metric
        The score that was judged, as for `audit`; by default the one that the file of verdicts names.
    """
    from anls_frame.cli.row_pages import texts, with_row_scores
    from anls_frame.frames.reserved_columns import AUDIT_PROBABILITY
    from anls_frame.runs.reading import names_of_sample, reading

    given_verdicts = af.readers.read_verdicts(saved)
    given = source.in_files(files, runs, least=1)
    with working("Scoring"), reading(given.files[0], given.how):
        frame, columns = texts(given)
        # As on the page.
        has_ids = "question_id" in frame.collect_schema() and given_verdicts["id"].count()
        id = "question_id" if has_ids else None  # noqa: A001 - as in `judged`
        try:
            rows: pl.DataFrame = af.readers.judged(frame, given_verdicts, columns, "answers", id=id)
        except ValueError as error:
            raise ValueError(Message(f"{saved}: ", *error.args)) from None
        names = names_of_sample(given.files[0], given.how)
        judged: Any = "cer" if metric in _CORRECTED["cer"] else names["judged"]
        names = {**names, "judged": judged}
        given_score = _judged_column(given_verdicts, metric, saved)
        lost = (
            af.readers.lost_points(rows, frame, columns, "answers", **vars(scoring), metric=judged)
            if given_score is None
            else None
        )
        wanted = _CORRECTED[judged] if metric is None else (metric,)
        wanted = wanted if given_score is None else (given_score,)
        how: dict[str, Any] = {"protocol": scoring.protocol, "missing": scoring.missing, "id": id}
        corrected = {
            name: _corrected(
                given_verdicts, with_row_scores(frame, columns, scoring, name), columns, name, **how
            )
            for name in (wanted if AUDIT_PROBABILITY in frame.collect_schema() else ())
        }
    if lost is None:
        counts = rows.group_by("verdict").agg(pl.len().alias("rows")).sort("verdict")
        by_verdict = counts.select(pl.lit(next(iter(columns))).alias("system"), pl.all())
        by_system = []
    else:
        by_verdict, by_system = lost.by_verdict, lost.by_system.to_dicts()
    printed: dict[str, Any] = {
        "judged": rows.height,
        "verdicts": by_verdict.to_dicts(),
        "systems": by_system,
    }
    for score_name, of_metric in corrected.items():
        tables = {"corrected": of_metric.overall, "differences": of_metric.differences.drop("slice")}
        for name, table in tables.items():
            printed.setdefault(name, []).extend({"metric": score_name, **line} for line in table.to_dicts())
    target.put_rows(rows, printed)
    if target.json:
        return
    if target.output is not None:
        show(f"{numbered(rows.height, names['row'])} with verdicts: {target.output}")
    is_alone = len(columns) == 1
    print_table(by_verdict.drop("system") if is_alone else by_verdict, names=names)
    for system in by_system:
        _print_sentence(system, names, is_alone=is_alone)
    if corrected and any(map(_leaves_out, by_system)):
        told = f"Only the drawn {names['row']}s were judged, so the score without some of them is no estimate"
        show(f"{told} for all {names['row']}s: take the corrected one.")
    for score_name, of_metric in corrected.items():
        corrected_by = f"{heading_of(score_name)}, corrected by the drawn {names['row']}s:"
        is_rate = score_name in _CORRECTED["cer"]
        show(corrected_by, *of_metric.view(result=of_metric, percent=is_rate).document_notes())


def _corrected(
    verdicts: pl.DataFrame, scored: tuple[Any, dict[str, str]], columns: Any, metric: str, **how: Any
) -> Any:
    """Return the score that the verdicts on a sample correct, from its rows and the columns of its scores."""
    rows, scores = scored
    how |= {"prediction": dict(columns), "lower_is_better": metric in _CORRECTED["cer"]}
    truth = af.audited_scores(rows, verdicts, scores, **how)
    systems = {name: (score, f"audited_score_{name}") for name, score in scores.items()}
    # Rates may exceed 1.
    highest = truth.select(pl.max_horizontal(pl.col(name).max() for name in scores.values())).item()
    return af.corrected(truth, systems=systems, bounds=(0, max(1.0, highest or 0.0)))


def _judged_column(verdicts: pl.DataFrame, metric: str | None, saved: Path) -> str | None:
    """Return the column of scores that the verdicts judge; None for a score of texts."""
    from anls_frame.cli.row_pages import SCORES

    names = verdicts["score"].drop_nulls().unique().sort().to_list()
    is_of_column = verdicts["verdict"].cast(pl.String).is_in(OF_JUDGE).any()
    if is_of_column and names and metric is not None and names != [metric]:
        raise ValueError(
            f"{saved}: these verdicts judge {' and '.join(names)}, not {metric}; pass -m {names[0]}"
        )
    if is_of_column:
        if metric is None and len(names) != 1:
            raise ValueError(f"{saved}: say which column of scores was judged, with --metric")
        return metric or str(names[0])
    return None if metric is None or metric in SCORES else metric


def _print_sentence(system: Mapping[str, Any], names: Names, *, is_alone: bool) -> None:
    """Print the share of the points lost by judged rows that is not a system's error."""
    name = "" if is_alone else f"{system['system']}: "
    total, lost, others = (system[key] for key in ("lost_points", "lost_points_of_judged", "not_the_models"))
    share = f" ({100 * others / lost:.0f} %)" if lost else ""
    scores = ""
    if system["score"] is not None and system["score_without"] is not None:
        score, left = heading_of(names["judged"]), numbered(system["n_without"], names["row"])
        kind: Kind = "percent" if names["judged"] == "cer" else "score"
        given, without = (score_text(system[name], kind) for name in ("score", "score_without"))
        scores = f"; {score} {given}"
        scores += f", without these {names['row']}s {without} ({left})" if _leaves_out(system) else ""
    parts = (_amount(lost), _amount(total), f"{_amount(others)}{share}", names["model"])
    losses = _LOSSES[names["judged"]].format(*parts)
    show(f"{name}{system['n_judged']:,} of {numbered(system['n'], names['row'])} judged, {losses}{scores}")


def _leaves_out(system: Mapping[str, Any]) -> bool:
    """Return whether there are rows whose loss is not the system's, without which its score is another."""
    return bool(system["n_without"] != system["n"])


def _amount(lost: float) -> str:
    """Return a loss, or a number of errors, as the table above has them."""
    return figure(lost, "count" if isinstance(lost, int) else "number")
