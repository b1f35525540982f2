"""Pages of the reference: types of parameters, links to guides, and no constructors of results."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from functools import cache, reduce
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

_ROOT = Path(__file__).parent.parent
_GUIDED = re.compile(r"`([\w.]+)(?:\([^`]*\))?`|\[[^\]]*\]\((\w+)\.md[^)]*\)")
_LONGEST = 160
"""Characters of a type; a longer one keeps the names of its aliases."""


def hide_constructor(_app: Sphinx, kind: str, _name: str, _object: Any, *_: Any) -> tuple[str, str] | None:
    """Leave out the parameters of a class that does not describe them: functions make its objects."""
    described = "Parameters\n---" in (inspect.getdoc(_object) or "")
    return ("", "") if kind == "class" and not described else None


def add_types(_app: Sphinx, _kind: str, _name: str, documented: Any, _options: Any, lines: list[str]) -> None:
    """Write the type of each parameter after its name, as numpydoc shows it."""
    if "Parameters" not in lines:
        return
    try:
        signature = inspect.signature(documented)
    except (TypeError, ValueError):
        return
    types = {name: _shown(one.annotation) for name, one in signature.parameters.items()}
    start = lines.index("Parameters") + 2
    for number in range(start, len(lines)):
        line = lines[number]
        if lines[number + 1 : number + 2] and lines[number + 1].startswith("---"):
            return
        names = [name.strip().lstrip("*") for name in line.split(",")]
        if line and not line[0].isspace() and {*names} <= {*types}:
            shown = ", ".join(dict.fromkeys(types[name] for name in names if types[name]))
            lines[number] = f"{line} : {shown}" if shown else line


def add_guides(_app: Sphinx, _kind: str, name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Link the guides of a function under "See also", which numpydoc has made a block."""
    guides = _guides().get(name.removeprefix("anls_frame."), [])
    if name.startswith("anls_frame.plot."):
        guides = ["plots"]
    if not guides:
        return
    named = "Guide" if len(guides) == 1 else "Guides"
    links = [f"   {named}: " + ", ".join(f":doc:`/docs/{guide}`" for guide in guides), ""]
    block = next((number for number, line in enumerate(lines) if line.startswith(".. seealso::")), None)
    if block is not None:
        lines[block + 1 : block + 1] = ["", *links]
        return
    ends = (number for number, line in enumerate(lines) if line.startswith(".. rubric::"))
    end = next(ends, len(lines))
    lines[end:end] = ["", ".. seealso::", "", *links]


@cache
def _guides() -> dict[str, list[str]]:
    """Return the guides of a function: those of its row in `docs/which.md`, or the one that names it most."""
    chosen: dict[str, list[str]] = {}
    linked: dict[str, Counter[str]] = {}
    for row in (_ROOT / "docs/which.md").read_text(encoding="utf-8").splitlines():
        for cell in row.split("|")[2:4]:
            found = _GUIDED.findall(cell)
            guides = dict.fromkeys(guide for _, guide in found if guide)
            linked |= {guide: _mentions(guide) for guide in guides}
            for name in (name.removeprefix("af.") for name, _ in found if name):
                chosen[name] = [*dict.fromkeys([*chosen.get(name, []), *guides])]
    mentioned = {name for counts in linked.values() for name in counts}
    most = {name: [max(linked, key=lambda guide: linked[guide][name])] for name in mentioned}
    return most | {name: guides for name, guides in chosen.items() if guides}


def _mentions(guide: str) -> Counter[str]:
    """Return how often a guide names each function."""
    text = (_ROOT / f"docs/{guide}.md").read_text(encoding="utf-8")
    names = re.findall(r"(?<![\w.])[a-z][\w.]*(?=[(`])", text)
    return Counter(name.rpartition("anls.")[2].removeprefix("af.") for name in names)


@cache
def _aliases() -> dict[str, ast.expr]:
    """Return the types that one module of the package gives a name."""
    found: dict[str, list[ast.expr]] = {}
    for path in sorted((_ROOT / "anls_frame").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias" and node.value:
                found.setdefault(ast.unparse(node.target), []).append(node.value)
            elif isinstance(node, ast.Assign) and _is_type(node.value):
                found.setdefault(ast.unparse(node.targets[0]), []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _is_type(value: ast.expr) -> bool:
    """Whether a value that has a name is a choice of types or texts."""
    return isinstance(value, ast.Subscript) and ast.unparse(value.value) in {"Literal", "Union"}


class _Expanded(ast.NodeTransformer):
    """Put the types in place of their names; choices are in braces, as in numpydoc."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        alias = _aliases().get(node.id)
        return node if alias is None else self.visit(alias)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str):
            return self.visit(ast.parse(node.value, mode="eval").body)  # type: ignore[no-any-return]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if ast.unparse(node.value) == "Literal":
            return ast.Set(elts=parts)
        if ast.unparse(node.value) == "Union":
            either = [self.visit(part) for part in parts]
            return reduce(lambda one, other: ast.BinOp(one, ast.BitOr(), other), either)
        return self.generic_visit(node)  # type: ignore[return-value]


def _shown(annotation: object) -> str:
    """Return a type as text; nothing for an object of any type."""
    if not isinstance(annotation, str) or annotation == "Any":
        return ""
    expanded = ast.unparse(_Expanded().visit(ast.parse(annotation, mode="eval").body))
    shown = expanded if len(expanded) <= _LONGEST else annotation
    return re.sub(r"_(?!\w)", r"\\_", shown)  # would be a link in reStructuredText


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect before and after numpydoc, which has the priority 500."""
    app.connect("autodoc-process-signature", hide_constructor, priority=400)
    app.connect("autodoc-process-docstring", add_types, priority=400)
    app.connect("autodoc-process-docstring", add_guides, priority=600)
    return {"parallel_read_safe": True}
