"""The filter for system calls of a program that is enclosed: what no namespace holds is refused (EPERM).

A filter is a program in the classic BPF of Linux: ``struct sock_filter``, eight bytes an instruction. All numbers are
from the headers of Linux.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Instruction = tuple[int, int, int, int]

ERRNO, EPERM, ENOSYS = 0x00050000, 1, 38
# Instructions: the operation, how many to skip where it holds and where not, and a value.
LOAD, EQUAL, AT_LEAST, HAS_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW: Instruction = (RETURN, 0, 0, 0x7FFF0000)
REFUSE: Instruction = (RETURN, 0, 0, ERRNO | EPERM)
# Where struct seccomp_data has the number, the architecture, and the lower half of two arguments.
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24
# x86-64 has a second set of numbers, from here on.
X32 = 0x40000000
# AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: the families that a network namespace holds. AF_VSOCK is none of them.
FAMILIES = (1, 2, 10, 16)
# TIOCSTI and TIOCLINUX, which type into a terminal.
TYPING = (0x5412, 0x541C)
CLONE_NEWUSER = 0x10000000
# Its flags are in memory, where a filter does not see them; without it, programs use clone.
CLONE3 = 435
# On every architecture: open_tree, move_mount, fsopen to fspick, io_uring (calls past a filter), mount_setattr.
EVERYWHERE = (425, 426, 427, 428, 429, 430, 431, 432, 433, 442)
X86_64 = {
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "ptrace": 101,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "unshare": 272,
    "setns": 308,
    "mount": 165,
    "umount2": 166,
    "pivot_root": 155,
    "chroot": 161,
    "open_by_handle_at": 304,
    "bpf": 321,
    "perf_event_open": 298,
    "userfaultfd": 323,
}
# What younger architectures have in common.
GENERIC = {
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "ptrace": 117,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "unshare": 97,
    "setns": 268,
    "mount": 40,
    "umount2": 39,
    "pivot_root": 41,
    "chroot": 51,
    "open_by_handle_at": 265,
    "bpf": 280,
    "perf_event_open": 241,
    "userfaultfd": 282,
}
# By what ``uname -m`` says: the architecture, the calls that are refused, and the numbers of socket, ioctl and clone.
MACHINES: Mapping[str, tuple[int, Mapping[str, int], int, int, int]] = {
    "x86_64": (0xC000003E, X86_64, 41, 16, 56),
    "aarch64": (0xC00000B7, GENERIC, 198, 29, 220),
    "riscv64": (0xC00000F3, GENERIC, 198, 29, 220),
}


def call_filter(machine: str) -> bytes:
    """The filter for a machine; empty where its numbers are not known."""
    if machine not in MACHINES:
        return b""
    architecture, refused, socket, ioctl, clone = MACHINES[machine]
    lines: list[Instruction] = [
        *((LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), REFUSE),
        *((LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, X32), REFUSE),
        *((EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, ERRNO | ENOSYS)),
    ]
    for number in (*refused.values(), *EVERYWHERE):
        lines += [(EQUAL, 0, 1, number), REFUSE]
    lines += _argument_tests(socket, FIRST, [*((EQUAL, 4 - at, 0, each) for at, each in enumerate(FAMILIES)), REFUSE])
    lines += _argument_tests(ioctl, SECOND, [(EQUAL, 1, 0, TYPING[0]), (EQUAL, 0, 1, TYPING[1]), REFUSE])
    lines += _argument_tests(clone, FIRST, [(HAS_BIT, 0, 1, CLONE_NEWUSER), REFUSE])
    return b"".join(struct.pack("=HBBI", *each) for each in (*lines, ALLOW))


def _argument_tests(call: int, argument: int, tests: list[Instruction]) -> list[Instruction]:
    """Tests of an argument of one call."""
    return [(LOAD, 0, 0, NUMBER), (EQUAL, 0, 1 + len(tests), call), (LOAD, 0, 0, argument), *tests]
