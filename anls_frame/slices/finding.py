"""Find the slices in which a system is worse than in the rest, with a guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, cast

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import count, flag, share, takes_names
from anls_frame._engines import on_engines
from anls_frame.frames.conversion import at_hand, column_names, is_pandas, to_lazy
from anls_frame.frames.documents import forgotten, numbers
from anls_frame.frames.progress import following
from anls_frame.reports.rest import MOST_DRAWS
from anls_frame.slices.candidates import QUESTION, Candidates, candidates
from anls_frame.slices.candidates import features as features_of
from anls_frame.slices.documents import confidence_of_chosen
from anls_frame.slices.result import Slices
from anls_frame.summary import own_metrics
from anls_frame.summary.catalogue import of_rows, resolve
from anls_frame.summary.keys import optional
from anls_frame.summary.settings import Settings, are_texts, resolve_missing, scoring
from anls_frame.summary.summary import Summary
from anls_frame.summary.systems import of_system, resolve_for, two

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from anls_frame._typing import Missing, OnFrames, Options
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.slices.candidates import Columns
    from anls_frame.slices.columns import Column, Condition
    from anls_frame.slices.figures import Reported
    from anls_frame.slices.listing import Listed
    from anls_frame.slices.outcome import Test
    from anls_frame.slices.scores import Scores
    from anls_frame.slices.search import Found
    from anls_frame.summary.catalogue import Metrics
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Unanswerable

    Mask = npt.NDArray[np.bool_]

__all__ = ["find_slices"]

_DEEPEST = 3
_HONEST_FROM = 3
"""Depth from which on slices are by default tested on other rows than those that they are found on."""
_MOST_BINS, _MOST_VALUES, _MOST_LISTED = 50, 1000, 1000


def _on_frames(
    function: Callable[Concatenate[Any, Options], Slices],
) -> OnFrames[Options, Slices[pd.DataFrame], Slices[pl.DataFrame]]:
    return cast("OnFrames[Options, Slices[pd.DataFrame], Slices[pl.DataFrame]]", function)


@_on_frames
@on_engines
@takes_names
def find_slices(
    frame: Any,
    prediction: str | Mapping[str, str] | None = None,
    answers: str | None = None,
    columns: Columns | None = None,
    *,
    systems: Mapping[str, str] | None = None,
    features: bool = False,
    cluster: str | None = None,
    depth: int = 2,
    min_rows: int = 20,
    min_clusters: int = 5,
    metrics: Metrics | None = None,
    top: int = 20,
    holdout: float | None = None,
    bins: int = 5,
    max_values: int = 50,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    confidence: float = 0.95,
    draws: int = 199,
    seed: int = 0,
) -> Slices:
    """
    Find the slices in which a system is worse than in the rest, or in which the second of two systems lost.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, or any object with the Arrow PyCapsule interface.
        Its columns are loaded into memory. Or a Daft DataFrame, in whose summary by `columns` and `cluster`
        slices are found. Or a `Summary` of one system or two, with a cluster: it knows how its rows were
        scored; `columns` then are among its `by`, and `metrics` names its means.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers; without them,
        `metrics` names the columns of existing scores. A mapping as prediction stands for `systems`.
    columns
        Columns whose values may make up a slice (in pandas, levels of the index too), or expressions such as
        ``pl.col("question").str.len_chars().alias("length")``; by default all columns without another role.
    systems
        Two systems, from name to prediction column: find the slices in which the second one lost, and lost
        more than in the rest.
    features
        Also look at what texts say about themselves: the number of answers, the length, digits and script of
        the first one, and the length of the prediction of a single system and of a column named question.
    cluster
        Column that identifies the document of each row. Rows of one document are alike, and without it slices
        are found by chance, so pass this column if there is one.
    depth
        Largest number of conditions of a slice, from 1 to 3.
    min_rows, min_clusters
        Smallest number of scored rows and of documents inside and outside a slice.
    metrics
        The scores, one or several, as for `report` and `compare`: `"anls"` by default.
    top
        Largest number of slices to return.
    holdout
        Share of documents on which the slices are tested and estimated that were found on the others; 0 tests
        all slices on all documents. By default 0, at depth 3 one half.
    bins
        Number of quantiles into which columns with more than 10 different numbers are cut.
    max_values
        Columns with more values, or entries of lists, are left out; `left_out` names them.
    protocol
        How texts are scored, as for `anls_frame.score`: a preset's name or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves it out. A null
        score is always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts). `"empty"`
        scores them as if the empty text were the answer: a row is right where nothing was predicted, null or
        empty, whatever `missing` says, and wrong with any text.
    confidence
        Share of the intervals of listed slices that hold; slices are found at the level 1 minus this.
    draws, seed
        Number of draws of the test, at most 20,000, and their seed.

    Returns
    -------
    Slices
        The slices, with `frame`, `filter(i)`, `plot()` and `write(path)`. Its tables are pandas frames if
        `frame` is one, otherwise Polars frames.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If an option has an invalid value, if there is nothing to score, if no column can slice rows, or if
        there are too many combinations of values: it then says what to leave out.

    See Also
    --------
    anls_frame.report : the scores of slices that you name.
    anls_frame.compare : the difference of two systems, over all rows and by slice.
    anls_frame.browse : a page of the rows of a slice.
    anls_frame.worst : the rows with the worst scores.

    Notes
    -----
    A candidate is each value of each column (each entry of a list column, each quantile of numbers, and
    missing as a value of its own), and each combination of them up to `depth`. Each is tested against all
    other rows, one-sided, by documents: the rows of each document are dealt to another one of about the same
    size, `draws` times, and a slice is compared with the largest statistic of all in each draw.

    With `holdout=0`, the p-values are adjusted for all candidates and metrics: where no slice is worse than
    the rest, one is found in about 5 % of all cases. The figures of slices that were found are too bad on
    average, because the worst ones were chosen. Their intervals are wide enough for that: with `k` slices
    listed of `m` tests, each has the confidence 1 - (1 - `confidence`) `k` / `m` (Benjamini and Yekutieli
    2005). With a holdout, slices are found on some documents, and tested and estimated on the others: their
    figures are unbiased, and all that were tested are listed.

    A slice is listed only if it is worse than the rest of each of its parents that is found too (if these are
    worse without it as well, significantly worse), and worse in the rows that no slice before it has; others
    are named in `overlapping`.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> questions = pl.read_parquet("data/ocr_qa.parquet")
    >>> columns = ["doc_type", "lang", "question_types"]
    >>> found = af.find_slices(questions, "rapidocr", "answers", columns, cluster="doc_id")
    >>> found.frame.select("description", "n", "p_adjusted").row(0)
    ('question_types has form', 696, 0.005)
    """
    from anls_frame.slices.figures import of_rows as figures_of_rows  # noqa: PLC0415 - imports numpy, as does
    from anls_frame.slices.scores import scores  # noqa: PLC0415 - this

    how = checked(
        depth=depth,
        min_rows=min_rows,
        min_clusters=min_clusters,
        top=top,
        holdout=holdout,
        bins=bins,
        max_values=max_values,
        confidence=confidence,
        draws=draws,
        seed=seed,
    )
    if isinstance(frame, Summary):
        of_rows: dict[str, object] = {
            "prediction": prediction,
            "answers": answers,
            "systems": systems,
            "cluster": cluster,
        }
        of_rows |= {"missing": None if missing == "empty" else missing, "features": features or None}
        of_rows |= {"unanswerable": None if unanswerable == "drop" else unanswerable}
        of_rows |= {"protocol": None if protocol == "anls" else protocol}
        return _found(_of_summary(frame, columns, metrics, of_rows), **how)
    frame = at_hand(frame)
    given = _Given.of(frame, prediction, answers, systems=systems, metrics=metrics, protocol=protocol)
    settings = Settings(
        cluster=cluster,
        metrics=tuple(metric.described() for metric in given.metrics),
        has_texts=answers is not None,
        missing=resolve_missing(missing, has_scores=answers is None),
        **scoring(protocol, of_texts=answers is not None, unanswerable=unanswerable),
    )
    needed = [*given.needed, *optional(cluster)]
    wanted, unreadable = candidates(frame, columns, [*needed, *given.texts])
    has_question = flag("features", features) and QUESTION in column_names(frame)
    asked = [QUESTION] if has_question else []
    others, compared = [*needed, *wanted.roots, *asked], settings.protocol
    source = to_lazy(frame, given.texts, others, answers=answers, protocol=compared).collect()
    if features:
        wanted = given.with_features(wanted, answers, source.schema)
    source, of_metrics = scores(source, given.systems, answers, given.metrics, settings)
    options = {
        **({"protocol": protocol} if answers else {}),
        "cluster": cluster,
        "missing": missing,
        "unanswerable": unanswerable,
    }

    def reported(chosen: Mask | None, confidence: float) -> Reported:
        on = source if chosen is None else source.filter(pl.Series(chosen))
        resolved = [one.metric for one in of_metrics]
        return figures_of_rows(on, given.systems, answers, resolved, options, confidence=confidence)

    return _found(
        _Source(
            frame=source.select(wanted.source(name).alias(name) for name in (*wanted.names, *wanted.made)),
            expressions={name: wanted.source(name) for name in (*wanted.names, *wanted.made)},
            roots=tuple(dict.fromkeys([*wanted.roots, *(given.texts if features else ()), *asked])),
            documents=None if cluster is None else source[cluster],
            scores=of_metrics,
            reported=reported,
            settings=settings,
            systems=tuple(given.systems) if len(given.systems) > 1 else (),
            unreadable=unreadable,
            forgotten_documents=forgotten(frame, cluster),
            from_pandas=is_pandas(frame),
        ),
        **how,
    )


def checked(
    *,
    depth: int,
    min_rows: int,
    min_clusters: int,
    top: int,
    holdout: float | None,
    bins: int,
    max_values: int,
    confidence: float,
    draws: int,
    seed: int,
) -> dict[str, Any]:
    """Return how slices are searched from options of `find_slices`, or raise an error if one is invalid."""
    from anls_frame.slices.outcome import Test  # noqa: PLC0415 - imports numpy, as does
    from anls_frame.statistics.losses import Least  # noqa: PLC0415 - this

    depth = count("depth", depth, 1, _DEEPEST)
    confidence = share("confidence", confidence, ends=False)
    held_out = share("holdout", (0.5 if depth >= _HONEST_FROM else 0.0) if holdout is None else holdout)
    if held_out == 1:
        raise ValueError("holdout must leave documents to find slices on, got 1")
    test = Test(
        depth=depth,
        least=Least(count("min_rows", min_rows, 1), count("min_clusters", min_clusters, 1)),
        top=count("top", top, 1, _MOST_LISTED),
        draws=count("draws", draws, 1, MOST_DRAWS),
        seed=count("seed", seed),
        alpha=1 - confidence,
    )
    bins, most = count("bins", bins, 2, _MOST_BINS), count("max_values", max_values, 2, _MOST_VALUES)
    return {"test": test, "held_out": held_out, "confidence": confidence, "bins": bins, "most": most}


@dataclass(frozen=True, kw_only=True)
class _Source:
    """Where slices are found: rows, or lines that stand for several."""

    frame: pl.DataFrame
    """The columns that slice."""
    expressions: Mapping[str, pl.Expr]
    """What selects them in other frames."""
    documents: pl.Series | None
    scores: Sequence[Scores]
    roots: Sequence[str]
    """The columns that these expressions need."""
    reported: Callable[[Mask | None, float], Reported]
    """Returns how the figures of all or the chosen lines are computed, with intervals at a level."""
    settings: Settings
    systems: tuple[str, ...] = ()
    unreadable: Mapping[str, str] = field(default_factory=dict)
    forgotten_documents: str | None = None
    from_pandas: bool = False


def _of_summary(
    summary: Summary,
    columns: Columns | None,
    metrics: object,
    of_rows: Mapping[str, Any],
) -> _Source:
    from anls_frame.slices.summarized import Lines  # noqa: PLC0415 - imports numpy

    passed = [name for name, value in of_rows.items() if value is not None]
    if passed:
        raise ValueError(f"a summary knows how its rows were scored; {passed} must be left out")
    lines = Lines.of(summary, columns, metrics)
    return _Source(
        frame=lines.frame,
        expressions={name: cs.by_name(name).as_expr() for name in lines.frame.columns},
        roots=lines.frame.columns,
        documents=lines.documents,
        scores=lines.scores,
        reported=lines.reported,
        settings=lines.settings,
        systems=tuple(summary.systems) if len(summary.systems) > 1 else (),
        from_pandas=summary.from_pandas,
    )


def _found(
    source: _Source,
    *,
    test: Test,
    held_out: float,
    confidence: float,
    bins: int,
    most: int,
) -> Slices:
    """Search the slices of a source."""
    from anls_frame.slices import work  # noqa: PLC0415 - imports numpy, as do these
    from anls_frame.slices.columns import coded  # noqa: PLC0415
    from anls_frame.slices.figures import figures  # noqa: PLC0415
    from anls_frame.slices.halves import is_held_out  # noqa: PLC0415
    from anls_frame.slices.listing import Rows  # noqa: PLC0415
    from anls_frame.slices.outcome import honest, searched  # noqa: PLC0415

    counts = source.scores[0].counts
    sliced, left_out = coded(source.frame, source.frame.columns, bins=bins, most=most, counts=counts)
    left_out = {**source.unreadable, **left_out}
    if not sliced:
        reasons = "; ".join(f"{name!r}: {reason}" for name, reason in left_out.items())
        raise ValueError(f"columns must have one that can slice rows{': ' if reasons else ''}{reasons}")
    values = {one.name: one.codes.size for one in sliced}
    work.check(values, rows=source.frame.height, depth=test.depth, draws=0 if held_out else test.draws)
    document = numbers(source.documents, source.frame.height)
    rows = Rows([one.codes for one in sliced], source.scores, document)
    is_change = bool(source.systems)
    with following(test.draws * len(source.scores), "Testing slices", unit="draws") as advance:
        if held_out:
            documents = pl.Series(document) if source.documents is None else source.documents
            outcome = honest(rows, is_held_out(documents, held_out), test, advance)
        else:
            outcome = searched(rows, test, advance)
        chosen = [one.found for one in outcome.listed]
        shown = rows if outcome.tested_on is None else rows.of(outcome.tested_on)
        masks = [(one.metric, shown.mask(one.conditions)) for one in chosen]
        of_intervals = confidence
        if outcome.tested_on is None:
            of_intervals = confidence_of_chosen(confidence, len(chosen), outcome.tests)
        reported = source.reported(outcome.tested_on, of_intervals)
        table = figures(reported, chosen=masks, scores=shown.scores, is_change=is_change)
    return Slices(
        table=_described(table, outcome.listed, sliced, is_change=is_change),
        conditions=[_conditions(one, sliced) for one in chosen],
        sources={one.name: (source.expressions[one.name], one.dtype) for one in sliced},
        metrics=[one.metric for one in source.scores],
        systems=source.systems,
        n_slices=outcome.slices,
        n_tests=outcome.tests,
        left_out=left_out,
        settings={
            **source.settings.to_dict(),
            "columns": [one.name for one in sliced],
            "depth": test.depth,
            "min_rows": test.least.rows,
            "min_clusters": test.least.units,
            "holdout": held_out,
            "confidence": confidence,
            "draws": test.draws,
            "seed": test.seed,
            "rows": rows.size,
            "forgotten_documents": source.forgotten_documents,
        },
        signature=source.settings.signature,
        holdout=held_out,
        confidence=confidence,
        from_pandas=source.from_pandas,
        roots=source.roots,
    )


def one_or_two(
    prediction: str | Mapping[str, str] | None, systems: Mapping[str, str] | None
) -> tuple[str | None, dict[str, str] | None]:
    """Return the column of a single system, or the columns of two by name."""
    if isinstance(prediction, Mapping):
        if systems is not None:
            raise ValueError("pass the two systems as prediction or as systems, not both")
        return None, two(prediction)
    if systems is None:
        return prediction, None
    if prediction is not None:
        raise ValueError("pass prediction for one system, or systems for two, not both")
    return None, two(systems)


@dataclass(frozen=True)
class _Given:
    """What is scored: the columns of one or two systems by name, and the metrics."""

    systems: Mapping[str, str]
    metrics: tuple[Metric, ...]
    texts: list[str]
    needed: list[str]

    @classmethod
    def of(
        cls,
        frame: Any,
        prediction: str | Mapping[str, str] | None,
        answers: str | None,
        *,
        systems: Mapping[str, str] | None,
        metrics: Metrics | None,
        protocol: ScoreProtocol | str,
    ) -> _Given:
        prediction, pair = one_or_two(prediction, systems)
        if pair is not None:
            chosen = resolve_for(metrics, pair, has_texts=answers is not None, protocol=protocol)
            texts = [*pair.values(), answers] if answers is not None else []
            return cls(pair, chosen, texts, _needed(chosen, pair))
        has_texts = are_texts(prediction, answers)
        wanted = "anls" if metrics is None and has_texts else metrics
        resolved = resolve(wanted, column_names(frame), has_texts=has_texts, protocol=protocol)
        chosen = of_rows(resolved, wanted)
        name = "score" if prediction is None else prediction
        texts = [name, str(answers)] if has_texts else []
        return cls({name: name}, chosen, texts, _needed(chosen, {name: name}))

    def with_features(
        self, wanted: Candidates, answers: str | None, schema: Mapping[str, pl.DataType]
    ) -> Candidates:
        """Return the candidates with features of texts, unless a column has the name of one."""
        if answers is None:
            raise ValueError("features are those of texts; columns of scores have none")
        found = features_of(self.texts[0] if len(self.systems) == 1 else None, answers, schema)
        new = {name: one for name, one in found.items() if name not in (*wanted.names, *wanted.made)}
        return Candidates(wanted.names, {**wanted.made, **new})


def _needed(metrics: Sequence[Metric], systems: Mapping[str, str]) -> list[str]:
    every = [of_system(metric, system) for metric in metrics for system in systems]
    return list(dict.fromkeys(own_metrics.needed(every)))


def _conditions(found: Found, columns: Sequence[Column]) -> list[Condition]:
    return [columns[place].conditions[code] for place, code in found.conditions]


def _named(found: Found, columns: Sequence[Column]) -> str:
    return " and ".join(map(str, _conditions(found, columns)))


def _described(
    table: pl.DataFrame, chosen: Sequence[Listed], columns: Sequence[Column], *, is_change: bool
) -> pl.DataFrame:
    """Return the table with descriptions and p-values."""
    names = [_named(one.found, columns) for one in chosen]
    # A slice may be worse in several metrics.
    others = [dict.fromkeys(_named(other, columns) for other in one.overlapping) for one in chosen]
    table = table.with_columns(
        pl.Series("description", names, pl.String),
        pl.Series("p_adjusted", [one.found.p_adjusted for one in chosen], pl.Float64).fill_nan(None),
        pl.Series(
            "overlapping",
            [
                [other for other in of_one if other != name]
                for name, of_one in zip(names, others, strict=True)
            ],
            pl.List(pl.String),
        ),
    )
    of_two = ["first_score", "second_score"] if is_change else []
    ordered = ["description", "metric", "n", "n_clusters", *of_two, "score", "low", "high", "rest"]
    ordered += ["difference", "share_of_rows", "share_of_loss", "p_adjusted", "few_rows", "overlapping"]
    return table.select(ordered).rename({"score": "change"} if is_change else {})
