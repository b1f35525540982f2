"""Gold and predicted documents, read into the texts of their fields."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeAlias

from anls_frame._messages import Option, Parameter
from anls_frame._text import listed, numbered, quoted
from anls_frame.analysis.fields import confidences as layouts
from anls_frame.analysis.fields.cells import Reader, name_of
from anls_frame.analysis.fields.items import Pairing, TooLongError
from anls_frame.analysis.fields.kinds import Kinds
from anls_frame.exceptions import warn
from anls_frame.frames.usual_names import plain_name

_MOST_FIELDS = 100_000
"""Maximum number of fields of a document."""

_SHOWN_NAMES = 5
_LOOKED_AT = 10
_WITHIN = r"r'(?s)([\[{].*[\]}])'"
"""Pattern of an object or list within other text, as it is written in code; it matches all of valid JSON."""
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,30})(\.(?![0-9]{3}$)[0-9]{1,30})?")
"""A number as JSON writes it: codes may begin with 0, and a point before three digits may group them."""
UNREADABLE = "unreadable document"

Items: TypeAlias = tuple[tuple[str, object], ...]
"""
The items of lists that a field is in, outermost first: the name of the list, and the number of an item of
gold, or a system and the number of an item that the system invented.
"""

FieldPath: TypeAlias = tuple[str, Items]
"""The path from the root of a document to a field: the name of the field, and the items that it is in."""

NO_FIELD: FieldPath = ("", ())
"""The row of a document without fields."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The options by which a document becomes texts of fields."""

    match: str
    answers_in_lists: bool
    absent: frozenset[str]
    kinds: Kinds

    def pairing(self) -> Pairing:
        """Return what pairs the items of a document."""
        return Pairing(self.match, self.kinds.form)

    def with_texts(self, value: Any) -> Any:
        """Return a document with the text of each value in its place, and null for absent values."""
        if isinstance(value, dict):
            return {key: self.with_texts(entry) for key, entry in value.items()}
        if isinstance(value, list):
            return [self.with_texts(entry) for entry in value]
        if isinstance(value, bool):
            return "true" if value else "false"
        return None if value in self.absent else value

    def leaves(  # noqa: PLR0917 - it calls itself with all of them
        self,
        value: Any,
        gold: Any,
        pairing: Pairing,
        sure: Any = None,
        system: str = "",
        path: FieldPath = NO_FIELD,
    ) -> Iterator[tuple[FieldPath, Any, Any]]:
        """
        Yield the fields of a value that is paired with a gold value, which may be itself.

        Each field comes with its text, or the texts of a gold list of answers, and with its confidence.
        """
        name, items = path
        if isinstance(value, dict):
            partners = gold if isinstance(gold, dict) else {}
            for key, entry in value.items():
                below, own = (name_of(name, key), items), layouts.inside(sure, key)
                yield from self.leaves(entry, partners.get(key), pairing, own, system, below)
        elif isinstance(value, list):
            is_answers = isinstance(gold, list) and self._is_answers(gold)
            if is_answers and value is gold:
                yield path, [text for text in value if text is not None] or None, None
                return
            inner = f"{name}[]"
            matched = self._matched(gold, value, pairing, inner) if isinstance(gold, list) else {}
            for number, entry in enumerate(value):
                partner = gold[matched[number]] if number in matched else None
                item: object = matched.get(number, (system, number))
                own_path = path if is_answers and number in matched else (inner, (*items, (inner, item)))
                own = layouts.inside(sure, number)
                yield from self.leaves(entry, partner, pairing, own, system, own_path)
        else:
            yield path, value, sure

    def _is_answers(self, values: list[Any]) -> bool:
        """Return whether the values of a list are the accepted answers of one field."""
        return self.answers_in_lists and not any(isinstance(entry, dict | list) for entry in values)

    def _matched(self, gold: list[Any], value: list[Any], pairing: Pairing, name: str) -> dict[int, int]:
        if not self._is_answers(gold):
            return pairing.matched(gold, value, name)
        # The row takes one of the predicted values, the most similar to any answer.
        nearest = pairing.nearest(gold, value, name)
        return {} if nearest is None else {nearest: 0}


@dataclass
class GoldDocument:
    """A gold document: its values, and the text of each field, or the texts that are its answers."""

    column: str
    document: Any
    texts: dict[FieldPath, Any]
    nulls: dict[FieldPath, None]
    """The keys with null."""
    of_kinds: dict[FieldPath, list[tuple[str, Any]]]
    """The texts of fields of some kind that fit its formats, each with its value."""

    def with_nulls(self, paths: list[FieldPath]) -> dict[FieldPath, bool]:
        """
        Return these fields and those that gold names with null, each with whether gold does so.

        An object predicted for such a key has several fields, which take its place.
        """
        nulls = {path: next(filter(self.nulls.__contains__, _keys_above(path)), None) for path in paths}
        others = self.nulls.keys() - nulls.values()
        marked = {path: null is not None for path, null in nulls.items()}
        return marked | {path: True for path in self.nulls if path in others}


@dataclass
class PredictedDocument:
    """A predicted document: the texts of its fields, with their confidences as far as known."""

    texts: dict[FieldPath, str]
    confidences: dict[FieldPath, float] = field(default_factory=dict)
    is_broken: bool = False


class _DocumentColumn:
    """The documents of a column, with what their reader has to say about them."""

    def __init__(self, shape: Shape, reader: Reader) -> None:
        self.column = reader.column
        self.names: dict[str, None] = {}
        """The names of fields with a value, in their order."""
        self.n_unread = 0
        """Number of texts that fit no format of the kind of their field."""
        self.first_unread = ""
        """The first of them, with its place."""
        self._shape, self._reader = shape, reader

    def _checked(self, texts: dict[FieldPath, Any]) -> dict[FieldPath, Any]:
        if len(texts) > _MOST_FIELDS:
            raise ValueError(f"it has {numbered(len(texts), 'field')}, more than {_MOST_FIELDS:,}: split it")
        return texts

    def _of_kind(self, path: FieldPath, text: str, document: object) -> Any:
        """Return the value of a text in a field of some kind, None if it fits no format."""
        name, _ = path
        kind = self._shape.kinds.of(name)
        value = None if kind is None else kind.read(text)
        if kind is not None and value is None:
            self.n_unread += 1
            if self.n_unread == 1:
                self.first_unread = f"{quoted(str(text))} in field {quoted(name)} of document {document!r}"
        return value

    def warn_of_halves(self) -> None:
        """Warn of halves of characters."""
        if self._reader.halves:
            documents = numbered(len(self._reader.halves), "document")
            warn(
                f"{documents} in column {self.column!r} with lone surrogates read as U+FFFD, such as "
                f"{self._reader.halves[0]!r}; was a text cut within a character?"
            )


class GoldColumn(_DocumentColumn):
    """The gold documents."""

    def read(self, row: int, document: object) -> GoldDocument | None:
        """Return a document, None where there is none."""
        try:
            value = self._shape.with_texts(self._reader.read(row, document))
            if value is None:
                return None
            leaves = self._shape.leaves(value, value, self._shape.pairing())
            values = {path: text for path, text, _ in leaves}
            texts = self._checked({path: text for path, text in values.items() if text is not None})
        except ValueError as error:
            raise self._reader.error(error) from None
        if self._shape.answers_in_lists:
            texts = {path: [text] if isinstance(text, str) else text for path, text in texts.items()}
        of_kinds = {}
        for path, answers in texts.items():
            every = [answers] if isinstance(answers, str) else answers
            read = [(text, self._of_kind(path, text, document)) for text in every]
            of_kinds[path] = [(text, value) for text, value in read if value is not None]
        self.names |= dict.fromkeys(name for name, _ in texts)
        # An entry of a list has no key.
        nulls = {path: None for path in values if path not in texts and not path[0].endswith("[]")}
        return GoldDocument(self.column, value, texts, nulls, of_kinds)


class PredictedColumn(_DocumentColumn):
    """
    The documents that a system predicted.

    Parameters
    ----------
    shape
        As for gold.
    readers
        The readers of all columns.
    column, system
        The column of the documents, and the name of the system.
    sure
        The column of its confidences; the same column if documents hold their confidences.
    """

    def __init__(
        self, shape: Shape, readers: Mapping[str, Reader], column: str, system: str, sure: str | None
    ) -> None:
        super().__init__(shape, readers[column])
        self.system = system
        self._sure = None if sure is None else readers[sure]
        self._beside = layouts.Beside()
        self._broken: list[str] = []
        self._n_within_text = 0
        self._unused: list[object] = []
        self._unfit: list[object] = []
        self._other_digits: list[tuple[str, str, str, object]] = []
        self._other_names: list[tuple[object, str, str]] = []

    def read(self, row: int, document: object, gold: GoldDocument) -> PredictedDocument:
        """Return the texts of a document, whose items are paired with those of gold."""
        try:
            value = self._shape.with_texts(self._reader.read(row, document))
        except ValueError as error:
            self._n_within_text += _is_within_text(self._reader.cells[row])
            return self._unreadable(document, gold, error)
        value, sure = self._without_confidences(value, gold, document)
        if self._sure is not None and self._sure is not self._reader:
            try:
                sure = layouts.in_shape(self._sure.read(row, document), value)
            except ValueError as error:
                raise self._sure.error(error) from None
        pairing = self._shape.pairing()
        try:
            leaves = [
                leaf
                for leaf in self._shape.leaves(value, gold.document, pairing, sure, self.system)
                if leaf[1] is not None
            ]
            texts = self._checked({path: text for path, text, _ in leaves})
        except ValueError as error:
            if isinstance(error, TooLongError) and error.is_of_gold:
                raise ValueError(f"column {gold.column!r}, document {document!r}: {error}") from None
            return self._unreadable(document, gold, error)
        self.names |= dict.fromkeys(name for name, _ in texts)
        self._other_names += [(document, *names) for names in _otherwise_named(texts, gold.texts)][:1]
        known = {} if self._sure is None else self._confidences(self._sure, leaves, sure, document)
        return PredictedDocument(
            {path: self._as_gold(path, text, gold, document) for path, text in texts.items()}, known
        )

    def _unreadable(self, document: object, gold: GoldDocument, reason: Exception) -> PredictedDocument:
        """Return a document that is wrong in all its fields; if it has none, in a row of its own."""
        self._broken.append(f"{document!r}: {reason}")
        return PredictedDocument({} if gold.texts else {NO_FIELD: UNREADABLE}, is_broken=True)

    def _without_confidences(self, value: Any, gold: GoldDocument, document: object) -> tuple[Any, Any]:
        before = self._beside.n
        taken = self._beside.taken(value, {*layouts.objects(gold.document)})
        if self._beside.n > before and self._sure is not self._reader:
            self._unused.append(document)
        return taken

    def _confidences(
        self, reader: Reader, leaves: list[tuple[FieldPath, Any, Any]], sure: Any, document: object
    ) -> dict[FieldPath, float]:
        try:
            every = {path: layouts.number_of(own, path[0]) for path, _, own in leaves}
        except ValueError as error:
            raise reader.error(error) from None
        known = {path: number for path, number in every.items() if number is not None}
        if leaves and not known and layouts.has_numbers(sure):
            self._unfit.append(document)
        return known

    def _as_gold(self, path: FieldPath, text: str, gold: GoldDocument, document: object) -> str:
        """Return a text as gold writes it, if both are the same value of their kind."""
        kind = self._shape.kinds.of(path[0])
        if kind is None:
            answers = gold.texts.get(path, ())
            same = _in_other_digits(text, [answers] if isinstance(answers, str) else answers)
            if same is not None:
                self._other_digits.append((text, same, path[0], document))
            return text
        value = self._of_kind(path, text, document)
        if value is None:
            return text
        others = gold.of_kinds.get(path, [])
        return next((same for same, other in others if kind.are_equal(value, other)), text)

    def warn(self, gold_names: Mapping[str, None]) -> None:
        """Warn of documents that cannot be read, and of confidences and values in other places."""
        self.warn_of_halves()
        if self._broken:
            warn(
                f"{numbered(len(self._broken), 'document')} of {self.system!r} cannot be read, so all their "
                f"fields count as wrong (status 'broken'), such as {self._broken[0]}"
            )
        if self._n_within_text:
            documents = numbered(self._n_within_text, "document")
            warn(
                f"{documents} of {self.system!r} may be JSON within other text, such as a code fence; take "
                f"it out, in Polars with `.str.extract({_WITHIN})`, in pandas with `.str.extract({_WITHIN}, "
                "expand=False)`"
            )
        if self._other_names:
            document, name, other = self._other_names[0]
            warn(
                f"{numbered(len(self._other_names), 'document')} of {self.system!r} with a field that gold "
                f"names in another way, such as {document!r}: {quoted(name)} was predicted; gold has "
                f"{quoted(other)}. One counts as invented, the other as missing: on both sides, use the same "
                "keys, and write a list also for one entry"
            )
        if self._other_digits:
            text, same, name, document = self._other_digits[0]
            count = numbered(len(self._other_digits), "value")
            warn(
                Parameter("kinds"),
                f": numbers of gold in other digits count as other texts in {count} of {self.system!r}, such "
                f"as {quoted(text)} for {quoted(same)} in field {quoted(name)} of document {document!r}; "
                "give amounts the kind number",
            )
        if self._beside.other_keys:
            warn(
                f"documents of {self.system!r} hold values with their confidences, in objects with other "
                f"keys, which are left out: {listed(map(quoted, self._beside.other_keys))}"
            )
        if self._unused:
            warn(
                f"confidences of values are left out in {numbered(len(self._unused), 'document')} of "
                f"{self.system!r}, such as {self._unused[0]!r}; to keep these, pass ",
                Option("model_confidence", self.column),
            )
        if self._sure is self._reader and self.names and not self._beside.n:
            warn(
                f"no document of {self.system!r} holds a value with its confidence, as in "
                '{"total": {"value": "5", "confidence": 0.9}}: name the column with the confidences in ',
                Option("model_confidence"),
            )
        if self._sure is not None and self._unfit:
            warn(
                f"column {self._sure.column!r}: no confidence fits a field in "
                f"{numbered(len(self._unfit), 'document')}, such as {self._unfit[0]!r}; give confidences the "
                'shape of the predicted document, or name fields, as {"seller.name": 0.9} or [{"field": '
                '"seller.name", "confidence": 0.9}] do'
            )
        within = None if self._other_names else _within_another(self.names, gold_names)
        if within is not None:
            warn(
                f"gold has none of the fields that {self.system!r} predicts, such as {quoted(within[0])}; it "
                f"has {quoted(within[1])}: take the values out of the objects that hold them"
            )


def _within_another(names: Collection[str], gold_names: Collection[str]) -> tuple[str, str] | None:
    """Return a predicted name and a gold name, one a part of the other, if no names are equal."""
    # What surrounds all fields surrounds the first ones.
    first = itertools.islice(names, _LOOKED_AT if set(names).isdisjoint(gold_names) else 0)
    return next(filter(_is_part, itertools.product(first, gold_names)), None)


def _is_part(names: tuple[str, str]) -> bool:
    """Return whether a name is the other one without its first keys, or without its last keys."""
    part, whole = sorted(names, key=len)
    end = part if part.startswith("[") else f".{part}"
    return whole.startswith((f"{part}.", f"{part}[")) or whole.endswith(end)


def _is_within_text(cell: Any) -> bool:
    """Return whether a text that is no JSON has an object that does not begin it."""
    text = cell.strip() if isinstance(cell, str) else ""
    return 0 < text.find("{") < text.rfind("}") and not text.startswith("[")


def _otherwise_named(predicted: Iterable[FieldPath], gold: Iterable[FieldPath]) -> Iterator[tuple[str, str]]:
    """Yield the predicted and the gold names of fields that differ in lists, case and separators only."""
    names, gold_names = (dict.fromkeys(name for name, _ in paths) for paths in (predicted, gold))
    others = {plain_name(name): name for name in gold_names if name not in names}
    for name in names:
        if name not in gold_names and (plain := plain_name(name)) in others:
            yield name, others[plain]


def _in_other_digits(text: str, answers: Iterable[str]) -> str | None:
    """Return the answer that is the same number as a text that is none of them."""
    if text in answers or not _NUMBER.fullmatch(text):
        return None
    same = (answer for answer in answers if _NUMBER.fullmatch(answer) and Decimal(answer) == Decimal(text))
    return next(same, None)


def _keys_above(path: FieldPath) -> Iterator[FieldPath]:
    """Yield a field, and the keys of the objects and lists that it is in."""
    name, items = path
    yield path
    for end, character in enumerate(name):
        if character in ".[":
            yield name[:end], tuple(item for item in items if name[:end].startswith(item[0]))
