"""What is marked as the same everywhere is refused what the machine could answer, and nothing else."""

from __future__ import annotations

import ast
import builtins
import datetime as dt
import locale
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from promptls.core import files
from promptls.core.host import Host
from tests import hostile_environment
from tests.conftest import NOT_HERE, ORDINARY, has_no_mark, is_marked
from tests.refusing import ASKS, LOOKS, AskedError, refusing

MARK = "same_everywhere"
HERE = Path(__file__).parent
# Marked although nothing holds them to it, each for a reason.
ALTHOUGH = {
    "harnesses/test_cited_cases.py",
    "harnesses/test_one_folder.py",
    "harnesses/test_rows.py",
    "test_generated.py",
}


ASKING: dict[str, Callable[[], object]] = {
    "a variable": lambda: os.environ["PATH"],
    "one that may be there": lambda: os.environ.get("PATH"),
    "by the function": lambda: os.getenv("PATH"),
    "all": lambda: dict(os.environ),
    "whether it is there": lambda: "PATH" in os.environ,
    "to set one": lambda: os.environ.update(A="b"),
    "a home": lambda: os.path.expanduser("~"),
    "as a path": lambda: Path.home(),  # noqa: PLW0108 - the class asks by a name
    "the working directory": lambda: Path("x").absolute(),
    "by a module of Python": lambda: os.path.abspath("x"),
    "what is there": lambda: os.path.exists("."),
    "files there": lambda: os.listdir("."),
    "a user": lambda: os.geteuid(),  # noqa: PLW0108 - as it is when it is called
    "a locale": lambda: locale.getlocale(),  # noqa: PLW0108 - the same
    "a temporary directory": lambda: tempfile.gettempdir(),  # noqa: PLW0108 - the same
    "to make one": lambda: tempfile.TemporaryDirectory().cleanup(),
    "a process": lambda: subprocess.run([sys.executable, "-c", ""], check=False),
    "the network": lambda: socket.create_connection(("127.0.0.1", 1)),
    "a socket": lambda: socket.socket().close(),
    "to wait": lambda: time.sleep(0),
    "what is at the top": lambda: os.listdir("/"),
    "what runs": lambda: os.listdir("/proc"),
    "what is elsewhere": lambda: files.read("/proc/self/status").data or pytest.fail("it was read"),
}


@pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING)
def test_the_machine_is_not_asked(ask: Callable[[], object], tmp_path: Path) -> None:
    with refusing(str(tmp_path)), pytest.raises(AskedError, match="asks for"):
        ask()


def test_the_disk_is_that_of_the_test_and_of_python(tmp_path: Path) -> None:
    with refusing(str(tmp_path)):
        (tmp_path / "x").write_text("text", encoding="utf-8")
        assert files.read(str(tmp_path / "x")).data == b"text"
        assert files.stat_of(__file__)
        assert files.stat_of(str(tmp_path.parent)), "a directory above"
        assert files.stat_of(str(tmp_path.parent / "AGENTS.md")) is None
        assert files.realpath(str(tmp_path / "x"))


def test_local_time_is_that_of_another_zone(tmp_path: Path) -> None:
    with refusing(str(tmp_path)):
        offset = Host(home="/nobody", env={}).now().utcoffset()
        hours = time.localtime(0).tm_hour, time.strftime("%H", time.gmtime(0))
    assert offset == dt.timedelta(hours=14)
    assert hours == (14, "00")


def test_afterwards_everything_is_as_before(tmp_path: Path) -> None:
    def state() -> list[object]:
        places = [*ASKS, (os, LOOKS), (builtins, ("open",)), (os, ("environ",)), (dt, ("datetime",))]
        return [getattr(owner, name) for owner, names in places for name in names]

    before = state()
    with pytest.raises(ZeroDivisionError), refusing(str(tmp_path)):
        raise ZeroDivisionError
    assert list(map(id, state())) == list(map(id, before))


@pytest.mark.same_everywhere
def test_the_mark_refuses() -> None:
    with pytest.raises(AskedError):
        os.getcwd()


def test_nothing_takes_a_name_before_it_is_refused() -> None:
    """``from os import environ`` would have the real one."""
    refused = {"os": {"environ", *LOOKS}, "datetime": set[str]()}
    for owner, names in ASKS:
        refused.setdefault(getattr(owner, "__name__", ""), set()).update(names)
    for path in Path(sys.modules["promptls"].__file__ or "").parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not any(f"from {module} import" in text for module in refused):
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom) and node.module in refused:
                assert not {each.name for each in node.names} & refused[node.module], path


def test_each_test_runs_in_one_of_the_environments() -> None:
    makefile = (HERE.parent / "Makefile").read_text(encoding="utf-8")
    ordinary = re.findall(r"^ordinary: .*\n\t(.*)$", makefile, re.MULTILINE)[-1]
    assert re.findall(r"-m '(.*)'|--(?:ignore|deselect)", ordinary) == [ORDINARY]
    assert ORDINARY.split(" or ")[0] == NOT_HERE.removeprefix("not ") == MARK


def test_a_file_that_is_marked_is_not_imported_where_it_is_left_out() -> None:
    assert hostile_environment.DEFAULT[:2] == ("-m", NOT_HERE)
    assert is_marked(HERE / "wire" / "test_wire.py")
    assert not is_marked(HERE / "hostile" / "test_files.py"), "some of its tests are not"
    assert not is_marked(HERE / "wire")
    assert has_no_mark(HERE / "cli" / "test_map.py")
    assert not has_no_mark(HERE / "hostile" / "test_files.py"), "some of its tests have one"
    assert not has_no_mark(HERE / "cli" / "test_process.py")
    assert not has_no_mark(HERE / "cli" / "conftest.py"), "there are no tests in it"


def test_few_are_marked_although_nothing_holds_them_to_it() -> None:
    found = {
        path.relative_to(HERE).as_posix()
        for path in HERE.rglob("test_*.py")
        if f"mark.{MARK}(" in path.read_text(encoding="utf-8") and path != Path(__file__)
    }
    assert found == ALTHOUGH
