"""Removal of the text that models wrap around their answers: reasoning, code fences, "The answer is"."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from anls_frame import _plugin
from anls_frame._arguments import choice, strings
from anls_frame._messages import wrong
from anls_frame._typing import IntoExprColumn
from anls_frame.metrics.row_functions import fields_on_columns

__all__ = ["unwrap"]

STEPS = (
    "reasoning",
    "answer_tag",
    "code_fence",
    "json",
    "marker",
    "markdown",
    "quotes",
    "final_punctuation",
)
"""The kinds of wrapping, in the order in which they are taken off."""

REASONING_TAGS = tuple(f"<{name}>" for name in ("think", "thinking", "analysis", "reasoning"))
"""The tags around reasoning by default."""


@fields_on_columns
def unwrap(
    prediction: IntoExprColumn,
    *,
    steps: Sequence[str] | None = None,
    markers: Sequence[str] | None = None,
    reasoning_tags: Sequence[str] | None = None,
) -> pl.Expr:
    r"""
    Remove text that a model wrapped around its answer: reasoning, tags, code fences, "The answer is".

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name. A pandas Series gives a pandas frame with
        the same index.
    steps
        Kinds of wrapping to remove; all by default (see Notes).
    markers
        Further texts that introduce an answer, such as `"Antwort:"`, matched literally.
    reasoning_tags
        Opening tags around reasoning, in place of `<think>`, `<thinking>`, `<analysis>` and `<reasoning>`;
        the closing tag has a `/`.

    Returns
    -------
    Expr
        A struct named `unwrapped` of two strings: `text`, the answer, and `steps`, the names of the steps
        that removed text, joined by `+` in the order of their first use (null if none did). A text without
        wrapping is returned unchanged, byte for byte. Null where the prediction is null.

    Raises
    ------
    ValueError
        If a step is unknown, no step is given, or a tag is not written as `<name>`.
    TypeError
        If an argument is not a column, or `steps`, `markers` or `reasoning_tags` is not a list of strings.

    See Also
    --------
    format_tax : the points that wrapping costs.

    Notes
    -----
    The steps run in this order; all but the first are repeated up to three times.

    1. `reasoning`: reasoning tags and the text between them; without an opening tag, all text up to the
       closing tag. Without a closing tag, the answer was cut off: the text stays unchanged, and `steps` is
       `unclosed_reasoning`.
    2. `answer_tag`: the content of the last ``<answer>…</answer>``, or else of the last ``\boxed{…}``.
    3. `code_fence`: a fence of backticks around the entire text.
    4. `json`: a JSON object with one key that names an answer (answer, final_answer, prediction, response,
       output, result, text) and a string or number as its value; a list of one string or number; a string.
    5. `marker`: the rest of the line after the last "Answer:", "The answer is" or "Final answer:" that begins
       a line or a sentence, or the next line if the rest is empty.
    6. `markdown`: emphasis around the entire text, or the signs of a heading.
    7. `quotes`: a pair of quotes around the entire text.
    8. `final_punctuation`: a full stop at the end, unless it belongs to the last word ("Inc.", "U.S.") or
       to a sentence ("Goods remain our property.").

    Operators, signs, units, currencies, articles and case are part of the answer and stay. Reasoning tags
    are removed as lmms-eval removes them.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["<think>6 * 7</think>The answer is **42**.", "~42", None]})
    >>> df.select(af.unwrap("prediction")).unnest("unwrapped")
    shape: (3, 2)
    ┌──────┬─────────────────────────────────┐
    │ text ┆ steps                           │
    │ ---  ┆ ---                             │
    │ str  ┆ str                             │
    ╞══════╪═════════════════════════════════╡
    │ 42   ┆ reasoning+marker+final_punctua… │
    │ ~42  ┆ null                            │
    │ null ┆ null                            │
    └──────┴─────────────────────────────────┘
    """
    chosen = [choice("steps", step, STEPS) for step in strings("steps", STEPS if steps is None else steps)]
    if not chosen:
        raise wrong("steps", f"must name at least one of {', '.join(STEPS)}")
    opening = strings("reasoning_tags", REASONING_TAGS if reasoning_tags is None else reasoning_tags)
    for tag in opening:
        if not (tag.startswith("<") and tag.endswith(">") and len(tag) > len("<>")):
            raise ValueError(f"reasoning_tags must be written as '<name>', got {tag!r}")
    return _plugin.call(
        "unwrap",
        prediction,
        steps=chosen,
        markers=strings("markers", () if markers is None else markers),
        reasoning_tags=[(tag, f"</{tag[1:]}") for tag in opening],
    ).alias("unwrapped")
