"""
Tests that hold sums of rows against an oracle run on both engines of Polars.

A query that names its engine, and whatever Polars does eagerly, runs the same way under any
POLARS_ENGINE_AFFINITY. What is made of the sums is tested once, and scores of rows name both engines.
`.ci/heavy engines` runs all tests on the streaming engine.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", params=["in-memory", "streaming"])
def each_default_engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the queries that leave the engine to Polars on one engine, then on the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLARS_ENGINE_AFFINITY", request.param)
        yield
