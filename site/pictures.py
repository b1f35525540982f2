"""Pictures that have versions for dark pages and for phones, of which each page shows its own."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

VERSIONS = {"-phone": ("only-wide", "only-phone"), "-dark": ("only-light", "only-dark")}
"""What the names of versions end with, and the classes of a picture and of its version: styles show one."""


class Versions(SphinxTransform):
    """Put the versions behind each picture, and say which of them is shown when."""

    default_priority = 500

    def apply(self) -> None:
        """Look at all pictures of the page, for phones first: these have versions for dark pages, too."""
        for suffix, (others, own) in VERSIONS.items():
            for image in list(self.document.findall(nodes.image)):
                path = PurePosixPath(image["uri"])
                version = path.with_name(f"{path.stem}{suffix}{path.suffix}")
                _, file = self.env.relfn2path(str(version), self.env.docname)
                if Path(file).exists():
                    shown = image.deepcopy()
                    shown["uri"] = str(version)
                    image["classes"].append(others)
                    shown["classes"].append(own)
                    image.parent.insert(image.parent.index(image) + 1, shown)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(Versions)
    return {"parallel_read_safe": True}
