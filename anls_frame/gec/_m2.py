"""M² counts and edits of each row."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import polars as pl

from anls_frame import _plugin
from anls_frame._arguments import choice, count, flag
from anls_frame._typing import IntoExprColumn
from anls_frame.gec import _edit_columns

Lattice: TypeAlias = Literal["official", "paper"]
InsertLabels: TypeAlias = Literal["fixed", "v3.2"]
Method: TypeAlias = Literal["auto", "exact", "dp"]


def m2(
    prediction: IntoExprColumn,
    source: IntoExprColumn,
    edits: IntoExprColumn,
    annotators: IntoExprColumn | None = None,
    *,
    max_unchanged: int = 2,
    ignore_whitespace_casing: bool = False,
    lattice: Lattice = "official",
    insert_labels: InsertLabels = "fixed",
    method: Method = "auto",
) -> pl.Expr:
    """
    M² counts of each row (MaxMatch): the number of system edits that match the edits of each annotator.

    Among all shortest sequences of word edits from the source to the prediction, M² chooses the one that
    agrees best with the annotator's edits.

    Parameters
    ----------
    prediction
        Column with the corrected sentence; words are separated by whitespace. A string is a column name;
        wrap a constant in `pl.lit`.
    source
        Column with the sentence before correction.
    edits
        Column with the gold edits, a list of structs with `start`, `end` (words of the source, from 0, the
        end excluded), `type`, `corrections` (a list; an empty string or `-NONE-` deletes) and `annotator`, as
        returned by `read_m2`. Edits past the end of the source are dropped.
    annotators
        Column with the list of all annotators of the row, including annotators without edits. By default, the
        annotators of the edits, or annotator 0 where there are no edits.
    max_unchanged
        Maximum number of unchanged words in one edit.
    ignore_whitespace_casing
        Whether to leave out system edits that change only whitespace or case.
    lattice
        ``"official"`` for the scorer's union of two edit distances, with substitutions at cost 1 and 2;
        ``"paper"`` for the first alone.
    insert_labels
        ``"v3.2"`` places insertions before the first word as version 3.2 of the scorer and its ports do; the
        dynamic program (also where ``"auto"`` uses it) always places them before the first word.
    method
        ``"exact"`` for the scorer's algorithm, whose time grows with the sixth power of the length of a
        rewritten passage; ``"dp"`` for a dynamic program, linear in the lattice; ``"auto"`` for the exact
        algorithm up to 2,048 vertices and 16.8 million pairs of arcs (a rewritten passage of about 44 words).
        Both are deterministic but may break ties differently.

    Returns
    -------
    Expr
        `List(Struct)`, named `gec_m2`: one entry per annotator, ascending, with `annotator` (`Int32`), `tp`,
        `fp`, `fn`, `proposed` and `gold` (`Int64`). `fp` and `fn` can be negative where an annotator has the
        same edit twice. Null where the prediction, the source or the edits are null; an empty prediction
        deletes everything.

    Raises
    ------
    ValueError
        If an option has an invalid value.
    TypeError
        If an argument is not a column, or an option has the wrong type.

    See Also
    --------
    m2_corpus : precision, recall and F of a file.
    m2_edits : the edits that are counted.

    Notes
    -----
    Dahlmeier and Ng (2012), "Better Evaluation for Grammatical Error Correction", as computed by the authors'
    scorer, including ties. An error during ``collect`` names the row if two texts are too long (8.4 million
    pairs of words) or, for ``"exact"``, the lattice is too large (4,096 vertices). Pairs of long texts (above
    600 words against 600) wait for each other, so that their lattices take at most 256 MiB in total, on any
    number of threads.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> edit = {"start": 3, "end": 4, "type": "Prep", "corrections": ["off"], "annotator": 0}
    >>> df = pl.DataFrame(
    ...     {
    ...         "prediction": ["A boat lies off shore ."],
    ...         "source": ["The boat lies at shore ."],
    ...         "edits": [[edit]],
    ...     }
    ... )
    >>> df.select(gec.m2("prediction", "source", "edits")).item().to_list()
    [{'annotator': 0, 'tp': 1, 'fp': 1, 'fn': 0, 'proposed': 2, 'gold': 1}]
    """
    return _plugin.call(
        "gec_m2",
        prediction,
        source,
        _edit_columns.edit_texts(edits, "m2"),
        _edit_columns.annotator_texts(annotators, "m2"),
        **_options(max_unchanged, ignore_whitespace_casing, lattice, insert_labels, method),
    )


def m2_edits(
    prediction: IntoExprColumn,
    source: IntoExprColumn,
    edits: IntoExprColumn,
    annotators: IntoExprColumn | None = None,
    *,
    max_unchanged: int = 2,
    ignore_whitespace_casing: bool = False,
    lattice: Lattice = "official",
    insert_labels: InsertLabels = "fixed",
    method: Method = "auto",
    shrink: bool = False,
) -> pl.Expr:
    """
    The system edits of each row, as M² chooses them for each annotator.

    Parameters
    ----------
    prediction
        Column with the corrected sentence.
    source
        Column with the sentence before correction.
    edits
        Column with the gold edits, see `m2`.
    annotators
        Column with the list of all annotators of the row, see `m2`.
    max_unchanged
        Maximum number of unchanged words in one edit.
    ignore_whitespace_casing
        Whether to leave out system edits that change only whitespace or case.
    lattice
        ``"official"`` or ``"paper"``, see `m2`.
    insert_labels
        ``"fixed"`` or ``"v3.2"``, see `m2`.
    method
        ``"auto"``, ``"exact"`` or ``"dp"``, see `m2`.
    shrink
        Whether to remove words that original and correction share at the ends of each edit. This does not
        change which edits match.

    Returns
    -------
    Expr
        `List(Struct)`, named `gec_m2_edits`: from left to right, annotator by annotator, `annotator`,
        `start`, `end` (`Int32`), `original`, `correction`, `matched` and the `type` of the matched gold edit
        (null without a match). Null where `m2` is null.

    Raises
    ------
    ValueError
        If an option has an invalid value.
    TypeError
        If an argument is not a column, or an option has the wrong type.

    Notes
    -----
    System edits have no type, so recall can be computed for each type, but precision cannot.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> edit = {"start": 3, "end": 4, "type": "Prep", "corrections": ["off"], "annotator": 0}
    >>> df = pl.DataFrame(
    ...     {
    ...         "prediction": ["A boat lies off shore ."],
    ...         "source": ["The boat lies at shore ."],
    ...         "edits": [[edit]],
    ...     }
    ... )
    >>> edits = df.select(gec.m2_edits("prediction", "source", "edits", shrink=True).explode())
    >>> edits.unnest("gec_m2_edits").drop("annotator")
    shape: (2, 6)
    ┌───────┬─────┬──────────┬────────────┬─────────┬──────┐
    │ start ┆ end ┆ original ┆ correction ┆ matched ┆ type │
    │ ---   ┆ --- ┆ ---      ┆ ---        ┆ ---     ┆ ---  │
    │ i32   ┆ i32 ┆ str      ┆ str        ┆ bool    ┆ str  │
    ╞═══════╪═════╪══════════╪════════════╪═════════╪══════╡
    │ 0     ┆ 1   ┆ The      ┆ A          ┆ false   ┆ null │
    │ 3     ┆ 4   ┆ at       ┆ off        ┆ true    ┆ Prep │
    └───────┴─────┴──────────┴────────────┴─────────┴──────┘
    """
    return _plugin.call(
        "gec_m2_edits",
        prediction,
        source,
        _edit_columns.edit_texts(edits, "m2_edits"),
        _edit_columns.annotator_texts(annotators, "m2_edits"),
        **_options(max_unchanged, ignore_whitespace_casing, lattice, insert_labels, method),
        shrink=flag("shrink", shrink),
    )


def _options(
    max_unchanged: int, ignore_whitespace_casing: object, lattice: str, insert_labels: str, method: str
) -> dict[str, Any]:
    options = {
        "max_unchanged": count("max_unchanged", max_unchanged, most=2**32 - 1),
        "ignore_whitespace_casing": flag("ignore_whitespace_casing", ignore_whitespace_casing),
        "lattice": choice("lattice", lattice, ("official", "paper")),
        "insert_labels": choice("insert_labels", insert_labels, ("fixed", "v3.2")),
        "method": choice("method", method, ("auto", "exact", "dp")),
    }
    if method == "dp" and insert_labels == "v3.2":
        raise ValueError('method="dp" requires insert_labels="fixed"; pass method="exact" instead')
    return options
