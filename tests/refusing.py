"""What a test that is marked ``same_everywhere`` may not ask for while it runs: then it is the same everywhere.

Refused are variables, the working directory, users, the locale, other temporary directories, processes and the
network; local time is that of ZONE. Of the disk there is the test's own temporary directory, what Python runs from, and
what the system has for everybody. It may look for something elsewhere, as harnesses look into each directory above a
folder, if it finds nothing, or a directory above its own or at the top.
"""

from __future__ import annotations

import builtins
import datetime as dt
import io
import locale
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

Call = Callable[..., Any]
CHECKOUT = str(Path(__file__).parent.parent)
# Where Python runs from, and what the system has for everybody: they are the same in every environment.
OF_ALL = tuple({CHECKOUT, sys.prefix, sys.base_prefix, os.path.realpath(sys.base_prefix), "/etc", "/usr"})
# What calls on behalf of others; who they are is asked further up.
BETWEEN = sys.stdlib_module_names
# These ask for themselves, whatever test runs.
RUNNERS = {
    *("_pytest", "pluggy", "xdist", "pytest_asyncio", "_hypothesis_pytestplugin", "hypothesis", "inline_snapshot"),
    "pydantic",
}
# The first zone of the day, as `make hostile-environment` has it.
ZONE = dt.timezone(dt.timedelta(hours=14))
LOOKS = ("stat", "lstat", "open", "scandir", "listdir", "readlink", "access", "mkdir", "rename", "unlink", "chmod")
WRITTEN = time.strftime
LISTS = ("scandir", "listdir")
ASKS: tuple[tuple[object, tuple[str, ...]], ...] = (
    (os, ("getcwd", "getcwdb", "chdir", "getuid", "geteuid", "getgid", "getegid", "getlogin", "umask", "uname")),
    (os, ("cpu_count", "get_terminal_size", "fork", "posix_spawn", "system", "kill", "killpg", "putenv", "unsetenv")),
    (time, ("ctime", "tzset", "sleep")),
    (locale, ("getlocale", "setlocale", "getpreferredencoding", "getencoding")),
    (tempfile, ("gettempdir", "mkstemp", "mkdtemp", "TemporaryDirectory", "TemporaryFile", "NamedTemporaryFile")),
    (subprocess, ("Popen", "run", "check_output")),
    (socket, ("socket", "create_connection", "getaddrinfo", "gethostname")),
)


class AskedError(AssertionError):
    """A test that is marked asked the machine for something."""


class NoEnvironment(os._Environ[str]):
    """In place of ``os.environ``, with the same data."""

    def __init__(self, real: os._Environ[str]) -> None:
        self.__dict__.update(vars(real))

    def __getitem__(self, key: str) -> str:
        refuse("a variable")
        return super().__getitem__(key)

    def __setitem__(self, key: str, value: str) -> None:
        refuse("a variable")
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        refuse("a variable")
        super().__delitem__(key)

    def __iter__(self) -> Iterator[str]:
        refuse("the variables")
        return super().__iter__()


class OtherTime(dt.datetime):
    """In place of the class ``datetime``, for who imports it while the test runs."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        now = super().now(tz or ZONE)
        return now if tz else now.replace(tzinfo=None)

    def astimezone(self, tz: dt.tzinfo | None = None) -> Any:
        return super(OtherTime, self if self.tzinfo else self.replace(tzinfo=ZONE)).astimezone(tz or ZONE)


def _local_time(seconds: float | None = None) -> time.struct_time:
    return time.gmtime((time.time() if seconds is None else seconds) + 14 * 3600)


def _written_time(form: str, moment: Any = None) -> str:
    return WRITTEN(form, moment or _local_time())


def refuse(what: str) -> None:
    """Raise, unless it is asked by who runs the tests, or by a module that is just imported."""
    frame = sys._getframe(2)
    while frame.f_back:
        top = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if top in RUNNERS or frame.f_code.co_filename.startswith("<frozen importlib"):
            return
        name = frame.f_globals.get("__name__")
        if top not in BETWEEN and name != __name__:
            raise AskedError(f"This test is marked as the same everywhere, and {name} asks for {what}.")
        frame = frame.f_back


def _refusing(name: str, call: Call) -> Call:
    def asked(*args: Any, **kwargs: Any) -> Any:
        refuse(name)
        return call(*args, **kwargs)

    return asked


def _is_there(path: str, look: Call = os.lstat) -> bool:
    try:
        look(path)
    except (OSError, ValueError):
        return False
    return True


def _looking(name: str, call: Call, inside: tuple[str, ...], above: frozenset[str]) -> Call:
    def looked(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
        text = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else None
        if text is None or text.startswith(inside):
            return call(path, *args, **kwargs)
        if _is_there(text) and not (text in above and name not in LISTS):
            refuse(f"{name} of {text!r}")
        return call(path, *args, **kwargs)

    return looked


@cache
def _places(own: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """What the beginnings of the paths are that a test may look at, and the directories above it and at the top."""
    real = os.path.realpath(own)
    above = {str(each) for place in (own, real, *OF_ALL) for each in (Path(place), *Path(place).parents)}
    return (f"{own}/", f"{real}/", *OF_ALL), frozenset(above | {entry.path for entry in os.scandir("/")})


@contextmanager
def refusing(own: str) -> Iterator[None]:
    """Meanwhile the machine is not asked; ``own`` is the temporary directory of the test."""
    inside, above = _places(own)
    changed: list[tuple[Any, str, Any]] = []

    def change(owner: object, name: str, value: object) -> None:
        changed.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    for owner, names in ASKS:
        for name in names:
            change(owner, name, _refusing(name, getattr(owner, name)))
    for owner, names in ((os, LOOKS), (builtins, ("open",)), (io, ("open",))):
        for name in names:
            change(owner, name, _looking(name, getattr(owner, name), inside, above))
    change(os, "environ", NoEnvironment(os.environ))
    change(dt, "datetime", OtherTime)
    change(time, "localtime", _local_time)
    change(time, "strftime", _written_time)
    try:
        yield
    finally:
        for owner, name, value in reversed(changed):
            setattr(owner, name, value)
