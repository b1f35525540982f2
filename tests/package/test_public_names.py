"""The registry, the package and the compiled library name the same things, and each is documented."""

from __future__ import annotations

import ast
import inspect
import pydoc
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest
from registry import (
    CLASSES,
    FUNCTIONS,
    GEC_FUNCTIONS,
    NAMESPACES,
    OF_OTHERS,
    ROW_EXPRESSIONS,
    SCALAR_FUNCTIONS,
    SCORE_DTYPE,
    RowExpression,
    ScalarFunction,
)

import anls_frame as af
from anls_frame import _native, namespaces, readers, words
from anls_frame import pandas as anls_pandas
from anls_frame._names import MODULES
from anls_frame._typing import ScoreColumn
from anls_frame.analysis.browsing import RowsPage
from anls_frame.metrics import accuracies, distances, errors, page_errors, scores, wrapping
from anls_frame.namespaces import AnlsExprNamespace
from anls_frame.pandas import AnlsPandasAccessor
from anls_frame.readers.descriptions import READERS
from anls_frame.reports.corrected_scores import Corrected
from anls_frame.reports.decisions import Decision
from anls_frame.reports.pairing import Paired
from anls_frame.slices.result import Slices
from anls_frame.summary.account import Account
from anls_frame.summary.settings import Settings

METRICS = tuple(
    name
    for room in (distances, scores, accuracies, errors, page_errors, words, wrapping)
    for name in room.__all__
)
DOCUMENTED = FUNCTIONS | {f"gec.{name}": function for name, function in GEC_FUNCTIONS.items()}
DOCUMENTED |= {f"plot.{name}": getattr(af.plot, name) for name in af.plot.__all__}
METHODS = [
    pytest.param(owner, name, id=f"{owner.__name__}.{name}")
    for owner, methods in NAMESPACES.items()
    for name in methods
]
# Beside the metrics the library exports two functions of the plugin interface itself.
INTERFACE = {"get_version", "get_last_error_message"}


INTERNAL = {
    *("confusion_counts", "score_details", "shared_units", "text_kind"),
    *("gec_m2", "gec_m2_edits", "gec_i_measure", "gec_i_measure_references", "gec_align3", "gec_errant"),
}
"""What the library exports for the package alone."""


def exported() -> set[str]:
    """Return the names after `_polars_plugin_` in the library's table of symbols."""
    library = Path(_native.__file__).read_bytes()
    return {name.decode() for name in re.findall(rb"_polars_plugin_([a-z0-9_]+)\0", library)}


RESULTS = (Account, Corrected, Decision, Paired, RowsPage, Settings, Slices)
"""Types of results, which have no name one dot away."""


def test_completion_shows_what_is_public_alone() -> None:
    modules = {name for name in dir(af) if name not in af.__all__}

    assert set(af.__all__) < set(dir(af))
    assert all(type(getattr(af, name)) is ModuleType for name in modules - {"distributed"})
    assert not modules & {
        "Any",
        "TYPE_CHECKING",
        "annotations",
        "import_module",
        "metrics",
        "reports",
    }


def test_help_shows_the_package_without_daft(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "daft", None)
    shown = pydoc.render_doc(af, renderer=pydoc.plaintext)

    assert "report(frame: 'Any'" in shown
    assert "distributed" not in dir(af)


def test_a_name_is_public_once() -> None:
    assert len(set(af.__all__)) == len(af.__all__)
    assert len(set(METRICS)) == len(METRICS)


def test_the_registry_lists_every_namespace() -> None:
    classes = {
        value
        for module in (namespaces, anls_pandas)
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and not name.startswith("_")
    }

    assert classes == set(NAMESPACES)


@pytest.mark.parametrize("owner", NAMESPACES, ids=lambda owner: owner.__name__)
def test_the_registry_lists_every_method_of_a_namespace(owner: type) -> None:
    methods = {name for name in dir(owner) if not name.startswith("_")}

    assert methods == set(NAMESPACES[owner])


def test_every_reader_that_is_described_is_public() -> None:
    described = {kind.function.rpartition(".")[2] for name, kind in READERS.items() if name != "pages"}

    assert described | {"read_pages"} <= set(readers.__all__)
    assert all(callable(getattr(readers, name)) for name in readers.__all__)


@pytest.mark.parametrize(
    "package", [af, af.pairs, af.readers, af.repeats], ids=lambda package: package.__name__
)
def test_type_checkers_are_told_every_public_name(package: ModuleType) -> None:
    stub = ast.parse(Path(str(package.__file__)).with_suffix(".pyi").read_text(encoding="utf-8"))
    names = [alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]

    public_names = {*af.__all__, *MODULES} if package is af else [*package.__all__, "__version__"]
    assert sorted([*names, "__version__"]) == sorted(public_names), "`.venv/bin/python .ci/stub.py` writes it"


def test_metrics_plugin_names_and_exported_symbols_agree() -> None:
    names = {row.name for row in ROW_EXPRESSIONS}
    functions = names | INTERNAL | {*wrapping.__all__}

    assert set(METRICS) == {*names, *OF_OTHERS}
    assert INTERNAL.isdisjoint(af.__all__)
    assert exported() == functions | {f"field_{name}" for name in functions} | INTERFACE


def test_the_tests_of_the_border_know_every_file_of_exports() -> None:
    border = Path(__file__).parents[1] / "border"
    known = re.findall(r'include_str!\("(.+)"\)', (border / "valid_columns.rs").read_text(encoding="utf-8"))
    sources = [(border / path).read_text(encoding="utf-8") for path in known]
    names = re.findall(r"_polars_plugin_field_(\w+),", "".join(sources))

    assert {*names, *(f"field_{name}" for name in names)} == exported() - INTERFACE


def test_the_fields_of_score_are_the_columns_of_add_scores() -> None:
    assert [field.name for field in SCORE_DTYPE.fields] == list(get_args(ScoreColumn))


@pytest.mark.parametrize("row", ROW_EXPRESSIONS, ids=lambda row: row.name)
def test_a_row_expression_takes_its_inputs_then_keyword_only_options(row: RowExpression) -> None:
    parameters = inspect.signature(row.function).parameters.values()

    positional = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    options = {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY}

    assert positional == [name for name, _ in row.inputs]
    assert options == {option.name: option.default for option in row.options}
    assert len(parameters) == len(positional) + len(options)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_function_is_documented_in_numpydoc_sections(name: str) -> None:
    documentation = inspect.getdoc(DOCUMENTED[name]) or ""

    sections = re.findall(r"^(.+)\n-{3,}$", documentation, flags=re.MULTILINE)

    assert documentation.partition("\n")[0].endswith("."), "a summary of one line"
    assert [one for one in sections if one in {"Parameters", "Returns", "Raises", "Examples"}] == [
        "Parameters",
        "Returns",
        "Raises",
        "Examples",
    ]
    assert ">>> " in documentation.partition("\nExamples\n")[2]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_parameter_is_documented(name: str) -> None:
    documentation = inspect.getdoc(DOCUMENTED[name]) or ""
    section = documentation.partition("\nParameters\n")[2].partition("\nReturns\n")[0]

    lines = re.findall(r"^(?! |-)(.+)$", section, flags=re.MULTILINE)
    documented = [one.strip().removeprefix("**") for line in lines for one in line.split(",")]

    assert documented == list(inspect.signature(DOCUMENTED[name]).parameters)


def test_the_docstring_of_protocols_names_every_preset() -> None:
    documentation = inspect.getdoc(af.ScoreProtocol) or ""

    assert [name for name in af.PROTOCOLS if f"`{name}`" not in documentation] == []


def test_every_class_is_documented_with_an_example() -> None:
    ours = [*CLASSES.values(), *RESULTS]
    undocumented = [
        one for one in ours if ">>> " not in (inspect.getdoc(one) or "").partition("\nExamples\n")[2]
    ]

    assert undocumented == []


@pytest.mark.parametrize(("owner", "name"), METHODS)
def test_a_method_has_the_signature_of_its_function_without_the_first_argument(
    owner: type, name: str
) -> None:
    function = inspect.signature(NAMESPACES[owner][name])
    method = inspect.signature(getattr(owner, name))

    # pandas has no expressions, so a row function is a method of the frame, with both columns by name.
    both = owner is AnlsPandasAccessor and name in NAMESPACES[AnlsExprNamespace]
    assert list(method.parameters.values())[1:] == list(function.parameters.values())[0 if both else 1 :]


@pytest.mark.parametrize(("owner", "name"), METHODS)
def test_a_method_has_the_help_of_its_function(owner: type, name: str) -> None:
    documentation = inspect.getdoc(getattr(owner, name)) or ""

    assert documentation == inspect.getdoc(NAMESPACES[owner][name])


@pytest.mark.parametrize("scalar", SCALAR_FUNCTIONS, ids=lambda scalar: scalar.name)
def test_a_function_of_strings_gives_the_defined_values(scalar: ScalarFunction) -> None:
    for arguments, value in scalar.calls:
        assert scalar.function(*arguments) == value
        assert type(scalar.function(*arguments)) is type(value)


@pytest.mark.parametrize("scalar", SCALAR_FUNCTIONS, ids=lambda scalar: scalar.name)
def test_a_function_of_strings_refuses_anything_else(scalar: ScalarFunction) -> None:
    names = inspect.signature(scalar.function).parameters
    hints = "|".join([*names, "answer"])

    for arguments, error in scalar.refused:
        with pytest.raises(error, match=hints):
            scalar.function(*arguments)


def test_a_threshold_that_was_right_before_does_not_let_a_wrong_one_through() -> None:
    assert af.anls_score("a", ["a"], 1.0) == 1.0

    with pytest.raises(TypeError, match="threshold"):
        af.anls_score("a", ["a"], threshold=True)
