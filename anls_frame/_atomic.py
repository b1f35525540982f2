"""Files that are whole: either the new content or the old, whatever happens while writing."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["replacing"]

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """
    Open a file that takes the place of `path` when the block ends, and leaves no trace if the block fails.

    The content goes into a temporary file in the target's own folder (moving it there is atomic only within
    a file system), is forced to the disk, and is then moved over the target. Of several writers at once the
    last one wins. A link is followed and stays; an existing file's mode is kept, a new file's mode is up to
    the umask. If the process is killed outright, the temporary file, `.anls-frame-*.tmp`, stays behind;
    the target is whole then too.

    Parameters
    ----------
    path
        The file to write.

    Raises
    ------
    ValueError
        If the path holds a NUL character.
    OSError
        If the file cannot be written, with the path and what to do about it.
    """
    try:
        target = Path(os.path.realpath(path))
        existing = _existing(target)
        # Not guessable, and opened only if it is new: nobody can put a link in its place beforehand.
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
            raise ValueError(f"a file's name cannot hold a NUL character: {str(path)!r}") from error
        raise
    except OSError as error:
        raise _explained(error, path) from error


def _is_foreign(error: BaseException, temporary: Path) -> bool:
    """Whether there was something under the temporary name already, which is not ours to remove."""
    return isinstance(error, FileExistsError) and error.filename == os.fspath(temporary)


def _existing(target: Path) -> os.stat_result | None:
    """What is there already, if it may be replaced."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    # Moving a file over a device or a pipe would take it away from all who use it.
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "no regular file")
    # Moving needs no right to the file itself, but who protected it did not mean it to be replaced.
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return status


def _keep_mode(file: BinaryIO, existing: os.stat_result) -> None:
    if os.name == "posix":
        # The owner first, because changing it takes mode bits away; only root may give files away.
        with suppress(OSError):
            os.fchown(file.fileno(), existing.st_uid, existing.st_gid)
        os.fchmod(file.fileno(), stat.S_IMODE(existing.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the move itself survive a power failure, where the system can."""
    if os.name == "posix":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _explained(error: OSError, path: Path) -> OSError:
    """The same error with the path and what to do."""
    folder = str(path.parent)
    if error.errno in _FULL:
        advice = "no room for the file: free some space or choose another disk; what was there is unchanged"
    elif error.errno == errno.ENOENT:
        advice = f"there is no folder {folder!r}: create it first"
    elif error.errno == errno.ENOTDIR:
        advice = f"{folder!r} is no folder: choose another place"
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
