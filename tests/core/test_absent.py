"""What is absent stays so as long as the directories say so: a look at few of them tells of many paths."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from promptls.core import files
from promptls.core.host import NO_BUFFERS, Buffers, Host

GONE = ("AGENTS.md", "docs/AGENTS.md", ".github/rules/a.md", "dangling.md", "locked/AGENTS.md", "led/AGENTS.md")


def looked_for(top: Path) -> Host:
    """A host that has found none of ``GONE``, kept long enough for the directories to tell."""
    for name in ("docs", "locked", "other", "empty"):
        (top / name).mkdir()
    (top / "dangling.md").symlink_to("docs/later.md")
    (top / "led").symlink_to("empty")
    (top / "locked").chmod(0)
    aged(top)
    host = Host(home="/", env={})
    assert [host.kind(f"{top}/{name}") for name in GONE] == [None] * len(GONE)
    assert [host.read(f"{top}/{name}").state for name in GONE[:3]] == ["missing"] * 3
    assert host.entries(f"{top}/.github/rules") == ()
    for _ in range(3):
        assert host.is_current(NO_BUFFERS)
    return host


def aged(top: Path) -> None:
    """What stands there was changed long ago, as far as the time stamps say."""
    for each in (top, *top.rglob("*")):
        if not each.is_symlink():
            os.utime(each, (1, 1))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "top"
    folder.mkdir()
    return folder


def looks(monkeypatch: pytest.MonkeyPatch, host: Host) -> list[str]:
    """The paths that are looked at to see whether ``host`` is current."""
    asked: list[str] = []
    real = files.stat_of

    def stat_of(path: str) -> files.Info | None:
        asked.append(path)
        return real(path)

    monkeypatch.setattr(files, "stat_of", stat_of)
    assert host.is_current(NO_BUFFERS)
    return asked


def test_directories_tell_of_what_is_not_in_them(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = looked_for(top)
    for number in range(100):
        host.kind(f"{top}/docs/{number}.md")
    assert host.is_current(NO_BUFFERS)
    asked = looks(monkeypatch, host)
    assert f"{top}/docs" in asked
    assert f"{top}/docs/7.md" not in asked
    # Of a link that leads nowhere, no directory tells.
    assert f"{top}/dangling.md" in asked
    assert len(asked) < 10


def written(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("Use tabs.\n")


def in_place_of_a_link(top: Path) -> None:
    (top / "dangling.md").unlink()
    written(top / "dangling.md")


def in_what_could_not_be_read(top: Path) -> None:
    (top / "locked").chmod(0o700)
    written(top / "locked/AGENTS.md")


def by_a_link_that_leads_elsewhere(top: Path) -> None:
    written(top / "other/AGENTS.md")
    (top / "led").unlink()
    (top / "led").symlink_to("other")


def by_another_directory_of_the_name(top: Path) -> None:
    written(top / "other/AGENTS.md")
    (top / "docs").rename(top / "before")
    (top / "other").rename(top / "docs")
    os.utime(top, (1, 1))


CHANGES: dict[str, Callable[[Path], None]] = {
    "beside the others": lambda top: written(top / "AGENTS.md"),
    "in a directory": lambda top: written(top / "docs/AGENTS.md"),
    "with new directories": lambda top: written(top / ".github/rules/a.md"),
    "where a link leads": lambda top: written(top / "docs/later.md"),
    "in place of a link": in_place_of_a_link,
    "in what could not be read": in_what_could_not_be_read,
    "by a link that leads elsewhere": by_a_link_that_leads_elsewhere,
    "by another directory of the name": by_another_directory_of_the_name,
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_appears_is_seen(top: Path, change: str) -> None:
    host = looked_for(top)
    CHANGES[change](top)
    assert not host.is_current(NO_BUFFERS)


def test_what_appears_and_goes_again_leaves_all_as_it_was(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = looked_for(top)
    written(top / "docs/AGENTS.md")
    (top / "docs/AGENTS.md").unlink()
    assert host.is_current(NO_BUFFERS)
    aged(top)
    assert host.is_current(NO_BUFFERS)
    assert f"{top}/docs/AGENTS.md" not in looks(monkeypatch, host)
    written(top / "docs/AGENTS.md")
    assert not host.is_current(NO_BUFFERS)


def test_a_directory_that_has_just_changed_tells_nothing(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(home="/", env={})
    (top / "docs").mkdir()
    ahead = files.RACY * 1000 + os.stat(top / "docs").st_mtime_ns
    os.utime(top / "docs", ns=(ahead, ahead))
    host.kind(f"{top}/docs/AGENTS.md")
    for _ in range(3):
        assert host.is_current(NO_BUFFERS)
    assert f"{top}/docs/AGENTS.md" in looks(monkeypatch, host)


def test_a_document_that_is_not_saved_yet_is_seen(top: Path) -> None:
    host = looked_for(top)
    assert not host.is_current(Buffers({f"{top}/docs/AGENTS.md": "Use tabs.\n"}))
    assert host.is_current(NO_BUFFERS)
