"""How rows were scored before: reports and comparisons of logs and of means say it, or warn."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import anls_frame as af

RRC = Path("data/rrc")
FILES = {name: RRC / f"submission_{name}.json" for name in ("tesseract", "rapidocr")}
SENTENCE = (
    "Scores are means over 1 to 2 epochs of each question (protocol rrc, threshold 0.4, missing predictions "
    "scored as the empty text)."
)


def compared(frame: pl.DataFrame, protocol: str = "anls") -> af.Comparison:
    wide = af.side_by_side(frame, "prediction", "answers", system="system", id="question_id")
    return af.compare(wide, protocol=protocol)


def logs() -> pl.DataFrame:
    return af.read_logs(FILES, gold=RRC / "gold_label.json")


def test_a_comparison_names_the_protocol_of_the_harness_as_a_report_does() -> None:
    frame = logs()
    named = "The file's harness uses protocol rrc, but these scores use protocol anls."

    other, same = compared(frame), compared(frame, "rrc")

    assert named in str(other)
    assert named in str(af.report(frame, "prediction", "answers", by="system"))
    assert named in json.dumps(other.to_document().notes)
    assert other.settings["scored_by"] == "rrc"
    assert "harness" not in str(same)
    three = frame.filter(system="rapidocr").with_columns(system=pl.lit("again"))
    assert "harness" not in str(compared(pl.concat([frame, three])))


def test_summaries_keep_it(tmp_path: Path) -> None:
    frame = af.read_rrc(RRC / "gold_label.json", FILES["rapidocr"])
    summary = af.summarize(frame, {"a": "prediction", "b": "question"}, "answers", part="one")
    assert summary.scored_by == "rrc"

    summary.save(tmp_path / "summary.parquet")
    loaded = af.Summary.load(tmp_path / "summary.parquet")
    parts = [loaded, af.summarize(frame, {"a": "prediction", "b": "question"}, "answers", part="two")]
    assert loaded.scored_by == af.merge(parts).scored_by == "rrc"
    unknown = af.summarize(frame.head(9), {"a": "prediction", "b": "question"}, "answers")
    assert af.merge([loaded, unknown]).scored_by is None


def test_reports_and_comparisons_of_means_say_what_they_are() -> None:
    rows = [(s, q, e, "x" * (q + e)) for s in "abc" for q in range(4) for e in range(1 + q % 2)]
    frame = pl.DataFrame(rows, schema=["system", "id", "epoch", "text"], orient="row")
    frame = frame.with_columns(answer=pl.lit("xx"))
    options: dict[str, Any] = {"protocol": af.PROTOCOLS["rrc"].replace(threshold=0.4)}

    for given in (frame, frame.to_pandas(), frame.to_arrow()):
        means = af.repeats.mean_over_epochs(given, "text", "answer", id=["system", "id"], **options)
        assert SENTENCE in str(af.report(means, metrics="anls"))
        wide = af.side_by_side(means, system="system", id="id", metrics="anls")
        assert SENTENCE in str(af.compare(wide))
        # Figures of another protocol are not comparable, and nothing says that missing ones were left out.
        how = "scores:protocol rrc, threshold 0.4, missing predictions scored as the empty text"
        version = f"cluster:none|v:{af.__version__}"
        assert af.report(means, metrics="anls").signature == f"anls|{how}|{version}"
        assert af.compare(wide).signature == f"anls:c-b-a|anls|{how}|{version}"
        saved = af.Summary.from_bytes(af.summarize(means, metrics="anls").to_bytes())
        assert af.Report.from_summary(saved).signature == f"anls|{how}|{version}"
        two = frame.filter(pl.col("system") != "c")
    pair = af.repeats.mean_over_epochs(two, "text", "answer", id=["system", "id"], **options)
    assert SENTENCE in str(af.compare(af.side_by_side(pair, system="system", id="id", metrics="anls")))
    passed = af.repeats.pass_at_k(frame, 1, "text", "answer", id=["system", "id"], missing="drop")
    assert "estimated from 1 to 2 epochs of each question (protocol anls" in str(
        af.report(passed, metrics="pass_at_1")
    )
    first = frame.filter(epoch=0)
    once = af.repeats.mean_over_epochs(first, "text", "answer", id=["system", "id"], **options)
    assert "Scores are those of one answer to each question (protocol rrc, " in str(
        af.report(once, metrics="anls")
    )
    as_they_are = af.repeats.mean_over_epochs(first.with_columns(f1=0.5), id=["system", "id"], metrics="f1")
    assert "epoch" not in str(af.report(as_they_are, metrics="f1"))
    existing = af.repeats.mean_over_epochs(frame.with_columns(f1=0.5), id=["system", "id"], metrics="f1")
    assert "Scores are means over 1 to 2 epochs of each question.\n" in str(af.report(existing, metrics="f1"))


def test_means_say_how_all_their_rows_were_scored() -> None:
    """Two epochs of three questions: one prediction is missing, and question 3 has no answer."""
    frame = pl.DataFrame({
        "id": [1, 2, 3, 1, 2, 3],
        "text": ["a", "b", "c", None, "b", None],
        "answer": ["a", "b", None, "a", "b", None],
    })  # fmt: skip
    how = "protocol anls, threshold 0.5, missing predictions scored as the empty text"
    means = af.repeats.mean_over_epochs(frame, "text", "answer", id="id")
    report = af.report(means, metrics="anls")
    assert report.overall["anls"] == pytest.approx((0.5 + 1) / 2)
    assert f"of each question ({how}); 1 of 6 predictions missing." in str(report)

    options: Any = {"id": "id", "unanswerable": "empty"}
    empty = af.report(af.repeats.mean_over_epochs(frame, "text", "answer", **options), metrics="anls")
    assert empty.overall["anls"] == pytest.approx((0.5 + 1 + 0.5) / 3)
    how += ", rows without an answer scored against the empty text"
    assert f"|scores:{how}|" in empty.signature
    with pytest.raises(ValueError, match="computation"):
        af.merge([report.summary, empty.summary])

    # Parts differ in the number of missing predictions.
    other = af.repeats.mean_over_epochs(frame.drop_nulls("text"), "text", "answer", **options)
    merged = af.merge([empty.summary, af.summarize(other, metrics="anls")])
    assert f"Scores were computed with {how}." in str(af.Report.from_summary(merged))


def test_existing_scores_of_different_harnesses_are_no_silent_comparison(tmp_path: Path) -> None:
    samples = [
        {"doc_id": n, "target": "['a']", "filtered_resps": "a", "input": "?", "anls": n % 2} for n in range(4)
    ]
    text = "".join(json.dumps(one) + "\n" for one in samples)
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    table = pl.DataFrame({"id": [*"0123"], "prediction": "a", "answer": "a", "anls": [0.0, 1.0, 0.5, 0.5]})
    table.write_parquet(tmp_path / "table.parquet")
    mixed = af.read_logs(tmp_path)
    alike = af.read_logs([tmp_path / "one.jsonl", tmp_path / "two.jsonl"])
    names: dict[str, Any] = {"metrics": "anls", "system": "system", "id": "question_id"}
    said = r"different protocols \(rrc for 'one', 'two'; not known for 'table'\)"

    numbers = af.repeats.mean_over_epochs(mixed, id=["system", "question_id"], metrics="anls")
    logged = "the harness logged another anls in 7 rows"
    with pytest.warns(af.InputWarning, match=logged):
        texts = af.repeats.mean_over_epochs(mixed, "prediction", "answers", id=["system", "question_id"])
    for frame in (mixed, numbers):
        with pytest.warns(af.InputWarning, match=said):
            af.compare(af.side_by_side(frame, **names))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared(mixed)
        af.compare(af.side_by_side(texts, **names))
        comparison: Any = af.compare(af.side_by_side(alike, **names))
    assert "These scores were read from the file, whose harness uses protocol rrc." in str(comparison)


def test_parts_of_means_of_two_protocols_do_not_add_up() -> None:
    frame = pl.DataFrame({"id": [1, 1, 2, 2], "text": [*"abab"], "answer": [*"aabb"]})
    parts = [
        af.summarize(
            af.repeats.mean_over_epochs(frame, "text", "answer", id="id", protocol=protocol), metrics="anls"
        )
        for protocol in ("anls", "rrc")
    ]
    with pytest.raises(
        ValueError, match=r"cannot be merged: computation \('protocol anls, .*'protocol rrc, "
    ):
        af.merge(parts)
