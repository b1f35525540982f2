"""What is made from a pandas frame gives pandas frames, equal to the Polars frames of the same data."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest
from pandas.api import types

import anls_frame as af
from anls_frame import gec
from anls_frame.frames.conversion import to_pandas

POLARS = pl.DataFrame(
    {
        "id": [*"abcdef"],
        "prediction": ["Coca Cola", None, "12", "x", "", "1O"],
        "other": ["Coca-Cola", "a", None, "y", "", "10"],
        "answers": [["Coke", "CocaCola"], ["a"], ["12"], [], [""], ["10"]],
        "lang": ["en", "de", None, "de", "en", "en"],
        "tags": [["form", "table"], ["table"], [], None, ["form"], ["table"]],
    }
)
PANDAS = pd.DataFrame(POLARS.to_dict(as_series=False), index=[5, 3, 1, 1, 0, 9])
TEXTS = ("prediction", "answers")
SYSTEMS = {"old": "prediction", "new": "other"}


def report(frame: Any) -> Any:
    return af.report(frame, *TEXTS, by=["lang", "tags"], details=True, worst=2)


def comparison(frame: Any) -> Any:
    return af.compare(frame, SYSTEMS, "answers", by=["lang", "tags"], cluster="id")


def paired(frame: Any) -> Any:
    first = frame[["id", "answers", "prediction"]]
    return af.pair(first[:4], first[2:], on="id", prediction="prediction")


def corrections(frame: Any) -> Any:
    edit = {"start": 0, "end": 1, "type": "R:SPELL", "corrections": ["goes"], "annotator": 0}
    return type(frame)({"system": [[edit], []], "edits": [[edit], [edit]]})


TABLES: dict[str, Callable[[Any], Any]] = {
    "report.by_group": lambda frame: report(frame).by_group,
    "report.by": lambda frame: report(frame).by("tags"),
    "report.by of all rows": lambda frame: report(frame).by(),
    "report.worst": lambda frame: report(frame).worst,
    "report.worst, none kept": lambda frame: af.report(frame, *TEXTS).worst,
    "report.errors": lambda frame: report(frame).errors("lang"),
    "report.confusions": lambda frame: report(frame).confusions(),
    "report.lengths": lambda frame: report(frame).lengths("tags"),
    "report.against_rest": lambda frame: report(frame).against_rest("lang"),
    "comparison.by_group": lambda frame: comparison(frame).by_group,
    "comparison.by": lambda frame: comparison(frame).by("lang"),
    "comparison.untestable": lambda frame: comparison(frame).untestable(),
    "comparison.regressions": lambda frame: comparison(frame).regressions(0.0, 1.0),
    "threshold_curve": lambda frame: af.threshold_curve(af.summarize(frame, *TEXTS, by="lang"), by="lang"),
    "length_scores": lambda frame: af.length_scores(frame, *TEXTS, by="tags"),
    "confusions": lambda frame: af.confusions(frame, *TEXTS, by="lang"),
    "pair.only_first": lambda frame: paired(frame).only_first,
    "pair.only_second": lambda frame: paired(frame).only_second,
    "comparison.differences": lambda frame: comparison(frame).differences(),
    "comparison.ranking": lambda frame: comparison(frame).ranking,
    "comparison.detectable": lambda frame: comparison(frame).detectable_difference(),
    "mean_over_epochs": lambda frame: af.repeats.mean_over_epochs(frame, *TEXTS, id="id"),
    "pass_at_k": lambda frame: af.repeats.pass_at_k(frame, 1, *TEXTS, id="id"),
    "gec.scores": lambda frame: gec.scores(
        corrections(frame), gec.errant_corpus(gec.errant("system", "edits"))
    ),
    "gec.by_type": lambda frame: gec.by_type(corrections(frame), gec.errant("system", "edits")),
}


OTHERS: dict[str, Callable[[], pl.DataFrame]] = {
    "report.to_polars": lambda: report(POLARS).to_polars(),
    "comparison.to_polars": lambda: comparison(POLARS).to_polars(),
    "transitions": lambda: af.compare(POLARS, SYSTEMS, "answers", details=True).transitions,
    "add_scores": lambda: af.add_scores(POLARS, *TEXTS),
    "worst": lambda: af.worst(POLARS, *TEXTS),
    "changes": lambda: af.changes(POLARS, SYSTEMS, "answers"),
    "find_slices": lambda: af.find_slices(POLARS, *TEXTS, columns=["lang"]).to_polars(),
    "i_measure": lambda: POLARS.select(gec.i_measure(*TEXTS[:1], "other", references="answers")),
    "edit_matrix": lambda: af.edit_matrix("abc", "abd").to_polars(),
    "alignment": lambda: af.pairs.alignment("abc", "abd").to_polars(),
    "by_line": lambda: af.pairs.alignment("abc", "abd").by_line().to_polars(),
}
"""Further tables in Polars."""


def unsigned(dtype: Any) -> bool:
    inner = [dtype.inner] if isinstance(dtype, pl.List) else []
    inner += [field.dtype for field in dtype.fields] if isinstance(dtype, pl.Struct) else []
    return bool(dtype.is_unsigned_integer()) or any(map(unsigned, inner))


@pytest.mark.parametrize("name", [*TABLES, *OTHERS])
def test_counts_are_signed_so_that_differences_do_not_wrap(name: str) -> None:
    table = TABLES[name](POLARS) if name in TABLES else OTHERS[name]()

    assert [column for column, dtype in table.schema.items() if unsigned(dtype)] == []


def plain(value: Any) -> Any:
    """Return a cell with None for every missing value."""
    if isinstance(value, list | dict):
        return value
    return None if pd.isna(value) else value


def check_equal(found: pd.DataFrame, expected: pl.DataFrame) -> None:
    """Check names, values and dtypes."""
    assert type(found) is pd.DataFrame
    assert list(found.columns) == expected.columns
    pd.testing.assert_index_equal(found.index, pd.RangeIndex(expected.height))
    for name, dtype in expected.schema.items():
        column = found[name]
        has_nulls = bool(expected[name].null_count())
        assert [plain(value) for value in column] == expected[name].to_list(), name
        if dtype.is_integer():
            assert str(column.dtype) == ("Int64" if has_nulls else "int64"), name
        elif dtype.is_float():
            assert str(column.dtype) == "float64", name
        elif dtype == pl.Boolean:
            assert str(column.dtype) == ("boolean" if has_nulls else "bool"), name
        elif dtype == pl.Enum:
            assert column.cat.categories.tolist() == dtype.categories.to_list()  # type: ignore[attr-defined]
        else:
            assert types.is_string_dtype(column) or types.is_object_dtype(column), name


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_the_pandas_form_of_the_polars_one(name: str) -> None:
    expected, found = TABLES[name](POLARS), TABLES[name](PANDAS)

    assert isinstance(expected, pl.DataFrame)
    check_equal(found, expected)


@pytest.mark.parametrize("kind", [pl.DataFrame.lazy, pl.DataFrame.to_arrow], ids=["lazy", "pyarrow"])
def test_reports_of_other_frames_give_polars_frames(kind: Callable[[pl.DataFrame], Any]) -> None:
    assert isinstance(report(kind(POLARS)).by_group, pl.DataFrame)
    assert isinstance(comparison(kind(POLARS)).by_group, pl.DataFrame)


@pytest.mark.parametrize("made", [report, comparison], ids=["report", "comparison"])
def test_both_exits_are_there_for_every_kind(made: Callable[[Any], Any], tmp_path: Any) -> None:
    of_pandas, of_polars = made(PANDAS), made(POLARS)

    assert of_pandas.to_polars().equals(of_polars.to_polars())
    pd.testing.assert_frame_equal(of_pandas.to_pandas(), of_polars.to_pandas())
    if made is report:
        assert of_pandas.overall == of_polars.overall
    else:
        check_equal(of_pandas.overall, of_polars.overall)
    assert repr(of_pandas) == repr(of_polars)
    for result, name in ((of_pandas, "a"), (of_polars, "b")):
        result.write(tmp_path / f"{name}.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_summary_remembers_pandas_in_this_process_alone(tmp_path: Any) -> None:
    summary = af.summarize(PANDAS, *TEXTS, cluster="id")
    summary.save(tmp_path / "summary.parquet")
    parts = [af.summarize(PANDAS[:2], *TEXTS), af.summarize(PANDAS[2:], *TEXTS)]
    mixed = [parts[0], af.summarize(POLARS[2:], *TEXTS)]
    kinds = {
        "pickled": pickle.loads(pickle.dumps(summary)),  # noqa: S301 - our own bytes
        "folded": summary.fold_clusters(),
        "merged": af.merge(parts),
        "mixed": af.merge(mixed),
        "saved": af.Summary.load(tmp_path / "summary.parquet"),
        "bytes": af.Summary.from_bytes(summary.to_bytes()),
    }

    found = {name: type(af.Report.from_summary(one).by_group) for name, one in kinds.items()}

    assert {name for name, kind in found.items() if kind is pd.DataFrame} == {"pickled", "folded", "merged"}
    assert {name for name, kind in found.items() if kind is pl.DataFrame} == {"mixed", "saved", "bytes"}


def test_results_are_pickled_with_their_kind() -> None:
    again = pickle.loads(pickle.dumps(comparison(PANDAS)))  # noqa: S301 - our own bytes

    check_equal(again.by_group, comparison(POLARS).by_group)


def test_worst_rows_keep_index_and_columns_of_the_frame() -> None:
    found = af.worst(PANDAS, *TEXTS, 2, missing="drop")
    expected = af.worst(POLARS, *TEXTS, 2, missing="drop")

    pd.testing.assert_frame_equal(found[PANDAS.columns], PANDAS.iloc[[5, 0]])
    assert found["nls"].tolist() == expected["nls"].to_list()


def test_nested_values_and_large_integers_become_what_pandas_users_expect() -> None:
    table = pl.DataFrame(
        {
            "lists": [["a", None], None],
            "structs": [{"x": [1]}, None],
            "array": pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)),
            "large": pl.Series([2**64 - 1, 1], dtype=pl.UInt64),
            "large and null": pl.Series([2**64 - 1, None], dtype=pl.UInt64),
            "signed": pl.Series([-1, None], dtype=pl.Int8),
            "flag": [True, None],
            "nul \0": [1, 2],
        }
    )

    found = to_pandas(table)

    assert found["lists"].tolist() == [["a", None], None]
    assert found["structs"].tolist() == [{"x": [1]}, None]
    assert found["array"].tolist() == [[1, 2], [3, 4]]
    assert {name: str(dtype) for name, dtype in found.dtypes.items()} == {
        "lists": "object",
        "structs": "object",
        "array": "object",
        "large": "uint64",
        "large and null": "UInt64",
        "signed": "Int8",
        "flag": "boolean",
        "nul \0": "int64",
    }
    assert found["large"].tolist() == [2**64 - 1, 1]


LEVELS = PANDAS.assign(page=range(6)).set_index(["lang", "page"])


def test_levels_of_the_index_slice_and_cluster_like_columns() -> None:
    as_columns = LEVELS.reset_index()
    options: dict[str, Any] = {"by": "lang", "cluster": "page"}

    for made in (
        lambda frame: af.report(frame, *TEXTS, **options).by_group,
        lambda frame: af.report(frame, metrics="score", **options).by_group,
        lambda frame: af.compare(frame, SYSTEMS, "answers", **options).by_group,
        lambda frame: af.confusions(frame, *TEXTS, by=["lang", "id"]),
        lambda frame: af.length_scores(frame, *TEXTS, by="lang"),
        lambda frame: gec.scores(frame, gec.errant_corpus(gec.errant("edits", "edits")), by="lang"),
    ):
        frames = [frame.assign(score=0.5, edits=[[]] * 6) for frame in (LEVELS, as_columns)]
        pd.testing.assert_frame_equal(*map(made, frames))


def test_worst_rows_by_a_level_keep_the_index() -> None:
    found = af.worst(LEVELS, *TEXTS, 1, by="lang")
    expected = af.worst(LEVELS.reset_index(), *TEXTS, 1, by="lang")

    pd.testing.assert_frame_equal(found, expected.set_index(["lang", "page"]))


def test_rows_are_paired_by_levels() -> None:
    rows = LEVELS.drop(index=(None, 2))

    found = af.pair(rows[:4], rows[2:], on=["lang", "page"], prediction="prediction")

    pd.testing.assert_index_equal(found.frame.index, rows.index[2:4])
    assert found.only_first.to_dict(orient="list") == {"lang": ["en", "de"], "page": [0, 1]}
    assert found.only_second.to_dict(orient="list") == {"lang": ["en"], "page": [5]}


def test_a_level_with_the_name_of_a_column_is_ambiguous_as_in_pandas() -> None:
    frame = PANDAS.set_index("lang", drop=False)

    with pytest.raises(
        ValueError, match="'lang' is both an index level and a column label, which is ambiguous"
    ):
        frame.groupby("lang")
    for call in (
        lambda: af.report(frame, *TEXTS, by="lang"),
        lambda: af.report(frame, *TEXTS, cluster="lang"),
        lambda: af.worst(frame, *TEXTS, by="lang"),
        lambda: gec.scores(frame.assign(edits=[[]] * 6), gec.errant("edits", "edits"), by="lang"),
    ):
        with pytest.raises(
            ValueError, match="'lang' is both an index level and a column, which is ambiguous"
        ):
            call()
    assert af.report(frame, *TEXTS, by="tags").by_group["n"].sum() == 6


def test_names_of_levels_are_checked() -> None:
    with pytest.raises(af.exceptions.ColumnNotFoundError, match=r"no column 'pages'.*did you mean 'page'\?"):
        af.report(LEVELS, *TEXTS, by="pages")
    with pytest.raises(af.exceptions.ColumnNotFoundError, match="column 'page' occurs 2 times"):
        af.report(LEVELS.rename_axis(["page", "page"]), *TEXTS, by="page")
    with pytest.raises(af.exceptions.ColumnNotFoundError, match="'page' is a level of the index"):
        af.report(LEVELS.reset_index("lang"), "page", "answers")


def test_a_table_with_an_index_column_of_the_same_name_is_written(tmp_path: Any) -> None:
    frame = PANDAS[["id", "prediction", "answers"]].set_index("id", drop=False)

    af.write_results(frame, tmp_path / "results.jsonl")

    assert af.read_results(tmp_path / "results.jsonl")["question_id"].to_list() == [*"abcdef"]


def test_results_of_pandas_frames_are_drawn_like_those_of_polars() -> None:
    made = [(report(frame), comparison(frame), af.summarize(frame, *TEXTS)) for frame in (PANDAS, POLARS)]

    for of_report, of_comparison, _ in made:
        of_report.plot()
        of_comparison.plot()
        af.plot.confusion_matrix(of_report.confusions())
    lines = [af.plot.threshold_curve(summary).lines[-1].get_ydata().tolist() for *_, summary in made]

    assert lines[0] == lines[1]
