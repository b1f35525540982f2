"""Lists that were printed as text, which would silently be scored as one answer."""

from __future__ import annotations

import polars as pl

from anls_frame.exceptions import warn

LOOKED_AT = 300
_SHOWN = 60

TEXTS = r"""(?s)\A\s*(?:array\()?\[\s*(?:np\.str_\()?['"].*['"]\)?,?\s*\](?:,[^\]]*\)|\))?\s*\z"""
"""Pattern of a list of strings as Python, numpy or JSON prints it: quotes in brackets."""


def most_look_printed(texts: pl.Series) -> bool:
    """Whether most of the first texts look like printed lists of strings."""
    # Renamed, because Polars reads some column names as patterns.
    first = texts.head(LOOKED_AT).alias("texts").drop_nulls()
    return bool(len(first)) and int(first.str.contains(TEXTS).sum()) * 2 > len(first)


def warn_of_printed(answers: pl.Series) -> None:
    """Warn if the answers are strings and most of the first ones look like printed lists."""
    if answers.dtype != pl.String or not most_look_printed(answers):
        return
    texts = answers.head(LOOKED_AT)
    example = repr(texts.filter(texts.str.contains(TEXTS))[0])
    example = example if len(example) <= _SHOWN else f"{example[:_SHOWN]}..."
    warn(
        f"column {answers.name!r} holds lists that were printed as text, such as {example}; each is scored "
        "as one answer. Parse them first: in pandas with `.map(ast.literal_eval)`, or read the file with "
        "`anls_frame.read_results(path, answers_format='list')`"
    )
