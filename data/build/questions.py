"""Facts to questions: the words, the ids, and the questions that a page does not answer."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .documents import Draft, Fact, Query
from .documents.draft import FORM, FREE_TEXT, OTHERS, texts

if TYPE_CHECKING:
    from .plan import DocumentSpec

PER_DOCUMENT = 14
# Rare kinds are kept whatever happens; the rest of the questions is drawn.
ALWAYS = ("time", "email", "list", "text")


@dataclass(frozen=True)
class Question:
    """A question as it stands in the data, and the fact behind it."""

    question_id: int
    text: str
    fact: Fact


def ask(draft: Draft) -> list[Question]:
    """Return the questions about a document, in the order of its facts."""
    rng = draft.spec.random("questions")
    kept = [fact for fact in draft.facts if _always(fact)]
    others = [fact for fact in draft.facts if not _always(fact)]
    room = max(0, PER_DOCUMENT - len(kept))
    kept += rng.sample(others, min(room, len(others)))
    ordered = [fact for fact in draft.facts if fact in kept] + _unanswerable(draft.spec)
    templates = draft.texts["questions"]
    questions = []
    for number, fact in enumerate(ordered, start=1):
        forms = fact.query.slots.get("asked")
        text = forms or rng.choice(templates[fact.query.key]).format(**fact.query.slots)
        questions.append(Question(100 * draft.spec.number + number, _composed(text), _composed_fact(fact)))
    return questions


def _always(fact: Fact) -> bool:
    return fact.query.answer_type in ALWAYS or "handwritten" in fact.question_types


def _unanswerable(spec: DocumentSpec) -> list[Fact]:
    """Return, for two documents of five, something that the page does not tell."""
    if spec.number % 5 not in (1, 3):
        return []
    rng = spec.random("unanswerable")
    entry = rng.choice(texts(spec.lang)["unanswerable"][spec.doc_type])
    slots = {"asked": entry["question"]}
    query = Query(entry["label"], "field", entry["answer_type"], slots)
    types = (FORM, OTHERS) if spec.doc_type in ("form", "invoice") else (FREE_TEXT, OTHERS)
    return [Fact(query, (), types, "")]


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _composed_fact(fact: Fact) -> Fact:
    answers = tuple(_composed(answer) for answer in fact.answers)
    return Fact(fact.query, answers, fact.question_types, fact.font_kind)
