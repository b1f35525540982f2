"""
Files of the shape that harnesses write.

The fixtures follow the writers of lmms-eval 0.7.3, lm-eval 0.4.13, Inspect 0.3.285 and VLMEvalKit (2026).
"""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

ROWS = [
    ("Which brand?", ["Coca Cola", "Coca Cola Company"], "CocaCola"),
    ("Which year?", ["1999"], "2013"),
    ("Quoted?", ['it\'s "so"', "[so]"], 'it\'s "so"'),
]
EXPECTED = {
    "question_id": ["0", "1", "2"],
    "prediction": [prediction for _, _, prediction in ROWS],
    "answers": [answers for _, answers, _ in ROWS],
}


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def problem(read: Callable[..., pl.DataFrame], path: Path, **options: Any) -> tuple[str, str]:
    with pytest.raises(af.InputError) as raised:
        read(path, **options)
    assert raised.value.total == 1, raised.value
    return raised.value.problems[0][1:]


def lmms_sample(index: int, prediction: Any, answers: Any, question: str = "Q?") -> dict[str, Any]:
    return {
        "doc_id": index,
        "target": str(answers),
        "filtered_resps": prediction,
        "token_counts": [{"output_tokens": 3}],
        "doc_hash": "5f" * 32,
        "anls": 0.5,
        "submission": {"questionId": index, "answer": prediction},
        "input": f"{question}\nAnswer the question using a single word or phrase.",
    }


def lm_sample(index: int, prediction: str, answers: Any, **fields: Any) -> dict[str, Any]:
    return {
        "doc_id": index,
        "doc": {"question": "Q?", "question_types": ["form"], "docId": 40 + index, "id": f"x{index}"},
        "target": str(answers),
        "arguments": {"gen_args_0": {"arg_0": "Q?", "arg_1": {"until": ["\n"]}}},
        "resps": [[f" {prediction}"]],
        "filtered_resps": [prediction],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": "a" * 64,
        "prompt_hash": "b" * 64,
        "target_hash": "c" * 64,
        "exact_match": 1.0,
        **fields,
    }


def inspect_sample(index: int, prediction: str, answers: list[str], **fields: Any) -> dict[str, Any]:
    return {
        "id": index,
        "epoch": 1,
        "input": [
            {"role": "system", "content": "Answer."},
            {"role": "user", "content": [{"type": "image", "image": "x"}, {"type": "text", "text": "Q?"}]},
        ],
        "target": answers,
        "output": {
            "model": "m",
            "choices": [{"message": {"role": "assistant", "content": prediction}, "stop_reason": "stop"}],
            "completion": prediction,
        },
        "scores": {"anls": {"value": 0.75, "answer": prediction.lower(), "metadata": {}, "history": []}},
        "metadata": {"docId": f"d{index}", "document_type": "form"},
        **fields,
    }


def inspect_log(samples: list[dict[str, Any]], status: str = "success") -> dict[str, Any]:
    return {"version": 2, "status": status, "eval": {"task": "docvqa"}, "results": None, "samples": samples}


@pytest.mark.parametrize("nested", [0, 1, 2])
def test_lmms_eval_samples_old_and_new(tmp_path: Path, nested: int) -> None:
    def wrapped(text: str) -> Any:
        value: Any = text
        for _ in range(nested):
            value = [value]
        return value

    samples = [
        lmms_sample(index, wrapped(prediction), answers, question)
        for index, (question, answers, prediction) in enumerate(ROWS)
    ]

    frame = af.read_lmms_eval(write_lines(tmp_path / "20261121_samples_docvqa_val.jsonl", samples))

    assert frame.select(*EXPECTED).to_dict(as_series=False) == EXPECTED
    assert frame["question"][0].startswith("Which brand?\nAnswer")
    assert frame["anls"].to_list() == [0.5] * 3
    assert json.loads(frame["submission"][0])["questionId"] == 0


def test_lmms_eval_test_splits_have_no_answers(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples.jsonl", [lmms_sample(0, "a", None), lmms_sample(1, "b", None)])

    assert problem(af.read_lmms_eval, path) == (
        "",
        "no answers in 2 rows, as in a test split; there is nothing to score",
    )


def test_multiple_choice_samples_have_no_single_response(tmp_path: Path) -> None:
    samples = [lmms_sample(0, "a", ["a"]), lmms_sample(1, [["-3.0", "False"], ["-4.0", "True"]], "1")]

    assert problem(af.read_lmms_eval, write_lines(tmp_path / "samples.jsonl", samples)) == (
        "line 2",
        "2 responses, as multiple-choice tasks have them; one text is due",
    )


def test_a_file_of_something_else_is_no_file_of_samples(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "results.jsonl", [{"results": {}}])

    assert problem(af.read_lmms_eval, path) == (
        "line 1",
        "no doc_id and no target and no filtered_resps: is this a file of logged samples?",
    )
    with pytest.raises(af.InputError, match=r"samples are logged as \.jsonl"):
        af.read_lmms_eval(tmp_path / "results.json")


def test_samples_of_lm_evaluation_harness(tmp_path: Path) -> None:
    samples = [lm_sample(index, prediction, answers) for index, (_, answers, prediction) in enumerate(ROWS)]

    frame = af.read_lm_eval(write_lines(tmp_path / "samples_docqa_2026.jsonl", samples))

    assert frame.select(*EXPECTED).to_dict(as_series=False) == EXPECTED
    assert frame["question_types"].to_list() == [["form"]] * 3
    assert frame["doc_id"].to_list() == ["40", "41", "42"]
    assert frame["id"].to_list() == ["x0", "x1", "x2"]
    assert frame["exact_match"].dtype == pl.Float64


def test_of_several_filters_one_is_named(tmp_path: Path) -> None:
    samples = [
        lm_sample(index, f"{name} {index}", ["a"], filter=name)
        for index in (0, 1)
        for name in ("strict", "loose")
    ]
    path = write_lines(tmp_path / "samples.jsonl", samples)

    assert problem(af.read_lm_eval, path) == (
        "",
        "holds several values of filter: loose, strict; name one: filter=...",
    )
    assert af.read_lm_eval(path, filter="loose")["prediction"].to_list() == ["loose 0", "loose 1"]
    assert problem(af.read_lm_eval, path, filter="none")[1].startswith("no filter 'none'")


@pytest.mark.parametrize("kind", ["json", "eval"])
def test_logs_of_inspect(tmp_path: Path, kind: str) -> None:
    samples = [
        inspect_sample(index, prediction, answers) for index, (_, answers, prediction) in enumerate(ROWS)
    ]
    path = tmp_path / f"log.{kind}"
    log = inspect_log(samples)
    if kind == "json":
        path.write_text(json.dumps(log), encoding="utf-8")
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("_journal/start.json", "{}")
            for sample in samples:
                archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
            archive.writestr("header.json", json.dumps({**log, "samples": None}))

    frame = af.read_inspect(path)

    assert frame.select(*EXPECTED).to_dict(as_series=False) == EXPECTED
    assert frame["question"].to_list() == ["Q?"] * 3
    assert frame["doc_id"].to_list() == ["d0", "d1", "d2"]
    assert frame["document_type"].to_list() == ["form"] * 3
    assert frame["anls"].to_list() == [0.75] * 3
    assert af.read_inspect(path, scorer="anls")["prediction"][0] == "cocacola"
    assert problem(af.read_inspect, path, scorer="f1") == ("", "no scorer 'f1'; there are anls")


def test_attachments_failed_samples_and_nan_scores_of_inspect(tmp_path: Path) -> None:
    failed = inspect_sample(1, "", ["a"], error={"message": "refused"})
    failed["output"] = {"model": "m", "choices": [], "completion": ""}
    attached = inspect_sample(0, "x", ["a"], input="attachment://abc", attachments={"abc": "Long question?"})
    attached["scores"]["anls"]["value"] = float("nan")
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspect_log([attached, failed])), encoding="utf-8")

    frame = af.read_inspect(path)

    assert frame["question"].to_list() == ["Long question?", "Q?"]
    assert frame["prediction"].to_list() == ["x", None]
    assert frame["error"].to_list() == [None, '{"message": "refused"}']


def test_a_run_that_did_not_succeed_is_read_only_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspect_log([inspect_sample(0, "x", ["a"])], "cancelled")), encoding="utf-8")

    assert problem(af.read_inspect, path)[1].startswith("the run's status is 'cancelled'")
    assert af.read_inspect(path, allow_missing=True).height == 1


def test_of_several_epochs_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    samples = [inspect_sample(0, f"run {epoch}", ["a"], epoch=epoch) for epoch in (1, 2)]
    path.write_text(json.dumps(inspect_log(samples)), encoding="utf-8")

    assert problem(af.read_inspect, path)[1] == "holds several values of epoch: 1, 2; name one: epoch=..."
    assert af.read_inspect(path, epoch=2)["prediction"].item() == "run 2"


@pytest.mark.parametrize("suffix", ["xlsx", "tsv", "json"])
def test_results_of_vlmevalkit(tmp_path: Path, suffix: str) -> None:
    import pandas as pd  # noqa: PLC0415 - what VLMEvalKit writes with

    table = pd.DataFrame(
        {
            "index": [10, 11, 12],
            "question": [question for question, _, _ in ROWS],
            "answer": [str(answers) for _, answers, _ in ROWS],
            "split": "val",
            # As the harness has it: a prediction of digits is a number, in Excel too.
            "prediction": pd.Series(["CocaCola", 2013, ROWS[2][2]], dtype=object),
            "eval_match": ["[0.1, 0.5]", "[1.0]", "[0.0, 0.6]"],
            "eval_score": [0.3, 1.0, 0.3],
        }
    )
    path = tmp_path / f"Model_DocVQA_VAL.{suffix}"
    if suffix == "xlsx":
        table.to_excel(path, index=False, engine="xlsxwriter")
    elif suffix == "tsv":
        table.to_csv(path, sep="\t", index=False, quoting=1)
    else:
        table.to_json(path, orient="records", force_ascii=False)

    frame = af.read_vlmevalkit(path)

    assert frame["question_id"].to_list() == ["10", "11", "12"]
    assert frame["prediction"].to_list() == EXPECTED["prediction"]
    assert frame["answers"].to_list() == EXPECTED["answers"]
    assert frame["split"].to_list() == ["val"] * 3
    # The harness' own value of a row is a distance; the score is another number.
    assert frame.select(af.anls("prediction", "answers", protocol="rrc"))["anls"][2] == 1.0


def test_a_test_split_of_vlmevalkit_has_no_answers(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    path.write_text("index\tquestion\tanswer\tprediction\n1\tQ?\t\tx\n", encoding="utf-8")

    assert problem(af.read_vlmevalkit, path)[1].startswith("no answers in 1 rows")
    path.write_text("index\tquestion\tprediction\n1\tQ?\tx\n", encoding="utf-8")
    assert "no column 'answer'" in problem(af.read_vlmevalkit, path)[1]
