"""Archives, such as workbooks and logs, which are unpacked up to a limit; errors name the file."""

from __future__ import annotations

import errno
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path

from anls_frame.exceptions import InputError
from anls_frame.files.file import File
from anls_frame.files.other_formats import ZIP
from anls_frame.files.problems import problem

ARCHIVE_BYTES = 4 << 30
"""Maximum unpacked size that an archive may declare."""

# Only archives that unpack to more than both are refused. Logs and sheets compress to between a fifth and a
# fiftieth, malicious files to far less.
FREE_BYTES = 256 << 20
ARCHIVE_TIMES = 100

_ZSTD = 93
# The errors of zipfile, zlib, pyarrow and lxml for damaged archives: a RuntimeError for encryption and for
# unknown compressions, a ValueError or OSError if a damaged directory points outside the file, a KeyError for
# a part that is missing.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, SyntaxError),
    *(EOFError, OSError, ValueError, RuntimeError, KeyError, OverflowError),
)


@contextmanager
def opened_archive(file: File, kind: str) -> Iterator[zipfile.ZipFile]:
    """
    Open an archive; errors name the file, even those raised while a part of the archive is read.

    Raises
    ------
    InputError
        If the archive is damaged, encrypted, compressed with an unsupported method, or far too large; `kind`
        names the expected kind of file.
    """
    file.check()
    source = file.seekable()
    with source.open("rb") if isinstance(source, Path) else source as content:
        try:
            with zipfile.ZipFile(content) as archive:
                sizes = [(entry.file_size, entry.compress_size) for entry in archive.infolist()]
                total, packed = (sum(size[index] for size in sizes) for index in (0, 1))
                if total > (most := min(ARCHIVE_BYTES, max(FREE_BYTES, ARCHIVE_TIMES * packed))):
                    too_large = f"unpacks to {total:,} bytes, more than {most:,}"
                    raise problem(file, f"{too_large}; if that is intended, save it as JSON or CSV")
                yield archive
        except InputError:
            raise
        except _DAMAGE as error:
            if isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}:
                raise  # an error of the disk, not of the file
            content.seek(0)
            file.check_content(content.read(64), [ZIP])
            raise problem(file, f"cannot be read as {kind}: {error}") from None


def unpacked_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member."""
    import pyarrow as pa  # noqa: PLC0415 - only for those who read such an archive

    entry = archive.getinfo(name)
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    packed = copy(entry)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, entry.compress_size
    del packed.CRC  # that of the unpacked content
    with pa.CompressedInputStream(io.BytesIO(archive.read(packed)), "zstd") as stream:
        unpacked: bytes = stream.read(entry.file_size + 1)
    if len(unpacked) != entry.file_size:
        raise zipfile.BadZipFile(f"{name} does not have the size that the directory gives")
    if zlib.crc32(unpacked) != entry.CRC:
        raise zipfile.BadZipFile(f"the checksum of {name} is wrong")
    return unpacked
