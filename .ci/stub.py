"""
Write the public names for type checkers, into `anls_frame/__init__.pyi`; `--check` only compares.

The names of metrics are those in the `__all__` of their modules; they are also written into
`anls_frame/_metric_names.py`, so that no module is imported to know them.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

import anls_frame
from anls_frame import _metric_names, _names, gec, metrics, pairs, plot, readers, repeats, statistics

HEAD = '''"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

'''


METRIC_NAMES = '''"""The public names of the modules of metrics; `.ci/stub.py` writes this file."""

from __future__ import annotations

METRICS = {
'''


def of_metrics() -> dict[str, str]:
    """Return the public names of each module of `anls_frame.metrics`."""
    modules = [
        import_module(f"{metrics.__name__}.{name}") for _, name, _ in pkgutil.iter_modules(metrics.__path__)
    ]
    return {
        module.__name__.removeprefix("anls_frame."): " ".join(sorted(module.__all__))
        for module in modules
        if hasattr(module, "__all__")
    }


def written() -> dict[Path, str]:
    """Return the names of metrics, and the stub of each package: imports of its names, each as itself."""
    names = of_metrics()
    lines = [f'    "{module}": "{public}",\n' for module, public in sorted(names.items())]
    contents = {Path(str(_metric_names.__file__)): f"{METRIC_NAMES}{''.join(lines)}}}\n"}
    for package in (gec, pairs, plot, readers, repeats, statistics):
        # The names of `readers` come from several rooms.
        rooms = "anls_frame" if package is readers else package.__name__
        contents[path_of(package)] = HEAD + imports(rooms, package._HOMES)  # noqa: SLF001 - the list
    modules = [f"from anls_frame import {name} as {name}\n" for name in _names.MODULES]
    own = imports("anls_frame", {**_names.HOMES, **names})
    contents[path_of(anls_frame)] = f"{HEAD}{''.join(modules)}{own}\n__version__: str\n"
    return contents


def path_of(package: ModuleType) -> Path:
    """Return the path of a package's stub."""
    return Path(str(package.__file__)).with_suffix(".pyi")


def imports(package: str, homes: Mapping[str, str]) -> str:
    """Return the imports of the names of each module."""
    lines = [
        f"from {package}.{module} import {name} as {name}\n"
        for module, names in sorted(homes.items())
        for name in sorted(names.split(), key=lambda name: (not name.isupper(), name.islower(), name))
    ]
    return "".join(lines)


if __name__ == "__main__":
    for path, content in written().items():
        if "--check" not in sys.argv:
            path.write_text(content, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != content:
            sys.exit(f"{path} is not what .ci/stub.py writes; run `.venv/bin/python .ci/stub.py`")
