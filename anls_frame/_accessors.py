"""
Registration of ``.anls`` on the frames of Polars and pandas, whichever package is imported first.

A command that shows its help must not wait for Polars, nor a Polars user for pandas. A library that is
already loaded gets its accessor at once, any other library when it is imported. The functions that the
accessor calls are imported on first use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any


def register() -> None:
    """Register the accessors of each library now, or when it is imported."""
    for library, register_now in (("polars", _register_with_polars), ("pandas", _register_with_pandas)):
        if sys.modules.get(library) is not None:
            register_now()
        elif not any(isinstance(finder, _Watch) and finder.library == library for finder in sys.meta_path):
            sys.meta_path.insert(0, _Watch(library, register_now))


def _register_with_pandas() -> None:
    import anls_frame.pandas  # noqa: F401, PLC0415 - importing it registers the accessor


def _register_with_polars() -> None:
    import polars as pl  # noqa: PLC0415 - loaded already

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


class _Watch:
    """
    Waits for the import of a library and registers the accessor after it.

    The class is a meta path finder without the usual base class, whose import takes as long as the rest of
    the package.
    """

    def __init__(self, library: str, register_now: Callable[[], None]) -> None:
        self.library = library
        self._register = register_now
        self._searching = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if fullname != self.library or self._searching:
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
            self._register()

        # Patched on the loader object, so that its type and its other methods stay as the library expects.
        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec
