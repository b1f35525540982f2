"""Axes of their own for plots that are given none."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["NotebookAxes", "new_axes"]

_DPI = 144


class NotebookAxes(Axes):
    """Axes that a notebook shows as a picture; their figure is not one of pyplot's, so nothing keeps it."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        figure: Any = self.figure
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=_DPI, facecolor="white")
        width, height = figure.get_size_inches()
        # Twice as fine as it is shown, for screens that are.
        return file.getvalue(), {"width": round(width * 72), "height": round(height * 72)}


def new_axes(width: float, height: float) -> NotebookAxes:
    """Return axes on a new figure of a size in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure.add_subplot(axes_class=NotebookAxes)  # type: ignore[return-value]
