"""Write the public names for type checkers, into `anls_frame/__init__.pyi`; `--check` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

import anls_frame
from anls_frame import pairs, repeats

HEAD = '''"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

'''


def stubs() -> dict[Path, str]:
    """Return the stub of each package: imports of its names, each as itself, which makes it public."""
    modules = [("anls_frame", module) for module in anls_frame._MODULES]  # noqa: SLF001 - the list of them
    contents = {}
    for package, more, end in (
        (anls_frame, modules, "\n__version__: str\n"),
        (pairs, [], ""),
        (repeats, [], ""),
    ):
        names = [
            (f"{package.__name__}.{module}", name)
            for module, public in package._HOMES.items()  # noqa: SLF001 - the list of them
            for name in public.split()
        ]
        imports = [f"from {module} import {name} as {name}\n" for module, name in (*more, *names)]
        path = Path(str(package.__file__)).with_suffix(".pyi")
        contents[path] = f"{HEAD}{''.join(imports)}{end}"
    return contents


if __name__ == "__main__":
    for path, content in stubs().items():
        if "--check" not in sys.argv:
            path.write_text(content, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != content:
            sys.exit(f"{path} is not what .ci/stub.py writes; run `.venv/bin/python .ci/stub.py`")
