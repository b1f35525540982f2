"""The rows of a page, with the columns that the page displays."""

from __future__ import annotations

import string as strings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from anls_frame import words
from anls_frame._arguments import string
from anls_frame._messages import wrong
from anls_frame.exceptions import DTypeError
from anls_frame.export.columns import CHARACTERS
from anls_frame.export.kinds import Kind, shown_as
from anls_frame.export.page_verdicts import REPEATS, repeating
from anls_frame.export.rows_content import substitution
from anls_frame.frames.checks import object_advice
from anls_frame.frames.conversion import column_names, to_lazy
from anls_frame.frames.reserved_columns import AUDIT
from anls_frame.metrics import errors, scores
from anls_frame.protocol import plugin_options, protocol_from_dict, resolve_errors
from anls_frame.summary import selection, system_rows
from anls_frame.summary.account import Account, account_of, account_sums
from anls_frame.summary.catalogue import is_in_percent
from anls_frame.summary.details import edit_counts
from anls_frame.summary.keys import optional
from anls_frame.summary.measures import Metric
from anls_frame.summary.rows import STYLES, kept_names, scored_type
from anls_frame.summary.settings import Settings
from anls_frame.summary.slicing import columns_of, enum_orders

_STEPS = ("unicode_form", "case", "punctuation", "whitespace")
_SAME = ("same", "different")
_MOST_SUBSTITUTIONS = 100
"""Substitutions by which rows are selected, the most frequent ones."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The columns and options that a caller chose for a page."""

    systems: Mapping[str, str]
    answers: str
    metrics: Sequence[Metric]
    settings: Settings
    row_id: str | None
    image: str | None
    made: Mapping[str, pl.Expr]
    """The columns to filter by that are expressions."""
    is_audit: bool
    """Whether only drawn rows are shown, to be judged."""

    @property
    def kept(self) -> list[str]:
        """The columns that are shown unchanged."""
        return [name for name in self.settings.keep if name not in (*self.settings.by, self.row_id)]

    @property
    def shown(self) -> dict[str, str]:
        """The columns that are shown, by their names on the page."""
        by = {f"by_{index}": name for index, name in enumerate(self.settings.by)}
        kept = {f"keep_{index}": name for index, name in enumerate(self.kept)}
        return by | kept | ({} if self.row_id is None else {"id": self.row_id})

    @property
    def compared(self) -> list[str]:
        """The systems that are compared with the first one."""
        return list(self.systems)[1:]

    @property
    def is_judge(self) -> bool:
        """Whether a given score of one system is judged, rather than a comparison of texts."""
        metric = self.metrics[0]
        return len(self.systems) == 1 and not (metric.is_built_in or metric.is_function)

    def kind(self, metric: Metric) -> Kind:
        """Return how people read a score of rows: error rates in per cent, as in reports."""
        return shown_as("score", percent=is_in_percent(metric, self.metrics))

    @property
    def first_sort(self) -> str:
        """The column by which rows are initially sorted, with a leading hyphen if large values are bad."""
        if self.is_audit:
            # No column, so that rows stay in their order.
            return "drawn"
        sign = "" if self.metrics[0].higher_is_better else "-"
        # The rows that broke, if a system can break any.
        return f"{sign}{'change' if self.compared else 'score_0_0'}"


def collected(
    frame: Any, asked: Asked, n: int
) -> tuple[pl.DataFrame, int, list[dict[str, Any]], dict[str, Sequence[str]], Account[Any]]:
    """
    Return the rows with the worst scores, in the order of the frame, as `RowsContent.table` describes them.

    They are followed by the number of all rows that could be on the page, the totals of each system (`scored`
    rows, their `mean` in the first metric, and counts for notes), the values of ordered columns, and the
    account of all rows.
    Rows rank by the largest loss of any system against the first, then by the mean score of all systems. For
    an audit, the result holds the drawn rows in random order, and their number.
    """
    names = column_names(frame)
    repeats = [name for name in REPEATS if name in names]
    needed_names = columns_of([asked.made.get(name, name) for name in asked.shown.values()])
    image = _image(asked.image, names)
    of_image = [name for _, name in image if name is not None]
    source = to_lazy(frame, [], [*needed_names, *of_image, *repeats])
    schema = source.with_columns(expr.alias(name) for name, expr in asked.made.items()).collect_schema()
    for name in asked.shown.values():
        if schema[name].is_object() or schema[name] == pl.Binary:
            way = "cast it to pl.String" if schema[name] == pl.Binary else object_advice(name)
            raise DTypeError(f"column {name!r} has dtype {schema[name]} and cannot be shown; {way}")
    for name in of_image:
        if schema[name].is_nested():
            raise DTypeError(
                f"column {name!r} has dtype {schema[name]} and is no path of an image; make a column of the "
                "path, as with `.list.first()`, and pass its name as image="
            )
    shown = asked.shown | {name: name for name in repeating(schema)}
    audit = [AUDIT] if asked.is_audit else []
    keep = tuple(dict.fromkeys([*shown.values(), *of_image, *audit]))
    settings = replace(asked.settings, by=(), keep=keep)
    scored = system_rows.scored_rows(
        frame, asked.systems, asked.answers, asked.metrics, settings, made=asked.made
    )
    chosen = selection.Selection(scored)
    first = [pl.col(name) for name in system_rows.score_columns(0, len(asked.systems))]
    compared = range(1, len(asked.systems))
    changes = {f"change_{system}": selection.change(first, system).round(9) for system in compared}
    # How much worse the first score became with any compared system, as a negative number, or 0.
    sign = 1 if asked.metrics[0].higher_is_better else -1
    losses = (sign * pl.col(name) for name in changes)
    ranks = {"loss": pl.min_horizontal(*losses, pl.lit(0.0)), **chosen.ranks(selection.mean)}
    rows = chosen.scored().with_columns(**changes).with_columns(**ranks)
    figures = (
        pl.struct(
            pl.col(f"score_0_{system}").count().alias("scored"),
            pl.col(f"score_0_{system}").mean().alias("mean"),
            pl.sum(f"placeholder_{system}").alias("n_placeholders"),
            *(pl.sum(f"{style}_{system}").alias(f"n_{style}") for style in STYLES),
        ).alias(f"{system}")
        for system, _ in enumerate(asked.systems)
    )
    kept = dict(zip(keep, map(pl.col, kept_names(settings)), strict=True))
    wanted = rows.filter(kept[AUDIT]) if asked.is_audit else rows
    is_used = pl.all_horizontal(score.is_not_null() for score in first)
    worst, height, totals, numbers = pl.collect_all(
        [
            chosen.first(wanted, list(ranks), n),
            wanted.select(pl.len()),
            rows.select(*figures),
            rows.select(**account_sums(scored, is_used)),
        ],
        engine="streaming",
    )
    worst = chosen.checked(worst, n).sort(selection.ROW)
    if asked.is_audit:
        worst = worst.sample(fraction=1, shuffle=True, seed=0)
    selected = {alias: kept[name] for alias, name in shown.items()}
    if image:
        pieces = [
            [pl.lit(text), *(kept[part].cast(pl.String) for part in optional(name))] for text, name in image
        ]
        selected["image"] = pl.concat_str([piece for part in pieces for piece in part])
    table = _drawn(worst, selected, asked)
    unused = [
        name for name in table.columns if name.rpartition("_")[0] in _STEPS and not (table[name] != 0).any()
    ]
    orders = {
        **enum_orders(pl.Schema({alias: schema[name] for alias, name in asked.shown.items()})),
        **{f"type_{system}": errors.ERROR_TYPES for system, _ in enumerate(asked.systems)},
        "right": right_values(list(asked.systems)),
        "same": _SAME,
    }
    return table.drop(unused), height.item(), list(totals.row(0)), orders, account_of(scored, numbers)


def _image(image: str | None, columns: Sequence[Any]) -> list[tuple[str, str | None]]:
    """Return the parts of an image's address, each a text and the column that follows it."""
    if image is None:
        return []
    if string("image", image) in columns or "{" not in image:
        return [("", image)]
    parts = list(strings.Formatter().parse(image))
    if any(spec or conversion or name == "" for _, name, spec, conversion in parts):
        raise wrong("image", f"must have names of columns alone in braces, got {image!r}")
    return [(literal, name) for literal, name, _, _ in parts]


def _drawn(rows: pl.DataFrame, selected: Mapping[str, pl.Expr], asked: Asked) -> pl.DataFrame:
    """Return the columns that the page displays for selected rows."""
    answers = pl.col("answers")
    if not isinstance(rows.schema["answers"], pl.List | pl.Array):
        answers = pl.when(answers.is_not_null()).then(pl.concat_list(answers))
    systems = range(len(asked.systems))
    changes = [f"change_{system}" for system in systems[1:]]
    worst = pl.min_horizontal if asked.metrics[0].higher_is_better else pl.max_horizontal
    table = rows.select(
        pl.col(selection.ROW),
        answers.alias("answers"),
        *(value.alias(name) for name, value in selected.items()),
        *(pl.col(f"text_{system}").alias(f"prediction_{system}") for system in systems),
        *(f"score_{index}_{system}" for index, _ in enumerate(asked.metrics) for system in systems),
        *(pl.col(f"nls_{system}").alias(f"similarity_{system}") for system in systems),
        *([worst(changes).alias("change"), pl.col(changes)] if changes else []),
    )
    table = table.with_columns(column for system in systems for column in _system_columns(system, asked))
    return table.with_columns(*_right(asked), _same(asked)) if asked.compared else table


def _system_columns(system: int, asked: Asked) -> list[pl.Expr]:
    """Return the error types of a system, the nearest answers, and the parts of their similarity."""
    prediction, protocol = pl.col(f"prediction_{system}"), asked.settings.protocol
    filled = prediction.fill_null("")
    text = filled if asked.settings.missing == "empty" else prediction
    explained = errors.explain(text, "answers", protocol=protocol).struct
    nearest = scores.nearest_answer(text, "answers", protocol=protocol)
    counts = words.edit_counts(filled, nearest, protocol=protocol).struct
    edits = counts.field("substitutions") + counts.field("deletions") + counts.field("insertions")
    length = (edits / (1 - pl.col(f"similarity_{system}"))).round().cast(pl.Int64, strict=False)
    score = scores.score(text, "answers", protocol=protocol).struct
    columns = {
        "type": scored_type(prediction, asked.settings).cast(pl.String),
        "nearest": score.field("answer_index"),
        **{step: explained.field(step) for step in ("raw", *_STEPS)},
        "edits": edits,
        # Without edits, the length does not matter.
        "length": pl.when(edits > 0).then(length),
    }
    return [column.alias(f"{name}_{system}") for name, column in columns.items()]


def _same(asked: Asked) -> pl.Expr:
    """Return whether all systems predicted the same text, as the protocol prepares and compares it."""
    first, *others = (pl.col(f"prediction_{system}") for system, _ in enumerate(asked.systems))
    if asked.settings.missing == "empty":
        first, *others = (text.fill_null("") for text in (first, *others))
    # A missing prediction equals only another missing prediction.
    are_same = [
        scores.nls(first, other, protocol=asked.settings.protocol)
        .eq(1)
        .fill_null(first.is_null() & other.is_null())
        for other in others
    ]
    same, different = _SAME
    return pl.when(pl.all_horizontal(are_same)).then(pl.lit(same)).otherwise(pl.lit(different)).alias("same")


def _right(asked: Asked) -> list[pl.Expr]:
    """Return which systems have the best possible score, if the metric has one."""
    metric = asked.metrics[0]
    low, high = metric.bounds or (None, None)
    best = high if metric.higher_is_better else low
    if best is None:
        return []
    are_right = [pl.col(f"score_0_{system}") == best for system, _ in enumerate(asked.systems)]
    number = pl.sum_horizontal(are_right)
    only = pl.sum_horizontal(is_right * place for place, is_right in enumerate(are_right, 1))
    place = pl.when(number <= 1).then(only).otherwise(len(are_right) - 1 + number)
    names = dict(enumerate(right_values(list(asked.systems))))
    named = place.replace_strict(names, return_dtype=pl.String)
    are_known = pl.all_horizontal(is_right.is_not_null() for is_right in are_right)
    return [pl.when(are_known).then(named).alias("right")]


def right_values(systems: Sequence[str]) -> list[str]:
    """Return the labels of a page for the systems that are right, in order."""
    some = (f"{number} of {len(systems)}" for number in range(2, len(systems)))
    return ["none", *(f"only {system}" for system in systems), *some, "all"]


def with_substitutions(table: pl.DataFrame, settings: Mapping[str, Any]) -> pl.DataFrame:
    """
    Return the rows of a page with a column `read_as`, the list of the substitutions of any system.

    Parameters
    ----------
    table
        The rows, as in `anls_frame.export.rows_content.RowsContent`.
    settings
        How confusions are counted: `protocol`, `max_length` and `min_nls`, as in reports.
    """
    options = {
        "protocol": plugin_options(resolve_errors(protocol_from_dict(settings["protocol"]))),
        "max_length": settings["max_length"],
        "min_nls": settings["min_nls"],
    }
    predictions = [name for name in table.columns if name.startswith("prediction_")]
    rows = pl.concat([table.lazy().select("row", "answers", prediction=name) for name in predictions])
    counted = (
        edit_counts(rows, ["row"], options).filter(pl.col("op") == "replace").collect(engine="streaming")
    )
    frequent = (
        counted.group_by(CHARACTERS)
        .agg(pl.col("count").sum())
        .sort("count", *CHARACTERS, descending=[True, False, False])
    )
    named = frequent.head(_MOST_SUBSTITUTIONS).with_row_index("rank")
    names = [substitution(*characters) for characters in named.select(CHARACTERS).iter_rows()]
    with_names = named.with_columns(pl.Series("name", names, pl.String)).drop("count")
    shown = counted.join(with_names, on=CHARACTERS)
    lists = shown.sort("row", "rank").group_by("row").agg(pl.col("name").unique(maintain_order=True))
    joined = table.drop("read_as", strict=False).join(lists, on="row", how="left", maintain_order="left")
    return joined.rename({"name": "read_as"})
