"""
The tests whose queries leave the engine to Polars: only they can differ on a second engine.

A query that names its engine, and whatever Polars does eagerly, runs the same way under any
POLARS_ENGINE_AFFINITY. `--default-engine=record` notes the other tests while all run,
`--default-engine=recorded` runs those again.
"""

from __future__ import annotations

import functools
import inspect
import os
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

TWO_ENGINES = (
    "tests/repeats/",
    "tests/slices/test_slices_found",
    *(f"tests/summary/test_summary_{kind}" for kind in ("exact", "merge")),
    *(f"tests/reports/test_report_{kind}" for kind in ("properties", "sample", "slices")),
    *(f"tests/reports/test_comparison_{kind}" for kind in ("oracle", "rates")),
    "tests/reports/test_own_metrics",
)
"""
Tests that hold sums of rows against an oracle. What is made of the sums is tested once, and scores of rows
name both engines.

`.ci/heavy engines` runs all.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--default-engine", choices=["record", "recorded"], help=__doc__)


def pytest_configure(config: pytest.Config) -> None:
    mode = config.getoption("--default-engine")
    if mode is None:
        return
    folder = config.cache.mkdir("default-engine")  # type: ignore[union-attr]
    if mode == "recorded":
        config.pluginmanager.register(Selection(folder))
        return
    if not hasattr(config, "workerinput"):
        for file in folder.iterdir():
            file.unlink()
    config.pluginmanager.register(Recorder(folder / os.environ.get("PYTEST_XDIST_WORKER", "all")))


class Recorder:
    """Notes each test that runs such a query itself or uses a fixture that did."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._asked = False
        self._fixtures: set[str] = set()
        self._tests: list[str] = []
        for owner, names in ((pl.LazyFrame, dir(pl.LazyFrame)), (pl, ["collect_all", "collect_all_async"])):
            for name in names:
                function = getattr(owner, name)
                if inspect.isfunction(function) and "engine" in inspect.signature(function).parameters:
                    setattr(owner, name, self._noted(function))

    def _noted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self._asked |= kwargs.get("engine", "auto") == "auto"
            return function(*args, **kwargs)

        return call

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Function) -> Generator[None, object, object]:
        self._asked = False
        result = yield
        if self._asked or not self._fixtures.isdisjoint(item.fixturenames):
            self._tests.append(item.nodeid)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        before, self._asked = self._asked, False
        result = yield
        if self._asked and fixturedef.scope != "function":
            self._fixtures.add(fixturedef.argname)
        self._asked |= before
        return result

    def pytest_sessionfinish(self) -> None:
        self._file.write_text("\n".join(self._tests), encoding="utf-8", errors="surrogateescape")


class Selection:
    """Leaves out the tests that are not on record, and the files that hold none that is."""

    def __init__(self, folder: Path) -> None:
        found = [file.read_text(encoding="utf-8", errors="surrogateescape") for file in folder.iterdir()]
        tests = {test for text in found for test in text.split("\n") if test}
        if not tests:
            raise pytest.UsageError("nothing is on record: run with --default-engine=record first")
        self._tests = {test for test in tests if test.startswith(TWO_ENGINES)}
        self._files = {test.partition("::")[0] for test in self._tests}

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        file = collection_path.relative_to(config.rootpath).as_posix()
        return True if collection_path.suffix == ".py" and file not in self._files else None

    def pytest_collection_modifyitems(self, items: list[pytest.Item], config: pytest.Config) -> None:
        left_out = [item for item in items if item.nodeid not in self._tests]
        items[:] = [item for item in items if item.nodeid in self._tests]
        config.hook.pytest_deselected(items=left_out)
