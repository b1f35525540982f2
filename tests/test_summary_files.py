"""Summaries on disk: whole again when loaded, and errors that name the file for anything else."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
import report_oracle
import test_report_keys

import anls_frame as af
from anls_frame.reports import Report
from anls_frame.summary import Summary, merge, summarize

if TYPE_CHECKING:
    from pathlib import Path


def check_same(found: Summary, expected: Summary) -> None:
    assert found.settings == expected.settings
    assert found.parts == expected.parts
    assert found.digest == expected.digest
    for name in ("cells", "bins", "worst_rows"):
        frame, other = getattr(found, name), getattr(expected, name)
        assert frame.schema == other.schema
        assert frame.equals(other)


def saved_and_loaded(summary: Summary, folder: Path) -> Summary:
    summary.save(folder / "summary.parquet")
    check_same(Summary.from_bytes(summary.to_bytes()), summary)
    return Summary.load(folder / "summary.parquet")


@pytest.mark.parametrize("name", test_report_keys.KEYS)
def test_keys_of_any_dtype_are_kept(name: str, tmp_path: Path) -> None:
    frame = pl.DataFrame(test_report_keys.TEXTS).with_columns(test_report_keys.KEYS[name].alias("k"))
    for options in ({"by": "k"}, {"by": "k", "cluster": "k", "worst": 2}):
        summary = summarize(frame, "p", "a", **options)
        check_same(saved_and_loaded(summary, tmp_path), summary)


@pytest.mark.parametrize("rows", [0, 1, 6])
@pytest.mark.parametrize("options", [{}, {"by": ["k", "l"]}, {"cluster": "l"}, {"worst": 2}], ids=str)
def test_summaries_of_any_shape_are_kept(options: dict[str, Any], rows: int, tmp_path: Path) -> None:
    frame = pl.DataFrame({**test_report_keys.TEXTS, "k": [["t"]] * 6, "l": range(6)}).head(rows)
    texts, scores = summarize(frame, "p", "a", **options), summarize(frame, score="l", **options)
    for summary in (texts, scores):
        check_same(saved_and_loaded(summary, tmp_path), summary)


def test_settings_are_kept(tmp_path: Path) -> None:
    protocol = af.ScoreProtocol(ignore_case=False, unicode_form="NFKC", cut="distance", threshold=0.1)
    frame = pl.DataFrame({"p": ["a"], "a": ["a"], "ключ": ["x"], "名": [1]})
    summary = summarize(
        frame,
        "p",
        "a",
        by=["ключ", "名"],
        cluster="名",
        protocol=protocol,
        threshold=1 / 3,
        missing="drop",
        part="部",
    )
    loaded = saved_and_loaded(summary, tmp_path)
    check_same(loaded, summary)
    assert loaded.settings.protocol == protocol
    assert loaded.settings.threshold == 1 / 3


def test_saved_parts_add_up(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"p": ["a", "b", "c", "x"], "a": ["a", "c", "c", "y"], "k": [["t"], ["t", "u"], [], None]}
    )
    for part in range(4):
        summarize(frame[part], "p", "a", by="k", worst=2).save(tmp_path / f"part-{part}.parquet")
    merged = merge(Summary.load(path) for path in sorted(tmp_path.glob("part-*.parquet")))
    whole = Report.from_summary(summarize(frame, "p", "a", by="k", worst=2))
    report_oracle.check_alike(Report.from_summary(merged).to_polars(), whole.to_polars())
    assert merged.digest == whole.summary.digest
    with pytest.raises(ValueError, match="the same part is there twice"):
        merge([merged, Summary.load(tmp_path / "part-2.parquet")])


def test_saving_replaces_a_file_as_a_whole_and_takes_strings(tmp_path: Path) -> None:
    path = tmp_path / "a summary.parquet"
    path.write_text("what was there before")
    summary = summarize(pl.DataFrame({"p": ["a"], "a": ["a"]}), "p", "a")
    summary.save(str(path))
    check_same(Summary.load(str(path)), summary)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def rewritten(path: Path, change: Any) -> None:
    metadata = json.loads(pl.read_parquet_metadata(path)["anls_frame"])
    frame = pl.read_parquet(path)
    frame.write_parquet(path, metadata={"anls_frame": json.dumps(change(metadata))})


def without(name: str) -> Any:
    return lambda metadata: {key: value for key, value in metadata.items() if key != name}


def foreign(path: Path) -> dict[str, bytes]:
    """Return contents that are no summary, by what they are."""
    frame = pl.DataFrame({"p": ["a", "b"], "a": ["a", "c"], "k": [1, 2]})
    summarize(frame, "p", "a", by="k").save(path)
    summary = path.read_bytes()
    frame.write_parquet(path)
    contents = {
        "empty": b"",
        "text": b"p,a\na,a\n",
        "zeros": bytes(1000),
        "another table": path.read_bytes(),
        "cut": summary[: len(summary) // 2],
        "without its end": summary[:-1],
    }
    for name, metadata in {"no JSON": "{", "no object": "[]", "empty object": "{}", "a number": "3"}.items():
        frame.write_parquet(path, metadata={"anls_frame": metadata})
        contents[name] = path.read_bytes()
    for name, change in {
        "no settings": without("settings"),
        "no columns": without("columns"),
        "no digest": without("digest"),
        "unknown setting": lambda metadata: {**metadata, "settings": {**metadata["settings"], "later": 1}},
        "unknown column": lambda metadata: {
            **metadata,
            "columns": {**metadata["columns"], "cell": ["later"]},
        },
        "unknown protocol": lambda metadata: {
            **metadata,
            "settings": {**metadata["settings"], "protocol": {"cut": 3}},
        },
    }.items():
        path.write_bytes(summary)
        rewritten(path, change)
        contents[name] = path.read_bytes()
    return contents


def test_what_is_no_summary_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    for name, content in foreign(tmp_path / "some.parquet").items():
        path = tmp_path / f"{name} (1).parquet"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=re.escape(f"{path} is no summary of anls_frame")):
            Summary.load(path)


def test_bytes_that_are_no_summary_are_an_error(tmp_path: Path) -> None:
    for content in foreign(tmp_path / "some.parquet").values():
        with pytest.raises(ValueError, match="the content is no summary of anls_frame"):
            Summary.from_bytes(content)


def test_folder_is_no_summary(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no summary of anls_frame"):
        Summary.load(tmp_path)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing-here"):
        Summary.load(tmp_path / "nothing-here.parquet")


def test_damage_on_disk_is_noticed_when_a_report_is_made(tmp_path: Path) -> None:
    path = tmp_path / "summary.parquet"
    summarize(pl.DataFrame({"p": ["a", "b"], "a": ["a", "c"]}), "p", "a", part="one").save(path)
    rewritten(path, lambda metadata: {**metadata, "parts": {"one": 3}})
    with pytest.raises(RuntimeError, match="the rows do not add up: 3 read, 2 in cells"):
        Report.from_summary(Summary.load(path))
