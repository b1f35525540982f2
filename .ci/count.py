"""
Count how large the project is: ``make count``.

It prints the lines of Python code (without docstrings, comments and blank lines) by room, those of Rust
with and without tests, the comprehensions with two `for`, which may not become more, the public names, the
functions with the most parameters, the options, the names of classes and modules that occur for
two things, and the files that each kind of addition takes, as CONTRIBUTING.md lists them.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import inspect
import re
import sys
from pathlib import Path

import anls_frame
from anls_frame._names import MODULES
from anls_frame.cli.app import commands

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "anls_frame"
MANY_PARAMETERS = 13
MOST_DENSE = 78
"""Comprehensions with two `for` when they were first counted; fewer are better."""


def main() -> None:
    """Print all counts."""
    print_lines()
    is_plain = print_comprehensions()
    print_names()
    print_parameters()
    print_options()
    print_repeated_names()
    print_lists()
    if not is_plain:
        sys.exit("write a loop, or a function, in place of a comprehension with two `for`")


def print_lines() -> None:
    """Print the lines of code of the package by room, and those of the tests and benchmarks."""
    rooms: collections.Counter[str] = collections.Counter()
    for path in PACKAGE.rglob("*.py"):
        inside = path.relative_to(PACKAGE)
        rooms[f"{inside.parts[0]}/" if len(inside.parts) > 1 else "(top)"] += code_lines(path)
    print(f"Lines of Python code in anls_frame/: {rooms.total():,}")
    for room, lines in rooms.most_common():
        print(f"  {room:<16}{lines:>7,}")
    for folder in ("tests", "benchmarks"):
        paths = (ROOT / folder).rglob("*.py")
        print(f"Lines of Python code in {folder}/: {sum(code_lines(path) for path in paths):,}")
    every = sum(map(rust_lines, (ROOT / "src").rglob("*.rs")))
    tested = sum(rust_lines(path, without_tests=True) for path in (ROOT / "src").rglob("*.rs"))
    print(f"Lines of Rust code in src/: {every:,}, without tests {tested:,}")


def code_lines(path: Path) -> int:
    """Return the number of lines that are neither blank, nor a comment, nor part of a docstring."""
    text = path.read_text(encoding="utf-8")
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        # Of modules, classes, functions, and of what is assigned before it.
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text and isinstance(node.value.value, str):
            documented.update(range(node.lineno, (node.end_lineno or 0) + 1))
    return sum(
        number not in documented and bool(line.strip()) and not line.strip().startswith("#")
        for number, line in enumerate(text.splitlines(), 1)
    )


def rust_lines(path: Path, *, without_tests: bool = False) -> int:
    """Return the number of lines of Rust that are neither blank nor a comment; modules of tests are last."""
    text = path.read_text(encoding="utf-8")
    if without_tests:
        outer = path.parent / ("lib.rs" if path.parent.name == "src" else "mod.rs")
        named = rf"#\[cfg\(test\)\]\n(?:#\[.*\]\n)*(?:pub(?:\(.*\))? )?mod {path.stem};"
        if outer != path and outer.exists() and re.search(named, outer.read_text(encoding="utf-8")):
            return 0
        text = re.split(
            r"^#\[cfg\(test\)\]\n(?:#\[.*\]\n)*mod \w+ \{$", text, maxsplit=1, flags=re.MULTILINE
        )[0]
    return sum(bool(line.strip()) and not line.strip().startswith("//") for line in text.splitlines())


def print_comprehensions() -> bool:
    """Print how many comprehensions have two `for`; return whether there are no more than before."""
    kinds = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    dense = sum(
        isinstance(node, kinds) and len(node.generators) > 1
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )
    print(f"Comprehensions with two `for` in anls_frame/: {dense} (at most {MOST_DENSE})")
    return dense <= MOST_DENSE


def print_names() -> None:
    """Print how many public names there are, at the top and in each public module."""
    modules = {name: listed_names(name) for name in MODULES}
    inside = {name: len(names) for name, names in modules.items() if names}
    counts = ", ".join(f"{name} {count}" for name, count in inside.items())
    print(
        f"Public names at the top: {len(anls_frame.__all__)}; in modules: {sum(inside.values())} ({counts})"
    )


def listed_names(module: str) -> list[str]:
    """Return what `__all__` of a public module lists; without Daft, that of `distributed` is read as text."""
    with contextlib.suppress(ImportError):
        return list(getattr(getattr(anls_frame, module), "__all__", ()))
    path = PACKAGE / f"{module}.py"
    tree = ast.parse(
        (path if path.exists() else PACKAGE / module / "__init__.py").read_text(encoding="utf-8")
    )
    for node in tree.body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            return list(ast.literal_eval(node.value))
    return []


def print_parameters() -> None:
    """Print the public functions with the most parameters."""
    counts = {
        name: len(inspect.signature(function).parameters)
        for name in anls_frame.__all__
        if inspect.isfunction(function := getattr(anls_frame, name))
    }
    many = sorted(counts, key=lambda name: -counts[name])[:8]
    print(f"Most parameters (at most {MANY_PARAMETERS} are wanted):")
    for name in many:
        print(f"  {name:<24}{counts[name]:>3}")


def print_options() -> None:
    """Print how many options the commands have."""
    options = {
        name: sum(param.param_type_name == "option" for param in command.params)
        for name, command in commands().items()
    }
    print(f"Options, summed over {len(options)} commands: {sum(options.values())}")
    for command, count in options.items():
        print(f"  anls-frame {command:<13}{count:>3}")


def print_repeated_names() -> None:
    """Print the names of classes and modules that occur in more than one place."""
    classes: dict[str, list[str]] = collections.defaultdict(list)
    modules: dict[str, list[str]] = collections.defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        place = str(path.relative_to(PACKAGE))
        if path.stem != "__init__":
            modules[path.stem.strip("_")].append(place)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                classes[node.name.strip("_")].append(place)
    for kind, places_of in (("classes", classes), ("modules", modules)):
        repeated = {name: places for name, places in places_of.items() if len(places) > 1}
        print(f"Names of {kind} in two places or more: {len(repeated)}")
        for name, places in repeated.items():
            print(f"  {name}: {', '.join(places)}")


def print_lists() -> None:
    """Print how many files an addition takes, as CONTRIBUTING.md lists them."""
    print("Files to add or change:")
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for addition, files in re.findall(r"^### (.+): (\d+ files.*)$", text, re.MULTILINE):
        print(f"  {addition:<24}{files}")


if __name__ == "__main__":
    main()
