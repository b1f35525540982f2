"""The workflows parse, and use only pinned actions; what they do is seen where they run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
EXAMPLES = re.findall(
    r"^```yaml\n(.*?)^```$", (ROOT / "docs/gates.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)


def _check(workflow: dict[Any, Any]) -> list[str]:
    """Return the actions of a workflow, each of whose jobs must have a machine and steps of one kind."""
    # YAML takes the key `on` for a truth value.
    assert {"name", True, "permissions", "jobs"} <= set(workflow)
    steps = []
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        assert job["steps"]
        steps += job["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    return [step["uses"] for step in steps if "uses" in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_well_formed_and_its_actions_are_pinned(path: Path) -> None:
    actions = _check(yaml.safe_load(path.read_text(encoding="utf-8")))

    assert [action for action in actions if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)] == []


def test_the_workflow_of_the_guide_is_well_formed() -> None:
    (example,) = EXAMPLES

    assert "actions/checkout@v6" in _check(yaml.safe_load(example))
