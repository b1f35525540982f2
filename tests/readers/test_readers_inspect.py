"""Logs that Inspect wrote, against what its own reader has of them; archives that are damaged or lie."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal
from scorers import HOW_TO, INTERPRETER, PEERS

import anls_frame as af
from anls_frame.files import archives

WRITER = PEERS / "inspect_logs.py"
ZSTD = 93


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[dict[str, Any]]]]:
    """A folder with the logs of a run, and Inspect's own account of them."""
    interpreter = os.environ.get(INTERPRETER)
    if not interpreter:
        raise RuntimeError(HOW_TO)
    folder = tmp_path_factory.mktemp("inspect")
    done = subprocess.run(  # noqa: S603 - the developer names the interpreter
        [interpreter, str(WRITER), str(folder)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        # Inspect keeps traces at home, and reads settings from where it runs.
        env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def column_of(scorer: str, entry: str) -> str:
    if scorer == "prediction":  # the name of a role: the score's source goes in front
        return "score_prediction"
    return f"{scorer}_{entry}" if entry else scorer


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_a_log_is_what_inspect_reads_row_by_row(
    logs: tuple[Path, dict[str, list[dict[str, Any]]]], kind: str
) -> None:
    folder, account = logs
    frame = af.readers.read_inspect(folder / f"log.{kind}")

    assert len(account[kind]) == frame.height == 12
    for row, sample in zip(frame.iter_rows(named=True), account[kind], strict=True):
        assert (row["question_id"], row["epoch"]) == (sample["id"], sample["epoch"])
        assert row["question"] == sample["input"]
        assert row["prediction"] == (sample["completion"] or None)
        assert row["answers"] == sample["target"]
        assert row["error"] == sample["error"]
        assert row["total_time"] == sample["time"]
        assert row["model"] == "mockllm/model"
        assert row["output_tokens"] == sample["tokens"].get("mockllm/model")
        for name, value in sample["metadata"].items():
            taken = {"docId": "doc_id"} | dict.fromkeys(
                ("prediction", "answers", "epoch"), f"metadata_{name}"
            )
            found = row[taken.get(name, name)]
            assert (json.loads(found) if isinstance(value, list) else found) == value
        for scorer, score in sample["scores"].items():
            for entry, value in score["values"].items():
                assert row[column_of(scorer, entry)] == value
            assert row.get(f"{scorer}_answer") == score["answer"]
            assert row.get(f"{scorer}_explanation") == score["explanation"]
            for name, value in score["metadata"].items():
                assert row[f"{scorer}_{name}"] == value
    scores = {name for sample in account[kind] for name in sample["scores"]}
    assert scores == {"match", "f1", "texts", "prediction", "graded", "sometimes"}


def test_the_archive_is_packed_as_python_311_cannot_unpack_it(logs: tuple[Path, Any]) -> None:
    with zipfile.ZipFile(logs[0] / "log.eval") as archive:
        assert {entry.compress_type for entry in archive.infolist()} == {ZSTD}
    both = [af.readers.read_inspect(logs[0] / f"log.{kind}") for kind in ("eval", "json")]
    # They are two runs, so only what depends on the clock differs.
    clock = pl.selectors.ends_with("_time", "_traceback")
    assert_frame_equal(*(frame.drop(clock) for frame in both))


def test_a_text_that_looks_like_a_list_is_one_answer(logs: tuple[Path, Any]) -> None:
    frame = af.readers.read_file(logs[0] / "log.eval", epoch=1).filter(question_id="10")

    assert frame["answers"].to_list() == [["[1, 2]"]]
    assert frame.select(af.anls("prediction", "answers")).item() == 1.0


def test_a_sample_that_failed_has_no_answer_of_a_scorer(logs: tuple[Path, Any]) -> None:
    frame = af.readers.read_file(logs[0] / "log.eval", scorer="prediction", epoch=1)

    assert frame["prediction"].to_list() == [*["not the output"] * 3, None]


def zstd_member(name: str, data: bytes, **changed: Any) -> tuple[zipfile.ZipInfo, bytes]:
    """A member that zipfile writes as it is, and whose header then says what it should."""
    packed = changed.pop("packed", None) or pa.compress(data, codec="zstd", asbytes=True)
    entry = zipfile.ZipInfo(name)
    entry.compress_type = ZSTD
    entry.CRC = zlib.crc32(data)
    entry.file_size = len(data)
    for key, value in changed.items():
        setattr(entry, key, value)
    return entry, packed


def archive_of(members: Iterable[tuple[zipfile.ZipInfo, bytes]]) -> bytes:
    """An archive, made by hand: zipfile of Python 3.11 writes no zstd."""
    file = io.BytesIO()
    entries = []
    for entry, packed in members:
        entry.compress_size = len(packed)
        entry.header_offset = file.tell()
        file.write(entry.FileHeader(zip64=False) + packed)
        entries.append(entry)
    with zipfile.ZipFile(file, "a") as archive:
        archive.filelist = entries
        archive.start_dir = file.tell()
        archive._didModify = True  # type: ignore[attr-defined] # noqa: SLF001 - writes the directory
    return file.getvalue()


HEADER = zstd_member("header.json", b'{"version": 2, "status": "success", "eval": {"model": "m"}}')
SAMPLE = {"id": "a", "epoch": 1, "input": "Q?", "target": "x", "output": {"completion": "x"}}


def sample_member(**changed: Any) -> tuple[zipfile.ZipInfo, bytes]:
    return zstd_member("samples/a_epoch_1.json", json.dumps(SAMPLE).encode(), **changed)


def read(path: Path, content: bytes) -> pl.DataFrame:
    path.write_bytes(content)
    return af.readers.read_inspect(path)


def test_a_member_may_have_several_frames(tmp_path: Path) -> None:
    data = json.dumps(SAMPLE).encode()
    frames = [pa.compress(part, codec="zstd", asbytes=True) for part in (data[:9], b"", data[9:])]

    frame = read(tmp_path / "log.eval", archive_of([HEADER, sample_member(packed=b"".join(frames))]))

    assert frame["prediction"].to_list() == ["x"]
    assert frame["model"].to_list() == ["m"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"file_size": 3}, "does not have the size that the directory gives"),
        ({"file_size": 1 << 20}, "does not have the size that the directory gives"),
        ({"CRC": 1}, "the checksum of samples/a_epoch_1.json is wrong"),
        ({"flag_bits": 1}, "samples/a_epoch_1.json.* is encrypted"),
        ({"compress_type": 98}, "cannot be read as a log of Inspect: That compression method"),
        ({"packed": b"no zstd at all"}, "cannot be read as a log of Inspect: ZSTD decompress"),
        (
            {"file_size": archives.FREE_BYTES},
            r"unpacks to 268,\d{3},\d{3} bytes, more than 268,435,456; ",
        ),
    ],
)
def test_an_archive_that_lies_is_refused_by_name(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(af.InputError, match=message) as raised:
        read(tmp_path / "log.eval", archive_of([HEADER, sample_member(**changed)]))

    assert "log.eval" in str(raised.value)


def test_what_unpacks_to_more_than_it_says_is_not_unpacked(tmp_path: Path) -> None:
    bomb = pa.compress(bytes(1 << 28), codec="zstd", asbytes=True)
    path = tmp_path / "log.eval"
    path.write_bytes(archive_of([HEADER, sample_member(packed=bomb)]))
    before = pa.total_allocated_bytes()

    with pytest.raises(af.InputError, match="does not have the size"):
        af.readers.read_inspect(path)
    assert pa.default_memory_pool().max_memory() < before + (1 << 26)


@pytest.mark.parametrize("text", ["1,", "[],", '{"a":1},'])
def test_values_that_would_fill_the_memory_are_not_parsed(tmp_path: Path, text: str) -> None:
    # 60 kB that unpack to 18 MB or more, of which each value would take 50 bytes or more.
    path = tmp_path / "log.eval"
    held = text * (6_000_000 // sum(map(text.count, ",[{")))
    sample = json.dumps(SAMPLE)[:-1] + f', "metadata": {{"a": [{held}0]}}}}'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"status": "success"}')
        archive.writestr("samples/a_epoch_1.json", sample)
    tracemalloc.start()

    with pytest.raises(
        af.InputError, match=r"log\.eval: samples/a_epoch_1\.json: .* more than 5,000,000 values"
    ):
        af.readers.read_inspect(path)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 << 20


def test_shards_are_left_out_beside_the_log_that_merges_them(tmp_path: Path) -> None:
    """Inspect runs a task in parts as NAME.shards/0, NAME.shards/1, ..., and merges them to NAME.eval."""
    samples = [SAMPLE | {"id": number} for number in range(4)]

    def write(path: Path, numbers: Iterable[int]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", '{"status": "success", "eval": {"task": "t", "model": "m"}}')
            for number in numbers:
                archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(samples[number]))

    shards = tmp_path / "2026-10-16_t_X.shards"
    write(shards / "0" / "a.eval", [0, 1])
    write(shards / "1" / "a.eval", [2, 3])
    ids = ["0", "1", "2", "3"]
    assert af.read_logs({"m": shards})["question_id"].to_list() == ids  # before they are merged
    assert af.readers.report_files(tmp_path).overall["n"] == 4
    write(shards.with_suffix(".eval"), range(4))
    for named in (tmp_path, str(tmp_path / "**" / "*.eval")):
        with pytest.warns(af.InputWarning, match=r"skipped .*_t_X\.shards: its samples are in .*_t_X\.eval"):
            rows = af.read_logs({"m": named})
        assert rows.select("question_id", "epoch").rows() == [(number, 1) for number in ids]
    with pytest.warns(af.InputWarning, match="skipped"):
        assert af.read_logs(tmp_path)["system"].unique().to_list() == ["2026-10-16_t_X"]
    assert af.read_logs({"m": shards})["question_id"].to_list() == ids  # as named
