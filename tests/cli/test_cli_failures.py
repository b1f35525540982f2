"""Commands that cannot write, or are killed while they do: the old file stays whole, nothing is half-done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from sample import DATA, QUESTIONS_FILE
from shell import RunPython, run

import anls_frame as af

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs resource limits and SIGKILL")

SCRIPTS = Path(sys.executable).parent
TABLE = str(QUESTIONS_FILE)
RRC = DATA / "rrc"
SUBMISSION = "submission_tesseract.json"
COLUMN = ("-p", "tesseract")
ROWS = pl.DataFrame({"prediction": ["answer", "x"] * 30, "answers": [["answer", "other"]] * 60})
WRITERS = [
    ("score", TABLE, *COLUMN, "--force", "-o", "out.csv"),
    ("score", TABLE, *COLUMN, "--force", "-o", "out.parquet"),
    ("score", TABLE, *COLUMN, "--force", "-o", "out.xlsx"),
    ("report", TABLE, *COLUMN, "-b", "lang", "--force", "-o", "out.html"),
    ("report", TABLE, *COLUMN, "-b", "lang", "--force", "--summary", "out.parquet"),
    ("compare", TABLE, "--systems", "tesseract,rapidocr", "-b", "lang", "--force", "-o", "out.json"),
    ("plot", "groups", TABLE, *COLUMN, "--force", "-o", "out.png"),
    ("convert", TABLE, "out.jsonl", *COLUMN, "--force"),
    ("convert", TABLE, "out.json", *COLUMN, "--force", "--submission"),
]
# A limit on the size of files fails a write as a full disk does; the answer goes through a pipe.
LIMITED = """
import json, pathlib, resource, signal, sys
from shell import run, run_alone
# Python does not see that what it has compiled is cut off.
sys.dont_write_bytecode = True
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
import matplotlib.font_manager
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
done = [run(pathlib.Path(folder), *command) for folder, command in json.loads(sys.argv[1])]
print(json.dumps([(one.returncode, one.stdout, one.stderr) for one in done]))
"""


def target(command: tuple[str, ...]) -> str:
    (name,) = (part for part in command if part.startswith("out."))
    return name


def test_a_full_disk_is_an_error_and_leaves_the_old_file(run_python: RunPython, tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(len(WRITERS))]
    for folder, command in zip(folders, WRITERS, strict=True):
        folder.mkdir()
        (folder / target(command)).write_bytes(b"precious")

    calls = json.dumps([(str(folder), command) for folder, command in zip(folders, WRITERS, strict=True)])
    process = run_python("-c", LIMITED, calls)

    assert process.returncode == 0, process.stderr
    for folder, command, done in zip(folders, WRITERS, json.loads(process.stdout), strict=True):
        code, out, err = done
        assert code == 2, (command, out, err)
        assert "the file was not written; choose another place" in err
        assert "Traceback" not in err
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == {target(command): b"precious"}


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a file system that root cannot write to")
def test_a_folder_that_cannot_be_written_to_is_an_error() -> None:
    files = ("--gold-label-file", RRC / "gold_label.json", "--submission-file", RRC / SUBMISSION)
    for done in (
        run(DATA, "report", TABLE, *COLUMN, "-o", "/proc/self/out.html"),
        run(DATA, "convert", TABLE, "/proc/self/out.csv", *COLUMN),
        run(DATA, *files, "--output-dir", "/proc/self", program="calculate-anls"),
    ):
        assert done.returncode == 2, done.stdout + done.stderr
        assert "/proc/self" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("library", ["click", "anls_frame.reports"])
def test_an_interrupt_while_libraries_are_imported_ends_without_a_traceback(
    tmp_path: Path, library: str
) -> None:
    script = f"""
import sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {library!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from anls_frame.cli import main
main()
"""
    (tmp_path / "in.csv").write_text("prediction,answer\na,b\n", encoding="utf-8")

    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", script, "report", "in.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_interrupt_ends_with_130_and_leaves_nothing(tmp_path: Path) -> None:
    # The signal comes while the command waits for its input, when everything is imported.
    fifo = tmp_path / "in.csv"
    os.mkfifo(fifo)
    # A shell starts what runs in the background without the signal; here it is always there.
    script = (
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from anls_frame.cli import main\nmain()"
    )
    with subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", script, "score", "in.csv", "-o", "out.csv"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        with fifo.open("w", encoding="utf-8") as file:  # opens when the command does
            file.write("prediction,answer\na,b\n")
            file.flush()
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    assert list(tmp_path.iterdir()) == [fifo]


def test_closed_streams_are_no_failure(tmp_path: Path) -> None:
    ROWS.write_parquet(tmp_path / "rows.parquet")

    def close() -> None:
        os.close(1)
        os.close(2)

    done = subprocess.run(  # noqa: S603 - our own script
        [SCRIPTS / "anls-frame", "score", "rows.parquet", "--json", "-o", "out.csv"],
        check=False,
        cwd=tmp_path,
        preexec_fn=close,
    )
    assert done.returncode == 0
    assert af.read_results(tmp_path / "out.csv").height == 60


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("arguments", "buffered"),
    [(("report",), True), (("confusions", "--json"), False)],
)
def test_a_full_disk_behind_stdout_is_an_error(
    tmp_path: Path, arguments: tuple[str, ...], *, buffered: bool
) -> None:
    ROWS.write_parquet(tmp_path / "rows.parquet")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(  # noqa: S603 - our own script
            [SCRIPTS / "anls-frame", arguments[0], "rows.parquet", *arguments[1:]],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            cwd=tmp_path,
            env=environment if buffered else {**environment, "PYTHONUNBUFFERED": "1"},
        )

    assert done.returncode == 2
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
