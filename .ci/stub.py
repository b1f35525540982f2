"""Write the public names for type checkers, into `anls_frame/__init__.pyi`; `--check` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

import anls_frame

STUB = Path(anls_frame.__file__).with_suffix(".pyi")
HEAD = '''"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

'''


def stub() -> str:
    """Return imports of all public names, each as itself, which makes it public to type checkers."""
    names = [("anls_frame", module) for module in anls_frame._MODULES]  # noqa: SLF001 - the list of them
    for module, public in anls_frame._HOMES.items():  # noqa: SLF001 - the list of them
        names += [(f"anls_frame.{module}", name) for name in public.split()]
    imports = [f"from {module} import {name} as {name}\n" for module, name in names]
    return f"{HEAD}{''.join(imports)}\n__version__: str\n"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        STUB.write_text(stub(), encoding="utf-8")
    elif STUB.read_text(encoding="utf-8") != stub():
        sys.exit("anls_frame/__init__.pyi is not what .ci/stub.py writes; run `.venv/bin/python .ci/stub.py`")
