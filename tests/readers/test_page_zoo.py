"""Files of pages as the world's programs write them, each beside the text that a person reads in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_zoo import FILES, ZOO, texts_of

from anls_frame.readers._page_files import read_page_file


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ZOO)))
def test_a_file_has_the_text_that_a_person_reads(path: Path) -> None:
    read = read_page_file(path)

    assert read.pages == texts_of(path)
    assert not read.unknown
