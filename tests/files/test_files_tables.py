"""Tables of results read back from real files: every text as it stands, every fault with its place."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import shell
from hypothesis import given, settings
from hypothesis import strategies as st

import anls_frame as af
from anls_frame.exceptions import Problem

Write = Callable[[str, str | bytes], Path]

FRAME = pl.DataFrame(
    {
        "question_id": ["007", "1.10"],
        "question": ["Which brand?", "How many?"],
        "prediction": ["CocaCola", "12.50"],
        "answers": [["Coca Cola", "Coke"], ["12.50"]],
        "question_types": [["form", "layout"], ["table"]],
        "doc_id": ["0012", "13"],
        "page": ["01", "2"],
    }
)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return file


def problems(path: Path, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(af.InputError) as raised:
        af.read_results(path, **options)
    assert all(problem.file == str(path) for problem in raised.value.problems)
    return [(problem.place, problem.message) for problem in raised.value.problems]


def delimited(delimiter: str = ",", encoding: str = "utf-8", end: str = "\n") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerow(FRAME.columns)
    for row in FRAME.iter_rows():
        writer.writerow([repr(value) if isinstance(value, list) else value for value in row])
    return text.getvalue().encode(encoding)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.csv", delimited()),
        ("windows.csv", delimited(end="\r\n", encoding="utf-8-sig")),
        ("old-mac.csv", delimited(end="\r")),
        ("semicolons.csv", delimited(";")),
        ("tabs.tsv", delimited("\t")),
        ("utf-16.csv", delimited(encoding="utf-16")),
        ("utf-16-without-mark.csv", delimited(encoding="utf-16-le")),
        ("utf-16-big.csv", delimited(encoding="utf-16-be")),
        ("utf-32.csv", delimited(encoding="utf-32")),
        ("packed.csv.gz", gzip.compress(delimited(), mtime=0)),
        ("padded.csv.gz", gzip.compress(delimited(), mtime=0) + bytes(1000)),
        (
            "parts.csv.gz",
            b"".join(gzip.compress(part, mtime=0) for part in (b"", delimited()[:9], delimited()[9:])),
        ),
        ("packed.tsv.zst", pa.compress(delimited("\t"), codec="zstd", asbytes=True)),
        ("rows.jsonl", "\n".join(json.dumps(row) for row in FRAME.to_dicts())),
        ("windows.jsonl", "\r\n".join(json.dumps(row) for row in FRAME.to_dicts()).encode("utf-8-sig")),
        (
            "rows.jsonl.gz",
            gzip.compress("\n".join(json.dumps(row) for row in FRAME.to_dicts()).encode(), mtime=0),
        ),
        ("rows.json", json.dumps(FRAME.to_dicts())),
        ("within.json", json.dumps({"name": "run", "rows": FRAME.to_dicts(), "tags": []})),
    ],
)
def test_a_table_comes_back_as_it_was_whatever_it_is_written_in(
    write: Write, name: str, content: bytes
) -> None:
    assert af.read_results(write(name, content)).equals(FRAME)


def test_lists_in_the_texts_of_parquet_are_read_on_the_streaming_engine_too(tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"
    texts = FRAME.with_columns(answers=pl.Series(["['Coca Cola', 'Coke']", "12.50"]))
    texts.write_parquet(path)

    lazy = af.scan_results(path, answers_format="list")

    assert lazy.collect_schema() == FRAME.schema
    assert lazy.collect(engine="streaming").equals(FRAME)
    assert lazy.select("answers").collect().equals(FRAME.select("answers"))


# Commas in a text of several lines may look like the fields of a row.
@pytest.mark.filterwarnings("ignore:.*are one row, because a quote:anls_frame.exceptions.InputWarning")
@settings(deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            *[st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r"), min_size=1)] * 3
        ),
        min_size=1,
    )
)
def test_any_text_survives_csv(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]) -> None:
    path = tmp_path_factory.mktemp("texts") / "texts.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["prediction", "answer", "note"])
        writer.writerows((first, f"x{second}", third) for first, second, third in rows)

    frame = af.read_results(path, answers_format="text")

    assert frame["prediction"].to_list() == [first for first, _, _ in rows]
    assert frame["answers"].to_list() == [[f"x{second}"] for _, second, _ in rows]
    assert frame["note"].to_list() == [third for _, _, third in rows]


def test_an_empty_field_is_null_and_an_empty_field_in_quotes_the_empty_text(write: Write) -> None:
    frame = af.read_results(write("empty.csv", 'prediction,answer\n,a\n"",""\n'))

    assert frame["prediction"].to_list() == [None, ""]
    assert frame["answers"].to_list() == [["a"], [""]]


def test_json_numbers_are_texts_as_they_are_written_and_late_keys_are_columns(write: Write) -> None:
    lines = [f'{{"prediction": 12.50, "answer": 1e3, "id": {row}}}' for row in range(300)]
    lines.append('{"id": 300, "prediction": null, "answer": [1.10, null], "late": {"a": 0.10}, "n": 1}')

    frame = af.read_results(write("numbers.jsonl", "\n".join(lines)))

    assert frame["prediction"].to_list() == ["12.50"] * 300 + [None]
    assert frame["answers"].to_list()[-2:] == [["1e3"], ["1.10", None]]
    assert frame["late"].to_list() == [None] * 300 + ['{"a": 0.10}']
    assert frame["n"].to_list() == [None] * 300 + [1]


def test_other_columns_of_json_have_the_dtype_of_their_values(write: Write) -> None:
    rows = (
        '[{"prediction": "a", "answer": "a", "f": 0.5, "i": 1, "b": true, "l": ["x"], "big": 1, "m": 1,'
        ' "u": null},'
        ' {"prediction": "a", "answer": "a", "f": NaN, "i": -2, "b": null, "l": [],'
        ' "big": 18446744073709551616, "m": "1", "u": null}]'
    )

    frame = af.read_results(write("typed.json", rows)).drop("prediction", "answers")

    assert frame.dtypes == [
        pl.Float64,
        pl.Int64,
        pl.Boolean,
        pl.List(pl.String),
        pl.String,
        pl.String,
        pl.String,
    ]
    assert frame["big"].to_list() == ["1", "18446744073709551616"]
    assert math.isnan(frame["f"].to_list()[1])


def test_columns_are_found_by_usual_names_and_can_be_named(write: Write) -> None:
    path = write("names.csv", "qid,Ground Truth,model_output,answer,docId\n1,a,b,c,d\n")

    assert af.read_results(path, answers="Ground Truth").columns == [
        "question_id",
        "prediction",
        "answers",
        "doc_id",
        "answer",
    ]
    assert problems(path) == [
        ("", "columns 'Ground Truth', 'answer' could all be the answers; name it with answers=...")
    ]


@pytest.mark.parametrize("name", ["question_id", "qid", "sample_id", "idx"])
def test_ids_are_found(write: Write, name: str) -> None:
    frame = af.read_results(write("names.csv", f"pred,answer,{name}\na,b,7\n"))

    assert frame["question_id"].to_list() == ["7"]


@pytest.mark.parametrize(
    ("name", "may_hold_scores"), [("judge", True), ("judge_a", True), ("judge_name", False)]
)
def test_what_a_judge_is_called_is_no_score(write: Write, *, name: str, may_hold_scores: bool) -> None:
    with pytest.raises(af.InputError) as raised:
        af.read_results(write("judged.csv", f"id,{name},label\n1,x,y\n"))

    assert any(f"if '{name}' holds scores" in hint for hint in raised.value.hints) == may_hold_scores


@pytest.mark.parametrize(
    "header",
    [
        "input,actual_output,expected_output",  # DeepEval
        "question,prediction_text,correct_answer",
        "user_input,response,reference",  # Ragas
        "audio_filepath,pred_text,Expected Answer",
        "audio_filepath,pred_text,text",  # NeMo, Open ASR Leaderboard
        "audio,hypothesis_text,reference_text",
        "utterance,hyp,ref",
        "file,Hyp Transcript,GT transcription",
        "ref,prediction,ground_truth",  # names that need no other word come first
        "label,model_answer,gold_answer",  # FinanceBench: the label is a verdict
        "question,pred,golden_answers",  # FlashRAG
        "text,y_pred,y_true",  # scikit-learn
    ],
)
def test_columns_of_evaluation_tools_are_found(write: Write, header: str) -> None:
    frame = af.read_results(write("names.csv", f"{header}\na,b,c\n"))

    assert frame["prediction"].to_list() == ["b"]
    assert frame["answers"].to_list() == [["c"]]


def test_a_column_with_the_name_of_a_role_that_another_one_has_is_kept(write: Write) -> None:
    path = write("names.csv", "prediction,answers,prediction_,mine\na,b,c,d\n")

    frame = af.read_results(path, prediction="mine")

    assert frame.to_dicts() == [
        {"prediction": "d", "answers": ["b"], "prediction__": "a", "prediction_": "c"}
    ]


def test_every_problem_is_named_with_its_line(write: Write) -> None:
    path = write(
        "faults.csv", 'id,prediction,answer\n1,a,"b\nc"\n2\n1,y,z\n,p,q\n3,a,b,c\n4,a,"[\'x\', y]"\n'
    )

    assert problems(path, answers_format="list") == [
        ("line 4", "1 field instead of 3"),
        ("line 7", "4 fields instead of 3"),
        ("line 8", "'answers' looks like a list but cannot be read as one: \"['x', y]\""),
        ("line 5", "duplicate id '1', first seen at line 2"),
        ("line 6", "the id is missing"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "place", "message"),
    [
        ("empty.csv", b"", "", "the file is empty"),
        ("blank.csv", b"\xef\xbb\xbf\n \n", "", "the file is empty"),
        ("header.csv", b"prediction,answer\n", "", "holds no rows"),
        ("list.json", b"[]", "", "holds no rows"),
        (
            "latin.csv",
            "prediction,answer\na,b\nf\xfcr,x".encode("latin-1"),
            "line 3",
            "byte 0xfc is not valid UTF-8",
        ),
        ("open.csv", b'prediction,answer\na,b\n"c,d\n', "line 3", "a quote is opened and never closed"),
        (
            "doubled.csv",
            b"prediction,answer,note,note\na,b,c,d\n",
            "header",
            "duplicate columns: 'note'",
        ),
        ("other.json", gzip.compress(b"[]", mtime=0), "", "compressed with gzip: append .gz to its name"),
        (
            "cut.csv.gz",
            gzip.compress(b"prediction,answer\na,b\n", mtime=0)[:-3],
            "",
            "not a complete gzip file",
        ),
        ("none.csv.gz", b"prediction,answer\na,b\n", "", "a table of text: name it .csv or .tsv"),
        ("text.csv.gz", b"abc\n", "", "not a complete gzip file"),
        (
            "other.csv.gz",
            gzip.compress(b"prediction,answer\na,b\n", mtime=0) + b"text",
            "",
            "not a complete gzip file",
        ),
        ("none.csv.zst", b"prediction,answer\na,b\n", "", "a table of text: name it .csv or .tsv"),
        ("text.csv.zst", b"abc\n", "", "not a complete zstd file"),
        ("cut.parquet", b"PAR1\x00\x00PAR1", "", "cannot be read as Parquet"),
        ("code.pkl", b"\x80\x04.", "", "a pickle or a file of old Excel: save it as CSV"),
        ("code.csv", b"\x80\x04.", "", "a pickle or a file of old Excel: save it as CSV"),
        ("what.txt", b"prediction,answer\n", "", "cannot tell the format"),
        (
            "twice.jsonl",
            b'{"prediction": "a", "prediction": "b"}',
            "line 1",
            "duplicate key 'prediction'",
        ),
        ("lists.json", b'[{"a": 1}]\n[{"a": 2}]\n', "", "if these are JSON Lines, name it .jsonl"),
        ("array.jsonl", b'[{"a": 1}]', "line 1", "got a list; a file that is one list has the suffix .json"),
        (
            "true.jsonl",
            b'{"prediction": [true, false], "answer": "b"}',
            "line 1",
            "'prediction' must be one text, got a list of 2; keep one of them",
        ),
        (
            "object.jsonl",
            b'{"prediction": "", "answer": {"a": 1}}',
            "line 1",
            "must be a list of strings, got an object",
        ),
        (
            "nested.jsonl",
            b'{"prediction": "", "answer": [["a"]]}',
            "line 1",
            "must hold only strings, got a list",
        ),
    ],
)
def test_what_is_no_table_of_results_is_an_error_that_says_so(
    write: Write, name: str, content: bytes, place: str, message: str
) -> None:
    found = problems(write(name, content))

    assert [where for where, _ in found] == [place]
    assert message in found[0][1]


@pytest.mark.parametrize(
    ("name", "content", "advice"),
    [
        (
            "joined.jsonl",
            '{"a": 1}{"a": 2}',
            "write each object on a line of its own, as `jq -c . FILE` does",
        ),
        ("cache.jsonl", json.dumps({"x" * 300: {"a": 1}, "b": {"a": 1}}), "are named with dots: b.a"),
    ],
)
def test_objects_in_one_line_and_keys_that_are_documents(
    write: Write, name: str, content: str, advice: str
) -> None:
    with pytest.raises(af.InputError) as raised:
        af.read_results(write(name, content))

    assert str(raised.value).endswith(advice)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_json_lines_with_the_suffix_of_json_are_read(write: Write, end: str) -> None:
    lines = ['{"audio": "1.wav", "text": "a b", "pred_text": "a"}', '{"text": "c", "pred_text": null}']
    manifest = write("manifest.json", end.join(["", *lines, ""]))

    frame = af.read_results(manifest)

    assert frame["prediction"].to_list() == ["a", None]
    assert frame["answers"].to_list() == [["a b"], ["c"]]
    assert frame["audio"].to_list() == ["1.wav", None]
    broken = write("broken.json", end.join([*lines, '{"text": "d", ']))
    assert [place for place, _ in problems(broken)] == ["line 3"]


def test_text_is_no_answer_beside_other_predictions(write: Write) -> None:
    for header in ("pred_text,text,answer", "pred_text,text,reference"):
        assert af.read_results(write("named.csv", f"{header}\na,b,c\n"))["answers"].to_list() == [["c"]]
    assert "no column with the answers" in problems(write("other.csv", "prediction,text\na,b\n"))[0][1]


SENTENCES = [
    '"Is it far?" he asked.',
    '"The mill stands',
    "Two sacks of rye",
    'He sold the "old" barn',
    'Nobody came home"',
]


def of_sentences(sentences: list[str], delimiter: str) -> str:
    rows = [(str(index), text, "x") for index, text in enumerate(sentences)]
    return "\n".join(delimiter.join(row) for row in [("id", "prediction", "answer"), *rows]) + "\n"


def sentences_after(advice: str) -> list[str]:
    """Return the texts of the file that the code in a message writes."""
    code = " ".join(advice.split()).split("`")[1]
    exec(code, {"polars": pl})  # noqa: S102 - the message tells users to do so
    written = code.rpartition("write_parquet('")[2].removesuffix("')")
    return af.read_results(written)["prediction"].to_list()


@pytest.mark.parametrize(("name", "delimiter"), [("cv.tsv", "\t"), ("cv.csv", ","), ("cv.csv", "|")])
@pytest.mark.parametrize("chosen", [[0], [1], [0, 1, 2, 3, 4], [4, 2, 1]])
def test_quotes_that_are_text_are_an_error_whose_advice_keeps_them(
    write: Write, name: str, delimiter: str, chosen: list[int]
) -> None:
    sentences = [SENTENCES[index] for index in chosen]

    with pytest.raises(af.InputError) as raised:
        af.read_results(write(name, of_sentences(sentences, delimiter)))

    (hint,) = raised.value.hints
    assert sentences_after(hint) == sentences


def test_quotes_that_are_text_and_join_rows_are_warned_of(write: Write) -> None:
    sentences = [SENTENCES[index] for index in (2, 1, 2, 4, 3)]

    with pytest.warns(
        af.InputWarning, match=r"lines 3 to 5 are one row, because a quote is opened"
    ) as warned:
        assert af.read_results(write("cv.tsv", of_sentences(sentences, "\t"))).height == 3
    assert sentences_after(str(warned[0].message)) == sentences


@pytest.mark.filterwarnings("error")
def test_texts_of_several_lines_in_quotes_are_not_warned_of(write: Write) -> None:
    texts = ["Rye, oats\nand hay", "one, two\n\nthree, four, five", "a"]
    rows = "".join(f'{index},"{text}",x\n' for index, text in enumerate(texts))

    assert af.read_results(write("a.csv", "id,prediction,answer\n" + rows))["prediction"].to_list() == texts


def test_quotes_in_a_table_that_needs_them_are_an_error_with_another_advice(write: Write) -> None:
    path = write("a.csv", 'id,prediction,answer\n1,"a, b",x\n2,"5" disk",x\n')

    with pytest.raises(af.InputError, match="each of its own doubled") as raised:
        af.read_results(path)
    assert [problem.place for problem in raised.value.problems] == ["line 3"]


def packed_like(name: str, content: bytes) -> bytes:
    packed: bytes = (
        gzip.compress(content, mtime=0)
        if name.endswith(".gz")
        else pa.compress(content, codec="zstd", asbytes=True)
    )
    return packed


@pytest.mark.parametrize("name", ["bomb.csv.gz", "bomb.jsonl.zst"])
def test_what_unpacks_to_far_too_much_is_refused_before_it_fills_the_memory(write: Write, name: str) -> None:
    path = write(name, packed_like(name, b"prediction,answer\n" + b"a,b\n" * (1 << 20)))
    size = path.stat().st_size
    # The real limit takes a while to be reached.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anls_frame.files.file.MOST_BYTES", 3 << 20)
        found = problems(path)
    message = f"its {size:,} bytes unpack to more than {3 << 20:,}; if that is intended, unpack it first"
    assert found == [("", message)]


def test_compressed_text_within_either_limit_is_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"prediction,answer\n" + b"a,b\n" * (1 << 16)
    path = write("few.csv.gz", packed_like("few.csv.gz", content))
    assert len(content) > 100 * path.stat().st_size
    assert af.read_results(path).height == 1 << 16
    monkeypatch.setattr("anls_frame.files.file.MOST_BYTES", 1 << 10)
    monkeypatch.setattr("anls_frame.files.file.MOST_TIMES", 100_000)
    assert af.read_results(path).height == 1 << 16


def test_an_encoding_that_is_given_is_used(write: Write) -> None:
    path = write("latin.csv", "prediction,answer\nfür,x".encode("latin-1"))

    assert af.read_results(path, encoding="latin-1")["prediction"].item() == "für"
    with pytest.raises(ValueError, match="unknown encoding"):
        af.read_results(path, encoding="latin-99")


def test_controls_that_windows_text_has_in_another_encoding_are_an_error(write: Write) -> None:
    path = write("quotes.csv", "prediction,answer\na,\u201cx\u201d\n".encode("cp1252"))

    message = "U+0093 is a control character, which no text in LATIN-1 has; pass its encoding, such as "
    assert problems(path, encoding="latin-1") == [("line 2", f'{message}encoding="cp1252"')]
    assert af.read_results(path, encoding="cp1252")["answers"].to_list() == [["\u201cx\u201d"]]


def test_columns_that_hold_no_text_are_refused_where_the_text_would_be_made_up(tmp_path: Path) -> None:
    path = tmp_path / "numbers.parquet"
    pl.DataFrame({"prediction": [1.5], "answers": [[2]], "question_id": [3]}).write_parquet(path)

    assert problems(path) == [
        ("", "column 'prediction' must hold strings, got Float64; cast it to String before writing the file")
    ]


@pytest.mark.parametrize("suffix", ["jsonl", "json", "parquet"])
def test_a_prediction_may_be_the_only_entry_of_a_list(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows.{suffix}"
    rows = pl.DataFrame({"pred": [["a"], None, [""], ["b"]], "answer": ["a", "b", "c", "d"]})

    af.write_results(rows, path)
    assert af.read_results(path)["prediction"].to_list() == ["a", None, "", "b"]
    assert af.scan_results(path).select("prediction").collect().to_series().to_list() == ["a", None, "", "b"]

    af.write_results(rows.with_columns(pred=pl.Series([["a"], [], ["b", "c"], ["d"]])), path)
    empty, several = (message for _, message in problems(path))
    assert empty == "'pred' must be one text, got a list of 0; write null for a missing prediction"
    assert several.startswith("'pred' must be one text, got a list of 2; keep one of them, or make a row of ")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
@pytest.mark.parametrize("column", ["prediction", "answers"])
def test_whole_numbers_that_pandas_made_floats_are_told(tmp_path: Path, suffix: str, column: str) -> None:
    counts = pd.DataFrame({"id": [1, 2, 3], "prediction": ["7", "0", "12"], "answers": ["7", "0", "12"]})
    counts[column] = pd.Series([7, None, 12])
    path = tmp_path / f"counts.{suffix}"

    def written(frame: pd.DataFrame) -> Path:
        if suffix == "parquet":
            frame.to_parquet(path)
        elif suffix == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_json(path, orient="records", lines=suffix == "jsonl")
        return path

    advice = r"pandas makes floats of whole numbers if one is missing: cast the column .*\.astype\('Int64'\)"
    if suffix == "parquet":
        with pytest.raises(af.InputError, match=advice):
            af.read_results(written(counts))
    else:
        message = (
            f"each text in column '{column}' is a whole number with .0, such as '7.0', which is not the "
        )
        with pytest.warns(af.InputWarning, match=f"{message}text '7'; {advice}"):
            frame = af.read_results(written(counts))
        assert af.report(frame, "prediction", "answers", metrics="exact_match").overall["exact_match"] == 0
    frame = af.read_results(written(counts.astype({column: "Int64"})))
    report = af.report(frame, "prediction", "answers", metrics="exact_match")
    assert report.overall["exact_match"] == (2 / 3 if column == "prediction" else 1)


@pytest.mark.parametrize("texts", [[7.0, 7.5, None], ["7.0", "x", None], ["7.0", "7.0", "7.0"], [None] * 3])
def test_floats_that_the_file_means_are_not_told(tmp_path: Path, texts: list[Any]) -> None:
    frame = pd.DataFrame({"prediction": texts, "answers": ["7.0"] * 3})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    pl.from_pandas(frame.astype({"prediction": "str"})).write_parquet(tmp_path / "a.parquet")
    for suffix in ("csv", "jsonl", "parquet"):
        assert af.read_results(tmp_path / f"a.{suffix}").height == 3


def test_strings_of_json_in_csv_are_told(write: Write) -> None:
    """Exports of databases and tracing tools write values of JSON into the fields."""
    texts = ["Rome", 'say "a"', "1 Main St\nLeeds", None]
    fields = [json.dumps(text).replace('"', '""') for text in texts]
    path = write(
        "a.csv", "id,prediction,answers\n" + "".join(f'{i},"{f}",Rome\n' for i, f in enumerate(fields))
    )

    with pytest.warns(
        af.InputWarning, match="""'prediction' is a string of JSON, such as '"Rome"', and scored"""
    ):
        frame = af.read_results(path)
    assert frame["prediction"].to_list() == list(map(json.dumps, texts))
    # As advised:
    read = frame.with_columns(prediction=pl.Series(map(json.loads, frame["prediction"])))
    af.write_results(read, path)
    assert af.read_results(path)["prediction"].to_list() == texts
    quoted = write("b.csv", 'id,prediction,answers\n1,"""Rome""",Rome\n2,"the ""Rome""",Rome\n')
    assert af.read_results(quoted)["prediction"].to_list() == ['"Rome"', 'the "Rome"']


@pytest.mark.parametrize("verdicts", [("[PASS] (1.00) ", "[FAIL] (0.00) "), ("[PASS] ", "[ERROR] ")])
def test_verdicts_in_front_of_texts_are_told(write: Write, verdicts: tuple[str, str]) -> None:
    """As promptfoo writes CSV, with its prompt as the name of the column, which only an overview finds."""
    passed, failed = verdicts
    rows = "".join(f"q{i},Rome,{failed if i % 2 else passed}Rome {i}\n" for i in range(8))
    path = write("a.csv", f"question,expected,[m] Answer {{{{q}}}}\n{rows}")
    told = r"column '\[m\] Answer {{q}}' begins with a verdict, such as '\[PASS\] .*Rome 0', which counts"
    with pytest.warns(af.InputWarning, match=told):
        af.read_results(path, prediction="[m] Answer {{q}}")
    done = shell.run(path.parent, "overview", "a.csv")
    assert "begins with a verdict" in done.stderr
    some = write("b.csv", "id,prediction,answers\n1,[PASS] the exam,Rome\n2,Rome,Rome\n")
    assert af.read_results(some)["prediction"].to_list() == ["[PASS] the exam", "Rome"]


def test_a_folder_and_a_missing_file_are_errors_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="this is a folder"):
        af.read_results(tmp_path, format="csv")
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        af.read_results(tmp_path / "none.csv")
    with pytest.raises(TypeError, match="path must be the name of a file"):
        af.read_results(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="format must be one of"):
        af.read_results(tmp_path / "a.csv", format="xml")


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
def test_a_line_that_tells_excel_the_delimiter_is_no_header(write: Write, delimiter: str) -> None:
    lines = ["id,prediction,answer", '1,"a, b",c'] if delimiter == "," else ["id,prediction,answer", "1,a,c"]
    text = "\r\n".join(line if delimiter == "," else line.replace(",", delimiter) for line in lines)
    path = write("excel.csv", f"SEP={delimiter}\r\n{text}\r\n")
    assert af.read_results(path).columns == ["question_id", "prediction", "answers"]
    assert af.read_results(path)["prediction"].to_list() == ["a, b" if delimiter == "," else "a"]
    [(place, _)] = problems(write("broken.csv", f"sep={delimiter}\n{text}{delimiter}x"))
    assert place == "line 3"


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
@pytest.mark.parametrize("title", ["Results of A\n", "Results, A\n\n", "# 2026\nby B\n", 'Results,,\n"",,\n'])
def test_lines_above_the_header_are_left_out_and_told(write: Write, title: str, delimiter: str) -> None:
    table = "id,prediction,answer\n1,a,c\n".replace(",", delimiter)
    path = write("titled.csv", title + table)
    with pytest.warns(af.InputWarning, match="above the header left out: '"):
        frame = af.read_results(path)
    assert frame.rows() == [("1", "a", ["c"])]
    broken = write("broken.csv", title + table + "x")
    with pytest.warns(af.InputWarning, match="above the header left out"):
        assert problems(broken)[0][0] == f"line {title.count(chr(10)) + 3}"


@pytest.mark.parametrize(
    "text",
    [
        "id,prediction,answer\n1,answer,question\n",
        ",prediction,answer\n0,question,answer\n",
        "text,gold\nprediction,answer\n",
    ],
)
def test_a_header_stays_one_whatever_is_below(write: Write, text: str) -> None:
    prediction = "text" if text.startswith("text") else None
    assert af.read_results(write("plain.csv", text), prediction=prediction).height == 1


def test_a_first_line_that_is_no_header_is_told(write: Write) -> None:
    with pytest.raises(af.InputError) as raised:
        af.read_results(write("titled.csv", "Titel\nFrage,Modell,Gold\na,b,c\n"))
    assert raised.value.hints == ("the first line is no header of the others; delete it if it is a title",)


def test_the_error_counts_all_problems_and_shows_the_first() -> None:
    found = [Problem("f.csv", f"line {line}", "wrong" * line) for line in range(2, 32)]
    error = af.InputError(found, total=2000)

    assert str(error).startswith("2,000 problems:\nf.csv: line 2: wrongwrong\n")
    assert str(error).endswith(f"f.csv: line 21: {'wrong' * 21}\n... and 1,980 more")


def test_a_problem_of_many_rows_is_shown_three_times() -> None:
    """Otherwise, the kind of problem that comes last is not shown at all."""
    found = [Problem("f.csv", f"line {line}", "wrong") for line in range(2, 32)]
    last = Problem("f.csv", "line 40", "other")

    told = [f"f.csv: line {line}: wrong" for line in (2, 3, 4)]
    told = [*told[:2], f"{told[2]} (27 more like this)", "f.csv: line 40: other"]
    assert str(af.InputError([*found, last])).splitlines() == ["31 problems:", *told]
    assert str(af.InputError([*found, last], total=40)).splitlines() == [
        "40 problems:",
        *told,
        "... and 9 more",
    ]
    assert len(str(af.InputError(found[:20])).splitlines()) == 21
    files = [Problem(f"{page}.xml", "", "the root element is 'TET'") for page in range(30)]
    told = [f"{page}.xml: the root element is 'TET'" for page in range(3)]
    told[2] += " (27 more like this)"
    assert str(af.InputError(files)).splitlines() == ["30 problems:", *told]


def test_a_cell_of_brackets_is_an_error(write: Write) -> None:
    [(place, message)] = problems(
        write("deep.csv", f"prediction,answers\nx,{'[' * 100_000}{']' * 100_000}\n")
    )

    assert place == "line 2"
    assert "too many nested lists" in message


def test_a_table_without_a_header_is_told_to_have_one(write: Write) -> None:
    lines = "img_1\thello\thelo\nimg_2\tworld\tworld\n"
    with pytest.raises(af.InputError, match="if it is a row, write their names above it") as raised:
        af.read_results(write("rows.tsv", lines))
    assert "'img_1', 'hello', 'helo'" in str(raised.value)
    named = write("named.tsv", "id\tprediction\tanswer\n" + lines)
    assert af.read_results(named)["prediction"].to_list() == ["hello", "world"]
    # Usual names are no row, and JSON names its keys.
    for path in (write("a.tsv", "id\tx\n1\ta\n"), write("a.jsonl", '{"x": 1}\n')):
        with pytest.raises(af.InputError) as raised:
            af.read_results(path)
        assert "write their names above it" not in str(raised.value)


def test_lists_without_quotes_are_said_and_those_of_the_advice_read(tmp_path: Path) -> None:
    path = tmp_path / "duckdb.csv"
    path.write_text(
        "id,prediction,answers\n1,Cola,\"[Coke, Cola]\"\n2,y,\"['y, z', 'it\\'s']\"\n3,,[]\n4,1,[x]\n"
    )
    with pytest.warns(af.InputWarning, match=r"write to_json\(answers\) AS answers") as given:
        assert af.read_results(path)["answers"][0].to_list() == ["[Coke, Cola]"]
    assert len(given) == 1
    path.write_text(
        'id,prediction,answers\n1,Cola,"[""Coke"",""Cola""]"\n'
        '2,y,"[""y, z"",""it\'s""]"\n3,,[]\n4,1,"[""x""]"\n'
    )
    assert af.read_results(path)["answers"].to_list() == [["Coke", "Cola"], ["y, z", "it's"], [], ["x"]]


@pytest.mark.parametrize(
    "cells", [("[illegible]", "x, y"), ("[illegible]", "[a], [b]"), ("[1, 2]", "[nan, 2]")]
)
def test_other_texts_in_brackets_are_no_lists_without_quotes(tmp_path: Path, cells: tuple[str, ...]) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        "id,prediction,answers\n" + "".join(f'{row},x,"{cell}"\n' for row, cell in enumerate(cells))
    )
    af.read_results(path)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_named_tsv_may_have_the_delimiters_of_csv(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "rows.tsv"
    rows = [["id", "prediction", "answers"], ["1", '"a, b; c"', "d"], ["2", "e", "e"]]
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows))
    assert af.read_results(path)["prediction"].to_list() == ["a, b; c", "e"]
