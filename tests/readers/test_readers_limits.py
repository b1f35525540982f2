"""Files that are damaged, too large or too deep for what they should hold, and files that are pipes."""

from __future__ import annotations

import csv
import gzip
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from campaign import amount
from shell import fine, refused, run, run_alone

import anls_frame as af

ROWS = pl.DataFrame(
    {
        "question_id": [f"q{row}" for row in range(60)],
        "prediction": [f"answer {row}" for row in range(60)],
        "answers": [[f"answer {row}", "x"] for row in range(60)],
    }
)


def message(path: Path, **options: Any) -> str:
    with pytest.raises(af.InputError) as raised:
        af.read_results(path, **options)
    assert all(problem.file == str(path) for problem in raised.value.problems)
    return str(raised.value)


# JSON


@pytest.mark.parametrize(("key", "levels"), [("note", 101), ("answers", 1_100), ("prediction", 60_000)])
@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_brackets_within_brackets_are_an_error_with_a_place(
    tmp_path: Path, key: str, levels: int, suffix: str
) -> None:
    row = json.dumps({"prediction": "a", "answers": "a", key: "?"}).replace(
        '"?"', "[" * levels + "]" * levels
    )
    path = tmp_path / f"deep.{suffix}"
    path.write_text(row if suffix == "jsonl" else f"[{row}]", encoding="utf-8")

    assert "brackets are nested" in message(path)
    if suffix == "jsonl":
        assert "line 1" in message(path)


def test_a_line_is_a_value_however_the_lines_end(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    good = '{"prediction": "a\u2028b", "answers": ["x"]}'
    for end in ("\n", "\r\n", "\r", "\n\n \n"):
        path.write_bytes(end.join([good, good, ""]).encode())
        assert af.read_results(path)["prediction"].to_list() == ["a\u2028b"] * 2
    # JSON may have line ends within a value, JSON Lines may not.
    path.write_text(f'{good}\n{{"prediction": "a",\n"answers": "a"}}\n{good}', encoding="utf-8")
    assert [f"line {number}: invalid JSON" in message(path) for number in (1, 2, 3, 4)] == [
        *(False, True, True, False)
    ]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (["1e400", "0.5"], ["1e400", "0.5"]),
        (["-1e400", None], ["-1e400", None]),
        (["9007199254740993", "0.5"], ["9007199254740993", "0.5"]),
        (["9007199254740992", "0.5"], [9007199254740992.0, 0.5]),
        (["1" + "0" * 400, "0.5"], ["1" + "0" * 400, "0.5"]),
        (["9007199254740993", "2"], [9007199254740993, 2]),
        (["9223372036854775808", "2"], ["9223372036854775808", "2"]),
        (["1" * 5_000, "2"], ["1" * 5_000, "2"]),
        (["NaN", "Infinity", "-Infinity", "1"], [float("nan"), float("inf"), float("-inf"), 1.0]),
        (["0.1234567890123456789"], [0.12345678901234568]),
    ],
)
def test_json_numbers_keep_their_value_or_stay_texts(
    tmp_path: Path, numbers: list[str | None], expected: list[Any]
) -> None:
    path = tmp_path / "numbers.jsonl"
    lines = [f'{{"prediction": "a", "answers": "a", "value": {number or "null"}}}' for number in numbers]
    path.write_text("\n".join(lines), encoding="utf-8")

    assert pl.Series(expected, strict=False).equals(
        af.read_results(path)["value"].alias(""), check_names=False
    )


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_keys_that_are_data_are_an_error_and_not_columns(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"keys.{suffix}"
    rows = [json.dumps({"prediction": "a", "answers": "a", f"key{row}": 1}) for row in range(20_000)]
    path.write_text("\n".join(rows) if suffix == "jsonl" else f"[{','.join(rows)}]", encoding="utf-8")

    assert "'key19999'); move keys that are data into values" in message(path)


def test_nested_values_stay_as_written(tmp_path: Path) -> None:
    path = tmp_path / "nested.jsonl"
    notes = [
        '{"k": ["é", 1.50, -0, NaN, null, true, {}]}',
        '{"\\u00e9": "é: \\"\\\\", "b": {"\\u00e9": "\\n"}}',
        '[{"a": "é\\": "}, [1e400, 900719925474099300000]]',
    ]
    path.write_text(
        "\n".join(f'{{"prediction": "a", "answers": "a", "note": {one}}}' for one in notes), encoding="utf-8"
    )

    assert af.read_results(path)["note"].to_list() == notes


# Parquet


def test_damaged_parquet_is_an_error_by_name_and_never_a_panic(tmp_path: Path) -> None:
    whole = tmp_path / "whole.parquet"
    ROWS.write_parquet(whole, compression="uncompressed")
    content = whole.read_bytes()
    path = tmp_path / "damaged.parquet"
    found = []
    # Where some versions of Polars panic; elsewhere a bit can make it ask for all memory there is.
    for position in range(1_516, 1_560):
        damaged = bytearray(content)
        damaged[position] ^= 1
        path.write_bytes(damaged)
        try:
            af.read_results(path)
        except af.InputError as error:
            found.append(str(error))
    for length in range(4, len(content), 97):
        path.write_bytes(content[:length])
        found.append(message(path))
    assert all(text.startswith(f"{path}: cannot be read as Parquet: ") for text in found)
    assert len(found) > 40


@pytest.mark.parametrize("command", [("report",), ("convert", "out.csv")])
def test_parquet_that_is_damaged_far_down_is_named_by_the_shell(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    path = tmp_path / "rows.parquet"
    ROWS.write_parquet(path, compression="uncompressed")
    content = bytearray(path.read_bytes())
    content[1_516:1_560] = bytes(44)
    path.write_bytes(content)

    refused(
        run(tmp_path, command[0], "rows.parquet", *command[1:]),
        "anls-frame: rows.parquet: cannot be read as Parquet: ",
    )
    assert not (tmp_path / "out.csv").exists()


# Pipes


@pytest.mark.parametrize("rows", amount([5_000], [1, 5, 60, 5_000]))
def test_rows_that_come_through_a_pipe_are_all_there(tmp_path: Path, rows: int) -> None:
    lines = [json.dumps({"prediction": f"answer {row}", "answers": ["x"]}) + "\n" for row in range(rows)]

    printed = fine(
        run_alone(
            tmp_path, "score", "/dev/stdin", "--reader", "table,format=jsonl", "--json", input="".join(lines)
        )
    )
    assert json.loads(printed)["n"] == rows


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
@pytest.mark.parametrize("name", ["rows.parquet", "rows.xlsx", "rows.jsonl.gz", "rows.csv"])
def test_named_pipes_are_files_like_others(tmp_path: Path, name: str) -> None:
    table = ROWS.with_columns(pl.col("answers").list.first())
    (tmp_path / "whole").mkdir()
    whole = tmp_path / "whole" / name
    if name.endswith("parquet"):
        table.write_parquet(whole)
    elif name.endswith("xlsx"):
        table.write_excel(whole)
    elif name.endswith("csv"):
        table.write_csv(whole)
    else:
        whole.write_bytes(gzip.compress(table.write_ndjson().encode()))
    pipe = tmp_path / name
    os.mkfifo(pipe)

    def feed() -> None:
        pipe.write_bytes(whole.read_bytes())

    thread = threading.Thread(target=feed)
    thread.start()
    assert af.read_results(pipe)["prediction"].to_list() == ROWS["prediction"].to_list()
    thread.join()

    thread = threading.Thread(target=feed)
    thread.start()
    done = run(tmp_path, "report", name, "--json")
    thread.join()
    assert done.returncode == 0, done.stderr
    [first, *_] = json.loads(done.stdout)["tables"].values()
    assert first[0]["n"] == 60


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
@pytest.mark.parametrize(
    "read",
    [
        af.readers.read_file,
        lambda pipe: af.read_logs({"a": pipe}),
        lambda pipe: af.readers.read_systems([pipe], systems=["prediction", "question"]).frame,
        lambda pipe: af.read_logs({"a": pipe.with_name("predictions.csv")}, gold=pipe),
    ],
    ids=["file", "logs", "systems", "gold"],
)
def test_each_call_reads_a_named_pipe_anew(tmp_path: Path, read: Callable[[Path], pl.DataFrame]) -> None:
    pipe = tmp_path / "rows.csv"
    os.mkfifo(pipe)
    (tmp_path / "predictions.csv").write_text("id,prediction\n1,a\n")

    for answer in ("first", "second"):
        content = f"id,question,prediction,answers\n1,?,a,{answer}\n"
        writer = threading.Thread(target=pipe.write_text, args=(content,), daemon=True)
        writer.start()
        assert read(pipe)["answers"].to_list() == [[answer]]
        writer.join(timeout=60)
        assert not writer.is_alive()


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
def test_a_pipe_in_a_folder_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "pages").mkdir()
    (tmp_path / "logs" / "a.jsonl").write_text('{"question_id": 1, "prediction": "a", "answers": ["a"]}')
    (tmp_path / "pages" / "a.txt").write_text("a")
    # Neither has a writer; what is hidden or no log is not looked at.
    for name in ("logs/b.json", "logs/b.csv", "logs/.c.json", "logs/socket", "pages/b.txt"):
        os.mkfifo(tmp_path / name)

    with pytest.raises(af.InputError, match=r"b\.(json|csv): this is a pipe or a device; take it out"):
        af.read_logs(tmp_path / "logs")
    with pytest.raises(af.InputError, match=r"pages/b\.txt: this is a pipe"):
        af.read_pages(tmp_path / "pages", {"a": tmp_path / "pages"})
    for arguments in (("report", "logs"), ("compare", "logs"), ("report", "pages", "--gold", "pages")):
        done = run(tmp_path, *arguments)
        assert (done.returncode, "this is a pipe or a device" in done.stderr) == (2, True), done.stderr
    for name in ("logs/b.json", "logs/b.csv"):
        (tmp_path / name).unlink()
    assert af.read_logs(tmp_path / "logs").height == 1


# Names


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are bytes")
@pytest.mark.parametrize("name", ["rows.parquet", "rows.jsonl", "rows.csv", "rows.xlsx"])
def test_a_file_whose_name_is_no_unicode_is_a_file_like_others(tmp_path: Path, name: str) -> None:
    table = ROWS.with_columns(pl.col("answers").list.first())
    path = tmp_path / f"\udcff{name}"
    whole = tmp_path / name
    {"t": table.write_parquet, "l": table.write_ndjson, "v": table.write_csv, "x": table.write_excel}[
        name[-1]
    ](whole)
    whole.rename(path)

    assert af.read_results(path)["prediction"].to_list() == ROWS["prediction"].to_list()
    assert af.scan_results(path).collect().height == 60
    if name != "rows.parquet":
        return
    for arguments in (
        ("report", path.name),
        ("score", path.name, "-o", "\udcffout.parquet"),
        ("report", path.name, "-o", "\udcffreport.html", "--rows", "5"),
        ("browse", path.name, "-o", "\udcffrows.html"),
        ("compare", path.name, "\udcffout.parquet", "-o", "compared.html"),
    ):
        fine(run(tmp_path, *arguments))
    # The bytes are spelled out, so that two such names differ.
    for page in ("\udcffreport.html", "\udcffrows.html", "compared.html"):
        assert r"\xffrows" in (tmp_path / page).read_text("utf-8")


# Threads


def test_threads_do_not_take_the_length_of_fields_from_each_other(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = "".join(f'"{row}","{"x" * 200_000}"\n' for row in range(20))
    path.write_text(f"prediction,answers\n{rows}", encoding="utf-8")
    limit = csv.field_size_limit()
    failed: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(5):
                assert af.read_results(path).height == 20
        except BaseException as error:  # noqa: BLE001 - is looked at below
            failed.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert csv.field_size_limit() == limit
