"""The rows with the lowest scores, with alignments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import count, takes_names
from anls_frame._typing import table_of_frame
from anls_frame.frames.checks import check_dtypes
from anls_frame.frames.conversion import at_hand, attach, column_names, to_lazy
from anls_frame.metrics import scores
from anls_frame.metrics.errors import error_type
from anls_frame.pairs.alignments import Alignment
from anls_frame.protocol import PROTOCOLS, resolve_protocol
from anls_frame.summary import own_metrics
from anls_frame.summary.catalogue import resolve
from anls_frame.summary.keys import canonical, check_by_names, explode_lists, key_columns, key_names, named
from anls_frame.summary.rows import with_unanswerable
from anls_frame.summary.settings import MOST_ROWS, check_by, check_missing, check_unanswerable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.protocol import ScoreProtocol
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Missing, Unanswerable

__all__ = ["worst"]

_ROW = "__anls_frame_row"
_RANK = "__anls_frame_rank"
_NEW = ("anls", "nls", "cer", "error_type", "nearest_answer", "alignment")
_CONTEXT = 20


@table_of_frame
@takes_names
def worst(
    frame: Any,
    prediction: str,
    answers: str,
    k: int = 10,
    *,
    metrics: str | pl.Expr | Metric = "anls",
    by: str | Sequence[str] | None = None,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
    unanswerable: Unanswerable = "drop",
) -> Any:
    """
    Return the rows with the worst scores, each with its alignment.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine), a pandas DataFrame, or any object
        with the Arrow PyCapsule interface.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers.
    k
        Number of rows, per slice if there are slices.
    metrics
        The score by which rows are chosen: the name of a built-in one, a column of existing scores, an
        expression or a `Metric`. The worst are the lowest or, if lower is better, the highest.
    by
        Columns that define the slices; in pandas, levels of the index too. A row belongs to the slice of each
        entry of a list column; null, an empty list and a list of nulls all belong to the slice null.
    protocol, threshold, cer_protocol
        How texts are scored, as for `anls_frame.score`. Derive your own `cer_protocol` from "raw", which
        prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``.
    missing
        `"drop"` leaves out rows without a prediction, because there is nothing to look at. `"empty"` treats
        the prediction as an empty string.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts). `"empty"`
        scores them as if the empty text were the answer: a row is right where nothing was predicted, null or
        empty, whatever `missing` says, and wrong with any text.

    Returns
    -------
    Frame
        A frame of the same kind, in memory; pandas keeps the index. It has the rows with the worst scores;
        ties go to the lowest `anls`, then to the lowest `nls`, then to the first row of the frame. Rows are
        sorted by slice, with the key of the slice in the columns of `by`. Rows without an answer or a score
        are left out. These columns are added to those of the given frame, or replace those of the same name:

        - `anls`, `nls`, `cer` (`Float64`) and `error_type` (`String`);
        - the score of an own metric under its name, unless it is a column;
        - `nearest_answer` (`String`);
        - `alignment` (`String`): the prediction aligned with that answer, both unprepared and with equal
          parts shortened, in the unit of the protocol (for rates of characters, of the `cer_protocol`); see
          `anls_frame.alignment`.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If a column of `by` has the name of a column of the result.
    ValueError
        If an option has an invalid value.
    TypeError
        If the frame is not one of the accepted kinds, or `k` is not an integer.

    See Also
    --------
    anls_frame.browse : a page of the rows, to sort, filter and read.
    anls_frame.changes : the rows whose scores differ between two systems.
    anls_frame.find_slices : what the bad rows have in common.
    anls_frame.summarize : with `worst=`, the worst rows of parts that are merged.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {"id": [1, 2, 3], "prediction": ["cat", "c0w", None], "answer": ["cat", "cow", "a"]}
    ... )
    >>> rows = af.worst(df, "prediction", "answer", 1)
    >>> rows.select("id", "nls", "error_type").row(0)
    (2, 0.6666666666666667, 'near')
    >>> print(rows["alignment"].item())
    REF: cow
    HYP: c0w
          S
    """
    check_missing(missing)
    check_unanswerable(unanswerable)
    k = count("k", k, most=MOST_ROWS - 1)
    columns = check_by(by)
    frame = at_hand(frame)
    metric = _only(resolve(metrics, column_names(frame), has_texts=True, cer_protocol=cer_protocol))
    new = _NEW if metric.is_built_in or isinstance(metric.numerator, str) else (*_NEW, metric.name)
    check_by_names(columns, new)
    options = {"protocol": protocol, "threshold": threshold}
    predicted, accepted = cs.by_name(prediction), cs.by_name(answers)
    score = scores.score(predicted, accepted, cer_protocol=cer_protocol, **options)  # type: ignore[call-overload]
    others = [*columns, *own_metrics.needed([metric])]
    compared = resolve_protocol(protocol)
    rows = to_lazy(frame, [prediction, answers], others, answers=answers, protocol=compared)
    rows = with_unanswerable(rows, [prediction], answers, unanswerable)
    schema = rows.collect_schema()
    check_dtypes(pl.Schema({name: schema[name] for name in (prediction, answers)}), score)
    text = predicted.cast(pl.String)
    if missing == "empty":
        text = text.fill_null("")
    names = key_names(columns, None)
    texts = rows.with_row_index(_ROW).select(
        _ROW,
        *key_columns(schema, columns, None),
        text.alias("prediction"),
        accepted.alias("answers"),
        predicted.is_null().alias("is_missing"),
        *([] if metric.is_built_in else own_metrics.values(rows, [metric], (text, accepted))),
    )
    score = scores.score("prediction", "answers", cer_protocol=cer_protocol, **options)  # type: ignore[call-overload]
    value = score.struct.field(metric.row or "anls") if metric.is_built_in else pl.col("own_0")
    sign = 1 if metric.higher_is_better else -1
    scored = texts.select(
        _ROW,
        *names,
        (value.cast(pl.Float64) * sign).alias(_RANK),
        score.struct.field("anls"),
        score.struct.field("nls"),
    )
    is_scored = pl.col("anls").is_not_null() & pl.col(_RANK).is_not_null()
    lowest = _lowest(scored.filter(is_scored), names, k)
    wanted = lowest.select(_ROW).unique()
    details = texts.join(wanted.lazy(), on=_ROW, how="semi").select(
        _ROW,
        pl.struct(score.struct.field("anls", "nls", "cer")).alias("score"),
        error_type(
            pl.when(~pl.col("is_missing")).then("prediction"),
            "answers",
            **options,  # type: ignore[call-overload]
        ).cast(pl.String),
        scores.nearest_answer("prediction", "answers", protocol=protocol),
        "prediction",
    )
    found = details.unnest("score").collect(engine="streaming")
    pairs = found.select("prediction", "nearest_answer").iter_rows()
    compared = resolve_protocol(cer_protocol if metric.row == "cer" else protocol)
    # The texts are shown as they are, so only what is compared is that of the protocol.
    units = replace(PROTOCOLS["raw"].by(compared.unit), words=compared.words)
    alignments = [
        Alignment(prediction, nearest, units).to_text(context=_CONTEXT) for prediction, nearest in pairs
    ]
    found = found.with_columns(pl.Series("alignment", alignments, dtype=pl.String))
    own = (pl.col(_RANK) * sign).alias(metric.name if len(new) > len(_NEW) else _RANK)
    table = lowest.drop("anls", "nls").join(found, on=_ROW, maintain_order="left").with_columns(own)
    return attach(frame, table[_ROW], named(table.select(*names, *new), names, columns))


def _only(metrics: Sequence[Metric]) -> Metric:
    if len(metrics) > 1:
        raise ValueError(f"metrics must be one metric, got {[metric.name for metric in metrics]}")
    return metrics[0]


def _lowest(scored: pl.LazyFrame, names: Sequence[str], k: int) -> pl.DataFrame:
    """Return the indexes of the rows with the lowest scores, slice by slice."""
    order = [_RANK, "anls", "nls", _ROW]
    if not names:
        return scored.bottom_k(k, by=order).sort(order).collect(engine="streaming")
    slices = explode_lists(canonical(scored.collect(engine="streaming")), names)
    # A row whose list holds an entry twice is in that slice once, because `canonical` makes lists sets.
    return slices.sort([*names, *order], nulls_last=True).group_by(names, maintain_order=True).head(k)
