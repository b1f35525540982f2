"""Scored rows as a page for sorting, filtering and reading."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._arguments import count, flag, string, takes_names
from anls_frame._atomic import replacing
from anls_frame._messages import Message, Option
from anls_frame._paths import as_path
from anls_frame._text import label, numbered, shortened, shortened_apart
from anls_frame._typing import Missing
from anls_frame.analysis.browsed_rows import Asked, collected, right_values, with_substitutions
from anls_frame.export import rows_page, sources
from anls_frame.export.columns import heading_of
from anls_frame.export.display import spelled
from anls_frame.export.heads import Worst, head
from anls_frame.export.kinds import Kind
from anls_frame.export.page_verdicts import OF_JUDGE, OF_TEXTS, digest
from anls_frame.export.rows_content import LARGEST, MOST_ROWS, EmbeddedRows, RowsContent
from anls_frame.export.sources import Source
from anls_frame.frames.conversion import at_hand, column_names, in_polars, is_pandas
from anls_frame.protocol import ScoreProtocol
from anls_frame.summary import causes
from anls_frame.summary.account import Account
from anls_frame.summary.catalogue import Metrics
from anls_frame.summary.keys import explode_lists
from anls_frame.summary.measures import Metric
from anls_frame.summary.notes import text_notes
from anls_frame.summary.settings import MOST_ROWS as MOST_ROWS_OF_FRAMES
from anls_frame.summary.settings import (
    Settings,
    Unanswerable,
    detail_settings,
    named_columns,
    scoring,
)
from anls_frame.summary.slicing import By, crossed_keys
from anls_frame.summary.systems import metrics_of, once, systems_of

if TYPE_CHECKING:
    from anls_frame.analysis.rows_widget import RowsWidget

_NAMED = 3
"""Number of systems that a title names."""
_LISTED = 6
"""Number of systems whose means are above the rows."""


class RowsPage:
    """
    A page of scored rows, returned by `anls_frame.browse`, for a file or the output of a notebook cell.

    Attributes
    ----------
    rows
        Number of rows.
    noun
        The word for a row on the page: "row", or "page" for OCR.
    size
        Size of the file in bytes.
    account
        How many rows were given, how many have a score, and why others have none.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["cat", "c0w"], "answer": ["cat", "cow"]})
    >>> page = df.anls.browse("prediction", "answer")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page.write(f"{folder}/rows.html").name
    'rows.html'
    """

    def __init__(self, content: RowsContent, frame: Any, account: Account[Any]) -> None:
        self.account = account
        self._content = content
        self._frame = frame
        self._html = rows_page.page(content)
        self.rows = content.table.height
        self.noun = content.names["row"]
        self.size = len(self._html.encode())
        if self.size > LARGEST:
            # The worst rows have more distinct texts than the others.
            fitting = int(content.table.height * 0.8 * LARGEST / self.size)
            fewer = Message(", or fewer columns in ", Option("keep"))
            what = _too_large(f"{self.size / 1e6:.1f} MB, more than {LARGEST // 10**6}", fitting)
            raise ValueError(Message(what, fewer) if content.keep else what)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        source: Source | Sequence[Source] = (),
    ) -> Path:
        """
        Write the page to a file that ends in `.html`; see `anls_frame.export.write`.

        Parameters
        ----------
        path
            The file. An existing file is replaced.
        title
            Title of the page, by default the names of the systems.
        source
            The files or folders that the rows come from. The page shows their names and modification dates at
            the top.

        Returns
        -------
        Path
            The given path.

        Raises
        ------
        ValueError
            If the path does not end in `.html`.
        OSError
            If the file cannot be written. An existing file then stays unchanged.

        Examples
        --------
        >>> import tempfile
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["cat"], "answer": ["cow"]})
        >>> page = af.browse(df, "prediction", "answer")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = page.write(f"{folder}/rows.html", title="Animals")
        ...     "<title>Animals</title>" in path.read_text(encoding="utf-8")
        True
        """
        path = as_path(path)
        if path.suffix.lower() not in {".html", ".htm"}:
            raise ValueError(f"a page of rows is an HTML file; its name must end in .html, got {str(path)!r}")
        content = dataclasses.replace(
            self._content,
            title=self._content.title if title is None else string("title", title),
            source=sources.source_names(source),
        )
        with replacing(path) as file:
            file.write(rows_page.page(content).encode())
        return path

    def embedded(self, settings: Mapping[str, Any]) -> EmbeddedRows:
        """
        Return the page in the form that ``write(..., rows=page)`` of reports and comparisons embeds.

        Parameters
        ----------
        settings
            Settings of the report or comparison.

        Returns
        -------
        EmbeddedRows
            The page, for `anls_frame.export.write`.

        Raises
        ------
        ValueError
            If its rows are scored with other settings.
        """
        content, html = self._content, self._html
        for name in ("protocol", "missing", "unanswerable"):
            if content.settings[name] != settings[name]:
                raise ValueError(
                    f"the page of rows must be scored as the figures are, but {name} is "
                    f"{content.settings[name]!r} instead of {settings[name]!r}"
                )
        counted = ("max_length", "min_nls")
        if settings.get("details") and any(content.settings[name] != settings[name] for name in counted):
            # The figures count the substitutions of rows with other settings.
            content = dataclasses.replace(content, table=with_substitutions(content.table, settings))
            html = rows_page.page(content)
        return rows_page.embedded(content, html)

    def digests(self, rows: Sequence[int]) -> list[str | None]:
        """
        Return the digests of rows' texts, as stored in verdicts; see `anls_frame.readers.read_verdicts`.

        Parameters
        ----------
        rows
            Row numbers in the frame.

        Returns
        -------
        list
            The digest of each row; None for a row that is not on the page.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["cat"], "answer": ["cow"]})
        >>> len(af.browse(df, "prediction", "answer").digests([0])[0])
        16
        """
        table = self._content.table
        names = [f"prediction_{system}" for system, _ in enumerate(self._content.systems)]
        wanted = table.filter(pl.col("row").is_in(set(rows))).select("row", "answers", *names)
        digests = {row: digest(texts, answers) for row, answers, *texts in wanted.iter_rows()}
        return [digests.get(row) for row in rows]

    def widget(self, verdicts: Any = None) -> RowsWidget:
        """
        Return the page as a widget, whose verdicts and selection later cells of a notebook can use.

        The widget looks like the page in Jupyter, VS Code and marimo. Without a kernel, and in exports,
        notebooks show the page itself. The widget needs the extra ``pip install "anls-frame[widget]"``; if
        Jupyter runs in another environment than the kernel, install `anywidget` there, too.

        Parameters
        ----------
        verdicts
            Initial verdicts, as returned by `anls_frame.readers.read_verdicts`. Verdicts that the browser has
            stored for this page take precedence.

        Returns
        -------
        RowsWidget
            The widget, which a cell displays. Its `verdicts` and `selected` follow the page.

        Raises
        ------
        ImportError
            If `anywidget` is missing.
        ValueError
            If a verdict refers to a row that is not on the page, or whose texts have changed since.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["cat", "c0w"], "answer": ["cat", "cow"]})
        >>> judging = df.anls.browse("prediction", "answer").widget()
        >>> judging.verdicts.height, judging.selected.height
        (0, 2)
        """
        from anls_frame.analysis.rows_widget import RowsWidget  # noqa: PLC0415 - imports anywidget

        given: dict[str, list[int]] = {}
        if verdicts is not None:
            table = in_polars(verdicts).lazy().select("row", "verdict", "digest").collect()
            digests = self.digests(table["row"].to_list())
            for digest, (row, verdict, known) in zip(digests, table.iter_rows(), strict=True):
                if known != digest:
                    raise ValueError(
                        f"verdicts: row {row} is not on the page, or its texts have changed since the verdict"
                    )
                given.setdefault(verdict, []).append(row)
        return RowsWidget(self._content, self._html, self._frame, digests=self.digests, verdicts=given)

    def __repr__(self) -> str:
        rows = numbered(self._content.table.height, self._content.names["row"])
        return f"RowsPage({self._content.title!r}, {rows})"

    def _repr_html_(self) -> str:
        return rows_page.in_notebook(self._content, self._html)


@takes_names
def browse(
    frame: Any,
    prediction: str | Mapping[str, str] | Sequence[str],
    answers: str,
    *,
    metrics: Metrics | None = None,
    by: By | None = None,
    keep: str | Sequence[str] = (),
    id: str | None = None,  # noqa: A002 - what users call it
    image: str | None = None,
    n: int | None = None,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    audit: bool = False,
) -> RowsPage:
    """
    Return a page for sorting, filtering, searching and reading scored rows.

    The page is a single HTML file that needs no server and loads nothing. It filters rows by slice, error
    type and score, with counts that follow the selection. An opened row shows its prediction aligned with the
    nearest answer, all accepted answers, and the derivation of its score.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine), a pandas DataFrame, or any object
        with the Arrow PyCapsule interface.
    prediction
        Name of the column with the predicted texts. For several systems, a mapping from their names to their
        columns or a list of columns, the baseline first. The page then shows the change of each other system
        in the first metric, and filters rows by these changes and by which systems are right, that is, which
        have the best possible score in the first metric.
    answers
        Name of the column with the accepted answer or answers.
    metrics
        The scores of the rows, as for `anls_frame.report` or, with several systems, `anls_frame.compare`:
        `"anls"` by default. Rows are sorted by the first one.
    by
        Columns by which rows can be filtered (in pandas, levels of the index too), or expressions, as for
        `anls_frame.report`. A row with a list belongs to each of its entries.
    keep
        More columns to show, such as the question.
    id
        Column that identifies rows in saved verdicts; by default, the row number does.
    image
        A column with the path or address of an image, or a template such as `"pages/{doc_id}.png"`. Paths are
        relative to the folder of the page. Images are not embedded; they are loaded when a row is opened.
    n
        Maximum number of rows; all by default. Rows are kept in the order of the largest loss of a system
        against the first one, then of the lowest mean score of all systems, with ties broken as in `worst`. A
        page can have up to 100,000 rows and 12 MB.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string, as reports do; `"drop"` gives no
        score to rows in which any prediction is null, as comparisons do.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.
    audit
        Whether to show only the rows that `audit_sample` drew, in random order, with the number of rows still
        to be judged. The verdicts correct the score of all rows; see `corrected`. If the first metric is a
        column or an expression, such as the scores of an LLM judge, the page of one system has two
        verdicts, `right` and `wrong`, which are the truth.

    Returns
    -------
    RowsPage
        The page, which ``write("rows.html")`` writes to a file and notebooks display.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If the page would be too large, an option has an invalid value, or a metric has a value outside its
        bounds.
    TypeError
        If the frame is not one of the accepted kinds, or `n` is not an integer.

    See Also
    --------
    anls_frame.readers.read_verdicts : the verdicts given on the page.
    anls_frame.worst : the rows with the worst scores, as a frame.
    anls_frame.changes : the rows whose scores differ between systems, as a frame.
    anls_frame.find_slices : the slices that score worse than the rest.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"id": [1, 2], "prediction": ["cat", "c0w"], "answer": ["cat", "cow"]})
    >>> rows = af.browse(df, "prediction", "answer", id="id")
    >>> rows
    RowsPage('prediction', 2 rows)

    A notebook shows the page in place of this line; as a file, it opens in a browser:

    >>> rows.write("rows.html").name
    'rows.html'
    """
    n = None if n is None else count("n", n, least=1, most=MOST_ROWS_OF_FRAMES - 1)
    systems = systems_of(prediction)
    if flag("audit", audit) and n is not None:
        raise ValueError("n leaves rows out, but every row of an audit must be judged; draw fewer rows")
    frame, slicing = at_hand(frame), crossed_keys(by)
    options: dict[str, Any] = {"has_texts": True, "protocol": protocol}
    chosen = once(metrics_of(metrics, prediction, column_names(frame), are_of_rows=True, **options))
    asked = Asked(
        systems=systems,
        answers=answers,
        metrics=chosen,
        settings=Settings(
            metrics=tuple(chosen),
            by=slicing.names,
            keep=named_columns("keep", keep),
            **scoring(protocol, frame, has_texts=True, missing=missing, unanswerable=unanswerable),
            **detail_settings(details=True, has_texts=True),
        ),
        row_id=None if id is None else string("id", id, "the name of a column"),
        image=image,
        made=slicing.expressions,
        is_audit=audit,
    )
    table, n_rows, totals, orders, account = collected(frame, asked, MOST_ROWS if n is None else n)
    if n is None and n_rows > MOST_ROWS:
        raise ValueError(_too_large(f"{n_rows:,} rows, more than {MOST_ROWS:,}", MOST_ROWS))
    described = asked.settings.to_dict()
    return RowsPage(
        RowsContent(
            title=" and ".join(systems) if len(systems) <= _NAMED else f"{len(systems)} systems",
            notes=_notes(asked, table, n_rows, totals, account),
            signature=asked.settings.signature,
            table=with_substitutions(table, described),
            systems=list(systems),
            metrics=[
                {
                    "name": metric.row or metric.name,
                    "label": heading_of(metric.row or metric.name),
                    "higher": metric.higher_is_better,
                    "percent": asked.kind(metric) == "percent",
                }
                for metric in asked.metrics
            ],
            by=asked.settings.by,
            keep=asked.kept,
            orders=orders,
            settings=described,
            sort=asked.first_sort,
            is_audit=audit,
            verdicts=OF_JUDGE if asked.is_judge else OF_TEXTS,
            names=asked.settings.names,
        ),
        # What is selected later are these rows, even if the caller sorts the frame in place.
        frame.copy(deep=False) if is_pandas(frame) else frame,
        account,
    )


def _notes(
    asked: Asked,
    table: pl.DataFrame,
    n_rows: int,
    totals: Sequence[Mapping[str, Any]],
    account: Account[Any],
) -> list[str]:
    """Return the texts below the title: the score of each system, the number of rows, and notes."""
    metric, row = asked.metrics[0], asked.settings.names["row"]
    name = heading_of(metric.row or metric.name)
    shown = table.height
    is_whole = shown == n_rows and not asked.is_audit
    systems = dict(zip(asked.systems, totals, strict=True))
    if asked.compared:
        right = table["right"] if is_whole and "right" in table.columns else None
        notes = [f"Mean {name} {_means(systems, row, right, asked.kind(metric))}."]
    else:
        # The text need not name the only system, and has room for more.
        (own,) = totals
        worst = _worst_slice(table, asked, metric) if is_whole else None
        lost = _lost_points(table, asked) if is_whole else None
        said = f"Mean {name} {spelled(own['mean'], (), asked.kind(metric))}"
        notes = [head(said, own["scored"], noun=row, worst=worst, lost=lost)] if own["scored"] else []
    if asked.is_audit:
        texts = "score right (0), our error (1), or another verdict"
        notes.append(
            f"These are the {numbered(shown, row)} that were drawn, in random order. Judge each of them: "
            f"{'right (1) or wrong (2)' if asked.is_judge else texts}."
        )
    if shown < n_rows:
        breaking = " or ".join(asked.compared) if len(asked.compared) < _NAMED else "a system"
        broken = f" that {breaking} broke, or" if breaking else ""
        notes.append(f"These are the {shown:,} {row}s{broken} with the worst scores of {n_rows:,}.")
    counts: Mapping[str, Any] = totals[0]
    if asked.compared:
        counts = {name: {system: own[name] for system, own in systems.items()} for name in counts}
    return [*notes, *account.notes, *text_notes(counts, account.used, asked.settings.protocol)]


def _means(systems: Mapping[str, Mapping[str, Any]], row: str, right: pl.Series | None, kind: Kind) -> str:
    """Return the mean scores of several systems, and of a whole page the numbers of rows that are right."""
    means = [spelled(own["mean"], (), kind) for own in systems.values()]
    named = list(map(" ".join, zip(shortened_apart(list(systems)), means, strict=True)))
    counts = sorted({own["scored"] for own in systems.values()})
    over = " to ".join(f"{count:,}" for count in (counts[0], counts[-1])[: len(counts)])
    more = f" and {len(named) - _LISTED:,} more systems" if len(named) > _LISTED else ""
    text = f"over {over} {row}s: {', '.join(named[:_LISTED])}{more}"
    numbers = {} if right is None else dict(right.drop_nulls().value_counts().iter_rows())
    # There is no room for each of many systems.
    values = right_values(list(systems)) if len(named) <= _NAMED else ["none", "all"]
    counted = [f"{value} {numbers[value]:,}" for value in values if value in numbers]
    return f"{text}; right: {', '.join(counted)}" if counted else text


def _worst_slice(table: pl.DataFrame, asked: Asked, metric: Metric) -> Worst | None:
    """Return the value with the worst mean among those with enough rows, if means differ."""
    slices: list[tuple[float, int, str, str, bool]] = []
    for index, _ in enumerate(asked.settings.by):
        name = f"by_{index}"
        rows = table.select(name, "score_0_0").drop_nulls("score_0_0")
        if isinstance(dtype := rows.schema[name], pl.List | pl.Array):
            # A row counts once for each of its entries.
            entries = pl.col(name).cast(pl.List(dtype.inner)).list.unique()
            rows = explode_lists(rows.with_columns(entries), [name])
        means = rows.group_by(name, maintain_order=True).agg(pl.len(), pl.col("score_0_0").mean())
        slices += [
            (mean, count, shortened(label(value)), spelled(mean, (), asked.kind(metric)), True)
            for value, count, mean in means.iter_rows()
        ]
    return Worst.of(slices, highest_is_worst=not metric.higher_is_better)


def _lost_points(table: pl.DataFrame, asked: Asked) -> dict[str, float] | None:
    """Return the share of each cause in the points missing to the best possible scores."""
    metric = asked.metrics[0]
    if metric.span is None or not metric.higher_is_better:
        return None
    least, width = metric.span
    how: dict[str, Any] = {"given": (pl.col("score_0_0") - least) / width}
    if metric.row in causes.SCORES:
        how = {"score": metric.row}
    rows = causes.with_losses(table.lazy(), "prediction_0", asked.settings, **how)
    return causes.shares(causes.summed(rows, []).collect())


def _too_large(what: str, rows: int) -> Message:
    advice = Message("; pass ", Option("n", rows), " for the rows with the worst scores")
    return Message(f"the page would have {what}", advice)
