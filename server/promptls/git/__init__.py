"""The one way to run git. It reads a repository, starts none of the programs that the repository names, and ends.

A repository's configuration can name programs in many places: filters, hooks, a file system monitor, ways to fetch
what is missing. Git starts some of them where it only lists files. See ``tests/test_git.py``, which plants them all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress

from promptls.core import files
from promptls.core.paths import is_below, join, parent, upwards
from promptls.system.processes import HAS_GROUPS, end_group, leads_group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import IO

# Seconds that somebody waits for git: a file that it opens may be one that never ends, or a disk be gone.
LIMIT = 10.0
# Where it has been late, it is not started again for so many seconds: each of a command's questions would wait.
REST = 60.0
# Bytes of an answer, and of memory (Linux).
MOST_OUTPUT = 512 * 1024 * 1024
MOST_MEMORY = 4 * 1024 * 1024 * 1024
# These win over the repository's own configuration, and over all that it includes.
OPTIONS = (
    *("--no-optional-locks", "--no-pager"),
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat"),
    *("-c", "protocol.allow=never", "-c", "submodule.recurse=false", "-c", "diff.ignoreSubmodules=all"),
    # Only a repository that has a .git: a folder of a clone can look like a bare repository.
    *("-c", "safe.bareRepository=explicit"),
)
# What a partial clone lacks is not fetched. Older versions of git know only the second: of ways to fetch, none is
# allowed but one that nobody can name. An empty list would allow the empty name, which a repository can configure.
ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": f"none-{os.urandom(16).hex()}",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
# What git opens first, in its own directory and in the one that worktrees share.
OPENED = (
    *("HEAD", "config", "config.worktree", "commondir", "gitdir", "index", "packed-refs", "shallow"),
    *("info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout", "objects/info/alternates"),
)
PATTERNS = (".gitignore", ".gitattributes")
# What is asked of the configuration: who names programs, whose name is in prompts, and where branches are kept.
SETTINGS = r"^(filter\..*\.(clean|smudge|process)|user\.name|extensions\.refstorage)$"
LONGEST_POINTER = 8192
MISSING = "git is not installed"
LATE = "git does not answer"
PROGRAM = "git.exe" if os.name == "nt" else "git"
# What would go on when this process ends at once. Git is started and noted in one step, and after the end no more.
_RUNNING: set[Git] = set()
_STARTING = threading.Lock()
_ENDING = threading.Event()
# When git was late last in a repository.
_LATE: dict[str | None, float] = {}


class Git:
    """Git at work. It begins at once; its answer is waited for when it is asked for."""

    def __init__(self, process: subprocess.Popen[bytes], root: str, *, has_group: bool) -> None:
        """``has_group``: the process leads a group, which is ended with it."""
        self._process = process
        self._root = root
        self._has_group = has_group
        self._output: list[bytes] = []
        self._size = 0
        self._listener: threading.Thread | None = None
        self.is_late = False
        self.is_cut = False
        _RUNNING.add(self)

    @property
    def output(self) -> bytes:
        """What it has said so far."""
        return b"".join(self._output)

    @property
    def code(self) -> int | None:
        """Its exit code, once it has ended."""
        return self._process.returncode

    def wait(self, seconds: float, most: int = MOST_OUTPUT) -> bool:
        """Hear it out for so long; whether it has ended. After more than ``most`` bytes it is stopped."""
        until = time.monotonic() + seconds
        if self._listener is None and not _pipe(self._process).closed:
            self._listener = threading.Thread(target=self._listen, args=(most,), daemon=True)
            self._listener.start()
        if self._listener is not None:
            self._listener.join(seconds)
            if self._listener.is_alive():
                return False
        if self._size > most:
            self.is_cut = True
            self.stop()
            return True
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0, until - time.monotonic()))
        if self.code is not None:
            self._close()
        return self.code is not None

    def answer(self, most: int = MOST_OUTPUT, seconds: float | None = None) -> bytes | None:
        """What it says; None if it fails, says more than ``most`` bytes, or is late: then it is stopped.

        ``seconds`` are those it has, by default ``LIMIT``.
        """
        if not self.wait(LIMIT if seconds is None else seconds, most):
            self.leave()
        return self.output if self.code == 0 and not self.is_cut else None

    def leave(self) -> None:
        """It is late: stop it, and ask no more in its repository for a while."""
        self.is_late = True
        _LATE[top_of(self._root)] = time.monotonic()
        self.stop()

    def kill(self) -> None:
        """End it, with its group; whoever waits for it learns that."""
        with suppress(OSError):  # it has just ended
            if self._has_group:
                end_group(self._process)
            else:
                self._process.kill()

    def stop(self) -> None:
        """End it, if it has not ended, and wait for that."""
        if self._process.poll() is None:
            self.kill()
            with suppress(subprocess.TimeoutExpired):  # a failing disk holds it
                self._process.wait(1)
        self._close()

    def _listen(self, most: int) -> None:
        """Hear it out, on a thread: not every system can wait for a pipe with a limit.

        The thread closes the pipe: the number of a closed one may be given to another file, which it would read.
        """
        with _pipe(self._process) as pipe:
            while self._size <= most and (data := os.read(pipe.fileno(), 1 << 20)):
                self._output.append(data)
                self._size += len(data)

    def _close(self) -> None:
        _RUNNING.discard(self)
        if self._listener is None:
            _pipe(self._process).close()
        else:
            self._listener.join(1)  # what git has started may hold the pipe


def stop_all() -> None:
    """End all that runs, and start no more: this process ends at once."""
    _ENDING.set()
    is_free = _STARTING.acquire(timeout=1)  # a failing disk may hold up who starts git
    for git in tuple(_RUNNING):
        git.kill()
    if is_free:
        _STARTING.release()


def start(root: str, *arguments: str, given: bytes = b"") -> Git | None:
    """Begin to run git in ``root`` with ``given`` on its input; None where it is not run, see ``obstacle``."""
    path, why = _found(root)
    return _start_git(path, root, arguments, given) if path is not None and why is None else None


def start_each(root: str, questions: Mapping[str, Sequence[str]]) -> dict[str, Git | None]:
    """Begin to run git in ``root`` for all questions at once: what could hold it up is looked for once."""
    path, why = _found(root)
    if path is None or why is not None:
        return dict.fromkeys(questions)
    return {name: _start_git(path, root, arguments) for name, arguments in questions.items()}


def _start_git(path: str, root: str, arguments: Sequence[str], given: bytes = b"") -> Git | None:
    # Who leads a session, as a check of the server does, is ended with its group: git stays in it.
    has_group = HAS_GROUPS and not leads_group()
    try:
        with _input(given) as source, _STARTING:
            if _ENDING.is_set():
                return None
            process = subprocess.Popen(
                [path, *OPTIONS, "-C", root, *arguments],
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
                process_group=0 if has_group else None,
            )
            git = Git(process, root, has_group=has_group)
    except (OSError, ValueError):
        return None
    _limit_memory(process.pid)
    return git


def answer(root: str, *arguments: str, given: bytes = b"", most: int = MOST_OUTPUT) -> bytes | None:
    """What git says in ``root``; None if it fails or is not run."""
    git = start(root, *arguments, given=given)
    return git.answer(most) if git is not None else None


def without_filters(root: str, seconds: float | None = None) -> tuple[str, ...] | None:
    """Arguments that switch off each filter of the configuration; None if that is not possible in so many seconds."""
    return filters_off(settings(root, seconds))


def settings(root: str, seconds: float | None = None) -> dict[str, str | None] | None:
    """The settings of ``SETTINGS`` by their key, the last of a key; None if git does not say them in time."""
    asked = start(root, "config", "--null", "--get-regexp", SETTINGS)
    said = asked.answer(seconds=seconds) if asked is not None else None
    if asked is not None and asked.code not in (0, 1):  # 1: there is none
        return None
    lines = (os.fsdecode(each).partition("\n") for each in (said or b"").split(b"\0") if each)
    return {key: value if has_value else None for key, has_value, value in lines}


def filters_off(found: Mapping[str, str | None] | None) -> tuple[str, ...] | None:
    """Arguments that switch off each filter of these ``settings``; None if that is not possible."""
    drivers = {key.rpartition(".")[0] for key in found or () if key.startswith("filter.")}
    if found is None or any("=" in driver for driver in drivers):
        return None
    off = ("clean=", "smudge=", "process=", "required=false")
    return tuple(each for driver in sorted(drivers) for part in off for each in ("-c", f"{driver}.{part}"))


def obstacle(root: str) -> str | None:
    """Why git is not run in ``root``, as a clause; None if it is."""
    return _found(root)[1]


def _found(root: str) -> tuple[str | None, str | None]:
    """The git that runs in ``root``, and what keeps it from that."""
    path, top = program(PROGRAM, root), top_of(root)
    if path is None:
        where = f"each git on the search path is inside {top or root} itself"
        return None, where if any(_programs(PROGRAM)) else MISSING
    if top is None:
        return path, f"{root} is not in a git repository"
    odd = next((f"{each} is not a regular file" for each in _opened(root, top) if _is_special(each)), None)
    is_late = time.monotonic() - _LATE.get(top, -REST) < REST
    return path, LATE if odd is None and is_late else odd


def top_of(root: str) -> str | None:
    """The nearest directory above ``root`` that has a ``.git``; None without one, or in what looks like a bare one."""
    place = files.realpath(root)
    while True:
        if os.path.lexists(f"{place}/.git"):
            return place
        if all(os.path.lexists(f"{place}/{name}") for name in ("HEAD", "objects", "refs")):
            return None
        if parent(place) == place:
            return None
        place = parent(place)


def _opened(root: str, top: str) -> Iterator[str]:
    """The files that git opens at once, as far as they have fixed places."""
    for place in upwards(files.realpath(root), top):
        yield from (f"{place}/{name}" for name in PATTERNS)
    own = f"{top}/.git"
    yield own
    pointed = line_of(own).removeprefix("gitdir:").strip()
    directory = os.path.join(top, pointed) if pointed else own
    shared = os.path.join(directory, line_of(f"{directory}/commondir") or ".")
    head = line_of(f"{directory}/HEAD")
    names = (*OPENED, head.removeprefix("ref:").strip()) if head.startswith("ref:") else OPENED
    for each in dict.fromkeys((directory, shared)):
        yield from (f"{each}/{name}" for name in names)


def line_of(path: str) -> str:
    """What a small file of git's own says, such as HEAD; "" if there is none."""
    return os.fsdecode(files.read(path, LONGEST_POINTER).data).strip()


def _is_special(path: str) -> bool:
    return files.kind_of(files.stat_of(path)) == "special"


def program(name: str, root: str) -> str | None:
    """The first program of this name on PATH, or at this path, that lies neither in ``root`` nor in its repository."""
    inside = (top_of(root) or files.realpath(root)).rstrip("/") + "/"
    for path in [name] if os.path.isabs(name) else _programs(name):
        if inside == "/" or not any(is_below(each, inside) for each in (path, files.realpath(path))):
            return path
    return None


def _programs(name: str) -> Iterator[str]:
    """Each program of this name on the search path."""
    for directory in _search_path():
        path = join(files.from_system(directory), name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            yield path


def _search_path() -> list[str]:
    """PATH without what would depend on the working directory."""
    return [each for each in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(each)]


def environment() -> dict[str, str]:
    """The caller's, without what could lead git elsewhere."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {**own, "PATH": os.pathsep.join(_search_path()), **ENVIRONMENT}


def _input(given: bytes) -> IO[bytes]:
    """A file: a pipe would have to be written while git is heard."""
    if not given:
        return open(os.devnull, "rb")
    import tempfile  # noqa: PLC0415 - only where git is given something

    file = tempfile.TemporaryFile()  # noqa: SIM115 - who starts git closes it
    file.write(given)
    file.seek(0)
    return file


def _limit_memory(pid: int) -> None:
    """A link to a device has no end, and git reads whole files."""
    if sys.platform == "linux":
        with suppress(ImportError, OSError, ValueError):
            import resource  # noqa: PLC0415 - not there on every system

            resource.prlimit(pid, resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def _pipe(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdout is not None  # noqa: S101 - type checkers do not see that it is a pipe
    return process.stdout
