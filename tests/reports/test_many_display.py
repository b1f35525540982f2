"""How comparisons of several systems, and in several metrics, look: as text, in notebooks and in files."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import fastexcel
import numpy as np
import openpyxl
import polars as pl
import pytest
from notebook_tables import HOSTILE, TAGS, Texts
from shown_figures import NONE, shown_difference, shown_p

import anls_frame as af
from anls_frame._text import visible
from anls_frame.export import SUFFIXES
from anls_frame.reports.comparisons import Comparison, baseline_first, compare

SYSTEMS = ["first", "second", "third"]
WORDS = ["total", "12 EUR", "Jackson", "yes"]


def texts(rows: int = 120) -> pl.DataFrame:
    """Three systems, each worse than the one before it, in slices of which one is null."""
    dice = np.random.default_rng(3)
    answers = [WORDS[place] for place in dice.integers(0, 4, rows)]
    table: dict[str, Any] = {
        "answer": answers,
        "lang": [[None, "de", "en"][place % 3] for place in range(rows)],
        "kind": [["form", "table"][place % 2] for place in range(rows)],
        "doc": [place // 6 for place in range(rows)],
    }
    for place, system in enumerate(SYSTEMS):
        wrong = dice.random(rows) < 0.1 + 0.25 * place
        table[system] = [f"{text}x" if bad else text for text, bad in zip(answers, wrong, strict=True)]
    return pl.DataFrame(table)


FRAME = texts()
METRICS = ["anls", "exact_match", "cer_corpus"]


def many(baseline: str = "first", **options: Any) -> Comparison:
    given = {"by": "lang", "cluster": "doc", "metrics": METRICS, "draws": 199, **options}
    return compare(FRAME, baseline_first(SYSTEMS, baseline), "answer", **given)


def two(**options: Any) -> Comparison:
    given = {"by": "lang", "cluster": "doc", "metrics": METRICS, "draws": 199, **options}
    return compare(FRAME, SYSTEMS[:2], "answer", **given)


def lines(text: str) -> list[list[str]]:
    """Return the cells of the lines of all tables in a text."""
    return [
        [cell.strip() for cell in re.split("[│┆]", line)[1:-1]]
        for line in text.splitlines()
        if line.startswith("│")
    ]


def wanted(row: dict[str, Any], change: dict[str, Any] | None) -> list[str]:
    """Return the cells of a system in a ranking."""
    low, high = row["rank_low"], row["rank_high"]
    ranks = str(row["rank"]) if low == high else f"{row['rank']} ({low}–{high})"  # noqa: RUF001 - as shown
    cells = [
        ranks + (" ●" if row["possibly_best"] else ""),
        row["system"],
        f"{row['n']}{'*' if row['few_rows'] else ''}",
        f"{row['score']:.3f} [{row['score_low']:.3f}, {row['score_high']:.3f}]",
    ]
    if change is None:
        return [*cells, NONE, NONE]
    # An interval of each difference alone would contradict p-values that are adjusted together.
    return [*cells, shown_difference(change["difference"]), shown_p(change["p_adjusted"])]


@pytest.mark.parametrize("baseline", SYSTEMS)
@pytest.mark.parametrize("by", [None, "lang", [["lang"], ["kind"]]], ids=str)
def test_text_and_notebook_rank_all_systems_in_each_metric(by: Any, baseline: str) -> None:
    made = many(by=by, baseline=baseline)
    shown, cells = lines(repr(made)), Texts(made._repr_html_()).cells
    changes = {
        (row["metric"], row["system"]): row
        for row in pl.DataFrame(made.differences(baseline)).to_dicts()
        if row["slice"] == "overall"
    }
    ranking = pl.DataFrame(made.ranking).filter(pl.col("slice") == "overall")
    expected = [
        wanted(row, changes.get((row["metric"], row["system"]))) for row in ranking.iter_rows(named=True)
    ]
    starts = [place for place, line in enumerate(shown) if line[0] == "rank"]
    assert [line for start in starts for line in shown[start + 1 : start + 4]] == expected
    # What follows a table stands behind its last cell.
    assert {cell for line in expected for cell in line} <= {*(cell.partition("\n")[0] for cell in cells), ""}
    assert [shown[start][3] for start in starts] == ["ANLS", "exact match", "CER (corpus)"]


def test_notebooks_print_systems_that_are_possibly_best_in_bold() -> None:
    made = compare(FRAME, SYSTEMS, "answer", metrics="anls", draws=199)
    rows = re.findall("<tr>.*?</tr>", made._repr_html_().partition("<tbody")[2], re.DOTALL)
    ranking = pl.DataFrame(made.ranking)
    # Differences may be bold as well.
    bold = ["font-weight: bold" in row.partition("</td>")[0] for row in rows[: ranking.height]]
    assert bold == ranking["possibly_best"].to_list()


def test_scores_of_slices_stand_side_by_side_with_the_best_of_each_line_marked() -> None:
    made = many(by=[["lang"], ["kind"]])
    shown = lines(repr(made))
    starts = [place for place, line in enumerate(shown) if line[0] in ("lang", "kind")]
    tables = [(key, metric) for key in ("lang", "kind") for metric in METRICS]
    assert len(starts) == len(tables)
    for start, (key, metric) in zip(starts, tables, strict=True):
        ranked = pl.DataFrame(made.ranking).filter(pl.col("metric") == metric)
        _, _, *systems = shown[start]
        overall = ranked.filter(pl.col("slice") == "overall")
        assert systems == overall["system"].to_list()
        groups = ranked.filter(pl.col("table") == key)
        for label, n, *scores in shown[start + 1 : start + 2 + groups[key].n_unique()]:
            of_slice = (
                overall
                if label == "all rows"
                else groups.filter(pl.col(key).eq_missing(None if label == "null" else label))
            )
            assert n.rstrip("*") == str(of_slice["n"][0])
            assert n.endswith("*") == of_slice["few_rows"].any()
            figures = {row["system"]: row for row in of_slice.iter_rows(named=True)}
            assert scores == [
                f"{figures[system]['score']:.3f}{' ◂' if figures[system]['rank'] == 1 else ''}"
                for system in systems
            ]


def test_two_systems_in_several_metrics_have_a_line_for_each() -> None:
    made = two()
    shown = lines(repr(made))
    cells = Texts(made._repr_html_()).cells
    labels = {"anls": "ANLS", "exact_match": "exact match", "cer_corpus": "CER (corpus)"}
    frame = pl.DataFrame(made.differences())
    for row in frame.iter_rows(named=True):
        value, *ends = (shown_difference(row[f"difference{end}"]) for end in ("", "_low", "_high"))
        figures = [
            f"{row['n']}{'*' if row['few_rows'] else ''}",
            *(f"{row[name]:.3f}" for name in ("baseline_score", "score")),
            f"{value} [{', '.join(ends)}]",
            shown_p(row["p_adjusted"]),
            *(str(row[name]) for name in ("wins", "ties", "losses")),
        ]
        assert set(figures) <= set(cells)
        if row["slice"] == "overall":
            assert [labels[row["metric"]], *figures] in shown
            assert ["all rows", *figures] in shown
        else:
            assert ["null" if row["lang"] is None else row["lang"], *figures] in shown
    assert repr(made).startswith("second against first: ANLS, exact match and CER (corpus)\n")


def test_notes_say_what_the_figures_mean() -> None:
    notes = repr(many()).splitlines()
    ranks = "ranks for all pairs of a metric: either may show a difference the other misses."
    for note in (
        (
            "Rank: with the range of ranks that the data allow (95 % confidence, all systems of a metric "
            "together)."
        ),
        "Difference: each system minus first.",
        "Lower is better: CER (corpus).",
        f"The adjusted p allows for the 2 differences to first and 3 metrics together, {ranks}",
        (
            "Each interval of a score has 95 % confidence and allows for "
            f"{FRAME['doc'].n_unique()} documents (doc). Differences have adjusted p-values; "
            "differences(simultaneous=True) has simultaneous intervals."
        ),
    ):
        assert note in notes
    assert notes[0] == "ANLS, exact match and CER (corpus) of first, second and third"
    assert notes[-1] == many().signature
    of_two = repr(two()).splitlines()
    families = "all 3 metrics and all slices of a table together; all rows are a table of their own."
    assert f"The adjusted p allows for {families}" in of_two
    written = many().to_document().notes
    assert (
        "Among all pairs, the adjusted p allows for all 3 pairs and 3 metrics together; in slices, for all "
        in (written[-1])
    )
    few = compare(FRAME.head(4), SYSTEMS, "answer", by="lang", metrics="anls")
    assert "All rows together and 3 slices cannot be tested at 0.05: fewer than 6 rows." in repr(few)
    assert "Higher is better" not in repr(few)


def many_scores(count: int, names: list[str] | None = None, rows: int = 60) -> Comparison:
    dice = np.random.default_rng(0)
    scores = {f"s{place}": dice.random(rows) for place in range(count)}
    frame = pl.DataFrame({**scores, "k": [place % 2 for place in range(rows)]})
    systems = dict(zip(names or scores, scores, strict=True))
    return compare(frame, systems, None, by="k", metrics="score", draws=99)


def test_more_systems_than_fit_are_counted() -> None:
    made = many_scores(60)
    shown = lines(repr(made))
    assert "... and 10 more rows" in repr(made)
    [start] = [place for place, line in enumerate(shown) if line[0] == "k"]
    *side, best = shown[start][2:]
    assert best == "best"
    for label, line in zip((None, 0, 1), shown[start + 1 : start + 4], strict=True):
        of_line = made.ranking.filter(slice="overall" if label is None else "group")
        of_line = of_line if label is None else of_line.filter(k=int(line[0]))
        assert line[-1] == of_line.filter(rank=1)["system"].item()
    assert side == pl.DataFrame(made.ranking)["system"][:8].to_list()
    assert "... and 52 more systems; `ranking` has them all" in repr(made)
    assert Texts(made.to_gt(1).as_raw_html()).cells.count(side[-1]) == 1
    assert "of 60 systems" in repr(made).splitlines()[0]


NAMES = [*HOSTILE, "a\u202eb", "😀", "n", "best", "slice", "few_rows", "all rows"]


def test_any_name_of_a_system_is_shown_as_text(tmp_path: Path) -> None:
    made = many_scores(len(NAMES), NAMES)
    text = repr(made)
    assert all(visible(name) in text for name in NAMES)
    assert Texts(made._repr_html_()).tags <= TAGS
    ends = [f"{name}{end}" for name in NAMES[::3] for end in ("", "_low", "_high")]
    of_ends = many_scores(len(ends), ends, 9)
    for suffix in SUFFIXES:
        of_ends.write(tmp_path / f"c{suffix}")
    for name in NAMES[1::3]:
        systems = {name: "first", f"{name} ": "second"}
        of_two = compare(FRAME.head(9), systems, "answer", metrics=METRICS, by="lang", draws=19)
        assert visible(name) in repr(of_two)


def test_files_hold_the_figures(tmp_path: Path) -> None:
    made = many(details=True, by=[["lang"], ["kind"]])
    ranking, pairs = pl.DataFrame(made.ranking), pl.DataFrame(made.differences())
    every = [table.name for table in made.to_document().tables]
    paths = {suffix: made.write(tmp_path / f"c{suffix}") for suffix in SUFFIXES}
    paths |= {suffix: made.write(paths[suffix], tables=every) for suffix in (".md", ".tex")}

    changes = made.to_polars()
    assert pl.read_parquet(paths[".parquet"]).select(changes.columns).equals(changes)
    with paths[".csv"].open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["difference"]) for row in rows] == changes["difference"].to_list()
    tables = json.loads(paths[".json"].read_text("utf-8"))["tables"]
    assert list(tables)[:3] == ["Ranking by ANLS", "Ranking by exact match", "Ranking by CER (corpus)"]
    assert [row["difference"] for row in tables["All pairs"]] == pairs["difference"].to_list()
    counted = tables["Error types, old and new"]
    assert sum(row["n"] for row in counted if row["slice"] == "overall") == 2 * FRAME.height
    for row in tables["ANLS by kind"][1:]:
        of_slice = ranking.filter((pl.col("metric") == "anls") & (pl.col("kind") == row["kind"]))
        assert [row[name] for name in of_slice["system"]] == of_slice["score"].to_list()
        assert row["best"] == ", ".join(of_slice.filter(pl.col("rank") == 1)["system"])
    book = fastexcel.read_excel(paths[".xlsx"])
    sheet = book.load_sheet("All pairs").to_polars()
    assert sheet["p, adjusted"].to_list() == pytest.approx(pairs["p_adjusted"].to_list())
    for suffix in (".md", ".tex", ".html"):
        text = paths[suffix].read_text("utf-8")
        assert all(f"{score:.3f}" in text for score in ranking["score"])


def test_transitions_by_several_keys_are_tables_of_their_own(tmp_path: Path) -> None:
    made = two(metrics="anls", by=[["lang"], ["kind"]], details=True)
    first, second = made.to_document().tables[-2:]
    for key, table in (("lang", first), ("kind", second)):
        alone = pl.DataFrame(two(metrics="anls", by=key, details=True).transitions)
        assert table.frame.filter(slice="group").drop("slice").equals(alone)
    page = made.write(tmp_path / "c.html").read_text("utf-8")
    folded = re.findall('<details class="folded">.*?</thead>', page, re.DOTALL)
    heads = [re.sub("<[^>]*>", "|", text).replace("||", "|") for text in folded]
    names = [f"error type of {name}" for name in made.systems]
    for head, key, frame in zip(heads, ("lang", "kind"), (first.frame, second.frame), strict=True):
        assert f"As a table, by |{key}|: {frame.height} rows" in head
        assert head.rstrip("|").split("|")[-5:] == [key, *names, "rows", "share"]


def test_the_page_has_the_ranks_and_a_heat_map(tmp_path: Path) -> None:
    made = many()
    page = made.write(tmp_path / "c.html").read_text("utf-8")
    lines = pl.DataFrame(made.differences()).height
    assert f"<summary>Table, by <bdi>lang</bdi>: {lines} rows</summary>" in page
    ranking = pl.DataFrame(made.ranking)
    assert page.count('class="sortable heat"') == 3
    best = ranking.filter(pl.col("rank") == 1).height
    # The lines of the heat maps are all rows and the slices, as in the ranking.
    assert len(re.findall(r'<td class="n h best"', page)) == best
    strengths = [float(text) for text in re.findall(r"--h:([0-9.]+)", page)]
    assert len(strengths) == ranking.height
    assert (min(strengths), max(strengths)) == (0, 0.5)
    of_rate = page.partition('">CER (corpus) by lang</h2>')[2].partition("</section>")[0]
    cells = [(float(h), float(v)) for h, v in re.findall(r'--h:([0-9.]+)" data-v="([0-9.]+)"', of_rate)]
    assert len(cells) == 12
    assert [v for _, v in sorted(cells)] == sorted((v for _, v in cells), reverse=True)


def test_many_slices_and_systems_are_in_a_table_below_the_heat_map(tmp_path: Path) -> None:
    dice = np.random.default_rng(0)
    frame = pl.DataFrame({f"s{place}": dice.random(120) for place in range(24)})
    frame = frame.with_columns(k=pl.Series(range(120)) // 2)
    made = compare(frame, [f"s{place}" for place in range(24)], None, by="k", metrics="score", draws=19)
    page = made.write(tmp_path / "c.html").read_text("utf-8")
    assert "20 more slices and 4 more systems in the table below" in page
    section = page.partition('">score by k</h2>')[2].partition("</section>")[0]
    # Two headings, all rows twice, the slices drawn and all of them.
    assert section.count("<tr") == 2 + 2 + 40 + 60


@pytest.mark.parametrize("rows", [0, 1])
def test_no_row_and_one_row_are_shown(rows: int, tmp_path: Path) -> None:
    for made in (
        compare(FRAME.head(rows), SYSTEMS, "answer", by="lang", metrics=METRICS),
        compare(FRAME.head(rows), SYSTEMS[:2], "answer", by="lang", metrics=METRICS),
    ):
        assert ("0 rows were given." in repr(made)) == (rows == 0)
        assert f" {NONE} " in repr(made)
        made._repr_html_()
        for suffix in SUFFIXES:
            made.write(tmp_path / f"c{suffix}")


def test_scores_that_are_all_null_are_dashes(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"a": [0.5] * 9, "b": [None] * 9, "c": [0.1] * 9}, schema_overrides={"b": pl.Float64}
    )
    made = compare(frame, ["a", "b", "c"], None, metrics="score")
    assert lines(repr(made))[1] == [NONE, "a", "0*", NONE, NONE, NONE]
    made.write(tmp_path / "c.html")


def eight(seed: int) -> pl.DataFrame:
    """Return scores of systems that are alike but for chance, and of one that is a little worse."""
    rng = np.random.default_rng(seed)
    base = rng.random(200) < 0.7
    scores = {
        f"s{place}": np.where(rng.random(200) < 0.8, base, rng.random(200) < 0.7 - 0.012 * place)
        for place in range(7)
    }
    return pl.DataFrame({**scores, "s7": np.where(rng.random(200) < 0.08, 0, base)}).cast(pl.Float64)


@pytest.mark.parametrize(("higher_is_better", "seeds"), [(True, (0, 27)), (False, (18, 33))])
def test_no_mark_contradicts_a_test_that_stands_beside_it(
    tmp_path: Path, seeds: tuple[int, ...], *, higher_is_better: bool
) -> None:
    tested = set[str]()
    for seed in seeds:
        frame = eight(seed) if higher_is_better else eight(seed).select(pl.all() * -1 + 1)
        metric = af.Metric(
            {name: name for name in frame.columns}, name="score", higher_is_better=higher_is_better
        )
        ranked = compare(frame, frame.columns, None, metrics=metric, draws=999).ranking["system"]
        for baseline in (ranked[0], ranked[-1]):
            order = baseline_first(frame.columns, baseline)
            made = compare(frame, order, None, metrics=metric, draws=999)
            shown = made.differences(baseline).filter(pl.col("p_adjusted") <= 0.05)
            is_worse = (pl.col("difference") < 0) == higher_is_better
            beaten = {*shown.filter(is_worse)["system"], *shown.filter(~is_worse)["baseline"]}
            marked = {line[1] for line in lines(repr(made)) if line[0].endswith("●")}
            assert ranked[0] in marked
            assert not marked & beaten
            assert marked == set(made.ranking.filter("possibly_best")["system"])
            rivals = made.to_document().head.partition("possibly the best too")[2].partition(";")[0]
            assert not [name for name in beaten if name in rivals]
            made.write(tmp_path / "c.json")
            ranks = json.loads((tmp_path / "c.json").read_text("utf-8"))["tables"]["Ranking by score"]
            assert {row["system"] for row in ranks if row["possibly_best"]} == marked
            tested |= beaten
    assert tested


@pytest.mark.parametrize("count", [3, 12])
def test_the_last_of_systems_that_cannot_be_told_apart_is_not_named_as_last(count: int) -> None:
    rng = np.random.default_rng(1)
    names = [f"s{place}" for place in range(count)]
    alike = pl.DataFrame({name: rng.random(30).round(2) for name in names})
    made = compare(alike, names, None, draws=199)
    order = made.ranking["system"].to_list()
    assert made.ranking["possibly_best"].all()
    named = ", ".join(order[1:4]) + f" and {count - 4} more" if count > 4 else " and ".join(order[1:])
    assert made.to_document().head.endswith(f"; possibly the best too: all others ({named}).")
    # With one that is surely the last.
    made = compare(alike.with_columns(z=pl.lit(0.0)), [*names, "z"], None, draws=199)
    assert "all others" not in made.to_document().head
    assert "; last: z 0.000" in made.to_document().head


@pytest.mark.parametrize("is_significant", [True, False])
def test_only_significant_differences_of_all_rows_are_bold(tmp_path: Path, *, is_significant: bool) -> None:
    """A note says so below the table, whose row of all rows is bold otherwise."""
    n_wrong = 30 if is_significant else 1
    frame = pl.DataFrame({
        "answers": ["12"] * 60, "old": ["12"] * 60, "new": ["99"] * n_wrong + ["12"] * (60 - n_wrong),
    })  # fmt: skip
    made = af.compare(frame, ["old", "new"], "answers")
    files = {suffix: made.write(tmp_path / f"c{suffix}") for suffix in (".md", ".tex", ".html")}
    texts = {suffix: file.read_text("utf-8") for suffix, file in files.items()}
    notes = made.to_document().notes
    assert (
        "Bold differences are significant at 0.05, both by their adjusted p and by their interval." in notes
    )
    shown = f"{made.overall['difference'].item():+.3f}"
    marks = {".md": "**{}", ".tex": r"\textbf{{{}", ".html": "<b>{}</b>"}
    for suffix, mark in marks.items():
        figure = shown.replace("-", "$-$") if suffix == ".tex" else shown
        assert (mark.format(figure) in texts[suffix]) == is_significant, suffix
        assert figure in texts[suffix], suffix
    assert ('<td class="n open"' in texts[".html"]) != is_significant
    [sheet, *_] = openpyxl.load_workbook(made.write(tmp_path / "c.xlsx"))
    headings = [cell.value for cell in sheet[1]]
    cells = dict(zip(headings, sheet[2], strict=True))
    assert cells["difference"].font.bold == is_significant
    assert cells["old"].font.bold
    page = made.to_gt().as_raw_html()
    of_difference = next(cell for cell in page.split("<td") if shown in cell)
    assert ("font-weight: normal" in of_difference) != is_significant
