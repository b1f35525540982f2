"""Where the committed sample data is."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parents[2] / "data"
QUESTIONS_FILE, PAGES_FILE = (
    Path(__file__).parents[2] / "anls_frame" / "samples" / f"{name}.parquet" for name in ("qa", "pages")
)
