"""Rows whose scores differ between two systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl

from anls_frame._arguments import choice, count, takes_names
from anls_frame._typing import Missing, table_of_frame
from anls_frame.exceptions import DuplicateColumnError
from anls_frame.frames.conversion import at_hand
from anls_frame.metrics.scores import nearest_answer
from anls_frame.summary import system_rows
from anls_frame.summary.rows import kept_names, predicted
from anls_frame.summary.selection import NLS_RANK, ROW, as_given, change, select_from
from anls_frame.summary.settings import MOST_ROWS, Settings, check_keep, resolve_missing, scoring
from anls_frame.summary.systems import once, resolve_for, resolve_systems
from anls_frame.summary.transitions import type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anls_frame.protocol import ScoreProtocol
    from anls_frame.summary.catalogue import Metrics
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Unanswerable

__all__ = ["changes"]

Kind = Literal["worse", "better", "all"]

_TEXTS = ("text_0", "text_1")


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
    Return the rows whose scores differ between two systems, the largest loss first.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read once, on the streaming engine), a pandas DataFrame, or any
        object with the Arrow PyCapsule interface, with a column of predictions for each system (`pair` makes
        one from two frames).
    systems
        Exactly two entries, from name to prediction column, or two columns. The first system is the baseline.
    answers
        Name of the column with the accepted answer or answers; `None` if the columns of the systems hold
        scores.
    kind
        `"worse"` returns the rows in which the second system is worse in any of the metrics, `"better"` those
        in which it is better, largest gain first, and `"all"` both. Rows with equal scores count as
        unchanged, even if their texts differ.
    keep
        More columns of the frame, such as the id of the question.
    n
        Maximum number of rows; all by default.
    metrics
        One or several scores to compare, as for `compare`: `"anls"` (the default), `"nls"`, `"exact_match"`,
        `"cer"`, or a `Metric`. For existing scores, their name, which also determines which direction is
        better, or a `Metric` with a mapping from systems to columns.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string, as reports do, so a row in which
        only the second system gives no prediction is a loss. `"drop"` leaves out rows in which either
        prediction is null. Rows with a null in an existing score are always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts). `"empty"`
        treats the empty text as their answer: such a row is right if its prediction is null or empty,
        whatever `missing` says, and wrong otherwise.

    Returns
    -------
    Frame
        A frame of the same kind, in memory; pandas keeps the index. Its columns, for systems named ``old``
        and ``new`` and the metric ``anls``, are:

        - those of `keep`;
        - ``prediction_old``, ``prediction_new``, and the nearest answers ``nearest_answer_old`` and
          ``nearest_answer_new`` (`String`);
        - ``anls_old``, ``anls_new``, and ``anls_difference``, second minus first (`Float64`);
        - ``error_type_old``, ``error_type_new``, and both as ``transition``, such as "exact → near"
          (`String`).

        Results for existing scores have no texts and no error types. Rows are sorted by the loss (or gain) in
        the first metric, then in the others. Ties are broken by the change in NLS, larger first, and then by
        the content of rows, so neither the order of rows nor the engine matters. For a table in several
        parts, keep the answers, and call `changes` again on the rows found in all parts: its first `n` rows
        are those of the whole table.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If two columns of the result would have the same name.
    ValueError
        If there are not exactly two systems, an option has an invalid value, or a metric has a value outside
        its bounds.
    TypeError
        If the frame is not one of the accepted kinds, or `n` is not an integer.

    See Also
    --------
    anls_frame.compare : the size of the difference, with a significance test.
    anls_frame.find_slices : what the worse rows have in common.
    anls_frame.browse : a page of these rows with both predictions.
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
    >>> rows.select("id", "prediction_new", "anls_difference", "transition")
    shape: (2, 4)
    ┌─────┬────────────────┬─────────────────┬─────────────────┐
    │ id  ┆ prediction_new ┆ anls_difference ┆ transition      │
    │ --- ┆ ---            ┆ ---             ┆ ---             │
    │ i64 ┆ str            ┆ f64             ┆ str             │
    ╞═════╪════════════════╪═════════════════╪═════════════════╡
    │ 2   ┆ null           ┆ -1.0            ┆ exact → missing │
    │ 1   ┆ 2023           ┆ -0.25           ┆ exact → near    │
    └─────┴────────────────┴─────────────────┴─────────────────┘
    """
    choice("kind", kind, get_args(Kind))
    pair = resolve_systems(systems)
    if len(pair) > 2:  # noqa: PLR2004
        raise ValueError(f"systems must be two, the baseline first, got {len(pair)}; choose two of {[*pair]}")
    n = None if n is None else count("n", n, most=MOST_ROWS - 1)
    has_texts = answers is not None
    chosen = once(resolve_for(metrics, pair, has_texts=has_texts, protocol=protocol))
    settings = Settings(
        metrics=tuple(metric.described() for metric in chosen),
        has_texts=has_texts,
        missing=resolve_missing(missing, has_scores=not has_texts),
        keep=check_keep(keep),
        **scoring(protocol, has_texts=has_texts, unanswerable=unanswerable),
    )
    columns = _columns(list(pair), chosen, settings)
    frame = at_hand(frame)
    selection = select_from(frame, pair, answers, chosen, settings)
    ranks = {name: -rank if kind == "better" else rank for name, rank in selection.ranks(change).items()}
    losses = [pl.col(name) for name in ranks if name != NLS_RANK]
    is_wanted = pl.any_horizontal(loss != 0 if kind == "all" else loss < 0 for loss in losses)
    rows = selection.scored(_may_differ(chosen, settings)).with_columns(**ranks)
    wanted = selection.first(rows, list(ranks), n, where=is_wanted)
    drawn = selection.checked(wanted.collect(engine="streaming"), n)
    return as_given(frame, drawn[ROW], drawn.select(**columns), settings.keep)


def _may_differ(metrics: Sequence[Metric], settings: Settings) -> pl.Expr:
    """Return the rows whose scores may differ; those of equal texts cannot."""
    if settings.has_texts and all(metric.is_built_in or metric.is_function for metric in metrics):
        first, second = map(predicted, _TEXTS)
        return first != second
    return pl.lit(value=True)


def _columns(systems: Sequence[str], metrics: Sequence[Metric], settings: Settings) -> dict[str, pl.Expr]:
    """Return the columns of the result by name; raise an error for duplicate names."""
    columns = list(zip(settings.keep, map(pl.col, kept_names(settings)), strict=True))

    def add(what: str, values: Iterable[pl.Expr]) -> None:
        columns.extend((f"{what}_{name}", value) for name, value in zip(systems, values, strict=True))

    if settings.has_texts:
        add("prediction", map(pl.col, _TEXTS))
        options: dict[str, Any] = {"protocol": settings.protocol, "missing": "empty"}
        add("nearest_answer", (nearest_answer(text, "answers", **options) for text in _TEXTS))
    for index, metric in enumerate(metrics):
        # A single row has no mean and no corpus: its score is named as `anls_frame.score` names it.
        name = metric.row or metric.name
        scores = [pl.col(score) for score in system_rows.scores(index, len(systems))]
        add(name, scores)
        columns.append((f"{name}_difference", change(scores)))
    if settings.has_texts:
        types = [type_of(text, "answers", settings).cast(pl.String) for text in _TEXTS]
        add("error_type", types)
        columns.append(("transition", pl.concat_str(types, separator=" → ")))
    names = [name for name, _ in columns]
    for name in names:
        if names.count(name) > 1:
            raise DuplicateColumnError(
                f"two columns of the result would have the name {name!r}; rename a system or a metric, or "
                "the column in keep="
            )
    return dict(columns)
