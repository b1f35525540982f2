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

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """
    Open a file that replaces `path` when the block ends, and leaves no trace if the block fails.

    The content is written to a temporary file in the target's folder (a move is only atomic within one file
    system), flushed to disk, and then moved over the target. If several writers run at once, the last one
    wins. A symbolic link is followed and kept; an existing file keeps its mode, a new file gets its mode from
    the umask. If the process is killed, the temporary file, `.anls-frame-*.tmp`, stays behind; the target is
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
        try:
            with temporary.open("xb") as file:
                if existing is not None:
                    _keep_mode(file, existing)
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException as error:  # KeyboardInterrupt too
            if not _is_foreign(error, temporary):
                with suppress(OSError):
                    temporary.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)
    except ValueError as error:
        if "\0" in str(path):
            raise ValueError(f"a file name must not contain a NUL character: {str(path)!r}") from error
        raise
    except OSError as error:
        raise _explained(error, path) from error


def _is_foreign(error: BaseException, temporary: Path) -> bool:
    """Return whether a file with the temporary name existed before; such a file must not be removed."""
    return isinstance(error, FileExistsError) and error.filename == os.fspath(temporary)


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


def _explained(error: OSError, path: Path) -> OSError:
    """Return the same error with the path and advice."""
    folder = str(path.parent)
    if error.errno in _FULL:
        advice = (
            "no space left for the file: free some space or choose another disk; the old file is unchanged"
        )
    elif error.errno == errno.ENOENT:
        advice = f"there is no folder {folder!r}: create it first"
    elif error.errno == errno.ENOTDIR:
        advice = f"{folder!r} is not a folder: choose another place"
    elif error.errno == errno.EISDIR:
        advice = "this is a folder: name a file in it"
    elif error.errno in _FORBIDDEN:
        advice = (
            "not allowed to write here: choose another place, change the permissions of the file or its "
            "folder, or close the program that has the file open"
        )
    elif error.errno == errno.ENAMETOOLONG:
        advice = "this name is too long: choose a shorter one"
    else:
        advice = f"could not write the file ({error.strerror or error}): choose another place"
    return OSError(error.errno, advice, str(path))  # becomes the subclass for this number
