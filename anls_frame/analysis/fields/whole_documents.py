"""Whole documents: how many fields of each are wrong, and whether all are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import strings, takes_names
from anls_frame._text import listed, quoted
from anls_frame._typing import table_of_frame
from anls_frame.frames import origins
from anls_frame.frames.conversion import as_kind_of, at_hand, column_names, to_lazy
from anls_frame.frames.field_rows import BROKEN
from anls_frame.frames.number_columns import check_confidences, with_numbers
from anls_frame.frames.reserved_columns import ALL_RIGHT, CONFIDENCE, FIELD, N_FIELDS, N_WRONG, STATUS
from anls_frame.metrics.scores import exact_match
from anls_frame.protocol import ScoreProtocol
from anls_frame.summary.keys import check_own_names
from anls_frame.summary.rows import is_unanswerable, with_unanswerable
from anls_frame.summary.settings import named_columns
from anls_frame.summary.systems import columns_of_systems

_SHOWN_FIELDS = 40


@table_of_frame
@takes_names
def documents(
    frame: Any,
    prediction: str | Mapping[str, str] | Sequence[str],
    answers: str,
    *,
    id: str,  # noqa: A002 - what users call it
    required: Sequence[str] | None = None,
    keep: str | Sequence[str] = (),
    protocol: ScoreProtocol | str = "anls",
    model_confidence: str | Mapping[str, str] | None = None,
) -> Any:
    """
    Return a row for each document, with the number of wrong fields and whether all fields are right.

    Parameters
    ----------
    frame
        The rows of `fields`, as a Polars DataFrame or LazyFrame, a pandas DataFrame, or any object with the
        Arrow PyCapsule interface.
    prediction
        Name of the column with the predicted texts, or of several systems a list of columns, or a mapping
        from their names to columns.
    answers
        Name of the column with the gold texts.
    id
        Name of the column that identifies a document.
    required
        Names of the fields that must be right; all by default.
    keep
        One or several columns with a single value for each document, such as its supplier.
    protocol
        How texts are prepared before they are compared, as for `anls_frame.exact_match`.
    model_confidence
        Name of the column with the confidences of fields (as numbers, or as text from CSV), or a mapping from
        the names of systems to their columns.

    Returns
    -------
    DataFrame
        A row for each document, in their order, with the columns `id` and `keep`, then `n_fields` (the
        required fields in which gold or the system has a value), `n_wrong` and `all_right`; for several
        systems, ``NAME_n_fields``, ``NAME_n_wrong`` and ``NAME_all_right`` for each. A document without any
        required field has no wrong fields. A broken document is never all right. With `model_confidence`,
        `confidence` or ``NAME_confidence`` is the lowest confidence of these fields. It is null, which
        `selective` takes as unsure, if one of them has no confidence: it was not found, for instance.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If confidences are not numbers.
    DuplicateColumnError
        If `id` or `keep` has the name of a column of the result.
    ValueError
        If no document has a required field, a column of `keep` has several values for a document, or the
        systems of `model_confidence` differ from those of `prediction`.

    See Also
    --------
    anls_frame.selective : which documents can be accepted without human review.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {
    ...         "page": ["p1", "p2"],
    ...         "gold": ['{"total": "5", "vat": "1"}', '{"total": "7"}'],
    ...         "model": ['{"total": "5", "vat": "2"}', '{"total": "7"}'],
    ...     }
    ... )
    >>> rows = af.fields(df, "model", "gold", id="page")
    >>> documents = af.documents(rows, "prediction", "answers", id="page")
    >>> documents
    shape: (2, 4)
    ┌──────┬──────────┬─────────┬───────────┐
    │ page ┆ n_fields ┆ n_wrong ┆ all_right │
    │ ---  ┆ ---      ┆ ---     ┆ ---       │
    │ str  ┆ i64      ┆ i64     ┆ bool      │
    ╞══════╪══════════╪═════════╪═══════════╡
    │ p1   ┆ 2        ┆ 1       ┆ false     │
    │ p2   ┆ 1        ┆ 0       ┆ true      │
    └──────┴──────────┴─────────┴───────────┘
    >>> af.report(documents, metrics="all_right").overall["all_right"]
    0.5
    """
    systems, starts, sure = columns_of_systems(prediction, model_confidence)
    keep = list(named_columns("keep", keep))
    frame = at_hand(frame)
    available = column_names(frame)
    statuses = {
        system: name
        for system, column in systems.items()
        for name in (STATUS, f"{column}_{STATUS}")
        if name in available
    }
    others = [id, FIELD, *keep, *sure.values(), *statuses.values()]
    rows = with_numbers(to_lazy(frame, [*systems.values(), answers], others), sure.values())
    check_confidences(rows.select(cs.by_name(*sure.values())).collect_schema())
    is_required = pl.col(FIELD).is_not_null()
    if required is not None:
        names = strings("required", required)
        known = set(rows.select(pl.col(FIELD).unique()).collect().to_series().drop_nulls())
        unknown = [name for name in names if name not in known]
        if unknown:
            fields_of_all = listed(map(quoted, sorted(known)), _SHOWN_FIELDS)
            raise ValueError(
                f"required: no document has the field {quoted(unknown[0])} among {fields_of_all}"
            )
        is_required = pl.col(FIELD).is_in(names)
    rows = with_unanswerable(rows, systems.values(), answers, "empty")
    figures: dict[str, pl.Expr] = {}
    for system, column in systems.items():
        # Other systems invented the rest.
        has_value = ~(is_unanswerable(rows) & (cs.by_name(column) == "")).fill_null(value=False)
        start, is_own = starts[system], is_required & has_value
        is_wrong = is_own & ~exact_match(column, answers, protocol=protocol, missing="empty")
        status = cs.by_name(statuses[system]).cast(pl.String) if system in statuses else pl.lit("")
        figures[f"{start}{N_FIELDS}"] = is_own.sum().cast(pl.Int64)
        figures[f"{start}{N_WRONG}"] = is_wrong.sum().cast(pl.Int64)
        figures[f"{start}{ALL_RIGHT}"] = (is_wrong | (status == BROKEN).fill_null(value=False)).any().not_()
        if system in sure:
            # A field without a confidence is unsure, so the document is.
            confidences = cs.by_name(sure[system]).cast(pl.Float64).fill_nan(None).filter(is_own)
            figures[f"{start}{CONFIDENCE}"] = pl.when(confidences.null_count() == 0).then(confidences.min())
    check_own_names((id, *keep), figures)
    whole = (
        rows.group_by(cs.by_name(id), maintain_order=True)
        .agg(
            *(cs.by_name(name).n_unique().alias(f"__values_{place}") for place, name in enumerate(keep)),
            *(cs.by_name(name).first() for name in keep),
            **figures,
        )
        .collect()
    )
    for place, name in enumerate(keep):
        several = whole.filter(whole.drop_in_place(f"__values_{place}") > 1)
        if several.height:
            raise ValueError(
                f"column {name!r} has several values in document {several[id][0]!r}; it cannot be kept"
            )
    made = as_kind_of(frame, whole.select(cs.by_name(id, *keep), *figures))
    return origins.remember(made, **origins.of_rows(frame))
