"""Character confusions of frames, by slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame import _plugin
from anls_frame._arguments import choice, count, share, takes_names
from anls_frame._typing import table_of_frame
from anls_frame.frames.checks import check_dtypes
from anls_frame.frames.conversion import as_kind_of, to_lazy
from anls_frame.protocol import ScoreProtocol, plugin_options
from anls_frame.summary.details import OPERATIONS, Op, confusion_table, edit_counts
from anls_frame.summary.keys import canonical, key_names, sliced_keys, with_column_names
from anls_frame.summary.labels import check_slices
from anls_frame.summary.settings import LONGEST_CONFUSION, READ, check_by
from anls_frame.summary.slicing import Slicing


@table_of_frame
@takes_names
def confusions(
    frame: Any,
    prediction: str,
    answers: str,
    *,
    by: str | Sequence[str] | None = None,
    protocol: ScoreProtocol | str = "raw",
    max_length: int = 1,
    min_nls: float = READ,
    op: Op | None = None,
) -> Any:
    """
    Count confusions of characters (or words) between predictions and their nearest answers.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine), a pandas DataFrame, or any object
        with the Arrow PyCapsule interface.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers. Each prediction
        is compared with the answer with the highest `nls` (the first on ties).
    by
        Columns that define the slices; in pandas, levels of the index too. A row with a list counts once in
        the slice of each entry; null, an empty list and a list of nulls all belong to the slice null.
    protocol
        How texts are prepared before the comparison; by default, not at all, so that errors of case and
        whitespace count. Its `unit` determines what is counted: code points, grapheme clusters or words.
    max_length
        Maximum length of either side of a confusion, in units, from 1 to 3. Above 1, adjacent edits that turn
        up to this many characters into a different number of characters, such as "rn" into "m", count as one
        replacement. Neighbouring words are shown with a space between them.
    min_nls
        Minimum `nls` of a row, by default 0.5. Rows below it are left out, because the characters of another
        answer are not misread. 0 includes all rows, even if `nls` is negative, which can happen with
        ``length="raw_upper"``.
    op
        Restricts the result to `"replace"`, `"insert"` or `"delete"`; shares still refer to all edits.

    Returns
    -------
    Frame
        Polars for Polars, pandas for pandas, a pyarrow Table for other Arrow frames: one row for each
        confusion in each slice, sorted by slice and then with the most frequent confusions first. Columns:

        - those of `by`;
        - `op` (`String`): `"replace"`, `"insert"` (the model added the character) or `"delete"` (the model
          left it out);
        - `reference_char`, `predicted_char` (`String`): null on the side without the character;
        - `count` (`Int64`);
        - `share_of_errors` (`Float64`): share of all edits of the slice;
        - `share_of_reference` (`Float64`): share of the occurrences of `reference_char` in the references;
          null for insertions;
        - `n`, `n_missing`, `n_unanswerable`, `n_distant` (`Int64`): number of rows of the slice that were
          compared, and of rows left out because they had no prediction, no answer, or an `nls` below
          `min_nls`. These numbers add up to the rows of the slice. A slice without errors is not in the
          table.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If a `by` column has the name of a column of the result.
    ValueError
        If an option has an invalid value.
    TypeError
        If the frame is not one of the accepted kinds, or an option has the wrong type.

    See Also
    --------
    anls_frame.edit_ops : the edits of each row.
    anls_frame.report : with `details=True`, the confusions of each slice.
    anls_frame.plot.confusion_matrix : a plot of the most frequent confusions.

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
    │ str     ┆ str            ┆ str            ┆ i64   ┆ f64                │
    ╞═════════╪════════════════╪════════════════╪═══════╪════════════════════╡
    │ replace ┆ I              ┆ l              ┆ 1     ┆ 1.0                │
    │ replace ┆ rn             ┆ m              ┆ 1     ┆ 1.0                │
    └─────────┴────────────────┴────────────────┴───────┴────────────────────┘
    >>> table.select("n", "n_missing").row(0)
    (2, 1)
    """
    columns = check_by(by)
    if op is not None:
        choice("op", op, OPERATIONS)
    options = {
        "protocol": plugin_options(protocol),
        "max_length": count("max_length", max_length, 1, LONGEST_CONFUSION),
        "min_nls": share("min_nls", min_nls),
    }
    rows = to_lazy(frame, [prediction, answers], columns, answers=answers)
    schema = rows.collect_schema()
    texts = cs.by_name(prediction), cs.by_name(answers)
    # Checked with a public function with the same rule, because the error names the function.
    check_dtypes(
        pl.Schema({name: schema[name] for name in (prediction, answers)}),
        _plugin.call("nearest_answer", *texts, protocol=options["protocol"]),
    )
    names = key_names(columns, None)
    keys, _ = sliced_keys(rows, Slicing(columns), None)
    selected = rows.select(*keys, texts[0].alias("prediction"), texts[1].alias("answers"))
    counted = canonical(edit_counts(selected, names, options).collect(engine="streaming"))
    check_slices(counted, names, columns)
    return as_kind_of(frame, with_column_names(confusion_table(counted, names, op), names, columns))
