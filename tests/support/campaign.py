"""How much is tried: enough for every change, or all of it in a campaign (`.ci/heavy campaigns`)."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")


def amount(usual: T, campaign: T) -> T:
    """Return the second in a campaign."""
    return campaign if os.environ.get("ANLS_FRAME_CAMPAIGN") else usual
