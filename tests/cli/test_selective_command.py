"""`anls-frame selective` finds the thresholds of `selective`, and ends as its gate says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import shell

import anls_frame as af

COMMAND = ["selective", "results.csv", "--model-confidence", "sure", "-c", "doc", "--risk", "0.1"]


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    """Answers that are wrong where the model is not sure; of faxes there are few documents."""
    random = np.random.default_rng(0)
    sure = random.random(1500).round(3)
    return pl.DataFrame(
        {
            "question_id": range(1500),
            "doc": [f"d{place // 10}" for place in range(1500)],
            "kind": ["fax" if place < 80 else "form" for place in range(1500)],
            "prediction": np.where(random.random(1500) < sure**0.3, "yes", "no"),
            "answers": ["yes"] * 1500,
            "sure": sure,
            "entropy": -sure,
        }
    )


@pytest.fixture
def folder(rows: pl.DataFrame, tmp_path: Path) -> Path:
    rows.write_csv(tmp_path / "results.csv")
    return tmp_path


def test_the_risk_of_partial_scores_is_a_mean_loss(tmp_path: Path) -> None:
    # By hand: of 400 accepted answers, every fifth is "yess" with an ANLS of 3/4, so the mean loss is 1/20;
    # said as a share of wrong answers, it would be 20 %.
    sure = [one for one in (1.0, 0.95, 0.9, 0.85, 0.8) for _ in range(80)]
    rows = pl.DataFrame({"prediction": [*["yes"] * 4, "yess"] * 80, "answers": "yes", "sure": sure})
    rows.write_csv(tmp_path / "results.csv")
    command = ["selective", "results.csv", "--model-confidence", "sure", "--risk", "0.1"]
    text = " ".join(shell.fine(shell.run(tmp_path, *command)).split())
    assert "Accept a confidence of at least 0.8: the mean loss of these answers is at most 10 %," in text
    assert "They are 100 % of all answers; their mean loss was 5 % here." in text
    result = af.selective(rows, "prediction", "answers", "sure")
    assert result.holds(0.8, 0.1).sentence == (
        "fine: the mean loss of the answers accepted at a threshold of 0.8 is at most 10 %"
    )
    assert result.holds(0.8, 0.01).sentence == (
        "regressed: the mean loss of the answers accepted at a threshold of 0.8 is more than 1 % (5 %)"
    )


def test_the_printed_threshold_accepts_the_rows_that_it_is_certified_for(tmp_path: Path) -> None:
    sure = [1 - (place + 0.5) * 1e-8 for place in range(400)]  # six digits of all of them are 0.999996 to 1
    right = [place < 250 or place % 3 == 0 for place in range(400)]
    lines = ["id,prediction,answer,confidence"]
    lines += [f"{place},{'ab'[not right[place]]},a,{sure[place]!r}" for place in range(400)]
    (tmp_path / "sure.csv").write_text("\n".join(lines), encoding="utf-8")
    command = (
        "selective",
        "sure.csv",
        "--model-confidence",
        "confidence",
        "--risk",
        "0.05",
        "-m",
        "exact_match",
    )
    said = shell.fine(shell.run(tmp_path, *command)).partition("Accept a confidence of at least ")[2]

    accepted = [
        ok for confidence, ok in zip(sure, right, strict=True) if confidence >= float(said.split(":")[0])
    ]

    assert 250 <= len(accepted) < 280
    assert f"They are {len(accepted) / 4:.3g} % of all answers" in said
    assert f"; {100 * accepted.count(False) / len(accepted):.3g} % of them were wrong here" in said
    done = shell.run(tmp_path, *command, "--threshold", said.split(":")[0])
    assert f"accepted at a threshold of {said.split(':')[0]} are wrong" in done.stderr + done.stdout


def test_what_is_printed_and_written(rows: pl.DataFrame, folder: Path) -> None:
    result = af.selective(rows, "prediction", "answers", "sure", cluster="doc", by="kind")
    wanted = result.threshold(0.1).row(0, named=True)
    done = shell.run(folder, *COMMAND)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert (
        f"Accept a confidence of at least {wanted['threshold']:g}: at most 10 % of these answers are wrong"
        in text
    )
    assert f"They are {100 * wanted['accepted']:.3g} % of all answers" in text
    done = shell.run(folder, *COMMAND, "-b", "kind", "--json")
    found = json.loads(done.stdout)
    by_kind = found["tables"]["Thresholds for a risk of 10 % by kind"]
    assert by_kind == result.threshold(0.1, by="kind").to_dicts()
    assert found["tables"]["By kind"][0]["augrc"] == result.overall["augrc"].item()
    # All rows first, then the slices.
    assert found["notes"][0].startswith(
        f"Accept a confidence of at least {wanted['threshold']:g}: at most 10 %"
    )
    assert found["notes"][2].startswith("fax: Too few documents for a risk of 10 %")
    needed = {line["kind"]: line["documents_needed"] for line in by_kind}["fax"]
    tens = 10 ** max(len(str(needed)) - 2, 0)
    assert f"about {-(-needed // tens) * tens:,} documents would do" in found["notes"][2]
    done = shell.run(folder, *COMMAND, "-b", "kind", "-o", "passing.html")
    assert done.stdout.startswith("passing.html\n")
    assert "Thresholds for a risk of 10 % by kind" in (folder / "passing.html").read_text(encoding="utf-8")


def test_the_page_draws_risk_and_coverage_with_the_target(rows: pl.DataFrame, folder: Path) -> None:
    result = af.selective(rows, "prediction", "answers", "sure", cluster="doc", by="kind")
    curve, certified = result.curve(points=200), result.threshold(0.1)
    assert shell.run(folder, *COMMAND, "-o", "drawn.html").returncode == 0
    page = (folder / "drawn.html").read_text(encoding="utf-8")

    def height(text: str) -> float:
        return 100 - float(text)

    (points,) = re.findall(r'<polyline points="([^"]*)"', page)
    drawn = [(float(x), height(y)) for x, _, y in (point.partition(",") for point in points.split())]
    (target,) = re.findall(r'<line class="ref" x1="0" x2="100%" y1="([\d.]+)%"', page)
    (mark,) = re.findall(r'<circle class="mark" cx="([\d.]+)%" cy="([\d.]+)%"', page)
    # The lowest height is 0, so heights are to each other as the risks.
    scale = height(target) / 0.1
    assert [x for x, _ in drawn] == pytest.approx((100 * curve["coverage"]).to_list(), abs=0.006)
    assert [y for _, y in drawn] == pytest.approx((scale * curve["risk"]).to_list(), abs=0.02)
    assert float(mark[0]) == pytest.approx(100 * certified["accepted"].item(), abs=0.006)
    assert height(mark[1]) == pytest.approx(scale * certified["risk"].item(), abs=0.02)
    # Without a risk, there is no target.
    assert '<line class="ref" x1="0"' not in result.write(folder / "python.html").read_text("utf-8")


def test_rows_without_documents_are_too_few_rows(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        {"right": [1] * 49 + [0] + [1] * 50, "sure": [1 - place / 100 for place in range(100)]}
    )
    rows.write_csv(tmp_path / "rows.csv")
    options = ["selective", "rows.csv", "-m", "right", "--model-confidence", "sure", "--risk", "0.02"]
    said = " ".join(shell.run(tmp_path, *options).stdout.split())
    assert "Too few rows for a risk of 2 %; about 310 rows would do if" in said
    needed = af.selective(rows, metrics="right", model_confidence="sure").threshold(0.02)["documents_needed"]
    assert 300 < needed.item() <= 310


def test_documents_that_fail_whole(tmp_path: Path) -> None:
    """Nothing is lost, which proves no more than as many rows as there are documents."""
    pages = pl.DataFrame(
        {
            "doc": [f"d{place // 20}" for place in range(920)],
            "kind": ["a", "b"] * 460,
            "lang": ["c"] * 460 + ["d"] * 460,
            "right": [1] * 920,
            "sure": [place / 920 for place in range(920)],
        }
    )
    pages.write_csv(tmp_path / "results.csv")
    options = ["-m", "right", "-b", "kind", "-b", "lang", "--risk", "0.02", "--require-accepted", "0.1"]
    done = shell.run(tmp_path, *COMMAND[:-2], *options)
    assert done.returncode == 3, done.stderr
    lines = [line for line in " ".join(done.stdout.split()).split(". ") if "Too few documents" in line]
    assert len(lines) == 5
    assert "and the losses of a document correlate by 1" in lines[0]
    done = shell.run(tmp_path, *COMMAND[:-2], *options, "--json")
    tables = json.loads(done.stdout)["tables"]
    for name in ("", " by kind", " by lang"):
        for line in tables[f"Thresholds for a risk of 2 %{name}"]:
            assert (line["status"], line["correlation"]) == ("too_few_documents", 1)
            assert line["documents_needed"] >= 149


def test_lower_is_more_confident(rows: pl.DataFrame, folder: Path) -> None:
    line = [*COMMAND, "--lower-is-more-confident", "-m", "exact_match"]
    line[line.index("sure")] = "entropy"
    threshold = (
        af.selective(
            rows,
            "prediction",
            "answers",
            "entropy",
            metrics="exact_match",
            cluster="doc",
            higher_is_more_confident=False,
        )
        .threshold(0.1)["threshold"]
        .item()
    )
    assert f"Accept a confidence of at most {threshold:g}: at most 10 %" in " ".join(
        shell.run(folder, *line).stdout.split()
    )


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--require-accepted", "0.1"], 0),
        (["--require-accepted", "0.99"], 1),
        (["--require-accepted", "0", "--risk", "0.001"], 3),
        (["--require-accepted", "0", "-b", "kind"], 3),
        (["--require-accepted", "1", "-b", "kind"], 1),
        (["--risk", "0.001"], 0),
        (["--require-accepted", "2"], 2),
        (["--risk", "0"], 2),
        (["-m", "cer_mean"], 2),
        (["-m", "anls", "-m", "nls"], 2),
        (["--model-confidence", "kind"], 2),
    ],
)
def test_exit_codes(folder: Path, options: list[str], code: int) -> None:
    command = COMMAND[:-2] if "--risk" in options else COMMAND
    done = shell.run(folder, *command, *options)
    assert done.returncode == code, done.stderr
    assert (code != 2) or done.stderr


@pytest.mark.parametrize(("threshold", "risk"), [("0.9", "0.2"), ("0", "0.02"), ("0.99", "0.05")])
def test_a_threshold_that_is_known_is_checked(
    rows: pl.DataFrame, folder: Path, threshold: str, risk: str
) -> None:
    result = af.selective(rows, "prediction", "answers", "sure", cluster="doc")
    decision = result.holds(float(threshold), float(risk))
    done = shell.run(folder, *COMMAND[:-1], risk, "--threshold", threshold)
    assert str(decision).partition(". ")[0] in " ".join(done.stdout.split())
    assert done.returncode == {"fine": 0, "regressed": 1, "undecided": 3}[decision.answer]
    wrong = shell.run(folder, *COMMAND, "--threshold", threshold, "--require-accepted", "0.1")
    assert wrong.returncode == 2
    assert "pass one" in wrong.stderr


def test_the_column_of_the_confidence_is_not_the_level(folder: Path) -> None:
    with_hint = shell.run(folder, *COMMAND, "--confidence", "entropy")
    assert with_hint.returncode == 2
    assert with_hint.stderr.endswith("Name the column of the model's confidence with --model-confidence.\n")
    other = shell.run(folder, "report", "results.csv", "--confidence", "entropy")
    assert other.stderr.endswith("'entropy' is not a valid float.\n")
