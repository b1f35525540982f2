"""`slices`: slices in which a system is worse than in the rest, or systems lost against a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anls_frame as af
from anls_frame.cli import options
from anls_frame.cli.output import check_rows, working


@options.command(
    "anls-frame slices results.csv -c doc_id --min-rows 10",
    "anls-frame slices old.jsonl new.jsonl -c doc_id --depth 1 -o slices.html",
)
def slices(
    files: list[Path],
    *,
    target: options.Target,
    column: list[str] | None = None,
    features: bool = False,
    cluster: str | None = None,
    metric: list[str] | None = None,
    depth: int = 2,
    min_rows: int = 20,
    min_clusters: int = 5,
    n: int = 20,
    holdout: float | None = None,
    rows: int | None = None,
    scoring: options.Reporting,
    confidence: float = 0.95,
    source: options.SystemColumns,
) -> None:
    """
    Find slices that score worse than all other rows.

    With several systems, find the slices in which one got worse than the first. The search covers all values
    of all columns and their combinations, and adjusts p-values for this. A summary with documents, as
    `report` and `compare` save it with --by, --cluster and --summary, is searched in the columns of its
    slices.

    Parameters
    ----------
    files
        Results of a system, or a file or folder for each of several, the baseline first, or a summary.
    column
        Column to search, by default all; may be repeated.
    features
        Also search lengths, digits and scripts of questions, answers and predictions.
    depth
        Largest number of conditions of a slice, from 1 to 3.
    min_rows
        Leave out slices with fewer scored rows.
    min_clusters
        Leave out slices with fewer documents.
    n
        Largest number of slices to list.
    holdout
        Share of the documents kept for testing and estimating slices that are found on the others; 0 tests
        all slices on all documents. By default 0, and 0.5 with --depth 3.
    """
    from anls_frame.cli import row_pages
    from anls_frame.cli.metrics import parse
    from anls_frame.runs.reading import usual_metric
    from anls_frame.runs.score_columns import score_columns_of
    from anls_frame.summary.files import is_summary

    check_rows(rows, target.output)
    search = af.SliceSearch(min_rows=min_rows, min_clusters=min_clusters, holdout=holdout, features=features)
    how: dict[str, Any] = {"depth": depth, "n": n, "search": search, "confidence": confidence}
    if is_summary(files[0]):
        only_for_rows = {"cluster": cluster, "features": features or None, "rows": rows}
        left_out = [
            *(["all other files"] if files[1:] else []),
            *(f"--{name}" for name, value in only_for_rows.items() if value is not None),
            *options.given_options(source, scoring),
        ]
        if left_out:
            raise ValueError(
                "a summary has no rows, and knows how they were read and scored: leave out "
                f"{', '.join(left_out)}"
            )
        with af.progress():
            result: Any = af.find_slices(
                af.Summary.load(files[0]), columns=column, metrics=parse(metric) or None, **how
            )
        target.put(result, {})
        return
    chosen: list[Any] = parse(metric) or [usual_metric(source.how())]
    with working("Looking for slices"):
        given = source.in_files(files, metrics=None if rows else chosen, least=1)
        roles = cluster, *score_columns_of(chosen)
        frame, systems = row_pages.table(given.naming(*(column or ()), *roles), *roles)
        # A table of scores has no texts.
        has_texts = {*systems.values(), "answers"} <= {*frame.columns}
    with af.progress():
        result = af.find_slices(
            frame,
            systems if has_texts else None,
            "answers" if has_texts else None,
            column,
            cluster=cluster,
            metrics=chosen,
            **how,
            **vars(scoring),
        )
    page = None
    if rows is not None:
        conditions = [condition.column for conditions in result.conditions for condition in conditions]
        with working("Looking for rows"):
            page = row_pages.page(
                frame,
                systems,
                metrics=chosen,
                by=[name for name in dict.fromkeys(conditions) if name in frame.columns],
                n=rows,
                **vars(scoring),
            )
    target.put(result, {}, rows=page)
