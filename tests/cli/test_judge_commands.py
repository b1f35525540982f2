"""The scores of a judge, judged on a page: `audit -m`, `verdicts -m`, and the same in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from rows_pages import ReadPage

import anls_frame as af
from anls_frame.export.page_verdicts import OF_TEXTS, digest

N, DRAWN = 400, 80
# A judge that passes all answers, half of which are wrong.
ROWS = pl.DataFrame(
    {
        "question_id": range(N),
        "prediction": [f"answer {row}" for row in range(N)],
        "answers": [f"answer {row + row % 2}" for row in range(N)],
        "judge": [1.0] * N,
    }
)
TRUTH = 0.5
TEXTS = ("prediction", "answers")


def lines(sample: pl.DataFrame, score: str | None, said: tuple[str, str]) -> list[dict[str, Any]]:
    """Return the verdicts of a person who knows the truth, on all drawn rows."""
    drawn = sample.with_row_index("row").filter("audit").select("row", "question_id", *TEXTS)
    return [
        {
            "id": id_,
            "row": row,
            "verdict": said[int(id_) % 2],
            "digest": digest([text], [*pl.Series([answer]).explode(empty_as_null=True)]),
        }
        | ({} if score is None else {"score": score})
        for row, id_, text, answer in drawn.iter_rows()
    ]


def write(path: Path, found: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, found)), encoding="utf-8")
    return path


def test_a_judge_is_corrected_by_what_is_right(tmp_path: Path) -> None:
    ROWS.write_csv(tmp_path / "judged.csv")
    draw = ("audit", "judged.csv", "-n", DRAWN, "-m", "judge", "-o", "page.html", "--sample", "judge.parquet")
    printed = shell.fine(shell.run(tmp_path, *draw))
    assert "anls-frame verdicts verdicts.jsonl judge.parquet -m judge" in printed
    page = ReadPage((tmp_path / "page.html").read_text("utf-8"))
    assert page.meta["verdicts"] == ["right", "wrong"]
    assert [metric["name"] for metric in page.meta["metrics"]] == ["judge"]
    assert "Judge each of them: right (1) or wrong (2)." in page.text
    sample = pl.read_parquet(tmp_path / "judge.parquet")
    saved = write(tmp_path / "saved.jsonl", lines(sample, "judge", ("right", "wrong")))
    verdicts = af.readers.read_verdicts(saved)
    assert verdicts["score"].unique().to_list() == ["judge"]
    truth = af.audited_scores(sample, verdicts, "judge", id="question_id")
    drawn = truth.drop_nulls("audited_score")
    assert drawn["audited_score"].to_list() == [1.0 - int(one) % 2 for one in drawn["question_id"]]
    corrected = af.corrected(truth, "judge", "audited_score").overall.row(0, named=True)
    assert corrected["score"] == 1
    assert corrected["corrected_low"] <= TRUTH <= corrected["corrected_high"]
    for options in ((), ("-m", "judge")):
        said = shell.fine(shell.run(tmp_path, "verdicts", "saved.jsonl", "judge.parquet", *options))
        assert f"{corrected['corrected']:.3f} [{corrected['corrected_low']:.3f}" in said
        assert "judge, corrected by the drawn rows:" in said
        assert "ANLS" not in said
    found = json.loads(shell.fine(shell.run(tmp_path, "verdicts", "saved.jsonl", "judge.parquet", "--json")))
    assert [line["metric"] for line in found["corrected"]] == ["judge"]
    other = shell.run(tmp_path, "verdicts", "saved.jsonl", "judge.parquet", "-m", "anls")
    assert (other.returncode, "these verdicts judge judge, not anls" in other.stderr) == (2, True)


@pytest.mark.parametrize(
    ("scores", "is_rate"), [({"judge": 1.0}, False), ({"judge": 0.0}, True), ({"judge": True}, False)]
)
def test_an_error_of_ours_cannot_confirm_a_judge(scores: dict[str, Any], *, is_rate: bool) -> None:
    rows = ROWS.with_columns(**{name: pl.lit(value) for name, value in scores.items()})
    sample = af.audit_sample(rows, DRAWN, score="judge")
    given = lines(sample, None, ("score_right", "our_error"))
    verdicts = pl.DataFrame(given).with_columns(verdict=pl.col("verdict"))
    with pytest.raises(
        ValueError, match=r"verdict 'our_error' and the best score in 'judge'.* 'right' and 'wrong'"
    ):
        af.audited_scores(sample, verdicts, "judge", id="question_id", lower_is_better=is_rate)
    # Where points were lost, the verdict explains them, as before.
    lost = sample.with_columns(judge=pl.lit(0.5))
    found = af.audited_scores(lost, verdicts, "judge", id="question_id", lower_is_better=is_rate)
    assert found["audited_score"].drop_nulls().unique().to_list() == [0.5]


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ("judge", ["right", "wrong"]),
        (pl.col("judge") * 0.5, ["right", "wrong"]),
        (["judge", "anls"], ["right", "wrong"]),
        ("anls", None),
        (["anls", "judge"], None),
        (af.Metric.of_texts(lambda text, _: len(text), name="own"), None),
    ],
)
def test_verdicts_fit_what_is_judged(tmp_path: Path, metrics: Any, expected: list[str] | None) -> None:
    page = af.browse(ROWS, *TEXTS, metrics=metrics)
    found = ReadPage(page.write(tmp_path / "page.html").read_text("utf-8"))
    assert found.meta["verdicts"] == (expected or [*OF_TEXTS])


def test_a_file_without_the_score_needs_its_name(tmp_path: Path) -> None:
    sample = af.audit_sample(ROWS, DRAWN, score="judge")
    sample.write_parquet(tmp_path / "judge.parquet")
    write(tmp_path / "saved.jsonl", lines(sample, None, ("right", "wrong")))
    refused = shell.run(tmp_path, "verdicts", "saved.jsonl", "judge.parquet")
    assert (refused.returncode, "with --metric" in refused.stderr) == (2, True)
    assert "0.5" in shell.fine(shell.run(tmp_path, "verdicts", "saved.jsonl", "judge.parquet", "-m", "judge"))
    unknown = shell.run(
        tmp_path, "audit", "judge.parquet", "-m", "jugde", "-o", "p.html", "--sample", "s.parquet"
    )
    assert (unknown.returncode, "a column with scores" in unknown.stderr) == (2, True)
