"""The rows of a page, with the columns that the page displays."""

from __future__ import annotations

import string as strings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from anls_frame import words
from anls_frame._arguments import string
from anls_frame.analysis.audit_samples import AUDIT
from anls_frame.exceptions import DTypeError
from anls_frame.export.page_verdicts import REPEATS, repeating
from anls_frame.frames.conversion import column_names, to_lazy
from anls_frame.metrics import errors, scores
from anls_frame.summary import selection, system_rows
from anls_frame.summary.keys import optional
from anls_frame.summary.rows import kept_names, scored_type
from anls_frame.summary.slicing import categories

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings

_STEPS = ("unicode_form", "case", "whitespace")
_SAME = ("same", "different")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The columns and options that a caller chose for a page."""

    systems: Mapping[str, str]
    answers: str
    metrics: Sequence[Metric]
    settings: Settings
    row_id: str | None
    image: str | None
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
    def first_sort(self) -> str:
        """The column by which rows are initially sorted, with a leading hyphen if large values are bad."""
        if self.is_audit:
            # No column, so that rows stay in their order.
            return "drawn"
        sign = "" if self.metrics[0].higher_is_better else "-"
        # The rows that broke, if a system can break any.
        return f"{sign}{'change' if self.compared else 'score_0_0'}"


class SystemFigures(NamedTuple):
    """The totals of the rows of a system."""

    scored: int
    mean: float | None
    """How many rows have a score in the first metric, and its mean."""
    n_invented: int
    n_placeholders: int
    """How many predictions notes name, as in reports."""


def collected(frame: Any, asked: Asked, n: int) -> tuple[pl.DataFrame, int, list[SystemFigures]]:
    """
    Return the rows with the worst scores in the order of the frame, the number of all rows, and their totals.

    Rows rank by the largest loss of any system against the first, then by the mean score of all systems. For
    an audit, the result holds the drawn rows in random order, and their number.

    The columns are those of `anls_frame.export.rows_page.RowsContent`.
    """
    names = column_names(frame)
    repeats = [name for name in REPEATS if name in names]
    schema = to_lazy(frame, [], [*asked.shown.values(), *repeats]).collect_schema()
    for name in asked.shown.values():
        if schema[name].is_object() or schema[name] == pl.Binary:
            raise DTypeError(f"column {name!r} has dtype {schema[name]} and cannot be shown; cast it")
    shown = asked.shown | {name: name for name in repeating(schema)}
    image = _image(asked.image, names)
    audit = [AUDIT] if asked.is_audit else []
    keep = tuple(dict.fromkeys([*shown.values(), *(name for _, name in image if name is not None), *audit]))
    settings = replace(asked.settings, by=(), keep=keep)
    chosen = selection.select_from(frame, asked.systems, asked.answers, asked.metrics, settings)
    rows = chosen.scored().with_columns(**_changes(asked))
    ranks = {"loss": _largest_loss(asked), **chosen.ranks(selection.mean)}
    rows = rows.with_columns(**ranks)
    figures = (
        pl.struct(
            pl.col(f"score_0_{system}").count(),
            pl.col(f"score_0_{system}").mean().alias("mean"),
            pl.sum(f"invented_{system}", f"placeholder_{system}"),
        )
        for system, _ in enumerate(asked.systems)
    )
    kept = dict(zip(keep, map(pl.col, kept_names(settings)), strict=True))
    wanted = rows.filter(kept[AUDIT]) if asked.is_audit else rows
    worst, height, totals = pl.collect_all(
        [chosen.first(wanted, list(ranks), n), wanted.select(pl.len()), rows.select(*figures)],
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
    return table.drop(unused), height.item(), [SystemFigures(*struct.values()) for struct in totals.row(0)]


def orders(frame: Any, asked: Asked) -> dict[str, Sequence[str]]:
    """Return the values of ordered columns."""
    schema = to_lazy(frame, [], list(asked.shown.values())).collect_schema()
    dtypes = {alias: schema[name] for alias, name in asked.shown.items()}
    types = {f"type_{system}": errors.ERROR_TYPES for system, _ in enumerate(asked.systems)}
    sets = {"right": right_values(list(asked.systems)), "same": _SAME}
    return {**categories(pl.Schema(dtypes)), **types, **sets}


def _changes(asked: Asked) -> dict[str, pl.Expr]:
    """Return the change of each compared system in the first metric, by the name of its column."""
    first = [pl.col(name) for name in system_rows.scores(0, len(asked.systems))]
    changes = (selection.change(first, system) for system, _ in enumerate(asked.compared, 1))
    return {f"change_{system}": change.round(9) for system, change in enumerate(changes, 1)}


def _largest_loss(asked: Asked) -> pl.Expr:
    """Return how much worse the first score became with any compared system, as a negative number, or 0."""
    sign = 1 if asked.metrics[0].higher_is_better else -1
    return pl.min_horizontal(*(sign * pl.col(name) for name in _changes(asked)), pl.lit(0.0))


def _worst_change(asked: Asked) -> list[pl.Expr]:
    """Return the worst change of any compared system, if there is one."""
    changes = list(_changes(asked))
    worst = pl.min_horizontal if asked.metrics[0].higher_is_better else pl.max_horizontal
    return [worst(changes).alias("change")] if changes else []


def _image(image: str | None, columns: Sequence[Any]) -> list[tuple[str, str | None]]:
    """Return the parts of an image's address, each a text and the column that follows it."""
    if image is None:
        return []
    if string("image", image) in columns or "{" not in image:
        return [("", image)]
    parts = list(strings.Formatter().parse(image))
    if any(spec or conversion or name == "" for _, name, spec, conversion in parts):
        raise ValueError(f"image must have names of columns alone in braces, got {image!r}")
    return [(literal, name) for literal, name, _, _ in parts]


def _drawn(rows: pl.DataFrame, selected: Mapping[str, pl.Expr], asked: Asked) -> pl.DataFrame:
    """Return the columns that the page displays for selected rows."""
    answers = pl.col("answers")
    if not isinstance(rows.schema["answers"], pl.List | pl.Array):
        answers = pl.when(answers.is_not_null()).then(pl.concat_list(answers))
    systems = range(len(asked.systems))
    table = rows.select(
        pl.col(selection.ROW),
        answers.alias("answers"),
        *(value.alias(name) for name, value in selected.items()),
        *(pl.col(f"text_{system}").alias(f"prediction_{system}") for system in systems),
        *(f"score_{index}_{system}" for index, _ in enumerate(asked.metrics) for system in systems),
        *(pl.col(f"nls_{system}").alias(f"similarity_{system}") for system in systems),
        *_worst_change(asked),
        *_changes(asked),
    )
    for system in systems:
        table = table.with_columns(_system_columns(system, asked.settings))
        table = table.with_columns(_how(system, asked.settings))
    return table.drop("nearest").with_columns(_set_columns(asked))


def _system_columns(system: int, settings: Settings) -> list[pl.Expr]:
    """Return the error types of a system, the nearest answers, and the parts of their similarity."""
    prediction = pl.col(f"prediction_{system}")
    text = prediction.fill_null("") if settings.missing == "empty" else prediction
    protocol = settings.protocol
    score = scores.score(text, "answers", protocol=protocol).struct
    explained = errors.explain(text, "answers", protocol=protocol).struct
    return [
        scored_type(prediction, "answers", settings).cast(pl.String).alias(f"type_{system}"),
        score.field("answer_index").alias(f"nearest_{system}"),
        scores.nearest_answer(text, "answers", protocol=protocol).alias("nearest"),
        *(explained.field(step).alias(f"{step}_{system}") for step in ("raw", *_STEPS)),
    ]


def _how(system: int, settings: Settings) -> list[pl.Expr]:
    """Return the parts of a similarity: the number of edits, and the length that divides it."""
    text = pl.col(f"prediction_{system}").fill_null("")
    counts = words.edit_counts(text, "nearest", protocol=settings.protocol).struct
    edits = counts.field("substitutions") + counts.field("deletions") + counts.field("insertions")
    length = (edits / (1 - pl.col(f"similarity_{system}"))).round().cast(pl.Int64, strict=False)
    return [
        edits.alias(f"edits_{system}"),
        # Without edits, the length does not matter.
        pl.when(edits > 0).then(length).alias(f"length_{system}"),
    ]


def _set_columns(asked: Asked) -> list[pl.Expr]:
    """Return which systems are right, and whether they agree; a system alone has nothing to agree with."""
    if not asked.compared:
        return []
    best = _best(asked.metrics[0])
    right = [] if best is None else [_right(best, list(asked.systems))]
    return [*right, _same(asked)]


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


def _best(metric: Metric) -> float | None:
    """Return the best possible score, if the metric has one."""
    low, high = metric.bounds or (None, None)
    return high if metric.higher_is_better else low


def _right(best: float, systems: Sequence[str]) -> pl.Expr:
    """Return which systems have the best possible score."""
    are_right = [pl.col(f"score_0_{system}") == best for system, _ in enumerate(systems)]
    number = pl.sum_horizontal(are_right)
    only = pl.sum_horizontal(is_right * place for place, is_right in enumerate(are_right, 1))
    place = pl.when(number <= 1).then(only).otherwise(len(systems) - 1 + number)
    named = place.replace_strict(dict(enumerate(right_values(systems))), return_dtype=pl.String)
    return pl.when(pl.all_horizontal(flag.is_not_null() for flag in are_right)).then(named).alias("right")


def right_values(systems: Sequence[str]) -> list[str]:
    """Return the labels of a page for the systems that are right, in order."""
    some = (f"{number} of {len(systems)}" for number in range(2, len(systems)))
    return ["none", *(f"only {system}" for system in systems), *some, "all"]
