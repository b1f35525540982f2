"""
Comparisons as documents for export, and as short tables for a screen.

Two systems are shown side by side with their difference: a row for each metric, and a table of slices for
each metric. More systems are ranked by each metric, and each slice shows their scores side by side.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import flag, level_of_run, string
from anls_frame._messages import Either, Message, wrong
from anls_frame._text import label as in_text
from anls_frame._text import level_text, listed, numbered, shortened_apart, visible
from anls_frame.export import Kind, Table
from anls_frame.export.charts import Figure, HeatMap
from anls_frame.export.columns import (
    COLUMNS,
    DIFFERENCE,
    FEW,
    POSSIBLY_BEST,
    RANK,
    SCORE,
    TESTED,
    VOTES,
    Column,
    by_name,
    ends_of,
    headed,
)
from anls_frame.export.display import figure as rounded
from anls_frame.export.display import slice_labels, spelled, spelled_in
from anls_frame.export.document import BEST, GROUP, OVERALL, SLICE, TABLE, MarkNote, crossed, result_table
from anls_frame.export.heads import head
from anls_frame.export.kinds import difference_kind, shown_as
from anls_frame.export.row_names import Names, every
from anls_frame.export.score_grids import ScoreGrid, apart, metric_lines, ordered, score_grid
from anls_frame.frames import documents, origins
from anls_frame.protocol import protocol_from_dict
from anls_frame.reports import type_changes
from anls_frame.reports.decisions import size_in_words
from anls_frame.reports.pairwise import RATES, is_significant, least_units, untestable_slices
from anls_frame.reports.published import beside_figures, checked_figures, facts_of_systems
from anls_frame.reports.report_documents import (
    direction_notes,
    few_note,
    fine_note,
    macro_tables,
    worst_slice,
)
from anls_frame.reports.report_figures import FIGURE_ROWS
from anls_frame.results import View
from anls_frame.statistics.significance import significance_level
from anls_frame.summary.catalogue import BUILT_IN, are_error_rates, is_in_percent
from anls_frame.summary.measures import Metric
from anls_frame.summary.notes import (
    empty_reference_notes,
    line_notes,
    score_notes,
    text_notes,
)

FEW_SYSTEMS = 12
"""Up to this many systems, all pairs are listed and the signature names them."""
_FEW_BESIDE = 3
"""Number of systems that fit any screen side by side; a mark says which is the best of a row."""
_MOST_SYSTEMS = 8
"""Largest number of systems side by side on a screen, and on a page with their intervals."""
_SHORT_NAME = 14
_DRAWN_SYSTEMS = 20
_LONGEST_TITLE = 120
_NAMED = 3
"""Systems and further metrics that the first sentence names."""


@dataclass(kw_only=True)
class ComparisonView(View):
    """A comparison, which computes its tables on demand, with the options of `Comparison.write`."""

    sort: str | None = None
    significant: bool = False
    pairs: bool | None = None
    macro: bool = False
    facts: Any = None
    published: Any = None
    flat_name: ClassVar[str] = "Differences"

    def __post_init__(self) -> None:
        super().__post_init__()
        flag("macro", self.macro)
        flag("significant", self.significant)
        if self.pairs is not None:
            flag("pairs", self.pairs)
        if self.sort is not None:
            string("sort", self.sort)
        if self.facts is not None:
            self.facts = facts_of_systems(self.facts, self.systems)
        self.published = checked_figures(self.published or {}, self.systems, self.metrics)

    @property
    def keys(self) -> list[tuple[str, ...]]:
        """The `by` columns of each table of slices."""
        by = self.settings["by"]
        return [tuple(columns) for columns in self.settings["tables"] or ([by] if by else [])]

    @property
    def short(self) -> dict[str, str]:
        """The names of systems for sentences and headings, short and distinct."""
        return dict(zip(self.systems, shortened_apart(self.systems), strict=True))

    @property
    def overall(self) -> pl.DataFrame:
        """Differences to the baseline in all rows."""
        return self.whole.filter(pl.col(SLICE) == OVERALL)

    def table(
        self,
        name: str,
        frame: pl.DataFrame,
        by: Sequence[str],
        metric: Metric | None = None,
        *,
        labels: Mapping[str, str] = MappingProxyType({}),
        own: Mapping[str, Column] = MappingProxyType({}),
        **options: Any,
    ) -> Table:
        """Return a table of figures of a metric or of the metric of each line."""
        metrics = self.terms if metric is None else {metric.name: self.terms[metric.name]}
        known = headed(COLUMNS, labels)
        options |= {"names": self.names, "percent": self.percent}
        return result_table(name, frame, by, own, known=known, metrics=metrics, alpha=self.alpha, **options)

    @property
    def alpha(self) -> float:
        """The largest p-value that counts as significant."""
        return significance_level(self.settings["confidence"])

    def sorted_lines(self, frame: pl.DataFrame, metric: Metric, columns: Sequence[str]) -> pl.DataFrame:
        """Return the lines of a metric for all rows and for the slices of a table, in the order of `sort`."""
        shown = metric_lines(frame, metric.name, columns)
        if self.sort is None or not columns:
            return shown
        if self.sort in self.settings["by"]:
            return shown if self.sort not in columns else ordered(shown, columns, self.sort, descending=False)
        first = metric_lines(self.whole, self.metrics[0].name, columns)
        if self.sort not in first.columns or not first.schema[self.sort].is_numeric():
            numeric = [name for name, dtype in first.schema.items() if dtype.is_numeric()]
            known = [*self.settings["by"], *numeric]
            raise wrong("sort", f"must be one of {known}, got {self.sort!r}")
        is_rate = self.sort in RATES and not self.metrics[0].higher_is_better
        return ordered(shown, columns, self.sort, descending=self.sort == "n" or is_rate, like=first)

    def grid(self, metric: Metric, columns: Sequence[str]) -> ScoreGrid:
        """Return the scores of the systems side by side, with a row for each slice of a table."""
        ranked = self.result.ranked if self.significant else self.result.observed
        return score_grid(self.sorted_lines(ranked, metric, columns), columns, only_shown=self.significant)

    @property
    def all_metrics(self) -> list[str]:
        """The number of metrics as a phrase, if there are several."""
        return [f"{len(self.metrics)} metrics"] if len(self.metrics) > 1 else []

    @property
    def systems(self) -> list[str]:
        """The systems, the baseline first."""
        return list(self.settings["systems"])

    @property
    def is_of_two(self) -> bool:
        """Whether two systems are shown side by side, rather than more systems ranked."""
        return len(self.systems) == 2  # noqa: PLR2004

    @property
    def has_rankings(self) -> bool:
        """Whether systems are ranked: more than two, or two with facts or published figures."""
        return not self.is_of_two or self.facts is not None or any(self.published.values())

    @property
    def sliced(self) -> list[tuple[Sequence[str], Metric, str]]:
        """The keys, metric and name of each table of slices; of two systems without slices, of all rows."""
        if self.is_of_two and not self.keys and len(self.metrics) == 1:
            return [((), self.metrics[0], self.names["whole"])]
        return [
            (columns, metric, f"{label} by {' and '.join(columns)}")
            for columns in self.keys
            for metric, label in self.named
        ]

    @property
    def title(self) -> str:
        """The metrics and the systems."""
        labels = [label for _, label in self.named]
        counted = "error rates" if are_error_rates(self.metrics) else "scores"
        more = f"{len(labels) - 1:,} more {counted}"
        metrics = _listed(labels if len(labels) <= _NAMED else [labels[0], more])
        if self.is_of_two:
            first, second = self.systems
            return f"{second} against {first}: {metrics}"
        named = _listed(self.systems)
        are_few = len(self.systems) <= _NAMED and len(named) <= _LONGEST_TITLE
        return f"{metrics} of {named if are_few else numbered(len(self.systems), 'system')}"

    @cached_property
    def transitions(self) -> list[Table]:
        """The counts of rows by old and new error type."""
        return type_changes.tables(self.result.all_transitions, self.systems)

    @cached_property
    def grids(self) -> list[tuple[Table, ScoreGrid, Sequence[str], Metric]]:
        """Of several systems, each table of scores side by side."""
        made = []
        for columns, metric, name in self.sliced:
            grid = self.grid(metric, columns)
            made.append((_scores(grid, columns, metric, name, self), grid, columns, metric))
        return made

    @property
    def rankings(self) -> list[Table]:
        """The ranking by each metric, where systems are ranked."""
        return [_ranking(self, *named) for named in self.named] if self.has_rankings else []

    @property
    def has_pairs(self) -> bool:
        """Whether the differences between all pairs of several systems are listed."""
        return not self.is_of_two and (len(self.systems) <= FEW_SYSTEMS if self.pairs is None else self.pairs)

    def document_tables(self) -> list[Table]:
        """Return the tables of two or of more systems, and the changes of error types."""
        macro = macro_tables(self)
        if self.is_of_two:
            return [*_tables_of_two(self), *self.rankings, *macro, *self.transitions]
        scores = [table for table, *_ in self.grids]
        return [*self.rankings, *scores, *macro, _listed_differences(self), *self.transitions]

    def drawn(self) -> list[Figure]:
        """Return the heat maps of several systems, and matrices of error types."""
        maps = [] if self.is_of_two else [_heat_map(*grid, self) for grid in self.grids]
        return [*maps, *type_changes.matrices(self.transitions, self.systems[0])]

    def notes(self) -> list[str]:
        """Return notes on the figures, on ranks, and on p-values."""
        settings = self.settings
        level = level_text(settings["confidence"])
        protocol = protocol_from_dict(settings["protocol"])
        notes = text_notes(settings, settings["n"], protocol)
        notes += origins.note(settings["scored_by"], protocol, has_texts=settings["has_texts"])
        notes += documents.note(settings["forgotten_documents"], self.names["row"])
        last = (pl.col("system") == self.systems[-1]) & (pl.col(SLICE) == GROUP)
        numbers = {
            by: metric_lines(self.whole, self.metrics[0].name, by).filter(last).height for by in self.keys
        }
        notes += fine_note(numbers, settings["n"], self.names)
        if self.has_rankings:
            notes.append(
                f"Rank: with the range of ranks that the data allow ({level} confidence, all systems of a "
                "metric together)."
            )
            best = (
                "possibly the best: no other system is significantly better, by ranks or by the adjusted p."
            )
            notes.append(MarkNote(f"{POSSIBLY_BEST} {best}"))
        if self.is_of_two:
            first, second = self.systems
            notes.append(f"Difference: {second} minus {first}; wins and losses are those of {second}.")
        else:
            if self.keys:
                notes.append(MarkNote(f"{BEST} best score of the slice, or one of several equal ones."))
            notes.append(f"Difference: each system minus {self.systems[0]}.")
        notes += self._beside_published()
        only = f"Of slices and pairs, only differences with an adjusted p up to {self.alpha:g} are listed."
        notes += [only] if self.significant else []
        notes += self._what_scores_are()
        notes += _family(self)
        notes.append(self._what_intervals_are(level))
        marked = self.whole
        if not self.is_of_two:
            # No intervals of differences are shown.
            of_slices = [grid.slices.select("few_rows") for _, grid, *_ in self.grids]
            marked = pl.concat([self.result.ranked_overall, *of_slices], how="diagonal")
        notes += few_note(marked)
        if untestable := untestable_note(self.whole, settings, self.names):
            notes.append(f"{untestable[0].upper()}{untestable[1:]}")
        low, high = map(pl.col, ends_of("difference"))
        excludes = (low > 0) | (high < 0)
        disagreeing = self.whole.filter(excludes != (pl.col("p_value") <= self.alpha))
        if self.is_of_two and disagreeing.height:
            differences = numbered(disagreeing.height, "difference")
            notes.append(
                f"p without adjustment and interval disagree for {differences}: the interval is Student's "
                "t on the sums of differences, p the share of random sign flips that give a difference as "
                "large."
            )
        return notes

    def _beside_published(self) -> list[str]:
        """Return what the intervals of systems say about each published figure, if there are any."""
        if not any(self.published.values()):
            return []
        notes = []
        beside = beside_figures(self.result.ranked_overall, self.published, self.metrics)
        for lines in beside.partition_by("metric", "published"):
            metric = self.terms[lines["metric"][0]]
            kind = shown_as(metric.kind, percent=self.percent)
            figure = spelled(lines["figure"][0], (), kind)
            answers = [
                f"{answer}: {listed([self.short[name] for name in systems], _NAMED)}"
                for answer in ("better", "worse", "open")
                if (systems := lines.filter(answer=answer)["system"].to_list())
            ]
            against = f"against {lines['published'][0]} (published {metric.heading} {figure})"
            notes.append(f"By the intervals, {against}, {'; '.join(answers)}.")
        return notes

    def _what_scores_are(self) -> list[str]:
        """Return notes on the direction of scores, and on what they divide and count."""
        row = self.names["row"]
        # For built-in scores, readers know that higher is better.
        named = [one for one in self.named if not (one[0].higher_is_better and one[0].is_built_in)]
        notes = direction_notes(self.metrics, named)
        if BUILT_IN["cer_mean"] in self.metrics:
            notes.append(
                f"CER (mean) is a mean over {row}s, in which a short reference weighs as much as a long one; "
                "CER (corpus) divides all edits by all characters."
            )
        ratios = [label for metric, label in self.named if metric.is_ratio]
        if ratios and self.is_of_two:
            of_some = "" if len(ratios) == len(self.metrics) else f" in {_listed(ratios)}"
            notes.append(
                f"Wins, ties and losses{of_some} compare the ratios of single {row}s, which may favour "
                f"another system than the ratio of all {row}s."
            )
        notes += score_notes(self.metrics, row, of_fields=self.result.account.settings.has_fields)
        protocol = protocol_from_dict(self.settings["protocol"])
        notes += line_notes(self.metrics, protocol, from_pages=self.settings["from_pages"])
        n_empty, n = self.settings["n_empty_reference"], self.settings["n"]
        return notes + empty_reference_notes(self.metrics, n_empty, n, row)

    def _what_intervals_are(self, level: str) -> str:
        """Return what the intervals cover; differences of several systems have none."""
        cluster = self.settings["cluster"]
        has = f"has {level} confidence"
        if cluster is not None:
            whole = self.whole.filter(pl.col(SLICE) != GROUP)["n_clusters"]
            has += f" and allows for {documents.counted(whole[0], cluster)}"
        if self.is_of_two:
            return f"Each interval {has}; intervals are not adjusted for multiple comparisons."
        python = "differences(simultaneous=True)"
        return Message(
            f"Each interval of a score {has}. Differences have adjusted p-values; ",
            *(Either(python, f"in Python, {python}"), " has simultaneous intervals."),
        )

    def document_notes(self) -> list[str]:
        """Return the notes of a document, which says more of its differences than a screen."""
        level = f"significant at {self.alpha:g}"
        bold = f"Bold differences are {level}, both by their adjusted p and by their interval."
        return [*self.all_notes(), bold, *_pairs_note(self)]

    def head(self) -> str:
        """Return the best systems, or the differences of two."""
        return _head_of_two(self) if self.is_of_two else _head_of_many(self)

    def screen_tables(self) -> list[Table]:
        """Return the tables for a screen, with short names of systems."""
        rankings = [_ranking_on_screen(table) for table in self.rankings]
        if self.is_of_two:
            tables = [*(table.on_screen() for table in _tables_of_two(self)), *rankings]
        else:
            grids = [_grid_on_screen(table, columns, self.most) for table, _, columns, _ in self.grids]
            tables = [*rankings, *grids]
        return [
            *tables,
            *macro_tables(self),
            *type_changes.changed(self.result.all_transitions, self.systems),
        ]


# Several systems


def _listed_differences(view: ComparisonView) -> Table:
    """Return the differences between all pairs of systems, or those to the baseline."""
    name = "All pairs" if view.has_pairs else f"Differences to {view.systems[0]}"
    is_short = len(view.systems) <= FEW_SYSTEMS
    differences = view.result.all_pairs(is_short) if view.has_pairs else view.whole
    if view.significant:
        differences = differences.filter(is_significant(view.alpha))
    # An interval of each alone contradicts p-values that are adjusted together; few_rows marks intervals.
    hidden = {"few_rows", *ends_of("difference")}
    columns = [column for column in differences.columns if column not in hidden]
    return view.table(name, differences, view.settings["by"], shown=columns, is_folded=True)


def _pairs_note(view: ComparisonView) -> list[str]:
    """Return what the p-values of all pairs are adjusted for, if these are listed."""
    if not view.has_pairs:
        return []
    number = len(view.systems) * (len(view.systems) - 1) // 2
    slices = "; in slices, for all slices of a table too" if view.keys else ""
    allowed = _listed([f"all {number:,} pairs", *view.all_metrics])
    return [f"Among all pairs, the adjusted p allows for {allowed} together{slices}."]


def _ranking(view: ComparisonView, metric: Metric, label: str) -> Table:
    """Return the scores and ranks of all rows in a metric, with facts, published figures and differences."""
    ranked = _ranked(view, metric)
    if figures := view.published[metric.name]:
        # Published figures are before the first system that is worse.
        beside = pl.DataFrame([*figures.items()], {"system": pl.String, "score": pl.Float64}, orient="row")
        both = pl.concat([ranked, beside], how="diagonal")
        best_first = {"descending": bool(metric.higher_is_better), "nulls_last": True}
        ranked = both.sort("score", maintain_order=True, **best_first)
    known: list[str] = []
    if view.facts is not None:
        facts = view.facts.rename(
            {name: f"{name} " for name in view.facts.columns if name in ranked.columns and name != "system"}
        )
        known = [name for name in facts.columns if name != "system"]
        ranked = ranked.join(facts, on="system", how="left", maintain_order="left")
    others = ranked.drop("p_value", "possibly_best", "few_rows", *ends_of("difference")).columns
    columns = list(dict.fromkeys([*RANK, "system", *known, *others]))
    own = {}
    for name in known:
        values = ranked[name]
        is_text = values.dtype == pl.String and values.count()
        is_link = is_text and values.str.contains(r"^https?://\S+$").all()
        kind: Kind = "number" if values.dtype.is_integer() else "link" if is_link else "note"
        # Facts keep their names.
        own[name] = Column(name, "", kind, name)
    # Systems that are possibly the best are bold.
    options = {"shown": columns, "bold": ranked["possibly_best"].fill_null(value=False).arg_true().to_list()}
    labels = {"score": label, "difference": f"difference from {view.short[view.systems[0]]}"}
    return view.table(f"Ranking by {label}", ranked, (), metric, labels=labels, own=own, **options)


def _ranked(view: ComparisonView, metric: Metric) -> pl.DataFrame:
    ranked: pl.DataFrame = view.result.ranked_overall.filter(metric=metric.name)
    change = view.overall.filter(metric=metric.name).select("system", *TESTED)
    ranked = ranked.join(change, on="system", how="left", maintain_order="left")
    counts = [] if view.settings["cluster"] is None else ["n_clusters"]
    missing = dict(zip(view.systems, view.result.account.missing, strict=True))
    if len({*missing.values()}) > 1:
        number = pl.col("system").replace_strict(missing, return_dtype=pl.Int64)
        ranked = ranked.with_columns(n_missing=number)
        counts = ["n_missing", *counts]
    return ranked.select("system", "n", *SCORE, *RANK, *TESTED, "possibly_best", "few_rows", *counts)


def _scores(
    grid: ScoreGrid, columns: Sequence[str], metric: Metric, name: str, view: ComparisonView
) -> Table:
    """Return the table of the scores side by side, with the best systems of each line."""
    names = apart(grid.systems, [*columns, SLICE, "n", "best", "few_rows"])
    values = zip(*grid.scores, strict=True)
    scores = [pl.Series(name, column, pl.Float64) for name, column in zip(names, values, strict=True)]
    best = [[name for name, is_best in zip(names, line, strict=True) if is_best] for line in grid.is_best]
    heads = grid.slices.drop("few_rows")
    listed = pl.Series("best", [", ".join(line) for line in best], pl.String)
    frame = heads.hstack([*scores, listed, grid.slices["few_rows"]])
    # A page shows the first systems in a heat map above it.
    is_folded = len(names) > _DRAWN_SYSTEMS
    return result_table(
        name,
        frame,
        columns,
        by_name(Column(system, kind="score", heading=system) for system in names),
        shown=[SLICE, *columns, "n", *names, "best"],
        metrics={metric.name: view.terms[metric.name]},
        percent=view.percent,
        names=view.names,
        best=best,
        is_folded=is_folded,
    )


def _ranking_on_screen(table: Table) -> Table:
    """Return a ranking with short names of systems."""
    names = table.frame["system"].to_list()
    short = shortened_apart(list(map(visible, names)))
    frame = table.frame.with_columns(pl.Series("system", short, pl.String))
    return replace(table.on_screen(), frame=frame, below=_key(short, names))


def _grid_on_screen(table: Table, columns: Sequence[str], most: int | None) -> Table:
    """Return the scores of the first systems side by side, with short names."""
    systems = [name for name in table.headings if name not in (SLICE, *columns, "n", "best")]
    short = dict(zip(systems, shortened_apart(list(map(visible, systems)), _SHORT_NAME), strict=True))
    hidden = [] if most is None else systems[_MOST_SYSTEMS:]
    left_out = [*hidden, *(["best"] if len(systems) <= _FEW_BESIDE else [])]
    shown = [name for name in table.headings if name not in left_out]
    listed_best = [", ".join(short[name] for name in systems if name in line) for line in table.best]
    frame = table.frame.with_columns(pl.Series("best", listed_best, pl.String))
    named = [name for name in systems if name not in hidden or any(name in line for line in table.best)]
    notes = _key([short[name] for name in named], named)
    if hidden:
        notes.append(f"... and {numbered(len(hidden), 'more system')}; `ranking` has them all")
    return replace(table, frame=frame, columns=headed(table.columns, short), shown=shown, below=notes)


def _key(short: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return a key to shortened names."""
    cut = [f"{key} {visible(name)}" for key, name in zip(short, names, strict=True) if key != visible(name)]
    return [f"Names: {'; '.join(cut)}."] if cut else []


def _heat_map(
    table: Table, grid: ScoreGrid, columns: Sequence[str], metric: Metric, view: ComparisonView
) -> HeatMap:
    slices = grid.slices.head(FIGURE_ROWS + 1)
    counts = [f"{n:,}{FEW if is_few else ''}" for n, is_few in slices.select("n", "few_rows").iter_rows()]
    kind = view.kind(metric)
    lines = list(zip(grid.scores, grid.intervals, grid.is_best, strict=True))[: slices.height]
    drawn = [
        [
            (score, spelled(score, (), kind), _range(ends, kind), best)
            for score, ends, best in list(zip(*line, strict=True))[:_DRAWN_SYSTEMS]
        ]
        for line in lines
    ]
    return HeatMap(
        table.name,
        table.name,
        " / ".join(columns),
        grid.systems[:_DRAWN_SYSTEMS],
        list(zip(slice_labels(slices, columns, view.names), counts, drawn, strict=True)),
        metric.row or metric.name,
        bool(metric.higher_is_better),
        (grid.slices.height - slices.height, len(grid.systems) - min(len(grid.systems), _DRAWN_SYSTEMS)),
        table.headings["n"],
        has_intervals=len(grid.systems) <= _MOST_SYSTEMS,
    )


def _range(ends: tuple[float | None, float | None], kind: Kind) -> str:
    low, high = ends
    return "" if low is None or high is None else f"[{rounded(low, kind)}, {rounded(high, kind)}]"


# Two systems


def _tables_of_two(view: ComparisonView) -> list[Table]:
    """Return the tables of slices, below that of all rows with a row for each of several metrics."""
    tables = [_slices_of_two(view, *shown) for shown in view.sliced]
    if len(view.metrics) == 1:
        return tables
    whole = view.overall.drop(TABLE, *view.settings["by"], strict=False)
    return [view.table(view.names["whole"], whole, (), **_shown_of_two(view, ["metric"])), *tables]


def _slices_of_two(view: ComparisonView, columns: Sequence[str], metric: Metric, name: str) -> Table:
    """Return the slices of two systems in a metric."""
    frame = view.sorted_lines(view.whole, metric, columns)
    if view.significant:
        frame = frame.filter((pl.col(SLICE) == OVERALL) | is_significant(view.alpha))
    return view.table(name, frame, columns, metric, **_shown_of_two(view, [SLICE, *columns]))


def _shown_of_two(view: ComparisonView, first: Sequence[str]) -> dict[str, Any]:
    """Return the columns for people: the first columns, and the scores under the names of systems."""
    scores = ("baseline_score", "score")
    columns = [*first, "n", *scores, *DIFFERENCE, "p_adjusted", *VOTES, "n_clusters"]
    labels = dict(zip(scores, view.systems, strict=True))
    if not view.keys and len(view.metrics) == 1:
        labels["p_adjusted"] = "p"  # of one test
    return {"shown": columns, "labels": labels}


# Names and notes


def _head_of_many(view: ComparisonView) -> str:
    """Return the best system of the first metric, others that may be as good, and the last system."""
    (metric, label), *others = view.named
    ranked = _ranked(view, metric).drop_nulls("score").to_dicts()
    if not ranked:
        return ""
    first, last = (
        f"{view.short[row['system']]} {spelled_in(row, 'score', view.kind(metric))}"
        for row in (ranked[0], ranked[-1])
    )
    rivals = [view.short[row["system"]] for row in ranked[1:] if row["possibly_best"]]
    are_all = len(rivals) == len(view.systems) - 1
    all_rows = numbered(ranked[0]["n"], view.names["row"])
    standing = "has the highest rank" if rivals else "is the best"
    parts = [f"{label} of {len(view.systems):,} systems over {all_rows}: {first} {standing}"]
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
            parts.append(f"first by {name}: {view.short[best]}")
    return f"{'; '.join(parts)}."


def _head_of_two(view: ComparisonView) -> str:
    """Return the differences over all rows, and the slice with the worst difference in the first metric."""
    (metric, label), *_ = view.named
    row, *others = view.overall.to_dicts()
    if row["difference"] is None:
        return ""
    scores = [
        f"{view.short[name]} {spelled(row[column], (), view.kind(metric))}"
        for name, column in zip(view.systems[::-1], ("score", "baseline_score"), strict=True)
    ]
    changes = [
        spelled_in(line, "difference", difference_kind(view.kind(each)))
        for line, each in zip((row, *others), view.metrics, strict=True)
    ]
    tables = [(columns, metric_lines(view.whole, metric.name, columns)) for columns in view.keys]
    sign = 1 if metric.higher_is_better else -1

    # By a difference that the tests of all slices together show.
    is_loss = is_significant(view.alpha) & (sign * pl.col("difference") < 0)
    worst = worst_slice(tables, metric, "difference", difference_kind(view.kind(metric)), is_loss)
    first = head(
        f"{label} of {' against '.join(scores)}: {changes[0]}", row["n"], noun=view.names["row"], worst=worst
    )
    named = zip(view.named[1:], changes[1:], strict=True)
    also = [f"{name} {difference}" for (_, name), difference in named][:_NAMED]
    if not also:
        return first
    rest = _listed(also)
    return f"{first} {rest[0].upper()}{rest[1:]}."


def _listed(words: Sequence[str]) -> str:
    """Join words by commas and "and"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _family(view: ComparisonView) -> list[str]:
    """Return the note on the adjustment of p-values, if there are several."""
    metrics = view.all_metrics
    if view.is_of_two:
        slices = ["all slices of a table"] if view.keys else []
        allowed = " and ".join([*(f"all {counted}" for counted in metrics), *slices])
        own = f"; {every(view.names)} are a table of their own" if view.keys else ""
        return [f"The adjusted p allows for {allowed} together{own}."] if allowed else []
    others = f"the {len(view.systems) - 1:,} differences to {view.systems[0]}"
    allowed = f"The adjusted p allows for {_listed([others, *metrics])} together"
    return [f"{allowed}, ranks for all pairs of a metric: either may show a difference the other misses."]


def untestable_note(
    slices: pl.DataFrame, settings: Mapping[str, Any], names: Names, alpha: float | None = None
) -> str | None:
    """
    Return a note on slices with too few units to reach a p-value of alpha, if there are any.

    Without a level, it is that of the bold differences.
    """
    alpha = significance_level(settings["confidence"]) if alpha is None else alpha
    rows = untestable_slices(slices, alpha, settings["draws"])
    if rows.is_empty():
        return None
    # Several systems or metrics have several lines for a slice.
    rows = rows.unique([SLICE, *(name for name in (TABLE, *settings["by"]) if name in rows.columns)])
    groups = rows.filter(pl.col(SLICE) == GROUP).height
    what = [
        *([f"{every(names)} together"] if groups < rows.height else []),
        *([numbered(groups, "slice")] if groups else []),
    ]
    cluster = settings["cluster"]
    units = f"{names['row']}s" if cluster is None else documents.called(cluster)
    least = least_units(alpha, settings["draws"])
    few_draws = f"with {settings['draws']:,} draws p is larger"
    fewer = few_draws if least == sys.maxsize else f"fewer than {least} {units}"
    return f"{' and '.join(what)} cannot be tested at {alpha:g}: {fewer}."


# Sentences


def regressions(comparison: Any, drop: float, alpha: float, planned_runs: int) -> Iterator[str]:
    """Return a sentence for each system that regressed, with the metrics and slices concerned."""
    lost = comparison.regressions(drop, alpha, planned_runs=planned_runs)
    level = level_of_run(alpha, planned_runs)
    measures = comparison.measures
    size = size_in_words(drop, percent=all(is_in_percent(metric, measures) for metric in measures))
    for system in comparison.systems:
        losses = lost.filter(system=system)
        in_metrics = []
        for metric in measures:
            rows = losses.filter(metric=metric.name)
            if rows.height:
                in_metrics.append(f"{metric.label} ({_where(rows, comparison)})")
        if in_metrics:
            yield (
                f"{system} is worse than {comparison.baseline} by at least {size} (p at most {level:g}): "
                f"{', '.join(in_metrics)}"
            )


def _where(rows: pl.DataFrame, comparison: Any) -> str:
    """Return whether these lines include all rows, and the names of the slices, largest loss first."""
    settings = comparison.summary.settings
    slices = rows.filter(pl.col(SLICE) != OVERALL).sort(pl.col("difference").abs(), descending=True)
    parts = ["overall"] if slices.height < rows.height else []
    for keys in settings.tables or (settings.by,):
        in_table = slices.filter(pl.col(TABLE) == crossed(keys)) if settings.tables else slices
        if in_table.height:
            names = [" / ".join(map(in_text, row)) for row in in_table.select(cs.by_name(*keys)).iter_rows()]
            parts.append(f"{' / '.join(keys)} = {listed(names, _NAMED)}")
    return "; ".join(parts)
