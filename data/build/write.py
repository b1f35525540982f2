"""Writes the rows as Parquet files and as the pair of JSON files that the RRC competition uses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl

from .engines import ENGINES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .assemble import Result, Row

PAGE_SCHEMA: dict[str, type[pl.DataType] | pl.DataType] = {
    "doc_id": pl.String,
    "doc_type": pl.String,
    "lang": pl.String,
    "profile": pl.String,
    "severity": pl.Float64,
    "difficulty": pl.String,
    "font_kind": pl.String,
    "width": pl.Int64,
    "height": pl.Int64,
    "n_words": pl.Int64,
    "n_characters": pl.Int64,
    "reference": pl.String,
    "tesseract": pl.String,
    "rapidocr": pl.String,
    "tesseract_confidence": pl.Float64,
    "rapidocr_confidence": pl.Float64,
}
QA_SCHEMA: dict[str, type[pl.DataType] | pl.DataType] = {
    "question_id": pl.Int64,
    "doc_id": pl.String,
    "doc_type": pl.String,
    "lang": pl.String,
    "profile": pl.String,
    "severity": pl.Float64,
    "difficulty": pl.String,
    "font_kind": pl.String,
    "question": pl.String,
    "answer_type": pl.String,
    "question_types": pl.List(pl.String),
    "answers": pl.List(pl.String),
    "n_words": pl.Int64,
    "tesseract": pl.String,
    "rapidocr": pl.String,
    "tesseract_confidence": pl.Float64,
    "rapidocr_confidence": pl.Float64,
}


def write(results: Sequence[Result], folder: Path) -> list[Path]:
    """Write everything, and return the files."""
    questions = [row for result in results for row in result.questions]
    files = [
        _parquet(
            [result.page for result in results],
            PAGE_SCHEMA,
            folder / "anls_frame" / "samples" / "pages.parquet",
        ),
        _parquet(questions, QA_SCHEMA, folder / "anls_frame" / "samples" / "qa.parquet"),
    ]
    answerable = [row for row in questions if row["answers"]]
    files.append(_json(_gold_label(answerable), folder / "data" / "rrc" / "gold_label.json"))
    for name in ENGINES:
        submission = [{"questionId": row["question_id"], "answer": row[name] or ""} for row in answerable]
        files.append(_json(submission, folder / "data" / "rrc" / f"submission_{name}.json"))
    return files


def _parquet(rows: Sequence[Row], schema: dict[str, type[pl.DataType] | pl.DataType], file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    frame.write_parquet(file, compression="zstd", compression_level=19)
    return file


def _gold_label(rows: Sequence[Row]) -> dict[str, object]:
    """Return the questions in the shape of DocVQA's `val_v1.0_withQT.json`."""
    return {
        "dataset_name": "anls_frame sample",
        "dataset_split": "val",
        "dataset_version": "1.0",
        "data": [
            {
                "questionId": row["question_id"],
                "question": row["question"],
                "question_types": row["question_types"],
                "image": f"documents/{row['doc_id']}.png",
                "docId": row["question_id"] // 100,
                "ucsf_document_id": row["doc_id"],
                "ucsf_document_page_no": "1",
                "answers": row["answers"],
                "data_split": "val",
            }
            for row in rows
        ],
    }


def _json(content: object, file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    return file
