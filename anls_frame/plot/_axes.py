"""New axes, for plots without given axes."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

_DPI = 144


class NotebookAxes(Axes):
    """Axes that a notebook shows as an image; pyplot does not keep their figure alive."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        figure: Any = self.figure
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=_DPI)
        width, height = figure.get_size_inches()
        # At twice the displayed resolution, for high-density screens.
        return file.getvalue(), {"width": round(width * 72), "height": round(height * 72)}


def new_axes(width: float, height: float) -> NotebookAxes:
    """Return axes on a new figure; the size is in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)  # measures texts without drawing
    return figure.add_subplot(axes_class=NotebookAxes)  # type: ignore[return-value]
