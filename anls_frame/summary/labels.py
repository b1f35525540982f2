"""Labels that share one text, as in `form;layout`, which would be a slice of its own."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

import polars as pl

from anls_frame._messages import Either
from anls_frame._text import quoted
from anls_frame.exceptions import warn
from anls_frame.frames.answer_lists import may_be_lists, parsed
from anls_frame.frames.answer_texts import SEPARATED, SHARE_SEPARATED
from anls_frame.summary.slicing import check_values

PRINTED = "list"
"""The format of labels in printed lists, in place of a separator."""


def check_slices(rows: pl.DataFrame, keys: Sequence[str], columns: Sequence[str]) -> None:
    """
    Raise an error if a key of slices is probably a measurement, and warn of several labels in one text.

    `columns` are those that the keys, which may be followed by the cluster, come from.
    """
    names = dict(zip(keys, columns, strict=False))
    check_values(rows, names)
    warn_of_labels(rows, names)


def warn_of_labels(rows: pl.DataFrame, names: Mapping[str, str]) -> None:
    """Warn of keys with several labels in one text; `names` maps the columns of keys to their names."""
    for key, name in names.items():
        found = joined_labels(rows[key].alias("text"))
        if found is None:
            continue
        separator, example, count, total = found
        held = "printed lists of" if separator == PRINTED else f"{separator!r} between"
        told = (
            f"by column {name!r} holds {held} labels in {count:,} of {total:,} values, such "
            f"as {quoted(example)}; each of them is a slice of its own, and its rows are not in the slices "
            "of the labels. Make lists of labels first"
        )
        call = f"`anls_frame.parse_answers(frame[{name!r}], answers_format={separator!r})` returns lists"
        reader = shlex.quote(f"auto,question_types={name},question_types_format={separator}")
        warn(f"{told}: ", Either(call, f"--reader {reader} reads lists, for -b question_types"))


def joined_labels(values: pl.Series) -> tuple[str, str, int, int] | None:
    """
    Return the separator of labels, the first text with it, the number of these, and that of all texts.

    A separator counts only if a tenth of the texts have it, and if a label is in another text, too. The same
    goes for printed lists.
    """
    if isinstance(values.dtype, pl.List | pl.Array):
        values = values.explode(empty_as_null=True)
    if values.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return None
    texts = pl.select(pl.lit(values).cast(pl.String).drop_nulls().unique().sort()).to_series()
    for separator in (*SEPARATED, PRINTED):
        is_printed = separator == PRINTED
        may_be = may_be_lists(texts) if is_printed else texts.str.contains(SEPARATED[separator])
        if not may_be.any():
            continue
        lists = parsed(texts, PRINTED)[0] if is_printed else texts.str.split(separator)
        joined = texts.filter(may_be & (lists.list.len() > 1))
        labels = pl.DataFrame([texts, lists.alias("label")]).explode("label", empty_as_null=True)
        labels = labels.with_columns(pl.col("label").str.strip_chars()).unique()
        shared = labels.filter(pl.col("label") != "", pl.len().over("label") > 1)
        found = joined.filter(joined.is_in(shared["text"].implode()))
        if len(found) >= max(1, SHARE_SEPARATED * len(texts)):
            return separator, found[0], len(found), len(texts)
    return None
