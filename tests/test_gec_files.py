"""The .m2 format: what is read, what is written, and what is refused with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from gec_cases import edit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anls_frame import gec

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("A 0 1|||R|||c|||REQUIRED|||-NONE-", "6 fields .* this one 5"),
        ("A 0 1|||R|||c|||d|||REQUIRED|||-NONE-|||0", "this one 7"),
        ("A 0|||R|||c|||REQUIRED|||-NONE-|||0", "span '0'"),
        ("A 0 1 2|||R|||c|||REQUIRED|||-NONE-|||0", "span '0 1 2'"),
        ("A x 1|||R|||c|||REQUIRED|||-NONE-|||0", "span 'x 1'"),
        ("A 0 99999999999|||R|||c|||REQUIRED|||-NONE-|||0", "span '0 99999999999'"),
        ("A 0 4000000000|||R|||c|||REQUIRED|||-NONE-|||0", "span '0 4000000000'"),
        ("A 0 \u0661|||R|||c|||REQUIRED|||-NONE-|||0", "span"),
        ("A 1 0|||R|||c|||REQUIRED|||-NONE-|||0", "does not start at 0"),
        ("A -2 0|||R|||c|||REQUIRED|||-NONE-|||0", "does not start at 0"),
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
    with pytest.raises(gec.M2FormatError, match=r"line 1: an A line .*; line 3: a line starts") as caught:
        gec.read_m2(write(tmp_path, "A 0 1\n\nX\n"))
    assert str(caught.value).count("line ") >= 2
    with pytest.raises(gec.M2FormatError, match=r"line 20: .*; and 80 lines more$"):
        gec.read_m2(write(tmp_path, "X\n" * 100))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(gec.M2FormatError, match=r"line 2: not UTF-8 \(byte 4 of the line\)"):
        gec.read_m2(write(tmp_path, b"S a\nA 0 \xff\n"))


def test_an_empty_file_and_none(tmp_path: Path) -> None:
    assert gec.read_m2(write(tmp_path, "")).shape == (0, 3)
    with pytest.raises(FileNotFoundError):
        gec.read_m2(tmp_path / "none.m2")


tokens = st.lists(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=3), max_size=4)
plain = tokens.map(" ".join).filter(lambda text: "||" not in text and text != "-NONE-")
names = plain.filter(lambda text: bool(text) and text != "noop")
edits = st.builds(
    lambda who, start, length, texts, kind: edit(who, start, start + length, texts, kind),
    st.integers(0, 2),
    st.integers(0, 3),
    st.integers(0, 2),
    # A correction that ends in the separator's first half would move it.
    st.lists(
        plain.filter(lambda text: not (text.startswith("|") or text.endswith("|"))), min_size=1, max_size=2
    ),
    names.filter(lambda text: not (text.startswith("|") or text.endswith("|"))),
)


@given(st.lists(st.tuples(plain, st.lists(edits, max_size=3), st.sets(st.integers(0, 4))), max_size=4))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read_again(
    tmp_path: Path, rows: list[tuple[str, list[dict[str, object]], set[int]]]
) -> None:
    data = pl.DataFrame(
        {
            "source": [source for source, _, _ in rows],
            "edits": [all_edits for _, all_edits, _ in rows],
            "annotators": [
                sorted({*others, *(one["annotator"] for one in all_edits)})  # type: ignore[type-var]
                for _, all_edits, others in rows
            ],
        },
        schema=gec.read_m2(write(tmp_path, "")).schema,
    )

    gec.write_m2(data, tmp_path / "again.m2")

    assert gec.read_m2(tmp_path / "again.m2").equals(data)


def test_pandas_frames_are_written_as_well(tmp_path: Path) -> None:
    data = gec.read_m2(write(tmp_path, GOLD.replace("S Nothing said\n", "")))

    gec.write_m2(data.to_pandas(), tmp_path / "again.m2")

    assert gec.read_m2(tmp_path / "again.m2").equals(data)


@pytest.mark.parametrize(
    ("source", "changes", "message"),
    [
        ("a\nb", {}, "row 0: 'a\\\\nb' holds a line break"),
        ("a", {"type": "x|||y"}, "separates fields"),
        ("a", {"corrections": ["x||y"]}, "separates fields"),
        ("a", {"comment": "x\ry"}, "line break"),
        (None, {}, "row 0: the source is null"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(
    tmp_path: Path, source: str | None, changes: dict[str, object], message: str
) -> None:
    data = pl.DataFrame({"source": [source], "edits": [[edit(0, 0, 1, ["c"]) | changes]]})

    with pytest.raises(gec.M2FormatError, match=message):
        gec.write_m2(data, tmp_path / "gold.m2")
    assert list(tmp_path.iterdir()) == []
