"""A search for slices in which a system is worse than in the rest, with control of false discoveries."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from anls_frame._arguments import takes_names
from anls_frame._engines import on_engines
from anls_frame._typing import ByFrame, Missing, declared
from anls_frame.frames.conversion import at_hand, column_names, is_pandas, to_lazy
from anls_frame.frames.documents import forgotten, numbers
from anls_frame.frames.progress import following
from anls_frame.frames.reserved_columns import NULL_IN_GOLD, QUESTION
from anls_frame.protocol import ScoreProtocol
from anls_frame.slices.candidates import Columns, candidates
from anls_frame.slices.candidates import features as features_of
from anls_frame.slices.columns import Condition, SliceColumn, coded
from anls_frame.slices.figures import SLICE, all_figures, figures, figures_of_summary
from anls_frame.slices.plan import Plan, SliceSearch
from anls_frame.slices.result import Slices
from anls_frame.slices.search import ListedRows, MetricSlice, honest, searched
from anls_frame.slices.slice_scores import SearchInput, scores
from anls_frame.slices.slices_document import confidence_of_chosen
from anls_frame.slices.summarized import lines_of
from anls_frame.slices.tables import check_work
from anls_frame.statistics.arrays import BoolArray
from anls_frame.summary import own_metrics
from anls_frame.summary.catalogue import Metrics
from anls_frame.summary.cells import hashes
from anls_frame.summary.keys import optional
from anls_frame.summary.labels import warn_of_labels
from anls_frame.summary.settings import Settings, Unanswerable, are_texts, scoring
from anls_frame.summary.summarizing import summarize
from anls_frame.summary.summary import Summary
from anls_frame.summary.system_rows import scored_rows
from anls_frame.summary.systems import are_several, for_system, metrics_of, systems_of

if TYPE_CHECKING:
    import pandas as pd

_USUAL = SliceSearch()
_PARTS = 1 << 20
"""Hashes of names are taken modulo this number, so that a share of documents is a range of hashes."""


_on_frames: ByFrame[Slices[pd.DataFrame], Slices[pl.DataFrame]] = declared


@_on_frames
@on_engines
@takes_names
def find_slices(
    frame: Any,
    prediction: str | Mapping[str, str] | Sequence[str] | None = None,
    answers: str | None = None,
    columns: Columns | None = None,
    *,
    metrics: Metrics | None = None,
    cluster: str | None = None,
    depth: int = 2,
    n: int = 20,
    search: SliceSearch = _USUAL,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    confidence: float = 0.95,
) -> Slices:
    """
    Find slices in which a system is worse than in the rest, or in which systems lost against a baseline.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, or any object with the Arrow PyCapsule interface.
        Its columns are loaded into memory. A Daft DataFrame is first summarized by `columns` and `cluster`. A
        `Summary` with a cluster is accepted, too: its settings say how rows were scored, `columns` must be
        among its `by`, and `metrics` must name its means.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers; without them,
        `metrics` names the columns of existing scores. For several systems, `prediction` is a mapping from
        names to columns, or a list of columns, as for `compare`; slices are then found in which a system lost
        against the first system, and lost more than in the rest. With one system, a mapping or list finds the
        slices of this system, as its column alone.
    columns
        Columns whose values can define slices (in pandas, levels of the index too), or expressions such as
        ``pl.col("question").str.len_chars().alias("length")``; by default, all columns without another role,
        except those in which `fields`, `documents` and logs of harnesses say how a system did, and those
        named like such a column, as `is_correct` and `judge_gpt4`; `left_out` names them.
    metrics
        One or several scores, as for `report` and `compare`: `"anls"` by default.
    cluster
        Column that identifies the document of each row. Pass this column if there is one: rows of a document
        are correlated, and without it, slices are found by chance.
    depth
        Maximum number of conditions of a slice, from 1 to 3.
    n
        Maximum number of slices to return.
    search
        Settings of the search: the size of the smallest slices, a holdout, features of texts, bins of
        numbers, and the draws of the test.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves such rows out.
        Rows with a null score are always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.
    confidence
        Confidence level of the intervals. Slices are tested at 1 - `confidence`, 0.05 by default.

    Returns
    -------
    Slices
        The slices, with `frame`, `filter(i)`, `account`, `plot()` and `write(path)`. Tables are pandas frames
        for a pandas frame, otherwise Polars frames.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If an option has an invalid value, there is nothing to score, no column can slice rows, or there are
        too many combinations of values (the error says what to leave out).

    See Also
    --------
    anls_frame.report : the scores of given slices.
    anls_frame.compare : the differences between systems, over all rows and by slice.
    anls_frame.browse : a page for reading the rows of a slice.
    anls_frame.worst : the rows with the worst scores.

    Notes
    -----
    Candidates are the values of each column (each entry of a list column, each quantile of numbers, and
    missing as a separate value), and their combinations up to `depth`. Each candidate is tested against all
    other rows with a one-sided permutation test: in each draw, the rows of documents are exchanged among
    documents of about the same size (of any size, for a slice that depends on the size of documents), and
    the statistic of a slice is compared with the largest statistic of all slices.

    Without a holdout, p-values are adjusted for all candidates, metrics and systems: if no slice is worse
    than the rest, a slice is found in about 5 % of cases. The figures of the slices found are too bad on
    average, because the worst slices were selected. Their intervals are wide enough to account for this
    selection: with `k` slices listed of `m` tests, each has the confidence 1 - (1 - `confidence`) `k` / `m`
    (Benjamini and Yekutieli 2005). With a holdout, slices are found on some documents, and tested and
    estimated on the others; their figures are then unbiased, and all tested slices are listed.

    A slice is listed only if it adds to the slices before it: it must be worse than the rest of each of its
    parents that is also found (significantly worse, if the parent is worse without it, too), and worse in the
    rows outside all slices listed before it. Other slices are named in `overlapping`.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> questions = af.sample()
    >>> columns = ["doc_type", "lang", "question_types"]
    >>> found = af.find_slices(questions, "rapidocr", "answers", columns, cluster="doc_id")
    >>> found.frame.select("description", "n", "p_adjusted").row(0)
    ('question_types has form', 696, 0.005)
    """
    given = locals()
    plan = Plan(search=search, depth=depth, n=n, confidence=confidence)
    features = search.features
    if isinstance(frame, Summary):
        usual = inspect.signature(find_slices).parameters
        of_rows = ("prediction", "answers", "cluster", "missing", "unanswerable", "protocol")
        passed = [name for name in of_rows if given[name] != usual[name].default]
        passed += ["features"] if features else []
        if passed:
            raise ValueError(f"a summary already says how its rows were scored; {passed} must be left out")
        return _searched(lines_of(frame, columns, metrics), plan)
    frame = at_hand(frame)
    systems, has_texts = systems_of(prediction), are_texts(prediction, answers)
    options: dict[str, Any] = {"has_texts": has_texts, "protocol": protocol}
    chosen = metrics_of(metrics, prediction, column_names(frame), are_of_rows=True, **options)
    texts = [*systems.values(), str(answers)] if has_texts else []
    settings = Settings(
        cluster=cluster,
        metrics=chosen,
        **scoring(protocol, frame, has_texts=has_texts, missing=missing, unanswerable=unanswerable),
    )
    own = [for_system(metric, system) for metric in chosen for system in systems]
    needed = [*dict.fromkeys(own_metrics.needed_columns(own)), *optional(cluster)]
    wanted, unreadable = candidates(frame, columns, [*needed, *texts])
    asked = [QUESTION] if features and QUESTION in column_names(frame) else []
    others = [*needed, *wanted.columns, *asked, *{NULL_IN_GOLD}.intersection(column_names(frame))]
    source = to_lazy(frame, texts, others, answers=answers, protocol=settings.protocol).collect()
    if features:
        if answers is None:
            raise ValueError("features need texts; columns of scores have none")
        # Slices are those of all systems, so only a system that is searched by itself has its own.
        own_texts = None if are_several(prediction) else next(iter(systems.values()))
        made = features_of(own_texts, answers, source.schema)
        # A column may have the name of a feature.
        made = {name: expr for name, expr in made.items() if name not in wanted.names}
        wanted = replace(wanted, names=(*wanted.names, *made), expressions={**wanted.expressions, **made})
    are_compared = are_several(prediction)
    rows = scored_rows(source, systems, answers, chosen, settings)
    source, every, account = scores(source, rows, are_compared=are_compared)
    resolved = list({scored.metric.name: scored.metric for scored in every}.values())
    how: dict[str, Any] = {"cluster": cluster, "missing": missing, "unanswerable": settings.unanswerable}
    if has_texts:
        how["protocol"] = protocol

    def reported(rows: BoolArray, slices: pl.Series, confidence: float) -> pl.DataFrame:
        on = source.filter(pl.Series(rows)).with_columns(slices.alias(SLICE))
        summary = summarize(on, prediction, answers, metrics=resolved, by=SLICE, **how)
        return figures_of_summary(summary, resolved, confidence)

    expressions = {name: wanted.expression(name) for name in (*wanted.plain, *wanted.expressions)}
    return _searched(
        SearchInput(
            frame=source.select(expr.alias(name) for name, expr in expressions.items()),
            expressions=expressions,
            roots=tuple(dict.fromkeys([*wanted.columns, *(texts if features else ()), *asked])),
            documents=None if cluster is None else source[cluster],
            scores=every,
            reported=reported,
            settings=settings,
            systems=tuple(systems) if are_compared else (),
            unreadable=unreadable,
            account=replace(account, from_pandas=is_pandas(frame)),
            forgotten_documents=forgotten(frame, cluster),
        ),
        plan,
    )


def _searched(source: SearchInput, plan: Plan) -> Slices:
    """Search the slices of a source."""
    search, counts = plan.search, source.scores[0].counts
    sliced, left_out = coded(source.frame, source.frame.columns, search, counts=counts)
    warn_of_labels(source.frame, {column.name: column.name for column in sliced})
    left_out = {**source.unreadable, **left_out}
    if not sliced:
        reasons = "; ".join(f"{name!r}: {reason}" for name, reason in left_out.items())
        raise ValueError(
            f"no column can slice rows{': ' if reasons else ''}{reasons}. Name a column with 2 to "
            f"{search.max_values:,} values, or group these values; `report` shows each value of any column"
        )
    values = {column.name: column.codes.size for column in sliced}
    # Each draw looks at the slices in every metric of every system.
    draws = 0 if plan.holdout else search.draws * len(source.scores)
    check_work(values, rows=source.frame.height, depth=plan.depth, draws=draws)
    document = numbers(source.documents, source.frame.height)
    rows = ListedRows([column.codes for column in sliced], source.scores, document)
    is_change = bool(source.systems)
    with following(search.draws * len(source.scores), "Testing slices", unit="draws") as advance:
        if plan.holdout:
            documents = pl.Series(document) if source.documents is None else source.documents
            is_shown = (hashes(documents) % _PARTS < int(plan.holdout * _PARTS)).to_numpy()
            chosen, n_slices, n_tests = honest(rows, is_shown, plan, advance)
            level = plan.confidence
        else:
            is_shown = np.ones(rows.height, bool)
            chosen, n_slices, n_tests = searched(rows, plan, advance)
            level = confidence_of_chosen(plan.confidence, len(chosen), n_tests)
        shown = rows.of(is_shown)
        table = figures(
            lambda slices: source.reported(is_shown, slices, level),
            chosen=[(slice_.metric, shown.mask(slice_.conditions)) for slice_ in chosen],
            scores=shown.scores,
        )
    return Slices(
        table=_described(table, chosen, sliced, is_change=is_change),
        conditions=[_conditions(chosen_slice, sliced) for chosen_slice in chosen],
        sources={column.name: (source.expressions[column.name], column.dtype) for column in sliced},
        metrics=list({scored.metric.name: scored.metric for scored in source.scores}.values()),
        systems=source.systems,
        n_slices=n_slices,
        n_tests=n_tests,
        left_out=left_out,
        settings={
            **source.settings.to_dict(),
            "columns": [column.name for column in sliced],
            "depth": plan.depth,
            "min_rows": search.min_rows,
            "min_clusters": search.min_clusters,
            "holdout": plan.holdout,
            "confidence": plan.confidence,
            "draws": search.draws,
            "seed": search.seed,
            "rows": rows.height if counts is None else int(counts.sum()),
            "forgotten_documents": source.forgotten_documents,
        },
        signature=source.settings.signature,
        row_names=source.settings.names,
        holdout=plan.holdout,
        confidence=plan.confidence,
        account=source.account,
        roots=source.roots,
    )


def _conditions(metric_slice: MetricSlice, columns: Sequence[SliceColumn]) -> list[Condition]:
    return [columns[column].conditions[code] for column, code in metric_slice.conditions]


def _named(metric_slice: MetricSlice, columns: Sequence[SliceColumn]) -> str:
    return " and ".join(map(str, _conditions(metric_slice, columns)))


def _described(
    table: pl.DataFrame, chosen: Sequence[MetricSlice], columns: Sequence[SliceColumn], *, is_change: bool
) -> pl.DataFrame:
    """Return the table with descriptions and p-values."""
    names = [_named(slice_, columns) for slice_ in chosen]
    overlapping = []
    for name, slice_ in zip(names, chosen, strict=True):
        # A slice may be worse in several metrics.
        others = dict.fromkeys(_named(other, columns) for other in slice_.overlapping)
        overlapping.append([other for other in others if other != name])
    table = table.with_columns(
        pl.Series("description", names, pl.String),
        pl.Series("p_adjusted", [slice_.p_adjusted for slice_ in chosen], pl.Float64).fill_nan(None),
        pl.Series("overlapping", overlapping, pl.List(pl.String)),
    )
    first = ["description", "metric", *(["system"] if is_change else []), "n", "n_clusters"]
    return table.select(*first, *all_figures(is_change=is_change), "p_adjusted", "few_rows", "overlapping")
