"""
Logs as harnesses write them, with their own scores: `doctor` names the rule, and none after a change.

The scores are those that `tests/golden/make_accuracies.py` recorded, the files follow the harnesses' writers:
lmms-eval's `evaluation_tracker.py` and the `process_results` of its tasks, VLMEvalKit's `image_vqa.py`, MMF's
`test_reporter.py` and `format_for_prediction` of its data sets, and OCRBench's `example.py`.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from shell import run

Rows = Sequence[dict[str, Any]]

RECORDED = json.loads(
    lzma.decompress((Path(__file__).parents[1] / "golden" / "accuracies-2026-08.json.xz").read_bytes())
)


def lmms_eval(task: str, metrics: Callable[[dict[str, Any], float], dict[str, Any]]) -> Any:
    """Return the writer of a task's samples."""

    def write(folder: Path, rows: Rows, scores: Sequence[float]) -> tuple[Path, str]:
        samples = [
            {
                "doc_id": index,
                "target": str(row["answers"][0] if task == "chartqa" else row["answers"]),
                "filtered_resps": [row["prediction"]],
                "doc_hash": "5f" * 32,
                **metrics(row, score),
                "input": "Which?\nAnswer the question with a single word.",
            }
            for index, (row, score) in enumerate(zip(rows, scores, strict=True))
        ]
        path = folder / f"20260806_102223_samples_{task}.jsonl"
        lines = (json.dumps(sample, ensure_ascii=False) + "\n" for sample in samples)
        path.write_text("".join(lines), encoding="utf-8")
        column = next(iter(metrics(rows[0], 0.0)))
        return path, column if task != "ocrbench" else f"{column}_score"

    return write


def chartqa(_: dict[str, Any], score: float) -> dict[str, Any]:
    return {"relaxed_overall": score, "relaxed_human_split": score}


def ocrbench(row: dict[str, Any], score: float) -> dict[str, Any]:
    texts = {"prediction": row["prediction"].strip(), "ground_truth": row["answers"]}
    return {"ocrbench_accuracy": {"question_type": "Doc-oriented VQA", "score": int(score), **texts}}


def of_people(row: dict[str, Any], score: float) -> dict[str, Any]:
    return {"exact_match": score, "submission": {"question_id": 1, "answer": row["prediction"].lower()}}


def docvqa(_: dict[str, Any], score: float) -> dict[str, Any]:
    return {"anls": score}


def vlmevalkit(dataset: str) -> Any:
    """Return the writer of the detailed results of a data set."""

    def write(folder: Path, rows: Rows, scores: Sequence[float]) -> tuple[Path, str]:
        # A list of one answer is written as that answer.
        answers = [row["answers"][0] if len(row["answers"]) == 1 else str(row["answers"]) for row in rows]
        table = pd.DataFrame(
            {
                "index": range(len(rows)),
                "question": "Which?",
                "answer": answers,
                "prediction": [row["prediction"] for row in rows],
                "eval_gt": [str(row["answers"]) for row in rows],
                "eval_pred": [row["prediction"].strip() for row in rows],
                "eval_match": [str([score]) for score in scores],
                "eval_score": scores,
            }
        )
        path = folder / f"Model_{dataset}_results.tsv"
        table.to_csv(path, sep="\t", index=False, encoding="utf-8")
        return path, "eval_score"

    return write


def inspect(name: str) -> Any:
    """Return the writer of a log whose scorer has this name."""

    def write(folder: Path, rows: Rows, scores: Sequence[float]) -> tuple[Path, str]:
        samples = [
            {
                "id": index,
                "epoch": 1,
                "input": "Which?",
                "target": row["answers"],
                "output": {"model": "m", "completion": row["prediction"]},
                "scores": {name: {"value": score, "answer": row["prediction"], "metadata": {}}},
            }
            for index, (row, score) in enumerate(zip(rows, scores, strict=True))
        ]
        log = {"version": 2, "status": "success", "eval": {"task": "t"}, "results": None, "samples": samples}
        path = folder / "2026-08-06T10-22-23_t_x.json"
        path.write_text(json.dumps(log), encoding="utf-8")
        return path, name

    return write


def mmf(dataset: str) -> Any:
    """Return the writer of MMF's predictions for a data set, whose mean score its training log shows."""

    def write(folder: Path, rows: Rows, scores: Sequence[float]) -> tuple[Path, str]:
        predictions = [
            {
                "question_id": 34602 + index,
                "image_id": f"{index:016x}",
                "answer": row["prediction"],
                "pred_source": ["VOCAB", "OCR"],
            }
            for index, row in enumerate(rows)
        ]
        questions = [
            {"question": "Which?", "image_id": f"{index:016x}", "question_id": 34602 + index, **answers}
            for index, answers in enumerate({"answers": row["answers"], "set_name": "val"} for row in rows)
        ]
        path = folder / f"{dataset}_m4c_val_2026-08-06T10_22_23.json"
        path.write_text(json.dumps(predictions), encoding="utf-8")
        gold = {"dataset_type": "val", "dataset_name": dataset, "data": questions}
        (folder / GOLD).write_text(json.dumps(gold), encoding="utf-8")
        return path, f"{sum(scores) / len(scores):.4f}"

    return write


def ocrbench_itself(folder: Path, rows: Rows, scores: Sequence[float]) -> tuple[Path, str]:
    """Write the results of OCRBench's own script, in which a single answer is no list."""
    results = [
        {
            "dataset_name": row["data set"],
            "id": index,
            "image_path": f"{row['data set']}/test/{index}.png",
            "question": "what is written in the image?",
            "answers": row["answers"][0] if len(row["answers"]) == 1 else row["answers"],
            "type": "Regular Text Recognition",
            "predict": row["prediction"],
            "result": int(score),
        }
        for index, (row, score) in enumerate(zip(rows, scores, strict=True))
    ]
    path = folder / "Model_OCRBench.json"
    path.write_text(json.dumps(results, indent=4), encoding="utf-8")
    return path, "result"


GOLD = "gold.json"
PEOPLE = "vqa_accuracy, processing "
LOGS = {
    "lmms-eval chartqa": (lmms_eval("chartqa", chartqa), "relaxed", "relaxed_accuracy, as ChartQA in pix2"),
    "lmms-eval ocrbench": (lmms_eval("ocrbench", ocrbench), "contains", "contains_answer, as OCRBench, in"),
    "lmms-eval ocrbench, new": (
        lmms_eval("ocrbench", ocrbench),
        "contains fold",
        "contains_answer, as OCRBench in lmms-eval from 2026-07-30",
    ),
    "lmms-eval ocrbench, formulas": (
        lmms_eval("ocrbench", ocrbench),
        "contains formulas",
        "contains_answer, as OCRBench's formulas, in lmms-eval from",
    ),
    "lmms-eval textvqa": (lmms_eval("textvqa_val", of_people), "evalai exact", f"{PEOPLE}evalai, mean exact"),
    "lmms-eval docvqa": (lmms_eval("docvqa_val", docvqa), "anls", "anls, protocol rrc"),
    "VLMEvalKit ChartQA": (
        vlmevalkit("ChartQA_TEST"),
        "relaxed strip",
        "relaxed_accuracy, as ChartQA in VLMEvalKit",
    ),
    "VLMEvalKit TextVQA": (
        vlmevalkit("TextVQA_VAL"),
        "vlmevalkit numpy",
        f"{PEOPLE}vlmevalkit, mean numpy",
    ),
    "Inspect, scene texts": (inspect("anls"), "anls scene text", "anls, protocol stvqa"),
    "Inspect, VQA": (inspect("vqa"), "vqa sum", f"{PEOPLE}vqa, mean sum"),
    "MMF, TextVQA": (mmf("textvqa"), "evalai sum", f"{PEOPLE}evalai, mean sum"),
    "MMF, ST-VQA": (mmf("stvqa"), "anls scene text", "anls, protocol stvqa"),
    "OCRBench": (ocrbench_itself, "ocrbench", "contains_answer, as OCRBench's own code"),
}
"""How a log is written, whose recorded scores it has, and how the rule's name begins."""


def rows_of(log: str, scores: str) -> Rows:
    """Return up to 150 rows of texts that a harness's file holds as they are."""
    is_single = "chartqa" in log.lower()

    def is_kept(text: str) -> bool:
        # A row ends at U+000D, and an answer in brackets is read as a list.
        is_plain = not any(sign in text for sign in "\x1c\r[")
        # VLMEvalKit scores no text as "nan".
        return is_plain and (not log.startswith("VLMEvalKit") or text != "")

    def has_size(row: dict[str, Any]) -> bool:
        size = len(row["answers"])
        # MMF takes ten answers in TextVQA, and any number in ST-VQA.
        if log.startswith("MMF"):
            return size == 10 or "TextVQA" not in log
        return log.startswith("OCR") or (size == 1) == is_single

    rows = []
    for row in RECORDED:
        data_set, rule = ("HME100k", "contains formulas") if len(rows) % 5 == 0 else ("svt", "contains")
        rows.append({**row, "data set": data_set, "ocrbench": row[rule]})
    return [
        row
        for row in rows
        if row[scores] is not None
        and has_size(row)
        and all(is_kept(text) for text in (row["prediction"], *row["answers"]))
    ][:150]


@pytest.mark.parametrize("log", LOGS)
def test_doctor_names_the_rule_of_a_log_and_none_after_a_change(tmp_path: Path, log: str) -> None:
    write, name, rule = LOGS[log]
    rows = rows_of(log, name)
    scores = [row[name] for row in rows]
    assert len(rows) > 100

    def doctor(*options: str) -> Any:
        path, column = write(tmp_path, rows, scores)
        command = ["doctor", str(path), "--against", column, *options]
        if log.startswith("VLMEvalKit"):
            command += ["--reader", "vlmevalkit"]
        if (tmp_path / GOLD).exists():
            command += ["--gold", str(tmp_path / GOLD)]
        return run(tmp_path, *command)

    found = json.loads(doctor("--json").stdout)
    reproducing = [one["rule"] for one in found["rules"] if one["differing"] == 0]
    assert found["reproduced"], found["rows"][:5]
    assert any(one.startswith(rule) for one in reproducing), reproducing

    index = next(index for index, score in enumerate(scores) if score in {0, 1})
    scores[index] = 1 - scores[index]
    changed = doctor()
    assert changed.returncode == 1
    assert "reproduced by none" in changed.stdout
