"""Names of files, wherever one is read or written: the home folder, addresses, and what is no name."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs
import pytest
from shell import run

import anls_frame as af
from anls_frame import gec
from anls_frame._paths import as_path

ROWS = pl.DataFrame({"question_id": [1, 2], "prediction": ["a", "b"], "answers": ["a", "c"]})
M2 = "S a\nA 0 1|||X|||b|||REQUIRED|||-NONE-|||0\n\n"
READERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "read_results": (af.read_results, "rows.csv"),
    "scan_results": (lambda path: af.scan_results(path).collect(), "rows.csv"),
    "read_logs": (af.read_logs, "rows.csv"),
    "report_files": (af.readers.report_files, "rows.csv"),
    "gold": (lambda path: af.read_logs("rows.csv", gold=path), "gold.csv"),
    "read_pages": (lambda path: af.read_pages(path, {"engine": "engine.txt"}), "page.txt"),
    "pages of an engine": (lambda path: af.read_pages("page.txt", {"engine": path}), "engine.txt"),
    "read_m2": (gec.read_m2, "edits.m2"),
    "load": (af.Summary.load, "summary.parquet"),
}
WRITERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "write_results": (lambda path: af.write_results(ROWS, path), "rows.csv"),
    "write_submission": (lambda path: af.readers.write_submission(ROWS, path), "submission.json"),
    "report": (lambda path: af.report(ROWS, "prediction", "answers").write(path), "report.html"),
    "browse": (lambda path: af.browse(ROWS, "prediction", "answers").write(path), "rows.html"),
    "save": (lambda path: af.summarize(ROWS, "prediction", "answers").save(path), "summary.parquet"),
    "write_m2": (lambda path: gec.write_m2(gec.read_m2("edits.m2"), path), "edits.m2"),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    af.write_results(ROWS, "rows.csv")
    af.write_results(ROWS.drop("prediction"), "gold.csv")
    for page in ("page.txt", "engine.txt"):
        Path(page).write_text("a page")
    Path("edits.m2").write_text(M2)
    af.summarize(ROWS, "prediction", "answers").save("summary.parquet")
    return tmp_path


@pytest.mark.parametrize("name", READERS)
def test_a_file_of_the_home_folder_is_read(name: str) -> None:
    read, file = READERS[name]

    of_home, of_folder = read(f"~/{file}"), read(file)

    if isinstance(of_home, pl.DataFrame):
        of_home, of_folder = (frame.select(cs.exclude("log_file")) for frame in (of_home, of_folder))
    assert repr(of_home) == repr(of_folder)


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_written_to_the_home_folder(name: str, home: Path) -> None:
    write, file = WRITERS[name]
    (home / "made").mkdir()

    write(Path("~", "made", file))

    assert (home / "made" / file).stat().st_size
    assert not Path("~").exists()


def test_the_command_line_reads_and_writes_files_of_the_home_folder(home: Path) -> None:
    (home / "made").mkdir()

    done = run(home, "score", "~/rows.csv", "--output=~/made/scores.csv")  # a shell expands only the first

    assert done.returncode == 0, done.stderr
    assert af.read_results(home / "made" / "scores.csv").height == 2


@pytest.mark.parametrize("address", ["s3://bucket/", "https://example.org/", "file:///tmp/"])
@pytest.mark.parametrize("name", [*READERS, *WRITERS])
def test_an_address_is_refused(name: str, address: str, home: Path) -> None:
    function, file = (READERS | WRITERS)[name]
    before = set(home.rglob("*"))

    for given in (address + file, Path(address + file)):
        with pytest.raises(ValueError, match="is an address; name a file of this machine"):
            function(given)
    assert set(home.rglob("*")) == before


@pytest.mark.parametrize("name", [*READERS, *WRITERS])
def test_what_is_no_name_is_refused(name: str) -> None:
    function, _ = (READERS | WRITERS)[name]

    with io.BytesIO(b"a,b\n") as file, Path("rows.csv").open() as text:
        for given in (file, text, b"rows.csv", 3):
            with pytest.raises(TypeError, match=f"(name|frame).* got .*{type(given).__name__}"):
                function(given)
    with pytest.raises(ValueError, match="path must be the name of a file, got an empty text"):
        function("")


def test_names_with_a_tilde_of_nobody_and_drives_of_windows_are_names() -> None:
    assert af.write_results(ROWS, "~$rows.csv").name == "~$rows.csv"
    assert af.read_results("~$rows.csv").height == 2
    for name in ("C:/rows.csv", "C:\\rows.csv"):
        assert as_path(name) == Path(name)


@pytest.mark.parametrize(
    "name", ["a.parquet", "a.xlsx", "a.csv", "a.jsonl", "a.json", "a.csv.gz", "a.eval", "a.txt"]
)
def test_a_pointer_of_git_lfs_is_no_file(tmp_path: Path, name: str) -> None:
    """A clone without LFS, or the raw address of a file, gives three lines in place of the content."""
    path = tmp_path / name
    path.write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 11538690\n")
    readers: list[Callable[[Path], Any]] = [af.readers.report_files, af.readers.read_file]
    if name == "a.parquet":
        readers.append(af.scan_results)
    if name == "a.txt":
        readers = [lambda page: af.read_pages(page, {"engine": page})]

    for reader in readers:
        with pytest.raises(
            af.InputError, match=r"pointer of Git LFS: fetch the file itself with `git lfs pull`"
        ):
            reader(path)
