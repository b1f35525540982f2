"""The committed sample data is what its README, its metadata and its oracle say. OCR is never run."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sample import DATA, PAGES_FILE, QUESTIONS_FILE

import anls_frame as af
from anls_frame.samples import write_pages

ENGINES = ["tesseract", "rapidocr"]


@pytest.fixture(scope="module")
def questions() -> pl.DataFrame:
    return pl.read_parquet(QUESTIONS_FILE)


@pytest.fixture(scope="module")
def pages() -> pl.DataFrame:
    return pl.read_parquet(PAGES_FILE)


@pytest.fixture(scope="module")
def metadata() -> dict[str, Any]:
    content: dict[str, Any] = _json("metadata.json")
    return content


@pytest.fixture(scope="module")
def oracle() -> ModuleType:
    return _module(DATA / "oracle.py")


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"sample_data_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _json(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def test_files_have_the_checksums_in_the_metadata(metadata: dict[str, Any]) -> None:
    found = {
        name: hashlib.sha256((DATA.parent / name).read_bytes()).hexdigest() for name in metadata["sha256"]
    }
    assert found == metadata["sha256"]
    assert len(found) == 5


def test_counts_in_the_metadata_hold(
    questions: pl.DataFrame, pages: pl.DataFrame, metadata: dict[str, Any]
) -> None:
    counts = metadata["counts"]
    types = questions.explode("question_types", empty_as_null=True)["question_types"].value_counts().rows()
    assert counts["questions"] == questions.height
    assert counts["documents"] == pages.height == questions["doc_id"].n_unique()
    assert counts["unanswerable"] == (questions["answers"].list.len() == 0).sum()
    assert counts["questions_by_type"] == dict(types)
    assert counts["documents_by_type"] == dict(pages["doc_type"].value_counts().rows())
    assert counts["documents_by_lang"] == dict(pages["lang"].value_counts().rows())
    assert counts["documents_by_profile"] == dict(pages["profile"].value_counts().rows())


def test_gold_labels_are_the_answerable_questions(questions: pl.DataFrame) -> None:
    gold = _json("rrc/gold_label.json")
    assert list(gold) == ["dataset_name", "dataset_split", "dataset_version", "data"]
    columns = ["question_id", "question", "question_types", "answers"]
    expected = questions.filter(pl.col("answers").list.len() > 0).select(columns).rows()
    entries = [
        (entry["questionId"], entry["question"], entry["question_types"], entry["answers"])
        for entry in gold["data"]
    ]
    assert entries == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_submissions_hold_the_predictions(questions: pl.DataFrame, engine: str) -> None:
    answerable = questions.filter(pl.col("answers").list.len() > 0)
    expected = answerable.select(questionId="question_id", answer=pl.col(engine).fill_null(""))
    assert _json(f"rrc/submission_{engine}.json") == expected.to_dicts()


def test_sample_is_the_committed_data(questions: pl.DataFrame, pages: pl.DataFrame) -> None:
    assert_frame_equal(af.sample(), questions)
    assert_frame_equal(af.sample("pages"), pages)
    with pytest.raises(ValueError, match="name must be one of 'qa', 'pages', got 'ocr'"):
        af.sample("ocr")  # type: ignore[arg-type]


def test_folders_of_pages_have_the_texts_of_the_table(tmp_path: Path, pages: pl.DataFrame) -> None:
    write_pages(tmp_path)
    read = af.read_pages(tmp_path / "truth", {name: tmp_path / name for name in ENGINES})
    named = pages.with_columns(page=pl.col("doc_id").str.replace("_en", ""))
    expected = named.join(read.select("page"), on="page", how="semi").sort("page")
    read = read.sort("page")
    assert read.height == 12
    for column in ("reference", *ENGINES):
        assert read[column].str.strip_chars().to_list() == expected[column].str.strip_chars().to_list()


def test_oracle_scores_are_those_of_the_files(oracle: ModuleType) -> None:
    _assert_close(oracle.all_scores(), _json("oracle_scores.json"))


def test_readme_shows_the_oracle_scores_and_the_counts(oracle: ModuleType, metadata: dict[str, Any]) -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    counts = metadata["counts"]
    answerable = counts["questions"] - counts["unanswerable"]
    assert oracle.tables(_json("oracle_scores.json")) in readme
    assert f'`af.sample("qa")` | {counts["questions"]:,} questions' in readme
    assert f'`af.sample("pages")` | {counts["documents"]} pages' in readme
    assert f"the {answerable:,} questions that have an answer" in readme
    assert f"{counts['unanswerable']} questions are unanswerable" in readme


def test_readme_explains_every_column(questions: pl.DataFrame, pages: pl.DataFrame) -> None:
    named = set(re.findall(r"`(\w+)`", (DATA / "README.md").read_text(encoding="utf-8")))
    assert set(questions.columns) | set(pages.columns) <= named


def test_folder_stays_below_a_megabyte() -> None:
    kept = [
        file
        for file in DATA.rglob("*")
        if file.is_file() and not {".cache", "__pycache__", ".ruff_cache", ".mypy_cache"} & set(file.parts)
    ]
    assert sum(file.stat().st_size for file in kept) < 1_000_000
    assert not [file for file in kept if file.suffix in {".png", ".jpg", ".ttf", ".otf", ".onnx"}]


def _assert_close(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            _assert_close(found[key], value)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-14, abs=1e-15)
    else:
        assert found == expected
