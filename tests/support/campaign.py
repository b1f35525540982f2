"""
How much is tried: enough for every change, or all of it in a campaign (`.ci/heavy campaigns`).

Of a test with several lists of parameters, the values take turns: the second of one list meets the second of
each other. Where every combination is a promise of its own, the test is marked `every_combination`. A test
that is named on the command line has all of its cases.
"""

from __future__ import annotations

import os
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
FEW = 4
"""So many combinations are tried at once."""


def amount(usual: T, campaign: T) -> T:
    """Return the second in a campaign."""
    return campaign if os.environ.get("ANLS_FRAME_CAMPAIGN") else usual


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "every_combination: all values of a list meet all those of the others")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if amount(usual=False, campaign=True) or any("::" in argument for argument in config.args):
        return
    tests: dict[str, list[tuple[pytest.Item, tuple[Any, ...]]]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append((item, _chosen(item)))
    left_out = {
        item
        for cases in tests.values()
        if len(cases) > FEW and not cases[0][0].get_closest_marker("every_combination")
        for item, is_due in zip((item for item, _ in cases), _due([one for _, one in cases]), strict=True)
        if not is_due
    }
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


def _chosen(item: pytest.Item) -> tuple[Any, ...]:
    """Return what tells apart the values that a case has of each list of parameters."""
    given = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    chosen = []
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0]
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
        chosen.append(tuple(id(given.pop(name)) for name in names))
    return (*chosen, *map(id, given.values()))


def _due(cases: list[tuple[Any, ...]]) -> list[bool]:
    """Return whether each case has values whose turn it is together: as many as the longest list has."""
    lists = [list(dict.fromkeys(values)) for values in zip(*cases, strict=True)]
    longest_first = sorted(range(len(lists)), key=lambda place: -len(lists[place]))
    sizes = [len(lists[place]) for place in longest_first]
    due = set(map(_turn, range(sizes[0]), [sizes] * sizes[0])) if sizes else {()}
    return [tuple(lists[place].index(case[place]) for place in longest_first) in due for case in cases]


def _turn(turn: int, sizes: list[int]) -> tuple[int, ...]:
    """Return the places of the values in lists of these sizes; each list but two starts later each round."""
    places, passed = [turn], 1
    for size in sizes[1:]:
        places.append((turn + (turn // passed if passed > 1 else 0)) % size)
        passed *= size
    return tuple(places)
