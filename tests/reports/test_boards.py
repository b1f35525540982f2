"""Boards of many systems: what readers of a comparison are shown, and that files of data stay as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import shell

import anls_frame as af
from anls_frame._text import text_width
from anls_frame.export import Document
from anls_frame.reports.comparisons import Comparison, compare


def board(count: int = 5, rows: int = 320, slices: int = 4, **options: Any) -> Comparison:
    """Systems that are better the later they come, in slices of equal size."""
    dice = np.random.default_rng(2)
    scores = {
        f"s{place}": (dice.random(rows) < 0.3 + 0.5 * place / count).astype(float) for place in range(count)
    }
    frame = pl.DataFrame(scores).with_columns(
        kind=pl.Series(range(rows)) % slices, doc=pl.Series(range(rows)) // 4
    )
    given = {"by": "kind", "cluster": "doc", "metrics": "score", "draws": 199, **options}
    return compare(frame, list(scores), None, **given)


FIVE = board()
BOARDS = {2: board(2), 5: FIVE}


def ranking(document: Document) -> pl.DataFrame:
    """Return the table of the ranking by the only score."""
    return next(table.frame for table in document.tables if table.name == "Ranking by score")


@pytest.mark.parametrize("systems", BOARDS)
def test_published_figures_are_beside_the_intervals_of_systems(systems: int) -> None:
    made = BOARDS[systems]
    figures = {"Smith": 0.375, "Best ever": 1.0}
    found = made.beside(figures)
    overall = made.ranking.filter(slice="overall")
    for row in found.iter_rows(named=True):
        of_system = overall.row(by_predicate=pl.col("system") == row["system"], named=True)
        low, high, figure = of_system["score_low"], of_system["score_high"], figures[row["published"]]
        assert row["answer"] == ("better" if low > figure else "worse" if high < figure else "open")
    assert {"better", "worse"} <= set(found["answer"])
    # In the ranking, a figure stands above the first system that is worse.
    shown = ranking(made.to_document(published=figures))
    assert shown["score"].is_sorted(descending=True)
    assert shown.filter(pl.col("rank").is_null())["system"].to_list() == ["Best ever", "Smith"]
    assert any(
        note.startswith("By the intervals, against Smith (published score 0.375), ")
        for note in made.to_document(published=figures).notes
    )
    # Lower is better.
    metric = af.Metric({name: name for name in made.systems}, name="score", higher_is_better=False)
    answers = board(systems, metrics=metric).beside({"Smith": 0.375})["answer"].to_list()
    assert (
        answers
        == [{"better": "worse", "worse": "better"}.get(one, one) for one in found["answer"][:systems]][::-1]
    )
    for wrong, message in (
        ({"s0": 0.5}, "which is a system with rows"),
        ({"x": {"anls": 0.5}}, "which is not compared"),
        ({"x": 37.5}, "must be a number in"),
        (0.5, "published must map names of systems to figures, got 0.5"),
    ):
        with pytest.raises(ValueError, match=message):
            made.beside(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame])
@pytest.mark.parametrize("systems", BOARDS)
def test_facts_stand_beside_the_ranking_and_addresses_are_links(
    systems: int, kind: Any, tmp_path: Path
) -> None:
    made, best = BOARDS[systems], f"s{systems - 1}"
    rows = {
        "system": [best, "s0"],
        "size": ["7B", "<b>70B</b>"],
        "score": [1, 2],
        "link": ["https://example.org/a?b=1&c", 'https://example.org/"><script>'],
    }
    document = made.to_document(facts=kind(rows))
    ranked = ranking(document)
    assert ranked.filter(system=best).select("size", "score ").row(0) == ("7B", 1)
    overall = made.ranking.filter(slice="overall")
    assert dict(ranked.select("system", "score").rows()) == dict(overall.select("system", "score").rows())
    assert "<b>7B" not in made.to_text(facts=kind(rows))
    assert "7B" in made.to_text(facts=kind(rows))
    page = made.write(tmp_path / "c.html", facts=kind(rows)).read_text("utf-8")
    assert (
        '<a href="https://example.org/a?b=1&amp;c" rel="noopener noreferrer">example.org/a?b=1&amp;c</a>'
        in page
    )
    assert "<b>70B" not in page
    assert '"><script>' not in page
    javascript = kind({**rows, "link": ["javascript:alert(1)", "https://x"]})
    assert 'href="javascript' not in made.write(tmp_path / "d.html", facts=javascript).read_text("utf-8")
    for wrong, message in (
        ({"system": ["s9"]}, "one row for each of the systems"),
        ({"system": ["s1", "s1"]}, "one row for each"),
        ({"name": ["s1"]}, "must have a column 'system'"),
    ):
        with pytest.raises(ValueError, match=message):
            made.to_document(facts=kind(wrong))


def test_only_what_the_tests_show_is_listed() -> None:
    pairs = FIVE.differences()
    shown = FIVE.to_document(significant=True)
    (listed,) = [table.frame for table in shown.tables if table.name == "All pairs"]
    assert listed.equals(pairs.filter(pl.col("p_adjusted") <= 0.05).select(listed.columns))
    assert 0 < listed.height < pairs.height
    grid = next(table.frame for table in shown.tables if table.name == "score by kind")
    rivals = FIVE.ranking.filter(slice="group").group_by("kind").agg(pl.col("possibly_best").sum())
    for kind, count in rivals.iter_rows():
        assert (grid.filter(kind=kind)["best"].item() != "") == (count == 1)
    assert "Of slices and pairs, only differences with an adjusted p up to 0.05 are listed." in shown.notes


@pytest.mark.parametrize("systems", [2, 5])
def test_slices_are_sorted_by_a_key_or_a_figure(systems: int) -> None:
    made = board(systems)

    def order(sort: str) -> list[int]:
        table = next(t for t in made.to_document(sort=sort).tables if t.name == "score by kind")
        return table.frame["kind"].drop_nulls().to_list()

    groups = made.by_group.group_by("kind", maintain_order=True).first()
    assert order("kind") == [0, 1, 2, 3]
    assert order("difference") == groups.sort("difference")["kind"].to_list()
    assert order("score") != order("kind") or groups["score"].is_sorted()
    with pytest.raises(ValueError, match="sort must be one of"):
        made.to_document(sort="x")


def test_macro_averages_are_shown() -> None:
    (table,) = [table for table in FIVE.to_document(macro=True).tables if table.name.startswith("Macro")]
    assert table.name == "Macro averages by kind"
    assert table.frame.drop("p_adjusted").equals(FIVE.macro())
    # No interval of one difference alone stands beside p-values that are adjusted together.
    assert not {"p_value", "difference_low", "difference_high"} & {*table.headings}
    report = af.report(pl.DataFrame({"x": [0.0, 1.0] * 40, "k": [1, 2, 2, 2] * 20}), metrics="x", by="k")
    (average,) = report.macro()["score"]
    for made, score in ((FIVE, FIVE.macro()["score"][0]), (report, average)):
        assert f"{score:.3f} [" in made.to_text(macro=True).partition("Macro averages by k")[2]


def test_columns_are_chosen_for_people_alone(tmp_path: Path) -> None:
    text = FIVE.write(tmp_path / "c.tex", columns=["difference", "n"]).read_text("utf-8")
    table = text.partition(r"\toprule")[2].partition(r"\midrule")[0]
    assert [part.strip() for part in table.split(r"\tabularnewline")[0].split("&")] == [
        *("rank", "system", "difference from s0", "rows")
    ]
    assert (
        FIVE.write(tmp_path / "a.csv", columns=["n"]).read_text()
        == FIVE.write(tmp_path / "b.csv").read_text()
    )
    with pytest.raises(ValueError, match="columns must be among"):
        FIVE.to_document(columns=["x"])


def test_per_cent_changes_what_is_shown_and_not_what_is_stored(tmp_path: Path) -> None:
    row = FIVE.ranking.row(0, named=True)
    shown = f"{100 * row['score']:.1f} % [{100 * row['score_low']:.1f}, {100 * row['score_high']:.1f}]"
    for text in (FIVE.to_text(percent=True), FIVE.write(tmp_path / "c.md", percent=True).read_text("utf-8")):
        assert shown in text
        assert re.search(r"\+\d+\.\d pp\b", text)
    plain, per_cent = (FIVE.write(tmp_path / f"{flag}.parquet", percent=flag) for flag in (False, True))
    assert pl.read_parquet(plain).equals(pl.read_parquet(per_cent))


def test_forty_systems_fit_a_page_and_two_hundred_are_named_by_number(tmp_path: Path) -> None:
    made = board(43, 160, 8, draws=99)
    page, markdown = (made.write(tmp_path / f"c{suffix}") for suffix in (".html", ".md"))
    assert page.stat().st_size <= 1_000_000
    assert len(markdown.read_text("utf-8").splitlines()) <= 750
    names = [table.name for table in made.to_document().tables]
    assert names == ["Ranking by score", "score by kind", "Differences to s0"]
    pairs = made.to_document(pairs=True).tables[-1].frame
    assert pairs.height == 43 * 42 / 2
    assert re.match(r"score:43 systems [0-9a-f]{8}\|", made.signature)
    other = compare(
        made_frame := pl.DataFrame({f"t{n}": [0.5, 1.0] for n in range(13)}), made_frame.columns, None
    )
    assert (
        other.signature.split("|")[0]
        != compare(made_frame, made_frame.columns[::-1], None).signature.split("|")[0]
    )


@pytest.mark.parametrize("width", [40, 80, 120])
def test_names_of_systems_stay_different_in_a_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(4)
    scores = {f"org{n % 7}/Model-{n}-vision-instruct-70B": dice.random(40) for n in range(43)}
    monkeypatch.setenv("COLUMNS", str(width))
    lines = compare(pl.DataFrame(scores), list(scores), None, draws=19).to_text().splitlines()
    assert max(map(text_width, lines)) <= width
    cells = [re.split("[│┆]", line) for line in lines if line.startswith("│")]
    names = [name for _, rank, name, *_ in cells[1:] if rank.strip()]
    assert len(names) == 43
    # There is no room for them in 40 columns.
    assert len({*names}) == 43 or width == 40


def test_systems_of_a_long_frame_are_named_chosen_and_ordered(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"question_id": [*"1234"], "answer": [*"abcd"], "A": [*"abxx"], "B": [*"abcx"], "C": [*"xxxx"]}
    )
    long = frame.unpivot(
        ["A", "B", "C"], index=["question_id", "answer"], variable_name="model", value_name="prediction"
    )
    chosen = {"second": "B", "first": "A"}
    wide = compare(frame, chosen, "answer")
    for kind in (long, long.to_pandas()):
        both = af.side_by_side(kind, "prediction", "answer", system="model", id="question_id", systems=chosen)
        assert pl.DataFrame(compare(both).overall).equals(pl.DataFrame(wide.overall))
    with pytest.raises(ValueError, match="systems must be among"):
        af.side_by_side(long, "prediction", "answer", system="model", id="question_id", systems={"x": "X"})
    long.write_csv(tmp_path / "long.csv")
    options = ("--system-column", "model", "--systems", "B,A", "--name", "second", "--name", "first")
    done = shell.run(
        tmp_path, "compare", "long.csv", *options, "--json", "--published", "Smith=0.375", "--percent"
    )
    assert done.returncode == 0, done.stderr
    settings = json.loads(done.stdout)["settings"]
    assert list(settings["systems"]) == ["second", "first"]
    wrong = shell.run(tmp_path, "compare", "long.csv", "--system-column", "model", "--systems", "B,X")
    assert "--systems must be among" in wrong.stderr


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_the_shell_takes_rows_by_an_expression_of_sql(suffix: str, tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "prediction": [*"abxy"] * 3,
            "answer": [*"abcd"] * 3,
            "lang": ["de", "en", "de", "fr"] * 3,
            "size": range(12),
        }
    )
    write = {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[suffix]
    write(tmp_path / f"rows{suffix}")
    where = "lang IN ('de', 'en') AND size > 3"
    kept = frame.filter(pl.col("lang").is_in(["de", "en"]) & (pl.col("size") > 3))
    done = shell.run(tmp_path, "report", f"rows{suffix}", "--where", where, "--json")
    assert done.returncode == 0, done.stderr
    overall = next(iter(json.loads(done.stdout)["tables"].values()))[0]
    assert (overall["n"], overall["anls"]) == (
        kept.height,
        af.report(kept, "prediction", "answer").overall["anls"],
    )
    for wrong, message in (
        ("lang =", "--where must be an expression of SQL"),
        ("x = 1", "--where names no column 'x'"),
    ):
        failed = shell.run(tmp_path, "report", f"rows{suffix}", "--where", wrong)
        assert (failed.returncode, message in failed.stderr) == (2, True), failed.stderr


def test_a_decision_is_a_sentence_in_a_notebook() -> None:
    decision = compare(pl.DataFrame({"a<b": [1.0] * 50, "b": [0.0] * 50}), ["a<b", "b"], None).decide(0.1)
    said = "regressed: b is worse than a&lt;b by more than 0.1 (difference -1.000)"
    assert decision._repr_html_() == f"<p>{said}</p>"
