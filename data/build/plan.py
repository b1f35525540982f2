"""Which documents there are: type, language and degradation crossed evenly, not by chance."""

from __future__ import annotations

import random
from dataclasses import dataclass

SEED = "anls-frame sample 1"

PAGE_PROFILES = ("clean", "scan", "jpeg", "lowdpi", "photocopy", "fax", "photo", "scan")
RECEIPT_PROFILES = ("thermal", "thermal", "thermal", "clean", "scan", "jpeg", "photo", "photocopy")

GROUPS: tuple[tuple[str, str], ...] = (
    ("invoice", "en"),
    ("invoice", "de"),
    ("invoice", "ja"),
    ("invoice", "zh-Hant"),
    ("receipt", "en"),
    ("receipt", "de"),
    ("receipt", "ja"),
    ("receipt", "zh-Hant"),
    ("form", "en"),
    ("form", "de"),
    ("letter", "en"),
    ("letter", "de"),
    ("table", "en"),
    ("table", "de"),
)


@dataclass(frozen=True)
class DocumentSpec:
    """
    What is decided about a document before it is drawn.

    Attributes
    ----------
    number
        Stable number of the document; the ids of its questions are `100 * number + 1` and up.
    severity
        Strength of the degradation in [0, 1]; 0 for a clean page.
    """

    number: int
    doc_type: str
    lang: str
    profile: str
    severity: float

    @property
    def doc_id(self) -> str:
        """Name of the document, the seed of everything random in it."""
        return f"{self.doc_type}_{self.lang.lower()}_{self.number % 100:02d}"

    @property
    def difficulty(self) -> str:
        """Bin of the severity: a property of the input, so that slicing by it selects on no outcome."""
        if self.severity < 0.2:
            return "easy"
        return "medium" if self.severity < 0.45 else "hard"

    def random(self, purpose: str) -> random.Random:
        """Return a generator of this document's own, so that a new document shifts no other one."""
        return random.Random(f"{SEED}/{self.doc_id}/{purpose}")


def documents() -> list[DocumentSpec]:
    """Return every document, in the order of the data."""
    specs = []
    for group, (doc_type, lang) in enumerate(GROUPS, start=1):
        profiles = RECEIPT_PROFILES if doc_type == "receipt" else PAGE_PROFILES
        for position, profile in enumerate(profiles, start=1):
            number = 100 * group + position
            seed = f"{SEED}/{doc_type}/{lang}/{position}/severity"
            drawn = random.Random(seed).betavariate(1.1, 1.9)
            severity = 0.0 if profile == "clean" else round(drawn, 3)
            specs.append(DocumentSpec(number, doc_type, lang, profile, severity))
    return specs
