"""Scores of harnesses as their files have them, to the last bit, and the rules that reproduce them."""

from __future__ import annotations

import json
import math
import random
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import polars as pl
import pytest

import anls_frame as af

LM_EVAL = Path(__file__).parents[1] / "readers" / "lm_eval"


def any_scores(n: int) -> list[float]:
    """Return quotients, as scores are, and doubles of any bits: all but nan and infinity."""
    chance = random.Random(5)
    found = [1 - chance.randrange(40) / chance.randrange(40, 80) for _ in range(n)]
    while len(found) < 2 * n:
        [one] = struct.unpack("<d", chance.randbytes(8))
        if math.isfinite(one):
            found.append(one)
    return found


def samples(folder: Path, scores: list[float], **others: Any) -> Path:
    path = folder / "samples.jsonl"
    rows = [
        {"doc_id": index, "target": "a", "filtered_resps": "b", "score": one, **others}
        for index, one in enumerate(scores)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def lm_eval(folder: Path, scores: list[float]) -> pl.DataFrame:
    return af.readers.read_lm_eval(samples(folder, scores, arguments={}, doc={}))


def inspect(folder: Path, scores: list[float]) -> pl.DataFrame:
    rows = [
        {"id": index, "epoch": 1, "input": "?", "target": "a", "scores": {"score": {"value": one}}}
        for index, one in enumerate(scores)
    ]
    path = folder / "log.json"
    path.write_text(json.dumps({"status": "success", "samples": rows}), encoding="utf-8")
    return af.readers.read_inspect(path)


def vlmevalkit(suffix: str) -> Callable[[Path, list[float]], pl.DataFrame]:
    def read(folder: Path, scores: list[float]) -> pl.DataFrame:
        table = pd.DataFrame({"index": range(len(scores)), "answer": "a", "prediction": "b", "score": scores})
        path = folder / f"M_DocVQA_VAL.{suffix}"
        if suffix == "tsv":
            table.to_csv(path, sep="\t", index=False)
        else:
            table.to_excel(path, index=False, engine="xlsxwriter")
            # It keeps 16 digits, so the file has other numbers than the harness had.
            sheet = openpyxl.load_workbook(path).active
            assert sheet is not None
            scores[:] = [float(value) for (value,) in sheet.iter_rows(2, None, 4, 4, values_only=True)]
        return af.readers.read_vlmevalkit(path)

    return read


@pytest.mark.parametrize(
    "read",
    [lm_eval, inspect, vlmevalkit("tsv"), vlmevalkit("xlsx")],
    ids=["lm_eval", "inspect", "tsv", "xlsx"],
)
def test_scores_are_those_of_the_file_to_the_last_bit(
    tmp_path: Path, read: Callable[[Path, list[float]], pl.DataFrame]
) -> None:
    scores = any_scores(300)

    found = read(tmp_path, scores)["score"]

    assert found.dtype == pl.Float64
    assert [one.hex() for one in found] == [one.hex() for one in scores]


def test_exact_match_of_the_lm_evaluation_harness_is_that_of_protocol_raw() -> None:
    for name, filters in (("first", [None]), ("numbers", ["one", "vote"])):
        for one in filters:
            frame = af.readers.read_lm_eval(LM_EVAL / f"samples_{name}.jsonl", filter=one)
            computed = frame.select(af.exact_match("prediction", "answers", protocol="raw").cast(pl.Float64))
            assert computed.to_series().to_list() == frame["exact_match"].to_list()


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "parquet"])
def test_judgements_of_fastchat_without_a_rating_have_no_score(tmp_path: Path, suffix: str) -> None:
    """FastChat's show_result.py averages the rows whose score is not -1."""
    scores = [7, -1, 10, 3.5, -1, 8]
    rows = [
        {
            "question_id": 81 + number // 2,
            "model": "a",
            "judge": ["gpt-4", "single-v1"],
            "judgment": "Rating: [[7]]",
            "score": score,
            "turn": 1 + number % 2,
        }
        for number, score in enumerate(scores)
    ]
    frame = pl.DataFrame(rows, strict=False)
    path = af.write_results(frame, tmp_path / f"gpt-4_single.{suffix}")
    told = "2 judgements have the score -1, with which FastChat marks one without a rating, such as row 2"
    with pytest.warns(af.InputWarning, match=told):
        report = af.readers.report_files(path, metrics="score", cluster="question_id")
    assert report.overall["score"] == pytest.approx((7 + 10 + 3.5 + 8) / 4)
    assert str(report.account) == "4 of 6 rows were used; 2 have no score and were left out."

    others = af.write_results(frame.drop("judge"), tmp_path / f"others.{suffix}")
    assert af.readers.report_files(others, metrics="score", cluster="question_id").overall["n"] == 6


@pytest.mark.parametrize("name", ["exact_match", "anls", "nls"])
def test_a_logged_score_with_the_name_of_a_computed_one_is_not_mistaken_for_it(
    tmp_path: Path, name: str
) -> None:
    # As in a task whose harness normalizes texts: it found "5" in "so #### 5".
    fields = {"doc": {}, "arguments": {}, "filter": "none"}
    lines = [
        {"doc_id": 0, "target": "so #### 5", "filtered_resps": ["5"], name: 0.75, **fields},
        {"doc_id": 1, "target": "7", "filtered_resps": ["8"], name: 0.0, **fields},
    ]
    for system in ("a", "b"):
        (tmp_path / system).mkdir()
        path = tmp_path / system / "samples_x_2026-11-20T09-00-00.1.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    told = rf"{name} is computed .* another {name} in {{}}; .* pass metrics=af.Metric\('{name}'\)"

    with pytest.warns(af.InputWarning, match=told.format("1 row")):
        af.readers.report_files(path, metrics=[name])
    report = af.readers.report_files(path, metrics=af.Metric(name))
    assert report.overall[name] == 0.375
    with pytest.warns(af.InputWarning, match=told.format("2 rows")):
        af.readers.compare_files(tmp_path, metrics=[name])
    logged = af.read_logs(path)
    for of_frame in (af.report, af.summarize, partial(af.repeats.mean_over_epochs, id="question_id")):
        with pytest.warns(af.InputWarning, match=told.format("1 row")):
            of_frame(logged, "prediction", "answers", metrics=[name])
    assert af.report(logged, metrics=name).overall[name] == 0.375
    comparison = af.readers.compare_files(tmp_path, metrics=[af.Metric(name)])
    assert comparison.overall.select("score", "baseline_score").row(0) == (0.375, 0.375)
