"""Runs the probe twice as one user: outside, as a control, and enclosed by one of the means. Prints what came through.

As root, it first takes namespaces of its own, in which it has a link with an address, and files in /mnt and /run.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
from pathlib import Path
from typing import Any

from promptls.wire import enclosing, linux
from promptls.wire.visible_disk import enclosure
from tests.capture import probe

SHM = "/dev/shm"  # noqa: S108 - one of its own, or a file that nobody else names so
ADDRESS = "192.0.2.1"
IP = shutil.which("ip") or "/bin/false"
SOMEBODY = 4321
ENV = "canary-of-the-environment"
IPC_CREAT = 0o1000
SHM_KEY = 0x70726F6D


def main() -> None:
    by, wanted, place = sys.argv[1:]
    started_as_root = os.geteuid() == 0
    if started_as_root:
        place = _own_namespaces()
    if wanted == "somebody" and started_as_root:
        os.chown(place, SOMEBODY, SOMEBODY)
        os.setgroups([])
        os.setresgid(SOMEBODY, SOMEBODY, SOMEBODY)
        os.setresuid(SOMEBODY, SOMEBODY, SOMEBODY)
        linux.show()
    if not enclosing.works(by):  # type: ignore[arg-type]
        sys.stdout.write(json.dumps({"lacks": by}))
        return
    _own_terminal()
    given, seen = _lay_out(Path(place))
    with tempfile.TemporaryFile() as output:
        held = os.open(place, os.O_RDONLY)
        arguments = [sys.executable, probe.__file__]
        control = subprocess.run(
            [*arguments, json.dumps({**given, "is_control": True})],
            env={"CANARY": ENV},
            stdout=subprocess.PIPE,
            pass_fds=(held,),
            check=True,
            timeout=60,
        )
        outside = _judged(json.loads(control.stdout), given)
        for name in probe.WRITES.values():
            Path(given[name]).write_text(given["canary"], "utf-8")
        env = {"PATH": "/usr/bin:/bin", "HOME": given["home"], "CANARY": "x"}
        order = enclosing.Order(
            [*arguments, json.dumps({**given, "is_control": False})], given["workspace"], env, output.fileno(), 2
        )
        started = enclosing.start(by, seen, order)  # type: ignore[arg-type]
        code = started.process.wait(60)
        started.end()
        output.seek(0)
        inside = _judged(json.loads(output.read() or b"{}"), given)
    os.kill(given["victim"], signal.SIGKILL)
    told = {
        "code": code,
        "outside": outside,
        "inside": inside,
        "is_root": os.geteuid() == 0,
        "by_root": started_as_root,
    }
    sys.stdout.write(json.dumps(told))


def _judged(found: dict[str, bool], given: dict[str, Any]) -> dict[str, bool]:
    """What was written counts only if it is in the file of the user's."""
    marks = {name: probe.MARK in Path(given[path]).read_text("utf-8") for name, path in probe.WRITES.items()}
    return {**found, **marks}


def _own_namespaces() -> str:
    assert linux.unshare(linux.CLONE_NEWNS | linux.CLONE_NEWNET | linux.CLONE_NEWIPC)
    assert linux.mount(None, "/", linux.MS_REC | linux.MS_PRIVATE)
    for path in ("/mnt", "/run", SHM):
        assert linux.mount("tmpfs", path, 0, kind="tmpfs", options="mode=1777")
    assert linux.raise_loopback()
    links = (
        ["add", "probe0", "type", "veth", "peer", "name", "probe1"],
        ["set", "probe0", "up"],
        ["set", "probe1", "up"],
    )
    for each in links:
        subprocess.run([IP, "link", *each], check=False, stderr=subprocess.DEVNULL)
    subprocess.run([IP, "address", "add", f"{ADDRESS}/24", "dev", "probe0"], check=False, stderr=subprocess.DEVNULL)
    return "/mnt"


def _own_terminal() -> None:
    """Lead a session with a terminal that nobody looks at."""
    if os.getsid(0) != os.getpid():
        os.setsid()
    _, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


def _lay_out(top: Path) -> tuple[dict[str, Any], Any]:
    canary = "canary-of-a-file"
    names = {
        "ssh": "home/.ssh/id",
        "bashrc": "home/.bashrc",
        "secret": "ws/secret",
        "file": "ws/file",
        "other": "else/it",
    }
    for below in (*names.values(), "scratch/home/.bashrc", "scratch/ws/file"):
        path = top / below
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(canary if not below.startswith("scratch") else "", "utf-8")
    given: dict[str, Any] = {name: str(top / below) for name, below in names.items()}
    given |= {"canary": canary, "env": ENV, "home": str(top / "home"), "workspace": str(top / "ws")}
    given |= {"writable": str(top / "home"), "mounted": str(top / "home"), "address": ADDRESS, "shm": SHM_KEY}
    if os.geteuid() == 0:
        # Outside, a mount of its own is taken away.
        (top / "own").mkdir()
        linux.mount("tmpfs", str(top / "own"), 0, kind="tmpfs")
        given["mounted"] = str(top / "own")
    given["posix_shm"] = f"{SHM}/promptls-{os.getpid()}"
    Path(given["posix_shm"]).write_text(canary, "utf-8")
    libc: Any = ctypes.CDLL(None)
    libc.shmget(SHM_KEY, 4096, IPC_CREAT | 0o666)
    given["key"] = probe.call("add_key", b"user", b"promptls-canary", b"canary", 6, probe.USER_KEYRING)
    given["abstract"] = f"promptls-{os.getpid()}"
    given["socket"] = str(top / "agent")
    given["run_socket"] = "/run/agent"
    given["tcp"], given["udp"] = _listen(given)
    victim = subprocess.Popen(["/bin/sleep", "300"], env={"CANARY": ENV})
    given["victim"] = victim.pid
    threading.Thread(target=victim.wait, daemon=True).start()
    shown = [(str(top / "scratch/home"), given["home"], True), (str(top / "scratch/ws"), given["workspace"], True)]
    shown.append((str(Path(probe.__file__)), str(Path(probe.__file__)), False))
    enclosing.give_away(str(top / "scratch"))
    seen = enclosure(
        enclosing.LocalDisk(),
        [sys.executable],
        ["/usr/bin", "/bin"],
        workspace=given["workspace"],
        homes=[given["home"]],
        shown=shown,
    )
    return given, seen


def _listen(given: dict[str, Any]) -> tuple[int, int]:
    with probe.near(given["socket"]) as place:
        for address in (place, "\0" + given["abstract"], given["run_socket"]):
            listener = socket.socket(socket.AF_UNIX)
            try:
                listener.bind(address)
            except OSError:
                continue
            listener.listen(8)
            HELD.append(listener)
    tcp = socket.create_server(("0.0.0.0", 0))  # noqa: S104 - a namespace of its own
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    HELD.extend((tcp, udp))

    def answer() -> None:
        while True:
            udp.sendto(b"!", udp.recvfrom(10)[1])

    threading.Thread(target=answer, daemon=True).start()
    return tcp.getsockname()[1], udp.getsockname()[1]


HELD: list[socket.socket] = []

if __name__ == "__main__":
    main()
    sys.stdout.flush()
