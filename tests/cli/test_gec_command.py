"""`anls-frame gec`: the numbers of the functions, and messages in place of tracebacks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import shell

from anls_frame import gec

GOLD = """\
S The boat lies at shore .
A 3 4|||R:PREP|||off|||REQUIRED|||-NONE-|||0
A 4 4|||M:DET|||the|||REQUIRED|||-NONE-|||0

S The bird .
A 1 2|||R:NOUN:NUM|||birds|||REQUIRED|||-NONE-|||0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(GOLD)
    (tmp_path / "system.txt").write_text("A boat lies off the shore .\nThe bird .\n")
    (tmp_path / "system.m2").write_text(GOLD.replace("|||off|||", "|||on|||"))
    return tmp_path


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    done = shell.run(folder, "gec", *arguments)
    return done.returncode, done.stdout, done.stderr


def test_m2(folder: Path) -> None:
    code, text, _ = run(folder, "m2", "system.txt", "gold.m2", "--beta", "1", "--json")

    scores = json.loads(text)
    assert (code, scores["tp"], scores["fp"], scores["fn"], scores["beta"]) == (0, 2, 1, 1, 1.0)
    assert run(folder, "m2", "system.txt", "gold.m2")[1].splitlines()[3] == "precision:       0.667"


def test_i_measure(folder: Path) -> None:
    code, text, _ = run(folder, "i-measure", "system.txt", "gold.m2", "--no-mix", "--json")

    data = gec.read_m2(folder / "gold.m2", prediction=folder / "system.txt")
    rows = gec.i_measure("prediction", "source", "edits", "annotators", mix=False)
    assert code == 0
    assert json.loads(text) == data.select(gec.i_measure_corpus(rows)).item()


def test_an_error_of_the_library_is_shown_without_expressions_of_polars(folder: Path) -> None:
    other = "A 0 1|||R:DET|||A|||REQUIRED|||-NONE-|||1"
    (folder / "gold.m2").write_text(GOLD.replace("|||0\n\n", f"|||0\n{other}\n\n"))
    code, _, told = run(folder, "i-measure", "system.txt", "gold.m2", "--max-references", "2")

    assert code == 2
    assert told.startswith("anls-frame: row 0 (counted from 0, of 2 rows in this batch): its edits make ")
    assert "col(" not in told


def test_errant(folder: Path) -> None:
    code, text, _ = run(folder, "errant", "system.m2", "gold.m2", "--tier", "1", "--json")

    scores = json.loads(text)
    assert (code, scores["tp"], scores["fp"], scores["fn"]) == (0, 2, 1, 1)
    assert [(one["type"], one["tp"]) for one in scores["types"]] == [("M", 1), ("R", 1)]
    shown = run(folder, "errant", "system.m2", "gold.m2", "--tier", "2")[1]
    (row,) = [line for line in shown.splitlines() if "NOUN:NUM" in line]
    # The system has the edit of the number, so all its scores are 1.
    assert [cell.strip() for cell in row.strip("│ ").split("┆")][-3:] == ["1.000"] * 3


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        # What ERRANT's own `errant_compare` prints.
        ((), (2, 2, 2)),
        (("--single",), (1, 1, 1)),
        (("--multi",), (1, 1, 1)),
        (("--single", "--multi"), (0, 0, 0)),
        (("--filt", "R:PREP"), (2, 1, 1)),
        (("--filt", "R:PREP", "--filt", "R:NOUN:NUM"), (1, 1, 1)),
        (("--mode", "ds", "--single"), (2, 0, 0)),
        (("--mode", "dt", "--multi"), (3, 0, 0)),
    ],
)
def test_errant_with_its_options(folder: Path, options: tuple[str, ...], counts: tuple[int, ...]) -> None:
    gold = (
        "S The boat lies at shore .\n"
        "A 3 4|||R:PREP|||off|||REQUIRED|||-NONE-|||0\n"
        "A 0 2|||R:OTHER|||Boats|||REQUIRED|||-NONE-|||0\n"
        "A 4 4|||M:DET|||the sandy|||REQUIRED|||-NONE-|||0\n\n"
        "S The bird .\n"
        "A 1 2|||R:NOUN:NUM|||birds|||REQUIRED|||-NONE-|||0\n"
    )
    (folder / "gold.m2").write_text(gold)
    (folder / "system.m2").write_text(gold.replace("off", "on").replace("the sandy", "that fine"))

    scores = json.loads(run(folder, "errant", "system.m2", "gold.m2", *options, "--json")[1])

    assert (scores["tp"], scores["fp"], scores["fn"]) == counts


def test_compare(folder: Path) -> None:
    (folder / "other.txt").write_text("The boat lies off the shore .\nThe birds .\n")
    (folder / "documents.txt").write_text("essay\nletter\n")
    files = {"old": folder / "system.txt", "new": folder / "other.txt", "document": folder / "documents.txt"}
    data = gec.read_m2(folder / "gold.m2", prediction=files)
    systems = {"system": "old", "other": "new"}

    code, text, _ = run(folder, "compare", "system.txt", "other.txt", "gold.m2", "--beta", "1", "--json")
    assert code == 0
    assert json.loads(text) == gec.compare(systems, data, beta=1).to_dicts()

    options = ("--measure", "i-measure", "--documents", "documents.txt", "--confidence", "0.9")
    text = run(folder, "compare", "system.txt", "other.txt", "gold.m2", *options, "--json")[1]
    expected = gec.compare(systems, data, measure="i_measure", cluster="document", confidence=0.9)
    assert json.loads(text) == expected.to_dicts()
    shown = run(folder, "compare", "system.txt", "other.txt", "gold.m2", *options)[1]
    assert "source WAcc" in shown
    assert "precision" not in shown
    # The marks, signs and units of the table are explained below it.
    assert shown.splitlines()[1].split("┆")[1].strip() == "sentences"
    assert "Difference: each system minus system;" in shown
    assert "allows for documents" in shown
    assert ("* few documents, or" in shown) == expected["few_rows"].any()
    assert "apply together" not in shown
    three = run(folder, "compare", "system.txt", "other.txt", "other.txt", "gold.m2")
    assert three[0] == 2  # the same file twice
    (folder / "third.txt").write_text("The boat lies at the shore .\nThe birds .\n")
    shown = run(folder, "compare", "system.txt", "other.txt", "third.txt", "gold.m2")[1]
    # Each interval is wider than that of the comparison with this system alone.
    assert "allows for sentences; the intervals of all systems apply together." in shown
    assert "not adjusted" not in shown

    code, _, errors = run(folder, "compare", "system.txt", "other.txt", "gold.m2", "--measure", "x")
    assert code == 2
    assert "--measure must be one of" in errors


def test_compare_of_typed_edits(folder: Path) -> None:
    (folder / "again").mkdir()
    (folder / "again" / "system.m2").write_text(GOLD)
    systems = ("system.m2", "again/system.m2")
    edits = {"old": folder / systems[0], "new": folder / systems[1]}
    data = gec.read_m2(folder / "gold.m2", prediction_edits=edits)

    text = run(folder, "compare", *systems, "gold.m2", "--measure", "errant", "--json")[1]

    expected = gec.compare(dict(zip(systems, ("old", "new"), strict=True)), data, measure="errant")
    assert json.loads(text) == expected.to_dicts()


@pytest.mark.parametrize("gold", ["gold", "gold/*.m2"])
def test_several_files_of_gold_edits(folder: Path, gold: str) -> None:
    for name, text in (("gold", GOLD), ("system", GOLD.replace("|||off|||", "|||on|||"))):
        (folder / name).mkdir()
        (folder / f"{name}.m2").unlink()
        for number, block in enumerate(text.split("\n\n")):
            (folder / name / f"{number}.m2").write_text(block)
    for name in ("old", "new"):
        (folder / name).mkdir()
        (folder / name / "0.txt").write_text("A boat lies off the shore .\n")
        (folder / name / "1.txt").write_text(f"The {'bird' if name == 'old' else 'birds'} .\n")

    scores = [
        json.loads(run(folder, *command, gold, "--json")[1])
        for command in (("m2", "old"), ("m2", "new/*.txt"), ("errant", "system"))
    ]
    assert [tuple(one[name] for name in ("tp", "fp", "fn")) for one in scores] == [
        (2, 1, 1),
        (3, 1, 0),
        (2, 1, 1),
    ]
    assert run(folder, "i-measure", "new", gold)[0] == 0

    data = gec.read_m2(folder / "gold", prediction={name: folder / name for name in ("old", "new")})
    text = run(folder, "compare", "old", "new", gold, "--json")[1]
    assert json.loads(text) == gec.compare(["old", "new"], data, cluster="document").to_dicts()
    (folder / "documents.txt").write_text("a\nb\n")
    code, _, errors = run(folder, "compare", "old", "new", gold, "--documents", "documents.txt")
    assert code == 2
    assert "each file that GOLD.m2 names is a document; leave --documents out" in errors
    (folder / "new" / "1.txt").write_text("The birds .\n\n")
    code, _, errors = run(folder, "m2", "new", gold)
    assert code == 2
    assert "2 lines (1 of them empty)" in " ".join(errors.split())


def test_plain_sentences_as_references(folder: Path) -> None:
    texts = {
        "source": "The boat lies at shore .\n",
        "one": "The boat lies off shore .\n",
        "two": "A boat .\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    (folder / "system.txt").write_text(texts["one"])
    source = ("--source", "source.txt", "--json")

    code, one, _ = run(folder, "i-measure", "system.txt", "one.txt", *source)
    both = run(folder, "i-measure", "system.txt", "two.txt", "one.txt", *source)[1]

    assert code == 0
    assert json.loads(one)["i_measure"] == 1
    assert both == one
    assert json.loads(run(folder, "i-measure", "system.txt", "two.txt", *source)[1])["i_measure"] < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("m2", "system.txt", "one.txt"), "one.txt: line 1: a line must start with 'S ', 'A ' or 'I '"),
        (
            ("i-measure", "system.txt", "one.txt", "one.txt"),
            "several files of corrected sentences need --source as well",
        ),
        (("i-measure", "system.txt", "one.txt", "--source", "gold.m2"), "one.txt has 2 lines, but gold.m2"),
    ],
)
def test_plain_sentences_where_they_cannot_be(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "one.txt").write_text("The boat .\nThe bird .\n")

    code, text, errors = run(folder, *arguments)

    assert (code, text) == (2, "")
    assert message in " ".join(errors.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("m2", "system.txt", "none.m2"), "none.m2"),
        (("m2", "system.txt", "system.txt"), "system.txt: line 1: A line"),
        (("m2", "gold.m2", "gold.m2"), "gold.m2 must hold plain text"),
        (("m2", "system.txt", "gold.m2", "--choose", "best"), "choose must be one of"),
        (
            ("i-measure", "system.txt", "gold.m2", "--max-references", "1"),
            "or do not mix the edits of annotators",
        ),
        (("errant", "gold.m2", "gold.m2", "--mode", "x"), "mode must be one of"),
        (("compare", "system.txt", "gold.m2"), "name two or more systems, and GOLD.m2 after them"),
        (("compare", "system.txt", "system.txt", "gold.m2"), "occurs twice; each file must belong"),
        (("compare", "system.txt", "none.txt", "gold.m2"), "none.txt"),
    ],
)
def test_wrong_input_ends_with_a_message(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "gold.m2").write_text(GOLD + "A 1 2|||X|||fish|||REQUIRED|||-NONE-|||1\n")

    code, text, errors = run(folder, *arguments)

    assert (code, text) == (2, "")
    assert message in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("good", "bad", "within", "code", "said"),
    [
        (40, 40, "0.1", 0, "fine: new is not worse than old by 0.1 or more (difference +0.000)"),
        (40, 0, "0.1", 1, "regressed: new is worse than old by more than 0.1 (difference -1.000)"),
        (
            20,
            18,
            "0.01",
            3,
            "undecided: new could be worse than old by more than 0.01; 40 sentences can decide margins of ",
        ),
    ],
)
def test_compare_is_a_gate(  # noqa: PLR0917 - a line of the table
    tmp_path: Path, good: int, bad: int, within: str, code: int, said: str
) -> None:
    gold = "S The bird .\nA 1 2|||R:NOUN:NUM|||birds|||REQUIRED|||-NONE-|||0\n\n"
    (tmp_path / "gold.m2").write_text(gold * 40)
    for name, right in (("old", good), ("new", bad)):
        (tmp_path / f"{name}.txt").write_text("The birds .\n" * right + "The bird .\n" * (40 - right))
    done = run(tmp_path, "compare", "old.txt", "new.txt", "gold.m2", "--require-within", within)
    assert (done[0], said in done[2]) == (code, True), done


def test_figures_of_a_gate_have_the_notation_of_others(tmp_path: Path) -> None:
    gold = "S The bird .\nA 1 2|||R:NOUN:NUM|||birds|||REQUIRED|||-NONE-|||0\n\n"
    (tmp_path / "gold.m2").write_text(gold * 40)
    for name, right in (("old", 30), ("new", 25)):
        (tmp_path / f"{name}.txt").write_text("The birds .\n" * right + "The bird .\n" * (40 - right))
    done = run(tmp_path, "compare", "old.txt", "new.txt", "gold.m2", "--require-within", "0.001")
    assert re.search(r"┆ undecided ┆ +0\.\d{3} ┆ +\d{1,3}(,\d{3})+ │\n", done[1]), done


def test_a_gate_needs_a_positive_bound(folder: Path) -> None:
    code, _, errors = run(folder, "compare", "system.txt", "system.txt", "gold.m2", "--require-within", "0.1")
    assert code == 2
    assert "occurs twice" in errors
    (folder / "other.txt").write_text("A boat lies off the shore .\nThe bird .\n")
    code, _, errors = run(folder, "compare", "system.txt", "other.txt", "gold.m2", "--require-within", "0")
    assert code == 2
    assert "--require-within must be" in errors
    command = (folder, "compare", "system.txt", "other.txt", "gold.m2", "--require-within")
    code, printed, errors = run(*command, "1", "--measure", "i-measure")
    assert (code, printed) == (2, "")
    assert (
        "--require-within must be less than 1, which is 100 percentage points of the I-measure, got 1; 1"
        in errors
    )
