"""Rows without an answer: what was invented there is counted, and scored on request."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import shell

import anls_frame as af

KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "arrow": lambda data: pl.DataFrame(data).to_arrow(),
}
TEXTS: dict[str, list[Any]] = {
    "prediction": ["12 EUR", None, "Invoice", "", " ", None, "wrong", "x"],
    "other": ["12 EUR", "a", None, "b", None, "Paris", "right", None],
    "answers": ["12 EUR", None, None, None, None, "Paris", "right", ""],
    "lang": ["en", "en", "de", "de", "en", "de", "en", "de"],
}
LISTS = TEXTS | {
    "answers": [["12 EUR"], None, [], [None], [None, None], ["Paris"], ["wright", "right"], [""]],
}
DATA = {"texts": TEXTS, "lists": LISTS}


def filled(data: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the same with the rule written out: no answer is the empty text, nor is a prediction there."""
    asked = [not (answer if isinstance(answer, str) else any(answer or ())) for answer in data["answers"]]
    asked[-1] = False  # the empty text is its answer
    texts = {
        name: ["" if none and text is None else text for none, text in zip(asked, data[name], strict=True)]
        for name in ("prediction", "other")
    }
    answers = [[""] if none else answer for none, answer in zip(asked, data["answers"], strict=True)]
    answers = [[answer] if isinstance(answer, str) else answer for answer in answers]
    return data | texts | {"answers": answers}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("missing", ["empty", "drop"])
def test_rows_without_an_answer_are_scored_as_if_it_were_empty(kind: str, name: str, missing: Any) -> None:
    def made(data: dict[str, list[Any]], **options: Any) -> list[Any]:
        frame = KINDS[kind](data)
        systems = {"old": "prediction", "new": "other"}
        scoring = {"missing": missing, **options}
        report = af.report(frame, "prediction", "answers", by="lang", details=True, worst=8, **scoring)
        compared = af.compare(frame, systems, "answers", details=True, **scoring)
        tables = [
            report.to_polars(),
            report.errors(),
            report.worst.drop("answers") if kind != "pandas" else report.worst.drop(columns="answers"),
            compared.to_polars(),
            compared.transitions,
            af.changes(frame, systems, "answers", kind="all", **scoring),
            af.worst(frame, "prediction", "answers", metrics="nls", **scoring),
        ]
        return [
            [
                report.overall[one]
                for one in ("n", "n_missing", "n_unanswerable", "n_empty_reference", "anls")
            ],
            *(pl.DataFrame(table).drop("prediction", "other", "answers", strict=False) for table in tables),
        ]

    for found, expected in zip(made(DATA[name], unanswerable="empty"), made(filled(DATA[name])), strict=True):
        if isinstance(found, list):
            assert found == expected
        else:
            assert found.drop("baseline_prediction", strict=False).equals(
                expected.drop("baseline_prediction", strict=False)
            )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", DATA)
def test_the_default_leaves_them_out_and_says_what_was_invented(kind: str, name: str) -> None:
    frame = KINDS[kind](DATA[name])
    report = af.report(frame, "prediction", "answers", details=True)
    assert (report.overall["n"], report.overall["n_unanswerable"]) == (4, 4)
    note = (
        '4 have no accepted answer and were left out (predicted texts: {}): unanswerable="empty" scores them'
    )
    assert note.format("1") in str(report)
    assert "unanswerable" not in report.summary.settings.signature
    kinds = dict(pl.DataFrame(report.errors()).select("error_type", "n").iter_rows())
    assert kinds == {"exact": 1, "missing": 1, "wrong": 1, "invented": 1}
    compared = af.compare(frame, {"old": "prediction", "new": "other"}, "answers")
    assert note.format("2 of new, 1 of old") in str(compared)
    several = {"old": "prediction", "new": "other", "again": "other"}
    again = af.compare(frame, several, "answers")
    assert note.format("2 of new, 2 of again, 1 of old") in str(again)

    scored = af.report(frame, "prediction", "answers", details=True, unanswerable="empty")
    wrong = "scored against the empty text (4), and texts predicted there are wrong (1)."
    assert f"rows without an accepted answer are {wrong}" in str(scored)
    assert "|unanswerable:empty|" in scored.summary.settings.signature
    kinds = dict(pl.DataFrame(scored.errors()).select("error_type", "n").iter_rows())
    assert kinds == {"exact": 3, "whitespace": 1, "missing": 1, "wrong": 1, "invented": 2}


def test_own_functions_and_found_slices_see_the_empty_answer() -> None:
    frame = pl.DataFrame(TEXTS)
    own = af.Metric(lambda p, a: p == a, name="same")
    report = af.report(frame, "prediction", "answers", metrics=[own, "exact_match"], unanswerable="empty")
    # " " is right for `exact_match`, whose protocol ignores whitespace.
    assert (report.overall["same"], report.overall["exact_match"]) == (3 / 8, 4 / 8)
    many = pl.concat([frame] * 20)
    found = af.find_slices(many, "prediction", "answers", columns=["lang"], unanswerable="empty")
    assert found.settings["unanswerable"] == "empty"
    # Of the German rows, one in four is right: nothing was predicted, and there is no answer.
    assert found.to_polars().select("description", "n", "score").rows() == [("lang = de", 80, 0.25)]


def test_pages_of_rows_have_the_type() -> None:
    for unanswerable, expected in (("drop", 1), ("empty", 2)):
        page = af.browse(pl.DataFrame(TEXTS), "prediction", "answers", unanswerable=unanswerable)
        types = page._content.table["type_0"]  # noqa: SLF001 - what the page shows
        assert types.to_list().count("invented") == expected


def test_pages_of_rows_have_the_notes_of_reports() -> None:
    frame = pl.concat([pl.DataFrame(TEXTS), pl.DataFrame(TEXTS).with_columns(other=pl.lit("None"))])
    several = {"old": "prediction", "new": "other", "again": "prediction"}
    for unanswerable in ("drop", "empty"):
        for missing in ("empty", "drop"):
            options: dict[str, Any] = {"unanswerable": unanswerable, "missing": missing}
            for systems, made in (
                ("other", af.report(frame, "other", "answers", **options)),
                (several, af.compare(frame, several, "answers", **options)),
            ):
                starts = (*made.account.notes, "Predictions such as")
                notes = [note for note in made.to_document().notes if note.startswith(starts)]
                assert len(notes) == 2
                page = af.browse(frame, systems, "answers", n=3, **options)
                assert [note for note in page._content.notes if note.startswith(starts)] == notes  # noqa: SLF001


def test_summaries_keep_the_choice_and_do_not_merge_with_another(tmp_path: Path) -> None:
    frame = pl.DataFrame(TEXTS)
    parts = {
        choice: af.summarize(frame, "prediction", "answers", part=choice, unanswerable=choice)
        for choice in ("drop", "empty")
    }
    with pytest.raises(ValueError, match="unanswerable"):
        af.merge([parts["drop"], parts["empty"]])
    parts["empty"].save(tmp_path / "s.parquet")
    loaded = af.Summary.load(tmp_path / "s.parquet")
    assert loaded.settings.unanswerable == "empty"
    assert str(af.Report.from_summary(loaded)) == str(af.Report.from_summary(parts["empty"]))
    of_systems = af.summarize(frame, ["prediction", "other"], "answers", unanswerable="empty")
    of_systems.save(tmp_path / "of_systems.parquet")
    loaded_systems = af.Summary.load(tmp_path / "of_systems.parquet")
    assert loaded_systems.predictions == of_systems.predictions
    assert n_invented(of_systems) == {"prediction": 1, "other": 2}
    twice = af.merge(
        [of_systems, af.summarize(frame, ["prediction", "other"], "answers", unanswerable="empty")]
    )
    assert n_invented(twice) == {"prediction": 2, "other": 4}


def n_invented(summary: af.Summary) -> dict[str, int]:
    return {name: counted.n_invented for name, counted in summary.predictions.items()}


def test_wrong_choices_are_refused() -> None:
    frame = pl.DataFrame(TEXTS).with_columns(score=0.5, number=1)
    wrong: Any = "wrong"
    for call in (af.report, af.worst, af.browse, af.summarize):
        with pytest.raises(ValueError, match="unanswerable must be one of 'drop', 'empty', got 'wrong'"):
            call(frame, "prediction", "answers", unanswerable=wrong)
    with pytest.raises(
        ValueError, match='unanswerable="empty" scores rows without an answer, but the scores'
    ):
        af.report(frame, metrics="score", unanswerable="empty")
    for call in (af.report, af.worst):
        with pytest.raises(af.DTypeError, match="Int32"):
            call(
                frame.with_columns(pl.col("number").cast(pl.Int32)),
                "prediction",
                "number",
                unanswerable="empty",
            )


PLACEHOLDERS = [
    "None",
    " nan",
    "NaN",
    "N/A",
    "Unknown.",
    "NULL",
    "<NA>",
    "#N/A",
    "unanswerable",
    "No answer",
    "not answerable",
    "NOT_FOUND",
    "not found",
    "Not_Answerable",
]


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_that_stand_for_none_are_noted(kind: str) -> None:
    texts = [*PLACEHOLDERS, "none of these", "Nana", None, "", "None", "n/a"]
    answers = [["a"]] * (len(texts) - 2) + [["b", "none"], None]
    frame = KINDS[kind]({"prediction": texts, "other": ["a"] * len(texts), "answers": answers})
    note = 'Predictions such as "None" or "N/A", scored as texts (make them null if they are missing): '
    report = af.report(frame, "prediction", "answers")
    assert f"{note}{len(PLACEHOLDERS)}." in str(report)
    assert report.overall["n_missing"] == 1
    assert f"{note}{len(PLACEHOLDERS)} of prediction." in str(
        af.compare(frame, ["prediction", "other"], "answers")
    )
    scored = af.report(frame, "prediction", "answers", unanswerable="empty")
    assert f"{note}{len(PLACEHOLDERS) + 1}." in str(scored)


def test_texts_are_blank_and_placeholders_whatever_whitespace_python_strips() -> None:
    spaces = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
    texts = [*spaces, *(f"{space}Nan.{space}" for space in spaces), "\u200b"]
    for answer, noted in ((None, "n_invented"), ("a", "n_placeholders")):
        made = af.summarize(
            pl.DataFrame({"prediction": texts}).with_columns(answer=pl.lit(answer)), "prediction", "answer"
        )
        wanted = len(spaces) + (answer is None)
        assert getattr(made.predictions["prediction"], noted) == wanted


def test_the_shell_scores_and_notes_the_same(tmp_path: Path) -> None:
    frame = pl.DataFrame(LISTS).with_columns(prediction=pl.col("prediction").replace("wrong", "N/A"))
    frame.with_row_index("id").write_ndjson(tmp_path / "r.jsonl")
    frame.with_row_index("id").with_columns(prediction="other").write_ndjson(tmp_path / "s.jsonl")
    done = shell.run(tmp_path, "report", "r.jsonl", "--unanswerable", "empty", "--json")
    assert json.loads(done.stdout)["settings"]["unanswerable"] == "empty"
    done = shell.run(tmp_path, "compare", "r.jsonl", "s.jsonl", "--unanswerable", "empty")
    assert "All 8 rows were used" in done.stdout
    assert "rows without an accepted answer are scored against the empty text (4)" in done.stdout
    for command in (["browse", "r.jsonl", "-o", "rows.html"], ["changes", "r.jsonl", "s.jsonl"]):
        assert shell.run(tmp_path, *command, "--unanswerable", "empty").returncode == 0
    done = shell.run(tmp_path, "report", "r.jsonl", "--unanswerable", "x")
    assert "'--unanswerable': 'x' is not one of 'drop', 'empty'" in done.stderr


ABSENCE: Any = ["fabrication_rate", "abstention_rate"]


def absence(frame: Any, **options: Any) -> list[float | None]:
    overall = af.report(frame, "prediction", "answers", metrics=ABSENCE, **options).overall
    return [overall[name] for name in ABSENCE]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", DATA)
def test_absence_is_divided_by_the_rows_of_its_kind(kind: str, name: str) -> None:
    # Of the five rows without an answer, "Invoice" and "x" are invented; one of three answers is missing.
    frame = KINDS[kind](DATA[name])
    assert absence(frame, unanswerable="empty") == [2 / 5, 1 / 3]
    # By system: "a", "b" and nothing else without an answer, no missing answer.
    compared = af.compare(
        frame, {"old": "prediction", "new": "other"}, "answers", metrics=ABSENCE, unanswerable="empty"
    )
    found = compared.to_polars().select("baseline_score", "score").rows()
    assert found == [pytest.approx((2 / 5, 2 / 5)), pytest.approx((1 / 3, 0))]


@pytest.mark.parametrize("times", [1, 7])
def test_the_mix_moves_neither_rate(times: int) -> None:
    frame = pl.DataFrame(TEXTS)
    has_answer = pl.col("answers").fill_null("") != ""
    mixed = pl.concat(
        [frame, *[frame.filter(~has_answer)] * times, *[frame.filter(has_answer)] * (times // 2)]
    )
    assert absence(mixed, unanswerable="empty") == absence(frame, unanswerable="empty")
    shares = [
        af.report(data, "prediction", "answers", metrics="exact_match", unanswerable="empty").overall
        for data in (frame, mixed)
    ]
    assert shares[0]["exact_match"] != shares[1]["exact_match"]


@pytest.mark.parametrize(("prediction", "answer"), [(" ", " "), ("\n", ""), ("", "\t"), (None, " ")])
def test_blank_texts_are_neither_predictions_nor_answers(prediction: str | None, answer: str) -> None:
    frame = pl.DataFrame({"prediction": [prediction, prediction], "answers": [answer, "a"]})
    assert absence(frame) == [0, 1]


@pytest.mark.parametrize("metric", ABSENCE)
def test_dropped_predictions_count_in_no_rate_of_absence(metric: str) -> None:
    # Blank answers are answers of an option, so a null prediction there is dropped as any other.
    frame = pl.DataFrame(
        {
            "prediction": [None, "x", "a", "", "y", None],
            "other": ["x", None, "b", "c", "y", "z"],
            "answers": ["", None, "", "", "z", "z"],
        }
    )
    compared = af.compare(frame, ["prediction", "other"], "answers", metrics=metric, missing="drop")
    row = compared.overall.row(0, named=True)
    kept = frame.drop_nulls(["prediction", "other"])
    alone = [af.report(kept, name, "answers", metrics=metric).overall[metric] for name in compared.systems]
    assert [row["baseline_score"], row["score"]] == alone
    assert row["n"] == {"fabrication_rate": 2, "abstention_rate": 1}[metric]


def test_a_rate_without_rows_of_its_kind_is_null_with_the_reason() -> None:
    asked = pl.DataFrame({"prediction": ["a", "x"], "answers": ["a", None]})
    assert absence(asked) == [None, 0]
    told = str(af.report(asked, "prediction", "answers", metrics=ABSENCE))
    assert '(predicted texts: 1): unanswerable="empty" scores it' in told
    none = af.report(asked.head(1), "prediction", "answers", metrics=ABSENCE)
    assert none.overall["fabrication_rate"] is None
    assert "fabrication rate has a score in 0 rows" in str(none)
    assert "fabrication rate is null, because there are no rows without an answer." in str(none)
