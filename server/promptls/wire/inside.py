"""What runs first where a program is enclosed: it makes the namespaces, gives up all rights and starts the program.

It is told what to do by a line of JSON on a socket whose number is its argument, answers there with a socket that
listens on the loopback of the namespace and a file that stands for its init, says that it is ready, and ends as the
program does (128 + N for a signal).
Three processes: the first stays outside of the new PID namespace and waits; the second is its init, and when that ends,
the kernel ends all in it; the third becomes the program.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys

from promptls.wire import linux
from promptls.wire.call_filter import call_filter
from promptls.wire.enclosure import DEVICES, HIDDEN, MOST_EMPTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

# Whom root becomes: a user who owns nothing but the scratch home.
NOBODY = 65534
NAMESPACES = linux.CLONE_NEWNS | linux.CLONE_NEWPID | linux.CLONE_NEWNET | linux.CLONE_NEWIPC | linux.CLONE_NEWUTS
# Where the root so far and the new one are while it is built.
OLD, NEW = "/old", "/new"
NS_GET_USERNS = 0xB701
IP_FREEBIND = 15
BACKLOG = 128


def main() -> None:
    """Do what the socket says."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    told = json.loads(control.makefile("rb").readline())
    try:
        if "listen" in told:
            _join(control, told["listen"], told["port"])
        else:
            _enclose(control, told)
    except OSError as error:
        _fail(control, str(error))


def _join(control: socket.socket, process: int, port: int) -> None:
    """Listen in the network namespace of a process that is another user namespace's."""
    import fcntl  # noqa: PLC0415 - only POSIX has it

    network = os.open(f"/proc/{process}/ns/net", os.O_RDONLY)
    _need(linux.enter(fcntl.ioctl(network, NS_GET_USERNS), linux.CLONE_NEWUSER), "the user namespace")
    _need(linux.enter(network, linux.CLONE_NEWNET), "the network")
    _answer(control, port)


def _enclose(control: socket.socket, told: dict[str, Any]) -> None:
    _die_with(told["parent"])
    _need(linux.leave_keys(), "keyrings")
    user, group = os.geteuid(), os.getegid()
    _need(linux.unshare(NAMESPACES | (linux.CLONE_NEWUSER if user else 0)), "namespaces")
    linux.unshare(linux.CLONE_NEWCGROUP)
    if user:
        _need(linux.map_ids((user, group), (user, group)), "the user")
    _need(linux.raise_loopback(), "the network")
    _die_with(told["parent"])
    _answer(control, told["port"])
    alive, held = os.pipe()
    init = os.fork()
    if init == 0:
        os.close(held)
        _be_init(control, told, (user, group), alive)
    # As a file, not as a number: a program may end before anybody has heard of it.
    socket.send_fds(control, [b'{"init": true}\n'], [os.pidfd_open(init)])
    control.close()
    # It ends as soon as its init does.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os._exit(_code(os.waitpid(init, 0)[1]))


def _be_init(control: socket.socket, told: dict[str, Any], ids: tuple[int, int], alive: int) -> NoReturn:
    """Be the init of the PID namespace: build the root, start the program, and end with it."""
    try:
        _build(told["binds"], told["links"])
        _give_up(ids)
        # A change of user takes this away, so it comes late; whoever has gone before has closed the pipe.
        linux.end_with_parent(signal.SIGKILL)
        if select.select([alive], [], [], 0)[0]:
            os._exit(1)
        os.chdir(told["cwd"])
    except Exception as error:  # noqa: BLE001 - whatever it is, the program is not started
        _fail(control, str(error))
    _say(control, {"ready": True})
    program = os.fork()
    if program == 0:
        _become(told["command"], told["env"])
    linux.hide()
    os.closerange(0, os.sysconf("SC_OPEN_MAX"))
    while True:
        process, status = os.wait()
        if process == program:
            os._exit(_code(status))


def _build(binds: list[tuple[str, str, bool]], links: list[tuple[str, str]]) -> None:
    """Make a root with nothing but what is listed, and leave the one so far."""
    _need(linux.mount(None, "/", linux.MS_REC | linux.MS_PRIVATE), "mounts of its own")
    base = "/tmp"  # noqa: S108 - any directory that is always there; what is in it is reached below OLD
    _mount_empty(base, "0755")
    for each in (OLD, NEW):
        os.mkdir(base + each)
    _need(linux.move_root(base, base + OLD), "a new root")
    os.chdir("/")
    _mount_empty(NEW, "0755")
    _make_dev()
    os.mkdir(f"{NEW}/proc")
    kept = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC
    _need(linux.mount("proc", f"{NEW}/proc", kept, kind="proc"), "/proc")
    for source, target, writable in binds:
        if not source:
            os.makedirs(NEW + target, exist_ok=True)
            _mount_empty(NEW + target, "1777")
            continue
        _make_place(OLD + source, NEW + target)
        _need(linux.bind(OLD + source, NEW + target, writable=writable), target)
    for path, text in links:
        os.makedirs(os.path.dirname(NEW + path), exist_ok=True)
        if not os.path.lexists(NEW + path):
            os.symlink(text, NEW + path)
    for path in HIDDEN:
        if os.path.exists(NEW + path):
            _need(linux.bind(f"{OLD}/dev/null", NEW + path, writable=False, device=True), path)
    _need(linux.restrict(NEW, linux.ATTR_RDONLY), "a root that cannot be written")
    os.chdir(NEW)
    _need(linux.move_root(".", ".") and linux.unmount("."), "the new root")
    os.chdir("/")


def _make_dev() -> None:
    os.mkdir(f"{NEW}/dev")
    for device in DEVICES:
        _make_place(f"{OLD}/dev/{device}", f"{NEW}/dev/{device}")
        _need(linux.bind(f"{OLD}/dev/{device}", f"{NEW}/dev/{device}", writable=True, device=True), device)
    for path, text in (("fd", "self/fd"), ("stdin", "self/fd/0"), ("stdout", "self/fd/1"), ("stderr", "self/fd/2")):
        os.symlink(f"/proc/{text}", f"{NEW}/dev/{path}")
    os.mkdir(f"{NEW}/dev/pts")
    options = "newinstance,ptmxmode=0666,mode=620"
    kept = linux.MS_NOSUID | linux.MS_NOEXEC
    _need(linux.mount("devpts", f"{NEW}/dev/pts", kept, kind="devpts", options=options), "terminals")
    os.symlink("pts/ptmx", f"{NEW}/dev/ptmx")


def _make_place(source: str, target: str) -> None:
    """Something to mount ``source`` on."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.lexists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))


def _mount_empty(path: str, mode: str) -> None:
    options = f"mode={mode},size={MOST_EMPTY}"
    kept = linux.MS_NOSUID | linux.MS_NODEV
    _need(linux.mount("tmpfs", path, kept, kind="tmpfs", options=options), path)


def _give_up(ids: tuple[int, int]) -> None:
    """Give up all rights: those of root, of the namespaces, and to have more namespaces."""
    if ids[0] == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        linux.show()
        _need(linux.unshare(linux.CLONE_NEWUSER) and linux.map_ids(ids, (NOBODY, NOBODY)), "another user")
    # The next one is the last.
    _need(linux.say("/proc/sys/user/max_user_namespaces", "1"), "a limit of namespaces")
    _need(linux.unshare(linux.CLONE_NEWUSER) and linux.map_ids(ids, ids), "a user without rights")
    _need(linux.drop_capabilities() and linux.filter_calls(call_filter(os.uname().machine)), "no rights")


def _become(command: list[str], env: dict[str, str]) -> NoReturn:
    os.setsid()
    for name in ("SIGPIPE", "SIGXFSZ", "SIGINT"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    try:
        os.execve(command[0], command, env)  # noqa: S606 - this process becomes the program
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


def _answer(control: socket.socket, port: int) -> None:
    """Send a socket that listens on loopback, which bubblewrap may not have brought up yet."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        server.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
        server.bind(("127.0.0.1", port))
        server.listen(BACKLOG)
        socket.send_fds(control, [b'{"listens": true}\n'], [server.fileno()])


def _die_with(parent: int) -> None:
    linux.end_with_parent(signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def _need(worked: bool, what: str) -> None:
    if not worked:
        raise OSError(f"the system does not let it have {what}")


def _say(control: socket.socket, message: dict[str, object]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")


def _fail(control: socket.socket, why: str) -> NoReturn:
    try:
        _say(control, {"failed": why})
    finally:
        os._exit(1)
