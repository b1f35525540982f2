"""`format-tax`: the points that wrapping costs."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import polars as pl
import polars.selectors as cs

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.cli import options
from anls_frame.cli.output import print_account, print_table, score_text, show

_SHOWN = ("metric", "n", "n_clusters", "baseline_score", "score")
_LABELS = {"baseline_score": "given", "score": "unwrapped"}


@options.command(
    "anls-frame format-tax results.csv",
    "anls-frame format-tax results.csv -m contains_answer -b lang -c doc_id -o tax.csv",
)
def format_tax(
    file: Path,
    *,
    target: options.RowsTarget,
    metric: list[str] | None = None,
    steps: list[str] | None = None,
    markers: list[str] | None = None,
    slicing: options.SlicingOptions,
    scoring: options.Scoring,
    confidence: float = 0.95,
    source: options.SourceOptions,
) -> None:
    """
    Measure what text around answers costs in score.

    Predictions are scored unchanged, and without reasoning, tags, code fences, JSON, "The answer is" and the
    like. A row for each combination of these shows its share of the loss; with --by, there is also a row
    for each slice. --output writes the rows of combinations.

    Parameters
    ----------
    metric
        Score, such as anls (`anls-frame names metrics` lists them), or your own function, as FILE.py:NAME;
        may be repeated. [default: anls]
    steps
        Kind of wrapping to take off; may be repeated. [default: all]
    markers
        Further text that precedes an answer, such as 'Antwort:'. May be repeated.
    """
    from anls_frame.cli.metrics import parse
    from anls_frame.reports.report_documents import few_note
    from anls_frame.runs.score_columns import every_column, score_columns_of

    metrics = parse(metric) or ["anls"]
    by = slicing.by or []
    named = [*every_column(by, slicing.cluster), *score_columns_of(metrics)]
    with source.rows_of(file, named) as rows:
        tax = af.format_tax(
            rows,
            *("prediction", "answers"),
            metrics=metrics,
            steps=steps,
            markers=markers,
            by=by or None,
            cluster=slicing.cluster,
            confidence=confidence,
            **vars(scoring),
        )
        costs: pl.DataFrame = tax.steps
    account: pl.DataFrame = tax.account.frame
    overall, *slices = (
        tax.figures_by(columns).select(*columns, *_SHOWN, cs.starts_with("difference"), "few_rows")
        # A file has none of the slices.
        for columns in ((), *(by if target.json or target.is_terminal else ()))
    )
    of_all, *of_slices = (table.rename(_LABELS).to_dicts() for table in (overall, *slices))
    tables = {
        "overall": of_all,
        "slices": list(chain.from_iterable(of_slices)),
        "steps": costs.to_dicts(),
        "account": account.to_dicts(),
    }
    target.put_rows(costs, tables)
    if target.json:
        return
    print_account(tax)
    kinds = {metric.name: tax.view(result=tax).kind(metric) for metric in tax.measures}
    headings = {metric.name: metric.label for metric in tax.measures}
    percent = {*kinds.values()} == {"percent"}
    for total in overall.iter_rows(named=True):
        given, unwrapped = (score_text(total[name], kinds[total["metric"]]) for name in _LABELS)
        gain = f"{given} as given, {unwrapped} unwrapped"
        said = f"{headings[total['metric']]}: {gain}, {numbered(total['n'], 'row')}"
        show(f"{said}." if target.is_terminal else f"{said}: {target.output}")
    if target.is_terminal:
        renamed = costs.rename({label: name for name, label in _LABELS.items()})
        labels = _LABELS | {"unwrap_steps": "taken off"}
        for table in (renamed, *slices):
            labelled = table.with_columns(table["metric"].replace(headings))
            # A single metric is named above the table.
            shown = labelled.drop("metric") if len(headings) == 1 else labelled
            print_table(shown, labels=labels, percent=percent)
        show(*few_note(pl.concat([costs, *slices], how="diagonal")))
