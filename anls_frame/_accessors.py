"""
Registration of ``.anls`` on the frames of Polars, and on those of pandas once it is imported.

A Polars user must not wait for pandas. If pandas is already loaded, its frames get the accessor at once. The
functions behind the accessors are imported on first use.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import polars as pl


def register() -> None:
    """Register the accessors of both libraries, that of pandas when it is imported."""
    for owner, name in (
        (pl.DataFrame, "AnlsFrameNamespace"),
        (pl.LazyFrame, "AnlsFrameNamespace"),
        (pl.Expr, "AnlsExprNamespace"),
    ):
        # If the package is reloaded, Polars must not warn about our own namespace, only about others.
        if isinstance(vars(owner).get("anls"), _FreshNamespace):
            del owner.anls  # type: ignore[union-attr]
        namespace = _FreshNamespace(name)
        getattr(pl.api, f"register_{owner.__name__.lower()}_namespace")("anls")(namespace)
        # Replaces Polars' descriptor.
        owner.anls = namespace  # type: ignore[union-attr]
    if sys.modules.get("pandas") is not None:
        _register_with_pandas()
    elif not any(isinstance(finder, _WatchForPandas) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WatchForPandas())


def _register_with_pandas() -> None:
    import anls_frame.pandas  # noqa: F401, PLC0415 - importing it registers the accessor


class _FreshNamespace:
    """
    A namespace that is created at each access.

    Polars' own descriptor stores the namespace on its frame. This cycle keeps the frame alive until the
    garbage collector runs. A loop over large frames would run out of memory, because the collector counts
    objects, not gigabytes.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type) -> Any:
        from anls_frame import namespaces  # noqa: PLC0415 - needs Polars

        namespace = getattr(namespaces, self._name)
        return namespace if instance is None else namespace(instance)


class _WatchForPandas:
    """
    Waits for the import of pandas and registers the accessor after it.

    The class is a meta path finder without the usual base class, whose import takes as long as the rest of
    the package.
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
            # Not earlier, because some libraries only check whether another library could be found.
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            _register_with_pandas()

        # Patched on the loader object, so that its type and its other methods stay as the library expects.
        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec
