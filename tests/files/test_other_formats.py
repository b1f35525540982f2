"""JSON of tools without a reader: what its error says to do gives the figure worked out by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell

import anls_frame as af

SAMPLES = [
    ("q1", "Total?", "12.50", ["12.50", "12.50 EUR"]),
    ("q2", "Brand?", "coke", ["Pepsi", "Coke"]),
    ("q3", "Who?", None, ["Zoë 😀"]),
    ("q4", "Where?", "1 Main St\nLeeds", ["2 Main St\nLeeds"]),
]
ANLS = (1 + 1 + 0 + 14 / 15) / 4
GOLD = pl.DataFrame({"id": [key for key, *_ in SAMPLES], "answers": [answers for *_, answers in SAMPLES]})


def lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def anls(folder: Path, *arguments: object) -> float:
    done = shell.run(folder, "report", *arguments, "-m", "anls", "--json")
    figure: float = json.loads(shell.fine(done))["tables"]["All rows"][0]["anls"]
    return figure


def batch_of_openai(text: str | None) -> dict[str, Any]:
    if text is None:
        return {"response": None, "error": {"code": "batch_expired", "message": "..."}}
    message = {"role": "assistant", "content": text, "refusal": None}
    choices = [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}]
    body = {"id": "chatcmpl-1", "object": "chat.completion", "choices": choices, "usage": {"total_tokens": 9}}
    return {"response": {"status_code": 200, "request_id": "r", "body": body}, "error": None}


def batch_of_responses(text: str | None) -> dict[str, Any]:
    content = [{"type": "output_text", "annotations": [], "text": text}]
    output = [{"type": "reasoning", "summary": []}, {"type": "message", "content": content}]
    return {"response": {"status_code": 200, "body": {"object": "response", "output": output}}, "error": None}


def batch_of_anthropic(text: str | None) -> dict[str, Any]:
    if text is None:
        return {"result": {"type": "errored", "error": {"type": "invalid_request", "message": "..."}}}
    message = {"role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
    return {"result": {"type": "succeeded", "message": message}}


def batch_of_gemini(text: str | None) -> dict[str, Any]:
    candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "finishReason": "STOP"}
    return {"response": {"candidates": [candidate], "modelVersion": "m"}}


def review_of_evalscope(text: str | None) -> dict[str, Any]:
    score = {"value": {"anls": 0.5}, "extracted_prediction": text, "prediction": text, "metadata": {}}
    return {"index": 0, "input": "?", "sample_score": {"score": score, "group_id": 0}}


@pytest.mark.parametrize(
    ("sample", "own_id", "name"),
    [
        (batch_of_openai, "custom_id", "response.body.choices.0.message.content"),
        (batch_of_responses, "custom_id", "response.body.output.1.content.0.text"),
        (batch_of_anthropic, "custom_id", "result.message.content.0.text"),
        (batch_of_gemini, "key", "response.candidates.0.content.parts.0.text"),
        (review_of_evalscope, "sample_id", "sample_score.score.prediction"),
    ],
)
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_the_hint_names_entries_down_to_the_text(
    tmp_path: Path, sample: Any, own_id: str, name: str, suffix: str
) -> None:
    path = lines(tmp_path / "m.jsonl", [{own_id: key, **sample(text)} for key, _, text, _ in SAMPLES])
    GOLD.write_ndjson(tmp_path / "gold.jsonl")
    if suffix == "parquet":
        if sample is batch_of_responses:
            return  # which entry of a list has which type is not in the schema
        path = tmp_path / "m.parquet"
        pl.read_ndjson(tmp_path / "m.jsonl").write_parquet(path)

    told = shell.run(tmp_path, "report", path.name, "--gold", "gold.jsonl")
    shell.refused(told, "entries of objects are named with dots: ")
    assert name in re.split(r"[,:\n] ?", told.stderr)
    several = sample is batch_of_responses
    done = shell.run(
        tmp_path, "report", path.name, "--gold", "gold.jsonl", "-p", name, "--id", own_id, "--json"
    )
    assert ("only entry 1 is read of 4 lists" in done.stderr) == several
    overall = json.loads(done.stdout)["tables"]["All rows"][0]
    assert (overall["n"], overall["anls"]) == (4, pytest.approx(ANLS, abs=1e-12))


def test_events_of_openai_evals_are_read_as_the_guide_says(tmp_path: Path) -> None:
    def event(number: int, kind: str, sample: str, **data: Any) -> dict[str, Any]:
        return {"run_id": "r", "event_id": number, "sample_id": sample, "type": kind, "data": data}

    events: list[dict[str, Any]] = [{"spec": {"completion_fns": ["m"], "eval_name": "qa.dev.v0"}}]
    for key, question, text, answers in SAMPLES:
        events.append(event(len(events), "sampling", key, prompt=question, sampled=[text]))
        matched = {"expected": answers, "picked": None, "sampled": text, "options": answers}
        events.append(event(len(events), "match", key, correct=text in answers, **matched))
    log = lines(tmp_path / "log.jsonl", [*events, {"final_report": {"accuracy": 0.25}}])

    shell.refused(shell.run(tmp_path, "report", "log.jsonl"), "no column with the prediction")
    guide = " ".join(Path(__file__).parents[2].joinpath("docs/logs.md").read_text(encoding="utf-8").split())
    [pattern] = re.findall(r"`grep '(.*?)'`", guide)
    [options] = re.findall(r"and pass `(-p data.*?)`", guide)
    names = options.split()
    kept = {
        kind: [line for line in log.read_text("utf-8").splitlines() if pattern.replace("match", kind) in line]
        for kind in ("match", "sampling")
    }
    for kind, of_kind in kept.items():
        lines(tmp_path / f"{kind}.jsonl", list(map(json.loads, of_kind)))
    assert anls(tmp_path, "match.jsonl", *names) == pytest.approx(ANLS, abs=1e-12)
    assert anls(tmp_path, "sampling.jsonl", "--gold", "match.jsonl", *names) == pytest.approx(ANLS, abs=1e-12)


def test_files_of_helm_are_read_as_the_guide_says(tmp_path: Path) -> None:
    def reference(text: str, *tags: str) -> dict[str, Any]:
        return {"output": {"text": text}, "tags": list(tags)}

    predictions = [
        {"instance_id": key, "train_trial_index": 0, "predicted_text": text or "", "stats": {"f1_score": 0.5}}
        for key, _, text, _ in SAMPLES
    ]
    instances = [
        {
            "input": {"text": question},
            "references": [*(reference(answer, "correct") for answer in answers), reference("12")],
            "split": "test",
            "id": key,
        }
        for key, question, _, answers in SAMPLES
    ]
    for name, value in {"display_predictions": predictions, "instances": instances}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    for arguments in (
        ["display_predictions.json"],
        [
            "display_predictions.json",
            "-p",
            "predicted_text",
            "--id",
            "instance_id",
            "--gold",
            "instances.json",
        ],
        ["instances.json"],
    ):
        shell.refused(shell.run(tmp_path, "report", *arguments))
    gold = [
        {
            "id": one["id"],
            "answers": [r["output"]["text"] for r in one["references"] if "correct" in r["tags"]],
        }
        for one in instances
    ]
    lines(tmp_path / "gold.jsonl", gold)
    named = ("--prediction", "predicted_text", "--id", "instance_id", "--gold", "gold.jsonl")
    assert anls(tmp_path, "display_predictions.json", *named) == pytest.approx(ANLS, abs=1e-12)


def test_questions_of_squad_are_refused_as_gold(tmp_path: Path) -> None:
    questions = [{"id": "1", "question": "?", "answers": [{"text": "a", "answer_start": 3}]}]
    articles = [{"title": "A", "paragraphs": [{"context": "...", "qas": questions}]}]
    (tmp_path / "dev.json").write_text(json.dumps({"version": "v2.0", "data": articles}), encoding="utf-8")
    (tmp_path / "predictions.json").write_text('{"1": "b"}', encoding="utf-8")
    for read in (
        lambda: af.read_logs(tmp_path / "predictions.json", gold=tmp_path / "dev.json"),
        lambda: af.read_results(tmp_path / "dev.json"),
    ):
        with pytest.raises(af.InputError, match="write a list of the questions, each with its id and"):
            read()
    (tmp_path / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    gold = af.readers.Reading(gold=tmp_path / "questions.json")
    report = af.readers.report_files(tmp_path / "predictions.json", gold)
    assert (report.overall["n"], report.overall["anls"]) == (1, 0)


@pytest.mark.parametrize(
    ("entries", "file", "says"),
    [
        (["_delta_log/00000000000000000000.json"], "part-0.parquet", "polars.scan_delta('FOLDER')"),
        (["_delta_log/00000000000000000000.json"], "lang=de/part-0.parquet", "polars.scan_delta('FOLDER')"),
        (["metadata/00001-4f1c.metadata.json"], "data/00000-0-4f1c.parquet", "polars.scan_iceberg('NEWEST')"),
        (["state.json", "dataset_info.json"], "rows.parquet", "datasets.load_from_disk('FOLDER')"),
        (["_temporary/0/part-1.parquet"], "part-0.parquet", "has not ended, or failed"),
    ],
)
def test_folders_whose_files_are_not_their_rows_are_refused_in_every_way(
    tmp_path: Path, entries: list[str], file: str, says: str
) -> None:
    table = tmp_path / "table"
    for name in (*entries, file):
        (table / name).parent.mkdir(parents=True, exist_ok=True)
        (table / name).write_text('{"commitInfo":{"operation":"DELETE"}}\n')
    rows = GOLD.select(prediction=pl.col("answers").list.first(), answers="answers")
    rows.write_parquet(table / file)
    rows.write_parquet((table / file).with_name("removed.parquet"))

    given = table / file
    for name in (table, given, given.parent / "*.parquet"):
        for read in (af.readers.report_files, af.read_logs):
            with pytest.raises(af.InputError, match=re.escape(says)) as raised:
                read(name)
            assert {one.file for one in raised.value.problems} == {str(table)}
    for read in (af.read_results, af.scan_results):
        with pytest.raises(af.InputError, match=re.escape(says)):
            read(given)
    for command in ("report", "overview", "score"):
        shell.refused(shell.run(tmp_path, command, f"table/{file}"), says)
    # Predictions that were saved in a folder of the table are none of its files.
    (table / "predictions").mkdir()
    rows.write_parquet(table / "predictions" / "model.parquet")
    assert af.read_results(table / "predictions" / "model.parquet").height == 4
    # Neither is a table of text beside them, unless a job that has not ended writes it.
    pl.DataFrame({"prediction": ["a"], "answers": ["a"]}).write_csv(table / "results.csv")
    if "_temporary" in entries[0]:
        with pytest.raises(af.InputError, match=re.escape(says)):
            af.read_results(table / "results.csv")
    else:
        assert af.readers.report_files(table / "results.csv").overall["n"] == 1
    (table / entries[0].partition("/")[0]).rename(tmp_path / "elsewhere")
    assert af.read_results(given).height == 4


@pytest.mark.parametrize(
    ("write", "read"),
    [(pl.DataFrame.write_ipc, pl.read_ipc), (pl.DataFrame.write_ipc_stream, pl.read_ipc_stream)],
)
def test_tables_of_arrow_are_read_as_the_error_says(tmp_path: Path, write: Any, read: Any) -> None:
    rows = pl.DataFrame({"id": ["1", "2"], "prediction": ["Coke", None], "answers": [["coke", "x"], ["y"]]})
    path = tmp_path / "rows.arrow"
    write(rows, path)
    with pytest.raises(af.InputError, match=f"write its rows to a Parquet file.*{read.__name__}"):
        af.read_results(path)
    read(path).write_parquet(tmp_path / "rows.parquet")
    assert af.readers.report_files(tmp_path / "rows.parquet").overall["anls"] == 0.5
