"""Builds a host for this machine (its home, environment and clock) and loads what other packages add."""

from __future__ import annotations

import _thread
import os
import sys
import time
from functools import lru_cache

from promptls import harnesses
from promptls.core import files
from promptls.core.habits import no_records
from promptls.core.host import NO_ANSWERS, NO_BUFFERS, Host, local_time, no_git, no_network
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from promptls.core.habits import Recorder
    from promptls.core.host import Buffers, Clock, Disk, Fetch, Git, Transform
    from promptls.core.servers import ServerAnswer

# Seconds for which a home directory is waited for, and for which an answer, or that there was none, holds.
PATIENCE, HOLDS = 3, 20.0
SILENT = (
    "Your home directory {home} did not answer within {seconds} seconds. It may be on a network that is down: try "
    "again when it is back, or name another directory in HOME."
)
_answers: dict[str, tuple[float, bool]] = {}
TRANSFORMS = "promptls.transforms"
HARNESSES = "promptls.harnesses"


def local_host(
    *,
    fetch: Fetch = no_network,
    buffers: Buffers = NO_BUFFERS,
    sysroot: str = "",
    disk: Disk = files,
    env: Mapping[str, str] | None = None,
    git: Git = no_git,
    clock: Clock = local_time,
    with_known_texts: bool = True,
    records: Recorder = no_records,
    servers: Mapping[str, ServerAnswer] = NO_ANSWERS,
    with_answers: bool = False,
) -> Host:
    """A host for one preview on this machine.

    ``env``: a copy of the environment, for who makes many hosts. ``with_known_texts``: texts that the user has kept of
    programs take the place of what a preview leaves out. ``records`` says what programs recorded in a folder.
    ``servers``: the answers of MCP servers; ``with_answers``: those that are kept are used without the texts, too.
    """
    return Host(
        home=home(),
        env=os.environ if env is None else env,
        platform=sys.platform,
        fetch=fetch,
        buffers=buffers,
        sysroot=sysroot,
        transforms=transforms,
        disk=disk,
        git=git,
        clock=clock,
        os_version=_os_version(),
        known_texts=known_texts_directory() if with_known_texts else "",
        learned=known_texts_directory(),
        records=records,
        servers=servers,
        answers=known_texts_directory() if with_answers else "",
    )


def known_texts_directory() -> str:
    """Where captured texts are kept: in the user's own data directory, or below PROMPTLS_DATA_DIR."""
    named = os.environ.get("PROMPTLS_DATA_DIR")
    if named:
        return files.from_system(os.path.abspath(named))
    return files.from_system(
        os.path.join(_user_directory("XDG_DATA_HOME", "Application Support", ".local/share"), "captured")
    )


def answers_directory() -> str:
    """Where the command line keeps its last answers: in the user's own cache directory, or PROMPTLS_CACHE_DIR."""
    above = os.environ.get("PROMPTLS_CACHE_DIR") or _user_directory("XDG_CACHE_HOME", "Caches", ".cache")
    return files.from_system(os.path.join(above, "answers"))


def _user_directory(variable: str, on_mac: str, otherwise: str) -> str:
    """What platformdirs says, which takes longer to import than a preview takes."""
    if os.name == "nt":
        above = os.environ.get("LOCALAPPDATA") or os.path.join(os.path.expanduser("~"), "AppData", "Local")
    elif sys.platform == "darwin":
        above = os.path.join(os.path.expanduser("~"), "Library", on_mac)
    else:
        above = os.environ.get(variable) or os.path.join(os.path.expanduser("~"), otherwise)
    return os.path.join(above, "promptls")


def _os_version() -> str:
    """The system and its release, as ``uname -sr`` says them."""
    if not hasattr(os, "uname"):
        return ""
    known = os.uname()
    return f"{known.sysname} {known.release}"


def home() -> str:
    """The user's home directory, as the harnesses find it; "/" for a user who has none, as containers have it.

    Raises:
        UsageError: it does not answer, as one on a network that is down; a look at it would wait for ever.
    """
    found = files.expand_home("~")
    path = "/" if found == "~" else files.from_system(os.path.normpath(found)) if os.path.isabs(found) else found
    until, answers = _answers.get(path, (0.0, True))
    if time.monotonic() >= until:
        answers = _is_there(path)
        _answers[path] = time.monotonic() + HOLDS, answers
    if not answers:
        raise UsageError(SILENT.format(home=path, seconds=PATIENCE))
    return path


def _is_there(path: str) -> bool:
    """Whether a look at a directory comes to an end, in a thread of its own, which nobody waits for longer.

    A name that nobody has asked for is in no cache, so the look goes to the disk or the server itself.
    """
    done = _thread.allocate_lock()
    done.acquire()

    def look() -> None:
        try:
            files.stat_of(os.path.join(path, f".promptls-{os.getpid()}-{time.monotonic_ns()}"))
        finally:
            done.release()

    try:
        _thread.start_new_thread(look, ())
    except RuntimeError:  # no more threads
        return True
    return done.acquire(timeout=PATIENCE)


def rule_page(code: str) -> str:
    """The file with the page of a rule."""
    return os.path.join(_documents("rules", "pages"), f"{code}.md")


def schema_directory() -> str:
    """The directory with the JSON schemas of what commands print."""
    return _documents("schemas", "schemas")


def _documents(name: str, installed_as: str) -> str:
    """A directory of docs: installed in the package, or in the checkout that is worked on."""
    own = os.path.dirname(os.path.dirname(__file__))
    installed = os.path.join(own, installed_as)
    return os.path.normpath(installed if os.path.isdir(installed) else os.path.join(own, "..", "..", "docs", name))


@lru_cache(maxsize=1)
def transforms() -> Mapping[str, Transform]:
    """The installed transforms, by entry-point name; one that cannot be imported is replaced by its error."""
    return {name: _transform(load) for name, load in _entry_points(TRANSFORMS)}


@lru_cache(maxsize=1)
def load_harnesses() -> None:
    """Make the harnesses of other packages known; one that cannot be imported is named on standard error."""
    for name, load in _entry_points(HARNESSES):
        try:
            harnesses.register(load())
        except Exception as error:  # noqa: BLE001 - it is somebody else's code
            from promptls.core.secrets import masked  # noqa: PLC0415 - only when something is wrong
            from promptls.core.visible import visible  # noqa: PLC0415 - the same

            says = (
                f"promptls: the harness {name} cannot be loaded ({type(error).__name__}: {error}); update its package."
            )
            print(visible(masked(says)), file=sys.stderr)  # noqa: T201 - there is no better place before anything has started


def _transform(load: Callable[[], Transform]) -> Transform:
    try:
        return load()
    except Exception as error:  # noqa: BLE001 - it is somebody else's code
        failure = error

    def transform(_texts: list[str], _session: object) -> list[str]:
        raise failure

    return transform


def _entry_points(group: str) -> list[tuple[str, Callable[[], Any]]]:
    """Name and loader of each installed entry point of ``group``, by name."""
    if group not in _groups():
        return []
    from importlib.metadata import entry_points  # noqa: PLC0415 - costs as much as a whole preview

    return [(point.name, point.load) for point in sorted(entry_points(group=group))]


def has_additions() -> bool:
    """Whether an installed package adds harnesses or transforms."""
    return bool(_groups())


@lru_cache(maxsize=1)
def _groups() -> frozenset[str]:
    """Those of our groups that an installed package names; reads small files instead of importing a parser."""
    found: set[str] = set()
    for directory in dict.fromkeys(sys.path):
        try:
            names = os.listdir(directory or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                path = f"{directory or '.'}/{name}/entry_points.txt"
                text = files.read(path).data if os.access(path, os.R_OK) else b""
                found.update(group for group in (TRANSFORMS, HARNESSES) if f"[{group}]".encode() in text)
    return frozenset(found)
