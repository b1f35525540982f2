"""
Scores of the sample data from the definitions alone: `python data/oracle.py`.

Plain Python over rapidfuzz's Levenshtein distance (Polars only reads the files). It writes
`oracle_scores.json`, which the tests hold the toolkit to, and the tables in `README.md`.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from rapidfuzz.distance import Levenshtein

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "anls_frame" / "samples"
ENGINES = ("tesseract", "rapidocr")
THRESHOLD = 0.5
QUESTION_SLICES = ("question_types", "lang", "doc_type", "answer_type", "profile", "difficulty")
PAGE_SLICES = ("lang", "doc_type", "profile", "difficulty")
BEGIN, END = "<!-- scores: begin -->\n", "<!-- scores: end -->"

Row = dict[str, Any]
Scores = dict[str, float]


def prepared(text: str) -> str:
    """Return a text as PyPI's anls 0.0.2 compares it."""
    return " ".join(text.strip().lower().split())


def distance_share(prediction: str, answer: str) -> float:
    """Return the distance of two prepared texts, divided by the longer of their upper-case forms."""
    length = max(len(prediction.upper()), len(answer.upper()))
    return Levenshtein.distance(prediction, answer) / length if length else 0.0


def question_score(prediction: str | None, answers: Sequence[str]) -> tuple[float, float, bool]:
    """Return ANLS, NLS and exact match of one question; a missing prediction counts as empty."""
    said = prepared(prediction or "")
    shares = [distance_share(said, prepared(answer)) for answer in answers]
    anls = max(1 - share if share < THRESHOLD else 0.0 for share in shares)
    return anls, max(1 - share for share in shares), said in map(prepared, answers)


def question_means(rows: Sequence[Row], engine: str) -> Scores:
    """Return the mean scores of answerable questions."""
    scores = [question_score(row[engine], row["answers"]) for row in rows]
    return {
        "n": len(scores),
        "n_missing": sum(row[engine] is None for row in rows),
        "anls": math.fsum(anls for anls, _, _ in scores) / len(scores),
        "nls": math.fsum(nls for _, nls, _ in scores) / len(scores),
        "exact_match": sum(exact for _, _, exact in scores) / len(scores),
    }


def page_means(rows: Sequence[Row], engine: str) -> Scores:
    """Return character error rates: the mean over pages, and that of all characters together."""
    errors = [Levenshtein.distance(row["reference"], row[engine]) for row in rows]
    lengths = [len(row["reference"]) for row in rows]
    return {
        "n": len(rows),
        "char_errors": sum(errors),
        "reference_length": sum(lengths),
        "cer_mean": math.fsum(map(lambda error, length: error / length, errors, lengths)) / len(rows),
        "cer_corpus": sum(errors) / sum(lengths),
    }


def groups(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    """Return the rows of each value; a row with a list is in the group of each of its values, once."""
    parts: dict[str, list[Row]] = {}
    for row in rows:
        value = row[column]
        for key in dict.fromkeys(value) if isinstance(value, list) else (value,):
            parts.setdefault(key, []).append(row)
    return dict(sorted(parts.items()))


def by_engine(
    rows: Sequence[Row], slices: Sequence[str], means: Callable[[Sequence[Row], str], Scores]
) -> dict[str, dict[str, Any]]:
    """Return the means of each engine, over all rows and by each column."""
    return {
        engine: {
            "overall": means(rows, engine),
            **{
                f"by_{column}": {key: means(part, engine) for key, part in groups(rows, column).items()}
                for column in slices
            },
        }
        for engine in ENGINES
    }


def all_scores() -> dict[str, Any]:
    """Return everything that is written to `oracle_scores.json`."""
    questions = pl.read_parquet(SAMPLES / "qa.parquet").to_dicts()
    pages = pl.read_parquet(SAMPLES / "pages.parquet").to_dicts()
    answerable = [row for row in questions if row["answers"]]
    return {
        "settings": {
            "protocol": "anls",
            "threshold": THRESHOLD,
            "missing": "empty",
            "cer": "raw",
            "n_questions": len(questions),
            "n_unanswerable": len(questions) - len(answerable),
        },
        "questions": by_engine(answerable, QUESTION_SLICES, question_means),
        "pages": by_engine(pages, PAGE_SLICES, page_means),
    }


def tables(scores: dict[str, Any]) -> str:
    """Return the tables of the README."""
    parts = []
    for column, heading in (
        ("question_types", "question type"),
        ("lang", "language"),
        ("doc_type", "document type"),
    ):
        parts.append(
            _table(heading, scores["questions"], f"by_{column}", ("anls", "exact_match"), "questions")
        )
    for column, heading in (("lang", "language"), ("doc_type", "document type"), ("profile", "degradation")):
        parts.append(_table(heading, scores["pages"], f"by_{column}", ("cer_mean", "cer_corpus"), "pages"))
    return "\n".join(parts)


def _table(heading: str, part: dict[str, Any], key: str, metrics: Sequence[str], counted: str) -> str:
    names = {
        "anls": "ANLS",
        "exact_match": "exact match",
        "cer_mean": "CER, mean",
        "cer_corpus": "CER, corpus",
    }
    columns = [f"{names[metric]} {engine}" for metric in metrics for engine in ENGINES]
    lines = [f"| {heading} | {counted} | {' | '.join(columns)} |", "|---|" + "---:|" * (1 + len(columns))]
    rows = {name: {engine: part[engine][key][name] for engine in ENGINES} for name in part[ENGINES[0]][key]}
    rows["all"] = {engine: part[engine]["overall"] for engine in ENGINES}
    for name, row in rows.items():
        cells = [f"{row[engine][metric]:.3f}" for metric in metrics for engine in ENGINES]
        lines.append(f"| {name} | {row[ENGINES[0]]['n']:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the scores and the tables."""
    scores = all_scores()
    (HERE / "oracle_scores.json").write_text(json.dumps(scores, indent=1) + "\n", encoding="utf-8")
    readme = HERE / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    readme.write_text(f"{before}{BEGIN}\n{tables(scores)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
