"""Calls as they are written for the packages and scripts of the same names, with their argument names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell

import anls_frame as af
from anls_frame import gec

GOLD = ["Coca Cola", "Coca Cola Company"]


def test_anls_score_of_pypi_anls() -> None:
    # One insertion in nine characters.
    expected = 1 - 1 / 9
    assert af.anls_score(prediction="CocaCola", gold_labels=GOLD, threshold=0.5) == expected
    assert af.anls_score("CocaCola", GOLD, 0.5) == expected
    assert af.anls_score(prediction="CocaCola", answers=GOLD) == expected
    assert af.anls_score(prediction="CocaCola", gold_labels=GOLD, threshold=0.1) == 0
    for answers in ({}, {"answers": GOLD, "gold_labels": GOLD}):
        with pytest.raises(TypeError, match="answers= or as gold_labels="):
            af.anls_score("CocaCola", **answers)
    with pytest.raises(TypeError, match="wrap a string in a list"):
        af.anls_score("CocaCola", gold_labels="Coca Cola")  # type: ignore[arg-type]


def test_the_command_of_pypi_anls(tmp_path: Path) -> None:
    question = {"questionId": 1, "question": "Who?", "answers": GOLD}
    (tmp_path / "gold.json").write_text(json.dumps({"dataset_name": "d", "data": [question]}), "utf-8")
    (tmp_path / "sent.json").write_text(json.dumps([{"questionId": 1, "answer": "CocaCola"}]), "utf-8")
    files = ("--gold-label-file", "gold.json", "--submission-file", "sent.json", "--output-dir", "out")
    done = shell.run(tmp_path, *files, "--anls-threshold", "0.5", program="calculate-anls")
    assert done.returncode == 0
    written = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    assert written["result"] == {"score": 1 - 1 / 9}


@pytest.mark.parametrize(("reduction", "expected"), [("mean", 0.75), ("sum", 1.5), ("none", [1.0, 0.5])])
def test_a_metric_with_update_and_compute(reduction: Any, expected: Any) -> None:
    metric = af.NormalizedLevenshteinSimilarity(reduction=reduction)
    metric.update(["same", "ab"], ["same", "ax"])
    found = metric.compute()
    assert (found if isinstance(found, float) else [*found]) == expected
    metric.reset()
    assert metric(["ab"], ["ax"]) == ([0.5] if reduction == "none" else 0.5)


def test_functions_of_two_strings() -> None:
    # edit_distance(str1, str2) is symmetric.
    assert af.pairs.edit_distance("kitten", "sitting") == af.pairs.edit_distance("sitting", "kitten") == 3
    # get_cer(src, trg) divides by the length of trg.
    assert af.pairs.get_cer("lnvoice", "Invoice 42") == 4 / 10
    assert af.pairs.hamming_distance("karolin", "kathrin") == 3
    assert af.pairs.hamming_distance([1, 0, 1, 1], [1, 1, 1, 0]) == 2


def test_the_table_of_an_edit_distance() -> None:
    matrix = af.edit_matrix("cat", "cafe")
    assert matrix.distance == 2
    # By hand, a row for each character of the reference.
    rows = [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 1], [4, 3, 2, 2]]
    assert matrix.distances.tolist() == rows


def test_corrections_of_grammar() -> None:
    source, right = "He go home .", "He goes home ."
    corrected = {"start": 1, "end": 2, "type": "SVA", "corrections": ["goes"], "annotator": 0}
    rows = pl.DataFrame({"prediction": [right, source], "source": [source] * 2, "edits": [[corrected]] * 2})
    counts = gec.m2_corpus(gec.m2("prediction", "source", "edits"))
    scored = rows.select(counts.struct.field("precision", "recall"))
    # One edit of two is proposed, and it is right.
    assert scored.row(0) == (1.0, 0.5)
    same = pl.DataFrame({"prediction": [right], "source": [source], "references": [[right]]})
    measure = gec.i_measure("prediction", "source", references="references")
    assert same.select(measure.struct.field("i_measure")).item() == 1.0
