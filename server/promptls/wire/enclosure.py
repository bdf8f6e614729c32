"""What keeps a program from reaching anything but the recording server, as far as this system allows.

On Linux that are namespaces, which bubblewrap or this program itself makes: what a program sees of the disk, of other
processes and of the network is what it is given (``visible.py``). On macOS it is a profile of sandbox-exec, of which
only the text is tested. Where there is neither, Landlock limits files and TCP connections, or a program is only asked.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from promptls.wire.visible_disk import Enclosure

    Means = Literal["bwrap", "namespaces", "sandbox", "landlock", "asked"]

# The means that hold whatever the program does, and those with which it sees its files where the user has them.
HOLDS: tuple[Means, ...] = ("bwrap", "namespaces", "sandbox")
MOVES: tuple[Means, ...] = ("bwrap", "namespaces")
# Nothing else has a port in a network namespace of its own.
PORT_INSIDE = 41_000
# Bytes that the empty directories of a program hold, each.
MOST_EMPTY = 1024**3
# What /proc says of the keys of the user.
HIDDEN = ("/proc/keys", "/proc/key-users")
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
BWRAP = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap")
SANDBOX = "/usr/bin/sandbox-exec"
HELD = (
    "no network but the recording server, and of the disk only the system, its own package and scratch copies of "
    "your files"
)
SAYS: dict[Means, str] = {
    "bwrap": f"enclosed by bubblewrap: {HELD}",
    "namespaces": f"enclosed in namespaces: {HELD}",
    "sandbox": f"under a profile of sandbox-exec: {HELD}",
    "landlock": "under Landlock: it could write to the folder, a scratch home, /tmp and /dev only, and open TCP "
    "connections to the recording server only; it could read other files and reach sockets",
    "asked": "asked to contact nothing but the recording server; this system does not enforce it",
}
NEEDS = (
    "This system cannot enclose {}, so what the folder configures could run with your rights, read your files and use "
    "the network; add --run-workspace if you trust the folder."
)
NEEDS_NAMESPACES = (
    "This system has no namespaces of its own for a program, so {} could read your files and use the network; nothing "
    "was started. It needs Linux with bubblewrap or user namespaces."
)


def bwrap_command(
    bwrap: str, seen: Enclosure, cwd: str, command: Sequence[str], *, files: Sequence[str], fds: tuple[int, int, int]
) -> list[str]:
    """The command line of bubblewrap; ``fds`` are those for its filter, for what it says, and on which it waits.

    ``files`` are those of ``HIDDEN`` that there are.
    """
    flags = ["--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    flags += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    empty = ["--perms", "1777", "--size", str(MOST_EMPTY), "--tmpfs"]
    shown: list[str] = ["--dev", "/dev", "--proc", "/proc"]
    for source, target, writable in seen.binds:
        shown += [*empty, target] if not source else ["--bind" if writable else "--ro-bind", source, target]
    for path, text in seen.links:
        shown += ["--symlink", text, path]
    for path in files:
        shown += ["--ro-bind", "/dev/null", path]
    shown += ["--remount-ro", "/", "--chdir", cwd]
    numbers = zip(("--seccomp", "--info-fd", "--block-fd"), map(str, fds), strict=True)
    return [bwrap, *flags, *shown, *(each for pair in numbers for each in pair), "--", *command]


def sandbox_profile(seen: Enclosure, port: int) -> str:
    """A profile of sandbox-exec: the system can be read, what is writable written, and one port reached.

    Nobody has run it yet: it is made from Apple's manual and the profiles that macOS comes with.
    """
    reads = [source for source, _, writable in seen.binds if source and not writable]
    writes = [source for source, _, writable in seen.binds if source and writable]
    lines = [
        "(version 1)",
        "(deny default)",
        '(import "bsd.sb")',
        "(allow process-fork)",
        "(allow process-exec)",
        "(allow signal (target same-sandbox))",
        "(allow sysctl-read)",
        "(allow file-read-metadata)",
        '(allow file-read* (subpath "/System") (subpath "/usr") (subpath "/bin") (subpath "/sbin"))',
        '(allow file-read* (subpath "/Library/Developer/CommandLineTools") (subpath "/private/etc"))',
        *(f"(allow file-read* (subpath {_quoted(path)}))" for path in (*reads, *writes)),
        *(f"(allow file-write* (subpath {_quoted(path)}))" for path in writes),
        '(allow file-read* file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))',
        "(deny mach-lookup)",
        '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
        "(deny network*)",
        f'(allow network-outbound (remote tcp "localhost:{port}"))',
    ]
    return "\n".join(lines) + "\n"


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
