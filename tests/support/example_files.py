"""The files that the examples of the shell's help read, made of the sample data."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import shell

import anls_frame as af
from anls_frame.export.verdicts import digest

ROOT = Path(__file__).parents[2]
_DOCUMENTS = 12


def write(folder: Path) -> None:
    """Write all files."""
    questions = pl.read_parquet(ROOT / "data/ocr_qa.parquet")
    questions = questions.filter(
        pl.col("doc_id").rank("dense") <= _DOCUMENTS, pl.col("answers").list.len() > 0
    )
    shared = questions.select("question_id", "doc_id", "doc_type", "answer_type", "answers")
    old, new = (
        shared.with_columns(prediction=questions[engine].fill_null(""))
        for engine in ("tesseract", "rapidocr")
    )
    _results(folder, old, new)
    _logs(folder, old, new)
    _pages(folder)
    for name in ("gold_label", "submission_tesseract"):
        shutil.copy(ROOT / f"data/rrc/{name}.json", folder)
    (folder / "gold_label.json").rename(folder / "gold.json")
    (folder / "submission_tesseract.json").rename(folder / "submission.json")
    _corrections(folder)
    for part in (1, 2):
        done = shell.run(
            folder,
            "report",
            "results.csv",
            "-b",
            "doc_type",
            "--shard",
            f"{part}/2",
            "--summary",
            f"part_{part}.parquet",
        )
        assert done.returncode == 0, done.stderr


def _results(folder: Path, old: pl.DataFrame, new: pl.DataFrame) -> None:
    answer = pl.col("answers").list.first()
    old.with_columns(answer).write_csv(folder / "results.csv")
    id_, prediction, first = old.select("question_id", "prediction", answer).row(1)
    judged = {"id": id_, "row": 1, "verdict": "our_error", "digest": digest([prediction], [first])}
    (folder / "verdicts.jsonl").write_text(json.dumps(judged))
    both, answers = [prediction, new["prediction"][1]], old["answers"][1].to_list()
    (folder / "of_two.jsonl").write_text(json.dumps(judged | {"digest": digest(both, answers)}))
    old.rename({"prediction": "model"}).write_ndjson(folder / "results.jsonl")
    old.write_ndjson(folder / "old.jsonl")
    new.write_ndjson(folder / "new.jsonl")
    old.with_columns(prediction=pl.col("prediction").str.to_uppercase()).write_ndjson(folder / "newer.jsonl")
    several = {"a": old, "b": new, "c": old, "old": old, "new": new}
    columns = [frame["prediction"].alias(name) for name, frame in several.items()]
    old.drop("prediction").with_columns(columns).write_parquet(folder / "results.parquet")


def _logs(folder: Path, old: pl.DataFrame, new: pl.DataFrame) -> None:
    (folder / "logs").mkdir()
    both = [(name, epoch, frame) for name, frame in (("gpt", old), ("llama", new)) for epoch in (1, 2)]
    for name, epoch, frame in both:
        log = frame.with_columns(model=pl.lit(name), epoch=pl.lit(epoch))
        log.write_ndjson(folder / "logs" / f"{name}_{epoch}.jsonl")
    named = [frame.with_columns(model=pl.lit(name)) for name, epoch, frame in both if epoch == 1]
    pl.concat(named).with_columns(pl.col("answers").list.first()).write_csv(folder / "logs.csv")
    _samples(folder / "samples.jsonl", old, [])
    _samples(folder / "rounds.jsonl", old, [""])


def _samples(path: Path, frame: pl.DataFrame, more: list[str]) -> None:
    """Write samples as lmms-eval logs them, with more responses to each."""
    scores = frame.select(af.anls("prediction", "answers")).to_series()
    with path.open("w", encoding="utf-8") as file:
        for row, score in zip(frame.iter_rows(named=True), scores, strict=True):
            texts = [row["prediction"], *more]
            sample = {"doc_id": row["question_id"], "target": str(row["answers"]), "anls": score}
            file.write(json.dumps(sample | {"resps": [texts], "filtered_resps": texts}) + "\n")


def _pages(folder: Path) -> None:
    pages = pl.read_parquet(ROOT / "data/ocr_pages.parquet").head(_DOCUMENTS)
    columns = {"truth": "reference", "ocr": "tesseract", "tesseract": "tesseract", "kraken": "rapidocr"}
    for name, column in columns.items():
        (folder / name).mkdir()
        for page, text in pages.select("doc_id", column).iter_rows():
            (folder / name / f"{page}.txt").write_text(text or "", encoding="utf-8")


def _corrections(folder: Path) -> None:
    gold = (ROOT / "data/gec/gold.m2").read_text(encoding="utf-8")
    (folder / "gold.m2").write_text(gold, encoding="utf-8")
    (folder / "system.m2").write_text(gold, encoding="utf-8")
    source = [line[2:] for line in gold.splitlines() if line.startswith("S ")]
    (folder / "source.txt").write_text("\n".join(source) + "\n", encoding="utf-8")
    for name, of in (
        ("system", "bold"),
        ("old", "bold"),
        ("new", "careful"),
        ("first", "bold"),
        ("second", "careful"),
    ):
        shutil.copy(ROOT / f"data/gec/{of}.txt", folder / f"{name}.txt")
