"""JSON as harnesses and pandas write it: objects by id, entries of objects, true and false."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import shell

import anls_frame as af


def write(path: Path, value: Any) -> Path:
    lines = [value] if path.suffix == ".json" else value
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_rows_of_promptfoo_are_reported_with_the_verdicts_of_its_judge(tmp_path: Path) -> None:
    """The command of the guide; the rows have keys of promptfoo."""
    rows = [
        {
            "gradingResult": {"pass": said == "12", "score": float(said == "12"), "componentResults": []},
            "response": {"output": said, "tokenUsage": {"total": 3}},
            "success": said == "12", "testIdx": index, "vars": {"answer": "12", "document": f"d{index}"},
        }
        for index, said in enumerate(["12", "12", "120", None])
    ]  # fmt: skip
    write(tmp_path / "promptfoo.jsonl", rows)
    guide = (Path(__file__).parents[2] / "docs/logs.md").read_text("utf-8")
    [line] = [line for line in guide.splitlines() if "response.output" in line]
    done = shell.run(tmp_path, *line.split()[1:], "--json")
    [overall] = json.loads(done.stdout)["tables"]["All rows"]
    assert (overall["n"], overall["n_clusters"]) == (4, 4)
    assert (overall["anls"], overall["gradingResult.pass"]) == (pytest.approx(2 / 3), 0.5)


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_scores_need_no_text_of_an_object_with_a_usual_name(tmp_path: Path, suffix: str) -> None:
    rows = [
        {
            "response": {"output": "12"},
            "question": {"text": "?"},
            "answer": {"total": "12"},
            "score": index % 2,
            "meta": {"score": 1},
        }
        for index in range(20)
    ]
    path = tmp_path / f"rows.{suffix}"
    frame = pl.DataFrame(rows)
    frame.write_ndjson(path) if suffix == "jsonl" else frame.write_parquet(path)
    for metric, mean in (("score", 0.5), ("meta.score", 1.0)):
        done = shell.run(tmp_path, "report", path.name, "-m", metric, "--json")
        [overall] = json.loads(shell.fine(done))["tables"]["All rows"]
        assert (overall["n"], overall[metric]) == (20, mean)
    shell.refused(shell.run(tmp_path, "report", path.name), "response.output")
    found = json.loads(shell.fine(shell.run(tmp_path, "overview", path.name, "-m", "score", "--json")))
    assert found["settings"]["columns"]["by"] == []


# Objects that are no list of rows


def test_texts_by_id_are_predictions_for_gold(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", {"q1": "Rome", "q2": None, "q3": ""})
    gold = pl.DataFrame({"id": ["q3", "q2", "q1"], "answers": ["", "x", "Rome"]})

    frame = af.read_logs({"m": path}, gold=gold)

    assert frame.select("question_id", "prediction", "answers").rows() == [
        ("q1", "Rome", ["Rome"]),
        ("q2", None, ["x"]),
        ("q3", "", [""]),
    ]
    with pytest.raises(af.InputError, match=r"no column with the answers among 'question_id', 'prediction'"):
        af.read_results(path)


def test_rows_by_id_are_rows(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.json",
        {
            "0": {"prediction": "a", "gold": ["a"]},
            "7": {"prediction": "b", "gold": ["c"], "question_id": "own"},
        },
    )

    frame = af.read_results(path)

    assert frame.rows() == [("0", "a", ["a"]), ("own", "b", ["c"])]


def test_lists_of_one_length_are_columns(tmp_path: Path) -> None:
    """As programs write their lists of predictions and references, beside a score."""
    value = {"cer": 0.1, "predictions": ["a", None, "c"], "references": ["a", "b", "d"]}
    frame = af.read_results(write(tmp_path / "m.json", value))
    assert frame.rows() == [("a", ["a"]), (None, ["b"]), ("c", ["d"])]
    for wrong in (value | {"references": ["a", "b"]}, value | {"references": "a"}):
        with pytest.raises(af.InputError, match="must be a list of rows, or an object"):
            af.read_results(write(tmp_path / "m.json", wrong))


@pytest.mark.parametrize("n", [40, 41])
def test_columns_by_id_are_rows_where_there_are_many_ids(tmp_path: Path, n: int) -> None:
    """As in submissions to HotpotQA; of two objects, fewer keys are columns."""
    ids = [f"q{index}" for index in range(n)]
    columns = {"answer": {key: f"a{key}" for key in ids}, "sp": {key: [["Title", 0]] for key in ids}}
    path = write(tmp_path / "m.json", columns)
    gold = pl.DataFrame({"question_id": ids, "answers": [["aq0"]] * n})
    if n == 40:
        with pytest.raises(af.InputError, match="no column 'answer'"):
            af.readers.read_file(path, prediction="answer", gold=gold)
        return
    frame = af.readers.read_file(path, prediction="answer", gold=gold)
    assert frame["question_id"].to_list() == ids
    assert frame["prediction"].to_list() == [f"a{key}" for key in ids]


@pytest.mark.parametrize("orient", ["columns", "index", "split", "values", "table"])
def test_what_pandas_writes_is_read_or_the_way_is_named(tmp_path: Path, orient: Any) -> None:
    frame = pd.DataFrame({"id": [1, 2], "prediction": ["a", "b"], "answers": ["a", "c"]})
    path = tmp_path / "p.json"
    frame.to_json(path, orient=orient)

    if orient == "values":
        with pytest.raises(af.InputError, match="must be a JSON object, got a list"):
            af.read_results(path)
    else:
        assert af.read_results(path)["prediction"].to_list() == ["a", "b"]
    frame.to_json(path, orient="records")
    assert af.read_results(path)["prediction"].to_list() == ["a", "b"]


@pytest.mark.parametrize("value", [{"accuracy": 0.5}, {"a": ["x"], "b": "y"}, {"a": {}}, {}])
def test_other_objects_are_errors_that_say_what_is_expected(tmp_path: Path, value: Any) -> None:
    with pytest.raises(
        af.InputError, match=r"must be a list of rows, or an object .* got an object with the keys"
    ):
        af.read_results(write(tmp_path / "m.json", value))


def test_numbers_of_rows_are_ids_only_where_rows_have_none(tmp_path: Path) -> None:
    own = pd.DataFrame({"id": ["q8", "q9"], "prediction": ["a", "b"], "answers": ["a", "c"]})
    named = own.drop(columns="id").set_axis(["q8", "q9"])
    for orient in ("index", "split"):
        for frame, ids in ((own, ["q8", "q9"]), (named, ["q8", "q9"]), (own.drop(columns="id"), ["0", "1"])):
            frame.to_json(tmp_path / "p.json", orient=orient)
            assert af.read_results(tmp_path / "p.json")["question_id"].to_list() == ids


def test_a_table_of_columns_and_rows_keeps_digits_and_places(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text('{"columns": ["outputs", "target"], "data": [[1.50, "1.50"], [null, "x"], [{}, "y"]]}')

    with pytest.raises(af.InputError, match=r"data\[2\]: 'outputs' must be a string, got an object"):
        af.read_results(path, prediction="outputs")
    path.write_text('{"columns": ["outputs", "target"], "data": [[1.50, "1.50"], [null, "x"]]}')
    frame = af.read_results(path, prediction="outputs")
    assert frame.rows() == [("1.50", ["1.50"]), (None, ["x"])]


def test_lists_of_rows_within_objects_are_named_with_the_way(tmp_path: Path) -> None:
    rows = [{"prediction": "a", "answers": ["a"]}, {"prediction": "b", "answers": ["c"]}]
    path = write(tmp_path / "m.json", {"results": {"prompts": [{"raw": "?"}], "results": rows}, "config": {}})

    with pytest.raises(af.InputError) as error:
        af.read_results(path)
    message = error.value.problems[0].message
    assert "Lists of objects in it: results.prompts (1), results.results (2)." in message
    assert af.read_results(write(tmp_path / "rows.json", rows))["prediction"].to_list() == ["a", "b"]
    other = write(tmp_path / "o.json", {"ranking": {"wer": 0.2}, "suites": {"de": rows, "en": rows[:1]}})
    with pytest.raises(af.InputError, match=r"Lists of objects in it: suites\.de \(2\), suites\.en \(1\)\."):
        af.read_results(other)
    both = write(tmp_path / "two.json", {"testCases": rows, "metrics": [{"name": "m"}]})
    with pytest.raises(af.InputError, match=r"testCases \(2\), metrics \(1\)\. Write the rows of one"):
        af.read_results(both)


@pytest.mark.parametrize("command", ["report", "overview"])
@pytest.mark.parametrize("layout", ["list.json", "lines.jsonl", "systems.json"])
def test_rows_in_a_column_are_named_with_the_way(tmp_path: Path, layout: str, command: str) -> None:
    rows = [{"prediction": "a", "answers": ["a"]}, {"prediction": "b", "answers": ["c"]}]
    records = [{"doc": "d1", "results": rows}, {"doc": "d2", "results": rows[:1]}]
    values = {"list.json": records, "systems.json": {'it\'s "A"': records[0], "B": records[1]}}
    if layout == "lines.jsonl":
        (tmp_path / layout).write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    else:
        write(tmp_path / layout, values[layout])

    told = shell.run(tmp_path, command, layout)
    shell.refused(
        told, "column 'results' holds rows in lists; write a file with each of them in a row of its own"
    )


def test_dates_that_pandas_wrote_as_milliseconds_are_named(tmp_path: Path) -> None:
    """As `to_json` writes 1968-02-29 and 2019-01-01; times of a day and other numbers may be answers."""
    path = tmp_path / "dates.json"
    rows = [
        {"prediction": "1968-02-29", "answer": -58060800000},
        {"prediction": "x", "answer": 1546300800000},
    ]
    with pytest.warns(af.InputWarning, match="'answer' is a number of milliseconds, such as '-58060800000'"):
        af.read_results(write(path, rows))
    for other in (1546300800001, 86400000, "1546300800000x"):
        rows[1]["answer"] = other
        assert af.read_results(write(path, rows))["answers"].to_list()[1] == [str(other)]


_SPAN = [{"offset": 0, "length": 5}]
_PAGE = {"pageNumber": 1, "lines": [{"content": "Hello", "spans": _SPAN}], "spans": _SPAN}
AZURE = {"modelId": "prebuilt-read", "stringIndexType": "textElements", "content": "Hello", "pages": [_PAGE]}
TEXTRACT = {
    "DocumentMetadata": {"Pages": 1},
    "Blocks": [
        {"BlockType": "PAGE", "Id": "p", "Geometry": {}, "Relationships": [{"Type": "CHILD", "Ids": ["l"]}]},
        {"BlockType": "LINE", "Id": "l", "Geometry": {}, "Text": "Hello", "Confidence": 99.5},
    ],
}
OLMOCR = {
    "id": "3a",
    "text": "Hello",
    "source": "olmocr",
    "added": "2025-02-10",
    "created": "2025-02-10",
    "metadata": {"Source-File": "a.pdf", "pdf-total-pages": 1},
    "attributes": {"pdf_page_numbers": [[0, 5, 1]]},
}
SURYA = {"text_lines": [{"text": "a", "confidence": 0.9}], "image_bbox": [0, 0, 1, 1], "page": 1}
WHISPER = {"id": 0, "seek": 0, "start": 0.0, "end": 2.0, "text": " a", "tokens": [1]}
WHISPER_CPP = {"timestamps": {"from": "0", "to": "1"}, "offsets": {"from": 0, "to": 1}, "text": " a"}
VLLM = {
    "model_id": "m",
    "completed": 2,
    "request_throughput": 1.5,
    "ttfts": [0.1, 0.2],
    "generated_texts": ["a", "b"],
    "errors": ["", ""],
}


OF_OCR, OF_SPEECH = "This is JSON of OCR: write the text of each page", "Segments of a recording"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (TEXTRACT, OF_OCR),
        ([TEXTRACT, TEXTRACT], OF_OCR),
        ({"status": "succeeded", "analyzeResult": AZURE}, OF_OCR),
        (AZURE, OF_OCR),
        ({"input_path": "a.png", "rec_texts": ["a"], "rec_scores": [0.9]}, OF_OCR),
        ({"responses": [{"fullTextAnnotation": {"text": "a"}}]}, OF_OCR),
        ({"text": "a", "segments": [WHISPER], "language": "en"}, OF_SPEECH),
        ({"segments": [{"text": "a"}], "word_segments": [{"word": "a"}]}, OF_SPEECH),
        ([OLMOCR], "no column with the prediction"),
        ({"pages": [{"page_idx": 0, "dimensions": [1, 1], "blocks": []}]}, "no column with the prediction"),
        ({"p1": [SURYA], "p2": [SURYA]}, "must be a list of rows"),
        ([{"layout_dets": [{"text": "a", "order": 0}], "page_info": {}}], "no column with the prediction"),
        ({"result": {}, "transcription": [WHISPER_CPP]}, "no column with the prediction"),
        (VLLM, "must be a list of rows"),
    ],
)
def test_json_without_a_reader_is_not_read_as_rows(tmp_path: Path, value: Any, told: str) -> None:
    with pytest.raises(af.InputError, match=told):
        af.read_results(write(tmp_path / "a.json", value))


def test_documents_of_olmocr_are_read_as_the_guide_says(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [OLMOCR])
    gold = pl.DataFrame({"id": ["3a"], "answers": ["Hallo"]})

    frame = af.read_logs(path, gold=gold, prediction="text")

    assert frame.select("question_id", "prediction", "answers").row(0) == ("3a", "Hello", ["Hallo"])


def test_a_column_with_two_roles_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", [{"id": 1, "text": "a"}])

    with pytest.raises(af.InputError, match="'text' is named for both the prediction and the answers"):
        af.read_results(path, prediction="text", answers="text")
    # The questions may have their answers in a column of the same name.
    questions = write(tmp_path / "q.json", [{"id": 1, "text": "b"}])
    joined = af.read_logs(path, gold=questions, prediction="text", answers="text")
    assert joined.select("prediction", "answers").row(0) == ("a", ["b"])


AGGREGATED = {"docvqa": {"anls,none": 0.5}}
METRICS = [{"metric": "anls", "aggregation": "mean", "higher_is_better": True}]


@pytest.mark.parametrize(
    ("results", "option"),
    [
        (
            {"results": AGGREGATED, "configs": {}, "n-samples": {"docvqa": {"original": 2}}},
            "--log_samples",
        ),
        (
            {
                "results": AGGREGATED,
                "configs": {"docvqa": {"metric_list": METRICS}},
                "versions": {"docvqa": 0},
            },
            "--log_samples",
        ),
        (
            {"results": {}, "versions": {"docvqa": 0}, "config": {"model": "m"}},
            "--log_samples",
        ),
        (
            {"config_general": {}, "results": AGGREGATED, "config_tasks": {"docvqa": {"metric": METRICS}}},
            "--save-details",
        ),
    ],
)
def test_aggregated_results_lead_to_the_samples(tmp_path: Path, results: Any, option: str) -> None:
    write(tmp_path / "results_2026-01-01.json", results)
    for command in ("report", "overview"):
        told = shell.run(tmp_path, command, "results_2026-01-01.json")
        shell.refused(told, "These are aggregated results: name the file of samples")
        assert option in told.stderr


@pytest.mark.parametrize(
    ("printed", "hints"),
    [
        (
            lambda row: json.dumps(row, indent=1),
            ("write each object on a line of its own, as `jq -c . FILE` does",),
        ),
        (str, ("Python printed these objects: write them with json.dumps",)),
        (lambda row: json.dumps(row)[:-1], ()),
    ],
)
def test_objects_that_are_no_json_lines_say_how_to_write_them(
    tmp_path: Path, printed: Any, hints: tuple[str, ...]
) -> None:
    rows = [{"prediction": "a", "answers": "a"}, {"prediction": "b", "answers": "c"}]
    (tmp_path / "m.jsonl").write_text("\n".join(map(printed, rows)), encoding="utf-8")
    with pytest.raises(af.InputError, match="line 1: invalid JSON") as error:
        af.read_results(tmp_path / "m.jsonl")
    assert tuple(error.value.hints) == hints


def test_objects_above_each_other_in_a_file_of_json_say_how_to_write_them(tmp_path: Path) -> None:
    rows = [{"prediction": "a", "answers": "a"}, {"prediction": "b", "answers": "c"}]
    path = tmp_path / "m.json"
    path.write_text("\n\n".join(json.dumps(row, indent=1) for row in rows), encoding="utf-8")
    with pytest.raises(af.InputError, match=r"write each object on a line of its own.*name it \.jsonl"):
        af.read_results(path)


# Entries of objects


ROWS: list[dict[str, Any]] = [
    {"id": 1, "output": {"answer": "x", "deep": {"text": 1.50}}, "doc": {"gold": ["x"], "no.dot": "y"}},
    {"id": 2, "output": {"answer": None}, "doc": {"gold": ["z"]}},
    {"id": 3, "output": None, "doc": {"gold": ["z"]}},
]


@pytest.mark.parametrize("suffix", ["json", "jsonl", "parquet"])
def test_entries_are_named_with_dots(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"m.{suffix}"
    if suffix == "parquet":
        pl.DataFrame(ROWS).write_parquet(path)
    else:
        write(path, ROWS)
    named = {"prediction": "output.answer", "answers": "doc.gold"}

    for frame in (
        af.read_results(path, **named),
        af.scan_results(path, **named).collect(),
        af.read_logs({"m": path}, **named),
    ):
        assert frame["prediction"].to_list() == ["x", None, None]
        assert frame["answers"].to_list() == [["x"], ["z"], ["z"]]
    if suffix != "parquet":
        assert (
            af.read_results(path, prediction="output.deep.text", answers="doc.gold")["prediction"][0] == "1.5"
        )
    with pytest.raises(af.InputError, match=r"no column 'output.reply' among"):
        af.read_results(path, prediction="output.reply", answers="doc.gold")


def test_a_column_whose_name_has_a_dot_comes_first(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [{"a.b": "column", "a": {"b": "entry"}, "answers": "column"}])

    assert af.read_results(path, prediction="a.b")["prediction"].to_list() == ["column"]


def test_values_that_have_no_entries_are_problems_of_their_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [{"o": {"a": "x"}, "answers": "x"}, {"o": "text", "answers": "x"}])

    with pytest.raises(af.InputError, match=r"line 2: 'o' must be an object with 'a', got a string"):
        af.read_results(path, prediction="o.a")


def test_an_object_as_prediction_names_the_way_in_both_languages(tmp_path: Path) -> None:
    write(tmp_path / "m.jsonl", [{"id": 1, "output": {"answer": "x"}, "answers": "x"}])
    told = "entries of objects are named with dots: output.answer"
    with pytest.raises(af.InputError, match=rf"got an object\n{told}"):
        af.read_results(tmp_path / "m.jsonl")

    refused = shell.run(tmp_path, "score", "m.jsonl")
    assert told in refused.stderr
    done = shell.run(tmp_path, "score", "m.jsonl", "--prediction", "output.answer", "--json")
    assert json.loads(done.stdout)["nls"] == 1.0


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv"])
def test_entries_of_lists_are_named_by_their_numbers(tmp_path: Path, suffix: str) -> None:
    rows = [
        {"choices": [{"text": "x"}, {"text": "no"}], "references": ["x"]},
        {"choices": [], "references": ["y", "z"]},
        {"choices": [{"text": "z"}], "references": ["z"]},
    ]
    path = tmp_path / f"m.{suffix}"
    if suffix == "parquet":
        pl.DataFrame(rows).write_parquet(path)
    elif suffix == "csv":
        pl.DataFrame([{name: str(value) for name, value in row.items()} for row in rows]).write_csv(path)
    else:
        write(path, rows)
    named = {"prediction": "choices.0.text", "answers": "references"}
    place = {"csv": "line 2", "jsonl": "line 1", "parquet": "row 1"}[suffix]

    told = rf"m.{suffix}: only entry 0 is read of 1 list in 'choices' with several entries, such as {place}$"
    for reader in (af.read_results, lambda *file, **how: af.scan_results(*file, **how).collect()):
        with pytest.warns(af.InputWarning, match=told) as caught:
            frame = reader(path, **named)
        assert len(caught) == 1
        assert frame["prediction"].to_list() == ["x", None, "z"]
        assert frame["answers"].to_list() == [["x"], ["y", "z"], ["z"]]
    with pytest.raises(af.InputError, match=r"no column 'choices.2.text'"):
        af.read_results(path, **named | {"prediction": "choices.2.text"})


@pytest.mark.parametrize("printed", [json.dumps, str], ids=["json", "python"])
def test_objects_and_lists_in_cells_of_text_have_entries(tmp_path: Path, printed: Any) -> None:
    cells = [{"answer": "it's 1.50", "tokens": [3, None]}, {"answer": None, "tokens": []}]
    golds = [{"answers": ["1.50", "x"]}, {"answers": ["y"]}]
    frame = pl.DataFrame(
        {"outputs": [printed(cell) for cell in cells], "gold": [printed(one) for one in golds]}
    )
    frame.write_csv(tmp_path / "m.csv")
    frame.write_excel(tmp_path / "m.xlsx")

    for name in ("m.csv", "m.xlsx"):
        for read in (af.read_results, lambda *file, **options: af.scan_results(*file, **options).collect()):
            rows = read(tmp_path / name, prediction="outputs.answer", answers="gold.answers")
            assert rows["prediction"].to_list() == ["it's 1.50", None]
            assert rows["answers"].to_list() == [["1.50", "x"], ["y"]]
            assert rows["outputs"].to_list() == frame["outputs"].to_list()
    with pytest.warns(af.InputWarning, match="only entry 0 is read of 1 list in 'outputs.tokens'"):
        first = af.read_results(tmp_path / "m.csv", prediction="outputs.tokens.0", answers="gold.answers")
    assert first["prediction"].to_list() == ["3", None]
    with pytest.warns(af.InputWarning, match="only entry 0 is read of 1 list in 'gold.answers'"):
        first = af.read_results(tmp_path / "m.csv", prediction="outputs.answer", answers="gold.answers.0")
    assert first.select("prediction", "answers").rows() == [("it's 1.50", ["1.50"]), (None, ["y"])]


def test_a_cell_that_is_no_object_is_a_problem_of_its_row(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("""outputs,gold\n{'a': 'x'},x\ntimeout,y\n"{'a': 'x'",z\n""")

    with pytest.raises(af.InputError) as error:
        af.read_results(tmp_path / "m.csv", prediction="outputs.a", answers="gold")
    assert [(problem.place, problem.message) for problem in error.value.problems] == [
        ("line 3", "'outputs' must be an object with 'a', got a string"),
        ("line 4", "'outputs' must be an object with 'a', got a string"),
    ]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv"])
def test_entries_are_listed_where_no_column_is_found(tmp_path: Path, suffix: str) -> None:
    rows = [{"doc": {"query": "?", "choices": ["x"]}, "said": {"text": ["x"]}, "n": 1}]
    path = tmp_path / f"m.{suffix}"
    if suffix == "parquet":
        pl.DataFrame(rows).write_parquet(path)
    elif suffix == "csv":
        pl.DataFrame([{name: str(value) for name, value in rows[0].items()}]).write_csv(path)
    else:
        write(path, rows)

    with pytest.raises(af.InputError) as error:
        af.scan_results(path)
    assert "entries of objects are named with dots: doc.query, doc.choices, said.text" in error.value.hints
    read = af.scan_results(path, prediction="said.text.0", answers="doc.choices").collect()
    assert read.select("prediction", "answers").row(0) == ("x", ["x"])


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_objects_as_answers_name_the_way(tmp_path: Path, suffix: str) -> None:
    rows = [
        {"prediction": "x", "expected": {"value": "x", "unit": None}, "references": [{"output": "x"}]}
    ] * 2
    path = tmp_path / f"m.{suffix}"
    if suffix == "parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:
        write(path, rows)

    with pytest.raises(af.InputError) as error:
        af.scan_results(path, answers="expected")
    assert error.value.hints == ("entries of objects are named with dots: expected.value, expected.unit",)
    assert af.scan_results(path, answers="expected.value").collect()["answers"].to_list() == [["x"]] * 2


def test_of_many_entries_of_objects_ten_are_named(tmp_path: Path) -> None:
    rows = {"out": {f"k{number}": "x" for number in range(40)}}
    (tmp_path / "rows.jsonl").write_text(json.dumps(rows))
    with pytest.raises(af.InputError) as error:
        af.read_results(tmp_path / "rows.jsonl")
    named = ", ".join(f"out.k{number}" for number in range(10))
    assert error.value.hints[-1] == f"entries of objects are named with dots: {named} and 30 more"


def test_entries_of_gold_are_named_with_dots(tmp_path: Path) -> None:
    write(tmp_path / "m.jsonl", [{"id": "q1", "prediction": "x"}])
    write(tmp_path / "gold.jsonl", [{"id": "q1", "expected": {"answer": "x"}}])

    frame = af.read_logs({"m": tmp_path / "m.jsonl"}, gold=tmp_path / "gold.jsonl", answers="expected.answer")
    assert frame["answers"].to_list() == [["x"]]


# True and false


@pytest.mark.parametrize("suffix", ["json", "jsonl", "parquet"])
def test_true_and_false_are_texts_as_json_writes_them(tmp_path: Path, suffix: str) -> None:
    rows = [
        {"id": 1, "prediction": True, "answers": [True, False], "note": True},
        {"id": 2, "prediction": False, "answers": [True], "note": None},
        {"id": 3, "prediction": None, "answers": None, "note": False},
    ]
    path = tmp_path / f"m.{suffix}"
    if suffix == "parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:
        write(path, rows)

    for frame in (af.read_results(path), af.scan_results(path).collect()):
        assert frame["prediction"].to_list() == ["true", "false", None]
        assert frame["answers"].to_list() == [["true", "false"], ["true"], None]
        assert frame["note"].to_list() == [True, None, False]


def test_true_and_false_beside_texts_and_numbers(tmp_path: Path) -> None:
    rows = [
        {"prediction": True, "answers": "yes"},
        {"prediction": "x", "answers": [1.5, "x", True, None]},
        {"prediction": 2, "answers": False},
    ]
    frame = af.read_results(write(tmp_path / "m.jsonl", rows))

    assert frame["prediction"].to_list() == ["true", "x", "2"]
    assert frame["answers"].to_list() == [["yes"], ["1.5", "x", "true", None], ["false"]]


def test_printed_lists_keep_the_notation_of_their_language() -> None:
    column = pl.Series(["['a', True]", "[true, false]", "[True]"])

    assert af.parse_answers(column).to_list() == [["a", "True"], ["true", "false"], ["True"]]


def test_targets_of_harnesses_may_be_true(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "doc": {}, "arguments": {}, "target": True, "filtered_resps": [True]}
    path = write(tmp_path / "samples.jsonl", [sample])

    frame = af.readers.read_lm_eval(path)

    assert (frame["prediction"].item(), frame["answers"].item().to_list()) == ("true", ["true"])


@pytest.mark.parametrize("part", [{"type": "text"}, {"type": "text", "text": None}])
def test_a_message_of_inspect_without_a_text_is_no_text_none(tmp_path: Path, part: dict[str, Any]) -> None:
    content = [part, {"type": "text", "text": "coke"}]
    sample = {
        "id": "7",
        "epoch": 1,
        "input": [{"role": "user", "content": content}],
        "target": "Coke",
        "output": {"choices": [{"message": {"content": content}}]},
    }
    log = {"version": 2, "status": "success", "eval": {}, "samples": [sample]}
    path = write(tmp_path / "log.json", log)

    frame = af.readers.read_inspect(path)

    assert frame.select("question", "prediction").row(0) == ("coke", "coke")
    part["text"] = {"a": 1}
    with pytest.raises(af.InputError, match=r"'prediction' must be a string, got an object"):
        af.readers.read_inspect(write(path, log))
