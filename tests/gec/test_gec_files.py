"""The .m2 format: what is read, what is written, and what is refused with its line."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from campaign import amount
from gec_cases import edit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anls_frame import gec
from anls_frame.exceptions import DuplicateColumnError, InputWarning

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
    data = gec.read_m2(write(tmp_path, GOLD))

    assert data["source"].to_list() == ["The boat lies at shore .", "The bird .", "Nothing said", ""]
    assert data["annotators"].to_list() == [[0], [0, 3], [], [1]]
    assert data["edits"].to_list() == [
        [edit(0, 3, 4, ["off"], "Prep"), edit(0, 4, 4, ["the", "a"], "ArtOrDet")],
        [edit(0, 1, 2, ["birds"], "NN") | {"required": "OPTIONAL", "comment": "a note"}],
        [],
        [edit(1, 0, 0, [""], "M")],
    ]
    assert gec.read_m2(write(tmp_path, "\ufeff" + GOLD.replace("\n", "\r\n"))).equals(data)


def test_predictions_beside_it(tmp_path: Path) -> None:
    path = write(tmp_path, "S a\n\nS b\n")
    system = tmp_path / "system.txt"
    system.write_bytes("x\u2028y\r\n\n".encode())

    assert gec.read_m2(path, prediction=system)["prediction"].to_list() == ["x\u2028y", ""]
    system.write_text("x\n")
    with pytest.raises(gec.M2FormatError, match=r"1 line, but .* 2 sentences"):
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
    with pytest.raises(gec.M2FormatError, match=r"new has 1 line, but .* 2 sentences"):
        gec.read_m2(path, prediction=files)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("x\n\n", "has 2 lines (1 of them empty), but {} has 1 sentence"),
        ("x\n \n\n", "has 3 lines (2 of them empty), but {} has 1 sentence"),
        ("\nx\n", "has 2 lines (1 of them empty), but {} has 1 sentence"),
        ("", "has 0 lines, but {} has 1 sentence"),
    ],
)
def test_empty_lines_of_a_system_are_named(tmp_path: Path, lines: str, message: str) -> None:
    path, system = write(tmp_path, "S x\n"), tmp_path / "p.txt"
    system.write_text(lines)

    for read in (gec.read_m2, partial(gec.read_parallel, references=path)):
        with pytest.raises(gec.M2FormatError) as caught:
            read(path, prediction=system)
        assert str(caught.value) == f"{system} {message.format(path)}"


@pytest.mark.parametrize(
    ("lines", "held"),
    [
        ("1\ta\ta b\n2\tc\tc\n", "columns separated by tabs"),
        ('{"text": "a b"}\n{"text": "c"}\n', "JSON"),
        ("S a\nA 1 1|||M|||b|||REQUIRED|||-NONE-|||0\n", "the edits of an .m2 file"),
    ],
)
def test_a_system_in_another_format_is_refused(tmp_path: Path, lines: str, held: str) -> None:
    path, system = write(tmp_path, "S a\n\nS c\n"), tmp_path / "system.txt"
    system.write_text(lines)

    for read in (gec.read_m2, partial(gec.read_parallel, references=path)):
        with pytest.raises(
            gec.M2FormatError, match=rf"system\.txt must hold plain text, .* but holds {held}"
        ):
            read(path, prediction=system)
    system.write_text("a\tb\nc\n")
    assert gec.read_m2(path, prediction=system)["prediction"].to_list() == ["a\tb", "c"]


SOURCES = [f"This are number {number} , and more ." for number in range(12)]
UNSEGMENTED = [f"这是第{number}句" for number in range(12)]


@pytest.mark.parametrize(
    ("sources", "corrected", "message"),
    [
        (
            SOURCES,
            [
                text.replace(" ,", ",").replace("are", "is") if "1" in text else text.replace(" ,", ",")
                for text in SOURCES
            ],
            "9 of 9 sentences with the letters of the source have other words",
        ),
        ([" ".join(text) for text in UNSEGMENTED], UNSEGMENTED, "12 of 12 sentences with the letters"),
        (UNSEGMENTED, [f"{text}。" for text in UNSEGMENTED], "only 0% of the words"),
        (SOURCES, ["What is it ?"] * 12, "only 0% of the words of the sources"),
        (SOURCES, ["This is the number , and"] * 12, None),
        # Corrections of spaces among unchanged sentences.
        (SOURCES, [*(text.replace(" more", "more") for text in SOURCES[:8]), *SOURCES[8:]], None),
        (SOURCES[:9], ["What is it ?"] * 9, None),
    ],
)
def test_words_that_do_not_fit_the_sources_are_warned_of(
    tmp_path: Path, sources: list[str], corrected: list[str], message: str | None
) -> None:
    path, source, system = (tmp_path / name for name in ("gold.m2", "source.txt", "system.txt"))
    path.write_text("".join(f"S {text}\n\n" for text in sources), encoding="utf-8")
    source.write_text("\n".join(sources), encoding="utf-8")
    system.write_text("\n".join(corrected), encoding="utf-8")

    for read in (partial(gec.read_m2, path), partial(gec.read_parallel, source, source)):
        expected = nullcontext() if message is None else pytest.warns(InputWarning, match=message)
        with expected:
            assert read(prediction=system)["prediction"].to_list() == corrected


def test_edits_past_the_end_are_counted(tmp_path: Path) -> None:
    edits = "".join(f"A 1 {end}|||R|||c|||REQUIRED|||-NONE-|||0\n" for end in (2, 3, 4))
    path, system = write(tmp_path, f"S a\x1cb\n{edits}\nS a b c\n{edits}\nS \n"), tmp_path / "system.txt"
    system.write_text("a c\na b c\n\n")

    with pytest.warns(InputWarning, match=r"gold\.m2: 3 edits past the end of the sentence, which M²"):
        data = gec.read_m2(path, prediction=system)

    counts = gec.m2("prediction", "source", "edits", "annotators")
    # Of six edits, three are left: one is found.
    assert data.select(gec.m2_corpus(counts).struct.field("tp", "fn")).row(0) == (1, 2)


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
        ("B 0 1", "'B 0 1'"),
        ("Source", "'Source'"),
        ("T", "'T'"),
        ("TA0 a b", "'TA0 a b'"),
        ("T0-B0 a b", "'T0-B0 a b'"),
        ("I\rA 0 1|||R|||c|||REQUIRED|||-NONE-|||0", "a carriage return within the line"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(gec.M2FormatError, match=rf"gold\.m2: line 2: .*{message}"):
        gec.read_m2(write(tmp_path, f"S a b\n{line}\n"))


def test_every_problem_is_named_up_to_a_limit(tmp_path: Path) -> None:
    with pytest.raises(gec.M2FormatError, match=r"line 1: A line .*; line 3: a line must start") as caught:
        gec.read_m2(write(tmp_path, "A 0 1\n\nX\nS a\n"))
    assert str(caught.value).count("line ") >= 2
    with pytest.raises(gec.M2FormatError, match=r"line 3: T line without an S line before it in its block$"):
        gec.read_m2(write(tmp_path, "S a\n\nT0-A0 b\n"))
    with pytest.raises(gec.M2FormatError, match=r"line 21: .*; and 1 more line$"):
        gec.read_m2(write(tmp_path, "S a\n" + "X\n" * 21))
    with pytest.raises(gec.M2FormatError, match=r"line 21: .*; and 80 more lines$"):
        gec.read_m2(write(tmp_path, "S a\n" + "X\n" * 100))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(gec.M2FormatError, match=r"line 2: not UTF-8 \(byte 4 of the line\)"):
        gec.read_m2(write(tmp_path, b"S a\nA 0 \xff\n"))


def test_an_empty_file_and_none(tmp_path: Path) -> None:
    assert gec.read_m2(write(tmp_path, "")).shape == (0, 3)
    with pytest.raises(FileNotFoundError):
        gec.read_m2(tmp_path / "none.m2")


def test_edits_of_a_system_beside_those_of_people(tmp_path: Path) -> None:
    path = write(tmp_path, GOLD)
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
    with pytest.raises(gec.M2FormatError, match=r"system\.m2 has 1 sentence, but .*gold\.m2 has 2 sentences"):
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
    with pytest.raises(gec.M2FormatError, match=r"two has 1 line, but .*source has 2 sentences"):
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
@pytest.mark.filterwarnings("ignore:.*past the end")
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
    data = gec.read_m2(write(tmp_path, GOLD))

    gec.write_m2(data.to_pandas(), tmp_path / "again.m2")

    assert gec.read_m2(tmp_path / "again.m2").equals(data)


NA = "A -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||{}"


def test_a_sentence_that_nobody_could_annotate_counts_in_no_score(tmp_path: Path) -> None:
    edited = "A 0 1|||R|||b|||REQUIRED|||-NONE-|||1"
    blocks = [["S a", NA.format(0)], ["S a", "T0 无法标注"], ["S a", NA.format(0), edited], ["S a"]]
    path, system = write(tmp_path, "\n\n".join(map("\n".join, blocks))), tmp_path / "system.txt"
    system.write_text("b\n" * 4)

    with pytest.warns(InputWarning, match=r"gold\.m2: 2 sentences with the type 'NA', which nobody could"):
        data = gec.read_m2(path, prediction=system)

    assert data["annotators"].to_list() == [None, None, [1], []]
    assert data["edits"].to_list() == [None, None, [edit(1, 0, 1, ["b"], "R")], []]
    columns = ("prediction", "source", "edits", "annotators")
    counts = data.select(gec.m2(*columns).alias("m2"), gec.i_measure(*columns).alias("i"))
    assert counts.select(pl.all().is_null()).rows() == [(True, True)] * 2 + [(False, False)] * 2
    scores = data.select(gec.m2_corpus(gec.m2(*columns))).item()
    assert (scores["tp"], scores["fp"], scores["fn"]) == (1, 1, 0)

    again = tmp_path / "again.m2"
    gec.write_m2(data, again)
    with pytest.warns(InputWarning, match="2 sentences"):
        assert gec.read_m2(again).equals(data.drop("prediction"))
    gec.write_m2(data.head(1).with_columns(annotators=[2, 3]), again)
    assert again.read_text() == f"S a\n{NA.format(2)}\n{NA.format(3)}\n\n"
    (tmp_path / "two.m2").write_text("S a\n\n" * 4)
    with pytest.raises(gec.M2FormatError, match=r"sentence 1 of .*gold\.m2 has the type 'NA', which only"):
        gec.read_m2(tmp_path / "two.m2", prediction_edits=path)


@pytest.mark.parametrize(
    ("lines", "annotators"),
    [
        (["T1 没有错误"], [1]),
        (["T1-A0 a b"], [1]),
        (["T1-A0 b"], []),
        (["T1"], []),
        (["T0-A0 b", "A 0 1|||R||||||REQUIRED|||-NONE-|||0", "T12 没有错误"], [0, 12]),
    ],
)
def test_a_t_line_names_an_annotator_without_edits(
    tmp_path: Path, lines: list[str], annotators: list[int]
) -> None:
    data = gec.read_m2(write(tmp_path, "\n".join(["S a b", *lines])))

    assert data["annotators"].to_list() == [annotators]


# Lines below an S line: the rule, the line, and what it says of the sentence: an edit, an annotator, or "NA".
annotator_ids = st.integers(0, 12)
fields = "|||REQUIRED|||-NONE-|||"
lines_of_a_block = st.one_of(
    st.builds(
        lambda who, start: (
            "edit",
            f"A {start} {start + 1}|||R|||c{fields}{who}",
            edit(who, start, start + 1, ["c"], "R"),
        ),
        annotator_ids,
        st.integers(0, 2),
    ),
    annotator_ids.map(lambda who: ("no edits", f"A -1 -1|||noop|||-NONE-{fields}{who}", who)),
    annotator_ids.map(lambda who: ("no edits", f"A -1 -1|||X|||-NONE-{fields}{who}", who)),
    annotator_ids.map(lambda who: ("no edits", f"T{who} 没有错误", who)),
    annotator_ids.map(lambda who: ("unable", NA.format(who), "NA")),
    annotator_ids.map(lambda who: ("unable", f"T{who} 无法标注", "NA")),
    annotator_ids.map(lambda who: ("left out", f"T{who}-A0 A corrected sentence", None)),
    st.sampled_from(["I", "I note", "I A 0 1"]).map(lambda line: ("left out", line, None)),
)
sentences = st.tuples(st.sampled_from(["a b c", "", "S", "T0 x y"]), st.lists(lines_of_a_block, max_size=5))
empty_lines = st.lists(st.sampled_from(["", " ", "\t"]), max_size=2)
line_ends = st.sampled_from(["\n", "\r\n", "\r\r\n"])


@given(st.lists(st.tuples(empty_lines, st.booleans(), sentences)), empty_lines, line_ends, st.data())
@pytest.mark.filterwarnings("ignore:.*nobody could correct", "ignore:.*past the end")
@settings(
    max_examples=amount(50, 500), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_line_is_used_or_left_out_by_a_rule(
    tmp_path: Path, drawn: list[Any], at_end: list[str], line_end: str, data: st.DataObject
) -> None:
    lines: list[str] = []
    rules: Counter[str] = Counter()
    expected: list[tuple[str, list[Any] | None, list[int] | None]] = []
    for before, has_mark, (source, own) in drawn:
        lines += [*before, "\ufeff" * has_mark + f"S {source}", *(line for _, line, _ in own)]
        rules.update(["empty"] * len(before) + ["sentence"] + [rule for rule, _, _ in own])
        said = [what for _, _, what in own if what is not None]
        edits = [what for what in said if isinstance(what, dict)]
        annotators = {what for what in said if isinstance(what, int)} | {one["annotator"] for one in edits}
        no_one = "NA" in said and not annotators
        expected.append((source, None, None) if no_one else (source, edits, sorted(annotators)))
    lines += at_end
    rules["empty"] += len(at_end)
    ends = data.draw(st.sampled_from(["", line_end]))

    read = gec.read_m2(write(tmp_path, line_end.join(lines) + ends))

    assert read.rows() == pl.DataFrame(expected, schema=read.schema, orient="row").rows()
    used = {"sentence": read.height, "edit": read["edits"].list.len().sum()}
    left_out = sum(rules[rule] for rule in ("no edits", "unable", "left out", "empty"))
    assert used == {rule: rules[rule] for rule in used}
    assert sum(used.values()) + left_out == len(lines)

    # Any other line is named.
    place = data.draw(st.integers(0, len(lines)))
    lines.insert(place, data.draw(st.sampled_from(["X", "Sa", "T0A", "# 1", "s a", "-", "\ufeff\ufeffS a"])))
    with pytest.raises(gec.M2FormatError, match=rf": line {place + 1}: a line must start with [^;]*$"):
        gec.read_m2(write(tmp_path, line_end.join(lines)))
