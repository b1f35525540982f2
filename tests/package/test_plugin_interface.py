"""The version of the plugin interface that the library states, against what the installed Polars takes."""

from __future__ import annotations

import ctypes
import pickle
import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from polars.exceptions import ComputeError
from polars.plugins import register_plugin_function

from anls_frame import _native

COMPILER = shutil.which("cc")

OPTIONS = {"mark": "from the schema call"}

#: A plugin that states a version, and answers the schema call with the bytes of the options it was given.
SOURCE = r"""
#include <stddef.h>
#include <stdint.h>

static char message[512];

uint32_t _polars_plugin_get_version(void) { return VERSION; }

const char *_polars_plugin_get_last_error_message(void) { return message; }

void _polars_plugin_field_probe(
    const void *fields, size_t n_fields, void *result, const uint8_t *options, size_t length
) {
    for (size_t i = 0; i < length && 2 * i + 2 < sizeof message; i++) {
        message[2 * i] = "0123456789abcdef"[options[i] >> 4];
        message[2 * i + 1] = "0123456789abcdef"[options[i] & 15];
    }
}
"""


def stated_version() -> int:
    library = ctypes.CDLL(_native.__file__)
    return int(library["_polars_plugin_get_version"]())


def outcome(version: int, folder: Path) -> str:
    """Return how Polars fails with a plugin of a version."""
    assert COMPILER
    source, library = folder / "probe.c", folder / f"probe-{version}.so"
    source.write_text(SOURCE)
    command = [COMPILER, "-shared", "-fPIC", f"-DVERSION={version}u", "-o", library, source]
    subprocess.run(command, check=True)  # noqa: S603 - the system's compiler, on the text above
    probe = register_plugin_function(
        plugin_path=library, function_name="probe", args=[pl.col("a")], kwargs=OPTIONS
    )
    with pytest.raises(ComputeError) as error:
        pl.LazyFrame({"a": ["x"]}).select(probe).collect_schema()
    return str(error.value)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_polars_calls_a_plugin_of_the_stated_version_with_options(tmp_path: Path) -> None:
    answer = re.search("failed with message: ([0-9a-f]+)", outcome(stated_version(), tmp_path))

    assert answer
    assert pickle.loads(bytes.fromhex(answer[1])) == OPTIONS  # noqa: S301 - what Polars made of them


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_polars_refuses_a_plugin_of_another_major_version(tmp_path: Path) -> None:
    assert "doesn't support plugin version" in outcome(stated_version() + (1 << 16), tmp_path)
