"""Several .m2 files at once: folders, patterns and lists, and the files of systems beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anls_frame import gec
from anls_frame.exceptions import DuplicateColumnError

EDIT = "A 0 1|||R|||{}|||REQUIRED|||-NONE-|||0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder gold with two files of b and one of a, in another order than their names, and system."""
    for name, words in (("b", "xy"), ("a", "z")):
        write(
            tmp_path / "gold" / f"{name}.m2", [f"S {word}\n{EDIT.format(word.upper())}\n" for word in words]
        )
        write(tmp_path / "system" / f"{name}.txt", [word.upper() for word in words])
    return tmp_path


def write(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    "paths",
    [
        lambda folder: (folder / "gold", folder / "system"),
        lambda folder: (str(folder / "gold"), f"{folder}/system/*.txt"),
        lambda folder: (folder / "gold" / "?.m2", [folder / "system" / "a.txt", folder / "system" / "b.txt"]),
        lambda folder: ([folder / "gold" / "a.m2", folder / "gold" / "b.m2"], folder / "system"),
        lambda folder: ([folder / "gold"], folder / "sys*" / "*"),
    ],
)
def test_folders_patterns_and_lists(folder: Path, paths: Callable[[Path], Any]) -> None:
    gold, system = paths(folder)

    data = gec.read_m2(gold, prediction={"one": system, "two": system}, prediction_edits=gold)

    assert data.columns[:3] == ["one", "two", "document"]
    assert data["document"].to_list() == ["a.m2", "b.m2", "b.m2"]
    assert data["source"].to_list() == ["z", "x", "y"]
    assert data["one"].to_list() == data["two"].to_list() == ["Z", "X", "Y"]
    assert data["prediction_edits"].to_list() == data["edits"].to_list()
    assert gec.read_m2(gold, prediction_edits={"edits of new": gold}).columns[-1] == "edits of new"


def test_a_list_is_read_in_its_order(folder: Path) -> None:
    gold, system = folder / "gold", folder / "system"

    data = gec.read_m2([gold / "b.m2", gold / "a.m2"], prediction=[system / "b.txt", system / "a.txt"])

    assert data["document"].to_list() == ["b.m2", "b.m2", "a.m2"]
    assert data["prediction"].to_list() == ["X", "Y", "Z"]
    with pytest.raises(ValueError, match="paths must name at least one file"):
        gec.read_m2([])
    with pytest.raises(ValueError, match=r"a\.m2 occurs twice in a list of files"):
        gec.read_m2([gold, gold / "a.m2"])


def test_one_file_of_a_folder_has_no_column_of_documents(folder: Path) -> None:
    (folder / "gold" / "a.m2").unlink()
    (folder / "system" / "a.txt").unlink()

    data = gec.read_m2(folder / "gold", prediction=folder / "system")

    assert data.columns == ["prediction", "source", "edits", "annotators"]
    assert gec.read_m2(folder / "gold" / "b.m2", prediction=folder / "system").equals(data)
    assert gec.read_parallel(folder / "system" / "b.txt", [folder / "system" / "b.txt"]).height == 2


def test_folders_below_a_folder(tmp_path: Path) -> None:
    for level, word in (("A2", "x"), ("B1", "y")):
        write(tmp_path / "gold" / level / "001.gold.m2", [f"S {word}"])
        write(tmp_path / "system" / level / "001.txt", [word])
    write(tmp_path / "gold" / ".hidden" / "001.m2", ["X"])
    write(tmp_path / "gold" / ".hidden.m2", ["X"])

    data = gec.read_m2(tmp_path / "gold", prediction=tmp_path / "system" / "*" / "*.txt")

    assert data["document"].to_list() == ["A2/001.gold.m2", "B1/001.gold.m2"]
    assert data["prediction"].to_list() == ["x", "y"]


def test_names_that_differ_after_the_first_dot(tmp_path: Path) -> None:
    for name in ("v1.0", "v1.1"):
        write(tmp_path / "gold" / f"{name}.m2", [f"S {name}"])
        write(tmp_path / "system" / f"{name}.txt", [name])

    data = gec.read_m2(tmp_path / "gold", prediction=tmp_path / "system")

    assert data["prediction"].to_list() == ["v1.0", "v1.1"]
    (tmp_path / "system" / "v1.1.txt").rename(tmp_path / "system" / "v1.2.txt")
    with pytest.raises(gec.M2FormatError, match=r"v1\.1\.m2 has no counterpart"):
        gec.read_m2(tmp_path / "gold", prediction=tmp_path / "system")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda system: (system / "a.txt").unlink(), r"system \(1 file\) .*gold.a\.m2 has no counterpart"),
        (lambda system: write(system / "c.txt", ["Z"]), r"system \(3 files\) .*c\.txt has no counterpart"),
        (
            lambda system: (system / "a.txt").rename(system / "c.txt"),
            r"gold \(2 files\) and .*system \(2 files\) .*gold.a\.m2 has no counterpart",
        ),
        (
            lambda system: write(system / "a.txt", ["Z", ""]),
            r"a\.txt has 2 lines \(1 of them empty\), but .*gold.a\.m2 has 1 sentence$",
        ),
        (
            lambda system: write(system / "a.txt", ["Z", "Z"]),
            r"a\.txt has 2 lines, but .*a\.m2 has 1 sentence$",
        ),
    ],
)
def test_files_that_do_not_pair_up_are_named(
    folder: Path, change: Callable[[Path], object], said: str
) -> None:
    change(folder / "system")

    with pytest.raises(gec.M2FormatError, match=said):
        gec.read_m2(folder / "gold", prediction=folder / "system")


def test_edits_that_do_not_pair_up_are_named(folder: Path) -> None:
    gold, other = folder / "gold", folder / "other"
    write(other / "a.m2", ["S z"])
    write(other / "b.m2", ["S x\n\nS q"])

    with pytest.raises(gec.M2FormatError, match=r"sentence 2 of .*other.b\.m2 .*gold.b\.m2: 'q', 'y'"):
        gec.read_m2(gold, prediction_edits=other)
    with pytest.raises(
        gec.M2FormatError, match=r"other.b\.m2 has 2 sentences, but .*gold.a\.m2 has 1 sentence"
    ):
        gec.read_m2(gold, prediction_edits=[other / "b.m2", other / "a.m2"])
    with pytest.raises(
        gec.M2FormatError, match=r"gold \(2 files\) and a list of 1 file do not .*gold.a\.m2 has no"
    ):
        gec.read_m2(gold, prediction_edits=[other / "b.m2"])


def test_what_is_not_there(folder: Path) -> None:
    (folder / "empty").mkdir()

    with pytest.raises(FileNotFoundError, match="this folder contains no files"):
        gec.read_m2(folder / "empty")
    with pytest.raises(FileNotFoundError, match="no file matches this pattern"):
        gec.read_m2(folder / "gold" / "*.txt")
    with pytest.raises(DuplicateColumnError, match="column 'document' of a system"):
        gec.read_m2(folder / "gold", prediction={"document": folder / "system"})
