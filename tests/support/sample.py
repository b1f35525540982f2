"""Where the committed sample data is."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parents[2] / "data"
