"""
Comparisons as documents to export, and in the short form that a screen shows.

Two systems stand beside each other with their difference, in a line for each metric and a table for the
slices of each. More systems are ranked in each metric, and their scores stand side by side for each slice.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame import _palette
from anls_frame._text import numbered, shortened_apart, text_width, visible
from anls_frame._text import shortened as shortened_label
from anls_frame.export import Document, Table
from anls_frame.export.charts import Dumbbell, HeatMap, RankChart
from anls_frame.export.display import FEW, Glance, glance, slice_labels, spelled
from anls_frame.export.document import GROUP, OVERALL, SLICE, TABLE
from anls_frame.export.heads import head
from anls_frame.export.side_by_side import apart, of_slices, side_by_side
from anls_frame.frames import documents as documents_of_rows
from anls_frame.frames import origins
from anls_frame.protocol import protocol_from_dict
from anls_frame.reports import type_changes
from anls_frame.reports.pairwise import VOTES, least_units, untestable
from anls_frame.reports.report_documents import (
    FIGURE_ROWS,
    conservation,
    few_note,
    fine_note,
    kinds_of,
    worst_slice,
)
from anls_frame.summary.catalogue import BUILT_IN
from anls_frame.summary.notes import texts_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from anls_frame.export import Kind
    from anls_frame.export.charts import Figure
    from anls_frame.export.side_by_side import SideBySide
    from anls_frame.reports.type_changes import Transitions
    from anls_frame.summary.measures import Metric

POSSIBLY_BEST = "●"
"""Mark on the ranks of a system that is possibly the best one."""
BEST = "◂"
"""Mark on the best score of a line."""

_MOST_SYSTEMS, _LEAST_SYSTEMS = 8, 3
"""Numbers of systems that stand side by side on a screen: at most, and however long their names are."""
_SCREEN = 100
"""Columns of a terminal, in which the systems have to fit."""
_SHORT_NAME = 14
_DRAWN_SYSTEMS = 20
_FIGURE_WIDTH = 7
_ALL_ROWS = "All rows"
_SHORT = {"p_value": "p", "p_adjusted": "p (adjusted)"}
"""Headings on a screen, where they differ from the names of columns."""
_LONGEST_TITLE = 120
_NAMED = 3
"""Systems and further metrics that the first sentence names."""
_ALPHA = 0.05
_COUNTS = ("n", "n_clusters", "wins", "ties", "losses", "rank", "rank_low", "rank_high")
_SCORES = ("score", "score_low", "score_high", "baseline_score")
_DIFFERENCE = ("difference", "difference_low", "difference_high")


@dataclass(frozen=True, kw_only=True)
class ComparisonView:
    """What a comparison shows; all rows come first in its tables, which are computed if they are needed."""

    overall: pl.DataFrame
    """Differences to the baseline, which is the first system, in all rows."""
    differences: Callable[[], pl.DataFrame]
    """The same in all rows and all slices."""
    ranking: Callable[[], pl.DataFrame]
    all_pairs: Callable[[], pl.DataFrame]
    transitions: Transitions
    tables: Sequence[Sequence[str]]
    """The `by` columns of each table of slices."""
    settings: Mapping[str, Any]
    signature: str
    metrics: Sequence[Metric]

    @property
    def systems(self) -> list[str]:
        """The systems, the baseline first."""
        return list(self.settings["systems"])

    @property
    def is_of_two(self) -> bool:
        """Whether two systems are laid out side by side, or more are ranked."""
        return len(self.systems) == 2  # noqa: PLR2004

    @property
    def lines(self) -> pl.DataFrame:
        """The table that is laid out by slices."""
        return self.differences() if self.is_of_two else self.ranking()

    @property
    def named(self) -> list[tuple[Metric, str]]:
        """The metrics with names that differ, for headings."""
        labels = [metric.label for metric in self.metrics]
        return [
            (metric, label if labels.count(label) == 1 else f"{label} ({metric.name})")
            for metric, label in zip(self.metrics, labels, strict=True)
        ]

    @property
    def sliced(self) -> list[tuple[Sequence[str], Metric, str]]:
        """The keys, metric and name of each table of slices."""
        return [
            (columns, metric, f"{label} by {' and '.join(columns)}")
            for columns in self.tables
            for metric, label in self.named
        ]


def comparison_document(view: ComparisonView) -> Document:
    """Return a comparison as a document to export."""
    document = _document_of_two(view) if view.is_of_two else _document_of_many(view)
    rest = type_changes.tables(view.transitions, view.systems)
    figures = [*document.figures, *type_changes.figures(view.transitions, view.systems[0])]
    return replace(document, tables=[*document.tables, *rest], settings=view.settings, figures=figures)


def comparison_glances(view: ComparisonView, most: int | None) -> list[Glance]:
    """Return the tables of a comparison in their form for a screen, with at most `most` rows."""
    first, *others = _glances_of_two(view, most) if view.is_of_two else _glances_of_many(view, most)
    shown = [first._replace(title=_title(view)), *others]
    notes = [*shown[-1].notes, *_notes(view, POSSIBLY_BEST, BEST), view.signature]
    return [*shown[:-1], shown[-1]._replace(notes=notes)]


# Several systems


def _document_of_many(view: ComparisonView) -> Document:
    tables: list[Table] = []
    figures: list[Figure] = []
    for metric, label in view.named:
        ranked = _ranked(view, metric)
        table = Table(f"Ranking by {label}", ranked, _kinds_of_ranking(ranked, metric))
        tables.append(table)
        figures.append(_ranks(table, metric))
    for columns, metric, name in view.sliced:
        grid = side_by_side(of_slices(view.ranking(), metric.name, columns), columns)
        table = _scores(grid, columns, metric, name)
        tables.append(table)
        figures.append(_heat_map(table, grid, columns, metric))
    # The ranks and the scores side by side say what matters of them.
    tables.append(replace(_long("All pairs", view.all_pairs(), view), is_folded=True))
    flat = _long("Ranking", view.ranking(), view)
    notes = [*_notes(view), _family_of_pairs(view)]
    return Document(_title(view), tables, {}, view.signature, notes, figures, flat, _head_of_many(view))


def _ranked(view: ComparisonView, metric: Metric) -> pl.DataFrame:
    """Return the scores and ranks of all rows in a metric, each with its difference to the baseline."""
    ranked = of_slices(view.ranking(), metric.name, ())
    change = view.overall.filter(pl.col("metric") == metric.name)
    change = change.select("system", *_DIFFERENCE, "p_value", "p_adjusted")
    joined = ranked.join(change, on="system", how="left", maintain_order="left")
    first = ["system", "n", "score", "score_low", "score_high", "rank", "rank_low", "rank_high", *_DIFFERENCE]
    clusters = [] if view.settings["cluster"] is None else ["n_clusters"]
    last = ["p_value", "p_adjusted", "possibly_best", "few_rows", *clusters]
    return joined.select(*first, *last)


def _kinds_of_ranking(ranked: pl.DataFrame, metric: Metric) -> dict[str, Kind]:
    return {
        **kinds_of(ranked.columns, (), ()),
        **dict.fromkeys(_SCORES[:3], metric.format or "number"),
        **dict.fromkeys(("rank", "rank_low", "rank_high"), "count"),
    }


def _scores(grid: SideBySide, columns: Sequence[str], metric: Metric, name: str) -> Table:
    """Return the table of the scores side by side, with the names of the best of each line."""
    names = apart(grid.systems, [*columns, SLICE, "n", "best", "few_rows"])
    values = zip(*grid.scores, strict=True)
    scores = [pl.Series(name, of_system, pl.Float64) for name, of_system in zip(names, values, strict=True)]
    best = [
        ", ".join(name for name, is_best in zip(grid.systems, line, strict=True) if is_best)
        for line in grid.is_best
    ]
    heads = grid.slices.drop("few_rows")
    frame = heads.hstack([*scores, pl.Series("best", best, pl.String), grid.slices["few_rows"]])
    kinds: dict[str, Kind] = {
        **dict.fromkeys(names, metric.format or "number"),
        "n": "count",
        "best": "note",
        **dict.fromkeys(columns, "key"),
    }
    return Table(name, frame, kinds)


def _long(name: str, frame: pl.DataFrame, view: ComparisonView) -> Table:
    """Return a table with a line for each slice, metric and system or pair."""
    formats = {metric.format or "number" for metric in view.metrics}
    common: Kind = formats.pop() if len(formats) == 1 else "score" if "number" not in formats else "number"
    kinds: dict[str, Kind] = {
        **dict.fromkeys(_SCORES, common),
        **dict.fromkeys(_COUNTS, "count"),
        **kinds_of(frame.columns, view.settings["by"], ()),
    }
    return Table(name, frame, {column: kinds[column] for column in frame.columns if column in kinds})


def _ranks(table: Table, metric: Metric) -> RankChart:
    rows = [
        (
            row["system"],
            (row["rank"], row["rank_low"], row["rank_high"]),
            spelled(row["score"], (row["score_low"], row["score_high"]), metric.format or "number"),
        )
        for row in table.frame.head(FIGURE_ROWS).iter_rows(named=True)
    ]
    return RankChart(f"Ranks: {metric.label}", table.name, rows, table.frame.height)


def _heat_map(table: Table, grid: SideBySide, columns: Sequence[str], metric: Metric) -> HeatMap:
    slices = grid.slices.head(FIGURE_ROWS + 1)
    counts = [f"{n:,}{FEW if is_few else ''}" for n, is_few in slices.select("n", "few_rows").iter_rows()]
    kind = metric.format or "number"
    cells = [
        [(score, spelled(score, (), kind), best) for score, best in zip(line, is_best, strict=True)]
        for line, is_best in zip(grid.scores, grid.is_best, strict=True)
    ]
    drawn = [line[:_DRAWN_SYSTEMS] for line in cells[: slices.height]]
    return HeatMap(
        table.name,
        table.name,
        " / ".join(columns),
        grid.systems[:_DRAWN_SYSTEMS],
        list(zip(slice_labels(slices, columns), counts, drawn, strict=True)),
        metric.row or metric.name,
        bool(metric.higher_is_better),
        (grid.slices.height - slices.height, len(grid.systems) - min(len(grid.systems), _DRAWN_SYSTEMS)),
    )


def _glances_of_many(view: ComparisonView, most: int | None) -> list[Glance]:
    shown = [_glance_of_ranking(view, *named, most) for named in view.named]
    for columns, metric, name in view.sliced:
        grid = side_by_side(of_slices(view.ranking(), metric.name, columns), columns)
        shown.append(_glance_of_scores(grid, columns, metric, name, most))
    return shown


def _glance_of_ranking(view: ComparisonView, metric: Metric, label: str, most: int | None) -> Glance:
    ranked = _ranked(view, metric)
    names = shortened_apart([visible(name) for name in ranked["system"]])
    rows = [
        (
            f"{_rank_set(row)}{f' {POSSIBLY_BEST}' if row['possibly_best'] else ''}",
            name,
            f"{row['n']:,}{FEW if row['few_rows'] else ''}",
            spelled(row["score"], (row["score_low"], row["score_high"]), metric.format or "number"),
            *_change(row, is_baseline=row["system"] == view.systems[0]),
        )
        for name, row in zip(names[:most], ranked.iter_rows(named=True), strict=False)
    ]
    headings = apart(["rank", "system", "n", label, "difference", "p (adjusted)"], ())
    texts = pl.DataFrame(rows, schema=dict.fromkeys(headings, pl.String), orient="row").rename(visible)
    hidden = ranked.height - len(rows)
    more = [f"... and {hidden:,} more systems; `ranking` has them all"] if hidden else []
    best = [place for place, is_best in enumerate(ranked["possibly_best"][: len(rows)]) if is_best]
    return Glance(f"Ranking by {label}", texts, more, 0, best)


def _rank_set(row: Mapping[str, Any]) -> str:
    low, high = row["rank_low"], row["rank_high"]
    if low is None:
        return spelled(None, (), "count")
    return f"{low}" if low == high else f"{low}–{high}"  # noqa: RUF001 - the dash of ranges


def _change(row: Mapping[str, Any], *, is_baseline: bool) -> tuple[str, str]:
    if is_baseline:
        return "baseline", ""
    ends = (row["difference_low"], row["difference_high"])
    return spelled(row["difference"], ends, "difference"), spelled(row["p_adjusted"], (), "p_value")


def _glance_of_scores(
    grid: SideBySide, columns: Sequence[str], metric: Metric, name: str, most: int | None
) -> Glance:
    kinds: dict[str, Kind] = {**dict.fromkeys(columns, "key"), "n": "count"}
    heads = glance(Table(name, grid.slices, kinds), {"n": "n"}, (), most)
    lines = heads.rows.height
    names = [visible(system) for system in grid.systems]
    if most is not None:
        names = _fitting(shortened_apart(names, _SHORT_NAME), heads.rows)
    names = apart(names, heads.rows.columns)
    scores = {
        system: [
            f"{spelled(line[place], (), metric.format or 'number')}{f' {BEST}' if is_best[place] else ''}"
            for line, is_best in zip(grid.scores[:lines], grid.is_best[:lines], strict=True)
        ]
        for place, system in enumerate(names)
    }
    hidden = len(grid.systems) - len(names)
    more = [f"... and {numbered(hidden, 'more system')}; `ranking` has them all"] if hidden else []
    texts = heads.rows.hstack(pl.DataFrame(scores, schema=dict.fromkeys(names, pl.String)))
    return heads._replace(rows=texts, notes=more)


def _fitting(names: Sequence[str], heads: pl.DataFrame) -> list[str]:
    """Return the first names, as many as a terminal has room for beside the first columns."""
    # Each column has a border and two spaces.
    width = 1 + sum(3 + max(map(text_width, (name, *heads[name]))) for name in heads.columns)
    shown = list[str]()
    for name in names[:_MOST_SYSTEMS]:
        width += 3 + max(text_width(name), _FIGURE_WIDTH)
        if width > _SCREEN and len(shown) >= _LEAST_SYSTEMS:
            break
        shown.append(name)
    return shown


# Two systems


def _document_of_two(view: ComparisonView) -> Document:
    sliced = [
        (columns, _slices_of_two(view, columns, metric, name)) for columns, metric, name in _of_two(view)
    ]
    figures: list[Figure] = [_dumbbell(view, table, columns) for columns, table in sliced]
    tables = [*_by_metric(view), *(table for _, table in sliced)]
    flat = _long("Differences", view.differences(), view)
    return Document(_title(view), tables, {}, view.signature, _notes(view), figures, flat, _head_of_two(view))


def _of_two(view: ComparisonView) -> list[tuple[Sequence[str], Metric, str]]:
    """Return the keys, metric and name of each table of two systems; one of a single line has all rows."""
    metric, *others = view.metrics
    return view.sliced if view.tables or others else [((), metric, _ALL_ROWS)]


def _by_metric(view: ComparisonView) -> list[Table]:
    """Return the table of all rows, with a line for each metric, if there are several."""
    if len(view.metrics) == 1:
        return []
    table = _long(_ALL_ROWS, view.overall.select(pl.lit(OVERALL).alias(SLICE), pl.all()), view)
    return [replace(table, headings=_headings(view, ["metric"]))]


def _slices_of_two(view: ComparisonView, columns: Sequence[str], metric: Metric, name: str) -> Table:
    """Return the slices of two systems in a metric."""
    frame = of_slices(view.differences(), metric.name, columns)
    scores: dict[str, Kind] = dict.fromkeys(_SCORES, metric.format or "number")
    kinds = kinds_of(frame.columns, columns, ()) | scores
    return Table(name, frame, kinds, headings=_headings(view, [SLICE, *columns]))


def _headings(view: ComparisonView, first: Sequence[str]) -> dict[str, str]:
    """Return what people read: the first columns, and the scores under the names of the systems."""
    scores = ("baseline_score", "score")
    last = (*_DIFFERENCE, "p_value", "p_adjusted", *VOTES, "few_rows", "n_clusters")
    shown = [*first, "n", *scores, *last]
    names = apart(view.systems, [*shown, *_SHORT.values()])
    return {name: name for name in shown} | dict(zip(scores, names, strict=True))


def _short_headings(table: Table) -> dict[str, str]:
    """Return those of the figures that a screen has room for."""
    hidden = {SLICE, "metric", "few_rows", "n_clusters", "difference_low", "difference_high"}
    return {
        name: _SHORT.get(name, heading)
        for name, heading in table.headings.items()
        if name not in hidden and table.kind(name) != "key"
    }


def _dumbbell(view: ComparisonView, table: Table, columns: Sequence[str]) -> Dumbbell:
    frame = table.frame.head(FIGURE_ROWS + 1)
    rows = [
        (label, row["baseline_score"], row["score"], spelled(row["difference"], (), "difference"))
        for label, row in zip(slice_labels(frame, columns), frame.iter_rows(named=True), strict=True)
    ]
    return Dumbbell(table.name, _palette.system_colors(view.systems), rows, table.name)


def _glances_of_two(view: ComparisonView, most: int | None) -> list[Glance]:
    sliced = [_slices_of_two(view, *of_metric) for of_metric in _of_two(view)]
    return [
        *(_glance_of_metrics(view, table) for table in _by_metric(view)),
        *(glance(table, _short_headings(table), ("difference",), most) for table in sliced),
    ]


def _glance_of_metrics(view: ComparisonView, table: Table) -> Glance:
    rows = [
        (
            label,
            f"{row['n']:,}{FEW if row['few_rows'] else ''}",
            *(spelled(row[name], (), metric.format or "number") for name in ("baseline_score", "score")),
            spelled(row["difference"], (row["difference_low"], row["difference_high"]), "difference"),
            *(spelled(row[name], (), "p_value") for name in ("p_value", "p_adjusted")),
            *(f"{row[name]:,}" for name in VOTES),
        )
        for row, (metric, label) in zip(table.frame.iter_rows(named=True), view.named, strict=True)
    ]
    names = ["metric", *_short_headings(table).values()]
    texts = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row").rename(visible)
    return Glance(table.name, texts, [], 0, ())


# Names and notes


def _head_of_many(view: ComparisonView) -> str:
    """Return the best system of the first metric, which others may be as good, and the last one."""
    (metric, label), *others = view.named
    ranked = _ranked(view, metric).drop_nulls("score").to_dicts()
    if not ranked:
        return ""
    first, last = (
        f"{shortened_label(row['system'])} "
        f"{spelled(row['score'], (row['score_low'], row['score_high']), metric.format or 'number')}"
        for row in (ranked[0], ranked[-1])
    )
    rivals = [shortened_label(row["system"]) for row in ranked[1:] if row["possibly_best"]]
    are_all = len(rivals) == len(view.systems) - 1
    all_rows = numbered(ranked[0]["n"], "row")
    place = "has the highest rank" if rivals else "is the best"
    parts = [f"{label} of {len(view.systems):,} systems over {all_rows}: {first} {place}"]
    if rivals:
        more = [f"{len(rivals) - _NAMED:,} more"] if len(rivals) > _NAMED else []
        named = _listed([*rivals[:_NAMED], *more])
        parts.append(f"possibly the best too: {f'all others ({named})' if are_all else named}")
    # A system that is possibly the best one is last only by chance.
    if not ranked[-1]["possibly_best"]:
        parts.append(f"last: {last}")
    for other, name in others[:_NAMED]:
        (best, *_) = _ranked(view, other)["system"]
        if best != ranked[0]["system"]:
            parts.append(f"first by {name}: {shortened_label(best)}")
    return f"{'; '.join(parts)}."


def _head_of_two(view: ComparisonView) -> str:
    """Return the differences of all rows, and the slice in which the first one is the worst."""
    (metric, label), *_ = view.named
    row, *others = view.overall.to_dicts()
    if row["difference"] is None:
        return ""
    scores = [
        f"{shortened_label(name)} {spelled(row[column], (), metric.format or 'number')}"
        for name, column in zip(view.systems[::-1], ("score", "baseline_score"), strict=True)
    ]
    changes = [
        spelled(one["difference"], (one["difference_low"], one["difference_high"]), "difference")
        for one in (row, *others)
    ]
    differences = view.differences()
    tables = [(tuple(columns), of_slices(differences, metric.name, columns)) for columns in view.tables]
    worst = worst_slice(tables, "difference", "difference", higher_is_better=bool(metric.higher_is_better))
    first = head(f"{label} of {' against '.join(scores)}: {changes[0]}", row["n"], worst=worst)
    named = zip(view.named[1:], changes[1:], strict=True)
    also = [f"{name} {difference}" for (_, name), difference in named][:_NAMED]
    if not also:
        return first
    rest = _listed(also)
    return f"{first} {rest[0].upper()}{rest[1:]}."


def _title(view: ComparisonView) -> str:
    metrics = _listed([label for _, label in view.named])
    if view.is_of_two:
        first, second = view.systems
        return f"{second} against {first}: {metrics}"
    fitting = accumulate(len(name) + 2 for name in view.systems)
    named = view.systems[: max(sum(width <= _LONGEST_TITLE for width in fitting), 1)]
    more = len(view.systems) - len(named)
    return f"{metrics} of {_listed([*named, *([f'{more:,} more'] if more else [])])}"


def _listed(words: Sequence[str]) -> str:
    """Join words by commas and "and"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _notes(view: ComparisonView, possibly_best: str = "possibly_best", best: str = "best") -> list[str]:
    """Return notes on the rows behind the figures, on ranks, and on p-values."""
    settings = view.settings
    level = f"{100 * settings['confidence']:g} %"
    notes = [conservation(settings["rows"], settings, has_texts=settings["has_texts"])]
    notes += texts_notes(settings, settings["unanswerable"])
    notes += _scoring_note(settings)
    notes += documents_of_rows.note(settings["forgotten_documents"])
    numbers = {tuple(by): _number_of_slices(view, by) for by in view.tables}
    notes += fine_note(numbers, settings["n"])
    if view.is_of_two:
        first, second = view.systems
        notes.append(f"Difference: {second} minus {first}; wins and losses are those of {second}.")
    else:
        open_ranks = (
            f"With {level} confidence, those of all systems in a metric hold the true ranks together, "
            "because they allow for all pairs of systems."
        )
        notes.append(f"Rank: the ranks that these rows leave open. {open_ranks}")
        notes.append(
            f"{possibly_best}: possibly the best system, because no other is shown to be better, neither by "
            "the ranks nor by p (adjusted)."
        )
        notes += [f"{best}: the best score of a line, or several equal ones."] if view.tables else []
        notes.append(f"Difference: each system minus {view.systems[0]}.")
    notes += [*_directions(view), *_notes_on_cer(view), *_family(view)]
    notes.append(f"Each interval is one of {level} by itself, not adjusted for others.")
    lines = view.lines
    notes += few_note(pl.concat([view.overall.select("few_rows"), lines.select("few_rows")]))
    if view.is_of_two:
        return [*notes, *_doubts(lines, settings)]
    note = untestable_note(lines, settings, _ALPHA)
    return [*notes, *([] if note is None else [f"{note[0].upper()}{note[1:]}"])]


def _number_of_slices(view: ComparisonView, by: Sequence[str]) -> int:
    """Return the number of slices of a table, in which all rows come first."""
    lines = of_slices(view.lines, view.metrics[0].name, by)
    return lines.filter(pl.col("system") == view.systems[-1]).height - 1


def _directions(view: ComparisonView) -> list[str]:
    notes = []
    for text, higher in (("Lower is better", False), ("Higher is better", True)):
        # Of built-in scores, that higher is better goes without saying.
        alike = [
            label
            for metric, label in view.named
            if metric.higher_is_better is higher and not (higher and metric.is_built_in)
        ]
        if alike:
            notes.append(f"{text}: {_listed(alike)}.")
    return notes


def _notes_on_cer(view: ComparisonView) -> list[str]:
    settings, notes = view.settings, []
    if BUILT_IN["cer_mean"] in view.metrics:
        notes.append(
            "Mean CER is a mean of the rows' rates, in which a short reference weighs as much as a page; "
            "corpus CER (cer_corpus) divides all edits by all characters."
        )
    if BUILT_IN["cer_corpus"] in view.metrics and view.is_of_two:
        notes.append("Wins, ties and losses in corpus CER are by the CER of each row.")
    if settings["n_empty_reference"] and any(one.is_built_in and one.row == "cer" for one in view.metrics):
        notes.append(
            f"{numbered(settings['n_empty_reference'], 'empty reference')}; CER counts the insertions there."
        )
    return notes


def _family(view: ComparisonView) -> list[str]:
    """Return the note on what adjusted p-values allow for, if there are several."""
    metrics = _all_metrics(view)
    if view.is_of_two:
        slices = ["all slices of a table"] if view.tables else []
        allowed = " and ".join([*(f"all {counted}" for counted in metrics), *slices])
        own = "; all rows are a table of their own" if view.tables else ""
        return [f"p (adjusted) allows for {allowed} together{own}."] if allowed else []
    others = f"the {len(view.systems) - 1:,} differences to {view.systems[0]}"
    allowed = f"p (adjusted) allows for {_listed([others, *metrics])} together"
    return [
        f"{allowed}, which are fewer than all pairs, so it can show a difference that the ranks leave open."
    ]


def _family_of_pairs(view: ComparisonView) -> str:
    pairs = len(view.systems) * (len(view.systems) - 1) // 2
    slices = "; in slices, for all slices of a table too" if view.tables else ""
    allowed = _listed([f"all {pairs:,} pairs", *_all_metrics(view)])
    return f"Among all pairs, p_adjusted allows for {allowed} together{slices}."


def _all_metrics(view: ComparisonView) -> list[str]:
    return [f"{len(view.metrics)} metrics"] if len(view.metrics) > 1 else []


def _scoring_note(settings: Mapping[str, Any]) -> list[str]:
    """Return the note on how the rows of a comparison were scored before, if there is one."""
    protocol = protocol_from_dict(settings["protocol"])
    return origins.note(settings["scored_by"], protocol, has_texts=settings["has_texts"])


def untestable_note(slices: pl.DataFrame, settings: Mapping[str, Any], alpha: float) -> str | None:
    """Return a note on the slices with too few units to reach a p-value of alpha, if there are any."""
    rows = untestable(slices, alpha, settings["draws"])
    if rows.is_empty():
        return None
    # Several systems or metrics have several lines for a slice.
    rows = rows.unique([SLICE, *(name for name in (TABLE, *settings["by"]) if name in rows.columns)])
    groups = rows.filter(pl.col(SLICE) == GROUP).height
    what = [
        *(["all rows together"] if groups < rows.height else []),
        *([numbered(groups, "slice")] if groups else []),
    ]
    cluster = settings["cluster"]
    units = "rows" if cluster is None else f"clusters ({cluster})"
    least = least_units(alpha, settings["draws"])
    few_draws = f"with {settings['draws']:,} draws p is larger"
    fewer = few_draws if least == sys.maxsize else f"fewer than {least} {units}"
    return f"{' and '.join(what)} cannot be tested at {alpha:g}: {fewer}."


def _doubts(slices: pl.DataFrame, settings: Mapping[str, Any]) -> list[str]:
    """Return notes on p-values that cannot be small, and on p-values and intervals that disagree."""
    note = untestable_note(slices, settings, _ALPHA)
    notes = [] if note is None else [f"{note[0].upper()}{note[1:]}"]
    alpha = round(1 - settings["confidence"], 12)
    excludes = (pl.col("difference_low") > 0) | (pl.col("difference_high") < 0)
    disagreeing = slices.filter(excludes != (pl.col("p_value") <= alpha))
    if disagreeing.height:
        notes.append(
            f"p and interval disagree in {numbered(disagreeing.height, 'line')}: the interval is Student's t "
            "on the sums of differences, p the share of random sign flips that give a difference as large."
        )
    return notes
