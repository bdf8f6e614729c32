"""Replaces a file atomically by a new one, and keeps owner, mode and extended attributes.

Until it is complete, the new file has no name if the system allows that (Linux, most file systems). Otherwise, and for
a moment at the end, its name is ``.promptls-``, the machine, the process and a random word. Such files of a killed
process are removed when another process writes to the same directory.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import secrets
import signal
import stat
import zlib

from promptls.core import files
from promptls.core.lazy import regex

_OURS = regex(r"\.promptls-(?P<machine>[0-9a-f]{8})-(?P<process>\d{1,10})-[0-9a-f]{8}")


def write_file(path: str, data: bytes, *, is_new: bool) -> None:
    """Write ``data`` to ``path``, whose directories are made if ``is_new``.

    Raises:
        OSError: it could not be written, or is no regular file; what was there still is.
    """
    if files.kind_of(files.stat_of(path)) == "special":  # it would be gone, and with it what others use it for
        raise OSError(errno.EINVAL, "It is a FIFO, socket or device", path)
    directory = os.path.dirname(path)
    if is_new:
        os.makedirs(directory, exist_ok=True)
    _sweep(directory)
    name = os.path.join(directory, f".promptls-{_machine()}-{os.getpid()}-{secrets.token_hex(4)}")
    handle, is_named = _open(directory, name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
            _as_before(handle, None if is_new else path)
            if not is_named:
                # Only the call with a directory descriptor follows the link to it.
                os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _open(directory: str, name: str) -> tuple[int, bool]:
    """A new file in ``directory``, and whether it already has its name."""
    if hasattr(os, "O_TMPFILE") and os.path.exists("/proc/self/fd"):
        with contextlib.suppress(OSError):  # not every file system supports it
            return os.open(directory, os.O_TMPFILE | os.O_WRONLY, 0o600), False
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600), True


def _as_before(handle: int, path: str | None) -> None:
    """Give the new file the attributes of the one at ``path``; without one, those of any new file."""
    if not hasattr(os, "fchown"):  # Windows: a new file has the rights that its directory gives
        return
    if path is None:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        return
    was = os.stat(path)
    with contextlib.suppress(OSError):  # only the owner and the superuser may
        os.fchown(handle, was.st_uid, was.st_gid)
    os.fchmod(handle, stat.S_IMODE(was.st_mode))
    if hasattr(os, "listxattr"):
        _copy_attributes(path, handle)


def _copy_attributes(path: str, handle: int) -> None:
    """Extended attributes, including access control lists, as far as this user may set them."""
    try:
        wanted, there = os.listxattr(path), os.listxattr(handle)
    except OSError:  # a file system without them
        return
    for name in wanted:
        with contextlib.suppress(OSError):
            os.setxattr(handle, name, os.getxattr(path, name))
    # A directory may give new files its own access control list.
    for name in set(there) - set(wanted):
        with contextlib.suppress(OSError):
            os.removexattr(handle, name)


def _machine() -> str:
    """An id of this machine: processes of other machines cannot be seen from here."""
    return f"{zlib.crc32(os.fsencode(platform.node())):08x}"


def _sweep(directory: str) -> None:
    """Remove files that dead processes of this machine left in ``directory``."""
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            ours = _OURS.fullmatch(entry.name)
            if ours and ours["machine"] == _machine() and not _is_alive(int(ours["process"])):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


def _is_alive(process: int) -> bool:
    if not hasattr(signal, "SIGKILL"):  # Windows: signal 0 would interrupt it
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        return True
    return True
