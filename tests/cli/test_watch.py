from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from promptls.cli import check as command
from promptls.cli import main
from promptls.cli import watch as watching
from tests.folder import lay_out

BROKEN = "See [one](gone.md).\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = lay_out(tmp_path / "shop", {"AGENTS.md": "rules\n", ".codex/config.toml": "", "a.py": "1\n"})
    monkeypatch.chdir(folder)
    return folder


def watched(monkeypatch: pytest.MonkeyPatch, *steps: Callable[[], object]) -> int:
    """The exit code of a watch: each wait does the next step, and after the last one somebody presses Ctrl-C."""
    left: Iterator[Callable[[], object]] = iter(steps)

    def wait(seconds: float) -> None:
        assert seconds >= watching.SHORTEST
        step = next(left, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr(watching.watch, "__defaults__", (wait, lambda: 0.0))
    return main(["check", "--watch", "--no-network"])


def times(capsys: pytest.CaptureFixture[str]) -> int:
    return capsys.readouterr().err.count("waiting for changes")


def test_it_checks_again_when_a_file_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = watched(monkeypatch, lambda: (folder / "AGENTS.md").write_text(BROKEN), lambda: None)
    out, err = capsys.readouterr()
    assert "link-dead" in out
    assert (code, err.count("waiting for changes")) == (0, 2)


def test_the_exit_code_is_that_of_the_last_check(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / ".codex/config.toml").write_text("a =\n")
    assert watched(monkeypatch) == 1
    assert watched(monkeypatch, lambda: (folder / ".codex/config.toml").write_text("")) == 0
    assert times(capsys) == 3


@pytest.mark.usefixtures("folder")
def test_nothing_changes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    watched(monkeypatch, lambda: None, lambda: None)
    assert times(capsys) == 1


def test_a_new_file_in_a_directory_that_nobody_looked_into(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watched(monkeypatch, lambda: lay_out(folder, {"deep/down/AGENTS.md": BROKEN, "deep/down/a.py": "1\n"}, git=False))
    out, err = capsys.readouterr()
    assert "deep/down/AGENTS.md" in out
    assert err.count("waiting for changes") == 2


def test_a_long_look_is_followed_by_a_long_wait() -> None:
    waits: list[float] = []
    ticks = iter([0.0, 2.0])

    class Same:
        def is_current(self, _: object) -> bool:
            return True

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            raise KeyboardInterrupt

    found: tuple[int, object] = (0, Same())
    watching.watch("/nowhere", lambda: found, wait, lambda: next(ticks))  # type: ignore[arg-type,return-value] # a stand-in for a host
    assert waits == [watching.SHORTEST, 2.0 * watching.SHARE]


@pytest.mark.parametrize("other", [["--fix"], ["--format", "json"], ["--baseline", "x", "--write-baseline"]])
def test_what_does_not_go_with_it(other: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--watch", *other]) == 2
    assert capsys.readouterr().err == "promptls: --watch only shows problems as text; omit the other option.\n"
    assert command.FORMATS[0] == "text"
