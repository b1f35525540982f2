"""Documents of each type, drawn from invented content, with the facts printed on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import form, invoice, letter, receipt, table
from .draft import Draft, Fact, Query

if TYPE_CHECKING:
    from data.build.plan import DocumentSpec

__all__ = ["Draft", "Fact", "Query", "draw"]

PAINTERS = {
    "form": form.draw,
    "invoice": invoice.draw,
    "letter": letter.draw,
    "receipt": receipt.draw,
    "table": table.draw,
}


def draw(spec: DocumentSpec) -> Draft:
    """Return the drawn document with its facts."""
    return PAINTERS[spec.doc_type](spec)
