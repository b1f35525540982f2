"""Reports in parts: parts that are there are not made again, and no kill leaves one that is not whole."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from shell import SCRIPTS, run, run_alone

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable

KILLS = int(os.environ.get("ANLS_FRAME_KILLS", "2"))
"""How many processes are killed; `.ci/heavy kill` kills more."""

SHARDS = 6
ROWS = 300_000


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    index = pl.int_range(ROWS, eager=True).alias("index")
    return pl.DataFrame(index).select(
        prediction=pl.when(pl.col("index") % 7 > 0).then(pl.format("answer {}", pl.col("index") % 1009)),
        answers=pl.concat_list(
            pl.format("answer {}", pl.col("index") % 1013), pl.format("Answer  {}", pl.col("index") % 1009)
        ),
        lang=pl.format("l{}", pl.col("index") % 5),
        doc_id=pl.col("index") // 3,
        other=pl.lit("answer 1"),
    )


@pytest.fixture(scope="module")
def table(rows: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "rows.parquet"
    rows.write_parquet(path, row_group_size=20_000)
    return path


@pytest.fixture
def folder(rows: pl.DataFrame, table: Path, tmp_path: Path) -> Path:
    """Return a folder with a table in several groups of rows, and the first rows of it as small files."""
    shutil.copy(table, tmp_path)
    for index in range(4):
        rows[index * 10 : (index + 1) * 10].write_ndjson(tmp_path / f"{index}.jsonl")
    rows[:100].write_parquet(tmp_path / "small.parquet")
    rows[100:150].write_parquet(tmp_path / "a.parquet")
    return tmp_path


def fine(folder: Path, *arguments: object) -> str:
    done = run(folder, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(folder: Path, *arguments: object) -> str:
    done = run(folder, *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


SMALL = ("report", "small.parquet", "-b", "lang", "--shard", "2/3", "--summary", "part.parquet")


def test_a_shard_that_is_there_is_skipped(folder: Path) -> None:
    first = json.loads(fine(folder, *SMALL, "--json"))
    before = (folder / "part.parquet").stat()

    again = json.loads(fine(folder, *SMALL, "--json"))
    # What says the same in other words is the same.
    words = fine(folder, *SMALL, "--threshold", "0.5", "--protocol", "anls")

    assert (first.pop("skipped"), again.pop("skipped")) == (False, True)
    assert first == again == {"shard": 2, "shards": 3, "rows": 33, "digest": first["digest"]}
    assert "skipped, because it already exists" in words
    after = (folder / "part.parquet").stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert json.loads(fine(folder, *SMALL, "--json", "--force"))["skipped"] is False
    assert (folder / "part.parquet").stat().st_ino != before.st_ino


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--protocol", "rrc"], "protocol (rrc, not anls)"),
        (["--cluster", "doc_id"], "cluster ('doc_id', not None)"),
        (["-p", "other"], "--prediction (other, not None)"),
        (["--worst", "3"], "worst (3, not 0)"),
        (["--shard", "1/3"], "shard (1/3, not 2/3)"),
        (["--shard", "2/4"], "shard (2/4, not 2/3)"),
        (["a.parquet", "0.jsonl"], "files (small.parquet+a.parquet+0.jsonl, not small.parquet)"),
    ],
)
def test_a_shard_made_otherwise_is_an_error_that_says_how(
    folder: Path, change: list[str], message: str
) -> None:
    fine(folder, *SMALL)
    before = (folder / "part.parquet").read_bytes()

    said = refused(folder, *SMALL, *change)

    assert message in said
    assert "part.parquet: the file holds a different summary" in said
    assert "--force" in said
    assert (folder / "part.parquet").read_bytes() == before
    fine(folder, *SMALL, *change, "--force")
    assert "skipped" in fine(folder, *SMALL, *change)


def test_a_shard_of_a_file_that_was_changed_is_an_error(folder: Path) -> None:
    frame = pl.read_parquet(folder / "small.parquet")
    fine(folder, *SMALL)
    # As many rows and bytes: only a text is another one.
    frame.with_columns(prediction=pl.col("prediction").str.replace("answer 1", "answer 2")).write_parquet(
        folder / "small.parquet"
    )

    assert "content of small.parquet" in refused(folder, *SMALL)
    # Shards of both contents would be a report of neither.
    for index in (1, 3):
        fine(folder, *SMALL, "--shard", f"{index}/3", "--summary", f"part-{index}.parquet")
    said = refused(folder, "merge", "part.parquet", "part-1.parquet", "part-3.parquet")
    assert "part.parquet and part-1.parquet were made from different contents of small.parquet" in said

    # The same content at another time and place on the disk is the same.
    fine(folder, *SMALL, "--force")
    (folder / "copy").write_bytes((folder / "small.parquet").read_bytes())
    (folder / "copy").replace(folder / "small.parquet")
    assert "skipped" in fine(folder, *SMALL)


def test_large_files_are_known_by_their_footer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from anls_frame.cli import shards  # noqa: PLC0415 - the threshold is lowered

    monkeypatch.setattr(shards, "_READ_WHOLE", 0)
    frame = pl.DataFrame({"prediction": ["a"] * 9 + ["b"]})
    seen = []
    for value in ("b", "c", "b"):
        frame = frame.with_columns(prediction=pl.Series(["a"] * 9 + [value]))
        frame.write_parquet(tmp_path / "rows.parquet")
        seen.append(shards.fingerprint(tmp_path / "rows.parquet"))
    assert "footer" in seen[0]
    assert seen[0] == seen[2] != seen[1]
    for content in (b"", b"PAR1", b"a,b\n1,2\n" * 9, b"\xff\xff\xff\x7fPAR1"):
        (tmp_path / "rows.csv").write_bytes(content)
        if len(content) >= 8:
            assert "content" in shards.fingerprint(tmp_path / "rows.csv")


def test_a_file_that_is_no_shard_is_an_error_that_names_it(folder: Path) -> None:
    fine(folder, *SMALL)
    whole = (folder / "part.parquet").read_bytes()

    for share in range(10):
        (folder / "part.parquet").write_bytes(whole[: len(whole) * share // 10])
        if share in {0, 5, 9}:
            said = refused(folder, *SMALL)
            assert "part.parquet is not a summary of anls_frame" in said
            assert "--force" in said
            assert "part.parquet is not a summary of anls_frame" in refused(folder, "merge", "part.parquet")
        with pytest.raises(ValueError, match=r"part\.parquet is not a summary"):
            af.Summary.load(folder / "part.parquet")
    af.summarize(pl.DataFrame({"a": ["x"]}), "a", "a").save(folder / "part.parquet")
    assert "already exists and was not made by --shard" in refused(folder, *SMALL)


def test_shards_of_files_are_skipped_too_and_look_at_their_own_files(folder: Path) -> None:
    files = [f"{index}.jsonl" for index in range(4)]
    parts = ["1.parquet", "2.parquet"]
    for index, part in enumerate(parts, start=1):
        fine(folder, "report", *files, "--shard", f"{index}/2", "--summary", part)
    whole = json.loads(fine(folder, "report", *files, "--json"))
    merged = json.loads(fine(folder, "merge", *parts, "--json"))
    assert merged == whole

    (folder / "3.jsonl").write_text('{"prediction": "new", "answers": ["new"]}\n', encoding="utf-8")
    assert "skipped" in fine(folder, "report", *files, "--shard", "1/2", "--summary", "1.parquet")
    said = refused(folder, "report", *files, "--shard", "2/2", "--summary", "2.parquet")
    assert "content of 3.jsonl" in said
    assert "fewer files than shards" in refused(
        folder, "report", *files, "--shard", "2/5", "--summary", "5.parquet"
    )


def test_many_files_have_a_short_name(folder: Path) -> None:
    names = [f"{index:04}.jsonl" for index in range(200)]
    for name in names:
        (folder / name).write_text('{"prediction": "a", "answers": ["a"]}\n', encoding="utf-8")
    fine(folder, "report", *names, "--shard", "1/100", "--summary", "1.parquet")
    said = refused(folder, "merge", "1.parquet")
    assert ", 99, 100 of 100 of 0000.jsonl+198 files " in said
    assert (folder / "1.parquet").stat().st_size < 20_000


def test_all_shards_one_after_another_give_the_report_of_the_whole(folder: Path) -> None:
    options = ("-b", "lang", "-c", "doc_id", "--worst", "3", "--json")
    whole = json.loads(fine(folder, "report", "small.parquet", *options))

    shards = ("report", "small.parquet", *options, "--shards", "12", "--summaries", "parts")
    first = run(folder, *shards)
    again = run(folder, *shards)

    assert (first.returncode, first.stderr) == (0, "")
    assert again.stderr == "skipped 12 of 12 shards, whose summaries are already in parts\n"
    assert json.loads(first.stdout) == whole
    assert json.loads(first.stdout) == json.loads(again.stdout)
    assert min(path.name for path in (folder / "parts").iterdir()) == "part-01-of-12.parquet"
    merged = fine(folder, "merge", *sorted((folder / "parts").glob("part-*.parquet")), "--json")
    assert json.loads(merged) == json.loads(first.stdout)


def test_parts_that_share_no_cluster_may_fold_theirs(folder: Path) -> None:
    # Four ranges of rows, each with whole documents of three rows.
    work = ("report", "rows.parquet", "-b", "lang", "-c", "doc_id", "--shards", "4", "--json", "--summaries")

    kept = json.loads(fine(folder, *work, "kept"))
    folded = json.loads(fine(folder, *work, "folded", "--fold-clusters"))

    assert folded == kept
    sizes = [(folder / name / "part-1-of-4.parquet").stat().st_size for name in ("folded", "kept")]
    assert sizes[0] < sizes[1] / 10
    assert "--fold-clusters (True, not False)" in refused(folder, *work, "kept", "--fold-clusters")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shards", "2", "--summaries", "parts", "--fold-clusters"], "--fold-clusters needs --cluster"),
        (["--fold-clusters", "-c", "doc_id"], "--fold-clusters needs --shard or --shards"),
        (["--shards", "3"], "--shards and --summaries must be given together"),
        (["--summaries", "parts"], "--shards and --summaries must be given together"),
        (["--shards", "0", "--summaries", "parts"], "--shard must be a part of several"),
        (["--shards", "-2", "--summaries", "parts"], "--shard must be a part of several"),
        (["--shards", "2", "--summaries", "no/parts"], "no/parts"),
        (["--shard", "1/2", "--summary", "a.parquet", "-o", "a.html"], "pass --output to `merge` instead"),
        (["--shard", "1/2", "--summary", "a.csv"], "the name must end in one of .parquet"),
        (["--shard", "1/2", "--summary", "no/a.parquet"], "there is no folder 'no'"),
    ],
)
def test_parts_that_cannot_be_made_are_refused(folder: Path, arguments: list[str], message: str) -> None:
    assert message in refused(folder, "report", "small.parquet", *arguments)


READ = """
import sys
from pathlib import Path
from anls_frame.cli import options, reporting, shards

def bytes_read():
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])

settings = {
    **{"by": None, "cluster": None, "metrics": None, "worst": 0, "keep": (), "missing": "empty"},
    "protocol": "anls",
}
work = reporting.Work(files=[Path(sys.argv[1])], source=options.Source(), settings=settings)
shard = shards.Shard.parse(sys.argv[2])
work.summary(shard)  # modules are read as well, the first time
before = bytes_read()
summary = work.summary(shard)
print(bytes_read() - before, summary.rows)
"""


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="asks Linux what was read")
@pytest.mark.parametrize("answers", ["lists", "texts of lists"])
def test_a_shard_reads_no_other_rows(
    folder: Path, rows: pl.DataFrame, answers: str, run_python: Callable[..., Any]
) -> None:
    path = folder / "rows.parquet"
    if answers != "lists":
        texts = pl.format('["{}"]', pl.col("answers").list.first())
        rows.with_columns(answers=texts).write_parquet(path, row_group_size=20_000)

    done = run_python("-c", READ, str(path), "14/15")

    assert done.returncode == 0, done.stderr
    count, scored = map(int, done.stdout.split())
    assert scored == ROWS // 15
    # Its own row group of 15, and the footer.
    assert count < path.stat().st_size / 5


# Kills.


def start(folder: Path, *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own script
        [str(SCRIPTS / "anls-frame"), *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=folder,
    )


def killed(process: subprocess.Popen[bytes], after: float) -> bool:
    """Kill the process after so many seconds, unless it has ended; then it has ended well."""
    try:
        _, said = process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    assert process.returncode == 0, said
    return False


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.timeout(60 + 6 * KILLS)
def test_shards_killed_at_any_moment_are_taken_up_again(folder: Path) -> None:
    rng = random.Random(KILLS)
    work = ("report", "rows.parquet", "-b", "lang", "-c", "doc_id", "--worst", "5")
    begun = time.monotonic()
    expected = json.loads(run_alone(folder, *work, "--json").stdout)
    undisturbed = time.monotonic() - begun
    digests: dict[str, str] = {}
    left = KILLS
    attempts = 0

    def check_parts() -> None:
        for path in (folder / "parts").glob("part-*.parquet"):
            summary = af.Summary.load(path)
            assert summary.rows == ROWS // SHARDS
            # Whoever made it, it is never made again, and never another one.
            assert digests.setdefault(path.name, summary.digest) == summary.digest

    (folder / "parts").mkdir()
    while left:
        attempts += 1
        assert attempts < 20 * KILLS + 20, "killed hardly ever"
        if rng.random() < 0.5:  # one process for all shards, or one of an array job
            arguments = (*work, "--shards", SHARDS, "--summaries", "parts")
        else:
            index = rng.randint(1, SHARDS)
            target = f"parts/part-{index}-of-{SHARDS}.parquet"
            arguments = (*work, "--shard", f"{index}/{SHARDS}", "--summary", target)
        left -= killed(start(folder, *arguments), rng.uniform(0.3, 1.6) * undisturbed)
        check_parts()
        if len(digests) == SHARDS:  # begin anew
            for path in (folder / "parts").glob("part-*.parquet"):
                path.unlink()
            digests.clear()

    resumed = json.loads(fine(folder, *work, "--shards", SHARDS, "--summaries", "parts", "--json"))
    check_parts()
    merged = json.loads(fine(folder, "merge", *(folder / "parts").glob("part-*.parquet"), "--json"))

    assert resumed == expected
    assert merged == resumed
    # What kills leave behind has a name that no pattern for parts takes for one.
    litter = {path.name for path in (folder / "parts").iterdir()} - digests.keys()
    assert all(name.startswith(".anls-frame-") and name.endswith(".tmp") for name in litter)
