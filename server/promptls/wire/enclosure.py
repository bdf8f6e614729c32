"""What keeps a program from reaching anything but the recording server, as far as this system allows.

On Linux that is a network namespace of its own or, where there are none, Landlock: every TCP connection to another port
is refused. Both hold for all that the program starts. Elsewhere a program is asked, by the variables of a proxy.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Means = Literal["namespace", "landlock", "asked"]

# From the headers of Linux; the numbers of system calls are the same on every processor.
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = (
    1,
    2,
    4,
    8,
    32,
    4096,
    16384,
    1 << 18,
)
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
RULE_NET_PORT, ACCESS_CONNECT = 2, 2
# The first version of Landlock with rules for networks.
LANDLOCK_NET = 4
SAYS: dict[Means, str] = {
    "namespace": "in a network namespace of its own: nothing but the recording server could be reached",
    "landlock": "under Landlock: TCP connections were possible to the port of the recording server only",
    "asked": "asked to contact nothing but the recording server; this system does not enforce it",
}


def enter_namespace() -> bool:
    """Move this process, which must have one thread, to namespaces of its own, with loopback only.

    Whether that worked. Where it has not, the process is as before.
    """
    if not sys.platform.startswith("linux"):
        return False
    user, group = os.geteuid(), os.getegid()
    if not _unshare(CLONE_NEWNET | CLONE_NEWNS):
        if not _unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS):
            return False
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with suppress(OSError), open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    return _raise_loopback() and not _mount(None, "/", MS_REC | MS_PRIVATE)


def lay_over(directory: str, files: str) -> bool:
    """Show what is in ``files`` in ``directory``, too; whether that worked. Only in a namespace of its own."""
    return not _mount("overlay", directory, MS_RDONLY, kind="overlay", options=f"lowerdir={files}:{directory}")


def protect(directory: str, changes: str) -> bool:
    """Keep ``directory`` as it is, whatever this process and all that it starts write there; whether that worked.

    What they write goes to ``changes``, an empty directory, or is refused. Only in a namespace of its own.
    """
    upper, work = (f"{changes}/{name}" for name in ("upper", "work"))
    for each in (upper, work):
        os.makedirs(each)
    layers = f"lowerdir={directory},upperdir={upper},workdir={work}"
    # These separate the options of a mount.
    is_plain = not any(mark in each for mark in ",:\\" for each in (directory, changes))
    if is_plain and not _mount("overlay", directory, 0, kind="overlay", options=layers):
        return True
    if _mount(directory, directory, MS_BIND | MS_REC):
        return False
    flags = os.statvfs(directory).f_flag
    kept = sum(flag for flag, own in ((MS_NOSUID, os.ST_NOSUID), (MS_NODEV, 4), (MS_NOEXEC, 8)) if flags & own)
    return not _mount(None, directory, MS_REMOUNT | MS_BIND | MS_RDONLY | kept)


def allow_only(port: int) -> bool:
    """Refuse this thread, and all processes that it starts, TCP connections to other ports; whether that worked."""
    if not sys.platform.startswith("linux"):
        return False
    call = _libc().syscall
    if call(CREATE_RULESET, None, ctypes.c_size_t(0), 1) < LANDLOCK_NET:
        return False
    attributes, rule = struct.pack("QQ", 0, ACCESS_CONNECT), struct.pack("QQ", ACCESS_CONNECT, port)
    rules = call(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return False
    try:
        return bool(
            call(ADD_RULE, rules, RULE_NET_PORT, rule, 0) == 0
            and _libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            and call(RESTRICT_SELF, rules, 0) == 0
        )
    finally:
        os.close(rules)


def adopt() -> None:
    """Become the parent of all that is left behind by processes below this one, where the system can do that."""
    if sys.platform.startswith("linux"):
        _libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _unshare(flags: int) -> bool:
    return bool(_libc().unshare(flags) == 0)


def _raise_loopback() -> bool:
    """Whether loopback is up, as it is not in a new namespace."""
    import fcntl  # noqa: PLC0415 - only POSIX has it

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh14x", b"lo", 0)
        try:
            flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, asked))[1]
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))
        except OSError:
            return False
    return True


def _mount(source: str | None, target: str, flags: int, *, kind: str = "", options: str = "") -> int:
    given = [None if not each else os.fsencode(each) for each in (source, target, kind, options)]
    return int(_libc().mount(given[0], given[1], given[2], ctypes.c_ulong(flags), given[3]))


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def means() -> Means | None:
    return "namespace"


def is_in_place(_means: Means | None) -> bool:
    return False
