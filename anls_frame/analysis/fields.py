"""Fields of JSON documents, gold and predicted, as a row for each field."""

from __future__ import annotations

import collections
import functools
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice, string, takes_names
from anls_frame._text import listed, numbered, quoted
from anls_frame._typing import table_of_frame
from anls_frame.exceptions import DTypeError, DuplicateColumnError, warn
from anls_frame.frames import strict_json
from anls_frame.frames.conversion import (
    as_kind_of,
    at_hand,
    attach,
    column_names,
    in_memory,
    in_polars,
    is_pandas,
    to_lazy,
)
from anls_frame.frames.field_rows import STATUSES
from anls_frame.metrics.scores import exact_match
from anls_frame.protocol import ScoreProtocol
from anls_frame.summary.rows import with_unanswerable
from anls_frame.summary.settings import check_keep

_MOST_FIELDS = 100_000
"""Maximum number of fields of a document."""

_MOST_PAIRS = 4_000_000
"""Maximum number of pairs of items of two lists that are compared."""

_SHOWN_FIELDS = 40

_TIE = 1e-6
"""Similarities are told apart down to this; below it, the order of the items decides."""

_NESTED = (dict, list)

_BROKEN, _UNREADABLE = "broken", "unreadable document"

_FIELD, _ITEM, _ANSWERS, _PREDICTION = "field", "item", "answers", "prediction"
_STATUS, _CONFIDENCE = "status", "confidence"


_Items: TypeAlias = tuple[tuple[str, object], ...]
"""
The items of lists that a field is in, outermost first: the name of the list, and the number of an item of
gold, or a system and the number of an item that the system invented.
"""

_Way: TypeAlias = tuple[str, _Items]
"""The way from the root of a document to a field: the name of the field, and the items that it is in."""


@table_of_frame
@takes_names
def fields(
    frame: Any,
    prediction: str | Mapping[str, str],
    answers: str,
    *,
    id: str,  # noqa: A002 - what users call it
    match: str = "best",
    lists: Literal["items", "answers"] = "items",
    absent: Sequence[str] = ("",),
    model_confidence: str | Mapping[str, str] | None = None,
) -> Any:
    """
    Return a row for each field of JSON documents, with the gold and the predicted text side by side.

    `report`, `compare`, `find_slices` and `browse` accept these rows unchanged.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, or any object with the Arrow PyCapsule interface,
        with a row for each document. It is loaded into memory.
    prediction
        Name of the column with the predicted documents, or a mapping from the names of several systems to
        their columns. A document is JSON text, a Struct (in which null means that the key is absent) or, in
        pandas, a dict or list; null if nothing was predicted.
    answers
        Name of the column with the gold documents, of the same kinds. Documents without gold (null) are left
        out, with a warning.
    id
        Name of the column that identifies a document.
    match
        How the items of a predicted list are paired with those of the gold list: `"best"` finds the
        assignment with the largest sum of similarities, `"order"` pairs items by position, and any other text
        is a key whose equal values pair items.
    lists
        How lists of values are treated: `"items"` makes a row of each value; `"answers"` makes one row of a
        gold list, in which each value is an accepted answer.
    absent
        Texts that mean "no value", as null does.
    model_confidence
        Name of the column with the model's confidences, or a mapping from the names of systems to their
        columns: documents of the shape of the predicted ones, with numbers in place of their values. A number
        in place of an object or a list applies to all its values.

    Returns
    -------
    DataFrame
        The columns of the frame without the documents, then:

        - `field`: the keys from the root of the document, joined by dots, with ``[]`` after those of lists,
          such as ``items[].price``. Keys that contain a dot, a bracket or a quotation mark are in quotes.
        - `item`: number of the item in the innermost list, counted from 1 over all lists of the field; null
          outside of lists. Invented items follow the gold items.
        - `answers`: the gold text, null if there is no value (with ``lists="answers"``, a list of texts).
        - `prediction`, or a column for each system: the predicted text, null if nothing was predicted. In a
          broken document, fields without a gold value have the text "unreadable document", which makes them
          wrong.
        - `status`, or for each system a column that ends in ``_status``: `matched` (both have a value, or
          neither has), `missing` (nothing was predicted), `invented` (gold has no value), or `broken` (the
          predicted document is not a JSON object or list; a warning counts these).
        - With `model_confidence`, `confidence`, or for each of its systems a column that ends in
          ``_confidence``: the confidence of the predicted text, null where there is none.

        Rows are in the order of the documents and of gold, followed by invented fields. The items of each
        system are matched to gold independently. An item that a system invented has its own row, in which
        other systems have null.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If a column does not hold documents.
    DuplicateColumnError
        If a column of the result has the name of a kept column.
    ValueError
        If an id is null or occurs twice, a gold document is not a JSON object or list, a confidence is not a
        number, the systems of `model_confidence` differ from those of `prediction`, or a document is too
        large or nested too deeply.

    See Also
    --------
    anls_frame.report : with ``unanswerable="empty"``, a field without a value is right where nothing was
        predicted.

    Notes
    -----
    Numbers become text as written in the JSON text; ``true`` and ``false`` become the texts "true" and
    "false". Numbers of a Struct or dict are written as JSON. Normalize amounts and dates with expressions,
    before or after.

    The similarity of two items is the mean NLS of the fields found in either item; the texts of a list within
    an item are first sorted and joined. Items with a similarity of 0 are not paired. If several assignments
    have the same sum, items keep their order as far as possible.

    If gold has a list where the prediction has an object, or vice versa, their fields have different names,
    so the gold fields are missing and the predicted fields are invented.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> gold = '{"total": 12.50, "items": [{"name": "tea", "price": 3.10}, {"name": "milk", "price": 9.40}]}'
    >>> read = '{"total": 12.5, "items": [{"name": "mi1k", "price": 9.40}], "currency": "EUR"}'
    >>> documents = pl.DataFrame({"page": ["p1"], "gold": [gold], "model": [read]})
    >>> rows = af.fields(documents, "model", "gold", id="page")
    >>> rows.drop("page")
    shape: (6, 5)
    ┌───────────────┬──────┬─────────┬────────────┬──────────┐
    │ field         ┆ item ┆ answers ┆ prediction ┆ status   │
    │ ---           ┆ ---  ┆ ---     ┆ ---        ┆ ---      │
    │ str           ┆ i64  ┆ str     ┆ str        ┆ enum     │
    ╞═══════════════╪══════╪═════════╪════════════╪══════════╡
    │ total         ┆ null ┆ 12.50   ┆ 12.5       ┆ matched  │
    │ items[].name  ┆ 1    ┆ tea     ┆ null       ┆ missing  │
    │ items[].price ┆ 1    ┆ 3.10    ┆ null       ┆ missing  │
    │ items[].name  ┆ 2    ┆ milk    ┆ mi1k       ┆ matched  │
    │ items[].price ┆ 2    ┆ 9.40    ┆ 9.40       ┆ matched  │
    │ currency      ┆ null ┆ null    ┆ EUR        ┆ invented │
    └───────────────┴──────┴─────────┴────────────┴──────────┘
    """
    systems, starts, sure = _columns_of_systems(prediction, model_confidence)
    reader = _DocumentReader(
        match=string("match", match, '"best", "order" or a key of the items'),
        answers_in_lists=choice("lists", lists, ("items", "answers")) == "answers",
        absent=frozenset(_texts("absent", absent)),
    )
    statuses = {system: f"{starts[system]}{_STATUS}" for system in systems}
    schema: dict[str, Any] = {
        _FIELD: pl.String,
        _ITEM: pl.Int64,
        _ANSWERS: pl.List(pl.String) if reader.answers_in_lists else pl.String,
        **dict.fromkeys(systems, pl.String),
        **dict.fromkeys(statuses.values(), pl.Boolean),
        **{f"{starts[system]}{_CONFIDENCE}": pl.Float64 for system in sure},
    }
    frame = in_memory(frame)
    kept = _kept(frame, {answers, *systems.values(), *sure.values()}, [*schema, _STATUS])
    ids = _ids(in_polars(frame, [id]).lazy().collect(), id)
    gold = _documents(frame, answers)
    predicted = {system: _documents(frame, column) for system, column in systems.items()}
    confidences = {system: _documents(frame, column) for system, column in sure.items()}
    columns: dict[str, list[Any]] = {name: [] for name in schema}
    documents: list[int] = []
    broken: dict[str, list[str]] = {system: [] for system in systems}
    for number, name in enumerate(ids):
        if gold[number] is None:
            continue
        texts: dict[str, dict[_Way, Any]] = {}
        reasons: dict[str, str] = {}
        try:
            right = reader.read(gold[number], "the right document")
            texts[_ANSWERS] = {way: reader.answer(text) for way, text, _ in reader.leaves(right, right)}
            for system in systems:
                document = None
                try:
                    document = reader.read(predicted[system][number])
                except ValueError as error:
                    reasons[system] = str(error)
                own = confidences[system][number] if system in sure else None
                own = _parsed(own, f"the confidences of {system!r}")
                leaves = [leaf for leaf in reader.leaves(document, right, own, system) if leaf[1] is not None]
                texts[system] = {way: text for way, text, _ in leaves}
                if system in sure:
                    known = {way: _confidence(one, way[0]) for way, _, one in leaves if one is not None}
                    texts[f"{starts[system]}{_CONFIDENCE}"] = known
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
            raise ValueError(f"document {name!r}: {reason}") from None
        ways = list(dict.fromkeys(itertools.chain(texts[_ANSWERS], *(texts[system] for system in systems))))
        if len(ways) > _MOST_FIELDS:
            raise ValueError(
                f"document {name!r} has {numbered(len(ways), 'field')}, more than {_MOST_FIELDS:,}: split it"
            )
        # Without a gold value, no text would be right.
        texts |= {
            system: {way: _UNREADABLE for way in ways if texts[_ANSWERS].get(way) is None}
            for system in reasons
        }
        documents += [number] * len(ways)
        columns[_FIELD] += [field for field, _ in ways]
        columns[_ITEM] += _numbers(ways)
        for column, found in texts.items():
            columns[column] += map(found.get, ways)
        for system, status in statuses.items():
            columns[status] += [system in reasons] * len(ways)
            broken[system] += [f"{name!r}: {reasons[system]}"] if system in reasons else []
    _warn(sum(document is None for document in gold), broken)
    table = pl.DataFrame(columns, schema=schema).with_columns(map(_status, systems, statuses.values()))
    return attach(frame[kept], pl.Series(documents, dtype=pl.UInt32), table)


@table_of_frame
@takes_names
def documents(
    frame: Any,
    prediction: str | Mapping[str, str],
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
        Name of the column with the predicted texts, or a mapping from the names of several systems to their
        columns.
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
        Name of the column with the confidences of fields, or a mapping from the names of systems to their
        columns.

    Returns
    -------
    DataFrame
        A row for each document, in their order, with the columns `id` and `keep`, `n_fields`, then `n_wrong`
        and `all_right`; for several systems, ``NAME_n_wrong`` and ``NAME_all_right`` for each. A field
        without a gold value is right if nothing was predicted. A document without any required field has no
        wrong fields. A broken document is never all right. With `model_confidence`, `confidence` or
        ``NAME_confidence`` is the lowest confidence of the required fields, null if none has a confidence.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
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
    systems, starts, sure = _columns_of_systems(prediction, model_confidence)
    keep = list(check_keep(keep))
    frame = at_hand(frame)
    available = column_names(frame)
    statuses = {
        system: name
        for system, column in systems.items()
        for name in (_STATUS, f"{column}_{_STATUS}")
        if name in available
    }
    others = [id, _FIELD, *keep, *sure.values(), *statuses.values()]
    rows = to_lazy(frame, [*systems.values(), answers], others)
    is_required = pl.col(_FIELD).is_not_null()
    if required is not None:
        names = list(_texts("required", required))
        known = set(rows.select(pl.col(_FIELD).unique()).collect().to_series())
        unknown = [name for name in names if name not in known]
        if unknown:
            fields_of_all = listed(map(quoted, sorted(known)), _SHOWN_FIELDS)
            raise ValueError(
                f"required: no document has the field {quoted(unknown[0])} among {fields_of_all}"
            )
        is_required = pl.col(_FIELD).is_in(names)
    figures = {"n_fields": is_required.sum().cast(pl.Int64)}
    for system, column in systems.items():
        is_wrong = is_required & ~exact_match(column, answers, protocol=protocol, missing="empty")
        status = cs.by_name(statuses[system]).cast(pl.String) if system in statuses else pl.lit("")
        figures[f"{starts[system]}n_wrong"] = is_wrong.sum().cast(pl.Int64)
        figures[f"{starts[system]}all_right"] = (is_wrong | (status == _BROKEN)).any().not_()
    for system, column in sure.items():
        figures[f"{starts[system]}{_CONFIDENCE}"] = cs.by_name(column).filter(is_required).min()
    whole = (
        with_unanswerable(rows, systems.values(), answers, "empty")
        .group_by(cs.by_name(id), maintain_order=True)
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
    return as_kind_of(frame, whole.select(cs.by_name(id, *keep), *figures))


def _texts(name: str, value: Sequence[str]) -> Sequence[str]:
    if isinstance(value, str) or not all(isinstance(text, str) for text in value):
        raise TypeError(f"{name} must be a list of strings, got {value!r}")
    return value


def _columns_of_systems(
    prediction: str | Mapping[str, str], model_confidence: str | Mapping[str, str] | None
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return for each system its column, the beginning of its new columns, and the column of confidences."""
    systems, sure = (
        {_PREDICTION: given} if isinstance(given, str) else dict(given)
        for given in (prediction, {} if model_confidence is None else model_confidence)
    )
    if not sure.keys() <= systems.keys():
        raise ValueError(
            "model_confidence must be a column for one system, and a mapping from the names of systems for "
            f"several, here of {list(systems)}, got {model_confidence!r}"
        )
    starts = {system: "" if isinstance(prediction, str) else f"{system}_" for system in systems}
    return systems, starts, sure


def _kept(frame: Any, documents: set[str], made: Sequence[str]) -> list[Any]:
    """Return the kept columns: all but the documents."""
    kept = [name for name in column_names(frame) if name not in documents]
    taken = [name for name in kept if name in made]
    if taken:
        columns = list(dict.fromkeys(made))
        raise DuplicateColumnError(
            f"the result has columns {columns}; rename the columns {taken} of the frame"
        )
    return kept


def _ids(frame: pl.DataFrame, column: str) -> list[Any]:
    ids = frame.get_column(column)
    if ids.null_count():
        raise ValueError(f"row {ids.is_null().arg_max()} has no id: column {column!r} is null there")
    if ids.is_duplicated().any():
        doubled = ids.filter(ids.is_duplicated())[0]
        raise ValueError(
            f"document {doubled!r} occurs twice in column {column!r}; pass a frame with one row per document"
        )
    return ids.to_list()


def _documents(frame: Any, column: str) -> list[Any]:
    """Return the values of a column: JSON texts, or objects and lists of Python."""
    if is_pandas(frame):
        in_polars(frame.iloc[:0], [column])
        values = frame[column].tolist()
        is_null = [not isinstance(value, str | dict | list) and value != value for value in values]  # noqa: PLR0124 - NaN
        return [None if null else value for null, value in zip(is_null, values, strict=True)]
    documents = in_polars(frame, [column]).lazy().select(pl.col(column)).collect().get_column(column)
    if documents.dtype.base_type() not in {pl.String, pl.Struct, pl.List, pl.Null}:
        raise DTypeError(
            f"fields are read from documents as JSON text, Struct or List, but column {column!r} has dtype "
            f"{documents.dtype}"
        )
    values = documents.to_list()
    # A Struct has the keys of all documents, so null may be a key that this document lacks.
    return values if documents.dtype == pl.String else [_without_nulls(value) for value in values]


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(entry) for key, entry in value.items() if entry is not None}
    return [_without_nulls(entry) for entry in value] if isinstance(value, list) else value


@dataclass(frozen=True, kw_only=True)
class _DocumentReader:
    """Conversion of a document into the texts of its fields, by the options."""

    match: str
    answers_in_lists: bool
    absent: frozenset[str]

    def read(self, document: Any, what: str = "") -> Any:
        """Return a document with the text of each value in its place, and null for absent values."""
        return self._with_texts(_parsed(document, what))

    def _with_texts(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._with_texts(entry) for key, entry in value.items()}
        if isinstance(value, list):
            return [self._with_texts(entry) for entry in value]
        if isinstance(value, str):
            return None if value in self.absent else value
        if value is None:
            return None
        return json.dumps(value) if isinstance(value, bool | int | float) else str(value)

    def answer(self, text: str | list[str] | None) -> str | list[str] | None:
        """Return the gold text or texts of a field as an answer; null where there is no value."""
        if self.answers_in_lists and isinstance(text, str):
            return [text]
        return None if text == [] else text

    def leaves(
        self, value: Any, gold: Any, sure: Any = None, system: str = "", way: _Way = ("", ())
    ) -> Iterator[tuple[_Way, Any, Any]]:
        """
        Yield the fields of a value that is paired with a gold value, which may be itself.

        Each field comes with its text, or the texts of a gold list of answers, and with its confidence.
        """
        name, items = way
        if isinstance(value, dict):
            partners = gold if isinstance(gold, dict) else {}
            for key, entry in value.items():
                below = _joined(name, key), items
                yield from self.leaves(entry, partners.get(key), _inside(sure, key), system, below)
        elif isinstance(value, list):
            is_answers = isinstance(gold, list) and self.is_answers(gold)
            if is_answers and value is gold:
                yield way, [text for text in value if text is not None], None
                return
            matched = self.matched(gold, value) if isinstance(gold, list) else {}
            inner = f"{name}[]"
            for number, entry in enumerate(value):
                partner = gold[matched[number]] if number in matched else None
                item: object = matched.get(number, (system, number))
                own = way if is_answers and number in matched else (inner, (*items, (inner, item)))
                yield from self.leaves(entry, partner, _inside(sure, number), system, own)
        else:
            yield way, value, sure

    def is_answers(self, value: list[Any]) -> bool:
        """Return whether the values of a list are the accepted answers of one field."""
        return self.answers_in_lists and not any(isinstance(entry, _NESTED) for entry in value)

    def matched(self, gold: list[Any], predicted: list[Any]) -> dict[int, int]:
        """Return the gold item that each predicted item is paired with, if any."""
        if self.is_answers(gold):
            # The row takes one of the predicted values, the most similar to any answer.
            similar = self._similarities(*([*map(_flat, items)] for items in (gold, predicted)))
            nearest = int(similar.max(axis=0).argmax()) if similar.size and similar.max() > 0 else None
            return {} if nearest is None else {nearest: 0}
        if gold is predicted or self.match == "order":
            return {number: number for number in range(min(len(gold), len(predicted)))}
        if self.match != "best":
            return self._with_equal_key(gold, predicted)
        texts, others = [*map(_flat, gold)], [*map(_flat, predicted)]
        if texts == others and all(texts):
            return {number: number for number in range(len(texts))}
        return _assigned(self._similarities(texts, others))

    def _with_equal_key(self, gold: list[Any], predicted: list[Any]) -> dict[int, int]:
        keys, others = (
            [item.get(self.match) if isinstance(item, dict) else None for item in items]
            for items in (gold, predicted)
        )
        waiting: dict[str, list[int]] = {}
        for number, key in enumerate(keys):
            if key is not None:
                waiting.setdefault(str(key), []).append(number)
        return {
            number: waiting[str(key)].pop(0)
            for number, key in enumerate(others)
            if key is not None and waiting.get(str(key))
        }

    @staticmethod
    def _similarities(
        gold: list[dict[object, str]], predicted: list[dict[object, str]]
    ) -> npt.NDArray[np.float64]:
        """Return the mean NLS of the fields found in either item, as gold items by predicted items."""
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - only for lists
        from rapidfuzz.process import cdist  # noqa: PLC0415 - only for lists

        if len(gold) * len(predicted) > _MOST_PAIRS:
            raise ValueError(
                f"lists of {len(gold):,} and {len(predicted):,} items are too long to be compared; pass "
                'match="order", or a key of the items'
            )
        ways = list(dict.fromkeys(itertools.chain(*gold, *predicted)))
        shape = len(gold), len(predicted)
        total, neither = np.zeros(shape), np.zeros(shape)
        for way in ways:
            rows, columns = ([item.get(way, "") for item in items] for items in (gold, predicted))
            total += cdist(rows, columns, scorer=Levenshtein.normalized_similarity, dtype=np.float64)
            if "" in rows and "" in columns:
                # Two empty texts are alike, but a field that neither item has counts for nothing.
                lacks, others_lack = (
                    np.array([way not in item for item in items]) for items in (gold, predicted)
                )
                neither += lacks[:, None] & others_lack
        return (total - neither) / np.maximum(len(ways) - neither, 1)


def _flat(item: Any) -> dict[object, str]:
    """Return the texts of an item; those of a list within it are sorted, as they are not paired yet."""
    if isinstance(item, dict):
        texts: dict[object, str] = {}
        for key, entry in item.items():
            if isinstance(entry, str):
                texts[key] = entry
            else:
                texts |= {(key, inner): text for inner, text in _flat(entry).items()}
        return texts
    if isinstance(item, list):
        gathered: dict[object, list[str]] = {}
        for entry in item:
            for inner, text in _flat(entry).items():
                gathered.setdefault(inner, []).append(text)
        return {inner: "\n".join(sorted(texts)) for inner, texts in gathered.items()}
    return {} if item is None else {(): item}


def _inside(sure: Any, key: str | int) -> Any:
    """Return the confidences under a key or number; a single number applies to all values there."""
    if isinstance(sure, dict):
        return sure.get(key)
    if isinstance(sure, list):
        return sure[key] if isinstance(key, int) and key < len(sure) else None
    return sure


def _confidence(value: Any, name: str) -> float:
    is_number = isinstance(value, int | float | strict_json.Number) and not isinstance(value, bool)
    if not is_number or not math.isfinite(float(value)):
        shown = value if isinstance(value, strict_json.Number) else repr(value)
        raise ValueError(f"the confidence of field {quoted(name)} must be a finite number, got {shown}")
    return float(value)


@functools.lru_cache(1 << 14)
def _joined(name: str, key: str) -> str:
    """Return the name of a key within a named value."""
    is_plain = key and not set(key) & set('.[]"')
    key = key if is_plain else json.dumps(key, ensure_ascii=False)
    return f"{name}.{key}" if name else key


def _assigned(similar: npt.NDArray[np.float64]) -> dict[int, int]:
    """Return the rows that columns are assigned to with the largest sum, without pairs of similarity 0."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - only for lists

    if not similar.size:
        return {}
    items, others = linear_sum_assignment(similar - _TIE * _disorder(*similar.shape), maximize=True)
    is_similar = similar[items, others] > 0
    return dict(zip(others[is_similar].tolist(), items[is_similar].tolist(), strict=True))


@functools.lru_cache(64)
def _disorder(n_gold: int, n_predicted: int) -> npt.NDArray[np.float64]:
    """
    Return how far each pair of items is from keeping their order, below 1.

    Among equal sums, items keep their order as far as possible, and the first items are matched.
    """
    rows, columns = np.ogrid[:n_gold, :n_predicted]
    size = max(n_gold, n_predicted)
    return np.asarray((np.abs(rows - columns) + rows / size) / size**2)


def _parsed(document: Any, what: str = "") -> Any:
    """Return a document as objects and lists; null is a document without fields."""
    try:
        if isinstance(document, str):
            document = strict_json.parse(document)
        if not isinstance(document, dict | list | None):
            raise ValueError(f"a document must be a JSON object or list, not {strict_json.kind(document)}")  # noqa: TRY004, TRY301 - a wrong value
    except ValueError as error:
        raise ValueError(f"{what}: {error}" if what else error) from None
    return document


def _warn(unlabelled: int, broken: Mapping[str, list[str]]) -> None:
    """Warn of documents without gold, and of invalid predicted documents."""
    if unlabelled:
        warn(f"{numbered(unlabelled, 'document')} without gold (null) left out")
    for system, reasons in broken.items():
        if reasons:
            warn(
                f"{numbered(len(reasons), 'document')} of {system!r} cannot be read, so all their fields "
                f"count as wrong (status 'broken'), such as {reasons[0]}"
            )


def _numbers(ways: list[_Way]) -> list[int | None]:
    """Return the number of the item in the innermost list of each path, counted from 1 over all its lists."""
    counts: collections.Counter[str] = collections.Counter()
    known: dict[_Items, int | None] = {(): None}
    for _, items in ways:
        if items not in known:
            name = items[-1][0]
            counts[name] += 1
            known[items] = counts[name]
    return [known[items] for _, items in ways]


def _status(system: str, is_broken: str) -> pl.Expr:
    """Return the status of each row of a system, from the column that says whether its document is broken."""
    has_gold, has_text = pl.col(_ANSWERS).is_not_null(), cs.by_name(system).is_not_null()
    status = (
        pl.when(cs.by_name(is_broken))
        .then(pl.lit(_BROKEN))
        .when(has_gold & ~has_text)
        .then(pl.lit("missing"))
        .when(has_text & ~has_gold)
        .then(pl.lit("invented"))
        .otherwise(pl.lit("matched"))
    )
    return status.cast(pl.Enum(STATUSES)).alias(is_broken)
