"""Members of zip archives, including zstd compression, which zipfile only supports since Python 3.14."""

from __future__ import annotations

import errno
import io
import lzma
import struct
import zipfile
import zlib
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING

from anls_frame.exceptions import InputError
from anls_frame.readers import _content, _pipes
from anls_frame.readers._problems import problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_BYTES = 4 << 30
"""Maximum unpacked size that an archive may declare."""

# Only archives that exceed both are refused. Logs and sheets compress to between a fifth and a fiftieth,
# malicious files to far less.
FREE_BYTES = 256 << 20
MOST_TIMES = 100

_ZSTD = 93
_CHUNK = 1 << 20
# The errors of zipfile, zlib and pyarrow for damaged archives: a RuntimeError for encryption, a ValueError or
# OSError if a damaged directory points outside the file.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, ValueError, RuntimeError),
)


@contextmanager
def opened(
    path: Path,
    kind: str,
    *,
    most: int = MOST_BYTES,
    advice: str = "if that is intended, write it as JSON",
    damage: tuple[type[Exception], ...] = (),
) -> Iterator[zipfile.ZipFile]:
    """
    Open an archive; errors name the file, even errors of `damage` raised while the archive is read.

    Raises
    ------
    InputError
        If the archive is damaged, encrypted, compressed with an unsupported method, or far too large; `kind`
        names the expected kind of file.
    """
    _content.check_file(path)
    source = _pipes.seekable(path)
    with path.open("rb") if source is path else source as file:
        try:
            with zipfile.ZipFile(file) as archive:
                _check_size(path, archive, most, advice)
                yield archive
        except InputError:
            raise
        except NotImplementedError as error:
            raise problem(path, f"cannot be unpacked as {kind}: {error}") from None
        except _DAMAGE + damage as error:
            if isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}:
                raise  # an error of the disk, not of the file
            raise problem(path, f"cannot be read as {kind}: {error}") from None


def _check_size(path: Path, archive: zipfile.ZipFile, most: int, advice: str) -> None:
    """Raise an error if an archive declares an implausible unpacked size; `advice` says what to do."""
    sizes = [(entry.file_size, entry.compress_size) for entry in archive.infolist()]
    total, packed = (sum(size[index] for size in sizes) for index in (0, 1))
    most = min(most, max(FREE_BYTES, MOST_TIMES * packed))
    if total > most:
        raise problem(path, f"unpacks to {total:,} bytes, more than {most:,}; {advice}")


def content(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member."""
    entry = archive.getinfo(name)
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    packed = copy(entry)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, entry.compress_size
    del packed.CRC  # that of the unpacked content
    unpacked = _unzstd(name, archive.read(packed), entry.file_size)
    if zlib.crc32(unpacked) != entry.CRC:
        raise zipfile.BadZipFile(f"the checksum of {name} is wrong")
    return unpacked


def _unzstd(name: str, packed: bytes, size: int) -> bytes:
    """Return the content of one or more zstd frames, up to the declared size."""
    import pyarrow as pa  # noqa: PLC0415 - only for those who read such an archive

    content = io.BytesIO()
    with pa.CompressedInputStream(io.BytesIO(packed), "zstd") as stream:
        while content.tell() <= size and (chunk := stream.read(_CHUNK)):
            content.write(chunk)
    if content.tell() != size:
        raise zipfile.BadZipFile(f"{name} does not have the size that the directory gives")
    return content.getvalue()
