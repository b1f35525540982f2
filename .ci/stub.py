"""Write the public names for type checkers, into `anls_frame/__init__.pyi`; `--check` only compares."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import anls_frame
from anls_frame import _names, pairs, plot, readers, repeats

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

HEAD = '''"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

'''


def stubs() -> dict[Path, str]:
    """Return the stub of each package: imports of its names, each as itself, which makes it public."""
    contents = {}
    for package in (pairs, plot, readers, repeats):
        contents[path_of(package)] = HEAD + imports(package.__name__, package._HOMES)  # noqa: SLF001 - the list
    modules = [f"from anls_frame import {name} as {name}\n" for name in _names.MODULES]
    own = imports("anls_frame", _names.HOMES)
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
    for path, content in stubs().items():
        if "--check" not in sys.argv:
            path.write_text(content, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != content:
            sys.exit(f"{path} is not what .ci/stub.py writes; run `.venv/bin/python .ci/stub.py`")
