"""Pictures that have a version for dark pages beside them, `NAME-dark`, of which each page shows its own."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class DarkPictures(SphinxTransform):
    """Put the dark version behind each picture, and say which of them is shown when."""

    default_priority = 500

    def apply(self) -> None:
        """Look at all pictures of the page."""
        for image in list(self.document.findall(nodes.image)):
            path = PurePosixPath(image["uri"])
            dark = path.with_name(f"{path.stem}-dark{path.suffix}")
            _, file = self.env.relfn2path(str(dark), self.env.docname)
            if Path(file).exists():
                shown = image.deepcopy()
                shown["uri"] = str(dark)
                shown["classes"].append("only-dark")
                image["classes"].append("only-light")
                image.parent.insert(image.parent.index(image) + 1, shown)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(DarkPictures)
    return {"parallel_read_safe": True}
