"""Every expression streams: no node of its plan holds rows, or leaves the engine."""

from __future__ import annotations

import pytest
from registry import ROW_EXPRESSIONS, TEXTS

import anls_frame as af

EXPRESSIONS = {**{row.name: row.function for row in ROW_EXPRESSIONS}, "explain": af.explain}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_streams_without_holding_rows(name: str) -> None:
    plan = TEXTS.lazy().select(EXPRESSIONS[name]("prediction", "answers"))
    graph = plan.show_graph(engine="streaming", plan_stage="physical", raw_output=True, show=False)

    # Nodes that hold rows, or leave the streaming engine, are filled with a colour: the source alone is.
    assert graph is not None
    filled = [line for line in graph.splitlines() if "fillcolor" in line]
    assert all("in-memory-source" in line for line in filled)
    assert len(filled) == 1
