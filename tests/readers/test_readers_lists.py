"""Texts that look like lists: when they are read as lists."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell

import anls_frame as af

# A column of perfect readings, some of which look like lists.
LIKE_LISTS = [
    "[1871]",
    "[1, 2]",
    "[]",
    "[...]",
    "[nan]",
    "['a', 'b']",
    "[illegible]",
    "[['a']]",
    "plain",
    '["',
]
WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    "csv": lambda frame, path: frame.write_csv(path, quote_style="necessary"),
    "tsv": lambda frame, path: frame.write_csv(path, separator="\t", quote_style="necessary"),
    "jsonl": lambda frame, path: frame.write_ndjson(path),
    "json": lambda frame, path: frame.write_json(path),
    "parquet": lambda frame, path: frame.write_parquet(path),
    "xlsx": lambda frame, path: frame.write_excel(path),
}


def saved(
    folder: Path, suffix: str, name: str, texts: Sequence[str | None], prediction: str | None = None
) -> Path:
    """Write texts as answers, and as predictions, unless each prediction is the same text."""
    path = folder / f"results.{suffix}"
    predictions = texts if prediction is None else [prediction] * len(texts)
    WRITERS[suffix](pl.DataFrame({"prediction": predictions, name: texts}), path)
    return path


def read(path: Path, **options: Any) -> list[list[str] | None]:
    return af.read_results(path, **options)["answers"].to_list()


@pytest.mark.filterwarnings("ignore::anls_frame.InputWarning")
@pytest.mark.parametrize(
    ("suffix", "name"),
    [*zip(WRITERS, ["reference", "Transcription", "GT", "text", "answer", "gt"], strict=True)],
)
def test_a_perfect_reading_of_what_looks_like_a_list_is_perfect(
    tmp_path: Path, suffix: str, name: str
) -> None:
    path = saved(tmp_path, suffix, name, LIKE_LISTS)
    for frame in (
        af.read_results(path, answers=name),
        af.scan_results(path, answers=name).collect(),
        af.read_results(path, answers=name, answers_format="text"),
    ):
        assert frame["answers"].to_list() == [[text] for text in LIKE_LISTS]
        report = af.report(frame, "prediction", "answers")
        assert (report.overall["cer_corpus"], report.overall["n"]) == (0.0, len(LIKE_LISTS))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "xlsx"])
def test_formats_without_lists_hold_lists_where_every_cell_is_one(tmp_path: Path, suffix: str) -> None:
    lists = ["['a', \"b\"]", '["c"]', None, "[]", " [1.50, 'x'] ", "array(['d'], dtype=object)"]
    expected = [["a", "b"], ["c"], None, [], ["1.50", "x"], ["d"]]
    path = saved(tmp_path, suffix, "answers", lists, "x")

    assert read(path) == expected
    assert read(path, answers_format="list") == expected
    assert read(path, answers_format="text") == [None if text is None else [text] for text in lists]


@pytest.mark.parametrize("suffix", ["jsonl", "json", "parquet"])
def test_formats_with_lists_keep_texts_unless_told_otherwise(tmp_path: Path, suffix: str) -> None:
    path = saved(tmp_path, suffix, "answers", ["['a', 'b']", "['c']"], "x")

    with pytest.warns(
        af.InputWarning, match=r"'answers' holds texts that look like lists, as \"\['a', 'b'\]\""
    ):
        assert read(path) == [["['a', 'b']"], ["['c']"]]
    with pytest.warns(af.InputWarning, match='Pass answers_format="list"'):
        lazy = af.scan_results(path)
    assert lazy.collect()["answers"].to_list() == [["['a', 'b']"], ["['c']"]]
    assert read(path, answers_format="text") == [["['a', 'b']"], ["['c']"]]
    assert read(path, answers_format="list") == [["a", "b"], ["c"]]
    assert af.scan_results(path, answers_format="list").collect()["answers"].to_list() == [["a", "b"], ["c"]]


def test_lists_beside_texts_are_texts_and_the_place_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path, "csv", "answers", ["['a', 'b']", "c", "['d']"], "x")

    with pytest.warns(af.InputWarning, match=r"\(line 2\), but not 'c' \(line 3\); each counts"):
        assert read(path) == [["['a', 'b']"], ["c"], ["['d']"]]
    assert read(path, answers_format="list") == [["a", "b"], ["c"], ["d"]]


def test_a_damaged_list_among_lists_is_a_problem(tmp_path: Path) -> None:
    path = saved(tmp_path, "csv", "answers", ["['a', 'b']", "['c', d]"])

    with pytest.raises(af.InputError) as raised:
        read(path)
    [problem] = raised.value.problems
    assert (problem.place, "cannot be read as one" in problem.message) == ("line 3", True)
    assert 'answers_format="text"' in problem.message


WITHOUT_LISTS = ["csv", "tsv", "xlsx"]


@pytest.mark.parametrize("suffix", WITHOUT_LISTS)
def test_formats_without_lists_are_split_at_bars_which_is_said(tmp_path: Path, suffix: str) -> None:
    texts = ["a|b c", "c", None, "d | e (f) | g"] * 3
    path = tmp_path / f"results.{suffix}"
    WRITERS[suffix](pl.DataFrame({"prediction": ["a"] * len(texts), "gold": texts}), path)
    lists = [["a", "b c"], ["c"], None, ["d", "e (f)", "g"]] * 3
    said = r"results\.\w+: answers in column 'gold' are split at '\|', as 'a\|b c' \(.*2\); each part is "
    for reader in (af.read_results, lambda path, **options: af.scan_results(path, **options).collect()):
        with pytest.warns(af.InputWarning, match=said) as warned:
            assert reader(path)["answers"].to_list() == lists
        assert len(warned) == 1
        assert reader(path, answers_format="|")["answers"].to_list() == lists
        whole = reader(path, answers_format="text")["answers"].to_list()
        assert whole == [None if text is None else [text] for text in texts]


@pytest.mark.parametrize(
    ("texts", "is_told"),
    [
        pytest.param(["cat a | wc", "a || b", "1 | 2"] * 3, True, id="code: another use in some rows"),
        pytest.param(["P(A|B)", "P(C|A)", "P(B)"] * 3, True, id="brackets that close in the next part"),
        pytest.param(["[a-z|0-9]+", "a|b", "x"] * 3, True, id="a regular expression"),
        pytest.param(["|a|", "|b|", "c|d"] * 3, True, id="absolute values"),
        pytest.param(["a | b\n1 | 2", "c | d", "e"] * 3, True, id="a table"),
        pytest.param(["| a | b |"] * 9, False, id="rows of tables with outer bars"),
        pytest.param(["a|" + "b" * 500, "a|b", "c"] * 3, True, id="a long text"),
        pytest.param(["a"] * 999 + ["b|c"], False, id="one in a thousand"),
        pytest.param(["a"] * 98 + ["b|c"] * 2, False, id="two in a hundred"),
        pytest.param(["a; b", "c; d", "e"] * 3, True, id="semicolons"),
        pytest.param(["['a', 'b']", "c|d", "e|f", "g|h"], True, id="printed lists beside bars"),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_bars_that_may_belong_to_texts_stay(
    tmp_path: Path, texts: list[str], suffix: str, *, is_told: bool
) -> None:
    path = tmp_path / f"results.{suffix}"
    WRITERS[suffix](pl.DataFrame({"prediction": ["x"] * len(texts), "answers": texts}), path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert read(path) == [[text] for text in texts]
    assert ["each counts as one text" in str(warning.message) for warning in caught] == [True] * is_told


def test_bars_stay_where_the_system_predicts_them_and_in_columns_of_transcripts(tmp_path: Path) -> None:
    texts = ["Revenue | 1,200", "Costs | 800", "Profit | 400"]
    path = saved(tmp_path, "csv", "answers", texts)
    with pytest.warns(af.InputWarning, match="each counts as one text"):
        frame = af.read_results(path)
    assert af.report(frame, "prediction", "answers").overall["anls"] == 1
    for name in ("reference", "Transcription", "GT", "text"):
        pl.DataFrame({"prediction": ["x"] * 3, name: texts}).write_csv(path)
        with pytest.warns(af.InputWarning, match="each counts as one text"):
            assert read(path, answers=name) == [[text] for text in texts]


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("separator", ["|", ";"])
def test_a_separator_is_told_and_splits_if_it_is_named(tmp_path: Path, suffix: str, separator: str) -> None:
    # What the system predicts as well may belong to the texts.
    path = saved(tmp_path, suffix, "answers", [f"a{separator} b", "c", None, "d"] * 3)
    with pytest.warns(af.InputWarning, match=rf"hold '\{separator}', .*Pass answers_format=\"\{separator}\""):
        af.scan_results(path)
    for reader in (af.read_results, lambda path, **options: af.scan_results(path, **options).collect()):
        found = reader(path, answers_format=separator)["answers"].to_list()
        assert found == [["a", "b"], ["c"], None, ["d"]] * 3


def test_the_first_printed_list_is_told_wherever_it_is(tmp_path: Path) -> None:
    for suffix in ("jsonl", "csv", "parquet"):
        path = saved(tmp_path, suffix, "reference", ["plain"] * 5000 + ["['a', 'b']"])
        with pytest.warns(af.InputWarning, match="texts that look like lists"):
            af.scan_results(path, answers="reference")


def test_the_format_is_one_of_five(tmp_path: Path) -> None:
    path = saved(tmp_path, "parquet", "answers", ["a"])
    wrong: Any = "lists"
    for reader in (af.read_results, af.scan_results):
        with pytest.raises(ValueError, match=r"answers_format must be one of .*, got 'lists'"):
            reader(path, answers_format=wrong)


@pytest.mark.parametrize(
    "cell", ["['a' ... 'b']", "['a'", "['a', ['b']]", "['a', x]", "['a' + 'b']", "['a'],"]
)
def test_what_is_cut_or_damaged_is_never_a_shorter_list(tmp_path: Path, cell: str) -> None:
    path = saved(tmp_path, "csv", "answers", [cell, "['x']"])
    with pytest.raises(af.InputError, match="line 2: 'answers' "):
        read(path)


def test_the_shell_reads_lists_as_it_is_told_and_warns_in_a_line(tmp_path: Path) -> None:
    rows = [{"prediction": "a", "answers": "['a', 'b']"}]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    def means(*options: str) -> tuple[Any, str]:
        done = shell.run(tmp_path, "score", "r.jsonl", "--json", *options)
        return json.loads(done.stdout)["nls"], done.stderr

    nls, remark = means()
    assert nls == pytest.approx(0.1)
    assert remark.startswith("anls-frame: r.jsonl: column 'answers' holds texts that look like lists")
    assert (
        "Pass --reader auto,answers_format=list to read them as lists of accepted answers (matching one of "
        "them is enough), or --reader auto,answers_format=text" in remark
    )
    assert remark.count("\n") == 1
    assert means("--reader", "auto,answers_format=text") == (nls, "")
    assert means("--reader", "table,answers_format=list") == (1.0, "")


# Predictions that were printed, and answers that are objects


@pytest.mark.parametrize("suffix", ["csv", "tsv", "xlsx", "parquet", "jsonl"])
def test_predictions_that_are_printed_lists_are_told(tmp_path: Path, suffix: str) -> None:
    rows = pl.DataFrame({"said": ["['a']", '["b"]', "('c', 'd')", None], "gold": ["['a']"] * 4})
    path = tmp_path / f"m.{suffix}"
    af.write_results(rows, path)

    with pytest.warns(af.InputWarning) as caught:
        frame = af.read_results(path, prediction="said")
    told = next(str(warning.message) for warning in caught if "'said'" in str(warning.message))
    assert "most texts in column 'said' are lists, as \"['a']\" (" in told
    assert frame["prediction"].to_list() == rows["said"].to_list()
    assert "To read the first text of each list, name said.0 in place of the column." in told
    with pytest.warns(af.InputWarning, match="only entry 0 is read of 1 list in 'said' with several"):
        firsts = af.read_results(path, prediction="said.0", answers_format="list")["prediction"]
    assert firsts.to_list() == ["a", "b", "c", None]


def test_few_printed_lists_among_predictions_are_those_of_the_model(tmp_path: Path) -> None:
    rows = pl.DataFrame({"prediction": ["['a']", "b", "[c]", "[1]"], "answers": ["a", "b", "c", "1"]})
    rows.write_csv(tmp_path / "m.csv")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        af.read_results(tmp_path / "m.csv")


def test_objects_in_cells_are_told_with_the_names_of_their_entries(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        {
            "outputs": ['{"text": "a", "cost": 1}', '{"text": "b"}'],
            "gold": ["{'answer': 'a'}", "{'answer': 'x'}"],
        }
    )
    rows.write_csv(tmp_path / "m.csv")

    with pytest.warns(af.InputWarning) as caught:
        af.read_results(tmp_path / "m.csv", prediction="outputs", answers="gold")
    gold, said = (str(warning.message).partition(": ")[2] for warning in caught)
    assert gold == (
        "most texts in column 'gold' are objects, as \"{'answer': 'a'}\" (line 2), and each counts as one "
        "answer. Name the entry to read in place of the column, such as gold.answer. To score all entries, "
        'make a row of each with `anls_frame.fields`. If these are answers, pass answers_format="text"'
    )
    assert said == (
        'most texts in column \'outputs\' are objects, as \'{"text": "a", "cost": 1}\' (line 2), and each '
        "is scored as it is, with brackets and quotes. Name the entry to read in place of the column, such "
        "as outputs.text. Ignore this if the model itself wrote them"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = af.read_results(tmp_path / "m.csv", prediction="outputs.text", answers="gold.answer")
    assert read.select("prediction", "answers").rows() == [("a", ["a"]), ("b", ["x"])]
    report = af.report(read, "prediction", "answers", metrics="exact_match")
    assert report.overall["exact_match"] == 0.5


def test_predicted_objects_of_json_are_those_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text(
        '{"prediction": "{\\"a\\": 1}", "answers": "x"}\n' * 3, encoding="utf-8"
    )

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert af.read_results(tmp_path / "m.jsonl")["prediction"][0] == '{"a": 1}'


def test_the_columns_of_several_systems_are_looked_at(tmp_path: Path) -> None:
    rows = pl.DataFrame({"a": ["x", "y"], "b": ["['x']", "['y']"], "answers": ["x", "y"]})
    rows.write_csv(tmp_path / "m.csv")

    told = shell.run(tmp_path, "compare", "m.csv", "--systems", "a,b").stderr
    assert "most texts in column 'b' are lists" in told
    assert "column 'a'" not in told
    assert "name b.0 in place of the column" in " ".join(told.split())
    shell.fine(shell.run(tmp_path, "compare", "m.csv", "--systems", "a,b.0"))
