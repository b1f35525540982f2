"""The .m2 format: what is read, what is written, and what is refused with its line."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from campaign import amount
from gec_cases import edit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anls_frame import gec
from anls_frame.exceptions import DuplicateColumnError

GOLD = """\
S The boat lies at shore .
A 3 4|||Prep|||off|||REQUIRED|||-NONE-|||0
A 4 4|||ArtOrDet|||the||a|||REQUIRED|||-NONE-|||0

S The bird .
I a line of another kind
A 1 2|||NN||| birds |||OPTIONAL|||a note|||0
A -1 -1|||noop|||-NONE-|||-NONE-|||-NONE-|||3


S Nothing said
S\x20
A 0 0|||M|||-NONE-|||REQUIRED|||-NONE-|||1
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "gold.m2"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_file(tmp_path: Path) -> None:
    text = GOLD.replace("S Nothing said\n", "S Nothing said\n\n")

    data = gec.read_m2(write(tmp_path, text))

    assert data["source"].to_list() == ["The boat lies at shore .", "The bird .", "Nothing said", ""]
    assert data["annotators"].to_list() == [[0], [0, 3], [], [1]]
    assert data["edits"].to_list() == [
        [edit(0, 3, 4, ["off"], "Prep"), edit(0, 4, 4, ["the", "a"], "ArtOrDet")],
        [edit(0, 1, 2, ["birds"], "NN") | {"required": "OPTIONAL", "comment": "a note"}],
        [],
        [edit(1, 0, 0, [""], "M")],
    ]
    assert gec.read_m2(write(tmp_path, "\ufeff" + text.replace("\n", "\r\n"))).equals(data)


def test_predictions_beside_it(tmp_path: Path) -> None:
    path = write(tmp_path, "S a\n\nS b\n")
    system = tmp_path / "system.txt"
    system.write_bytes("x\u2028y\r\n\n".encode())

    assert gec.read_m2(path, prediction=system)["prediction"].to_list() == ["x\u2028y", ""]
    system.write_text("x\n")
    with pytest.raises(gec.M2FormatError, match=r"1 lines, but .* 2 sentences"):
        gec.read_m2(path, prediction=system)
    system.write_bytes(b"x\n\xff\n")
    with pytest.raises(gec.M2FormatError, match="line 2: not UTF-8"):
        gec.read_m2(path, prediction=system)


def test_several_systems_have_a_column_each(tmp_path: Path) -> None:
    path = write(tmp_path, "S a b\nA 0 1|||R|||c|||REQUIRED|||-NONE-|||0\n\nS b\n")
    texts = {"old": "a b\nb\n", "new": "c b\nb\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files = {name: tmp_path / name for name in texts}

    data = gec.read_m2(path, prediction=files, prediction_edits={"edits of new": path})

    assert data.columns == ["old", "new", "source", "edits", "annotators", "edits of new"]
    assert data["new"].to_list() == ["c b", "b"]
    assert data["edits of new"].to_list() == data["edits"].to_list()
    parallel = gec.read_parallel(files["old"], files["new"], prediction=files)
    assert parallel.columns == ["old", "new", "source", "references"]
    with pytest.raises(DuplicateColumnError, match="column 'source' of a system"):
        gec.read_m2(path, prediction={"source": files["old"]})
    (tmp_path / "new").write_text("c b\n")
    with pytest.raises(gec.M2FormatError, match=r"new has 1 lines, but .* 2 sentences"):
        gec.read_m2(path, prediction=files)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("A 0 1|||R|||c|||REQUIRED|||-NONE-", "6 fields .* got 5"),
        ("A 0 1|||R|||c|||d|||REQUIRED|||-NONE-|||0", "fields .* got 7"),
        ("A 0|||R|||c|||REQUIRED|||-NONE-|||0", "span '0'"),
        ("A 0 1 2|||R|||c|||REQUIRED|||-NONE-|||0", "span '0 1 2'"),
        ("A x 1|||R|||c|||REQUIRED|||-NONE-|||0", "span 'x 1'"),
        ("A 0 99999999999|||R|||c|||REQUIRED|||-NONE-|||0", "span '0 99999999999'"),
        ("A 0 4000000000|||R|||c|||REQUIRED|||-NONE-|||0", "span '0 4000000000'"),
        ("A 0 \u0661|||R|||c|||REQUIRED|||-NONE-|||0", "span"),
        ("A 1 0|||R|||c|||REQUIRED|||-NONE-|||0", "must start at 0"),
        ("A -2 0|||R|||c|||REQUIRED|||-NONE-|||0", "must start at 0"),
        ("A 0 1|||R|||c|||REQUIRED|||-NONE-|||who", "annotator 'who'"),
        ("S another", "second S line"),
        ("B 0 1", "'B 0 1'"),
        ("Source", "'Source'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(gec.M2FormatError, match=rf"gold\.m2: line 2: .*{message}"):
        gec.read_m2(write(tmp_path, f"S a b\n{line}\n"))


def test_every_problem_is_named_up_to_a_limit(tmp_path: Path) -> None:
    with pytest.raises(gec.M2FormatError, match=r"line 1: A line .*; line 3: a line must start") as caught:
        gec.read_m2(write(tmp_path, "A 0 1\n\nX\n"))
    assert str(caught.value).count("line ") >= 2
    with pytest.raises(gec.M2FormatError, match=r"line 20: .*; and 80 more lines$"):
        gec.read_m2(write(tmp_path, "X\n" * 100))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(gec.M2FormatError, match=r"line 2: not UTF-8 \(byte 4 of the line\)"):
        gec.read_m2(write(tmp_path, b"S a\nA 0 \xff\n"))


def test_an_empty_file_and_none(tmp_path: Path) -> None:
    assert gec.read_m2(write(tmp_path, "")).shape == (0, 3)
    with pytest.raises(FileNotFoundError):
        gec.read_m2(tmp_path / "none.m2")


def test_edits_of_a_system_beside_those_of_people(tmp_path: Path) -> None:
    path = write(tmp_path, GOLD.replace("S Nothing said\n", ""))
    system = tmp_path / "system.m2"
    system.write_text(path.read_text().replace("|||off|||", "|||on|||"))

    data = gec.read_m2(path, prediction_edits=system)

    assert data.columns == ["source", "edits", "annotators", "prediction_edits", "prediction_annotators"]
    assert data.select("source", "edits", "annotators").equals(gec.read_m2(path))
    own = data.select(edits="prediction_edits", annotators="prediction_annotators")
    assert own.equals(gec.read_m2(system).drop("source"))
    counts = gec.errant("prediction_edits", "edits", "prediction_annotators", "annotators")
    scores = data.select(gec.errant_corpus(counts)).item()
    assert (scores["tp"], scores["fp"], scores["fn"]) == (3, 1, 1)


def test_edits_of_other_sentences_are_refused(tmp_path: Path) -> None:
    path, system = write(tmp_path, "S a  b\n\nS c\n"), tmp_path / "system.m2"

    system.write_text("S a b \n\nS c\n")
    assert gec.read_m2(path, prediction_edits=system).height == 2
    system.write_text("S a b\n\nS d\n")
    with pytest.raises(gec.M2FormatError, match=r"sentence 2 of .*system\.m2 .* 'd', 'c'"):
        gec.read_m2(path, prediction_edits=system)
    system.write_text("S a b\n")
    with pytest.raises(gec.M2FormatError, match=r"system\.m2 has 1 sentences, but .*gold\.m2 has 2"):
        gec.read_m2(path, prediction_edits=system)


def test_plain_sentences_as_references(tmp_path: Path) -> None:
    names = ("source", "one", "two", "system")
    source, one, two, system = (tmp_path / name for name in names)
    for path, text in zip(
        (source, one, two, system), ("a b\n\n", "a c\n\n", "a d\r\nx\r\n", "a d\n\n"), strict=True
    ):
        path.write_bytes(text.encode())

    data = gec.read_parallel(source, [one, two], prediction=system)

    assert data.rows() == [("a d", "a b", ["a c", "a d"]), ("", "", ["", "x"])]
    assert data.schema["references"] == pl.List(pl.String)
    measured = gec.i_measure("prediction", "source", references="references")
    assert data.select(measured.struct.field("reference_index")).to_series().to_list()[0] == 1
    assert gec.read_parallel(source, str(one)).columns == ["source", "references"]
    two.write_text("a\n")
    with pytest.raises(gec.M2FormatError, match=r"two has 1 lines, but .*source has 2 sentences"):
        gec.read_parallel(source, [one, two])
    with pytest.raises(ValueError, match="at least one file"):
        gec.read_parallel(source, [])
    for path in (source, one):
        path.write_text("")
    assert gec.read_parallel(source, one).schema == data.drop("prediction").schema


# Pipes as well: alone, at either end and doubled.
letters = st.characters(exclude_categories=("C", "Z")) | st.sampled_from("||||a")
tokens = st.lists(st.text(letters, min_size=1, max_size=3), max_size=4)
plain = tokens.map(" ".join).filter(lambda text: text != "-NONE-")
edits = st.builds(
    lambda who, start, length, texts, kind: edit(who, start, start + length, texts, kind),
    st.integers(0, 2),
    st.integers(0, 3),
    st.integers(0, 2),
    st.lists(plain, min_size=1, max_size=2),
    plain.filter(lambda text: bool(text) and text != "noop"),
)
rows_of_edits = st.lists(
    st.tuples(plain, st.lists(edits, max_size=3), st.sets(st.integers(0, 4))), max_size=4
)


@given(rows_of_edits)
@settings(
    max_examples=amount(25, 300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_is_written_is_read_again(
    tmp_path: Path, rows: list[tuple[str, list[dict[str, Any]], set[int]]]
) -> None:
    data = pl.DataFrame(
        {
            "source": [source for source, _, _ in rows],
            "edits": [all_edits for _, all_edits, _ in rows],
            "annotators": [
                sorted({*others, *(one["annotator"] for one in all_edits)}) for _, all_edits, others in rows
            ],
        },
        schema=gec.read_m2(write(tmp_path, "")).schema,
    )
    target = tmp_path / "again.m2"
    target.unlink(missing_ok=True)

    # A pipe beside what separates fields cannot be told from it: then nothing is written.
    fields = [one[name] for _, some, _ in rows for one in some for name in ("type", "corrections")]
    texts = [text for field in fields for text in ([field] if isinstance(field, str) else field)]
    if any("||" in text or text.startswith("|") or text.endswith("|") for text in texts):
        with suppress(gec.M2FormatError):
            gec.write_m2(data, target)
        assert not target.exists() or gec.read_m2(target).equals(data)
        return
    gec.write_m2(data, target)
    assert gec.read_m2(target).equals(data)


AGAIN = "would be read back as other fields"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *(({"type": text}, AGAIN) for text in ("a|", "x|||y")),
        *(
            ({"corrections": texts}, AGAIN)
            for texts in (["a|"], ["a", "b|"], ["a", "|b"], ["a|", "b"], ["x||y"], [" c "], ["c", "-NONE-"])
        ),
        ({"comment": "b|"}, AGAIN),
        ({"comment": "x\ry"}, "contains a line break"),
        ({"start": None}, "the span 'None 1' must be two integers"),
        ({"annotator": None}, "the annotator 'None' must be an integer"),
        ({"start": -2, "end": -1}, "the span '-2 -1' must start at 0"),
        ({"start": 2, "end": 1}, "the span '2 1' must .* not end before it starts"),
    ],
)
def test_what_would_not_come_back_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    rows = [[edit(0, 0, 1, ["c"])], [edit(0, 0, 1, ["c"]) | changes]]
    data = pl.DataFrame({"source": ["a", "a"], "edits": rows})

    with pytest.raises(gec.M2FormatError, match=f"row 1: .*{message}"):
        gec.write_m2(data, tmp_path / "gold.m2")
    for source, error in ((None, "the source is null"), ("a\nb", r"'S a\\nb' contains a line break")):
        with pytest.raises(gec.M2FormatError, match=f"row 0: {error}"):
            gec.write_m2(data.head(1).with_columns(source=pl.lit(source)), tmp_path / "gold.m2")
    assert list(tmp_path.iterdir()) == []


def test_pipes_that_come_back_are_written(tmp_path: Path) -> None:
    entries = [edit(0, 0, 1, ["|x|y", "z"], "|R|x"), edit(0, 1, 1, ["|"], "a||b") | {"corrections": ["|x"]}]
    data = pl.DataFrame({"source": ["|a| ||| b"], "edits": [entries], "annotators": [[0]]})

    gec.write_m2(data, tmp_path / "gold.m2")

    again = gec.read_m2(tmp_path / "gold.m2")
    assert again["edits"].to_list() == [entries]
    assert again["source"].to_list() == ["|a| ||| b"]


def test_edits_that_say_noop_become_annotators_without_edits(tmp_path: Path) -> None:
    rows = [[edit(1, -1, -1, [""], "X"), edit(2, 0, 1, ["c"], "noop"), edit(0, 0, 1, ["c"]), None]]
    data = pl.DataFrame({"source": ["a"], "edits": rows})

    gec.write_m2(data, tmp_path / "gold.m2")

    again = gec.read_m2(tmp_path / "gold.m2")
    assert again["edits"].to_list() == [[edit(0, 0, 1, ["c"])]]
    assert again["annotators"].to_list() == [[0, 1, 2]]
    with pytest.raises(gec.M2FormatError, match="row 0: an annotator is null"):
        gec.write_m2(data.with_columns(annotators=pl.Series([[0, None]])), tmp_path / "gold.m2")


def test_pandas_frames_are_written_as_well(tmp_path: Path) -> None:
    data = gec.read_m2(write(tmp_path, GOLD.replace("S Nothing said\n", "")))

    gec.write_m2(data.to_pandas(), tmp_path / "again.m2")

    assert gec.read_m2(tmp_path / "again.m2").equals(data)
