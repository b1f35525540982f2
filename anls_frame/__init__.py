"""
Score and diagnose document QA, OCR, speech and extraction models, right on Polars or pandas results.

The functions of frames take a Polars, pandas or Arrow frame with a column of predictions and one of accepted
answers; `read_results`, `read_logs` and `read_pages` read files into such a frame, and `fields` makes one of
JSON documents. `overview` shows how good a system is and what to do first; `report` breaks its scores down by
slice; `find_slices` finds slices that score worse than the rest; `browse` makes a page for reading the rows;
`compare` tests the differences between systems, and `changes` returns the rows whose scores differ;
`selective` finds the confidence above which answers can be accepted, and `corrected` corrects the scores of
an LLM judge or a wrong answer key by people's verdicts.

`nls`, `anls`, `cer` and similar functions are Polars expressions that score each row; `add_scores` adds all
scores to a frame; `ANLS` and similar classes are metric objects for training loops; `gec` scores grammatical
error correction. Importing the package adds the namespace ``.anls`` to Polars frames and expressions and to
pandas frames.

Examples
--------
>>> import polars as pl
>>> import anls_frame as af
>>> df = pl.DataFrame({"prediction": ["CocaCola"], "answers": [["Coke", "Coca Cola"]]})
>>> df.with_columns(af.nls("prediction", "answers").round(4), af.cer("prediction", "answers").round(4))
shape: (1, 4)
┌────────────┬───────────────────────┬────────┬────────┐
│ prediction ┆ answers               ┆ nls    ┆ cer    │
│ ---        ┆ ---                   ┆ ---    ┆ ---    │
│ str        ┆ list[str]             ┆ f64    ┆ f64    │
╞════════════╪═══════════════════════╪════════╪════════╡
│ CocaCola   ┆ ["Coke", "Coca Cola"] ┆ 0.8889 ┆ 0.1111 │
└────────────┴───────────────────────┴────────┴────────┘
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from anls_frame import _accessors, _engines
from anls_frame._names import MODULES, NAMES, imported

try:
    from anls_frame._native import __version__ as __version__
except ModuleNotFoundError as error:
    if error.name != "anls_frame._native":
        raise
    raise ImportError(
        "the compiled library of anls_frame is missing: `make install` builds it in a checkout"
    ) from None

__all__ = list(NAMES)
__all__ += ["__version__"]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that unused modules cost no time."""
    return import_module(f"{__name__}.{name}") if name in MODULES else imported(name)


def __dir__() -> list[str]:
    # `help` reads every listed name, and shows nothing if one cannot be imported.
    lacking = () if find_spec("daft") else ("distributed",)
    return sorted({*__all__, *MODULES}.difference(lacking))


_accessors.register()
# A Daft frame, alone or in batches.
_engines.register("daft", functions="anls_frame.distributed.frames")
_engines.register("anls_frame.distributed", functions="anls_frame.distributed.frames")
