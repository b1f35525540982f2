"""The rows of a page: a query of their texts, scores, error types and other columns."""

from __future__ import annotations

import string as strings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import string
from anls_frame.exceptions import DTypeError
from anls_frame.export.verdicts import REPEATS, repeating
from anls_frame.frames.checks import check_dtypes
from anls_frame.frames.conversion import column_names, to_lazy
from anls_frame.metrics import errors, scores, words
from anls_frame.summary import own_metrics
from anls_frame.summary.catalogue import of_rows, resolve
from anls_frame.summary.keys import optional
from anls_frame.summary.rows import (
    is_invented,
    is_placeholder,
    is_unanswerable,
    scored_type,
    with_unanswerable,
)
from anls_frame.summary.slicing import categories
from anls_frame.summary.system_rows import noted
from anls_frame.summary.systems import of_system, once, resolve_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame.protocol import ScoreProtocol
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings

_STEPS = ("unicode_form", "case", "whitespace")
_SAME = ("same", "different")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a caller asked to see of a frame."""

    systems: Mapping[str, str]
    answers: str
    metrics: Sequence[Metric]
    settings: Settings
    row_id: str | None
    image: str | None

    @property
    def kept(self) -> list[str]:
        """The columns that are shown as they are."""
        return [name for name in self.settings.keep if name not in (*self.settings.by, self.row_id)]

    @property
    def shown(self) -> dict[str, str]:
        """The columns that are shown, by their names on the page."""
        by = {f"by_{place}": name for place, name in enumerate(self.settings.by)}
        kept = {f"keep_{place}": name for place, name in enumerate(self.kept)}
        return by | kept | ({} if self.row_id is None else {"id": self.row_id})

    @property
    def are_two(self) -> bool:
        """Whether the rows show how a second system differs from a first one."""
        return len(self.systems) == 2  # noqa: PLR2004

    @property
    def first_sort(self) -> str:
        """The column by which rows are sorted at first, after a hyphen if large values are bad."""
        sign = "" if self.metrics[0].higher_is_better else "-"
        # With two systems, the rows that broke.
        return f"{sign}{'change' if self.are_two else 'score_0_0'}"

    @property
    def of_systems(self) -> list[list[Metric]]:
        """The metrics of each system."""
        return [[of_system(metric, system) for metric in self.metrics] for system in self.systems]


class OfSystem(NamedTuple):
    """What the rows of a system come to."""

    scored: int
    mean: float | None
    """How many rows have a score in the first metric, and its mean."""
    n_invented: int
    n_placeholders: int
    """How many predictions notes name, as in reports."""


def metrics_of_rows(
    given: Any, systems: Mapping[str, str], columns: Sequence[Any], cer_protocol: ScoreProtocol | str
) -> list[Metric]:
    """Return the scores of rows that a caller asked for, each once."""
    if len(systems) > 1:
        return once(resolve_for(given, systems, has_texts=True, cer_protocol=cer_protocol))
    wanted = "anls" if given is None else given
    resolved = resolve(wanted, columns, has_texts=True, cer_protocol=cer_protocol)
    return once(of_rows(resolved, given))


def collected(frame: Any, asked: Asked, n: int) -> tuple[pl.DataFrame, int, list[OfSystem]]:
    """
    Return the rows with the worst scores in the order of the frame, the number of all, and what they come to.

    With two systems, rows that the second one broke are worse than others.

    The columns are those of `anls_frame.export.rows_page.RowsContent`.
    """
    rows = _scored(frame, asked)
    firsts = [f"score_0_{place}" for place, _ in enumerate(asked.systems)]
    sign = 1 if asked.metrics[0].higher_is_better else -1
    of_systems = (
        pl.struct(
            pl.col(first).count(),
            pl.col(first).mean().alias("mean"),
            pl.sum(f"invented_{place}", f"placeholder_{place}"),
        )
        for place, first in enumerate(firsts)
    )
    means = rows.select(pl.len(), *of_systems)
    ranks = {"rank": pl.mean_horizontal(firsts) * sign}
    if asked.are_two:
        ranks = {"broken": pl.min_horizontal(pl.col("change") * sign, pl.lit(0.0)), **ranks}
    ranked = rows.with_columns(rank.fill_null(float("inf")).alias(name) for name, rank in ranks.items())
    worst = (
        ranked.bottom_k(n, by=[*ranks, "row"])
        .sort("row")
        .drop(*ranks, "unanswerable", "answerable", *noted(len(firsts)))
    )
    table, of_all = pl.collect_all([worst, means], engine="streaming")
    unused = [
        name for name in table.columns if name.rpartition("_")[0] in _STEPS and not (table[name] != 0).any()
    ]
    height, *found = of_all.row(0)
    return table.drop(unused, "nearest"), height, [OfSystem(*one.values()) for one in found]


def orders(frame: Any, asked: Asked) -> dict[str, Sequence[str]]:
    """Return the values of the columns that have an order of their own."""
    schema = to_lazy(frame, [], list(asked.shown.values())).collect_schema()
    dtypes = {alias: schema[name] for alias, name in asked.shown.items()}
    types = {f"type_{place}": errors.ERROR_TYPES for place, _ in enumerate(asked.systems)}
    of_systems = {"right": right_values(list(asked.systems)), "same": _SAME}
    return {**categories(pl.Schema(dtypes)), **types, **of_systems}


def _scored(frame: Any, asked: Asked) -> pl.LazyFrame:
    texts = [*asked.systems.values(), asked.answers]
    own = [name for every in asked.of_systems for name in own_metrics.needed(every)]
    names = column_names(frame)
    image = _image(asked.image, names)
    others = [
        *asked.shown.values(),
        *(name for name in REPEATS if name in names),
        *(name for _, name in image if name is not None),
        *own,
    ]
    source = to_lazy(frame, texts, others, answers=asked.answers, protocol=asked.settings.protocol)
    source = with_unanswerable(source, asked.systems.values(), asked.answers, asked.settings.unanswerable)
    schema = source.collect_schema()
    for name in asked.shown.values():
        if schema[name].is_object() or schema[name] == pl.Binary:
            raise DTypeError(f"column {name!r} has dtype {schema[name]} and cannot be shown; cast it")
    accepted = cs.by_name(asked.answers)
    options = _options(asked.settings)
    selected: dict[str, pl.Expr] = {alias: cs.by_name(name) for alias, name in asked.shown.items()}
    selected |= {name: cs.by_name(name) for name in repeating(schema)}
    selected["answers"] = accepted
    selected["unanswerable"] = is_unanswerable(source)
    for place, (name, metrics) in enumerate(zip(asked.systems.values(), asked.of_systems, strict=True)):
        score = scores.score(cs.by_name(name), accepted, cer_protocol=asked.settings.cer_protocol, **options)
        check_dtypes(pl.Schema({one: schema[one] for one in (name, asked.answers)}), score)
        selected[f"prediction_{place}"] = cs.by_name(name).cast(pl.String)
        inputs = cs.by_name(name).cast(pl.String).fill_null(""), accepted
        for number, metric in enumerate(metrics):
            if not metric.is_built_in:
                selected[f"score_{number}_{place}"] = own_metrics.values(source, [metric], inputs)[0]
    if image:
        pieces = [[pl.lit(text), *map(_text_of, optional(name))] for text, name in image]
        selected["image"] = pl.concat_str([piece for of_part in pieces for piece in of_part])
    # Numbered under their names on the page: the frame may have a column `row`.
    rows = source.select(**selected).with_row_index("row")
    for place, _ in enumerate(asked.systems):
        rows = rows.with_columns(_of_system(place, asked))
        rows = rows.with_columns(_how(place, asked.settings))
    rows = rows.with_columns(
        answerable=pl.any_horizontal(
            pl.col(f"similarity_{place}").is_not_null() for place, _ in enumerate(asked.systems)
        )
    )
    for place, _ in enumerate(asked.systems):
        prediction = f"prediction_{place}"
        rows = rows.with_columns(
            is_invented(prediction).alias(f"invented_{place}"),
            is_placeholder(prediction, pl.col(f"exact_{place}")).alias(f"placeholder_{place}"),
        ).drop(f"exact_{place}")
    is_list = isinstance(schema[asked.answers], pl.List | pl.Array)
    if not is_list:
        rows = rows.with_columns(pl.when(pl.col("answers").is_not_null()).then(pl.concat_list("answers")))
    return rows.with_columns(_of_all(asked))


def _options(settings: Settings) -> dict[str, Any]:
    return {"protocol": settings.protocol, "threshold": settings.threshold}


def _text_of(name: str) -> pl.Expr:
    return cs.by_name(name).cast(pl.String)


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


def _of_system(place: int, asked: Asked) -> list[pl.Expr]:
    """Return the scores of a system, its error types and the places of the nearest answers."""
    settings = asked.settings
    prediction = pl.col(f"prediction_{place}")
    text = prediction.fill_null("") if settings.missing == "empty" else prediction
    options = _options(settings)
    score = scores.score(text, "answers", cer_protocol=settings.cer_protocol, **options).struct
    built_in = {
        f"score_{number}_{place}": score.field(str(metric.row)).cast(pl.Float64)
        for number, metric in enumerate(asked.metrics)
        if metric.is_built_in
    }
    # A function of texts may give a score without looking at the answers.
    own = {
        f"score_{number}_{place}": pl.when(score.field("nls").is_not_null()).then(
            pl.col(f"score_{number}_{place}")
        )
        for number, metric in enumerate(asked.metrics)
        if metric.is_function
    }
    explained = errors.explain(text, "answers", **options).struct
    return [
        *(value.alias(name) for name, value in {**built_in, **own}.items()),
        scored_type(prediction, "answers", settings).cast(pl.String).alias(f"type_{place}"),
        score.field("nls").alias(f"similarity_{place}"),
        score.field("exact_match").alias(f"exact_{place}"),
        score.field("answer_index").alias(f"nearest_{place}"),
        scores.nearest_answer(text, "answers", protocol=settings.protocol).alias("nearest"),
        *(explained.field(step).alias(f"{step}_{place}") for step in ("raw", *_STEPS)),
    ]


def _how(place: int, settings: Settings) -> list[pl.Expr]:
    """Return what a similarity is computed from: the number of edits, and what they are divided by."""
    text = pl.col(f"prediction_{place}").fill_null("")
    counts = words.edit_counts(text, "nearest", protocol=settings.protocol).struct
    edits = counts.field("substitutions") + counts.field("deletions") + counts.field("insertions")
    length = (edits / (1 - pl.col(f"similarity_{place}"))).round().cast(pl.Int64, strict=False)
    return [
        edits.alias(f"edits_{place}"),
        # Without an edit, it does not matter.
        pl.when(edits > 0).then(length).alias(f"length_{place}"),
    ]


def _of_all(asked: Asked) -> list[pl.Expr]:
    """Return which of several systems are right and agree, and how the second of two changed the score."""
    found = []
    if asked.are_two:
        found.append((pl.col("score_0_1") - pl.col("score_0_0")).round(9).alias("change"))
    if len(asked.systems) > 1 and (best := _best(asked.metrics[0])) is not None:
        found.append(_right(best, list(asked.systems)))
    if len(asked.systems) > 1:
        found.append(_same(asked))
    return found


def _same(asked: Asked) -> pl.Expr:
    """Return whether all systems predicted the same text, as the protocol prepares and compares it."""
    first, *others = (pl.col(f"prediction_{place}") for place, _ in enumerate(asked.systems))
    if asked.settings.missing == "empty":
        first, *others = (text.fill_null("") for text in (first, *others))
    # A missing prediction is the same as another missing one alone.
    are_same = [
        scores.nls(first, other, protocol=asked.settings.protocol)
        .eq(1)
        .fill_null(first.is_null() & other.is_null())
        for other in others
    ]
    same, different = _SAME
    return pl.when(pl.all_horizontal(are_same)).then(pl.lit(same)).otherwise(pl.lit(different)).alias("same")


def _best(metric: Metric) -> float | None:
    """Return the best possible score, if there is one."""
    low, high = metric.bounds or (None, None)
    return high if metric.higher_is_better else low


def _right(best: float, systems: Sequence[str]) -> pl.Expr:
    """Return which systems have the best possible score."""
    are_right = [pl.col(f"score_0_{place}") == best for place, _ in enumerate(systems)]
    values = right_values(systems)
    number = pl.sum_horizontal(are_right)
    if len(systems) == 2:  # noqa: PLR2004
        number = (
            pl.when(number == 1)
            .then(pl.when(are_right[0]).then(1).otherwise(2))
            .otherwise(number + (number > 1))
        )
    named = number.replace_strict(dict(enumerate(values)), return_dtype=pl.String)
    return pl.when(pl.all_horizontal(one.is_not_null() for one in are_right)).then(named).alias("right")


def right_values(systems: Sequence[str]) -> list[str]:
    """Return what a page calls the numbers of systems that are right, in their order."""
    if len(systems) == 2:  # noqa: PLR2004
        first, second = systems
        return ["neither", f"only {first}", f"only {second}", "both"]
    return ["none", *(f"{number} of {len(systems)}" for number in range(1, len(systems))), "all"]
