"""Runs the stages for each document and puts their results into rows."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .canvas import Box
from .degrade import Degradation
from .documents import draw
from .engines import ENGINES
from .lines import page_text
from .questions import Question, ask
from .readers import READERS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .plan import DocumentSpec

Row = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """Rows of one document: its questions and its page."""

    questions: list[Row]
    page: Row


def assemble(spec: DocumentSpec, cache: Path | None) -> Result:
    """Draw, degrade, read and ask one document."""
    draft = draw(spec)
    page = Degradation(spec)(draft.canvas.finish())
    read = {name: _boxes(name, page, spec, cache) for name in ENGINES}
    questions = [_question_row(spec, question, read) for question in ask(draft)]
    reference = page_text(draft.canvas.runs)
    row: Row = {
        **_document_columns(spec),
        "font_kind": draft.face.kind,
        "width": page.shape[1],
        "height": page.shape[0],
        "n_words": len(reference.split()),
        "n_characters": len(reference),
        "reference": reference,
    }
    row |= {name: page_text(boxes) for name, boxes in read.items()}
    row |= {f"{name}_confidence": _mean_confidence(boxes) for name, boxes in read.items()}
    return Result(questions, row)


def _document_columns(spec: DocumentSpec) -> Row:
    return {
        "doc_id": spec.doc_id,
        "doc_type": spec.doc_type,
        "lang": spec.lang,
        "profile": spec.profile,
        "severity": spec.severity,
        "difficulty": spec.difficulty,
    }


def _question_row(spec: DocumentSpec, question: Question, read: dict[str, list[Box]]) -> Row:
    fact = question.fact
    said = {
        name: READERS[name](boxes, spec.lang, spec.doc_type).answer(fact.query)
        for name, boxes in read.items()
    }
    row: Row = {
        "question_id": question.question_id,
        **_document_columns(spec),
        "font_kind": fact.font_kind or None,
        "question": question.text,
        "answer_type": fact.query.answer_type,
        "question_types": list(fact.question_types),
        "answers": list(fact.answers),
        "n_words": len(fact.answers[0].split()) if fact.answers else 0,
    }
    row |= {name: answer.text for name, answer in said.items()}
    return row | {f"{name}_confidence": answer.confidence for name, answer in said.items()}


def _mean_confidence(boxes: Sequence[Box]) -> float | None:
    return round(sum(box.confidence for box in boxes) / len(boxes), 4) if boxes else None


def _boxes(engine: str, page: Any, spec: DocumentSpec, cache: Path | None) -> list[Box]:
    """Read a page, or take the boxes from the cache if this very page was read before."""
    if cache is None:
        return ENGINES[engine](page, spec)
    digest = hashlib.sha256(page.tobytes() + str(page.shape).encode()).hexdigest()[:16]
    file = cache / f"{spec.doc_id}.{engine}.{digest}.json"
    if file.exists():
        return [Box(**entry) for entry in json.loads(file.read_text(encoding="utf-8"))]
    boxes = ENGINES[engine](page, spec)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([asdict(box) for box in boxes], ensure_ascii=False), encoding="utf-8")
    return boxes
