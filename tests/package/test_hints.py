"""Errors of common mistakes name what was probably meant, and the advice works."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from shell import fine, refused

import anls_frame as af

FRAME = pl.DataFrame({"id": ["Q1", "Q2"], "prediction": ["a", "b"], "answers": [["a"], ["x", "y"]]})


@pytest.mark.parametrize("name", ["accuracy", "Acc", "em"])
def test_names_of_accuracy_lead_to_exact_match(name: str) -> None:
    with pytest.raises(ValueError, match=f"got '{name}'; for this score, pass 'exact_match'"):
        af.report(FRAME, "prediction", "answers", metrics=name)
    assert af.report(FRAME, "prediction", "answers", metrics="exact_match").overall["exact_match"] == 0.5


def test_names_of_scores_that_are_not_built_in_lead_to_own_ones() -> None:
    with pytest.raises(ValueError, match=r"got 'wer'; pass 'wer_corpus' for .*, 'wer_mean'"):
        af.compare(FRAME.with_columns(other="prediction"), ["prediction", "other"], "answers", metrics="wer")
    for name in ("f1", "token_f1"):
        advice = f"got '{name}'; this score is not built in: .* your own, from Metric.of_texts$"
        with pytest.raises(ValueError, match=advice):
            af.report(FRAME, "prediction", "answers", metrics=name)
    assert "f1" in af.report(FRAME.with_columns(f1=0.5), "prediction", "answers", metrics="f1").overall
    with pytest.raises(ValueError, match=r"got 'nonsense'$"):
        af.report(FRAME, "prediction", "answers", metrics="nonsense")


def test_ids_that_differ_in_case_only_are_named(tmp_path: Path) -> None:
    lower = FRAME.with_columns(pl.col("id").str.to_lowercase())
    message = "ids must be written the same way: 'Q1' and 'q1' count as different"
    with pytest.warns(af.InputWarning, match=message):
        assert af.pair(FRAME, lower, on="id", prediction="prediction").frame.is_empty()
    long = pl.concat([FRAME.with_columns(model=pl.lit("a")), lower.with_columns(model=pl.lit("b"))])
    with pytest.raises(ValueError, match=r"'[Qq]1' and '[Qq]1' count as different"):
        af.side_by_side(long, "prediction", "answers", system="model", id="id")
    for name, frame in {"a": FRAME, "b": lower}.items():
        frame.write_ndjson(tmp_path / f"{name}.jsonl")
    with pytest.raises(af.InputError, match=message):
        af.read_logs({"a": tmp_path / "a.jsonl", "b": tmp_path / "b.jsonl"})
    for command in ("compare", "changes"):
        refused(shell.run(tmp_path, command, "a.jsonl", "b.jsonl"), "ids must be written the same way: ")
    # Other ids that lack a partner get no such hint.
    lower.with_columns(id="R" + pl.col("id")).write_ndjson(tmp_path / "b.jsonl")
    with pytest.raises(af.InputError) as caught:
        af.read_logs({"a": tmp_path / "a.jsonl", "b": tmp_path / "b.jsonl"})
    assert "case" not in str(caught.value)


def test_ids_of_two_unicode_forms_are_named_with_escapes() -> None:
    """On a screen, both ids look the same."""
    names = FRAME.with_columns(id=pl.concat_str(pl.lit("\u00e9-"), "id"))
    decomposed = names.with_columns(pl.col("id").str.normalize("NFD"))
    message = "ids must be written the same way: '\\\\xe9-Q1' and 'e\\\\u0301-Q1' count as different"
    with pytest.warns(af.InputWarning, match=message):
        assert af.pair(names, decomposed, on="id", prediction="prediction").frame.is_empty()
    composed = decomposed.with_columns(pl.col("id").str.normalize("NFC"))
    assert af.pair(names, composed, on="id", prediction="prediction").frame.height == names.height


def test_pages_whose_names_differ_in_case_only_are_named(tmp_path: Path) -> None:
    for name in ("truth/Page_1.txt", "ocr/page_1.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("a")
    with pytest.raises(af.InputError, match="'Page_1' and 'page_1' count as different"):
        af.read_pages(tmp_path / "truth", {"ocr": tmp_path / "ocr"})


def test_exchanged_columns_are_recognized() -> None:
    message = "If 'answers' holds the accepted answers, exchange the two columns: the prediction comes first"
    for function in (af.report, af.add_scores, af.worst, af.browse):
        for frame in (FRAME, FRAME.to_pandas()):
            with pytest.raises(af.DTypeError, match=message):
                function(frame, "answers", "prediction")
    with pytest.raises(af.DTypeError) as caught:
        af.report(FRAME.with_columns(prediction="answers"), "prediction", "answers")
    assert "exchange" not in str(caught.value)
    assert af.report(FRAME, "prediction", "answers").overall["n"] == 2


@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow"])
def test_a_column_with_another_role_is_not_what_was_meant(kind: str) -> None:
    frame: Any = FRAME.rename({"answers": "model_answers", "prediction": "model_answer"})
    frame = {"polars": frame, "pandas": frame.to_pandas(), "arrow": frame.to_arrow()}[kind]
    with pytest.raises(af.exceptions.ColumnNotFoundError, match="did you mean 'model_answer'\\?"):
        af.report(frame, "model_answerss", "model_answers")


def test_a_column_with_another_role_is_not_what_was_meant_in_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,answers,output\n1,a,a\n")
    with pytest.raises(af.InputError) as caught:
        af.read_results(tmp_path / "a.csv", prediction="answer", answers="answers")
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "columns", "nearest"),
    [
        ("doc_id", ["question_id", "document"], "document"),
        ("document", ["question_id", "doc_id"], "doc_id"),
        ("dok_id", ["question_id", "doc_id"], "doc_id"),
        ("id", ["prediction", "question_id"], "question_id"),
        ("question_i", ["question", "question_id"], "question_id"),
        ("ocr_conf", ["ocr", "ocr_confidence"], "ocr_confidence"),
        ("doc", ["doc_type", "doc_id"], "doc_id"),
        ("doc_id", ["question_id", "prediction"], None),
        ("Sample ID", ["question_id", "prediction"], "question_id"),
        ("model output", ["question_id", "prediction"], "prediction"),
        ("output", ["Output", "prediction"], "Output"),
        ("response", ["responses", "prediction"], "responses"),
        ("changed", ["a", "b"], None),
        ("sentence", ["en", "de"], None),
        ("x", ["context", "prediction"], None),
        ("system_a", ["a", "b"], "a"),
        ("question_id", ["id", "b"], "id"),
        ("ids", ["id", "b"], "id"),
        ("l", ["lang", "b"], "lang"),
        ("doc_ids", ["question_id", "doc_id"], "doc_id"),
        ("Question_ID", ["question_id", "doc_id"], "question_id"),
        ("model", ["model_id", "doc_id"], "model_id"),
    ],
)
def test_ids_of_other_things_are_not_what_was_meant(
    name: str, columns: list[str], nearest: str | None
) -> None:
    frame = pl.DataFrame({key: ["a"] for key in ("text", "answers", *columns)})
    with pytest.raises(af.exceptions.ColumnNotFoundError) as caught:
        af.report(frame, "text", "answers", cluster=name)
    _, _, hint = str(caught.value).partition("; did you mean ")
    assert hint == ("" if nearest is None else f"{nearest!r}?")


def test_entries_of_objects_lead_to_columns_of_their_own(tmp_path: Path) -> None:
    scored = FRAME.with_columns(metric=pl.struct(em=pl.Series([1.0, 0.0])), of=pl.struct(lang=pl.lit("de")))
    advice = (
        r"if '{}' holds objects, make a column of the entry first, in Polars with \.struct\.field\(\.\.\.\)"
    )
    with pytest.raises(ValueError, match=advice.format("metric")):
        af.report(scored, "prediction", "answers", metrics="metric.em")
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match=advice.format("of")):
        af.report(scored, "prediction", "answers", by="of.lang")
    made = scored.with_columns(em=pl.col("metric").struct.field("em"), lang=pl.col("of").struct.field("lang"))
    assert af.report(made, "prediction", "answers", metrics="em", by="lang").overall["em"] == 0.5
    # In JSON, objects are texts, whose entries the commands read themselves.
    scored.write_ndjson(tmp_path / "m.jsonl")
    assert "de" in fine(shell.run(tmp_path, "report", "m.jsonl", "-b", "of.lang"))
    read = af.read_results(tmp_path / "m.jsonl")
    lang = pl.col("of").str.json_path_match("$.lang")
    assert af.report(read.with_columns(lang=lang), "prediction", "answers", by="lang").by_group[
        "n"
    ].to_list() == [2]
