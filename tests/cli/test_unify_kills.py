"""A kill at each step of writing: every file is old or new, no line is gone, and another run ends it or begins anew."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from promptls.system.write_together import finish, write_together
from tests.folder import lay_out

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is killed like that there")

OLD = {"AGENTS.md": "one\n", "CLAUDE.md": "two\n", ".cursor/rules/a.mdc": "three\n", "GEMINI.md": "four\n"}
NEW = "one\n\ntwo\nthree\nfour\n"
# What changes something on the disk.
STEPS = ("open", "link", "replace", "rename", "unlink", "rmdir", "symlink", "mkdir")


def _texts(top: Path) -> dict[str, str]:
    paths = [each for each in sorted(top.rglob("*")) if ".git" not in each.parts]
    found = {each: f"-> {os.readlink(each)}" if each.is_symlink() else each.read_text() for each in paths if _is(each)}
    return {each.relative_to(top).as_posix(): text for each, text in found.items()}


def _is(path: Path) -> bool:
    return path.is_symlink() or path.is_file()


def _write(top: Path) -> None:
    texts: dict[str, bytes | None] = {str(top / "AGENTS.md"): NEW.encode(), str(top / "GEMINI.md"): b"@AGENTS.md\n"}
    texts[str(top / ".cursor/rules/a.mdc")] = None
    before: dict[str, bytes | None] = {str(top / name): text.encode() for name, text in OLD.items()}
    write_together(texts, {str(top / "CLAUDE.md"): "AGENTS.md"}, str(top / ".git/note"), before)


def _killed_at(step: int, work: Callable[[], None]) -> bool:
    """Do ``work`` in a process that is killed before its operation ``step``; whether it was."""
    child = os.fork()
    if not child:
        left = step

        def counted(function: Callable[..., object]) -> Callable[..., object]:
            def call(*args: object, **kwargs: object) -> object:
                nonlocal left
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1
                return function(*args, **kwargs)

            return call

        for name in STEPS:
            setattr(os, name, counted(getattr(os, name)))
        try:
            work()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_no_kill_loses_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The kernel goes on, so that nothing has to reach the disk.
    monkeypatch.setattr(os, "fsync", lambda _: None)
    done = lay_out(tmp_path / "done", dict(OLD))
    _write(done)
    new, kills, begun = _texts(done), 0, 0
    assert new == {"AGENTS.md": NEW, "CLAUDE.md": "-> AGENTS.md", "GEMINI.md": "@AGENTS.md\n"}
    while True:
        top = lay_out(tmp_path / str(kills), dict(OLD))
        if not _killed_at(kills, partial(_write, top)):
            break
        found = {name: text for name, text in _texts(top).items() if ".promptls-" not in name}
        assert all(found.get(name, "") in (text, new.get(name, "")) for name, text in OLD.items()), (kills, found)
        lines = {line for text in found.values() for line in text.split()}
        assert {"one", "two", "three", "four"} <= lines, (kills, found)
        note = top / ".git/note"
        if note.exists():
            begun += 1
            # The rest may be killed as well.
            _killed_at(kills % 7, partial(finish, str(note), str(top)))
            if note.exists():
                finish(str(note), str(top))
            assert _texts(top) == new, kills
        else:
            assert found in (dict(sorted(OLD.items())), new), kills
            assert _texts(top) == found, (kills, "a file is left behind")
        kills += 1
    assert _texts(top) == new
    assert 10 < begun < kills
