"""One call, one page: how good a system is, where and why it fails, and what to do first."""

from __future__ import annotations

import inspect
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import share, takes_names
from anls_frame._palette import PAGE_COLORS
from anls_frame._typing import ByFrame, Missing, Table_co, declared
from anls_frame.export import html
from anls_frame.export.columns import ends_of
from anls_frame.export.row_names import Names
from anls_frame.export.rows_page import framed
from anls_frame.frames import origins
from anls_frame.frames.checks import free_name
from anls_frame.frames.conversion import is_pandas
from anls_frame.metrics.scores import nearest_answer
from anls_frame.overviews.advice import (
    PAGE_RULES,
    RATE_RULES,
    RULES,
    Case,
    Gain,
    called,
    figure,
    first_steps,
    means,
    page_losses,
)
from anls_frame.overviews.overview_documents import TOLD, OverviewView
from anls_frame.overviews.roles import Given, Roles, found_roles, n_values, prepared, rows_of
from anls_frame.protocol import ScoreProtocol, resolve_protocol
from anls_frame.reports.comparisons import Comparison, compare
from anls_frame.reports.reports import Report, report
from anls_frame.results import Written
from anls_frame.slices.finding import find_slices
from anls_frame.slices.plan import SliceSearch
from anls_frame.slices.result import Slices
from anls_frame.summary import causes
from anls_frame.summary.account import Account
from anls_frame.summary.catalogue import Metrics, names_in_reports, resolve
from anls_frame.summary.measures import Metric
from anls_frame.summary.rows import with_unanswerable
from anls_frame.summary.settings import Unanswerable, named_columns
from anls_frame.summary.systems import systems_of

if TYPE_CHECKING:
    import pandas as pd

MOST_PAIRS = 20_000
"""Rows up to which pairs of columns are searched for slices."""
_SLICES = 5
_LEAST_ROWS, _LEAST_SHARE = 20, 200
"""Slices have at least this number of rows, and at least one row in this number."""
_TABLES = 12
"""Largest number of values of a column with a table of its own."""
_WORST = 3
"""Rows of each cause that are shown."""
_PAGE_RATES = {kind: pl.col(kind) / pl.max_horizontal("reference_length", 1) for kind in PAGE_COLORS}
"""What each kind of error adds to the rate of a page; of a page without text, the number of errors."""
_LOSSES: dict[str, pl.Expr] = {
    cause: pl.when(pl.col("cause") == cause).then("lost") for cause in causes.CAUSES
}
_LOSSES[causes.WRAPPED] = pl.col(causes.WRAPPED)
"""What each cause takes from the score of a row."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Overview(Written[Table_co]):
    """
    How good a system is, where and why it fails, and what to do first.

    Returned by `overview`. Printed, it fits a screen; ``write("overview.html")`` writes a page.

    Attributes
    ----------
    report
        The `Report` of the system, the best one of several, with a table of slices for each column. Its
        tables are Polars frames.
    account
        How many rows were given and used, and why others were left out or changed.
    comparison
        The `Comparison` of several systems, or None.
    found
        The `Slices` that are worse than the rest, or None if no column can slice rows.
    roles
        Which columns were taken for what.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> rows = [("The answer is 42.", "42"), ("Koca Cola", "Coca Cola"), (None, "7"), ("x", "x")]
    >>> df = pl.DataFrame(rows * 10, ["prediction", "answer"], orient="row")
    >>> overview = af.overview(df)
    >>> overview.roles.answers
    'answer'
    >>> overview.causes.select("cause", "n", pl.col("loss").round(3)).rows()
    [('missing', 10, 0.25), ('wrapped', 10, 0.25), ('near', 10, 0.028)]
    """

    noun = "overview"
    is_page = True
    view = OverviewView

    report: Report[Any]
    account: Account[Table_co]
    comparison: Comparison[Any] | None
    found: Slices[Any] | None
    roles: Roles
    options: Mapping[str, Any]
    """The options of `overview` that differ from their defaults and name no column."""
    risk: float
    measures: tuple[Metric, ...]
    """The score."""
    row_names: Names
    """The words for rows."""
    signature: str
    """The settings as a single line; figures with equal signatures are comparable."""
    cause_frame: pl.DataFrame = field(default_factory=pl.DataFrame)
    """The frame of `causes` in Polars."""
    step_frame: pl.DataFrame = field(default_factory=pl.DataFrame)
    """The frame of `advice` in Polars."""
    worst_rows: pl.DataFrame = field(default_factory=pl.DataFrame)
    confusions: pl.DataFrame = field(default_factory=pl.DataFrame)
    """The most frequent substitutions in rows that were read at least in part."""
    row_causes: pl.Series | None = None
    """The causes of each given row, under a name that no column has."""

    @property
    def causes(self) -> Table_co:
        """
        What lowers the score: a row for each cause, the largest loss first, whose losses add up to 1 - score.

        The columns are those of `Report.causes`, with the interval of the loss in `loss_low` and `loss_high`;
        of several systems, a column `system` comes first. For OCR, the causes are the kinds of page errors,
        which add up to the CER without moved text.
        """
        return self._as_given(self.cause_frame)

    @property
    def slices(self) -> Table_co:
        """The slices that are worse than the rest, as `Slices.frame`."""
        return self._as_given(pl.DataFrame() if self.found is None else self.found.to_polars())

    @property
    def advice(self) -> Table_co:
        """
        What to do first: at most five steps, in order.

        The columns are the `rule` that gives the step; the `step` as a sentence; the possible `gain` in
        score, with its interval, null for steps that do not change the score by themselves; `n`, the number
        of rows that it concerns; and the `call` that does it.
        """
        return self._as_given(self.step_frame)

    @property
    def code(self) -> str:
        """The call that makes this overview, with all columns that were found."""
        return called({**self.roles.options, **self.options})

    @property
    def settings(self) -> dict[str, Any]:
        """All settings that determine the figures, and the columns that were found."""
        columns = self.roles.options
        if not isinstance(columns.get("metrics"), str):
            columns.pop("metrics", None)  # described by the report
        return {
            **self.report.settings,
            "columns": columns,
            "found": sorted(self.roles.found),
            "code": self.code,
        }

    def to_text(self, **shown: Any) -> str:
        """Return the overview as printed text; the options are those of `write`."""
        general, own = self._taken_apart(shown)
        view = self.view(result=self, **own)
        tables = general.of(view.screen_tables())
        if general.tables is None:
            tables = [table for table in tables if table.name not in {*TOLD, view.names["whole"]}][:1]
        return view.text(general.title or view.title, tables)

    def _repr_html_(self) -> str:
        page = io.BytesIO()
        html.write(self.to_document(), page)
        return framed(page.getvalue().decode())


_on_frames: ByFrame[Overview[pd.DataFrame], Overview[pl.DataFrame]] = declared


@_on_frames
@takes_names
def overview(
    frame: Any,
    prediction: str | Mapping[str, str] | Sequence[str] | None = None,
    answers: str | None = None,
    *,
    metrics: Metrics | None = None,
    by: str | Sequence[str] | None = None,
    cluster: Given = None,
    model_confidence: Given = None,
    id: Given = None,  # noqa: A002 - as in `browse`
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    risk: float = 0.05,
    confidence: float = 0.95,
) -> Overview:
    """
    Show how good a system is, where and why it fails, and what to do first.

    Columns without a given role are found by their names, dtypes and contents. `overview.code` is the call
    with all of them. If two columns could have a role, an error shows both, and the option that decides.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, or any object with the Arrow PyCapsule interface.
        Its columns are loaded into memory.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers. For several
        systems, `prediction` is a mapping from names to columns, or a list of columns, the baseline first;
        slices and advice are then those of the best system.
    metrics
        The score: by default `"anls"`, or `"exact_match"` for similar labels, such as `A>B` and `A=B`;
        another name, or a column of scores; `"ocr"` for pages, `"speech"` for utterances.
    by
        Columns whose values can define slices; by default, all with few values that repeat. In texts such as
        `form;layout`, each label is a value.
    cluster, model_confidence, id
        Columns with the document of each row, with the system's confidence, and with the id of the row. False
        says that there is none. Without a column of documents, the rows of a repeated id are one.
    protocol, missing, unanswerable
        How rows are scored, as for `report`.
    risk
        Largest tolerated loss of answers that are accepted unread because of their confidence.
    confidence
        Confidence level of the intervals.

    Returns
    -------
    Overview
        The overview, with `causes`, `slices`, `advice`, `report`, `code` and `write(path)`. Tables are pandas
        frames for a pandas frame, otherwise Polars frames.

    Warns
    -----
    InputWarning
        If texts of the answers look like several answers each. They are scored as they are; `parse_answers`
        splits them.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If a column that is needed is not found, or several could be meant, or an option has an invalid value.

    See Also
    --------
    anls_frame.report : scores by slice.
    anls_frame.browse : a page for reading the rows.
    anls_frame.find_slices : the search for slices.
    anls_frame.selective : a system's confidence.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["**42**", "7"] * 200, "answer": ["42", "7"] * 200})
    >>> af.overview(df).advice["rule"].to_list()
    ['unwrap']
    """
    given = {name: value for name, value in locals().items() if name != "frame"}
    share("confidence", confidence, ends=False)
    systems = None if prediction is None else systems_of(prediction)
    asked = {**given, "prediction": systems, "by": None if by is None else named_columns("by", by)}
    rows, roles = found_roles(rows_of(frame, asked), asked)
    whole = resolve_protocol(protocol)
    rows = origins.like(prepared(rows, roles, whole), frame)
    chosen: Any = roles.metrics
    if chosen is None:
        chosen = "nls" if whole.threshold is None else "anls"
    how: dict[str, Any] = {"cluster": roles.cluster, "confidence": confidence, "missing": missing}
    if roles.answers is not None:
        how |= {"protocol": whole, "unanswerable": unanswerable}
    comparison = None
    system = next(iter(roles.systems), "")
    if len(roles.systems) > 1:
        first = "cer_corpus" if chosen == "ocr" else chosen
        comparison = compare(rows, roles.systems, roles.answers, metrics=first, **how)
        system = comparison.ranked["system"][0]
    column = roles.systems.get(system)
    scores = resolve(chosen, rows.columns, has_texts=roles.answers is not None, protocol=whole)
    names = names_in_reports(scores)
    tables = [[name] for name in roles.by if n_values(rows[name]) <= _TABLES and name not in names]
    made: Report[Any] = report(rows, column, roles.answers, metrics=chosen, by=tables or None, **how)
    made.account.check_scored(made.overall["n"])
    # The rows without a score may be those of all other values.
    varying = [name for name in roles.by if [name] not in tables or made.tables[name]["n"].gt(0).sum() > 1]
    found = None
    if varying:
        depth = 2 if rows.height <= MOST_PAIRS else 1
        search = SliceSearch(min_rows=max(_LEAST_ROWS, rows.height // _LEAST_SHARE))
        how |= {"metrics": scores[0], "depth": depth, "n": _SLICES, "search": search}
        found = replace(find_slices(rows, column, roles.answers, varying, **how), row_names=made.row_names)
    usual = inspect.signature(overview).parameters
    options = {name: value for name, value in given.items() if name not in roles.options}
    result = Overview(
        report=made,
        account=replace(made.account, from_pandas=is_pandas(frame)),
        comparison=comparison,
        found=found,
        roles=roles,
        risk=risk,
        options={name: value for name, value in options.items() if value != usual[name].default},
        **{name: getattr(made, name) for name in ("measures", "row_names", "signature")},
    )
    return _explained(result, rows, system)


def _explained(result: Overview[Any], rows: pl.DataFrame, system: str) -> Overview[Any]:
    """Return an overview with the causes of its losses and what to do first, as far as its score has them."""
    made, roles, metric = result.report, result.roles, result.measures[0]
    are_pages = {"cer_corpus", *PAGE_COLORS, "reading_order_free_cer"} <= {*made.overall}
    settings = made.summary.settings
    has_causes = are_pages or metric.name in causes.SCORES
    if roles.answers is None or not (has_causes or settings.are_error_rates):
        return result
    texts = {name: _texts(rows, roles, name, settings.unanswerable) for name in roles.systems}
    if not has_causes:
        case = Case(result, system, texts[system].collect(), pl.DataFrame())
        return replace(result, step_frame=first_steps(case, RATE_RULES))
    if are_pages:
        scored = {system: texts[system].with_columns(**page_losses(settings)).collect()}
        of_systems = {system: _page_causes(made, scored[system])}
    else:
        scored = {
            name: causes.with_losses(one, "prediction", settings, score=metric.name).collect()
            for name, one in texts.items()
        }
        of_systems = {name: _cause_table(one, made.confidence) for name, one in scored.items()}
    own, table, losses = scored[system], of_systems[system], _PAGE_RATES if are_pages else _LOSSES
    named_tables = [one.select(pl.lit(name).alias("system"), pl.all()) for name, one in of_systems.items()]
    case = Case(result, system, own, table)
    of_rows = [pl.when(loss > 0).then(pl.lit(cause)) for cause, loss in losses.items()]
    label = free_name("cause" if result.comparison is None else f"cause of {system}", rows.columns)
    return replace(
        result,
        cause_frame=table if len(named_tables) == 1 else pl.concat(named_tables),
        step_frame=first_steps(case, PAGE_RULES if are_pages else RULES),
        worst_rows=_worst_rows(own, {cause: losses[cause] for cause in table["cause"]}, settings.protocol),
        confusions=case.confusions.head(_WORST),
        row_causes=own.select(pl.concat_list(of_rows).list.drop_nulls().alias(label)).to_series(),
    )


def _texts(rows: pl.DataFrame, roles: Roles, system: str, unanswerable: Unanswerable) -> pl.LazyFrame:
    """Return the texts of a system as they are scored and the columns with a role, each named as its role."""
    columns = {name: getattr(roles, name) for name in ("answers", "cluster", "model_confidence", "id")}
    columns |= {f"other {name}": column for name, column in roles.systems.items() if name != system}
    columns["prediction"] = roles.systems[system]
    texts = with_unanswerable(rows.lazy(), roles.systems.values(), columns["answers"], unanswerable)
    return texts.select(
        cs.by_name(column).alias(name) for name, column in columns.items() if column is not None
    )


def _cause_table(rows: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return the causes with the intervals of their losses."""
    table = causes.losses_by_cause(causes.summed(rows.lazy(), []).collect(), [])
    known = means(rows.drop_nulls("lost"), {cause: _LOSSES[cause] for cause in table["cause"]}, confidence)
    return _with_ends(table, known.values())


def _with_ends(table: pl.DataFrame, figures: Iterable[Gain]) -> pl.DataFrame:
    """Return causes with the ends of the intervals of their losses."""
    schema = dict.fromkeys(ends_of("loss"), pl.Float64)
    ends = pl.DataFrame([own[1:] for own in figures], schema, orient="row").fill_nan(None)
    return table.hstack(ends).select("cause", "n", "loss", *schema, "share_of_loss")


def _page_causes(made: Report[Any], rows: pl.DataFrame) -> pl.DataFrame:
    """Return the kinds of page errors, as shares of the characters of the references."""
    counts = [(kind, rows.filter(pl.col(kind) > 0).height, made.overall[kind]) for kind in PAGE_COLORS]
    table = pl.DataFrame(counts, ["cause", "n", "loss"], orient="row").filter(pl.col("n") > 0)
    table = table.with_columns(share_of_loss=pl.col("loss") / pl.col("loss").sum())
    table = table.sort("loss", descending=True, maintain_order=True)
    return _with_ends(table, [figure(made.overall, kind) for kind in table["cause"]])


def _worst_rows(rows: pl.DataFrame, losses: Mapping[str, pl.Expr], protocol: ScoreProtocol) -> pl.DataFrame:
    """Return the rows that lose most by each cause, with their texts and the nearest answers."""
    worst = [rows.clear().with_columns(cause=pl.lit(""), lost=pl.lit(0.0))]
    for cause, loss in losses.items():
        losing = rows.with_columns(cause=pl.lit(cause), lost=loss).filter(pl.col("lost") > 0)
        ordered = losing.sort(-pl.col("lost"), "prediction", nulls_last=True, maintain_order=True)
        worst.append(ordered.head(_WORST))
    text = pl.col("prediction").cast(pl.String).fill_null("")
    every = pl.concat(worst).with_columns(nearest=nearest_answer(text, "answers", protocol=protocol))
    return every.select(cs.by_name("cause", "lost", "id", "prediction", "nearest", require_all=False))
