"""Atomic file replacement: a file has either its new or its old content, whatever happens while writing."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """
    Open a file that replaces `path` when the block ends, and leaves no trace if the block fails.

    The content is written to a temporary file in the target's folder (a move is only atomic within one file
    system), flushed to disk, and then moved over the target. If several writers run at once, the last one
    wins. A symbolic link is followed and kept; an existing file keeps its mode, a new file gets its mode from
    the umask. If the process is killed, the temporary file, `.anls-frame-*.tmp`, remains; the target is
    still complete.

    Parameters
    ----------
    path
        The file to write.

    Raises
    ------
    ValueError
        If the path contains a NUL character.
    OSError
        If the file cannot be written; the message has the path and says what to do.
    """
    try:
        target = Path(os.path.realpath(path))
        existing = _existing(target)
        # The name cannot be guessed, and the file must not exist: nobody can place a link there beforehand.
        temporary = target.parent / f".anls-frame-{secrets.token_hex(16)}.tmp"
        file = temporary.open("xb")
        try:
            with file:
                if existing is not None:
                    _keep_mode(file, existing)
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:  # KeyboardInterrupt too
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)
    except ValueError as error:
        if "\0" in str(path):
            raise ValueError(f"a file name must not contain a NUL character: {str(path)!r}") from error
        raise
    except OSError as error:
        steps = dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space or ")
        steps[errno.ENOENT] = f"create the folder {str(path.parent)!r} or "
        advice = f"the file was not written; {steps.get(error.errno or 0, '')}choose another place"
        # Becomes the subclass for this number.
        raise OSError(error.errno, f"{error.strerror or error}: {advice}", str(path)) from error


def _existing(target: Path) -> os.stat_result | None:
    """Return the status of an existing target; raise an error if it must not be replaced."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    # Moving a file over a device or a pipe would remove it for everyone who uses it.
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    # A move needs no permission for the file itself, but a write-protected file should not be replaced.
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return status


def _keep_mode(file: BinaryIO, existing: os.stat_result) -> None:
    if os.name == "posix":
        # The owner comes first, because changing it clears mode bits; only root may change it.
        with suppress(OSError):
            os.fchown(file.fileno(), existing.st_uid, existing.st_gid)
        os.fchmod(file.fileno(), stat.S_IMODE(existing.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the move survive a power failure, where the system supports that."""
    if os.name == "posix":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
