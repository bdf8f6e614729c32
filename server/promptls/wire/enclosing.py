"""Starts a program enclosed, and finds out with which means that can be done here."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import stat
import subprocess
import sys
from functools import lru_cache

from promptls.core.files import read
from promptls.core.values import dataclass
from promptls.errors import PromptlsError
from promptls.wire import enclosure, linux
from promptls.wire.call_filter import call_filter
from promptls.wire.inside import NOBODY
from promptls.wire.visible_disk import Enclosure
from promptls.wire.visible_disk import enclosure as visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from promptls.wire.enclosure import Means
    from promptls.wire.visible_disk import Bind

INSIDE = (sys.executable, "-P", "-c", "from promptls.wire.inside import main; main()")
# Seconds for it to be ready.
PATIENCE = 20.0
MOST_SAID = 4096
# The first version of Landlock with rules for networks.
LANDLOCK_NET = 4
# Rights of Landlock: to write, remove, make (seven kinds), link elsewhere and cut files, as of its third version.
WRITES = 0b111_1111_1111_0010
EVERYWHERE_WRITTEN = ("/dev", "/tmp", "/var/tmp")  # noqa: S108 - programs expect them
HEAD = 256


class EncloseError(PromptlsError):
    """A program cannot be enclosed; it was not started."""


class LocalDisk:
    """The disk of this machine, as ``visible.Looks``."""

    def link(self, path: str) -> str | None:
        """The text of a link."""
        try:
            return os.readlink(path)
        except OSError:
            return None

    def kind(self, path: str) -> str | None:
        """``file`` or ``directory``."""
        return "directory" if os.path.isdir(path) else "file" if os.path.isfile(path) else None

    def head(self, path: str) -> bytes:
        """The first bytes of a regular file."""
        return read(path, HEAD).data

    def text(self, path: str) -> str:
        """The text of a file; empty if it cannot be read."""
        return read(path).data.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Order:
    """What to start, with paths as they are seen inside; its streams as ``Popen`` takes them."""

    command: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    stdout: int
    stderr: int
    stdin: int = subprocess.DEVNULL


@dataclass(frozen=True, slots=True)
class EnclosedProgram:
    """A program that runs enclosed.

    ``listener`` listens on the loopback that it has; ``init`` is a file that stands for its PID namespace: it can be
    read once all in it have ended.
    """

    process: subprocess.Popen[bytes]
    listener: socket.socket
    init: int

    def end(self) -> None:
        """End all of it at once, and wait until it has ended."""
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self.init, signal.SIGKILL)
        select.select([self.init], [], [])
        self.process.kill()
        self.process.wait()
        os.close(self.init)


@lru_cache(maxsize=1)
def means() -> Means:
    """The strongest means that works here."""
    if sys.platform == "darwin" and os.path.exists(enclosure.SANDBOX):
        return "sandbox"
    if not sys.platform.startswith("linux"):
        return "asked"
    # As root, bubblewrap leaves a program the files that only root can read.
    wanted: list[Means] = ["namespaces"] if os.geteuid() == 0 else ["bwrap", "namespaces"]
    # Twice: under load a namespace may not be had at once.
    found = next((each for each in (*wanted, *wanted) if works(each)), None)
    return found or ("landlock" if linux.landlock() >= LANDLOCK_NET else "asked")


def works(by: Means) -> bool:
    """Whether a program can be enclosed by these means: one that does nothing is."""
    order = Order(["/bin/sh", "-c", ":"], "/", {}, subprocess.DEVNULL, subprocess.DEVNULL)
    try:
        started = start(by, visible_system(), order)
    except (EncloseError, OSError):
        return False
    started.listener.close()
    try:
        return started.process.wait(PATIENCE) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        started.end()


def visible_system(shown: Sequence[Bind] = ()) -> Enclosure:
    """The system, and what is shown, alone."""
    return visible(LocalDisk(), (), (), workspace="/nowhere", homes=(), shown=shown)


def bwrap() -> str | None:
    """Bubblewrap as the system has installed it: nobody else could have put another program there."""
    for path in enclosure.BWRAP:
        with contextlib.suppress(OSError):
            about = os.stat(path)
            if about.st_uid == 0 and stat.S_ISREG(about.st_mode) and not about.st_mode & 0o022:
                return path
    return None


def start(by: Means, seen: Enclosure, order: Order) -> EnclosedProgram:
    """Start a program enclosed by namespaces. Its loopback has ``PORT_INSIDE``, on which nobody answers yet.

    Raises:
        EncloseError: that cannot be done; nothing of the program has run.
    """
    real = tuple((os.path.realpath(source) if source else "", at, writable) for source, at, writable in seen.binds)
    found = Enclosure(real, seen.links)
    prepare(found)
    # The others are in a directory that is seen.
    found = Enclosure(real, tuple(each for each in seen.links if _place(each[0], found) is None))
    return _start_bwrap(found, order) if by == "bwrap" else _start_own(found, order)


def limit(binds: Sequence[Bind], port: int) -> bool:
    """By Landlock, let this thread and all that it starts write only what is bound to be written, and reach one port.

    For systems without namespaces. What can be read, and sockets with a path, are not limited.
    """
    written = [*(source for source, _, writable in binds if source and writable), *EVERYWHERE_WRITTEN]
    return linux.landlock_only(WRITES, linux.ACCESS_CONNECT, ((path, WRITES) for path in written), (port,))


def prepare(seen: Enclosure) -> None:
    """Make the places for what is seen inside of a directory that is seen, too, in the directory itself.

    Nothing runs there meanwhile. A program may have put links there before, which would lead out of it.

    Raises:
        EncloseError: something else is there.
    """
    for source, target, _ in seen.binds:
        place = _place(target, seen)
        if place is not None:
            _make_place(*place, is_directory=not source or os.path.isdir(source))
    for path, text in seen.links:
        place = _place(path, seen)
        if place is None:
            continue
        above, _, name = place[1].rpartition("/")
        directory = _make_place(place[0], above, is_directory=True)
        at = os.path.join(directory, name)
        if not os.path.lexists(at):
            os.symlink(text, at)
            _give(at)
        elif not os.path.islink(at) or _led(path, os.readlink(at)) != _led(path, text):
            raise EncloseError(f"{path} is not as it was; nothing was run.")


def _led(link: str, text: str) -> str:
    """Where a link leads, from a directory without links: a copy may say it in another way than the link itself."""
    return os.path.normpath(os.path.join(os.path.dirname(link), text))


def give_away(directory: str) -> None:
    """Give all in a directory to the user whom root becomes; nothing runs there meanwhile."""
    if os.geteuid() != 0:
        return
    os.lchown(directory, NOBODY, NOBODY)
    for above, directories, files in os.walk(directory):
        for each in (*directories, *files):
            os.lchown(os.path.join(above, each), NOBODY, NOBODY)


def let_git_read(home: str) -> None:
    """Let git read repositories of root's for the user whom root becomes, whose home is a directory of ours.

    Some programs give git no variables, so it is said in a file.
    """
    if os.geteuid() == 0 and not os.path.islink(f"{home}/.gitconfig"):
        os.makedirs(home, exist_ok=True)
        with open(f"{home}/.gitconfig", "a", encoding="utf-8") as file:
            file.write("\n[safe]\n\tdirectory = *\n")


def _place(path: str, seen: Enclosure) -> tuple[str, str] | None:
    """The source of the innermost directory that is seen above ``path``, and what is left; None in an empty one."""
    above = [each for each in seen.binds if path.startswith(each[1].rstrip("/") + "/")]
    if not above:
        return None
    source, target, _ = max(above, key=lambda each: len(each[1]))
    return (source, path[len(target) :].strip("/")) if source else None


def _make_place(top: str, below: str, *, is_directory: bool) -> str:
    """A directory or an empty file ``below`` a directory, without a link on the way."""
    at = top
    steps = [each for each in below.split("/") if each]
    for number, step in enumerate(steps, 1):
        at = os.path.join(at, step)
        wants_directory = is_directory or number < len(steps)
        try:
            mode = os.lstat(at).st_mode
        except OSError:
            if wants_directory:
                os.mkdir(at)
            else:
                os.close(os.open(at, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o644))
            _give(at)
            continue
        if not (stat.S_ISDIR(mode) if wants_directory else stat.S_ISREG(mode)):
            raise EncloseError(f"{at} is not as it was; nothing was run.")
    return at


def _give(path: str) -> None:
    if os.geteuid() == 0:
        os.lchown(path, NOBODY, NOBODY)


def _start_own(seen: Enclosure, order: Order) -> EnclosedProgram:
    told: dict[str, Any] = {"binds": seen.binds, "links": seen.links, "command": order.command, "cwd": order.cwd}
    told |= {"env": dict(order.env), "parent": os.getpid()}
    process, control = _tell(told, order.stdout, order.stderr, order.stdin)
    with control, _or_end(process):
        listener, init = _hear(control, {"listens", "init", "ready"}, 2)
        return EnclosedProgram(process, socket.socket(fileno=listener), init)


def _start_bwrap(seen: Enclosure, order: Order) -> EnclosedProgram:
    path = bwrap()
    if path is None:
        raise EncloseError("There is no bubblewrap; nothing was run.")
    said, says = os.pipe()
    waits, lets = os.pipe()
    lines = os.memfd_create("filter")
    try:
        os.write(lines, call_filter(os.uname().machine))
        os.lseek(lines, 0, os.SEEK_SET)
        files = [each for each in enclosure.HIDDEN if os.path.exists(each)]
        given = (lines, says, waits)
        process = subprocess.Popen(
            enclosure.bwrap_command(path, seen, order.cwd, order.command, files=files, fds=given),
            env=dict(order.env),
            cwd="/",
            stdin=order.stdin,
            stdout=order.stdout,
            stderr=order.stderr,
            pass_fds=given,
            start_new_session=True,
        )
        with _or_end(process):
            child = _child(said)
            init = os.pidfd_open(child)
            joined, control = _tell({"listen": child}, subprocess.DEVNULL, subprocess.DEVNULL)
            with control, _or_end(joined):
                (listener,) = _hear(control, {"listens"}, 1)
            joined.wait()
            # It waits for this before it starts the program.
            os.write(lets, b"x")
            return EnclosedProgram(process, socket.socket(fileno=listener), init)
    finally:
        for each in (said, says, waits, lets, lines):
            os.close(each)


def _child(said: int) -> int:
    """The init of the namespace that bubblewrap has made, from what it says.

    Raises:
        EncloseError: it has made none.
    """
    text = b""
    while not text.rstrip().endswith(b"}"):
        if not select.select([said], [], [], PATIENCE)[0] or not (data := os.read(said, MOST_SAID)):
            raise EncloseError("The program cannot be enclosed (bubblewrap has ended); nothing was run.")
        text += data
    return int(json.loads(text)["child-pid"])


@contextlib.contextmanager
def _or_end(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a process if something goes wrong."""
    try:
        yield
    except EncloseError as error:
        _end(process)
        said = process.stdout.read().strip().rpartition(b"\n")[2] if process.stdout else b""
        # Of bubblewrap, which says why; the program has not said anything yet.
        raise EncloseError(f"{error} {said.decode('utf-8', 'replace')}".rstrip()) from None
    except BaseException:
        _end(process)
        raise


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _tell(
    told: Mapping[str, Any], stdout: int, stderr: int, stdin: int = subprocess.DEVNULL
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start ``inside.py`` and tell it what to do; the socket on which it answers."""
    ours, theirs = socket.socketpair()
    # Nothing of the user's environment is in its memory, but for what Python needs to start.
    kept = {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
    with theirs:
        process = subprocess.Popen(
            [*INSIDE, str(theirs.fileno())],
            env=kept,
            cwd="/",
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    with contextlib.suppress(OSError):
        ours.sendall(json.dumps({**told, "port": enclosure.PORT_INSIDE}).encode() + b"\n")
    return process, ours


def _hear(control: socket.socket, wanted: set[str], count: int) -> list[int]:
    """The numbers of the ``count`` files that are sent, in order, once all that is wanted has been said.

    Raises:
        EncloseError: it has not.
    """
    control.settimeout(PATIENCE)
    text, numbers = b"", list[int]()
    heard: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        while wanted - heard.keys() and "failed" not in heard:
            data, sent, _, _ = socket.recv_fds(control, MOST_SAID, 1)
            numbers += sent
            text += data
            if not data:
                break
            *lines, text = text.split(b"\n")
            for line in lines:
                heard |= json.loads(line)
    if wanted - heard.keys() or len(numbers) != count:
        for each in numbers:
            os.close(each)
        why = heard.get("failed", "the process that encloses it has ended")
        raise EncloseError(f"The program cannot be enclosed ({why}); nothing was run.")
    return numbers
