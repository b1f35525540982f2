"""The rows whose scores differ between two systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice, count, takes_names
from anls_frame._typing import table_of_frame
from anls_frame.exceptions import DTypeError, DuplicateColumnError
from anls_frame.frames.conversion import as_kind_of, at_hand, is_pandas, rows_at, to_lazy
from anls_frame.metrics.scores import nearest_answer
from anls_frame.summary import own_metrics
from anls_frame.summary.keys import optional
from anls_frame.summary.rows import predicted, score_details, with_unanswerable
from anls_frame.summary.settings import MOST_ROWS, Settings, check_keep, resolve_missing, scoring
from anls_frame.summary.systems import of_system, once, resolve_for, two
from anls_frame.summary.transitions import type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anls_frame.protocol import ScoreProtocol
    from anls_frame.summary.catalogue import Metrics
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Missing, Unanswerable

__all__ = ["changes"]

Kind = Literal["worse", "better", "all"]

_ROW = "__anls_frame_row"
_SIDES = ("old", "new")
_RIGHT = "is_right"


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
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing | None = None,
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
        Name of the column with the accepted answer or answers; `None` if the systems' columns already hold
        scores.
    kind
        `"worse"` returns the rows in which the second system is worse in any of the metrics, `"better"` those
        in which it is better, largest gain first, and `"all"` both. Rows whose texts differ but whose scores
        are equal have not changed.
    keep
        More columns of the frame, such as the id of the question.
    n
        The largest number of rows; all by default.
    metrics
        The scores to look at, one or several, as for `compare`: `"anls"` (the default), `"nls"`,
        `"exact_match"`, `"cer"`, or a `Metric`. For existing scores it is their name, which also says the
        direction, or a `Metric` with a mapping from the systems to columns.
    protocol, threshold, cer_protocol
        How texts are scored, as for `anls_frame.score`. Derive your own `cer_protocol` from "raw", which
        prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string, as reports do: a row in which
        only the second system is silent is a loss. `"drop"` leaves out rows in which either prediction is
        null. Rows in which an existing score is null are always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts). `"empty"`
        scores them as if the empty text were the answer: a row is right where nothing was predicted, null or
        empty, whatever `missing` says, and wrong with any text.

    Returns
    -------
    Frame
        A frame of the same kind, in memory; pandas keeps the index. Its columns, with the names of the
        systems in place of ``old`` and ``new`` and that of each metric in place of ``anls``:

        - those of `keep`;
        - ``prediction_old``, ``prediction_new``, and the nearest answers ``nearest_answer_old`` and
          ``nearest_answer_new`` (`String`);
        - ``anls_old``, ``anls_new``, and ``anls_difference``, second minus first (`Float64`);
        - ``error_type_old``, ``error_type_new``, and both as ``transition``, such as "exact → near"
          (`String`).

        Existing scores have no texts and no error types. Rows are sorted by the loss (or gain) in the first
        metric, then by that in the others. Ties go to the larger one in NLS; beyond that they are broken by
        the content of the rows, so that neither their order nor the engine matters. For a table in parts,
        keep the answers, and call `changes` again on the rows found in all parts: the first `n` of them are
        the first `n` of the whole.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If two columns of the result would have the same name.
    ValueError
        If there are not exactly two systems, or an option has an invalid value.
    TypeError
        If the frame is not one of the accepted kinds, or `n` is not an integer.

    See Also
    --------
    anls_frame.compare : how large the difference is, and whether it may be chance.
    anls_frame.find_slices : what the rows that lost have in common.
    anls_frame.browse : a page of the rows with both predictions.
    anls_frame.alignment : a prediction next to its answer.

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
    pair = two(systems)
    n = None if n is None else count("n", n, most=MOST_ROWS - 1)
    has_texts = answers is not None
    chosen = once(resolve_for(metrics, pair, has_texts=has_texts, cer_protocol=cer_protocol))
    settings = Settings(
        has_texts=has_texts,
        missing=resolve_missing(missing, has_scores=not has_texts),
        keep=check_keep(keep),
        **scoring(protocol, threshold, cer_protocol, of_texts=has_texts, unanswerable=unanswerable),
    )
    columns = _columns(list(pair), chosen, settings)
    frame = at_hand(frame)
    scored = _scored(frame, pair, answers, chosen, settings)
    order = _order(chosen, settings)
    changed = _changed(scored, chosen, settings, kind).select(_ROW, *order)
    if n is not None:
        # One row at least, because rows with wrong values come first.
        changed = changed.bottom_k(max(n, 1), by=order)
    found = changed.sort(order, nulls_last=True).collect(engine="streaming")
    if not found[_RIGHT].all():
        raise ValueError(_first_wrong(scored, chosen))
    found = found.head(found.height if n is None else n)
    return _as_given(frame, found[_ROW], found.select(**columns), settings.keep)


def _columns(systems: Sequence[str], metrics: Sequence[Metric], settings: Settings) -> dict[str, pl.Expr]:
    """Return the columns of the result by name; raise an error if two of them have the same one."""
    columns = list(zip(settings.keep, map(pl.col, _kept(settings)), strict=True))

    def add(what: str, of_sides: Iterable[pl.Expr]) -> None:
        columns.extend((f"{what}_{name}", one) for name, one in zip(systems, of_sides, strict=True))

    if settings.has_texts:
        add("prediction", map(pl.col, _SIDES))
        options: dict[str, Any] = {"protocol": settings.protocol, "missing": "empty"}
        add("nearest_answer", (nearest_answer(side, "answers", **options) for side in _SIDES))
    for place, metric in enumerate(metrics):
        # A single row has no mean and no corpus: its score is named as `anls_frame.score` names it.
        name = metric.row or metric.name
        old, new = (pl.col(f"{side}_{place}") for side in _SIDES)
        add(name, (old, new))
        columns.append((f"{name}_difference", new - old))
    if settings.has_texts:
        types = [type_of(side, "answers", settings).cast(pl.String) for side in _SIDES]
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


def _kept(settings: Settings) -> list[str]:
    return [f"keep_{place}" for place, _ in enumerate(settings.keep)]


def _order(metrics: Sequence[Metric], settings: Settings) -> list[str]:
    """
    Return the columns by which rows are sorted, each ascending: wrong values first, then the largest loss.

    The digests are there for speed: rows with equal ones differ only in nulls.
    """
    texts = ("nls_loss", "old_digest", "new_digest", *_SIDES, "answers") if settings.has_texts else ()
    losses = [f"loss_{place}" for place, _ in enumerate(metrics)]
    values = [f"{side}_{place}" for place, _ in enumerate(metrics) for side in _SIDES]
    return [_RIGHT, *losses, *texts, *values, *_kept(settings)]


def _scored(
    frame: Any, systems: Mapping[str, str], answers: str | None, metrics: Sequence[Metric], settings: Settings
) -> pl.LazyFrame:
    """
    Return the rows with the scores of both systems, not computed yet.

    The scores are in the columns `old_0`, `new_0`, ...; `is_right` says whether the metrics can have them.
    """
    columns = [] if answers is None else list(systems.values())
    of_sides = {
        side: [of_system(metric, name) for metric in metrics]
        for side, name in zip(_SIDES, systems, strict=True)
    }
    others = [*settings.keep, *(name for one in of_sides.values() for name in own_metrics.needed(one))]
    texts, protocol = [*columns, *optional(answers)], settings.protocol
    source = to_lazy(frame, texts, others, answers=answers, protocol=protocol)
    if answers is not None:
        source = with_unanswerable(source, columns, answers, settings.unanswerable)
    schema = source.collect_schema()
    for name in settings.keep:
        if schema[name].is_object():
            raise DTypeError(f"column {name!r} has dtype Object and cannot be kept; cast it")
    source = _unequal(source.with_row_index(_ROW), columns, metrics, settings)
    parts = [pl.col(_ROW)]
    parts += [cs.by_name(name).alias(key) for key, name in zip(_kept(settings), settings.keep, strict=True)]
    for place, (side, of_side) in enumerate(of_sides.items()):
        inputs = []
        if answers is not None:
            inputs = [predicted(columns[place]), cs.by_name(answers)]
            parts.append(cs.by_name(columns[place]).cast(pl.String).alias(side))
            parts.append(score_details(schema, columns[place], answers, settings).alias(f"{side}_details"))
        for number, metric in enumerate(of_side):
            if not metric.is_built_in:
                values = own_metrics.values(source, [metric], inputs)
                names = _own_names(side, number, metric)
                parts += [value.alias(name) for name, value in zip(names, values, strict=True)]
    if answers is not None:
        parts.append(cs.by_name(answers).alias("answers"))
    return source.select(parts).with_columns(_scores(metrics, settings))


def _unequal(
    source: pl.LazyFrame, columns: Sequence[str], metrics: Sequence[Metric], settings: Settings
) -> pl.LazyFrame:
    """Return the rows that count and whose scores may differ: those of equal texts cannot."""
    if columns and settings.missing == "drop":
        source = source.filter(cs.by_name(column).is_not_null() for column in columns)
    if columns and all(metric.is_built_in or metric.is_function for metric in metrics):
        old, new = map(predicted, columns)
        source = source.filter(old != new)
    return source


def _own_names(side: str, place: int, metric: Metric) -> list[str]:
    """Return the columns with an own metric's values for one side: the score and, for a rate, both parts."""
    return [f"{side}_{name}" for name in own_metrics.names(place, metric)]


def _scores(metrics: Sequence[Metric], settings: Settings) -> list[pl.Expr]:
    """Return the scores of both sides, whether they are right, and what else breaks ties."""
    columns, wrong = [], [pl.lit(value=False)]
    old, new = (pl.col(f"{side}_details").struct for side in _SIDES)
    is_answerable = old.field("nls").is_not_null() if settings.has_texts else pl.lit(value=True)
    for place, metric in enumerate(metrics):
        for side, details in zip(_SIDES, (old, new), strict=True):
            if metric.is_built_in:
                value = details.field(str(metric.row)).cast(pl.Float64)
            else:
                names = _own_names(side, place, metric)
                # A function of texts may give a score without looking at the answers.
                has_score = is_answerable if metric.is_function else pl.lit(value=True)
                score = pl.col(names[0])
                if metric.skips_empty_rows:
                    of_sides = [_own_names(one, place, metric)[0] for one in _SIDES]
                    score = own_metrics.beside(of_sides, *names[:2])
                value = pl.when(has_score).then(score)
                wrong.append(has_score & own_metrics.is_wrong(metric, names[1:] or names))
            columns.append(value.alias(f"{side}_{place}"))
    if settings.has_texts:
        columns.append((new.field("nls") - old.field("nls")).alias("nls_loss"))
        columns += [
            one.field("row_digest").alias(f"{side}_digest")
            for side, one in zip(_SIDES, (old, new), strict=True)
        ]
    return [*columns, (~pl.any_horizontal(wrong)).alias(_RIGHT)]


def _changed(scored: pl.LazyFrame, metrics: Sequence[Metric], settings: Settings, kind: Kind) -> pl.LazyFrame:
    """Return the rows of the wanted kind, and those with wrong values; losses are negative numbers."""
    turned = -1 if kind == "better" else 1
    losses = [
        (
            (pl.col(f"new_{place}") - pl.col(f"old_{place}"))
            * (turned if metric.higher_is_better else -turned)
        ).alias(f"loss_{place}")
        for place, metric in enumerate(metrics)
    ]
    if settings.has_texts:
        losses.append(pl.col("nls_loss") * turned)
    rows = scored.with_columns(losses)
    change = [pl.col(f"loss_{place}") for place, _ in enumerate(metrics)]
    is_wanted = pl.any_horizontal(one != 0 if kind == "all" else one < 0 for one in change)
    return rows.filter(is_wanted | ~pl.col(_RIGHT))


def _first_wrong(scored: pl.LazyFrame, metrics: Sequence[Metric]) -> str:
    """Return the message about the first metric with wrong values."""
    for place, metric in enumerate(metrics):
        for side in _SIDES if not metric.is_built_in else ():
            names = _own_names(side, place, metric)
            names = names[1:] or names
            wrong = (
                scored.filter(~pl.col(_RIGHT) & own_metrics.is_wrong(metric, names))
                .select(_ROW, *names)
                .collect()
            )
            if wrong.height:
                row, *values = wrong.row(0)
                return own_metrics.message(metric, wrong.height, row, values)
    raise AssertionError  # the caller has seen one


def _as_given(frame: Any, rows: pl.Series, table: pl.DataFrame, keep: Sequence[str]) -> Any:
    """Return the result as the frame's kind; pandas keeps its index, and the dtypes of kept columns."""
    if not is_pandas(frame):
        return as_kind_of(frame, table)
    picked = rows_at(frame, rows)
    result = as_kind_of(picked, table, index=True)
    for name in keep:
        if name in picked.columns:
            result[name] = picked[name].array
    return result.drop(columns=[name for name in keep if name in picked.index.names])
