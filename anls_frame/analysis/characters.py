"""Error analysis of frames: which characters are confused, by slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame import _plugin
from anls_frame._arguments import count, share
from anls_frame.frames.checks import check_dtypes
from anls_frame.frames.conversion import as_kind_of, to_lazy
from anls_frame.protocol import plugin_options
from anls_frame.summary.details import confusion_table, edit_counts
from anls_frame.summary.keys import canonical, key_columns, key_names, named
from anls_frame.summary.settings import check_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.protocol import ScoreProtocol

__all__ = ["confusions"]

_LONGEST = 3


def confusions(
    frame: Any,
    prediction: str,
    answers: str,
    *,
    by: str | Sequence[str] | None = None,
    protocol: ScoreProtocol | str = "raw",
    max_length: int = 1,
    min_nls: float = 0.0,
) -> Any:
    """
    Count which characters are taken for which, between predictions and their nearest answers.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine), a pandas DataFrame, or any object
        with the Arrow PyCapsule interface.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers. Each
        prediction is held against the answer with the best `nls`, the first of equals.
    by
        Columns that slice the rows. A row counts in each entry of a list column; null, an empty list and a
        list of nulls are one slice, null.
    protocol
        How texts are prepared before they are compared; here by default not at all, so that errors of case
        and whitespace count.
    max_length
        Longest side of a confusion, in code points, from 1 to 3. Above 1, neighbouring edits that turn so
        few characters into another number of characters, as "rn" into "m", count as one replacement.
    min_nls
        Rows with a lower `nls` are left out: the characters of an answer that is altogether wrong are no
        confusions.

    Returns
    -------
    Frame
        Polars for Polars, pandas for pandas, a pyarrow Table for other Arrow frames: a row for each
        confusion in each slice, slices in their order, the most frequent confusions first, with the columns

        - those of `by`;
        - `op` (`String`): `"replace"`, `"insert"` (the model added it) or `"delete"` (it left it out);
        - `reference_char`, `predicted_char` (`String`): null for what is inserted or deleted;
        - `count` (`UInt64`);
        - `share_of_errors` (`Float64`): part of all edits of the slice;
        - `share_of_reference` (`Float64`): part of the places of the references where `reference_char`
          stands; null for insertions;
        - `n`, `n_missing`, `n_unanswerable`, `n_distant` (`UInt64`): rows of the slice that were compared,
          and those that were left out: without a prediction, without an answer, below `min_nls`. They add
          up to its rows. A slice without errors has no line.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    DuplicateColumnError
        If a column of `by` is called like one of the result.
    ValueError
        If an option is outside its choices.
    TypeError
        If the frame is none of the accepted kinds, or an option is of the wrong type.

    See Also
    --------
    anls_frame.edit_ops : the edits of each row.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["lnvoice", "comer", None], "answer": ["Invoice", "corner", "a"]})
    >>> table = af.confusions(df, "prediction", "answer", max_length=2)
    >>> table.drop("share_of_errors", "n", "n_missing", "n_unanswerable", "n_distant")
    shape: (2, 5)
    ┌─────────┬────────────────┬────────────────┬───────┬────────────────────┐
    │ op      ┆ reference_char ┆ predicted_char ┆ count ┆ share_of_reference │
    │ ---     ┆ ---            ┆ ---            ┆ ---   ┆ ---                │
    │ str     ┆ str            ┆ str            ┆ u64   ┆ f64                │
    ╞═════════╪════════════════╪════════════════╪═══════╪════════════════════╡
    │ replace ┆ I              ┆ l              ┆ 1     ┆ 1.0                │
    │ replace ┆ rn             ┆ m              ┆ 1     ┆ 1.0                │
    └─────────┴────────────────┴────────────────┴───────┴────────────────────┘
    >>> table.select("n", "n_missing").row(0)
    (2, 1)
    """
    columns = check_by(by)
    options = {
        "protocol": plugin_options(protocol),
        "max_length": count("max_length", max_length, 1, _LONGEST),
        "min_nls": share("min_nls", min_nls),
    }
    rows = to_lazy(frame, [prediction, answers], columns)
    schema = rows.collect_schema()
    texts = cs.by_name(prediction), cs.by_name(answers)
    # Asked of a function with the same rule and a name that is known.
    check_dtypes(
        pl.Schema({name: schema[name] for name in (prediction, answers)}),
        _plugin.call("nearest_answer", *texts, protocol=options["protocol"]),
    )
    names = key_names(columns, None)
    selected = rows.select(
        *key_columns(schema, columns, None), texts[0].alias("prediction"), texts[1].alias("answers")
    )
    counted = canonical(edit_counts(selected, names, options).collect(engine="streaming"))
    return as_kind_of(frame, named(confusion_table(counted, names), names, columns))
