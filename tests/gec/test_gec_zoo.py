"""Files as public corpora and their programs write them, with counts that a person made."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anls_frame import gec
from anls_frame.exceptions import InputWarning

ZOO = Path(__file__).parents[1] / "readers" / "zoo"
COUNTS = ("tp", "fp", "fn")


def m2(data: pl.DataFrame) -> tuple[int, ...]:
    return counts(data, gec.m2_corpus(gec.m2("prediction", "source", "edits", "annotators")))


def errant(data: pl.DataFrame, **options: Any) -> tuple[int, ...]:
    columns = ("prediction_edits", "edits", "prediction_annotators", "annotators")
    return counts(data, gec.errant_corpus(gec.errant(*columns, **options)))


def counts(data: pl.DataFrame, scores: pl.Expr) -> tuple[int, ...]:
    return data.select(scores.struct.field(*COUNTS)).row(0)


def test_conll14() -> None:
    folder = ZOO / "sentences_conll14"

    data = gec.read_m2(folder / "gold.m2", prediction=folder / "system.txt")

    assert data["annotators"].to_list() == [[0, 1], [0, 1], []]
    corrections = data["edits"].explode(empty_as_null=True).struct.field("corrections").to_list()
    assert corrections[:4] == [["is"], ["winter", "the winter season"], ["is"], ["the"]]
    assert corrections[4] == [""]
    # is and the, which both annotators have; nothing, as the second one says; "A ferry", which nobody has.
    assert m2(data) == (2, 1, 0)


def test_bea19() -> None:
    folder = ZOO / "sentences_bea19"

    data = gec.read_m2(folder / "gold.m2", prediction_edits=folder / "system.m2")

    assert data["annotators"].to_list() == [[0, 1, 2, 3, 4]] * 3
    # The fifth annotator has were alone, so that only too is wrong; the first has saw.
    assert errant(data) == (2, 1, 0)
    row_counts = gec.errant("prediction_edits", "edits", "prediction_annotators", "annotators")
    table = gec.by_type(data.select(row_counts.alias("counts")), "counts", tier=3)
    assert set(table.select("type", *COUNTS).rows()) == {
        ("R:VERB:SVA", 1, 0, 0),
        ("R:VERB:TENSE", 1, 0, 0),
        ("M:ADV", 0, 1, 0),
    }


def test_cherrant(tmp_path: Path) -> None:
    folder = ZOO / "sentences_cherrant"
    gold, system, text = (folder / name for name in ("gold.m2.char", "system.m2.char", "system.txt"))

    with pytest.warns(InputWarning, match=r"gold\.m2\.char: 1 sentence with the type 'NA', .* in no score$"):
        data = gec.read_m2(gold, prediction=text, prediction_edits=system)

    assert data["annotators"].to_list() == [[0, 1], [0], None, [0, 1], [0]]
    # As the second annotator has it; a wrong 真; not counted; 欢; both of two alignments.
    assert errant(data) == (4, 1, 0)
    # The same, but a sentence has one of the two alignments.
    assert m2(data) == (3, 1, 1)
    for path in (gold, system):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (tmp_path / path.name).write_text("".join(line for line in lines if line[0] != "T"), encoding="utf-8")
    with pytest.warns(InputWarning):
        again = gec.read_m2(tmp_path / gold.name, prediction=text, prediction_edits=tmp_path / system.name)
    assert again.equals(data)


def test_a_t_line_changes_no_score(tmp_path: Path) -> None:
    lines = ["S 他 去", "T0-A0 他 去 了", "A 2 2|||M|||了|||REQUIRED|||-NONE-|||0"]
    (tmp_path / "system.txt").write_text("他 去 了\n", encoding="utf-8")
    for kept in (lines, [lines[0], lines[2]]):
        (tmp_path / "gold.m2").write_text("\n".join(kept), encoding="utf-8")
        data = gec.read_m2(tmp_path / "gold.m2", prediction=tmp_path / "system.txt")
        assert m2(data) == (1, 0, 0)


def test_estgec() -> None:
    folder = ZOO / "sentences_estgec"

    joined = gec.read_m2(folder / "source_gold.txt", prediction=folder / "system.txt")
    files = gec.read_m2(folder / "gold", prediction=folder / "system")

    assert files["document"].to_list() == ["A2_001-002.txt"] * 2 + ["A2_001-003.txt"]
    assert files.drop("document").equals(joined)
    assert joined["annotators"].to_list() == [[0], [0, 1], [0, 1]]
    # majas; nothing; leiva, as the second annotator has it, who did not move ma.
    assert m2(joined) == (2, 1, 0)
    with pytest.raises(gec.M2FormatError) as caught:
        gec.read_m2(folder / "gold", prediction=folder / "system.txt")
    gold, system = folder / "gold", folder / "system.txt"
    assert str(caught.value) == (
        f"{gold} (2 files) and {system} (1 file) do not pair up: {gold / 'A2_001-002.txt'} has no "
        "counterpart. Files pair up by their names up to the first dot or, in Python, as lists, in order"
    )


def test_a_misspelled_line_of_a_folder_is_named_with_its_file(tmp_path: Path) -> None:
    folder = shutil.copytree(ZOO / "sentences_estgec" / "gold", tmp_path / "gold")
    path = folder / "A2_001-003.txt"
    # A real file of the corpus has this.
    path.write_text(path.read_text(encoding="utf-8").replace("-NONE-|||1", "-NONE-||1"), encoding="utf-8")

    with pytest.raises(gec.M2FormatError, match=r"A2_001-003\.txt: line 4: an A line must have 6 fields"):
        gec.read_m2(folder)


def test_jfleg() -> None:
    folder = ZOO / "sentences_jfleg"
    references = [folder / f"test.ref{number}" for number in range(4)]

    data = gec.read_parallel(folder / "test.src", references, prediction=folder / "system.txt")

    assert data["references"].list.len().to_list() == [4, 4, 4]
    rows = data.select(gec.i_measure("prediction", "source", references="references")).unnest("gec_i_measure")
    assert rows["reference_index"].to_list()[:2] == [1, 0]
    assert rows["i_measure"].to_list() == pytest.approx([1, 1, (3 / 4.5) / (3 / 4) - 1], abs=1e-15)
    # The, new and people are corrected, ten words rightly unchanged, and goes is gone.
    correction = rows.select(pl.col("correction").struct.unnest().sum()).row(0, named=True)
    assert correction == {"tp": 3, "tn": 10, "fp": 1, "fn": 1, "fpn": 1}
    scores = data.select(gec.i_measure_corpus(gec.i_measure("prediction", "source", references="references")))
    assert scores.item()["i_measure"] == pytest.approx((16 / 17.5 - 10 / 14) / (1 - 10 / 14), abs=1e-15)


def test_jfleg_in_m2_names_only_annotators_with_edits(tmp_path: Path) -> None:
    (tmp_path / "system.txt").write_text("It is late .\nHe goes home .\n")

    data = gec.read_m2(ZOO / "sentences_jfleg" / "test.ref.m2", prediction=tmp_path / "system.txt")

    assert data["annotators"].to_list() == [[3], [0, 1, 3]]
    # Three people left the first sentence as it is, but the file does not say so.
    assert m2(data) == (1, 0, 1)
