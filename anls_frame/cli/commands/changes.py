"""`changes`: the rows in which systems are worse than the first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import polars as pl
import polars.selectors as cs

import anls_frame as af
from anls_frame._arguments import count
from anls_frame._text import numbered
from anls_frame.cli import options
from anls_frame.cli.output import print_table, show, working
from anls_frame.export.columns import heading_of
from anls_frame.export.row_names import Names

_SHOWN_ROWS = 10
_IS = {"worse": "is worse than", "better": "is better than", "all": "has another score than"}


@options.command(
    "anls-frame changes old.jsonl new.jsonl newer.jsonl --json",
    "anls-frame changes results.parquet --systems old,new -o worse.csv",
)
def changes(
    files: list[Path],
    *,
    target: options.RowsTarget,
    kind: Literal["worse", "better", "all"] = "worse",
    n: int | None = None,
    keep: list[str] | None = None,
    metric: list[str] | None = None,
    scores: bool = False,
    scoring: options.Reporting,
    source: options.SystemColumns,
) -> None:
    """
    List the rows in which a new system is worse.

    Systems are compared with the first; the largest losses come first.

    Parameters
    ----------
    files
        A file or folder for each system, the baseline first, or one with all of them.
    kind
        worse: rows in which a system is worse than the first; better; or all that differ.
    n
        How many rows to show or write, by default 10 and all.
    keep
        Column to show too, by default question_id; may be repeated.
    metric
        Score, such as anls (`anls-frame names metrics` lists them), or your own function, as FILE.py:NAME;
        may be repeated: a row is listed if any of them differs. With --scores, any name for the scores, or
        lower:NAME or higher:NAME for their direction.
    """
    from anls_frame.cli.metrics import parse
    from anls_frame.runs.reading import are_pages, names_of_rows
    from anls_frame.runs.score_columns import score_columns_of
    from anls_frame.runs.system_files import scores_in_columns, texts_of
    from anls_frame.summary.catalogue import are_error_rates
    from anls_frame.summary.settings import MOST_ROWS
    from anls_frame.summary.systems import metrics_of

    if n is not None:
        count("--n", n, most=MOST_ROWS - 1)
    scoring.check_left_out(scores=scores)
    names_of, is_of_pages = names_of_rows(source.how()), are_pages(source.how())
    given = source.in_files(files)
    with working("Comparing"):
        metrics = parse(metric)
        given = given.naming(*(keep or ()), *([] if scores else score_columns_of(metrics)))
        systems = scores_in_columns(given, metrics) if scores else texts_of(given)
        frame = systems.frame
        if not scores and not frame.select(af.nearest_answer(pl.lit(""), "answers").count()).item():
            raise ValueError("no row has an answer to score against")
        chosen = systems.metrics or metrics or (["cer_corpus", "wer_corpus"] if is_of_pages else ["anls"])
        how: Any = {"has_texts": not scores, "protocol": scoring.protocol, "are_of_rows": True}
        compared = metrics_of(chosen, [*systems.systems.values()], frame.columns, **how)
        changed: pl.DataFrame = af.changes(
            frame,
            systems.systems,
            systems.answers,
            kind=kind,
            metrics=compared,
            keep=keep or [column for column in frame.columns if column == "question_id"],
            **({} if scores else vars(scoring)),
        )
        listed = changed if n is None else changed.head(n)
    target.put_rows(listed)
    if target.json:
        return
    baseline, *others = systems.systems
    if target.output is None:
        # The transition names both error types, and there is room for one answer.
        hidden = [] if scores else ["baseline_nearest_answer", "baseline_error_type", "error_type"]
        # Pages are too long to be shown, and their error types are those of answers.
        texts = ["baseline_prediction", "prediction", "nearest_answer", "transition"]
        hidden += texts if is_of_pages and not scores else []
        most = _SHOWN_ROWS if n is None else n
        _print_rows(changed.drop(hidden), most, baseline, others, names_of, percent=are_error_rates(compared))
    row = names_of["row"]
    # With several systems, a row has a line for each of them that differs.
    counted = (
        f"{numbered(changed.height, row)} in which {others[0]}"
        if len(others) == 1
        else f"{numbered(changed.height, 'pair')} of a {row} and a system in which the system"
    )
    said = f"{counted} {_IS[kind]} {baseline}"
    if target.output is not None:
        are_all = listed.height == changed.height
        said += f": {target.output}" if are_all else f", {listed.height:,} of them in {target.output}"
    show(said)


def _print_rows(
    changed: pl.DataFrame, most: int, baseline: str, others: Sequence[str], names: Names, *, percent: bool
) -> None:
    """Print rows; the columns of two systems are headed by their names."""
    # A narrow terminal leaves out the last columns, and scores say more than these.
    last = cs.by_name("nearest_answer", "transition", require_all=False)
    shown = changed.select(~last, last)
    spoken = {name: heading_of(name, names) for name in shown.columns}
    labels = {f"baseline_{name}": f"{text} {baseline}" for name, text in spoken.items()}
    labels |= {f"{name}_difference": f"{text} difference" for name, text in spoken.items()}
    if len(others) == 1:
        of_both = [name for name in spoken if f"baseline_{name}" in spoken]
        labels |= {name: f"{spoken[name]} {others[0]}" for name in of_both}
        shown = shown.drop("system")
    print_table(shown, most=most, labels=spoken | labels, percent=percent)
