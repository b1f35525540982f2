"""The cells of a summary as lines, each of which stands for several rows of one document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame.slices.figures import SLICE, of_comparison, of_report
from anls_frame.slices.slice_scores import Scores, lost
from anls_frame.summary import comparison_sums, fixed_point
from anls_frame.summary.catalogue import BUILT_IN
from anls_frame.summary.comparison_sums import LOST, SQUARES, ComparisonSums
from anls_frame.summary.fixed_point import SCALE
from anls_frame.summary.keys import CLUSTER, key_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from anls_frame.slices.figures import Reported
    from anls_frame.summary.cell_sums import Cells
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings
    from anls_frame.summary.summary import Summary

    FloatArray = npt.NDArray[np.float64]

_TWO = 2


@dataclass(frozen=True)
class SummaryLines:
    """
    The scored cells of a summary.

    Parameters
    ----------
    frame
        The values of the columns that slice, under their names.
    documents
        The document of each line.
    scores
        The sums of each line, by metric.
    settings
        How the rows were scored.
    """

    frame: pl.DataFrame
    documents: pl.Series
    scores: Sequence[Scores]
    settings: Settings
    _summary: Summary
    _of_frames: Mapping[Any, pl.Series]
    _place: pl.Series

    @classmethod
    def of(cls, summary: Summary, columns: object, metrics: object) -> SummaryLines:
        """
        Return the lines of a summary, with the columns and metrics that a caller asked for.

        Raises
        ------
        ValueError
            If the summary cannot answer this.
        """
        settings = summary.settings
        names, chosen = check(summary, columns, metrics)
        keys = key_names(settings.by, settings.cluster)
        frames = summary.sums.cells
        lines, of_frames = _numbered(frames, keys)
        scores = []
        of_metric = _change if isinstance(summary.sums, ComparisonSums) else _score
        for name, metric in chosen:
            scores.append(of_metric(frames[name].with_columns(line=of_frames[name]), metric, lines.height))
        if any(not np.array_equal(one.scored, scores[0].scored) for one in scores):
            raise ValueError(
                "metrics of a summary must have scores in the same rows, because it does not say how many "
                f"rows have any of {[one.metric.name for one in scores]}; pass one of them"
            )
        is_scored = scores[0].scored > 0
        kept = pl.Series(is_scored)
        if not is_scored.any():
            raise ValueError("there is nothing to score: no row has an answer and a score")
        place = pl.Series(np.where(is_scored, np.cumsum(is_scored) - 1, -1))
        frame = lines.filter(kept).select(
            pl.col(key).alias(name)
            for key, name in zip(key_names(settings.by, None), settings.by, strict=True)
        )
        by_name = {metric.name: metric for metric in settings.metrics}
        described = tuple(by_name[metric.name] for _, metric in chosen)
        plain: dict[str, Any] = {
            "by": (),
            "tables": (),
            "orders": {},
            "worst": 0,
            "keep": (),
            "details": False,
        }
        return cls(
            frame.select(cs.by_name(names)),
            lines.filter(kept)[CLUSTER],
            [one.of_rows(is_scored) for one in scores],
            dataclasses.replace(settings, metrics=described, **plain),
            summary,
            of_frames,
            place,
        )

    def reported(self, chosen: npt.NDArray[np.bool_] | None, confidence: float) -> Reported:
        """Return how the figures of slices of all or the chosen lines are computed."""
        is_in = np.ones(self.frame.height, bool) if chosen is None else chosen
        numbers = np.where(is_in, np.cumsum(is_in) - 1, -1)
        metrics = [one.metric for one in self.scores]
        settings = dataclasses.replace(self.settings, by=(SLICE,))

        def of_slices(slices: pl.Series) -> pl.DataFrame:
            lists = pl.DataFrame({"line": np.arange(len(slices)), "key_0": slices})
            frames = {}
            for name, cells in self._summary.sums.cells.items():
                lines = self._place.gather(self._of_frames[name]).to_numpy()
                of_chosen = np.where(lines >= 0, numbers[lines], -1)
                others = [column for column in cells.columns if not column.startswith("key_")]
                joined = cells.select(others).with_columns(line=of_chosen)
                joined = joined.join(lists, on="line", how="inner", maintain_order="left")
                frames[name] = joined.select("key_0", *others)
            sums = self._summary.sums.sliced(frames, settings)
            summary = dataclasses.replace(
                self._summary, settings=settings, parts={"lines": sums.rows}, sums=sums, from_pandas=False
            )
            figures = of_comparison if isinstance(sums, ComparisonSums) else of_report
            return figures(summary, metrics, confidence)

        return of_slices


def check(summary: Summary, columns: object, metrics: object) -> tuple[list[str], list[tuple[Any, Metric]]]:
    """
    Return the columns and metrics to search, each metric with the key of its cells.

    Raises
    ------
    ValueError
        If the summary cannot answer this.
    """
    if len(summary.systems) > _TWO:
        raise ValueError(
            f"the summary must be of one system or of two, because only those of two have the sums of their "
            f"changes; it has {list(summary.systems)}"
        )
    _check_clusters(summary)
    chosen = _metrics(summary, metrics)
    return _columns(summary.settings.by, columns), chosen


def _columns(by: Sequence[str], columns: object) -> list[str]:
    """Return the columns that a caller asked for; by default all."""
    given = list(by) if columns is None else [columns] if isinstance(columns, str) else columns
    is_one = isinstance(given, pl.Expr) or not isinstance(given, Iterable)
    every: list[Any] = [given] if is_one else list(cast("Iterable[Any]", given))
    names = [name for name in every if isinstance(name, str)]
    wrong = [str(name) for name in every if not isinstance(name, str) or name not in by]
    if wrong or not by:
        raise ValueError(
            f"columns must be names of those that the summary is sliced by, {list(by)}, got {wrong}; pass "
            "them to summarize as by="
        )
    if len(set(names)) < len(names):
        raise ValueError(f"columns must not name a column twice, got {names}")
    return names


def _check_clusters(summary: Summary) -> None:
    if summary.settings.cluster is None:
        raise ValueError(
            "the summary must have clusters, because slices are tested by documents; name their column in "
            "cluster= when summarizing"
        )


def _metrics(summary: Summary, metrics: object) -> list[tuple[Any, Metric]]:
    """Return the metrics, each with the name of its frame of cells."""
    names = {metric.name for metric in summary.settings.metrics}
    every = {
        metric.name: (name, metric)
        for name, _, of_cells in summary.groups()
        for metric in of_cells
        if metric.name in names
    }
    if metrics is None:
        wanted = ["anls"] if "anls" in every else [name for name in every if name != BUILT_IN["zeros"].name]
    else:
        given = [metrics] if isinstance(metrics, str) else list(cast("Sequence[Any]", metrics))
        wanted = [getattr(one, "name", one) for one in given]
    unknown = [name for name in wanted if name not in every]
    if unknown or not wanted:
        raise ValueError(f"metrics must be names of the summary's metrics, {list(every)}, got {unknown}")
    for name in wanted:
        if every[name][1].is_ratio or name == BUILT_IN["zeros"].name:
            raise ValueError(
                f"metrics of a summary must be means of scores, and {name!r} is none; pass the rows"
            )
    return [every[name] for name in wanted]


def _numbered(frames: Cells, keys: Sequence[str]) -> tuple[pl.DataFrame, dict[Any, pl.Series]]:
    """Return the different keys of all frames, and the number of the line of each row of each frame."""
    places = pl.concat(
        [
            cells.select(*keys, pl.lit(number).alias("frame")).with_row_index("row")
            for number, cells in enumerate(frames.values())
        ],
        how="vertical_relaxed",
    )
    lines = places.group_by(keys, maintain_order=True).agg("frame", "row").with_row_index("line")
    of_frames = lines.select("line", "frame", "row").explode("frame", "row", empty_as_null=False)
    of_frames = of_frames.sort("frame", "row")
    numbers = {name: of_frames.filter(frame=number)["line"] for number, name in enumerate(frames)}
    return lines.select(keys), numbers


def _score(cells: pl.DataFrame, metric: Metric, height: int) -> Scores:
    """Return the sums of each line in a metric of one system."""
    x_name, y_name, squares_name = metric.columns[:3]
    power = int(metric.has_scales)
    x, rounding = _exact(cells, pl.col(x_name), height, metric.bits, power)
    y, _ = _exact(cells, pl.col(y_name), height)
    squares, _ = _exact(cells, pl.col(squares_name), height, metric.square_bits, 2 * power)
    sign = 1.0 if metric.higher_is_better else -1.0
    loss = lost(metric, x, y)
    return Scores(
        metric,
        sign * x,
        y,
        loss,
        counts=y,
        squares=squares,
        x_rounding=sign * rounding,
        lost_rounding=None if loss is None else -sign * rounding,
    )


def _change(cells: pl.DataFrame, metric: Metric, height: int) -> Scores:
    """Return the sums of each line in the change of a metric from the first system to the second."""
    bits, square_bits = comparison_sums.bits(metric, _TWO), comparison_sums.square_bits(metric)
    change = pl.col("x_1").cast(pl.Int128) - pl.col("x_0").cast(pl.Int128)
    x, rounding = _exact(cells, change, height, bits, 1)
    y, _ = _exact(cells, pl.col("n"), height)
    loss, lost_rounding = _exact(cells, pl.col(LOST), height, bits, 1)
    squares, _ = _exact(cells, pl.col(SQUARES), height, square_bits, 2)
    sign = 1.0 if metric.higher_is_better else -1.0
    return Scores(
        metric,
        sign * x,
        y,
        loss,
        is_change=True,
        counts=y,
        squares=squares,
        x_rounding=sign * rounding,
        lost_rounding=lost_rounding,
    )


def _exact(
    cells: pl.DataFrame, sums: pl.Expr, height: int, bits: int = 0, power: int = 0
) -> tuple[FloatArray, FloatArray]:
    """
    Return sums of units of each line as floats, and what rounding took from them.

    Units are relative to the scale of each cell to the power; 0 for sums without scales.
    """
    by_scale = [SCALE] if power else []
    found = cells.group_by("line", *by_scale).agg(sums.cast(pl.Int128).sum().alias("units"))
    rounded = pl.col("units").cast(pl.Float64)
    found = found.with_columns(
        value=rounded * 2.0**-bits,
        rounding=(pl.col("units") - rounded.cast(pl.Int128)).cast(pl.Float64) * 2.0**-bits,
    )
    values = np.zeros((2, height))
    # Scales in a fixed order.
    for scale in fixed_point.scales(found) if power else [None]:
        of_scale = found if scale is None else found.filter(pl.col(SCALE) == scale)
        size = 1.0 if scale is None else fixed_point.size(scale) ** power
        values[:, of_scale["line"].to_numpy()] += size * of_scale.select("value", "rounding").to_numpy().T
    return values[0], values[1]
