"""What is compared: this package, plugins for Polars, rapidfuzz, finders of slices, and Polars itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import polars_distance
import polars_ds
import polars_strsim
import pysubgroup
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist
from sliceline.slicefinder import Slicefinder

from anls_frame.slices.tables import combinations
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.losses import added

Quality = Callable[[NDArray[np.int64], NDArray[np.float64]], NDArray[np.float64]]

PAIR = ("prediction", "answer")


def column(frame: pl.DataFrame, expression: pl.Expr) -> Callable[[], NDArray[Any]]:
    """Return a contender that selects one expression, eagerly."""

    def select() -> NDArray[Any]:
        return frame.select(expression.alias("result"))["result"].to_numpy()

    return select


def similarity_plugins() -> dict[str, pl.Expr]:
    """Return the normalized similarity of each string plugin."""
    prediction, answer = map(pl.col, PAIR)
    return {
        "polars-ds": polars_ds.str_leven(*PAIR, return_sim=True),
        "polars-distance": 1
        - polars_distance.col("prediction").dist_str.levenshtein("answer", normalized=True),
        "polars-strsim": polars_strsim.levenshtein(prediction, answer),
    }


def duckdb_similarity(frame: pl.DataFrame) -> Callable[[], NDArray[Any]]:
    """Return the similarity by DuckDB's `levenshtein`, which counts bytes: for ASCII alone the same."""
    session = duckdb.connect(config={"threads": pl.thread_pool_size()})
    session.register("pairs", frame.to_arrow())
    longest = "greatest(strlen(prediction), strlen(answer), 1)"
    query = f"select 1 - levenshtein(prediction, answer) / {longest} as result from pairs"  # noqa: S608 - own
    return lambda: session.sql(query).fetchnumpy()["result"]


def rapidfuzz_similarity(frame: pl.DataFrame, workers: int) -> Callable[[], NDArray[Any]]:
    """Return rapidfuzz's normalized similarity of two columns, from the frame."""
    return lambda: cpdist(
        frame["prediction"].to_list(),
        frame["answer"].to_list(),
        scorer=Levenshtein.normalized_similarity,
        workers=workers,
        dtype=np.float64,
    )


def rapidfuzz_rates(
    pairs: Sequence[tuple[str, str]], hints: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """Return character error rates of (prediction, reference) pairs; with hints, each told its distance."""
    distance = Levenshtein.distance
    if hints is None:
        return np.array([distance(left, right) / len(right) for left, right in pairs])
    told = zip(pairs, hints, strict=True)
    return np.array([distance(left, right, score_hint=hint) / len(right) for (left, right), hint in told])


def exploded_anls(frame: pl.DataFrame, plugin: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> pl.DataFrame:
    """Return ANLS as one writes it without this package: explode, prepare, a plugin, the best a row."""

    def prepared(name: str) -> pl.Expr:
        stripped = pl.col(name).str.strip_chars().str.to_lowercase()
        return stripped.str.replace_all(r"\s+", " ").alias(name)

    similarity = plugin(pl.col("prediction"), pl.col("answers"))
    exploded = frame.lazy().with_row_index().explode("answers", empty_as_null=True, keep_nulls=True)
    kept = pl.when(similarity > 0.5).then(similarity).otherwise(0.0)
    best = exploded.with_columns(prepared("prediction"), prepared("answers")).with_columns(result=kept)
    scores = best.group_by("index").agg(pl.col("result").max()).sort("index")
    return scores.collect(engine="in-memory")


def rapidfuzz_confusions(frame: pl.DataFrame) -> Any:
    """Count edits and the characters of references in a loop, as `confusions` has them; sorted counts."""
    found: Counter[tuple[str, str, str]] = Counter()
    reference: Counter[str] = Counter()
    for prediction, answer in frame.select(*PAIR).iter_rows():
        reference.update(answer)
        for edit in Levenshtein.editops(answer, prediction):
            left = "" if edit.tag == "insert" else answer[edit.src_pos]
            found[edit.tag, left, "" if edit.tag == "delete" else prediction[edit.dest_pos]] += 1
    return np.sort(np.array(list(found.values())))


LEAST_ROWS = 20
BEST = 5


def best_slices(
    values: NDArray[np.int64], losses: NDArray[np.float64], depth: int, quality: Quality
) -> NDArray[np.float64]:
    """Return the best qualities of slices from contingency tables, as `find_slices` makes them."""
    columns = [Codes(one, int(one.max()) + 1) for one in np.ascontiguousarray(values.T)]
    found = []
    for codes in combinations(columns, depth):
        counts = np.bincount(codes.codes, minlength=codes.size)
        sums = added(codes.codes, losses, codes.size)
        enough = counts >= LEAST_ROWS
        found.append(quality(counts[enough], sums[enough]))
    return np.sort(np.concatenate(found))[-BEST:]


def sliceline_quality(losses: NDArray[np.float64]) -> Quality:
    """Return sliceline's score of slices from their rows and losses."""
    mean = losses.mean()
    return lambda n, loss: 0.95 * (loss / n / mean - 1) - 0.05 * (len(losses) / n - 1)


def pysubgroup_quality(losses: NDArray[np.float64]) -> Quality:
    """Return pysubgroup's numeric quality of slices with the exponent 0.5."""
    mean = losses.mean()
    return lambda n, loss: n**0.5 * (loss / n - mean)


def sliceline_slices(
    values: NDArray[np.int64], losses: NDArray[np.float64], depth: int
) -> NDArray[np.float64]:
    """Return the scores of the best slices by sliceline."""
    finder = Slicefinder(alpha=0.95, k=BEST, max_l=depth, min_sup=LEAST_ROWS, verbose=False)
    finder.fit(values, losses)
    return np.sort([one["slice_score"] for one in finder.top_slices_statistics_])


def pysubgroup_slices(values: NDArray[np.int64], losses: NDArray[np.float64], depth: int) -> Any:
    """Return the qualities of the best slices by pysubgroup, which has no smallest number of rows."""
    frame = pd.DataFrame(values.astype(str), columns=[f"column {place}" for place in range(values.shape[1])])
    frame["loss"] = losses
    task = pysubgroup.SubgroupDiscoveryTask(
        frame,
        pysubgroup.NumericTarget("loss"),
        pysubgroup.create_nominal_selectors(frame, ignore=["loss"]),
        result_set_size=BEST,
        depth=depth,
        qf=pysubgroup.StandardQFNumeric(0.5),
    )
    return np.sort([quality for quality, *_ in pysubgroup.SimpleDFS().execute(task).results])
