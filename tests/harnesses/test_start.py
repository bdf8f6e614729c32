from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.core.model import Turn
from promptls.core.settings import Settings, over
from promptls.sessions.detect import Detected
from promptls.sessions.explain import explain
from promptls.sessions.start import Overrides, named, place_of, start_of
from promptls.workspace.settings_file import at
from tests.folder import lay_out
from tests.harnesses.shown import session_at

pytestmark = pytest.mark.same_everywhere
OPENCODE = Settings(harness="opencode@1.18.33", model="m", args=("x",))


@pytest.mark.parametrize(
    ("harness", "settings", "expected"),
    [
        ("opencode", OPENCODE, ("1.18.33", "m", ("x",))),
        ("opencode@1", OPENCODE, ("1", "m", ("x",))),
        ("codex", OPENCODE, ("", None, ())),
        ("codex", Settings(harness="opencode", harnesses=("codex@2",), model="m"), ("2", None, ())),
        ("codex", named(Settings(model="m"), [Detected("codex", ())]), ("", "m", ())),
        ("codex", named(Settings(model="m"), [Detected("cursor", ())]), ("", None, ())),
        # The settings of an editor over those of a file.
        ("codex", over(Settings(harness="codex"), OPENCODE), ("", None, ())),
        ("opencode", over(Settings(harness="opencode", model="n"), OPENCODE), ("1.18.33", "n", ("x",))),
        ("opencode", over(Settings(model="n"), OPENCODE), ("1.18.33", "n", ("x",))),
    ],
    ids=str,
)
def test_settings_of_one_harness(harness: str, settings: Settings, expected: tuple[str, str | None, object]) -> None:
    session = start_of(harness, settings)
    assert (session.version, session.model, session.args) == expected


@pytest.mark.parametrize(
    ("path", "folder", "cwd", "expected"),
    [
        ("git/lib/a.py", None, None, ("git/lib", "git", "git")),
        ("git/lib/a.py", "git/lib", None, ("git/lib", "git/lib", "git")),
        ("git/lib/a.py", "", None, ("git/lib", "", "")),
        ("git/lib", "git", "lib", ("git/lib", "git/lib", "git")),
        ("lib/a.py", None, None, ("lib", "lib", "lib")),
        ("lib/a.py", "git", None, ("lib", "lib", "lib")),
        (None, "git", None, ("git", "git", "git")),
        (None, "git", "lib", ("git/lib", "git/lib", "git")),
    ],
)
def test_places(
    tmp_path: Path, path: str | None, folder: str | None, cwd: str | None, expected: tuple[str, str, str]
) -> None:
    """Directory, workspace and top, of a file in an open folder."""
    lay_out(tmp_path, {"git/lib/a.py": "", "git/.git/HEAD": "", "lib/a.py": ""}, git=False)
    named = [None if each is None else str(tmp_path / each) for each in (path, folder)]
    found = place_of(Host(home=str(tmp_path), env={}), *named, cwd=cwd)
    assert (found.directory, found.workspace, found.top) == tuple(str(tmp_path / each) for each in expected)


def test_the_cwd_of_an_editor_starts_in_the_workspace(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"lib/a.py": ""})
    host = Host(home=str(tmp_path), env={})
    place = place_of(host, str(folder / "lib/a.py"), str(folder))
    assert at(host, place, Settings(cwd="lib")).settings.cwd == str(folder / "lib")


def test_explain_names_the_version_that_is_asked_for(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": "x"})

    def versions(*only: str, harness: str | None = None) -> list[str]:
        path = str(folder / "CLAUDE.md")
        found = explain(path, lambda: Host(home="/nowhere", env={}), settings=Settings(harness=harness), only=only)
        return [each.version for each in found if each.harness == "claude-code"]

    assert versions("claude-code@2.1.85") == ["2.1.85"]
    assert versions(harness="claude-code@2.1.85") == ["2.1.85"]


def test_the_current_file_counts_in_the_last_of_the_turns(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"lib/a.py": ""})
    host = Host(home=str(tmp_path), env={})
    place = place_of(host, str(folder / "lib/a.py"), str(folder))
    turns = (Turn("one"), Turn("two"), Turn("three"))
    session = session_at(host, place, Settings(harness="claude-code"), Overrides(turns=turns, is_of_file=True))
    assert [turn.prompt for turn in session.turns] == ["one", "two", "three"]
    assert [len(turn.steps) for turn in session.turns] == [0, 0, 1]
    recorded = session_at(host, place, Settings(harness="claude-code"), Overrides(turns=turns))
    assert recorded.turns == turns, "nothing else happened in a session that is over"


def test_what_is_asked_for_counts_before_the_settings(tmp_path: Path) -> None:
    host = Host(home=str(tmp_path / "home"), env={})
    place = place_of(host, str(lay_out(tmp_path / "w", {"AGENTS.md": "x"})))
    settings = Settings(harness="codex", model="set", agent="set", args=("--set",), hints=("set",), cwd="/set")

    def shown(overrides: Overrides | None) -> tuple[object, ...]:
        session = session_at(host, place, settings, overrides)
        return session.harness, session.cwd, session.model, session.agent, session.args, session.hints

    assert shown(None) == shown(Overrides()) == ("codex", "/set", "set", "set", ("--set",), ("set",))
    asked = Overrides(model="asked", agent="asked", args=(), hints=())
    assert shown(asked) == ("codex", "/set", "asked", "asked", (), ())
    # What is set for one harness is not set for another.
    assert shown(Overrides(harness="pi")) == ("pi", "/set", None, None, (), ())
