"""
Check a wheel as its users meet it: ``python .ci/check_wheel.py WHEEL [--quick]``.

It must be small, have what belongs in it and nothing else, and its page must not need other files, because
PyPI shows it alone. It is installed into new environments, without anything being built: with the oldest
Polars that it supports and with the newest, pre-releases included. There `anls-frame doctor` compares known
scores by their bits, the sample data are reported, and the examples of the README run in their order, from an
empty folder. This needs nothing but Python, on any system. With
``--quick``, a wheel that is not compiled as it is released may have any size and relative links, and is
installed alone, once: it uses what the Python that checks it has installed.
"""

from __future__ import annotations

import argparse
import doctest
import importlib.util
import math
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

# The library takes 1.4 MB, because its kernels are compiled for several sets of instructions; the Python code
# with its docstrings takes 1.0 MB, the sample data 0.2 MB.
LARGEST = 5 * 1024 * 1024 // 2
ALONE = ["--no-deps"]
README = Path(__file__).resolve().parent.parent / "README.md"
REPORT = [
    "--prediction",
    "tesseract",
    "--by",
    "question_types",
    "--cluster",
    "doc_id",
    "--output",
    "report.html",
]


def check_content(wheel: Path, largest: float) -> str:
    """Return the oldest Polars that the wheel supports; exit if the wheel holds what it should not."""
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size:,} bytes")
    if size > largest:
        sys.exit(f"the wheel is larger than {largest:,} bytes")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        fields = HeaderParser().parsestr(archive.read(metadata).decode())
    unexpected = [name for name in names if not name.startswith(("anls_frame/", "anls_frame-"))]
    if unexpected:
        sys.exit(f"the wheel carries {unexpected}")
    needed = ["/licenses/LICENSE", "anls_frame/py.typed", "anls_frame/_native.pyi", "anls_frame/__init__.pyi"]
    needed += ["anls_frame/samples/qa.parquet", "anls_frame/samples/pages.parquet", "anls_frame/SKILL.md"]
    missing = [end for end in needed if not any(name.endswith(end) for name in names)]
    if missing:
        sys.exit(f"the wheel lacks {missing}")
    relative = re.findall(r"\]\((?!\w+:|#)([^()\s]+)\)", str(fields.get_payload()))
    if relative and math.isfinite(largest):
        sys.exit(f"the wheel's page has links that need other files: {relative}")
    (polars,) = (line for line in fields.get_all("Requires-Dist", []) if line.startswith("polars"))
    return polars.partition(">=")[2]


def check_installed(wheel: Path, options: list[str], folder: Path, *, system_site_packages: bool) -> None:
    """Install the wheel into a new environment, and use it there; alone, with the packages of this Python."""
    begun = time.monotonic()
    # Where this Python has a pip, it serves the environment too: to set up another one takes seconds.
    has_pip = importlib.util.find_spec("pip") is not None
    venv.create(folder / "venv", with_pip=not has_pip, system_site_packages=system_site_packages)
    scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(folder / "venv")}))
    pip = [scripts / "python", "-m", "pip"]
    if has_pip:
        pip = [sys.executable, "-m", "pip", "--python", folder / "venv"]
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONUTF8": "1"}

    def run(*command: str | Path, cwd: Path = folder) -> str:
        ran = subprocess.run(  # noqa: S603 - our own command
            command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False
        )
        if ran.returncode:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    run(*pip, "install", "--quiet", "--only-binary=:all:", wheel, *options)
    if options == ALONE:
        site = sysconfig.get_path("purelib", "venv", {"base": str(folder / "venv")})
        # Path files in a folder that one names are not read: a package in place here is not found there.
        (Path(site) / "beside.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    run(scripts / "anls-frame", "demo")
    report = run(scripts / "anls-frame", "report", "demo/questions.parquet", *REPORT)
    taken = time.monotonic() - begun
    found = run(scripts / "anls-frame", "doctor")
    if str(folder) not in found:
        sys.exit(f"the library is not that of the wheel:\n{found}")
    (folder / "readme").mkdir()
    run(scripts / "python", "-c", readme_script(), cwd=folder / "readme")
    print(found, report, sep="\n")
    print(f"{' '.join(options)}: {taken:.0f} s from no environment to the first report")


def readme_script() -> str:
    """Return the Python examples of the README as a program, in their order; it warns of nothing."""
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    code = [doctest.script_from_examples(block) if ">>>" in block else block for block in blocks]
    if not code:
        sys.exit("the README has no examples in Python")
    return "\n".join(["import warnings", "warnings.simplefilter('error')", *code])


def main() -> None:
    """Check one wheel."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--quick", action="store_true", help="any size, with the packages of this Python")
    parser.add_argument("--system-site-packages", action="store_true", help="also use what the machine has")
    arguments = parser.parse_args()
    wheel = arguments.wheel.resolve()
    oldest = check_content(wheel, math.inf if arguments.quick else LARGEST)
    # A bound that is a pre-release lets pip take those, of this package alone.
    for options in [ALONE] if arguments.quick else [[f"polars=={oldest}.*"], [f"polars>={oldest}a0"]]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            check_installed(wheel, options, folder, system_site_packages=arguments.system_site_packages)


if __name__ == "__main__":
    main()
