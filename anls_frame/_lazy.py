"""Names of packages that are imported on first use, so that unused modules cost no time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attach(
    package: str, homes: Mapping[str, str], below: str | None = None
) -> tuple[Callable[[str], Any], list[str]]:
    """
    Return the `__getattr__` and the `__all__` of a package.

    Parameters
    ----------
    package
        Name of the package.
    homes
        The public names of each of its modules, separated by spaces.
    below
        The package that has these modules, if they are not in `package` itself.
    """
    modules = {
        name: f"{below or package}.{module}" for module, names in homes.items() for name in names.split()
    }

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        # Imported names are not looked up again; a module of the same name would take precedence.
        setattr(sys.modules[package], name, value)
        return value

    # What completion offers, before the names are imported.
    setattr(sys.modules[package], "__dir__", lambda: list(modules))  # noqa: B010 - mypy forbids assigning it
    return get, list(modules)
