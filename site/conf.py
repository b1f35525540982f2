"""
How Sphinx builds the site; `make docs` runs it.

The source folder is the whole repository, so that a link between its Markdown files works there, on a code
host and in the site.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import anls_frame

sys.path.insert(0, str(Path(__file__).parent))

project = "anls_frame"
version = release = anls_frame.__version__
copyright = "the authors of anls_frame"  # noqa: A001 - Sphinx's name

root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/reference/**",
    "examples/plugins/README.md",
    "notebooks/*.ipynb",
    "benchmarks/*.md",
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "data/README.md", "tests/README.md"),
]
exclude_patterns = ["**/.ipynb_checkpoints", "target", ".*", "build", "dist"]

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "commands",
    "gallery",
    "links",
    "llms",
    "names",
    "pictures",
    "reference",
    "tables",
    "words",
]
suppress_warnings = ["mystnb.unknown_mime_type"]

autodoc_mock_imports = ["daft"]
autodoc_typehints = "none"
python_maximum_signature_line_length = 80  # longer ones have a line for each parameter
python_trailing_comma_in_multi_line_signatures = False
toc_object_entries_show_parents = "hide"
autosummary_generate = True
default_role = "py:obj"
numpydoc_class_members_toctree = False
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

myst_enable_extensions = ["alert", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "off"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Absolute, because Sphinx looks for it from this folder, and its summaries look from the source folder.
templates_path = [str(Path(__file__).parent / "templates")]
html_theme = "pydata_sphinx_theme"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "search.js")
html_extra_path = ["root"]
html_title = "anls_frame"
html_favicon = "static/favicon.svg"
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_sidebars = {f"docs/{page}": [] for page in ("index", "start", "tutorial", "which", "glossary")}
html_theme_options: dict[str, Any] = {
    "footer_end": [],
    "footer_start": ["copyright"],
    "header_links_before_dropdown": 7,
    "logo": {"text": "anls_frame"},
    "navbar_start": ["navbar-logo", "version"],
    "navigation_with_keys": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "docs/index": []},
    "show_nav_level": 1,
    "show_toc_level": 2,
}
if "GITHUB_REPOSITORY" in os.environ:
    # The workflow that publishes the site knows the address of the repository.
    address = f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}"
    link = {"name": "Repository", "url": address, "icon": "fa-brands fa-github"}
    html_theme_options["icon_links"] = [link]


def document_polars_exception(*arguments: Any) -> None:
    """Say what `ColumnNotFoundError` means: it is the class of Polars, which has no docstring."""
    _app, _kind, name, _object, _options, lines = arguments
    if name == "anls_frame.exceptions.ColumnNotFoundError":
        lines[:] = [
            "A column is not in the frame; the message names those that are, and the nearest one.",
            "",
            "The class is that of Polars, ``polars.exceptions.ColumnNotFoundError``.",
            "",
        ]


def setup(app: Sphinx) -> None:
    """Connect what has no extension of its own."""
    app.connect("autodoc-process-docstring", document_polars_exception)
