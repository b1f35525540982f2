"""A document in the making: paper, fonts, names, and the facts that can be asked about it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data.build.canvas import PAGE_WIDTH, RECEIPT_WIDTH, Canvas
from data.build.fonts import FontKind, Typeface, typefaces
from data.build.people import LATIN_LANGS, People
from data.build.plan import SEED, DocumentSpec
from data.build.printed import Money, date_forms, random_date

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

TEXTS = Path(__file__).parent.parent / "texts"
NO_EURO_SIGN = ("OCRB", "GNUTypewriter", "dkg", "Breip")

# The names DocVQA gives its question types; a question may have several.
FORM, LAYOUT, TABLE, FREE_TEXT = "form", "layout", "table/list", "free_text"
HANDWRITTEN, YES_NO, OTHERS = "handwritten", "Yes/No", "others"


@dataclass(frozen=True)
class Query:
    """
    What a question says, and all that a reader is told.

    Attributes
    ----------
    key
        Which question templates ask it.
    rule
        How a reader goes about it: `field`, `cell`, `list`, ...
    answer_type
        Shape of the answer.
    slots
        What the question names: a row, a column, an option.
    """

    key: str
    rule: str
    answer_type: str
    slots: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fact:
    """
    One thing that can be asked about a page.

    Attributes
    ----------
    answers
        Accepted answers, the printed one first; none if the page does not say.
    font_kind
        Kind of the font in which the answer is printed.
    """

    query: Query
    answers: tuple[str, ...]
    question_types: tuple[str, ...]
    font_kind: str


@cache
def texts(lang: str) -> dict[str, Any]:
    """Return the words of a language: labels, items, paragraphs, questions."""
    return tomllib.loads((TEXTS / f"{lang}.toml").read_text(encoding="utf-8"))


class Draft:
    """
    What the painters of all document types share.

    Parameters
    ----------
    spec
        Document to draw.
    kinds
        Kinds of font the body text may have.
    """

    def __init__(self, spec: DocumentSpec, kinds: Sequence[FontKind]) -> None:
        self.spec = spec
        self.lang = spec.lang
        self.texts = texts(spec.lang)
        self.own = self.texts[spec.doc_type]
        self.rng = spec.random("content")
        self.people = People(spec.lang, f"{SEED}/{spec.doc_id}/names", self.rng)
        self.canvas = Canvas(RECEIPT_WIDTH, 40) if spec.doc_type == "receipt" else Canvas(PAGE_WIDTH)
        usable = [kind for kind in kinds if kind != "typewriter" or spec.lang in LATIN_LANGS]
        self.face = self.rng.choice(typefaces(spec.lang, self.rng.choice(usable)))
        self.money = self.money_in(self.face)
        self.facts: list[Fact] = []
        self._date_style = self.rng.randrange(6)
        self._labels: dict[str, str] = {}

    def money_in(self, face: Typeface) -> Money:
        """Return the way to write amounts in a font."""
        symbols = {"en": ["$"], "de": ["€", "EUR"], "ja": ["¥", "円"], "zh-Hant": ["NT$", "$"]}[self.lang]
        symbol = self.rng.choice(symbols)
        if symbol == "€" and any(name in face.files[0] for name in NO_EURO_SIGN):
            symbol = "EUR"
        return Money(self.lang, symbol)

    def handwriting(self) -> Typeface:
        """Return a hand to fill in with."""
        return self.rng.choice(typefaces("en", "handwriting"))

    def label(self, name: str) -> str:
        """Return the label of a field, the same one each time."""
        if name not in self._labels:
            self._labels[name] = self.rng.choice(self.texts["labels"][name])
        return self._labels[name]

    def day(self, first: int = 2016, last: int = 2023) -> dt.date:
        """Return a day in the years from `first` to `last`."""
        return random_date(self.rng, first, last)

    def date(self, day: dt.date) -> tuple[str, ...]:
        """Return a date as this document prints dates, and its other forms."""
        return date_forms(day, self.lang, self._date_style)

    def number(self, pattern: str) -> str:
        """Return `pattern` with each `#` replaced by a digit and each `@` by a capital letter."""
        letters = "ABCDEFGHKLMNPRSTUVWXYZ"
        return "".join(
            str(self.rng.randint(0, 9)) if char == "#" else self.rng.choice(letters) if char == "@" else char
            for char in pattern
        )

    def fact(
        self,
        key: str,
        rule: str,
        answers: Sequence[str],
        answer_type: str,
        *question_types: str,
        font: str = "",
        **slots: str,
    ) -> None:
        """Note that the page tells something."""
        kind = font or self.face.kind
        self.facts.append(Fact(Query(key, rule, answer_type, slots), tuple(answers), question_types, kind))

    def block(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return the answers for an address printed on several lines."""
        joined = self.texts["common"]["address_join"].join(lines)
        return tuple(dict.fromkeys([joined, " ".join(lines), lines[-1]][:2]))

    def enumeration(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the answers for a list of names."""
        joined = ", ".join(names)
        if self.lang not in LATIN_LANGS:
            return tuple(dict.fromkeys([joined, "、".join(names)]))
        last = f"{', '.join(names[:-1])} {self.texts['common']['and']} {names[-1]}" if len(names) > 1 else ""
        return tuple(dict.fromkeys(form for form in (joined, last, "; ".join(names)) if form))

    def yes_no(self, *, value: bool) -> tuple[str, ...]:
        """Return the answer to a question of yes or no."""
        return (self.texts["common"]["yes" if value else "no"],)
