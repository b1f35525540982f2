"""`audit`: rows drawn to be judged, as a page and as a sample for correcting the score."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.cli import options
from anls_frame.cli.output import check_target, show, working

_SCORE = "__anls_frame_score"


@options.command(
    "anls-frame audit results.csv -n 100 -c doc_id -o audit.html --sample audit.parquet",
    "anls-frame audit judged.csv -n 100 -m judge -c doc_id -o audit_judge.html --sample audit_judge.parquet",
    "anls-frame audit old.jsonl new.jsonl -n 50 --lean differing -o audit_two.html --sample two.parquet",
)
def audit(
    files: list[Path],
    *,
    output: Path,
    sample: Path,
    n: int = 200,
    lean: str = "uniform",
    metric: str | None = None,
    cluster: str | None = None,
    keep: list[str] | None = None,
    scoring: options.Reporting,
    force: bool = False,
    source: options.SystemColumns,
) -> None:
    """
    Draw rows for people to judge.

    Their verdicts correct the score of all rows. The page shows the drawn rows in random order and counts
    the rows left to judge. From its verdicts and the sample, `verdicts` computes the corrected score.

    Parameters
    ----------
    output
        File to write, ending in .html: the page of rows.
    sample
        File to write, ending in .parquet: all rows, with the drawn rows marked.
    n
        How many rows to draw.
    lean
        uniform: draw all rows equally; score: draw partial scores more often; differing: draw only rows in
        which systems differ; or a column of numbers: draw rows with larger numbers more often.
    metric
        The score to be judged: a column of the file, such as that of an LLM judge, on whose page a row is
        right or wrong. By default ANLS or, for pages, CER.
    """
    from anls_frame.cli.row_pages import page, texts, with_row_scores
    from anls_frame.export import row_files
    from anls_frame.export.page_verdicts import REPEATS
    from anls_frame.frames.reserved_columns import QUESTION_ID
    from anls_frame.runs.reading import names_of_rows, reading, usual_metric

    check_target(output, force, (".html", ".htm"))
    check_target(sample, force, (".parquet",))
    given = source.in_files(files, least=1)
    names = names_of_rows(source.how())
    with working("Scoring"), reading(given.files[0], given.how):
        frame, systems = texts(given.naming(cluster, metric, lean, *(keep or ())))
        judged = names["judged"] if metric is None else metric
        scored_rows, scores = with_row_scores(frame, systems, scoring, judged)
        rows = scored_rows.collect()
        if not systems.keys() & {"answers", *REPEATS, cluster, lean, *(keep or ())} and len(systems) > 1:
            # The sample has each system under its name, as --systems of `verdicts` wants it.
            others = [name for name, column in systems.items() if name in rows.columns and name != column]
            rows = rows.drop(others).rename({column: name for name, column in systems.items()})
            systems = {name: name for name in systems}
        mean = pl.mean_horizontal(scores.values(), ignore_nulls=False).alias(_SCORE)
        own = [name for name in scores.values() if name != metric]
        scored = rows.with_columns(mean).drop(own).drop_nulls(_SCORE)
        drawn = af.audit_sample(
            scored,
            n,
            lean=lean,
            score=_SCORE,
            prediction=systems,
            cluster=cluster,
        ).drop(_SCORE)
        if QUESTION_ID not in drawn.columns:
            # Without an id, verdicts fit no row whose texts another row has, too.
            drawn = drawn.with_row_index(QUESTION_ID)
        metrics = [usual_metric(given.how) if metric is None else metric]
        made = page(drawn, systems, metrics=metrics, keep=keep or (), audit=True, **vars(scoring))
        made.write(output, title=", ".join(systems), source=files)
        row_files.write(drawn.lazy(), sample, escape_formulas=False, rows=names["row"])
    without = rows.height - scored.height
    left_out = f"; {numbered(without, names['row'])} without a score left out" if without else ""
    of = f" --systems {','.join(systems.values())}" if len(systems) > 1 else ""
    of += "" if metric is None else f" -m {metric}"
    show(
        f"{made.rows:,} of {numbered(scored.height, names['row'])} drawn: {output}{left_out}",
        f"Judge all of them, save the verdicts, then: anls-frame verdicts verdicts.jsonl {sample}{of}",
    )
