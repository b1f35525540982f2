"""
Comparisons of several systems or in several metrics as documents, and in the form that a screen shows.

Several systems are ranked in each metric, and their scores stand side by side for each slice. Two systems in
several metrics have a line for each metric, and the slices of each metric as in a comparison in this one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame import _palette
from anls_frame._text import numbered, shortened_apart, text_width, visible
from anls_frame._text import shortened as shortened_label
from anls_frame.export import Document, Table
from anls_frame.export.display import FEW, Glance, glance, slice_labels, spelled
from anls_frame.export.document import OVERALL, SLICE, TABLE
from anls_frame.export.figures import Dumbbell, HeatMap, Ranks
from anls_frame.export.heads import head
from anls_frame.export.side_by_side import apart, both_systems, of_slices, scores_of, side_by_side
from anls_frame.frames import documents as documents_of_rows
from anls_frame.reports import type_changes
from anls_frame.reports.documents import (
    FIGURE_ROWS,
    conservation,
    doubts,
    few_note,
    fine_note,
    kinds_of,
    scoring_note,
    untestable_note,
    worst_slice,
)
from anls_frame.summary.catalogue import BUILT_IN
from anls_frame.summary.notes import texts_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from anls_frame.export import Kind
    from anls_frame.export.figures import Figure
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
_LONGEST_TITLE = 120
_NAMED = 3
"""Systems and further metrics that the first sentence names."""
_ALPHA = 0.05
_COUNTS = ("n", "n_clusters", "wins", "ties", "losses", "rank", "rank_low", "rank_high")
_DIFFERENCE = ("difference", "difference_low", "difference_high")


@dataclass(frozen=True, kw_only=True)
class ManyView:
    """What a comparison of several systems or in several metrics shows; all rows come first in its tables."""

    ranking: pl.DataFrame
    against: pl.DataFrame
    """Differences to the baseline, which is the first system; of more than two systems, in all rows alone."""
    all_pairs: Callable[[], pl.DataFrame]
    """All differences: there are many, so they are computed only to be written."""
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
        """Whether two systems are compared, in several metrics."""
        return len(self.systems) == 2  # noqa: PLR2004

    @property
    def named(self) -> list[tuple[Metric, str]]:
        """The metrics with names that differ, for headings."""
        labels = [metric.label for metric in self.metrics]
        return [
            (metric, label if labels.count(label) == 1 else f"{label} ({metric.name})")
            for metric, label in zip(self.metrics, labels, strict=True)
        ]


def many_document(view: ManyView) -> Document:
    """Return a comparison as a document to export."""
    document = _document_of_two(view) if view.is_of_two else _document_of_many(view)
    rest = type_changes.tables(view.transitions, view.systems)
    figures = [*document.figures, *type_changes.figures(view.transitions, view.systems[0])]
    return replace(document, tables=[*document.tables, *rest], settings=view.settings, figures=figures)


def many_glances(view: ManyView, most: int | None) -> list[Glance]:
    """Return the tables of a comparison in their form for a screen, with at most `most` rows."""
    first, *others = _glances_of_two(view, most) if view.is_of_two else _glances_of_many(view, most)
    shown = [first._replace(title=_title(view)), *others]
    notes = [*shown[-1].notes, *_notes(view, POSSIBLY_BEST, BEST), view.signature]
    return [*shown[:-1], shown[-1]._replace(notes=notes)]


# Several systems


def _document_of_many(view: ManyView) -> Document:
    tables: list[Table] = []
    figures: list[Figure] = []
    for metric, label in view.named:
        ranked = _ranked(view, metric)
        table = Table(f"Ranking by {label}", ranked, _kinds_of_ranking(ranked, metric))
        tables.append(table)
        figures.append(_ranks(table, metric))
    for columns in view.tables:
        for metric, label in view.named:
            grid = side_by_side(of_slices(view.ranking, metric.name, columns), columns)
            table = _scores(grid, columns, metric, f"{label} by {' and '.join(columns)}")
            tables.append(table)
            figures.append(_heat_map(table, grid, columns, metric))
    # The ranks and the scores side by side say what matters of them.
    tables.append(replace(_long("All pairs", view.all_pairs(), view), is_folded=True))
    flat = _long("Ranking", view.ranking, view)
    notes = [*_notes(view), _family_of_pairs(view)]
    return Document(_title(view), tables, {}, view.signature, notes, figures, flat, _head_of_many(view))


def _ranked(view: ManyView, metric: Metric) -> pl.DataFrame:
    """Return the scores and ranks of all rows in a metric, each with its difference to the baseline."""
    ranked = of_slices(view.ranking, metric.name, ())
    change = of_slices(view.against, metric.name, ())
    change = change.select("system", *_DIFFERENCE, "p_value", "p_adjusted")
    joined = ranked.join(change, on="system", how="left", maintain_order="left")
    ends = [pl.col(end).alias(f"score_{end}") for end in ("low", "high")]
    first = ["system", "n", "score", "score_low", "score_high", "rank", "rank_low", "rank_high", *_DIFFERENCE]
    clusters = [] if view.settings["cluster"] is None else ["n_clusters"]
    last = ["p_value", "p_adjusted", "possibly_best", "few_rows", *clusters]
    return joined.with_columns(ends).select(*first, *last)


def _kinds_of_ranking(ranked: pl.DataFrame, metric: Metric) -> dict[str, Kind]:
    return {
        **kinds_of(ranked.columns, (), ()),
        **dict.fromkeys(("score", "score_low", "score_high"), metric.format or "number"),
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


def _long(name: str, frame: pl.DataFrame, view: ManyView) -> Table:
    """Return a table with a line for each slice, metric and system or pair."""
    formats = {metric.format or "number" for metric in view.metrics}
    common: Kind = formats.pop() if len(formats) == 1 else "score" if "number" not in formats else "number"
    kinds: dict[str, Kind] = {
        **dict.fromkeys(("score", "low", "high", "baseline_score"), common),
        **dict.fromkeys(_COUNTS, "count"),
        **kinds_of(frame.columns, view.settings["by"], ()),
    }
    return Table(name, frame, {column: kinds[column] for column in frame.columns if column in kinds})


def _ranks(table: Table, metric: Metric) -> Ranks:
    rows = [
        (
            row["system"],
            (row["rank"], row["rank_low"], row["rank_high"]),
            spelled(row["score"], (row["score_low"], row["score_high"]), metric.format or "number"),
        )
        for row in table.frame.head(FIGURE_ROWS).iter_rows(named=True)
    ]
    return Ranks(f"Ranks: {metric.label}", table.name, rows, table.frame.height)


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


def _glances_of_many(view: ManyView, most: int | None) -> list[Glance]:
    shown = [_glance_of_ranking(view, *named, most) for named in view.named]
    for columns in view.tables:
        for metric, label in view.named:
            grid = side_by_side(of_slices(view.ranking, metric.name, columns), columns)
            shown.append(
                _glance_of_scores(grid, columns, metric, f"{label} by {' and '.join(columns)}", most)
            )
    return shown


def _glance_of_ranking(view: ManyView, metric: Metric, label: str, most: int | None) -> Glance:
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


def _document_of_two(view: ManyView) -> Document:
    tables: list[Table] = [_by_metric(view)]
    figures: list[Figure] = []
    for columns in view.tables:
        for metric, label in view.named:
            table = _slices_of_two(view, metric, columns, f"{label} by {' and '.join(columns)}")
            tables.append(table)
            figures.append(_dumbbell(view, table, columns))
    flat = _long("Differences", view.against, view)
    return Document(_title(view), tables, {}, view.signature, _notes(view), figures, flat, _head_of_two(view))


def _by_metric(view: ManyView) -> Table:
    """Return the table of all rows, with a line for each metric."""
    frame = view.against.filter(pl.col(SLICE) == OVERALL)
    both = both_systems(frame, view.systems)
    labels = pl.Series("metric", [label for _, label in view.named], pl.String)
    kinds = _long("", frame, view).kinds
    scores = dict.fromkeys(scores_of(both), kinds["score"])
    shown = both.select(
        labels, pl.exclude(SLICE, *([TABLE] if TABLE in both.columns else []), *view.settings["by"])
    )
    return Table("All rows", shown, kinds_of(shown.columns, (), ()) | scores)


def _slices_of_two(view: ManyView, metric: Metric, columns: Sequence[str], name: str) -> Table:
    frame = both_systems(of_slices(view.against, metric.name, columns), view.systems)
    scores: dict[str, Kind] = dict.fromkeys(scores_of(frame), metric.format or "number")
    return Table(name, frame, kinds_of(frame.columns, columns, ()) | scores)


def _dumbbell(view: ManyView, table: Table, columns: Sequence[str]) -> Dumbbell:
    frame = table.frame.head(FIGURE_ROWS + 1)
    first, second = scores_of(frame)
    rows = [
        (label, row[first], row[second], spelled(row["difference"], (), "difference"))
        for label, row in zip(slice_labels(frame, columns), frame.iter_rows(named=True), strict=True)
    ]
    return Dumbbell(table.name, _palette.system_colors(view.systems), rows, table.name)


def _glances_of_two(view: ManyView, most: int | None) -> list[Glance]:
    shown = [_glance_of_metrics(view)]
    for columns in view.tables:
        for metric, label in view.named:
            table = _slices_of_two(view, metric, columns, f"{label} by {' and '.join(columns)}")
            shown.append(glance(table, _headings(table.frame), ("difference",), most))
    return shown


def _headings(frame: pl.DataFrame) -> dict[str, str]:
    names = ("n", *scores_of(frame), "difference", "p_value", "p_adjusted", "wins", "ties", "losses")
    return {name: name for name in names} | {"p_value": "p", "p_adjusted": "p (adjusted)"}


def _glance_of_metrics(view: ManyView) -> Glance:
    table = _by_metric(view)
    systems = scores_of(table.frame)
    rows = [
        (
            row["metric"],
            f"{row['n']:,}{FEW if row['few_rows'] else ''}",
            *(spelled(row[system], (), metric.format or "number") for system in systems),
            spelled(row["difference"], (row["difference_low"], row["difference_high"]), "difference"),
            *(spelled(row[name], (), "p_value") for name in ("p_value", "p_adjusted")),
            *(f"{row[name]:,}" for name in ("wins", "ties", "losses")),
        )
        for row, metric in zip(table.frame.iter_rows(named=True), view.metrics, strict=True)
    ]
    names = ["metric", *_headings(table.frame).values()]
    texts = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row").rename(visible)
    return Glance(table.name, texts, [], 0, ())


# Names and notes


def _head_of_many(view: ManyView) -> str:
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


def _head_of_two(view: ManyView) -> str:
    """Return the differences of all rows, and the slice in which the first one is the worst."""
    rows = view.against.filter(pl.col(SLICE) == OVERALL).to_dicts()
    (metric, label), *_ = view.named
    row, *others = rows
    if row["difference"] is None:
        return ""
    scores = [
        f"{shortened_label(name)} {spelled(row[column], (), metric.format or 'number')}"
        for name, column in zip(view.systems[::-1], ("score", "baseline_score"), strict=True)
    ]
    differences = [
        spelled(one["difference"], (one["difference_low"], one["difference_high"]), "difference")
        for one in (row, *others)
    ]
    tables = [(tuple(columns), _slices_of_two(view, metric, columns, label).frame) for columns in view.tables]
    worst = worst_slice(tables, "difference", "difference", higher_is_better=bool(metric.higher_is_better))
    first = head(f"{label} of {' against '.join(scores)}: {differences[0]}", row["n"], worst=worst)
    named = zip(view.named[1:], differences[1:], strict=True)
    also = [f"{name} {difference}" for (_, name), difference in named][:_NAMED]
    if not also:
        return first
    rest = _listed(also)
    return f"{first} {rest[0].upper()}{rest[1:]}."


def _title(view: ManyView) -> str:
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


def _notes(view: ManyView, possibly_best: str = "possibly_best", best: str = "best") -> list[str]:
    """Return notes on the rows behind the figures, on ranks, and on p-values."""
    settings = view.settings
    level = f"{100 * settings['confidence']:g} %"
    notes = [conservation(settings["rows"], settings, has_texts=settings["has_texts"])]
    notes += texts_notes(settings, settings["unanswerable"])
    notes += scoring_note(settings)
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
    notes += [*_directions(view), *_notes_on_cer(view), _family(view)]
    notes.append(f"Each interval is one of {level} by itself, not adjusted for others.")
    shown = view.against if view.is_of_two else view.ranking
    notes += few_note(pl.concat([view.against.select("few_rows"), shown.select("few_rows")]))
    if view.is_of_two:
        return [
            *notes,
            *doubts(view.against.unique(["metric", SLICE, *_places(view)], maintain_order=True), settings),
        ]
    slices = shown.unique([SLICE, *_places(view)], maintain_order=True)
    note = untestable_note(slices, settings, _ALPHA)
    return [*notes, *([] if note is None else [f"{note[0].upper()}{note[1:]}"])]


def _number_of_slices(view: ManyView, by: Sequence[str]) -> int:
    """Return the number of slices of a table, in which all rows come first."""
    lines = of_slices(view.ranking, view.metrics[0].name, by)
    return lines.height // len(view.systems) - 1


def _places(view: ManyView) -> list[str]:
    """Return the columns that tell slices apart."""
    return [*([TABLE] if TABLE in view.ranking.columns else []), *view.settings["by"]]


def _directions(view: ManyView) -> list[str]:
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


def _notes_on_cer(view: ManyView) -> list[str]:
    settings, notes = view.settings, []
    if any(metric is BUILT_IN["cer_corpus"] for metric in view.metrics) and view.is_of_two:
        notes.append("Wins, ties and losses in corpus CER are by the CER of each row.")
    if settings["n_empty_reference"] and any(one.is_built_in and one.row == "cer" for one in view.metrics):
        notes.append(
            f"{numbered(settings['n_empty_reference'], 'empty reference')}; CER counts the insertions there."
        )
    return notes


def _family(view: ManyView) -> str:
    """Return the note on what adjusted p-values allow for."""
    first, metrics = view.systems[0], len(view.metrics)
    if view.is_of_two:
        slices = "; in slices, for all slices of a table too" if view.tables else ""
        return f"p (adjusted) allows for all {metrics} metrics together{slices}."
    others = f"the {len(view.systems) - 1:,} differences to {first}"
    allowed = f"p (adjusted) allows for {_listed([others, *_all_metrics(view)])} together"
    return (
        f"{allowed}, which are fewer than all pairs, so it can show a difference that the ranks leave open."
    )


def _family_of_pairs(view: ManyView) -> str:
    pairs = len(view.systems) * (len(view.systems) - 1) // 2
    slices = "; in slices, for all slices of a table too" if view.tables else ""
    allowed = _listed([f"all {pairs:,} pairs", *_all_metrics(view)])
    return f"Among all pairs, p_adjusted allows for {allowed} together{slices}."


def _all_metrics(view: ManyView) -> list[str]:
    return [f"{len(view.metrics)} metrics"] if len(view.metrics) > 1 else []
