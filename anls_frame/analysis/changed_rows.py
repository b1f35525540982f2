"""Rows whose scores differ between a baseline and other systems."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import polars as pl

from anls_frame._arguments import choice, count, takes_names
from anls_frame._typing import Missing, table_of_frame
from anls_frame.exceptions import DuplicateColumnError
from anls_frame.frames.conversion import at_hand
from anls_frame.metrics.scores import nearest_answer
from anls_frame.protocol import ScoreProtocol
from anls_frame.summary import system_rows
from anls_frame.summary.catalogue import Metrics
from anls_frame.summary.measures import Metric
from anls_frame.summary.rows import kept_names, predicted, type_of
from anls_frame.summary.selection import NLS_RANK, ROW, Selection, as_given, change
from anls_frame.summary.settings import MOST_ROWS, Settings, Unanswerable, named_columns, scoring
from anls_frame.summary.system_rows import scored_rows
from anls_frame.summary.systems import metrics_of, once, resolve_systems

Kind = Literal["worse", "better", "all"]

_TEXTS = ("text_0", "text_1")
_ROWS_OF_A_BATCH = 50_000


@table_of_frame
@takes_names
def changes(
    frame: Any,
    systems: Mapping[str, str] | Sequence[str],
    answers: str | None,
    *,
    kind: Kind = "worse",
    keep: str | Sequence[str] = (),
    n: int | None = None,
    metrics: Metrics | None = None,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
) -> Any:
    """
    Return the rows whose scores differ between the first system and others, the largest loss first.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read once, on the streaming engine), a pandas DataFrame, or any
        object with the Arrow PyCapsule interface, with a column of predictions for each system (`pair` makes
        one from two frames).
    systems
        The systems, as a mapping from names to prediction columns or a list of prediction columns. The first
        system is the baseline, with which the others are compared.
    answers
        Name of the column with the accepted answer or answers; `None` if the columns of the systems hold
        scores.
    kind
        `"worse"` returns the rows in which a system is worse than the baseline in any of the metrics,
        `"better"` those in which it is better, largest gain first, and `"all"` both. Rows with equal scores
        count as unchanged, even if their texts differ.
    keep
        More columns of the frame, such as the id of the question.
    n
        Maximum number of rows of the result; all by default.
    metrics
        One or several scores to compare, as for `compare`: `"anls"` (the default), `"nls"`, `"exact_match"`,
        `"cer"`, or a `Metric`. For existing scores, their name, which also determines which direction is
        better, or a `Metric` with a mapping from systems to columns.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string, as reports do, so a row in which
        only the baseline gives a prediction is a loss. `"drop"` leaves out rows in which any prediction is
        null. Rows in which an existing score is null are always left out, as in `compare`.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.

    Returns
    -------
    Frame
        A frame of the same kind, in memory, with a row for each changed row and system; pandas keeps the
        index. Its columns, for the metric ``anls``, are:

        - those of `keep`;
        - ``system``, the system that is compared with the baseline (`String`);
        - ``baseline_prediction`` and ``prediction``, and the nearest answers ``baseline_nearest_answer`` and
          ``nearest_answer`` (`String`);
        - ``baseline_anls``, ``anls``, and ``anls_difference``, system minus baseline (`Float64`);
        - ``baseline_error_type``, ``error_type``, and both as ``transition``, such as "exact → near"
          (`String`).

        Results for existing scores have no texts and no error types. Rows are sorted by the loss (or gain) in
        the first metric, then in the others. Ties are broken by the change in NLS, larger first, and then by
        the content of rows, so neither the order of rows nor the engine matters. For a table in several
        parts, the first `n` rows are among those of its parts.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If two columns of the result would have the same name.
    ValueError
        If there are fewer than two systems, an option has an invalid value, or a metric has a value outside
        its bounds.
    TypeError
        If the frame is not one of the accepted kinds, or `n` is not an integer.

    See Also
    --------
    anls_frame.compare : the size of the differences, with significance tests.
    anls_frame.find_slices : what the worse rows have in common.
    anls_frame.browse : a page of these rows with the predictions of all systems.
    anls_frame.pairs.alignment : a prediction aligned with its answer.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {
    ...         "id": [1, 2, 3, 4],
    ...         "old": ["2024", "cow", "yes", "b"],
    ...         "new": ["2023", None, "yes", "bird"],
    ...         "answer": ["2024", "cow", "no", "bird"],
    ...     }
    ... )
    >>> rows = af.changes(df, {"old": "old", "new": "new"}, "answer", keep=["id"])
    >>> rows.select("id", "system", "prediction", "anls_difference", "transition")
    shape: (2, 5)
    ┌─────┬────────┬────────────┬─────────────────┬─────────────────┐
    │ id  ┆ system ┆ prediction ┆ anls_difference ┆ transition      │
    │ --- ┆ ---    ┆ ---        ┆ ---             ┆ ---             │
    │ i64 ┆ str    ┆ str        ┆ f64             ┆ str             │
    ╞═════╪════════╪════════════╪═════════════════╪═════════════════╡
    │ 2   ┆ new    ┆ null       ┆ -1.0            ┆ exact → missing │
    │ 1   ┆ new    ┆ 2023       ┆ -0.25           ┆ exact → near    │
    └─────┴────────┴────────────┴─────────────────┴─────────────────┘
    """
    choice("kind", kind, get_args(Kind))
    given = resolve_systems(systems)
    frame = at_hand(frame)
    n = None if n is None else count("n", n, most=MOST_ROWS - 1)
    has_texts = answers is not None
    chosen = once(metrics_of(metrics, given, (), has_texts=has_texts, protocol=protocol, are_of_rows=True))
    settings = Settings(
        metrics=tuple(chosen),
        keep=named_columns("keep", keep),
        **scoring(protocol, frame, has_texts=has_texts, missing=missing, unanswerable=unanswerable),
    )
    columns = _columns([*given], chosen, settings, is_gain=kind == "better")
    selection = Selection(scored_rows(frame, given, answers, chosen, settings))
    rows = selection.scored(_may_differ(selection.source.systems, chosen, settings))
    # A score counts only if all systems have one, as in comparisons.
    for index, _ in enumerate(chosen):
        scores = system_rows.score_columns(index, selection.source.systems)
        rows = rows.with_columns(
            pl.when(pl.all_horizontal(pl.col(scores).is_not_null())).then(pl.col(scores))
        )
    drawn = selection.checked(_changed(selection, rows, kind, n), n)
    return as_given(frame, drawn[ROW], drawn.select(**columns), settings.keep)


def _changed(selection: Selection, rows: pl.LazyFrame, kind: Kind, n: int | None) -> pl.DataFrame:
    """Return the rows that changed, with the first system as number 0 and the other one as number 1."""
    pair = selection.of_two
    ranks = [
        selection.ranks(functools.partial(change, system=system), best_first=kind == "better")
        for system in range(1, selection.source.systems)
    ]
    losses = [pl.col(name) for name in ranks[0] if name != NLS_RANK]
    is_wanted = pl.any_horizontal(loss != 0 if kind == "all" else loss < 0 for loss in losses)
    order = [*ranks[0], "system"]

    def changed(batch: pl.DataFrame) -> pl.DataFrame:
        compared = [
            selection.beside_first(batch.lazy().with_columns(**of_system), system)
            for system, of_system in enumerate(ranks, 1)
        ]
        return pair.first(pl.concat(compared), order, n, where=is_wanted).collect()

    found = changed(rows.head(0).collect())
    for batch in rows.collect_batches(chunk_size=_ROWS_OF_A_BATCH, engine="streaming"):
        found = pl.concat([found, changed(batch)])
        if n is not None:
            found = pair.first(found.lazy(), order, n).collect()
    return pair.first(found.lazy(), order, n).collect()


def _may_differ(systems: int, metrics: Sequence[Metric], settings: Settings) -> pl.Expr:
    """Return the rows whose scores may differ; those of equal texts cannot."""
    if settings.has_texts and all(metric.is_built_in or metric.is_function for metric in metrics):
        baseline, *others = (predicted(pl.col(f"text_{system}")) for system in range(systems))
        return pl.any_horizontal(baseline != other for other in others)
    return pl.lit(value=True)


def _columns(
    systems: Sequence[str], metrics: Sequence[Metric], settings: Settings, *, is_gain: bool
) -> dict[str, pl.Expr]:
    """Return the columns of the result by name; raise an error for duplicate names."""
    columns = list(zip(settings.keep, map(pl.col, kept_names(settings)), strict=True))
    columns.append(
        ("system", pl.col("system").replace_strict(dict(enumerate(systems)), return_dtype=pl.String))
    )

    def add(name: str, values: Iterable[pl.Expr]) -> None:
        columns.extend(zip((f"baseline_{name}", name), values, strict=True))

    if settings.has_texts:
        add("prediction", map(pl.col, _TEXTS))
        options: dict[str, Any] = {"protocol": settings.protocol, "missing": "empty"}
        add("nearest_answer", (nearest_answer(text, "answers", **options) for text in _TEXTS))
    for index, metric in enumerate(metrics):
        # A single row has no mean and no corpus: its score is named as `anls_frame.score` names it.
        name = metric.row or metric.name
        add(name, map(pl.col, system_rows.score_columns(index, len(_TEXTS))))
        rank = pl.col(f"rank_{index}")
        columns.append((f"{name}_difference", rank if bool(metric.higher_is_better) != is_gain else -rank))
    if settings.has_texts:
        types = [type_of(text, settings) for text in _TEXTS]
        add("error_type", types)
        columns.append(("transition", pl.concat_str(types, separator=" → ")))
    names = [name for name, _ in columns]
    for name in names:
        if names.count(name) > 1:
            raise DuplicateColumnError(
                f"two columns of the result would have the name {name!r}; rename a metric, or the column in "
                "keep="
            )
    return dict(columns)
