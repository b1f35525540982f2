"""Runs of harnesses: tasks, models and times, in files as lm-eval 0.4.13 and lmms-eval 0.7.3 name them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import anls_frame as af

LM_EVAL = Path(__file__).parents[1] / "readers" / "lm_eval"
OLD, NEW = "2026-11-20T09-00-00.000001", "2026-11-21T10-11-12.123456"


def write_run(folder: Path, tasks: dict[str, dict[int, str]], time: str = NEW, model: str = "org/m") -> Path:
    """Write a run as the LM evaluation harness does: the answer to question 1 of task x is "x 1"."""
    folder.mkdir(parents=True, exist_ok=True)
    results = {
        "results": {task: {"alias": task, "exact_match,none": 0.5} for task in tasks},
        "config": {"model": "hf", "model_args": f"pretrained={model}"},
        "model_source": "hf",
        "model_name": model,
        "total_evaluation_time_seconds": "12.5",
    }
    (folder / f"results_{time}.json").write_text(json.dumps(results, indent=2), encoding="utf-8")
    for task, predictions in tasks.items():
        lines = [
            {
                "doc_id": number,
                "doc": {"question": "Q?"},
                "target": f"{task} {number}",
                "arguments": {},
                "resps": [[text]],
                "filtered_resps": [text],
                "filter": "none",
                "exact_match": float(text == f"{task} {number}"),
            }
            for number, text in predictions.items()
        ]
        path = folder / f"samples_{task}_{time}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def test_the_task_and_the_model_of_a_run_are_columns(tmp_path: Path) -> None:
    run = write_run(tmp_path / "org__m", {"a_b": {0: "x"}})
    path = run / f"samples_a_b_{NEW}.jsonl"
    shutil.copy(LM_EVAL / "samples_first.jsonl", path)
    frame = af.readers.read_lm_eval(path)

    assert frame.select("task", "model").unique().rows() == [("a_b", "org/m")]
    assert_frame_equal(frame.drop("task", "model"), af.readers.read_lm_eval(LM_EVAL / "samples_first.jsonl"))
    # Without results, or with broken ones, the model is not known.
    (run / f"results_{NEW}.json").write_text("{", encoding="utf-8")
    assert "model" not in af.readers.read_lm_eval(path).columns
    (run / f"results_{NEW}.json").unlink()
    assert af.readers.read_lm_eval(path)["task"].unique().to_list() == ["a_b"]


def test_lmms_eval_names_its_files_in_another_order(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "target": "a", "filtered_resps": "x", "input": "Q?", "task": 7, "model": 8}
    sample |= {"prediction": 0.25, "answers": 3}
    path = tmp_path / "20261121_101112_samples_docvqa_val.jsonl"
    path.write_text(json.dumps(sample), encoding="utf-8")
    results = tmp_path / "20261121_101112_results.json"
    # It has no name for the model if its arguments do not name one.
    results.write_text(json.dumps({"results": {}, "model_name": "", "config": {"model": "qwen"}}))

    frame = af.readers.read_lmms_eval(path)

    assert frame.select("task", "model", "metric_task", "metric_model").rows() == [
        ("docvqa_val", "qwen", 7, 8)
    ]
    assert frame.select("sample_prediction", "sample_answers").rows() == [(0.25, 3)]


@pytest.mark.parametrize("name", ["samples_docvqa.jsonl", "samples_docvqa_run1.jsonl", "docvqa.jsonl"])
def test_files_that_were_renamed_say_nothing_of_the_run(tmp_path: Path, name: str) -> None:
    shutil.copy(LM_EVAL / "samples_first.jsonl", tmp_path / name)

    assert "task" not in af.readers.read_lm_eval(tmp_path / name).columns
    assert af.read_logs(tmp_path)["system"].unique().to_list() == [name.removesuffix(".jsonl")]


def test_questions_are_matched_within_their_task(tmp_path: Path) -> None:
    write_run(tmp_path / "m1", {"x": {0: "a", 1: "b"}, "y": {0: "c"}})
    write_run(tmp_path / "m2", {"x": {0: "a"}, "y": {0: "c", 1: "d"}})

    with pytest.raises(af.InputError) as raised:
        af.read_logs(tmp_path)
    assert [one.message for one in raised.value.problems[:2]] == [
        "'m1' lacks 1 question: 'y 1'",
        "'m2' lacks 1 question: 'x 1'",
    ]
    with pytest.warns(af.InputWarning, match=r"2 rows added .* 'm1' lacks 1 question: 'y 1'"):
        filled = af.read_logs(tmp_path, unmatched="null")
    assert filled.select("system", "task", "question_id", "prediction", "answers").rows() == [
        ("m1", "x", "0", "a", ["x 0"]),
        ("m1", "x", "1", "b", ["x 1"]),
        ("m1", "y", "0", "c", ["y 0"]),
        ("m1", "y", "1", None, ["y 1"]),
        ("m2", "x", "0", "a", ["x 0"]),
        ("m2", "y", "0", "c", ["y 0"]),
        ("m2", "y", "1", "d", ["y 1"]),
        ("m2", "x", "1", None, ["x 1"]),
    ]
    with pytest.raises(ValueError, match=r"gold has the questions of one task, .* of 'x', 'y'; read"):
        af.read_logs(tmp_path, gold=pl.DataFrame({"a": [1]}))


def test_systems_with_one_task_each_are_matched_by_their_questions(tmp_path: Path) -> None:
    # One data set has several names.
    write_run(tmp_path / "m1", {"docvqa": {0: "a"}})
    write_run(tmp_path / "m2", {"docvqa_val": {0: "b"}})
    for path in tmp_path.glob("*/*.jsonl"):
        same = path.read_text(encoding="utf-8").replace("docvqa_val 0", "docvqa 0")
        path.write_text(same, encoding="utf-8")

    frame = af.read_logs(tmp_path)

    assert frame.select("system", "question_id", "task").rows() == [
        ("m1", "0", "docvqa"),
        ("m2", "0", "docvqa_val"),
    ]


def test_several_runs_of_a_task_are_an_error_unless_one_says_which(tmp_path: Path) -> None:
    run = write_run(tmp_path / "m", {"x": {0: "old"}, "y": {0: "old"}}, OLD)
    write_run(run, {"x": {0: "new"}})

    for given in (tmp_path, {"m": run}, str(run / "*.jsonl"), [run]):
        with pytest.raises(af.InputError) as raised:
            af.read_logs(given)
        assert raised.value.problems[0].message == (
            f"holds 2 runs of task 'x' ({OLD}, {NEW}); to read the newest, pass runs=\"newest\"; "
            'to read all, as repeats, runs="all"'
        )
    columns = ["system", "task", "epoch", "prediction"]
    newest = af.read_logs(tmp_path, runs="newest")
    assert newest.select(columns).rows() == [("m", "x", 1, "new"), ("m", "y", 1, "old")]
    repeats = af.read_logs({"m": run}, runs="all", unmatched="keep")
    assert repeats.select(columns).rows() == [
        ("m", "x", 1, "old"),
        ("m", "x", 2, "new"),
        ("m", "y", 1, "old"),
    ]
    both = af.read_logs(sorted(run.glob("samples_x_*")))
    assert both.select("system", "prediction").rows() == [(OLD, "old"), (NEW, "new")]
    with pytest.raises(ValueError, match="runs must be one of 'error', 'newest', 'all'"):
        af.read_logs(run, runs="last")  # type: ignore[arg-type]


def test_the_newest_runs_are_read_of_files_that_are_listed_too(tmp_path: Path) -> None:
    for model in ("m1", "m2"):
        write_run(tmp_path / model, {"x": {0: "x 0", 1: "old"}}, OLD, model)
        write_run(tmp_path / model, {"x": {0: "x 0", 1: f"x {model[1]}"}}, NEW, model)
    files = sorted(tmp_path.glob("*/*.jsonl"))
    assert len(files) == 4

    whole = af.read_logs(tmp_path, runs="newest")
    assert whole["prediction"].to_list() == ["x 0", "x 1", "x 0", "x 2"]
    assert_frame_equal(af.read_logs(files, runs="newest"), whole)
    by_name = {model: sorted((tmp_path / model).glob("*.jsonl")) for model in ("m1", "m2")}
    assert_frame_equal(af.read_logs(by_name, runs="newest"), whole)
    assert af.read_logs(by_name)["epoch"].to_list() == [1, 1, 2, 2] * 2  # all, without the option

    newest = af.readers.Reading(runs="newest", system_column="model")
    comparison = af.readers.compare_files(files, newest, metrics="exact_match", missing="empty")
    assert sorted(comparison.systems) == ["m1", "m2"]
    assert comparison.overall["difference"].item() == -0.5
    (report,) = [af.readers.report_files(by_name["m1"], af.readers.Reading(runs="newest"))]
    assert report.overall["n"] == 2
    for result in (report, comparison, af.report(whole, "prediction", "answers")):
        assert "|where:runs = newest|" in result.signature


def test_files_of_few_models_are_told_how_they_belong_together(tmp_path: Path) -> None:
    for index, model in enumerate(("org/a", "org/b")):
        for task in ("x", "y"):
            write_run(tmp_path / f"{index}{task}", {task: {0: task}}, NEW, model)

    with pytest.raises(af.InputError, match="files of one model: list the files of each under one name"):
        af.read_logs(tmp_path)
    by_model = {f"m{index}": [tmp_path / f"{index}x", tmp_path / f"{index}y"] for index in (0, 1)}
    assert af.read_logs(by_model)["task"].unique().sort().to_list() == ["x", "y"]
