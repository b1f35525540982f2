"""A file is either whole or what it was before: modes, links, failures and several writers at once."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from anls_frame._atomic import replacing
from anls_frame.export import Document, Table, write
from anls_frame.export.columns import of_kinds

POSIX = os.name == "posix"
on_linux = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a place for nobody's files")


def document(text: str = "new", rows: int = 3) -> Document:
    frame = pl.DataFrame({"slice": ["group"] * rows, "key": [f"{text} {row}" for row in range(rows)]})
    table = Table("By key", frame, of_kinds({"key": "key"}))
    return Document(text, [table], {"protocol": "anls"}, "anls")


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.skipif(not POSIX, reason="modes are a POSIX matter")
@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600)])
def test_a_new_file_has_the_mode_that_the_umask_gives(
    tmp_path: Path, umask: Callable[[int], int], mask: int, expected: int
) -> None:
    umask(mask)
    assert mode(write(document(), tmp_path / "report.csv")) == expected


@pytest.mark.skipif(not POSIX, reason="owners are a POSIX matter")
def test_an_existing_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text("old")
    if os.geteuid() == 0:
        os.chown(path, 12_345, 23_456)
    before = path.stat()
    path.chmod(0o660)
    write(document(), path)
    after = path.stat()
    assert (after.st_uid, after.st_gid, mode(path)) == (before.st_uid, before.st_gid, 0o660)


@pytest.mark.parametrize("relative", [True, False])
def test_a_link_stays_a_link(tmp_path: Path, *, relative: bool) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    target = tmp_path / "there" / "target.csv"
    target.write_text("old")
    between = tmp_path / "here" / "between"
    between.symlink_to(Path("..", "there", target.name) if relative else target)
    link = tmp_path / "here" / "link.csv"
    link.symlink_to("between" if relative else between)
    write(document(), link)
    assert link.is_symlink()
    assert between.is_symlink()
    assert not target.is_symlink()
    assert target.read_bytes() == write(document(), tmp_path / "plain.csv").read_bytes()
    assert names(tmp_path / "here") == ["between", link.name]
    assert names(tmp_path / "there") == [target.name]


def test_a_link_to_nothing_gets_its_target(tmp_path: Path) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to("target.csv")
    write(document(), link)
    assert link.is_symlink()
    assert names(tmp_path) == ["link.csv", "target.csv"]


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to("b.csv")
    (tmp_path / "b.csv").symlink_to("a.csv")
    with pytest.raises(OSError, match=r"a\.csv"):
        write(document(), tmp_path / "a.csv")
    assert names(tmp_path) == ["a.csv", "b.csv"]


def test_a_link_to_a_device_is_left_alone(tmp_path: Path) -> None:
    link = tmp_path / "null.csv"
    link.symlink_to(os.devnull)
    with pytest.raises(OSError, match=r"regular file.*null\.csv"):
        write(document(), link)
    assert not Path(os.devnull).is_file()
    assert names(tmp_path) == ["null.csv"]


@pytest.mark.parametrize(
    ("place", "error", "message"),
    [
        ("missing/report.csv", FileNotFoundError, "written; create the folder '.*missing' or choose"),
        ("folder.csv", IsADirectoryError, "Is a directory.*choose another place"),
        ("file/report.csv", NotADirectoryError, "Not a directory.*choose another place"),
        (f"{'n' * 300}.csv", OSError, "too long"),
        pytest.param("/proc/self/report.csv", OSError, "choose another place", marks=on_linux),
    ],
)
def test_a_place_where_no_file_can_be_is_an_error_that_names_it(
    tmp_path: Path, place: str, error: type[OSError], message: str
) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(error, match=message) as caught:
        write(document(), tmp_path / place)
    assert caught.value.filename == str(tmp_path / place)
    assert names(tmp_path) == ["file", "folder.csv"]
    assert names(tmp_path / "folder.csv") == []


def test_a_name_with_a_nul_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"NUL character: '.*a\\x00b"):
        write(document(), f"{tmp_path}/a\0b.csv")
    assert names(tmp_path) == []


def test_a_protected_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.csv"
    path.write_text("old")
    path.chmod(0o444)
    # Root may write everywhere, so the system's answer is given here.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match=r"Permission denied.*choose another place"):
        write(document(), path)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["report.csv"]


def test_the_longest_name_is_no_error(tmp_path: Path) -> None:
    name = f"{'n' * 251}.csv"
    write(document(), tmp_path / name)
    assert names(tmp_path) == [name]


LATE_FAILURES = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EACCES)


@pytest.mark.parametrize("number", LATE_FAILURES)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_at_the_end_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int
) -> None:
    path = tmp_path / "report.csv"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="choose another place") as caught:
        write(document(), path)
    is_full = number in {errno.ENOSPC, errno.EDQUOT}
    assert ("free some space or choose" in str(caught.value)) == is_full
    assert (caught.value.errno, caught.value.filename) == (number, str(path))
    assert path.read_text() == "old"
    assert names(tmp_path) == [path.name]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, RuntimeError, MemoryError])
def test_a_failure_while_writing_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "report.csv"
    path.write_text("old")

    def write_half() -> None:
        with replacing(path) as file:
            file.write(b"half of it")
            raise error

    with pytest.raises(error):
        write_half()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["report.csv"]


def test_what_stands_under_the_temporary_name_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _: "guessed")
    (tmp_path / "victim").write_text("precious")
    trap = tmp_path / ".anls-frame-guessed.tmp"
    trap.symlink_to("victim")
    with pytest.raises(FileExistsError):
        write(document(), tmp_path / "report.csv")
    assert (tmp_path / "victim").read_text() == "precious"
    assert names(tmp_path) == [trap.name, "victim"]


STAGES = {
    "nothing written": "stop()",
    "half written": "file.write(b'new' * 50_000); file.flush(); stop()",
    "written, not on the disk": "file.write(b'new' * 100_000); os.fsync = stop",
    "on the disk, not moved": "file.write(b'new' * 100_000); os.replace = stop",
    "moved": "file.write(b'new' * 100_000); atomic._sync_folder = stop",
}


@pytest.mark.skipif(not POSIX, reason="needs SIGKILL")
@pytest.mark.parametrize("stage", STAGES)
def test_a_process_killed_at_any_stage_leaves_a_whole_file(tmp_path: Path, stage: str) -> None:
    path = tmp_path / "report.csv"
    path.write_text("old")
    program = f"""
import os, pathlib, signal, sys
from anls_frame import _atomic as atomic

def stop(*_):
    os.kill(os.getpid(), signal.SIGKILL)

with atomic.replacing(pathlib.Path(sys.argv[1])) as file:
    {STAGES[stage]}
"""
    result = subprocess.run([sys.executable, "-c", program, str(path)], check=False, timeout=60)  # noqa: S603
    assert result.returncode == -signal.SIGKILL
    assert path.read_bytes() == (b"new" * 100_000 if stage == "moved" else b"old")
    # Nobody could take the temporary file away: it says whose it is.
    litter = [name for name in names(tmp_path) if name != path.name]
    assert len(litter) == (0 if stage == "moved" else 1)
    assert all(name.startswith(".anls-frame-") and name.endswith(".tmp") for name in litter)


def test_several_writers_at_once_leave_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    versions = [document(text, rows) for text, rows in [("first", 20), ("second", 200), ("third", 1)]]
    whole = {write(version, tmp_path / f"{index}.csv").read_bytes() for index, version in enumerate(versions)}
    write(versions[0], path)
    finished, torn, errors = threading.Event(), [], []

    def read() -> None:
        while not finished.is_set():
            content = path.read_bytes()
            if content not in whole:
                torn.append(content)

    def write_often(version: Document) -> None:
        try:
            for _ in range(15):
                write(version, path)
        except BaseException as error:  # noqa: BLE001 - shown below
            errors.append(error)

    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=write_often, args=(version,)) for version in versions]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    finished.set()
    reader.join()
    assert not errors
    assert not torn
    assert path.read_bytes() in whole
    assert names(tmp_path) == sorted([f"{index}.csv" for index in range(3)] + [path.name])
