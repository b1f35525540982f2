"""
Builder of the sample data: documents are drawn, degraded, read by OCR and asked.

Run it from the root of the repository with `python -m data.build`; `data/README.md` says what it needs.
"""

from __future__ import annotations
