"""Ways out of an enclosure, a function each: it tries one, and says whether it has come through.

Run with a line of JSON, it tries all of them in the place of a program; it imports nothing of promptls. Outside of an
enclosure most of them work, which is their control.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import signal
import socket
import stat
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MARK = "promptls was here"
CALLS = {
    "x86_64": {"add_key": 248, "request_key": 249, "keyctl": 250, "clone": 56, "process_vm_readv": 310},
    "aarch64": {"add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220, "process_vm_readv": 270},
}
SETUP_RING, OPEN_TREE, CLONE3 = 425, 428, 435
NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
PTRACE_ATTACH, PTRACE_DETACH = 16, 17
KEYCTL_READ, KEYCTL_SEARCH, USER_KEYRING = 11, 10, -4
MS_BIND, MNT_DETACH = 4096, 2
TIOCSTI = 0x5412
Config = dict[str, Any]
Way = Callable[[Config], bool]
WAYS: dict[str, Way] = {}
# Outside, what only root can do, and what root has laid out for all.
ROOT_ONLY = {"shadow", "setns", "mount", "unmount", "chroot", "devices", "mknod", "system files", "open_tree"}
ROOT_ONLY |= {"odd sockets"}
ROOT_MADE = {"link address", "interfaces", "socket of the system"}
# Outside, what not every system lets a program do.
MAY_LACK = {"ptrace", "memory of others", "io_uring", "typing", "unshare", "clone", "clone3"}
# No control: outside, nothing would be left to tell of it. Inside, what encloses the program would end.
INSIDE_ONLY = {"own group"}
# What has worked if the file has the mark in the end.
WRITES = {"home is written": "bashrc", "workspace is written": "file", "elsewhere is written": "other"}

libc: Any = ctypes.CDLL(None, use_errno=True)


def way(name: str) -> Callable[[Way], Way]:
    def add(function: Way) -> Way:
        WAYS[name] = function
        return function

    return add


def call(name: str, *given: Any) -> int:
    return int(libc.syscall(CALLS[os.uname().machine][name], *given))


def reads(path: str, canary: str) -> bool:
    return canary in Path(path).read_text("utf-8", "replace")


def writes(path: str) -> bool:
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(MARK)
    return True


def connects(family: int, address: Any) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as there:
        there.settimeout(2)
        there.connect(address)
    return True


@contextmanager
def near(path: str) -> Iterator[str]:
    """A path to the same file that is short enough for a socket, however deep it is."""
    directory, name = os.path.split(path)
    held = os.open(directory, os.O_PATH)
    try:
        yield f"/proc/self/fd/{held}/{name}"
    finally:
        os.close(held)


def in_child(action: Callable[[], bool]) -> bool:
    """Whether ``action`` works in a process of its own, which it may change."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if action() else 1
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


@way("key of the user's")
def _(given: Config) -> bool:
    return reads(given["ssh"], given["canary"])


@way("home is written")
def _(given: Config) -> bool:
    return writes(given["bashrc"])


@way("workspace is read")
def _(given: Config) -> bool:
    return reads(given["secret"], given["canary"])


@way("workspace is written")
def _(given: Config) -> bool:
    return writes(given["file"])


@way("elsewhere is read")
def _(given: Config) -> bool:
    return reads(given["other"], given["canary"])


@way("elsewhere is written")
def _(given: Config) -> bool:
    return writes(given["other"])


@way("another place")
def _(given: Config) -> bool:
    ways = ("/proc/self/root", "/proc/1/root", "/proc/self/cwd/../../../..", "/proc/thread-self/root/..")
    return any_of(lambda each: reads(f"{each}{given['other']}", given["canary"]), ways)


@way("shadow")
def _(_given: Config) -> bool:
    return bool(Path("/etc/shadow").read_bytes())


@way("system files")
def _(_given: Config) -> bool:
    return any(os.access(each, os.W_OK) for each in ("/usr", "/etc", "/", "/usr/bin/env", "/proc/sys/kernel"))


@way("socket")
def _(given: Config) -> bool:
    with near(given["socket"]) as address:
        return connects(socket.AF_UNIX, address)


@way("socket of the system")
def _(given: Config) -> bool:
    return connects(socket.AF_UNIX, given["run_socket"])


@way("abstract socket")
def _(given: Config) -> bool:
    return connects(socket.AF_UNIX, "\0" + given["abstract"])


@way("loopback of outside")
def _(given: Config) -> bool:
    return connects(socket.AF_INET, ("127.0.0.1", given["tcp"]))


@way("datagram to outside")
def _(given: Config) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.settimeout(2)
        there.sendto(b"?", ("127.0.0.1", given["udp"]))
        return there.recv(10) == b"!"


@way("link address")
def _(given: Config) -> bool:
    return connects(socket.AF_INET, (given["address"], given["tcp"]))


@way("interfaces")
def _(_given: Config) -> bool:
    return [name for _, name in socket.if_nameindex()] != ["lo"]


@way("odd sockets")
def _(_given: Config) -> bool:
    # AF_PACKET, AF_ALG, AF_VSOCK.
    return any_of(lambda each: bool(socket.socket(each, socket.SOCK_DGRAM)), (17, 38, 40))


@way("environment of others")
def _(given: Config) -> bool:
    found = (each / "environ" for each in Path("/proc").iterdir() if each.name.isdigit())
    return any_of(lambda each: given["env"].encode() in each.read_bytes(), found)


@way("files of others")
def _(given: Config) -> bool:
    roots = (each / "root" for each in Path("/proc").iterdir() if each.name.isdigit())
    return any_of(lambda each: reads(f"{each}{given['other']}", given["canary"]), roots)


@way("open files")
def _(_given: Config) -> bool:
    held = [each for each in Path("/proc/self/fd").iterdir() if int(each.name) > 2]
    return any_of(lambda each: stat.S_ISDIR(os.fstat(int(each.name)).st_mode), held)


@way("ptrace")
def _(given: Config) -> bool:
    if libc.ptrace(PTRACE_ATTACH, given["victim"], None, None) != 0:
        return False
    os.waitpid(given["victim"], 0)
    libc.ptrace(PTRACE_DETACH, given["victim"], None, None)
    return True


@way("memory of others")
def _(given: Config) -> bool:
    buffer = ctypes.create_string_buffer(8)
    here, there = ((ctypes.c_void_p * 2)(each, 8) for each in (ctypes.addressof(buffer), 0))
    call("process_vm_readv", given["victim"], here, 1, there, 1, 0)
    # There is nothing at that address: who may not read at all is told something else.
    return ctypes.get_errno() == errno.EFAULT


@way("signal")
def _(given: Config) -> bool:
    os.kill(given["victim"], 0)
    return True


@way("own group")
def _(_given: Config) -> bool:
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    os.kill(0, signal.SIGUSR1)
    return False


@way("setns")
def _(given: Config) -> bool:
    def enters() -> bool:
        names = [f"/proc/{each}/ns/{kind}" for each in (given["victim"], 1) for kind in ("mnt", "net", "user")]
        return any_of(lambda each: libc.setns(os.open(each, os.O_RDONLY), 0) == 0, names)

    return in_child(enters)


@way("unshare")
def _(_given: Config) -> bool:
    return in_child(lambda: bool(libc.unshare(NEW_USER | NEW_MOUNTS) == 0))


@way("clone")
def _(_given: Config) -> bool:
    child = call("clone", NEW_USER | signal.SIGCHLD, None, None, None, None)
    if child == 0:
        os._exit(0)
    return child > 0 and os.waitpid(child, 0)[0] == child


@way("clone3")
def _(_given: Config) -> bool:
    # Flags first; the signal at the end of the child is the fifth.
    asked = struct.pack("8Q", NEW_USER, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    child = int(libc.syscall(CLONE3, asked, len(asked)))
    if child == 0:
        os._exit(0)
    return child > 0 and os.waitpid(child, 0)[0] == child


@way("unmount")
def _(given: Config) -> bool:
    def reveals() -> bool:
        return bool(libc.umount2(given["mounted"].encode(), MNT_DETACH) == 0)

    return in_child(reveals)


@way("mount")
def _(given: Config) -> bool:
    def mounts() -> bool:
        has = libc.mount(b"/etc", given["writable"].encode(), None, MS_BIND, None) == 0
        libc.umount2(given["writable"].encode(), MNT_DETACH)
        return bool(has)

    return in_child(mounts)


@way("open_tree")
def _(_given: Config) -> bool:
    return int(libc.syscall(OPEN_TREE, -100, b"/", 1)) >= 0


@way("chroot")
def _(given: Config) -> bool:
    return in_child(lambda: bool(libc.chroot(given["writable"].encode()) == 0))


@way("mknod")
def _(given: Config) -> bool:
    path = Path(given["writable"], "device")
    os.mknod(path, stat.S_IFBLK | 0o666, os.makedev(254, 0))
    path.unlink()
    return True


@way("devices")
def _(_given: Config) -> bool:
    return any_of(lambda each: os.open(each, os.O_RDONLY) > 0, ("/dev/mem", "/dev/kmsg", "/dev/vda"))


@way("capabilities")
def _(_given: Config) -> bool:
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return any(int(line.split()[1], 16) for line in lines if line.startswith("Cap"))


@way("more rights by a program")
def _(_given: Config) -> bool:
    return "NoNewPrivs:\t0" in Path("/proc/self/status").read_text("utf-8")


@way("key")
def _(_given: Config) -> bool:
    return call("request_key", b"user", b"promptls-canary", None, 0) > 0


@way("the key by number")
def _(given: Config) -> bool:
    return call("keyctl", KEYCTL_READ, given["key"], ctypes.create_string_buffer(100), 100, 0) > 0


@way("list of keys")
def _(_given: Config) -> bool:
    return "promptls-canary" in Path("/proc/keys").read_text("utf-8")


@way("shared memory")
def _(given: Config) -> bool:
    return bool(libc.shmget(given["shm"], 0, 0) >= 0)


@way("shared memory with a name")
def _(given: Config) -> bool:
    return reads(given["posix_shm"], given["canary"])


@way("terminal")
def _(_given: Config) -> bool:
    return os.open("/dev/tty", os.O_RDWR) > 0


@way("typing")
def _(_given: Config) -> bool:
    return any_of(lambda each: fcntl.ioctl(each, TIOCSTI, b"x") == b"x", (0, 1, 2, _tty()))


@way("io_uring")
def _(_given: Config) -> bool:
    return int(libc.syscall(SETUP_RING, 1, ctypes.create_string_buffer(120))) >= 0


def _tty() -> int:
    try:
        return os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return -1


def any_of(action: Callable[[Any], bool], places: Iterable[Any]) -> bool:
    return any(_tries(action, each) for each in places)


def _tries(action: Callable[[Any], bool], given: Any) -> bool:
    try:
        return bool(action(given))
    except (OSError, ValueError):
        return False


def attempts(given: Config) -> dict[str, bool]:
    skipped = INSIDE_ONLY if given["is_control"] else set()
    return {name: _tries(function, given) for name, function in WAYS.items() if name not in skipped}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(attempts(json.loads(sys.argv[1]))))
