"""The system calls of Linux that enclose a process. Each says whether it worked; none raises."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# From the headers of Linux; the numbers of system calls are the same on every processor, but for those in a table.
CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
MNT_DETACH = 2
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_SECUREBITS = 1, 4, 22, 24, 28
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 36, 38, 47, 4
SECCOMP_MODE_FILTER = 2
# NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each with its lock: the user 0 is nobody.
SECURE_BITS = 0b11001111
CAPABILITY_VERSION_3 = 0x20080522
KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219}
KEYCTL_JOIN_SESSION_KEYRING = 1
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
RULE_PATH_BENEATH, RULE_NET_PORT, ACCESS_CONNECT = 1, 2, 2


def unshare(flags: int) -> bool:
    """Move this process, which must have one thread, to namespaces of its own."""
    return bool(_libc().unshare(flags) == 0)


def enter(namespace: int, flags: int) -> bool:
    """Move this process, which must have one thread, to a namespace that is open as a file."""
    return bool(_libc().setns(namespace, flags) == 0)


def map_ids(inside: tuple[int, int], outside: tuple[int, int]) -> bool:
    """Say what a user and a group are called in the user namespace that this process has just made."""
    users, groups = (f"{inside[each]} {outside[each]} 1" for each in (0, 1))
    texts = {"setgroups": "deny", "uid_map": users, "gid_map": groups}
    return all(say(f"/proc/self/{name}", text) for name, text in texts.items())


def say(path: str, text: str) -> bool:
    """Write to a file of /proc. Where the root has changed, no module of Python can be imported any more."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.write(file, text.encode()) > 0
    except OSError:
        return False
    finally:
        os.close(file)


def mount(source: str | None, target: str, flags: int, *, kind: str = "", options: str = "") -> bool:
    """Mount something."""
    given = [None if not each else os.fsencode(each) for each in (source, target, kind, options)]
    return bool(_libc().mount(given[0], given[1], given[2], ctypes.c_ulong(flags), given[3]) == 0)


def bind(source: str, target: str, *, writable: bool, device: bool = False) -> bool:
    """Show what is at ``source`` at ``target``, too, with all that is mounted below."""
    kept = (0 if writable else ATTR_RDONLY) | ATTR_NOSUID | (0 if device else ATTR_NODEV)
    return mount(source, target, MS_BIND | MS_REC) and restrict(target, kept, recursive=True)


def restrict(target: str, attributes: int, *, recursive: bool = False) -> bool:
    """Give a mount attributes that it has not got, such as being read-only."""
    text = struct.pack("QQQQ", attributes, 0, 0, 0)
    at = AT_RECURSIVE if recursive else 0
    given = (AT_FDCWD, os.fsencode(target), at, text, ctypes.c_size_t(len(text)))
    return bool(_libc().syscall(MOUNT_SETATTR, *given) == 0)


def move_root(to: str, old: str) -> bool:
    """Make the mount ``to`` the root, and the root so far the directory ``old`` in it."""
    return bool(_libc().pivot_root(os.fsencode(to), os.fsencode(old)) == 0)


def unmount(target: str) -> bool:
    """Take a mount away with all that is below, as soon as nobody uses it."""
    return bool(_libc().umount2(os.fsencode(target), MNT_DETACH) == 0)


def raise_loopback() -> bool:
    """Bring loopback up, as it is not in a new namespace."""
    import fcntl  # noqa: PLC0415 - only POSIX has it

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh14x", b"lo", 0)
        try:
            flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, asked))[1]
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))
        except OSError:
            return False
    return True


def leave_keys() -> bool:
    """Take a keyring of its own in place of that of the session. Where there are no keyrings, that worked."""
    number = KEYCTL.get(os.uname().machine)
    if number is None:
        return False
    ctypes.set_errno(0)
    joined = _libc().syscall(number, KEYCTL_JOIN_SESSION_KEYRING, None)
    return bool(joined >= 0 or ctypes.get_errno() == 38)  # noqa: PLR2004 - ENOSYS


def drop_capabilities() -> bool:
    """Give up every capability for good, also those that a program that is started would get."""
    libc = _libc()
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    if libc.prctl(PR_SET_SECUREBITS, SECURE_BITS, 0, 0, 0) != 0:
        return False
    number = 0
    # The first that there is not ends it.
    while libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    return bool(number > 0 and libc.capset(header, bytes(24)) == 0)


def filter_calls(lines: bytes) -> bool:
    """Put a filter for system calls on this process and all that it starts; it can gain no rights any more."""
    buffer = ctypes.create_string_buffer(lines, len(lines))
    given = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(lines) // 8, ctypes.addressof(buffer)))
    libc = _libc()
    return bool(
        lines
        and libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        and libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, given, 0, 0) == 0
    )


def end_with_parent(number: int) -> None:
    """Get this signal when the thread ends that has started this process. A change of user takes it away again."""
    _libc().prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)


def hide() -> None:
    """Let no process of the same user look into this one."""
    _libc().prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def show() -> None:
    """Let processes of the same user look into this one again, as it may itself, after a change of user."""
    _libc().prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)


def adopt() -> None:
    """Become the parent of all that is left behind by processes below this one."""
    _libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def landlock() -> int:
    """The version of Landlock; 0 or less where there is none."""
    return int(_libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1))


def landlock_only(files: int, net: int, paths: Iterable[tuple[str, int]], ports: Iterable[int]) -> bool:
    """Allow this thread, and all that it starts, of the accesses ``files`` and ``net`` only what is listed.

    ``paths``: what is allowed below each; ``ports``: where TCP connections may go.
    """
    libc = _libc()
    attributes = struct.pack("QQ", files, net)
    rules = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return False
    try:
        for path, access in paths:
            with suppress(OSError):
                below = os.open(path, os.O_PATH | os.O_CLOEXEC)
                # Packed: no bytes between the two.
                libc.syscall(ADD_RULE, rules, RULE_PATH_BENEATH, struct.pack("=Qi", access, below), 0)
                os.close(below)
        for port in ports:
            if libc.syscall(ADD_RULE, rules, RULE_NET_PORT, struct.pack("QQ", ACCESS_CONNECT, port), 0) != 0:
                return False
        return bool(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 and libc.syscall(RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)
