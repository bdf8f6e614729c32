"""`make test` runs its parts in lanes, shows what failed, and ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests import conftest, together
from tests.limits import at_most

# A part is a word to this program.
MAKE = """
import os, sys, time
word = sys.argv[1]
print("this is", word, flush=True)
if word == "session":
    print(os.getsid(0), flush=True)
while word == "hangs":
    time.sleep(1)
sys.exit(word == "bad")
"""


def run(lanes: tuple[tuple[str, ...], ...], limit: float = 60) -> int:
    with at_most(60):
        return together.Run([sys.executable, "-c", MAKE], lanes, limit).run()


@pytest.fixture(autouse=True)
def output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(together, "OUTPUT", tmp_path / "parts")
    return tmp_path / "parts"


def test_all_pass(capsys: pytest.CaptureFixture[str], output: Path) -> None:
    assert run((("a", "b"), ("c",))) == 0
    out = capsys.readouterr().out
    assert all(f"-- {name} passed in 0:0" in out for name in "abc")
    assert out.count(" of the processors\n") == 3
    assert (output / "b.txt").read_text(encoding="utf-8") == "this is b\n"


def test_what_fails_is_shown_and_the_others_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert run((("bad", "b"), ("c",))) == 1
    out = capsys.readouterr().out
    assert "all that it said:\nthis is bad\n" in out
    assert out.index("FAILED after") < out.index("-- b passed")
    assert "FAILED   bad\n" in out


def test_what_hangs_is_ended(capsys: pytest.CaptureFixture[str]) -> None:
    assert run((("hangs", "b"),), limit=1) == 1
    out = capsys.readouterr().out
    assert "Stopped after" in out
    assert "not run  b\n" in out


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no sessions")
def test_the_lanes_share_a_session(output: Path) -> None:
    # Linux divides the processors between sessions, and only then by how nice the processes of one are.
    assert run((("session",),)) == 0
    assert (output / "session.txt").read_text(encoding="utf-8").split()[-1] == str(os.getsid(0))


@pytest.mark.skipif(sys.platform != "linux", reason="others have no such disk")
def test_temporary_files_are_in_memory_where_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert together.in_memory(str(tmp_path), 0) == str(tmp_path)
    assert together.in_memory(str(tmp_path), 1 << 60) is None
    assert together.in_memory(str(tmp_path / "missing"), 0) is None
    found = os.statvfs(tmp_path)
    no_programs = os.statvfs_result((*found[:8], found.f_flag | os.ST_NOEXEC, *found[9:]))
    monkeypatch.setattr(os, "statvfs", lambda _: no_programs)
    assert together.in_memory(str(tmp_path), 0) is None


def test_ci_runs_every_part() -> None:
    makefile = (together.CHECKOUT / "Makefile").read_text(encoding="utf-8")
    parts = [name for lane in together.LANES for name in lane]
    assert [name for name in parts if f"\n{name}:" not in makefile] == []
    assert sorted(parts) == sorted(("check", "compiled", "ordinary", "hostile-environment", "installed"))
    assert "\ninstalled: test-dist test-editors\n" in makefile


def test_each_file_that_takes_longest_is_there() -> None:
    assert [name for name in conftest.LONG if not (together.CHECKOUT / name).is_file()] == []
