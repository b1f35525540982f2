"""Documents of several rows without a cluster are noted, in reports, comparisons and found slices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from shell import fine

import anls_frame as af
from anls_frame.frames import documents

FRAME = pl.DataFrame(
    {
        "question_id": [f"q{place}" for place in range(120)],
        "doc_id": [f"d{place // 4}" for place in range(120)],
        "prediction": ["a", "b", "c"] * 40,
        "other": ["a"] * 120,
        "answers": [["a"], ["b"]] * 60,
        "lang": ["en", "de", "fr", "it"] * 30,
    }
)
NOTE = 'Documents have several rows (doc_id), but intervals and p-values treat rows as independent, so they are too narrow and too small. Pass cluster="doc_id" (on the command line, -c doc_id).'  # noqa: E501
KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "lazy": lambda frame: frame.lazy(),
    "pandas": lambda frame: frame.to_pandas(),
    "arrow": lambda frame: frame.to_arrow(),
}
LEVELS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "levels": lambda frame: frame.to_pandas().set_index(frame.select("^.*_id$").columns)
}
CALLS: dict[str, Callable[..., Any]] = {
    "report": lambda frame, **how: af.report(frame, "prediction", "answers", **how),
    "two": lambda frame, **how: af.compare(frame, ["prediction", "other"], "answers", **how),
    "metrics": lambda frame, **how: af.compare(
        frame, ["prediction", "other"], "answers", metrics=["anls", "cer_mean"], **how
    ),
    "many": lambda frame, **how: af.compare(
        frame, {"x": "prediction", "y": "other", "z": "lang"}, "answers", draws=99, **how
    ),
    "slices": lambda frame, **how: af.find_slices(
        *(frame, "prediction", "answers", ["lang"]),
        search=af.SliceSearch(min_rows=1, min_clusters=1, draws=99),
        **how,
    ),
}


@pytest.mark.parametrize("kind", [*KINDS, *LEVELS])
@pytest.mark.parametrize("call", CALLS)
def test_repeated_documents_without_a_cluster_are_noted(kind: str, call: str) -> None:
    make, as_kind = CALLS[call], (KINDS | LEVELS)[kind]
    frame = as_kind(FRAME)
    assert repr(make(frame)).splitlines().count(NOTE) == 1
    assert NOTE in make(frame).to_document().notes
    for cluster in ("doc_id", "question_id"):
        assert "Documents have several rows" not in repr(make(frame, cluster=cluster))
    assert "Documents have several rows" not in repr(make(as_kind(FRAME.drop("doc_id"))))


def test_documents_of_one_row_each_need_no_note() -> None:
    lone = [float(place) for place in range(118)]
    nothing: tuple[Any, ...] = (None, float("nan"))
    for ids in (
        [f"d{place}" for place in range(120)],
        [None] * 120,
        *([none, none, *lone] for none in nothing),
    ):
        frame = FRAME.with_columns(doc_id=pl.Series(ids))
        assert "Documents have several rows" not in repr(CALLS["report"](frame))


def test_a_column_that_cannot_be_read_is_no_error() -> None:
    frame = FRAME.to_pandas()
    frame["doc_id"] = [1, "x", object()] * 40
    assert "Documents" not in repr(af.report(frame, "prediction", "answers"))


@pytest.mark.parametrize("name", ["slice", "head", "columns", "index", "lazy", "collect", "schema", "height"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", CALLS)
def test_a_column_may_have_the_name_of_a_method_of_frames(call: str, kind: str, name: str) -> None:
    frame = KINDS[kind](FRAME.with_columns(pl.lit("x").alias(name)))
    assert str(CALLS[call](frame)) == str(CALLS[call](KINDS[kind](FRAME)))


def test_the_note_is_saved_and_merged(tmp_path: Path) -> None:
    predictions: list[tuple[Any, Any]] = [
        ("prediction", af.Report.from_summary),
        (["prediction", "other"], af.Comparison.from_summary),
    ]
    for prediction, make in predictions:
        # The first part has one row of each document.
        some = [FRAME[:40].gather_every(4), FRAME[40:]]
        parts = [af.summarize(rows, prediction, "answers") for rows in some]
        assert [part.forgotten_documents for part in parts] == [None, "doc_id"]
        af.merge(parts).save(tmp_path / "summary.parquet")
        assert NOTE in repr(make(af.Summary.load(tmp_path / "summary.parquet")))


def _watched(read: list[int], rows: int) -> pl.LazyFrame:
    """Return a query with documents of four rows, which counts those that are read."""

    def watched(ids: pl.Series) -> pl.Series:
        read.append(len(ids))
        return ids

    many = pl.select(pl.int_range(rows).alias("row")).lazy()
    ids = (pl.col("row") // 4).map_batches(watched, return_dtype=pl.Int64, is_elementwise=True)
    return many.with_columns(doc_id=ids, prediction=pl.lit("a"), answers=pl.lit("a"))


def test_only_the_first_rows_of_a_query_are_read() -> None:
    read: list[int] = []
    frame = _watched(read, 400_000)
    assert NOTE in repr(af.report(frame, "prediction", "answers", metrics="exact_match"))
    assert sum(read) == 2_000


@pytest.mark.parametrize(
    "query",
    [
        lambda frame: frame.sort("doc_id"),
        lambda frame: frame.filter(pl.col("doc_id") >= 0),
        lambda frame: frame.unique(maintain_order=True),
        lambda frame: frame.join(frame.select("row"), on="row"),
        lambda frame: frame.group_by("row").agg(pl.all().first()),
        lambda frame: frame.with_columns(pl.col("doc_id").max().over("row")),
        lambda frame: pl.concat([frame, frame]),
    ],
)
def test_a_query_that_reads_more_than_its_first_rows_is_not_run_for_the_note(
    query: Callable[[pl.LazyFrame], pl.LazyFrame],
) -> None:
    read: list[int] = []
    made = query(_watched(read, 8_000))
    assert documents.forgotten(made, None) is None
    assert read == []
    assert documents.forgotten(made.collect(), None) == "doc_id"


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson", "ipc"])
def test_the_first_rows_of_a_scanned_file_are_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    getattr(FRAME.with_columns(pl.col("answers").list.first()), f"write_{suffix}")(path)
    scanned = getattr(pl, f"scan_{suffix}")(path)
    queries = [
        scanned,
        scanned.rename({"doc_id": "SORT BY doc"}).rename({"SORT BY doc": "doc_id"}),
        scanned.with_row_index().select("index", pl.col("doc_id").str.to_uppercase()),
    ]
    assert [documents.forgotten(query, None) for query in queries] == ["doc_id"] * 3


@pytest.mark.parametrize("kind", [*KINDS, *LEVELS])
def test_documents_that_repeat_after_the_first_rows_are_not_noted(kind: str) -> None:
    """Rows in rounds, one of each document: the first 2,000 rows name 2,000 or 1,999 documents."""
    for count, found in ((2_000, None), (1_999, "doc_id")):
        rows = pl.DataFrame({"question_id": range(2 * count), "doc_id": [*range(count)] * 2})
        assert documents.forgotten((KINDS | LEVELS)[kind](rows), None) == found


def test_documents_in_any_order_are_noted() -> None:
    """Of 200,000 rows in documents of four, the first 2,000 in random order repeat about 30 documents."""
    rows = pl.DataFrame({"doc_id": pl.int_range(200_000, eager=True) // 4})
    for seed in range(20):
        assert documents.forgotten(rows.sample(fraction=1, shuffle=True, seed=seed), None) == "doc_id"


@pytest.mark.parametrize("call", ["report", "many"])
def test_slices_of_nearly_one_row_each_are_noted(call: str) -> None:
    def noted(by: str | list[list[str]], rows: int = 120) -> list[str]:
        return [
            line for line in repr(CALLS[call](FRAME[:rows], by=by)).splitlines() if "slices of one" in line
        ]

    said = "slices of one or two rows show nothing. Pass a column that names the document"
    assert len(noted("question_id")) == 1
    assert noted("question_id")[0].startswith(f"120 rows in 120 slices by question_id: {said}")
    assert noted([["lang"], ["question_id"]])[0].startswith(f"120 rows in 120 slices by question_id: {said}")
    assert noted("doc_id") == noted("lang") == noted("question_id", rows=10) == []


@pytest.mark.parametrize("library", KINDS)
def test_rows_without_a_document_are_counted_below_the_table(library: str) -> None:
    """They are one document, as the figure says: intervals allow for `1`, `2` and the rest."""
    rows = pl.DataFrame(
        {"p": [*"abcdef"], "q": [*"abcxyz"], "a": [*"abcdxx"], "doc": ["1", None, None, "2", None, "2"]}
    )
    frame = KINDS[library](rows)
    summary = af.summarize(frame, "p", "a", cluster="doc")

    for made in (
        af.report(frame, "p", "a", cluster="doc"),
        af.compare(frame, ["p", "q"], "a", cluster="doc"),
        af.Report.from_summary(summary.fold_clusters()),
        af.Report.from_summary(af.merge([summary])),
    ):
        assert "for 3 documents (doc)" in str(made)
        assert str(made).count(TOGETHER) == 1
    for named in (frame, rows.filter(pl.col("doc").is_not_null()), rows[2:4]):
        cluster = None if named is frame else "doc"
        assert "without a value" not in str(af.report(named, "p", "a", cluster=cluster))


TOGETHER = "3 without a value in doc count together as one document, which can widen intervals: give each"


@pytest.mark.parametrize(("document", "nothing"), [(str, None), (float, None), (float, float("nan"))])
def test_every_result_counts_rows_without_a_document(document: Callable[[int], Any], nothing: Any) -> None:
    """Of 48 rows in documents of six, the first three have none."""
    documents = [nothing if row < 3 else document(row // 6) for row in range(48)]
    frame = pl.DataFrame(
        {
            "p": ["a", "b"] * 24,
            "q": ["a", "a", "b"] * 16,
            "a": ["a"] * 48,
            "lang": ["de", "en", "de"] * 16,
            "sure": [row / 48 for row in range(48)],
            "question": [row // 3 for row in range(48)],
            "right": [1.0, 0.0] * 24,
            "truth": [1.0, 0.0, 0.0] * 16,
            "doc": documents,
        }
    )
    search = af.SliceSearch(min_rows=1, min_clusters=1, draws=99)
    summary = af.summarize(frame, "p", "a", by="lang", cluster="doc")
    results: dict[str, Any] = {
        "report": af.report(frame, "p", "a", cluster="doc"),
        "report of scores": af.report(frame, metrics="right", cluster="doc"),
        "compare": af.compare(frame, ["p", "q"], "a", cluster="doc"),
        "find_slices": af.find_slices(frame, "p", "a", ["lang"], cluster="doc", search=search),
        "find_slices of two": af.find_slices(frame, ["p", "q"], "a", ["lang"], cluster="doc", search=search),
        "find_slices of a summary": af.find_slices(summary, search=search),
        "selective": af.selective(frame, "p", "a", "sure", metrics="exact_match", cluster="doc"),
        "corrected": af.corrected(frame, "right", "truth", cluster="doc"),
        "format_tax": af.format_tax(frame, "p", "a", cluster="doc"),
        "variance_components": af.repeats.variance_components(frame, "p", "a", id="question", cluster="doc"),
        "overview": af.overview(frame, "p", "a", cluster="doc"),
    }
    for name, result in results.items():
        assert str(result).count(TOGETHER) == 1, name
        rows = result.account.frame.filter(reason="no value in doc, one document together")
        assert rows["n"].unique().to_list() == [3], name


@pytest.mark.parametrize("call", [*CALLS, "selective"])
def test_repeated_questions_without_a_cluster_are_noted(call: str) -> None:
    """As two runs in one file have them."""
    twice = pl.concat([FRAME, FRAME]).drop("doc_id").with_columns(sure=pl.int_range(240) / 240)
    texts = {"prediction": "prediction", "answers": "answers"}
    made = (CALLS | {"selective": partial(af.selective, model_confidence="sure", **texts)})[call]
    note = NOTE.replace("Documents", "Questions").replace("doc_id", "question_id").removesuffix(".")
    note += ", or the column of documents if ids start again in each of them."
    assert repr(made(twice)).splitlines().count(note) == 1
    for one in (made(twice, cluster="question_id"), made(twice.head(120))):
        assert "have several rows" not in repr(one)


PATHS = [f"scans/{place // 4}.png" for place in range(120)]


@pytest.mark.parametrize("name", ["image", "image_path", "file", "Document ID", "patient_id", "page"])
@pytest.mark.parametrize("kind", KINDS)
def test_documents_of_usual_names_are_noted_and_the_advice_gives_the_interval_of_overview(
    name: str, kind: str
) -> None:
    frame = KINDS[kind](FRAME.rename({"doc_id": name}).with_columns(pl.Series(PATHS).alias(name)))
    note = f'Pass cluster="{name}"'
    assert repr(af.report(frame, "prediction", "answers")).count(note) == 1
    followed = af.report(frame, "prediction", "answers", cluster=name)
    seen = af.overview(frame, "prediction", "answers").report
    assert seen.summary.settings.cluster == name
    ends = ("anls", "anls_low", "anls_high")
    assert [seen.overall[end] for end in ends] == [followed.overall[end] for end in ends]
    assert "Pass cluster" not in repr(followed) + repr(seen)


def test_the_command_line_notes_documents_of_usual_names(tmp_path: Path) -> None:
    rows = FRAME.rename({"doc_id": "image"}).with_columns(
        pl.col("answers").list.first(), image=pl.Series(PATHS)
    )
    rows.write_csv(tmp_path / "r.csv")
    table = ("r.csv", "--prediction", "prediction", "--answers", "answers")
    unfollowed = fine(shell.run(tmp_path, "report", *table))
    assert " ".join(unfollowed.split()).count("Documents have several rows (image)") == 1
    assert "-c image" in unfollowed
    followed = fine(shell.run(tmp_path, "report", *table, "-c", "image"))
    assert "several rows" not in followed
    seen = fine(shell.run(tmp_path, "overview", *table))
    overall = af.report(rows, "prediction", "answers", cluster="image").overall
    shown = f"[{overall['anls_low']:.3f}, {overall['anls_high']:.3f}]"
    assert shown in followed
    assert shown in seen


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("page", [1, 2, 2, 3] * 30),
        ("page", ["1", "2", "2", "3"] * 30),
        ("page_id", [1.0, None, 2.0, 3.0] * 30),
        ("file", [f"{place}.png" for place in range(120)]),
        ("image", ["one.png"] * 120),
        ("image", [b"\xff\xd8"] * 60 + [b"\x89PNG"] * 60),
        ("images", [["a.png"], ["b.png"]] * 60),
        ("image", [["a.png"], ["b.png"]] * 60),
        ("image", [{"bytes": b"\xff", "path": "a.png"}, {"bytes": b"\xff", "path": "b.png"}] * 60),
        ("file", [0.5, 1.5] * 60),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_name_no_documents_are_not_noted(name: str, values: list[Any], kind: str) -> None:
    rows = FRAME.drop("doc_id").with_columns(pl.Series(name, values, strict=False))
    assert documents.forgotten(KINDS[kind](rows), None) is None
    assert documents.named({name: rows[name]}) is None


def test_pages_that_lie_together_are_documents_and_of_pages_in_books_the_books() -> None:
    pages = FRAME.drop("doc_id").with_columns(page=pl.int_range(120) // 3)
    assert documents.forgotten(pages, None) == "page"
    assert documents.forgotten(pages.with_columns(pdf=pl.Series(PATHS)), None) == "pdf"
    assert documents.forgotten(pages.with_columns(pdf=pl.Series(PATHS), doc_id=pl.lit("a")), None) == "pdf"


@pytest.mark.parametrize("kind", KINDS)
def test_repeated_ids_of_questions_are_noted(kind: str) -> None:
    rows = FRAME.drop("doc_id").rename({"question_id": "qid"})
    frame = KINDS[kind](pl.concat([rows, rows]))
    assert "Questions have several rows (qid)" in repr(af.report(frame, "prediction", "answers"))
    assert af.overview(frame, "prediction", "answers").roles.cluster == "qid"
