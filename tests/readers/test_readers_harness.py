"""
Files of the shape that harnesses write.

The fixtures follow the writers of lmms-eval 0.7.3, lm-eval 0.4.13, Inspect 0.3.285 and VLMEvalKit (2026).
"""

from __future__ import annotations

import gc
import itertools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame.frames import origins

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

    frame = af.readers.read_lmms_eval(write_lines(tmp_path / "20261121_samples_docvqa_val.jsonl", samples))

    assert frame.select(*EXPECTED).to_dict(as_series=False) == EXPECTED
    assert frame["question"][0].startswith("Which brand?\nAnswer")
    assert frame["anls"].to_list() == [0.5] * 3
    # Metrics that are objects, and the counts of the one request, are columns.
    assert frame["submission_questionId"].to_list() == [0, 1, 2]
    assert frame["output_tokens"].to_list() == [3] * 3


def test_lmms_eval_test_splits_have_no_answers(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples.jsonl", [lmms_sample(0, "a", None), lmms_sample(1, "b", None)])

    assert problem(af.readers.read_lmms_eval, path) == (
        "",
        "no answers in 2 rows, as in a test split; there is nothing to score",
    )


OWN = {
    "prediction": "of its own",
    "answers": ["also"],
    "question_id": 99,
    "anls": "x",
    "epoch": "Edo",
    "a_b": 1,
}


def test_documents_with_keys_that_are_data_are_refused(tmp_path: Path) -> None:
    samples = [{**lm_sample(index, "x", ["a"]), "doc": {f"key {index}": 1}} for index in range(5000)]

    message = problem(af.readers.read_lm_eval, write_lines(tmp_path / "samples.jsonl", samples))[1]

    assert message.endswith("('key 4997', 'key 4998', 'key 4999'); move keys that are data into values")


SOURCES = ("", "doc_", "metadata_", "sample_", "score_", "score_value_", "metric_")
ROLES = ("prediction", "answers", "question_id", "question", "question_types", "docId")
OTHERS = ("epoch", "model", "error", "resps", "input", "grade", "a", "a_b", "a_answer", "a_grade", "_", "")
NAMES = st.builds(str.__add__, st.sampled_from(SOURCES), st.sampled_from([*ROLES, *OTHERS]))
FIELDS = st.dictionaries(NAMES, st.just(None), max_size=6)
SCORES = st.dictionaries(NAMES, FIELDS, max_size=4)


def found(row: dict[str, Any]) -> set[str]:
    """All texts of a row, those in lists as well."""
    return {text for value in row.values() for text in (value if isinstance(value, list) else [value])}


@given(
    rows=st.lists(
        st.fixed_dictionaries({"own": FIELDS, "doc": FIELDS, "scores": SCORES}),
        min_size=1,
        max_size=4,
    )
)
@settings(deadline=None)
def test_no_field_is_lost_whatever_it_is_called(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    # Each field gets a text that is nowhere else, which has to turn up in its row.
    folder, texts = tmp_path_factory.mktemp("names"), map("text {}".format, itertools.count())

    def filled(fields: dict[str, Any]) -> dict[str, str]:
        return {name: next(texts) for name in fields}

    logged, inspected, expected = [], [], []
    for index, row in enumerate(rows):
        doc, own = filled(row["doc"]), filled(row["own"])
        metrics = {f"metric {name}": filled(fields) for name, fields in row["scores"].items()}
        logged.append({**own, **lm_sample(index, "x", ["y"]), **metrics, "doc": doc})
        own = {name: text for name, text in own.items() if logged[-1][name] == text}
        scores: dict[str, Any] = {
            name: {"value": filled(fields), "answer": next(texts), "metadata": filled(fields)}
            for name, fields in row["scores"].items()
        }
        inspected.append(inspect_sample(index, "x", ["y"], metadata=doc, scores=scores))
        documents = set(doc.values())
        in_sample = {value for fields in (own, *metrics.values()) for value in fields.values()}
        in_scores = {
            value
            for score in scores.values()
            for value in [*score["value"].values(), score["answer"], *score["metadata"].values()]
        }
        expected.append((documents | in_sample, documents | in_scores))
    log = folder / "log.json"
    log.write_text(json.dumps(inspect_log(inspected)), encoding="utf-8")

    frames = (
        af.readers.read_lm_eval(write_lines(folder / "samples.jsonl", logged)),
        af.readers.read_inspect(log),
    )

    for which, frame in enumerate(frames):
        for index, row in enumerate(frame.iter_rows(named=True)):
            assert (row["question_id"], row["prediction"], row["answers"]) == (str(index), "x", ["y"])
            assert expected[index][which] <= found(row)


def test_the_prompt_is_kept_beside_the_question_of_the_document(tmp_path: Path) -> None:
    sample = {
        **lmms_sample(0, "x", ["a"]),
        "doc": {"question": "Short?", "question_types": {"not": "a list"}},
    }

    frame = af.readers.read_lmms_eval(write_lines(tmp_path / "samples.jsonl", [sample]))

    assert frame["question"].to_list() == ["Short?"]
    assert frame["input"].to_list() == [sample["input"]]
    assert frame["doc_question_types"].to_list() == ['{"not": "a list"}']


def test_of_several_responses_one_is_named(tmp_path: Path) -> None:
    rounds = [["first", "second", "third"], [["first", "last"]]]
    path = write_lines(
        tmp_path / "samples.jsonl", [lmms_sample(index, one, ["a"]) for index, one in enumerate(rounds)]
    )

    place, message = problem(af.readers.read_lmms_eval, path)
    assert place == "line 1"
    assert message == (
        "has 3 responses for one sample, from rounds or repeats; "
        "choose one with response=... (1 is the first, -1 the last)"
    )
    assert af.readers.read_lmms_eval(path, response=1)["prediction"].to_list() == ["first", "first"]
    assert af.readers.read_lmms_eval(path, response=-1)["prediction"].to_list() == ["third", "last"]
    assert problem(af.readers.read_lmms_eval, path, response=3) == ("line 2", "no response 3; there are 2")
    with pytest.raises(ValueError, match="response must be an integer other than 0, or 'all', got 0"):
        af.readers.read_lmms_eval(path, response=0)

    frame = af.readers.read_lmms_eval(path, response="all")
    assert frame.select("question_id", "epoch", "prediction").rows() == [
        ("0", 1, "first"),
        ("0", 2, "second"),
        ("0", 3, "third"),
        ("1", 1, "first"),
        ("1", 2, "last"),
    ]
    # The metric is of all rounds.
    assert frame["anls"].to_list() == [0.5] * 5


def test_each_repeat_is_a_row_where_the_filter_selected_one_of_them(tmp_path: Path) -> None:
    lmms = {**lmms_sample(0, "b", ["a"]), "resps": ["a", "b", "a"], "epoch": 7}
    lm = lm_sample(0, "b", ["a"], resps=[["a", "b", "a"]], epoch=7)

    for read, sample, metric in (
        (af.readers.read_lmms_eval, lmms, "anls"),
        (af.readers.read_lm_eval, lm, "exact_match"),
    ):
        frame = read(write_lines(tmp_path / "samples.jsonl", [sample]), response="all")
        assert frame["epoch"].to_list() == [1, 2, 3]
        assert frame["prediction"].to_list() == ["a", "b", "a"]
        assert frame["resps"].to_list() == [["a"], ["b"], ["a"]]
        # What the harness wrote of one response is in its row.
        assert frame[metric].to_list() == [None, sample[metric], None]
        assert frame["metric_epoch"].to_list() == [None, 7, None]
        assert frame["doc_hash"].n_unique() == 1
        if "output_tokens" in frame.columns:
            assert frame["output_tokens"].to_list() == [3, None, None]

    single = write_lines(tmp_path / "samples.jsonl", [lm_sample(0, "x", ["a"])])
    assert_frame_equal(
        af.readers.read_lm_eval(single, response="all").drop("epoch"), af.readers.read_lm_eval(single)
    )


def test_each_filtered_response_is_a_row_with_its_raw_one(tmp_path: Path) -> None:
    # `take_first_k` after `regex`.
    sample = lm_sample(0, "", ["4"], resps=[["is 4", "is 5"]], filtered_resps=[["4", "5"]])

    frame = af.readers.read_lm_eval(write_lines(tmp_path / "samples.jsonl", [sample]), response="all")

    assert frame.select("epoch", "prediction", "resps", "exact_match").rows() == [
        (1, "4", ["is 4"], 1.0),
        (2, "5", ["is 5"], 1.0),
    ]


LM_EVAL = Path(__file__).parent / "lm_eval"


def test_what_lm_evaluation_harness_wrote_with_repeats_is_read_field_by_field() -> None:
    path = LM_EVAL / "samples_first.jsonl"
    logged = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    one, every = af.readers.read_lm_eval(path), af.readers.read_lm_eval(path, response="all")

    assert one["prediction"].to_list() == [sample["filtered_resps"][0] for sample in logged]
    assert one["resps"].to_list() == [sample["resps"][0] for sample in logged]
    for frame in (one, every):
        rows = frame.iter_rows(named=True)
        for sample in logged:
            for epoch, text in enumerate(sample["resps"][0] if frame is every else sample["filtered_resps"]):
                row = next(rows)
                document = sample["doc"]
                assert row.get("epoch", 1) == epoch + 1
                assert (row["question_id"], row["prediction"]) == (str(sample["doc_id"]), text)
                assert row["answers"] == document["answers"]
                assert row["question"] == document["question"]
                assert row["question_types"] == document["question_types"]
                assert row["doc_id"] == document["docId"]
                assert row["doc_prediction"] == document["prediction"]
                assert row["exact_match"] == (sample["exact_match"] if epoch == 0 else None)
                assert json.loads(row["arguments"]) == sample["arguments"]
                for name in ("filter", "metrics", "doc_hash", "prompt_hash", "target_hash"):
                    assert row[name] == sample[name]
        assert next(rows, None) is None


@pytest.mark.parametrize("name", ["one", "vote"])
def test_responses_that_a_filter_changed_are_not_taken_for_others(name: str) -> None:
    path = LM_EVAL / "samples_numbers.jsonl"
    logged = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    logged = [sample for sample in logged if sample["filter"] == name]

    frame = af.readers.read_lm_eval(path, filter=name, response="all")

    assert frame["epoch"].to_list() == [1, 1, 1]
    assert frame["prediction"].to_list() == [sample["filtered_resps"][0] for sample in logged]
    assert frame["resps"].to_list() == [sample["resps"][0] for sample in logged]
    assert frame["exact_match"].to_list() == [sample["exact_match"] for sample in logged]


def test_multiple_choice_samples_have_no_single_response(tmp_path: Path) -> None:
    samples = [lmms_sample(0, "a", ["a"]), lmms_sample(1, [["-3.0", "False"], ["-4.0", "True"]], "1")]

    assert problem(af.readers.read_lmms_eval, write_lines(tmp_path / "samples.jsonl", samples)) == (
        "line 2",
        "the response must be one string, got 2 responses, as in multiple-choice tasks",
    )
    with pytest.raises(af.InputError, match=r"name the files of the other tasks only, such as 'logs/\*/"):
        af.readers.read_lmms_eval(tmp_path / "samples.jsonl")


def test_scores_of_multiple_choice_samples_are_reported_as_the_error_says(tmp_path: Path) -> None:
    choices = [["-3.0", "False"], ["-4.0", "True"]]
    for name, right in {"a": [1.0, 0.0, 1.0], "b": [0.0, 0.0, 1.0]}.items():
        samples = [lmms_sample(row, choices, "1") | {"acc": acc} for row, acc in enumerate(right)]
        write_lines(tmp_path / f"{name}.jsonl", samples)

    told = shell.run(tmp_path, "report", "a.jsonl")
    shell.refused(told, "For a score that they log, pass --reader table and --metric acc")
    named = ("--reader", "table", "--metric", "acc", "--json")
    done = shell.run(tmp_path, "report", "a.jsonl", *named)
    assert json.loads(shell.fine(done))["tables"]["All rows"][0]["acc"] == 2 / 3
    shell.refused(shell.run(tmp_path, "compare", "a.jsonl", "b.jsonl", *named), "their column with --id")
    done = shell.run(tmp_path, "compare", "a.jsonl", "b.jsonl", "--id", "doc_id", *named)
    assert json.loads(shell.fine(done))["tables"]["All rows"][0]["difference"] == pytest.approx(-1 / 3)


@pytest.mark.parametrize("response", [None, 1, -1, "all"])
@pytest.mark.parametrize("likelihood", [["-36.7", "False"], [-36.7, True]])
def test_a_likelihood_beside_a_text_is_no_response(tmp_path: Path, likelihood: Any, response: Any) -> None:
    # As squadv2 of the LM evaluation harness logs the likelihood of "unanswerable".
    samples = [
        {"doc_id": 0, "doc": {}, "target": "a", "filtered_resps": ["text", likelihood], "arguments": []},
        {"doc_id": 1, "doc": {}, "target": "a", "filtered_resps": [likelihood, ""], "arguments": []},
    ]

    frame = af.readers.read_lm_eval(write_lines(tmp_path / "samples.jsonl", samples), response=response)

    assert frame["prediction"].to_list() == ["text", ""]


def test_a_file_of_something_else_is_no_file_of_samples(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "results.jsonl", [{"results": {}}])

    assert problem(af.readers.read_lmms_eval, path) == (
        "line 1",
        "no doc_id and no target and no filtered_resps: is this a file of logged samples?",
    )
    with pytest.raises(af.InputError, match=r"logged samples must be a \.jsonl file"):
        af.readers.read_lmms_eval(tmp_path / "results.json")


def test_a_target_that_the_document_has_as_a_text_is_one(tmp_path: Path) -> None:
    documents = [{"answer": "[1871]"}, {"answers": [1871]}, {"answer": "[]"}, {"answers": "['a', 'b']"}]
    samples = [
        {**lm_sample(index, "x", next(iter(document.values()))), "doc": document}
        for index, document in enumerate(documents)
    ]

    frame = af.readers.read_lm_eval(write_lines(tmp_path / "samples.jsonl", samples))

    assert frame["answers"].to_list() == [["[1871]"], ["1871"], ["[]"], ["a", "b"]]


def test_of_several_filters_one_is_named(tmp_path: Path) -> None:
    samples = [
        lm_sample(index, f"{name} {index}", ["a"], filter=name)
        for index in (0, 1)
        for name in ("strict", "loose")
    ]
    path = write_lines(tmp_path / "samples.jsonl", samples)

    assert problem(af.readers.read_lm_eval, path) == (
        "",
        "has responses after several filters: 'loose', 'strict'; choose one with filter=...",
    )
    assert af.readers.read_lm_eval(path, filter="loose")["prediction"].to_list() == ["loose 0", "loose 1"]
    assert problem(af.readers.read_lm_eval, path, filter="none")[1].startswith("no filter 'none'")


def test_a_task_without_filters_is_read_whichever_filter_other_tasks_need(tmp_path: Path) -> None:
    unfiltered = write_lines(tmp_path / "samples.jsonl", [lm_sample(0, "x", ["a"], filter="none")])
    assert af.readers.read_lm_eval(unfiltered, filter="strict")["prediction"].to_list() == ["x"]

    loose = write_lines(tmp_path / "loose.jsonl", [lm_sample(0, "x", ["a"], filter="loose")])
    assert problem(af.readers.read_lm_eval, loose, filter="strict")[1] == (
        "no filter 'strict'; available: 'loose'"
    )


def test_attachments_failed_samples_and_nan_scores_of_inspect(tmp_path: Path) -> None:
    failed = inspect_sample(1, "", ["a"], error={"message": "refused"})
    failed["output"] = {"model": "m", "choices": [], "completion": ""}
    attached = inspect_sample(0, "x", ["a"], input="attachment://abc", attachments={"abc": "Long question?"})
    attached["scores"]["anls"]["value"] = float("nan")
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspect_log([attached, failed])), encoding="utf-8")

    frame = af.readers.read_inspect(path)

    assert frame["question"].to_list() == ["Long question?", "Q?"]
    assert frame["prediction"].to_list() == ["x", None]
    assert frame["error"].to_list() == [None, "refused"]
    assert frame["anls"].to_list() == [None, 0.75]


def test_no_field_of_a_sample_of_inspect_takes_the_place_of_another(tmp_path: Path) -> None:
    sample = inspect_sample(
        0, "x", ["a"], metadata={**OWN, "model": "own", "error": "own", "question": "Short?"}
    )
    sample["scores"] = {
        "prediction": {"value": {"answer": 1, "b": "P"}, "answer": "an answer"},
        "answers": {"value": "A"},
        "epoch": {"value": [1, 2], "metadata": {"why": "so"}},
        "anls": {"value": True},
    }
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspect_log([sample])), encoding="utf-8")

    row = af.readers.read_inspect(path).row(0, named=True)

    expected = {
        "question_id": "0",
        "prediction": "x",
        "answers": ["a"],
        "epoch": 1,
        "task": "docvqa",
        "model": "m",
        "question": "Short?",
        "input": "Q?",
        "score_answers": "A",
        "score_epoch": "[1, 2]",
        "epoch_why": "so",
        "prediction_answer": 1,
        "score_field_prediction_answer": "an answer",
        "prediction_b": 0.5,
        "prediction_b_grade": "P",
        "anls": 1.0,
        "error": "own",
        "metadata_prediction": "of its own",
        "metadata_answers": ["also"],
        "metadata_question_id": 99,
        "metadata_anls": "x",
        "metadata_epoch": "Edo",
        "metadata_model": "own",
        "a_b": 1,
    }
    assert row == expected


def test_letters_are_numbers_where_all_are_grades_of_inspect(tmp_path: Path) -> None:
    values = {"plain": "CIPN", "options": "ABCI", "mixed": ["C", 0.25, True, float("nan")]}
    samples = [
        inspect_sample(
            index, "x", ["a"], scores={name: {"value": row[index]} for name, row in values.items()}
        )
        for index in range(4)
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspect_log(samples)), encoding="utf-8")

    frame = af.readers.read_inspect(path)

    assert frame["plain"].to_list() == [1.0, 0.0, 0.5, 0.0]
    assert frame["plain_grade"].to_list() == list("CIPN")
    assert frame["options"].to_list() == list("ABCI")
    assert "options_grade" not in frame.columns
    assert frame["mixed"].to_list() == [1.0, 0.25, 1.0, None]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"scores": [1]}, "'scores' must be an object, got a list"),
        ({"scores": {"f1": 1}}, "the score of 'f1' must be an object, got the value 1"),
        ({"metadata": "text"}, "'metadata' must be an object, got a string"),
        ({"output": []}, "'output' must be an object, got a list"),
        ({"output": {"choices": {}}}, "'choices' must be a list, got an object"),
        ({"attachments": 3}, "'attachments' must be an object, got the value 3"),
        ({"model_usage": [1]}, "'model_usage' must be an object, got a list"),
        ({"epoch": "one"}, "the epoch must be an integer, got a string"),
        ({"id": {"a": 1}}, "the id must be a string or a number, got an object"),
        ({"target": {"a": 1}}, "'answers' must be a list of strings, got an object"),
    ],
)
def test_fields_of_another_kind_are_problems_with_their_place(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    path = tmp_path / "log.json"
    samples = [inspect_sample(0, "x", ["a"]), inspect_sample(1, "x", ["a"], **fields)]
    path.write_text(json.dumps(inspect_log(samples)), encoding="utf-8")

    assert problem(af.readers.read_inspect, path) == ("samples[1]", message)


def test_a_run_that_did_not_succeed_is_read_only_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspect_log([inspect_sample(0, "x", ["a"])], "cancelled")), encoding="utf-8")

    assert problem(af.readers.read_inspect, path)[1].startswith("the run's status is 'cancelled'")
    assert af.readers.read_inspect(path, allow_missing=True).height == 1


def test_every_epoch_has_a_row(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    samples = [
        inspect_sample(index, f"run {epoch} of {index}", ["a"], epoch=epoch)
        for epoch in (1, 2)
        for index in (0, 1)
    ]
    path.write_text(json.dumps(inspect_log(samples)), encoding="utf-8")

    frame = af.readers.read_inspect(path)

    assert frame.select("question_id", "epoch").rows() == [("0", 1), ("1", 1), ("0", 2), ("1", 2)]
    assert frame["prediction"].to_list() == ["run 1 of 0", "run 1 of 1", "run 2 of 0", "run 2 of 1"]
    assert af.readers.read_file(path, epoch=2)["prediction"].to_list() == ["run 2 of 0", "run 2 of 1"]
    with pytest.raises(ValueError, match=r"^epoch=3: there is no such epoch among 1, 2$"):
        af.readers.read_file(path, epoch=3)
    assert problem(af.readers.read_inspect, path, scorer="f1") == ("", "no scorer 'f1'; available: 'anls'")
    path.write_text(json.dumps(inspect_log([*samples, samples[2]])), encoding="utf-8")
    assert problem(af.readers.read_inspect, path) == (
        "samples[4]",
        "duplicate id '0', first seen at samples[2]",
    )


def test_the_shell_says_where_the_fields_of_documents_are(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "1_samples_docvqa.jsonl", [lmms_sample(0, "x", ["x"])])

    for command, option in (
        ("report", "--by"),
        ("confusions", "--by"),
        ("selective", "--model-confidence"),
    ):
        done = shell.run(Path(), command, path, option, "lang")

        assert done.returncode == 2
        assert "no column 'lang'" in done.stderr
        assert "leaves the document's fields out of its files: name the data set with --gold" in done.stderr


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

    frame = af.readers.read_vlmevalkit(path)

    assert frame["question_id"].to_list() == ["10", "11", "12"]
    assert frame["prediction"].to_list() == EXPECTED["prediction"]
    assert frame["answers"].to_list() == EXPECTED["answers"]
    assert frame["split"].to_list() == ["val"] * 3
    assert frame["eval_score"].to_list() == [0.3, 1.0, 0.3]  # numbers, though text formats have none
    # The harness' own value of a row is a distance; the score is another number.
    assert frame.select(af.anls("prediction", "answers", protocol="rrc"))["anls"][2] == 1.0


def test_a_test_split_of_vlmevalkit_has_no_answers(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    path.write_text("index\tquestion\tanswer\tprediction\n1\tQ?\t\tx\n", encoding="utf-8")

    assert problem(af.readers.read_vlmevalkit, path)[1].startswith("no answers in 1 row,")
    path.write_text("index\tquestion\tprediction\n1\tQ?\tx\n", encoding="utf-8")
    assert "no column 'answer'" in problem(af.readers.read_vlmevalkit, path)[1]


NOTE = (
    "The file's harness uses protocol rrc, but these scores use protocol anls. "
    'Pass protocol="rrc" to get the harness\'s figures.'
)
SHELL_NOTE = NOTE.replace('protocol="rrc"', "--protocol rrc")


def test_a_report_by_another_protocol_than_the_harness_says_so(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "1_samples_docvqa.jsonl", [lmms_sample(0, "ab", ["abcd"])])
    frame = af.readers.read_lmms_eval(path)

    def notes(summary: af.Summary) -> list[str]:
        return list(af.Report.from_summary(summary).to_document().notes)

    summary = af.summarize(frame, "prediction", "answers", part="a")
    other = af.summarize(frame, "prediction", "answers", part="b")
    unknown = af.summarize(frame.head(1), "prediction", "answers", part="c")

    assert NOTE in notes(summary)
    assert NOTE in repr(af.report(frame, "prediction", "answers"))
    assert NOTE in notes(af.Summary.from_bytes(summary.to_bytes()))
    assert NOTE in notes(af.merge([summary, other]))
    assert SHELL_NOTE in shell.run(Path(), "report", path).stdout
    assert SHELL_NOTE in shell.run(Path(), "score", path, "--overwrite").stdout
    assert not any("harness" in note for note in notes(af.merge([summary, unknown])))
    for by_their_rule in (
        af.summarize(frame, "prediction", "answers", protocol="rrc"),
        af.summarize(frame, metrics="anls"),
        unknown,
    ):
        assert NOTE not in notes(by_their_rule)
    assert "harness" not in shell.run(Path(), "report", path, "--protocol", "rrc").stdout


@pytest.mark.parametrize(
    ("name", "known"),
    [("M_DocVQA_VAL.tsv", True), ("M_InfoVQA_VAL.tsv", True), ("M_ChartQA_TEST.tsv", False)],
)
def test_vlmevalkit_scores_some_data_sets_by_anls(tmp_path: Path, name: str, *, known: bool) -> None:
    path = tmp_path / name
    path.write_text("index\tquestion\tanswer\tprediction\n1\tQ?\tx\tx\n", encoding="utf-8")
    frame = af.readers.read_vlmevalkit(path)

    assert (NOTE in repr(af.report(frame, "prediction", "answers"))) is known
    assert (SHELL_NOTE in shell.run(Path(), "report", path, "--reader", "vlmevalkit").stdout) is known


def test_what_is_known_of_a_frame_ends_with_it(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples.jsonl", [lmms_sample(0, "ab", ["abcd"])])
    gc.collect()
    before = len(origins._known)  # noqa: SLF001 - nothing of it is public

    frames = [af.readers.read_lmms_eval(path) for _ in range(5)]

    assert len(origins._known) == before + 5  # noqa: SLF001
    del frames
    gc.collect()
    assert len(origins._known) == before  # noqa: SLF001


# The text None as a target


def with_targets(path: Path, *targets: Any, **fields: Any) -> Path:
    samples = [
        {"doc_id": index, "target": target, "filtered_resps": str(target)} | fields
        for index, target in enumerate(targets)
    ]
    path.write_text("".join(f"{json.dumps(sample)}\n" for sample in samples), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("reader", "fields"),
    [(af.readers.read_lmms_eval, {}), (af.readers.read_lm_eval, {"arguments": {}, "doc": {"q": "[7]"}})],
    ids=["lmms-eval", "lm-eval"],
)
@pytest.mark.parametrize(
    "others", [["4", "7"], ["[7]", "['a']"], [["a", "b"], "7"]], ids=["texts", "lists", "json"]
)
def test_the_target_none_beside_others_is_asked_for(
    tmp_path: Path, reader: Any, fields: dict[str, Any], others: list[Any]
) -> None:
    path = with_targets(tmp_path / "samples.jsonl", others[0], "None", others[1], "None", **fields)

    with pytest.warns(af.InputWarning) as caught:
        frame = reader(path)

    [warning] = caught
    assert "the target of 2 samples is the text None, such as line 2. Python" in str(warning.message)
    assert 'Pass none="answer" if the right answer is None, or none="missing" if there is none' in str(
        warning.message
    )
    assert frame["answers"].is_null().to_list() == [False, True, False, True]
    assert reader(path, none="missing")["answers"].to_list() == frame["answers"].to_list()
    asked = reader(path, none="answer")
    assert asked["answers"].to_list()[1::2] == [["None"], ["None"]]
    assert asked["answers"].to_list()[::2] == frame["answers"].to_list()[::2]
    scores = asked.select(af.exact_match("prediction", "answers")).to_series()
    assert scores.to_list()[1::2] == [1.0, 1.0]
    with pytest.raises(ValueError, match="none must be one of 'answer', 'missing', got 'null'"):
        reader(path, none="null")


def test_targets_that_are_all_none_are_no_answers_unless_they_are(tmp_path: Path) -> None:
    path = with_targets(tmp_path / "samples.jsonl", "None", None, "None")

    with pytest.raises(af.InputError, match="no answers in 3 rows"):
        af.readers.read_lmms_eval(path)
    assert af.readers.read_lmms_eval(path, none="answer")["answers"].to_list() == [["None"], None, ["None"]]


def test_the_command_line_says_what_none_means(tmp_path: Path) -> None:
    with_targets(tmp_path / "s.jsonl", "4", "None")

    done = shell.run(tmp_path, "score", "s.jsonl", "--json")
    assert (
        "--reader auto,none=answer if the right answer is None, or --reader auto,none=missing" in done.stderr
    )
    assert json.loads(done.stdout)["n"] == 1
    done = shell.run(tmp_path, "score", "s.jsonl", "--json", "--reader", "auto,none=answer")
    assert (json.loads(done.stdout)["n"], done.stderr) == (2, "")


def test_samples_after_several_filters_of_lmms_eval_say_what_to_keep(tmp_path: Path) -> None:
    # lmms-eval writes a line after each filter, and no name of the filter.
    path = tmp_path / "samples.jsonl"
    lines = [
        {"doc_id": 0, "target": "a", "resps": [["So: a"]], "filtered_resps": [text], "input": "?"}
        for text in ("So: a", "a")
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(af.InputError) as error:
        af.readers.read_lmms_eval(path)
    assert error.value.hints == (
        "a sample is logged after each filter of its task: keep the lines of one filter",
    )


@pytest.mark.parametrize("suffix", ["tsv", "xlsx", "json"])
@pytest.mark.parametrize("reader", [af.readers.read_vlmevalkit, af.read_results])
def test_failed_calls_of_vlmevalkit_are_told(tmp_path: Path, suffix: str, reader: Any) -> None:
    failed = "Failed to obtain answer via API."
    rows = pl.DataFrame({"index": [0, 1, 2], "prediction": ["a", failed, failed], "answer": ["a", "b", "c"]})
    path = tmp_path / f"M_MMLongBench_DOC.{suffix}"
    rows.write_json(path) if suffix == "json" else af.write_results(rows, path)

    with pytest.warns(
        af.InputWarning, match=r"2 predictions in column 'prediction' say 'Failed to obtain"
    ) as caught:
        frame = reader(path)
    assert "run these questions again, or empty the cells" in str(caught[0].message)
    assert frame["prediction"].to_list() == ["a", failed, failed]
