"""Half of a surrogate pair, as a model leaves it that is cut within an emoji: U+FFFD, with a warning."""

from __future__ import annotations

import json
import warnings
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anls_frame as af
from anls_frame.frames import strict_json

HALF = "\ud83d"


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_a_field_without_a_role_leaves_the_file_readable(tmp_path: Path) -> None:
    rows = [{"id": 0, "prediction": "a", "answers": ["a"]}, {"id": 1, "prediction": "b", "answers": ["b"]}]
    path = lines(tmp_path / "s.jsonl", rows[0], rows[1] | {"note": f"x{HALF}", "more": f"{HALF}\ude00{HALF}"})

    with pytest.warns(af.InputWarning) as caught:
        frame = af.read_results(path)

    assert frame["note"].to_list() == [None, "x\ufffd"]
    assert frame["more"].to_list() == [None, "\U0001f600\ufffd"]
    [warning] = caught
    assert str(warning.message).startswith(
        f"{path}: 2 lone surrogates read as U+FFFD, such as \\ud83d (line 2)"
    )


@pytest.mark.parametrize("kind", ["jsonl", "json", "object"])
@pytest.mark.parametrize("half", [HALF, "\udc00"])
def test_predictions_answers_and_keys_are_read(tmp_path: Path, kind: str, half: str) -> None:
    row = {"id": half, "prediction": f"{half}a\\", "answers": ["b", f"\\\\u{half}"], f"key{half}": 1}
    path = tmp_path / ("s.jsonl" if kind == "jsonl" else "s.json")
    written = {"jsonl": row, "json": [row], "object": {"rows": [row]}}[kind]
    path.write_text(json.dumps(written), encoding="utf-8")

    with pytest.warns(af.InputWarning, match="4 lone surrogates"):
        frame = af.read_results(path)

    assert frame.row(0) == ("\ufffd", "\ufffda\\", ["b", "\\\\u\ufffd"], 1)
    assert frame.columns[-1] == "key\ufffd"


def test_harnesses_and_competitions_are_read_alike(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "target": "a", "filtered_resps": f"a{HALF}", "resps": [[f"a{HALF}"]]}
    lmms = lines(tmp_path / "20261121_samples_docvqa_val.jsonl", sample)
    lm = lines(tmp_path / "samples_docqa_2026-11-21.jsonl", sample | {"arguments": {}, "doc": {"q": "?"}})
    inspected = {"id": "7", "epoch": 1, "input": "?", "target": "a", "output": {"completion": f"a{HALF}"}}
    log = {"version": 2, "status": "success", "eval": {"task": "t"}}
    as_json = tmp_path / "log.json"
    as_json.write_text(json.dumps(log | {"samples": [inspected]}), encoding="utf-8")
    archived = tmp_path / "log.eval"
    with zipfile.ZipFile(archived, "w") as archive:
        archive.writestr("header.json", json.dumps(log))
        archive.writestr("samples/7_epoch_1.json", json.dumps(inspected))
    labels = tmp_path / "gold.json"
    labels.write_text(json.dumps({"data": [{"questionId": 1, "answers": ["a"]}]}), encoding="utf-8")
    submitted = tmp_path / "submitted.json"
    submitted.write_text(json.dumps([{"questionId": 1, "answer": f"a{HALF}"}]), encoding="utf-8")
    reads = [partial(af.readers.read_file, path) for path in (lmms, lm, as_json, archived)]
    reads += [partial(af.read_rrc, labels, submitted), partial(af.read_logs, {"model": lmms})]
    with pytest.warns(af.InputWarning, match="lone surrogate") as caught:
        frames = [read() for read in reads]

    assert [frame["prediction"].to_list() for frame in frames] == [["a\ufffd"]] * 6
    named = [str(warning.message).partition(":")[0] for warning in caught]
    assert named == [str(path) for path in (lmms, lm, as_json, archived, submitted, lmms)]
    assert "(samples/7_epoch_1.json)" in str(caught[3].message)


def test_printed_lists_and_documents_are_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text('id,prediction,answers\n1,a,"[\'a\', \'b\\ud83d\']"\n2,a,"[""c\\ud83d"", ""d""]"\n')
    with pytest.warns(af.InputWarning, match="2 printed lists with lone surrogates"):
        frame = af.read_results(path)
    assert frame["answers"].to_list() == [["a", "b\ufffd"], ["c\ufffd", "d"]]

    documents = pl.DataFrame({"id": [1], "gold": ['{"a": "x\\ud83d"}'], "model": ['{"a": "x\\ufffd"}']})
    with pytest.warns(
        af.InputWarning, match="1 document in column 'gold' with lone surrogates .* such as 1; was"
    ):
        fields = af.fields(documents, "model", "gold", id="id")
    assert fields.select("answers", "prediction", "status").row(0) == ("x\ufffd", "x\ufffd", "matched")


def test_verdicts_of_rows_with_halves_are_read(tmp_path: Path) -> None:
    line = {"id": HALF, "row": 0, "verdict": "format", "digest": "b5fff5139edef2af"}
    path = lines(tmp_path / "verdicts.jsonl", line)

    with pytest.warns(af.InputWarning, match="1 lone surrogate"):
        verdicts = af.readers.read_verdicts(path)

    assert verdicts["id"].to_list() == ["\ufffd"]


def test_whole_pairs_and_escaped_backslashes_are_left_alone(tmp_path: Path) -> None:
    texts = ["\U0001f600\U0001f600", "\\ud83d", "\\\\ud83d \U0001f600", "\\\U0001f600"]
    path = lines(tmp_path / "s.jsonl", *({"prediction": text, "answers": [text]} for text in texts))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = af.read_results(path)

    assert frame["prediction"].to_list() == texts


@given(st.text(st.sampled_from('\\ud83dDcCeE0\ud83d\udc00\U0001f600"é')))
def test_json_with_halves_is_what_python_reads_with_each_half_replaced(text: str) -> None:
    # Python joins pairs in JSON as UTF-16 does.
    expected = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    assert strict_json.parse(json.dumps(text)) == expected
    assert len(strict_json.without_halves(json.dumps(text))[1]) == expected.count("\ufffd")


@pytest.mark.parametrize(
    "dtype", [object, pd.StringDtype("python"), pd.StringDtype("python", na_value=float("nan"))]
)
@pytest.mark.parametrize("role", ["prediction", "answers", "group"])
def test_a_pandas_column_with_half_a_pair_is_named_with_its_row(dtype: Any, role: str) -> None:
    columns = {name: pd.Series(["a", "b"]) for name in ("prediction", "answers", "group")}
    columns[role] = pd.Series(["a", f"b{HALF}"], dtype=dtype)
    frame = pd.DataFrame(columns)

    with pytest.raises(af.DTypeError, match=rf"column '{role}', row 1: 'b\\ud83d' contains a lone surrogate"):
        af.report(frame, "prediction", "answers", by="group")

    def replaced(text: str) -> str:  # as the message says
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    fixed = frame.assign(**{role: frame[role].astype(object).map(replaced)})
    assert af.report(fixed, "prediction", "answers", by="group").overall["n"] == 2
