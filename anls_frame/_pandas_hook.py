"""
Give pandas frames their ``.anls``, whichever of the two packages is imported first.

Importing pandas takes longer than importing Polars, and a Polars user must not pay for it: the accessor is
registered at once where pandas is loaded already, otherwise when it becomes loaded.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def register() -> None:
    """Register the pandas accessor now, or with the import of pandas."""
    if sys.modules.get("pandas") is not None:
        _register_accessor()
    elif not any(isinstance(finder, _PandasWatch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _PandasWatch())


def _register_accessor() -> None:
    import anls_frame.pandas  # noqa: F401, PLC0415 - importing it registers the accessor


class _PandasWatch:
    """
    Waits for the import of pandas, steps aside, and registers the accessor after it.

    A finder by its method alone: importing the base class takes as long as the rest of the package.
    """

    _searching = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if fullname != "pandas" or self._searching:
            return None
        self._searching = True
        try:
            spec = find_spec(fullname)
        finally:
            self._searching = False
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_register(module: ModuleType) -> None:
            execute(module)
            # Not before: many a library only asks whether pandas could be found.
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            _register_accessor()

        # On the loader object itself: its type and its other methods stay as pandas expects them.
        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec
