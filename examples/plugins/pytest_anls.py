"""A fixture of pytest that fails a test if a new system is worse; name it in `pytest_plugins`, or with -p."""

from collections.abc import Callable
from typing import Any

import pytest

import anls_frame as af
from anls_frame.reports.decisions import Decision


@pytest.fixture
def must_not_regress() -> Callable[..., Decision]:
    """Return a function that compares two columns, as `anls_frame.compare`, within a margin."""

    def check(frame: Any, systems: Any, answers: str, *, within: float, **options: Any) -> Decision:
        decision = af.compare(frame, systems, answers, **options).decide(within)
        if decision.answer == "regressed":
            pytest.fail(str(decision), pytrace=False)
        if decision.answer == "undecided":
            pytest.fail(f"{decision}\nallow a larger margin or add documents", pytrace=False)
        return decision

    return check
