"""Fields of JSON documents, gold and predicted, as a row for each field."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice, string, strings, takes_names
from anls_frame._messages import Message, Parameter
from anls_frame._text import listed, numbered, quoted
from anls_frame._typing import OfPandas_co, OfPolars_co, OnFrames, Options, table_of_frame
from anls_frame.analysis.fields import kinds as kinds_of_values
from anls_frame.analysis.fields.cells import Reader
from anls_frame.analysis.fields.kinds import Kind, Kinds
from anls_frame.analysis.fields.reading import NO_FIELD, FieldPath, GoldColumn, Items, PredictedColumn, Shape
from anls_frame.exceptions import ColumnNotFoundError, DuplicateColumnError, warn
from anls_frame.frames import origins
from anls_frame.frames.checks import no_column
from anls_frame.frames.conversion import attach, column_names, in_memory, in_polars
from anls_frame.frames.field_rows import BROKEN, STATUSES
from anls_frame.frames.reserved_columns import ANSWERS, CONFIDENCE, FIELD, ITEM, NULL_IN_GOLD, STATUS
from anls_frame.summary.keys import check_own_names
from anls_frame.summary.systems import columns_of_systems

_SHOWN_NAMES = 10


class _WithKinds(OnFrames[Options, OfPandas_co, OfPolars_co], Protocol):
    """The function `fields`, with the functions that describe kinds of values."""

    @staticmethod
    def number(*, decimal: Literal[".", ","] = ".") -> Kind: ...
    @staticmethod
    def date(*formats: str) -> Kind: ...


def _with_kinds(
    function: OnFrames[Options, OfPandas_co, OfPolars_co],
) -> _WithKinds[Options, OfPandas_co, OfPolars_co]:
    """Let `fields.number` and `fields.date` describe kinds of values."""
    named: Any = function
    named.number, named.date = kinds_of_values.number, kinds_of_values.date
    described: _WithKinds[Options, OfPandas_co, OfPolars_co] = named
    return described


@_with_kinds
@table_of_frame
@takes_names
def fields(
    frame: Any,
    prediction: str | Mapping[str, str] | Sequence[str],
    answers: str,
    *,
    id: str,  # noqa: A002 - what users call it
    match: str = "best",
    lists: Literal["items", "answers"] = "items",
    absent: Sequence[str] = ("",),
    kinds: Mapping[str, Kind | Literal["code"]] | None = None,
    model_confidence: str | Mapping[str, str] | None = None,
    nulls: Literal["drop", "keep"] = "drop",
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
        Name of the column with the predicted documents, or of several systems a list of columns, or a
        mapping from their names to columns. A document is JSON text (also in a list of one), a Struct or,
        in pandas, a dict or list; null if nothing was predicted.
    answers
        Name of the column with the gold documents, of the same kinds. Documents without gold (null) are left
        out, with a warning.
    id
        Name of the column that identifies a document.
    match
        How the items of a predicted list are paired with those of the gold list: `"best"` finds the
        assignment with the largest sum of similarities, `"order"` pairs items by position, and any other text
        is a key whose equal values pair items. A list in which no item has this key is paired as by `"best"`.
    lists
        How lists of values are treated: `"items"` makes a row of each value; `"answers"` makes one row of a
        gold list, in which each value is an accepted answer.
    absent
        Texts that mean "no value", as null does.
    kinds
        Kinds of values by the names of fields, in which ``*`` matches any text: ``fields.number()``,
        ``fields.date("%d.%m.%Y")`` or ``"code"`` (letters and digits, without regard to case and
        separators). A predicted value that equals the gold value in its kind gets the text of gold, so it is
        right in every score. Values that fit no format are compared as text, and a warning counts them. The
        first pattern that matches counts.
    model_confidence
        Name of the column with the model's confidences, or a mapping from the names of systems to their
        columns. Confidences have the shape of the predicted documents, with numbers in place of their values
        (a number in place of an object or a list applies to all its values); or they name fields, as in
        ``{"seller.name": 0.9, "items[0].price": 0.8}`` or ``[{"field": "seller.name", "confidence": 0.9}]``.
        If documents hold them with their values, as in ``{"total": {"value": "5", "confidence": 0.9}}``,
        name the column of the predicted documents again.
    nulls
        `"keep"` also makes a row of each key that gold names with null (or a text of `absent`) where nothing
        was predicted. Only the score `fabrication_rate` counts these rows. A Struct names every key in every
        document, JSON text only those that it writes.

    Returns
    -------
    DataFrame
        The columns of the frame without the documents, then:

        - `field`: the keys from the root of the document, joined by dots, with ``[]`` after those of lists,
          such as ``items[].price``. Keys that contain a dot, a bracket or a quotation mark are in quotes.
          Null in the only row of a document in which neither gold nor a system has a value.
        - `item`: number of the item in the innermost list, counted from 1 over all lists of the field; null
          outside of lists. Invented items follow the gold items.
        - `answers`: the gold text, null if there is no value (with ``lists="answers"``, a list of texts).
        - With ``nulls="keep"``, `null_in_gold`: whether gold names the key with null.
        - `prediction`, or a column for each system: the predicted text, null if nothing was predicted. A
          broken document whose gold has no value has the text "unreadable document", which makes it wrong.
        - `status`, or for each system a column that ends in ``_status``: `matched` (both have a value),
          `missing` (nothing was predicted), `invented` (gold has no value), or `broken` (the predicted
          document cannot be read, or is too large to be compared; a warning counts these). Null where neither
          gold nor the system has a value: such a row is a field of other systems only, and counts for none of
          this system's scores with ``metrics="fields"``.
        - With `model_confidence`, `confidence`, or for each of its systems a column that ends in
          ``_confidence``: the confidence of the predicted text, null where there is none.

        Rows are in the order of the documents and of gold, followed by invented fields and by keys with null
        for which nothing was predicted. The items of each system are matched to gold independently. An item
        that a system invented has its own row, in which other systems have null.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If a column does not hold documents, or a value in a document is of a type that has no text, such as
        bytes or a set; the message names column, document and key.
    DuplicateColumnError
        If a column of the result has the name of a kept column or of another one.
    ValueError
        If an id is null or occurs twice, a gold document is not a JSON object or list, too large or nested
        too deeply, a confidence is not a number, or the systems of `model_confidence` differ from those of
        `prediction`.

    Warns
    -----
    InputWarning
        If documents are left out or broken, confidences fit no field, gold and prediction name fields
        differently (by case, separators, lists, or keys around all of them), values of `kinds` fit no
        format, or values without a kind are numbers of gold in other digits, as 12.5 is 12.50.

    See Also
    --------
    anls_frame.documents : a row for each document, with whether all its fields are right.
    anls_frame.report : with ``metrics="fields"``, precision, recall and F1 of fields.

    Notes
    -----
    A value is null if it is null, NaN, NaT or pandas' NA, and so is a key that a document lacks: JSON text,
    Structs, dicts and Parquet files give the same rows. Numbers become text as written in the JSON text;
    ``true`` and ``false`` become the texts "true" and "false". Numbers of a Struct or dict are written as
    JSON, and dates as in ISO 8601.

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
    >>> read = '{"total": 12.50, "items": [{"name": "mi1k", "price": 9.40}], "currency": "EUR"}'
    >>> documents = pl.DataFrame({"page": ["p1"], "gold": [gold], "model": [read]})
    >>> rows = af.fields(documents, "model", "gold", id="page")
    >>> rows.drop("page")
    shape: (6, 5)
    ┌───────────────┬──────┬─────────┬────────────┬──────────┐
    │ field         ┆ item ┆ answers ┆ prediction ┆ status   │
    │ ---           ┆ ---  ┆ ---     ┆ ---        ┆ ---      │
    │ str           ┆ i64  ┆ str     ┆ str        ┆ enum     │
    ╞═══════════════╪══════╪═════════╪════════════╪══════════╡
    │ total         ┆ null ┆ 12.50   ┆ 12.50      ┆ matched  │
    │ items[].name  ┆ 1    ┆ tea     ┆ null       ┆ missing  │
    │ items[].price ┆ 1    ┆ 3.10    ┆ null       ┆ missing  │
    │ items[].name  ┆ 2    ┆ milk    ┆ mi1k       ┆ matched  │
    │ items[].price ┆ 2    ┆ 9.40    ┆ 9.40       ┆ matched  │
    │ currency      ┆ null ┆ null    ┆ EUR        ┆ invented │
    └───────────────┴──────┴─────────┴────────────┴──────────┘
    """
    systems, starts, sure = columns_of_systems(prediction, model_confidence)
    shape = Shape(
        match=string("match", match, '"best", "order" or a key of the items'),
        answers_in_lists=choice("lists", lists, ("items", "answers")) == "answers",
        absent=frozenset(strings("absent", absent)),
        kinds=Kinds(kinds),
    )
    statuses = {system: f"{starts[system]}{STATUS}" for system in systems}
    sure_columns = {system: f"{starts[system]}{CONFIDENCE}" for system in sure}
    schema: dict[str, Any] = {
        FIELD: pl.String,
        ITEM: pl.Int64,
        ANSWERS: pl.List(pl.String) if shape.answers_in_lists else pl.String,
        **({NULL_IN_GOLD: pl.Boolean} if choice("nulls", nulls, ("drop", "keep")) == "keep" else {}),
    }
    made = [
        *((system, pl.String) for system in systems),
        *((name, pl.Boolean) for name in statuses.values()),
        *((name, pl.Float64) for name in sure_columns.values()),
    ]
    for name, dtype in made:
        if name in schema:
            raise DuplicateColumnError(
                f"the result would have two columns {name!r}: give the systems {list(systems)} names other "
                f"than those of the columns {list(schema)}"
            )
        schema[name] = dtype
    known = origins.of_rows(frame)
    frame = in_memory(frame)
    read, confidences = systems.values(), sure.values()
    _check_named(
        frame, {"id": [id], "prediction": read, "answers": [answers], "model_confidence": confidences}
    )
    readers = {column: Reader(frame, column) for column in dict.fromkeys((answers, *read, *confidences))}
    kept = [name for name in column_names(frame) if name not in readers]
    check_own_names(kept, [*schema, STATUS])
    gold_documents = GoldColumn(shape, readers[answers])
    predicted = {
        system: PredictedColumn(shape, readers, column, system, sure.get(system))
        for system, column in systems.items()
    }
    columns: dict[str, list[Any]] = {name: [] for name in schema}
    numbers: list[int] = []
    unlabelled = 0
    for row, name in enumerate(_ids(in_polars(frame, [id]).lazy().collect(), id)):
        gold = gold_documents.read(row, name)
        if gold is None:
            unlabelled += 1
            continue
        found = {system: one.read(row, name, gold) for system, one in predicted.items()}
        paths = list(dict.fromkeys(itertools.chain(gold.texts, *(one.texts for one in found.values()))))
        if NULL_IN_GOLD in schema:
            marked = gold.with_nulls(paths) or {NO_FIELD: False}
            paths = list(marked)
            columns[NULL_IN_GOLD] += marked.values()
        paths = paths or [NO_FIELD]
        numbers += [row] * len(paths)
        columns[FIELD] += [name or None for name, _ in paths]
        columns[ITEM] += _numbers(paths)
        columns[ANSWERS] += map(gold.texts.get, paths)
        for system, one in found.items():
            columns[system] += map(one.texts.get, paths)
            columns[statuses[system]] += [one.is_broken] * len(paths)
            if system in sure:
                columns[sure_columns[system]] += map(one.confidences.get, paths)
    if unlabelled:
        before = known["left_out"]
        known["left_out"] = before | {origins.NO_GOLD: before.get(origins.NO_GOLD, 0) + unlabelled}
        warn(f"{numbered(unlabelled, 'document')} without gold (null) left out")
    gold_documents.warn_of_halves()
    for documents in predicted.values():
        documents.warn(gold_documents.names)
    _warn_of_kinds(shape.kinds, gold_documents, predicted.values())
    table = pl.DataFrame(columns, schema=schema).with_columns(map(_status, systems, statuses.values()))
    rows = attach(frame[kept], pl.Series(numbers, dtype=pl.UInt32), table)
    return origins.remember(rows, **known)


def _check_named(frame: Any, named: Mapping[str, Iterable[str]]) -> None:
    """Raise an error that says which option names a column, unless the frame has it."""
    known = column_names(frame)
    missing = []
    for option, columns in named.items():
        unknown = [name for name in columns if string(option, name, "the name of a column") not in known]
        missing += [Message(Parameter(option), ": ", no_column(name, known)) for name in unknown]
    if missing:
        raise ColumnNotFoundError(Message.joined("\n", missing))


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


def _warn_of_kinds(kinds: Kinds, gold: GoldColumn, predicted: Iterable[PredictedColumn]) -> None:
    """Warn of texts that fit no format of their kind, and of patterns that no field matched."""
    named: dict[str, GoldColumn | PredictedColumn] = {f"column {gold.column!r}": gold}
    named |= {f"{one.system!r}": one for one in predicted}
    for name, documents in named.items():
        if documents.n_unread:
            warn(
                Parameter("kinds"),
                f": no format fits {numbered(documents.n_unread, 'value')} of {name}, compared as text, "
                f"such as {documents.first_unread}; give the format in which they are written "
                "(numbers of JSON and ISO dates need none)",
            )
    if kinds.unmatched:
        warn(
            Parameter("kinds"),
            f": no field matches {listed(map(quoted, kinds.unmatched))}; gold has the fields "
            f"{listed(map(quoted, gold.names), _SHOWN_NAMES)}",
        )


def _numbers(paths: list[FieldPath]) -> list[int | None]:
    """Return the number of the item in the innermost list of each path, counted from 1 over all its lists."""
    counts: collections.Counter[str] = collections.Counter()
    known: dict[Items, int | None] = {(): None}
    for _, items in paths:
        if items not in known:
            name = items[-1][0]
            counts[name] += 1
            known[items] = counts[name]
    return [known[items] for _, items in paths]


def _status(system: str, is_broken: str) -> pl.Expr:
    """Return the status of each row of a system, from the column that says whether its document is broken."""
    has_gold, has_text = pl.col(ANSWERS).is_not_null(), cs.by_name(system).is_not_null()
    status = (
        pl.when(cs.by_name(is_broken) & (has_gold | has_text))
        .then(pl.lit(BROKEN))
        .when(has_gold & has_text)
        .then(pl.lit("matched"))
        .when(has_gold)
        .then(pl.lit("missing"))
        .when(has_text)
        .then(pl.lit("invented"))
    )
    return status.cast(pl.Enum(STATUSES)).alias(is_broken)
