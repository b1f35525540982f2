"""
Plots of scores and errors, with matplotlib.

Each function takes an object with the data it needs: a frame of rows, a report, a comparison, a summary, or a
frame returned by these. It draws on the given axes, or on new axes, and returns them. New axes have their own
figure, which pyplot does not manage: nothing is shown until you ask for it, nothing must be closed, and no
setting is changed. Notebooks display such axes; `ax.figure.savefig("plot.svg")` writes them to a file. A
system has the same colour in every plot.

Examples
--------
>>> import polars as pl
>>> import anls_frame as af
>>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"], "lang": ["en", "de"]})
>>> report = af.report(df, "prediction", "answer", by="lang")
>>> af.plot.group_scores(report).get_xlabel()
'ANLS, 95 % interval'
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from anls_frame._lazy import attach

_HOMES = {
    module.name: " ".join(import_module(f"{__name__}.{module.name}").__all__)
    for module in iter_modules(__path__)
    if not module.name.startswith("_")
}
"""The plots in each module, as its `__all__` lists them."""

__getattr__, __all__ = attach(__name__, _HOMES)
__all__.sort()
