"""Summaries on disk: whole again when loaded, and errors that name the file for anything else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from key_columns import KEYS, TEXTS

import anls_frame as af
from anls_frame import Summary, summarize
from anls_frame.reports.reports import Report
from anls_frame.summary import files, parquet_footer


def check_same(found: Summary, expected: Summary) -> None:
    assert found.settings == expected.settings
    assert found.parts == expected.parts
    assert found.digest == expected.digest
    assert found.predictions == expected.predictions
    frames, others = found.sums.frames, expected.sums.frames
    assert frames.keys() == others.keys()
    for name, frame in frames.items():
        other = others[name]
        assert frame.schema == other.schema
        assert frame.equals(other)


def saved_and_loaded(summary: Summary, folder: Path) -> Summary:
    summary.save(folder / "summary.parquet")
    check_same(Summary.from_bytes(summary.to_bytes()), summary)
    return Summary.load(folder / "summary.parquet")


@pytest.mark.parametrize("name", KEYS)
def test_keys_of_any_dtype_are_kept(name: str, tmp_path: Path) -> None:
    frame = pl.DataFrame(TEXTS).with_columns(KEYS[name].alias("k"))
    # Whatever a column does as slices alone, it does beside clusters too.
    summary = summarize(frame, "p", "a", by="k", cluster="k", worst=2)
    check_same(saved_and_loaded(summary, tmp_path), summary)


@pytest.mark.parametrize("rows", [0, 1, 6])
@pytest.mark.parametrize("options", [{}, {"by": ["k", "l"]}, {"cluster": "l"}, {"worst": 2}], ids=str)
def test_summaries_of_any_shape_are_kept(options: dict[str, Any], rows: int, tmp_path: Path) -> None:
    frame = pl.DataFrame({**TEXTS, "k": [["t"]] * 6, "l": range(6)}).head(rows)
    made = [summarize(frame, "p", "a", **options), summarize(frame, metrics="l", **options)]
    if "worst" not in options:
        systems = {"old": "p", "new": "a"}
        made.append(summarize(frame, systems, "a", metrics=["anls", "wer_corpus"], details=True, **options))
    for summary in made:
        check_same(saved_and_loaded(summary, tmp_path), summary)


def test_settings_are_kept(tmp_path: Path) -> None:
    errors = af.PROTOCOLS["raw"].replace(whitespace="strip")
    protocol = af.ScoreProtocol(
        ignore_case=False,
        ignore_punctuation=True,
        unicode_form="NFKC",
        cut="distance",
        threshold=1 / 3,
        errors=errors,
    )
    frame = pl.DataFrame({"p": ["a"], "a": ["a"], "ключ": ["x"], "名": [1]})
    summary = summarize(
        frame,
        "p",
        "a",
        by=["ключ", "名"],
        cluster="名",
        protocol=protocol,
        missing="drop",
        part="部",
    )
    loaded = saved_and_loaded(summary, tmp_path)
    check_same(loaded, summary)
    assert loaded.settings.protocol == protocol


def test_scores_of_the_fields_of_each_system_keep_their_intervals() -> None:
    texts = {"p": ["ab", "bc", None, "x"], "q": ["ac", None, "u", "xy"], "a": ["ab", None, "uv", "xyz"]}
    own = af.Metric.of_texts(lambda prediction, _: len(prediction) / 4, name="own", bounds=(0, 1))
    for metrics in ("fields", ["field_f1", own]):
        made = af.summarize(pl.DataFrame(texts), ["p", "q"], "a", metrics=metrics)
        loaded = af.Summary.from_bytes(made.to_bytes())

        found, expected = (af.Comparison.from_summary(one, draws=99).to_polars() for one in (loaded, made))

        assert found.equals(expected)


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
    return contents


def test_what_is_no_summary_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    for name, content in foreign(tmp_path / "some.parquet").items():
        path = tmp_path / f"{name} (1).parquet"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=re.escape(f"{path} is not a summary of anls_frame")):
            Summary.load(path)
        with pytest.raises(ValueError, match="the content is not a summary of anls_frame"):
            Summary.from_bytes(content)


def test_folder_is_no_summary(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=re.escape(str(tmp_path))):
        Summary.load(tmp_path)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing-here"):
        Summary.load(tmp_path / "nothing-here.parquet")


@pytest.mark.parametrize("found", [0, files.FORMAT + 1, None, "1"])
def test_another_format_is_an_error_that_says_what_to_do(found: Any, tmp_path: Path) -> None:
    path = tmp_path / "part (1).parquet"
    summarize(pl.DataFrame({"p": ["a"], "a": ["a"]}), "p", "a").save(path)

    def changed(metadata: Any) -> Any:
        # Before there was a number none was saved.
        renamed = {**metadata["settings"], "version": "9.8.7", "other": 1}
        return {**without("columns")(metadata), "settings": renamed, "format": found}

    rewritten(path, changed if found != 0 else lambda metadata: without("format")(changed(metadata)))
    way_out = (
        "read it with that version or a later one"
        if found == files.FORMAT + 1
        else "summarize its rows again"
    )
    message = re.escape(
        f"{path} is a summary of file format {found}, saved by anls_frame 9.8.7; anls_frame {af.__version__} "
        f"reads format {files.FORMAT}: {way_out}"
    )
    with pytest.raises(ValueError, match=f"^{message}$"):
        Summary.load(path)
    with pytest.raises(ValueError, match=r"^the content is a summary of file format"):
        Summary.from_bytes(path.read_bytes())


def shape(frame: pl.DataFrame) -> str:
    return " ".join(f"{name}:{dtype}" for name, dtype in frame.schema.items())


def test_what_is_saved_is_that_of_the_format() -> None:
    """Whoever changes the content gives the format a new number, and writes the new content down here."""
    frame = pl.DataFrame({"p": ["a"], "a": ["b"], "k": ["x"], "d": [1], "s": [0.5]})
    texts = summarize(frame, "p", "a", by="k", cluster="d", worst=1, details=True)
    metric = af.Metric("d", denominator="d", name="rate")
    scores = summarize(frame, metrics=["s", metric], by="k", worst=1, keep="d")
    counts = "rows:Int64 n:Int64 n_missing:Int64 n_unanswerable:Int64 n_empty_reference:Int64"
    squares = "char_errors_squares:Int128 char_errors_by_length:Int128 reference_length_squares:Int128"
    of_texts = (
        "nls_units:Int128 nls_square_units:Int128 cer_units:Int128 cer_square_units:Int128 "
        f"exact_match_sum:Int64 char_errors_sum:Int64 reference_length_sum:Int64 {squares} "
        "anls_units:Int128 anls_square_units:Int128 zeros_sum:Int64"
    )
    details = "n:Int64 anls_units:Int128 nls_units:Int128 cer_units:Int128 exact_match_sum:Int64"
    assert files.FORMAT == 23
    assert list(texts.settings.to_dict()) == [
        *("by", "tables", "orders", "cluster", "metrics", "has_texts", "computation", "protocol"),
        *("missing", "unanswerable", "worst", "keep", "details", "max_length", "min_nls", "from_pages"),
        *("answers_format", "empty_lines", "where", "left_out", "version"),
    ]
    assert shape(texts.report_sums.cells[None]) == f"key_0:String cluster:Int64 {counts} {of_texts}"
    assert shape(texts.fold_clusters().report_sums.cells[None]) == (
        f"key_0:String cluster:UInt16 {counts} {of_texts}"
    )
    assert (
        shape(texts.report_sums.frames["bins"])
        == "key_0:String grid_threshold:UInt8 n:Int64 nls_units:Int128"
    )
    assert shape(texts.report_sums.frames["worst"]) == (
        "key_0:String cluster:Int64 prediction:String answers:String nls:Float64 anls:Float64 cer:Float64 "
        "exact_match:Boolean row_digest:UInt64"
    )
    assert {kind: shape(table) for kind, table in texts.report_sums.of("details").items()} == {
        "errors": "key_0:String error_type:String n:Int64",
        "causes": (
            "key_0:String cause:String rows:Int64 n:Int64 n_wrapped:Int64 units:Int128 wrapped_units:Int128"
        ),
        "confusions": "key_0:String op:String reference_char:String predicted_char:String count:Int64",
        "lengths": f"key_0:String bits:UInt32 {details} reference_length_sum:Int64 char_errors_sum:Int64",
    }
    described = ["name", "label", "bounds", "higher_is_better", "format"]
    assert {tuple(one) for one in texts.settings.to_dict()["metrics"]} == {tuple(described)}
    assert {tuple(one) for one in scores.settings.to_dict()["metrics"]} == {(*described, "sources")}
    assert {name: shape(cells) for name, cells in scores.report_sums.cells.items()} == {
        None: f"key_0:String {counts}",
        "s": f"key_0:String {counts} score_sum:Float64 score_spread:Float64 score_min:Float64 "
        "score_max:Float64",
        "rate": f"key_0:String {counts} numerator_sum:Int128 numerator_fraction:Int128 "
        "denominator_sum:Int128 numerator_squares:Int128 numerator_square_fraction:Int128 "
        "numerator_by_length:Int128 numerator_fraction_by_length:Int128 denominator_squares:Int128 "
        "denominator_cubes:Int128 denominator_fourths:Int128 score_min:Float64 score_max:Float64",
    }
    assert shape(scores.report_sums.frames["worst"]) == (
        "key_0:String score_0_0:Float64 score_1_0:Float64 keep_0:Int64 row_digest:UInt64"
    )
    rate = af.Metric({"d": "d", "s": "d"}, denominator={"d": "d", "s": "d"}, name="rate")
    score = af.Metric({"d": "d", "s": "s"}, name="s")
    two = af.summarize(frame, ["d", "s"], None, by="k", cluster="d", metrics=[score, rate])
    sums = "key_0:String cluster:Int64 n:Int64 x_0:Float64"
    predicted = " ".join(
        f"n_{name}:Int64"
        for name in ("invented", "placeholders", "other_case", "other_marks", "empty_answers", "missing")
    )
    rows = "rows:Int64 n_dropped:Int64 n_unanswerable:Int64 n:Int64 n_empty_reference:Int64"
    assert {name: shape(frame) for name, frame in two.sums.frames.items()} == {
        "cells s": f"{sums} x_1:Float64 lost_1:Float64 squares_1:Float64",
        "cells rate": f"{sums} y_0:Float64 x_1:Float64 y_1:Float64",
        **dict.fromkeys(
            ("votes s", "votes rate"), "key_0:String pair:UInt32 wins:Int64 ties:Int64 losses:Int64"
        ),
        "squares s": "key_0:String square_0:Float64 square_1:Float64",
        **dict.fromkeys(("counts s", "counts rate"), f"{rows} score_min:Float64 score_max:Float64"),
        "predictions": f"system:String digest:UInt64 {predicted}",
    }


@pytest.mark.parametrize("cluster", [None, "d"])
@pytest.mark.parametrize("name", [" ", "cells", "bins", "worst", "details errors"])
def test_metrics_may_have_the_names_of_tables(name: str, cluster: str | None, tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"p": ["a", "b"], "a": ["a", "c"], "old": [0.5, 1.0], "new": [0.25, 0.5], "d": [1, 2]}
    )
    options: dict[str, Any] = {"by": "d", "cluster": cluster}
    one = summarize(frame, "p", "a", metrics=["anls", af.Metric("old", name=name)], details=True, **options)
    two = summarize(
        frame, ["old", "new"], None, metrics=af.Metric({"old": "old", "new": "new"}, name=name), **options
    )
    for summary in (one, two):
        check_same(saved_and_loaded(summary, tmp_path), summary)
    overall = Report.from_summary(saved_and_loaded(one, tmp_path)).overall
    assert (overall["anls"], overall[name]) == (0.5, 0.75)
    compared = af.Comparison.from_summary(saved_and_loaded(two, tmp_path)).overall
    assert compared.select("metric", "difference").rows() == [(name, -0.375)]


def test_small_files_that_fill_the_memory(tmp_path: Path) -> None:
    """A text of zeros compresses to a thousandth; the footer tells its size before it is read."""
    path, rows = tmp_path / "summary.parquet", pl.DataFrame({"p": ["a"], "a": ["b"]})
    summarize(rows, "p", "a").save(path)
    metadata = pl.read_parquet_metadata(path)
    metadata = {name: value for name, value in metadata.items() if not name.startswith("ARROW")}
    whole = pl.read_parquet(path)
    text = pl.Series("text", ["0" * 300_000_000] + [None] * (whole.height - 1))
    whole.with_columns(text).write_parquet(path, metadata=metadata)
    assert path.stat().st_size < 100_000
    with pytest.raises(ValueError, match=r"decompress to 300,\d+,\d+, more than 268,435,456"):
        Summary.load(path)


def test_a_footer_that_ends_within_a_value_is_damaged() -> None:
    # A list of ten doubles, cut off after two bytes.
    footer = b"\x19\xa7\x00\x00"
    with pytest.raises(ValueError, match="ends early"):
        parquet_footer.sizes(footer + len(footer).to_bytes(4, "little") + b"PAR1")


def test_sizes_in_the_footer_are_those_that_pyarrow_reads(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"i": range(5000), "s": ["x" * 40] * 5000, "l": [[1, None]] * 5000, "b": [True, None] * 2500}
    )
    for rows in (None, 700):
        frame.write_parquet(tmp_path / "file.parquet", row_group_size=rows, metadata={"k": "v" * 300})
        groups = pq.read_metadata(tmp_path / "file.parquet").to_dict()["row_groups"]
        chunks = [chunk for group in groups for chunk in group["columns"]]
        content = (tmp_path / "file.parquet").read_bytes()
        assert parquet_footer.sizes(content) == [
            sum(chunk[name] for chunk in chunks) for name in ("num_values", "total_uncompressed_size")
        ]
