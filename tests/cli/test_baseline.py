from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.cli import baseline, main
from promptls.core.host import Host
from promptls.core.model import Problem, Range
from tests.folder import lay_out
from tests.repository import commit

RULES = "# Rules\n\nSee [one](gone-one.md).\n\nSee [two](gone-two.md).\n"
LIBRARY = "# Library\n\nRead [three](gone-3.md).\n\nAnd [four](gone-4.md).\n"
KNOWN = "promptls: {} left out, {} new."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = commit(
        lay_out(tmp_path / "shop", {"AGENTS.md": RULES, ".codex/config.toml": "", "lib/AGENTS.md": LIBRARY}, git=False)
    )
    monkeypatch.chdir(folder)
    return folder


def checked(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[list[tuple[str, str]], list[str], int]:
    """The problems by file and code, what is said on standard error, and the exit code."""
    code = main(
        ["check", *args, "--baseline", "known.json", "--no-network", "--format", "json", "--fail-on", "information"]
    )
    out, err = capsys.readouterr()
    found = json.loads(out)["problems"] if out else []
    return [(Path(each["path"]).name, each["code"]) for each in found], err.splitlines(), code


def written(capsys: pytest.CaptureFixture[str], *args: str) -> list[dict[str, object]]:
    assert checked(capsys, "--write-baseline", *args)[0] == []
    entries: list[dict[str, object]] = json.loads(Path("known.json").read_text())["problems"]
    return entries


def test_known_problems_are_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = written(capsys)
    assert {each["path"] for each in entries} == {"AGENTS.md", "lib/AGENTS.md"}
    assert checked(capsys) == ([], [KNOWN.format("4 known problems", 0)], 0)
    (folder / "AGENTS.md").write_text(f"Moved.\n\n{RULES}\nSee [three](gone-three.md).\n")
    assert checked(capsys) == ([("AGENTS.md", "link-dead")], [KNOWN.format("4 known problems", 1)], 1)


def test_the_same_line_again_is_new(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(capsys)
    (folder / "AGENTS.md").write_text(f"{RULES}\nSee [two](gone-two.md).\n")
    assert checked(capsys)[1] == [KNOWN.format("4 known problems", 1)]


def test_stale_entries_are_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(capsys)
    (folder / "AGENTS.md").write_text("# Rules\n")
    stale = f"promptls: 2 entries of {folder}/known.json are stale, as the problems are gone; "
    assert checked(capsys)[1:] == ([KNOWN.format("2 known problems", 0), f"{stale}update it with --write-baseline."], 0)
    # Those of files that are not checked are none.
    assert checked(capsys, "lib")[1] == [KNOWN.format("2 known problems", 0)]
    assert {each["path"] for each in written(capsys, "lib")} == {"AGENTS.md", "lib/AGENTS.md"}
    assert {each["path"] for each in written(capsys)} == {"lib/AGENTS.md"}


def test_a_problem_of_a_whole_file_has_no_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "lib/AGENTS.md").write_text("Healthy.\n")
    (folder / "AGENTS.md").write_text("line\n" * 8000)
    assert {"path": "AGENTS.md", "code": "cut"} in written(capsys)
    (folder / "AGENTS.md").write_text("another line\n" * 8000)
    assert checked(capsys)[2] == 0


def test_it_holds_in_another_checkout(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(capsys)
    folder.rename(tmp_path / "elsewhere")
    assert main(["check", str(tmp_path / "elsewhere"), "--baseline", str(tmp_path / "elsewhere/known.json")]) == 0
    assert KNOWN.format("4 known problems", 0) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "There is no baseline {}; write one with --write-baseline."),
        ("[]", "{} is not a baseline; write one with --write-baseline to another file."),
        ('{"version": 1, "problems": 7}', "{} is not a baseline; write one with --write-baseline to another file."),
        ("\udcff", "{} is not a baseline; write one with --write-baseline to another file."),
        ('{"version": 9}', "The baseline {} is of another version of promptls; write it again."),
    ],
)
def test_what_is_no_baseline(folder: Path, capsys: pytest.CaptureFixture[str], text: str | None, sentence: str) -> None:
    if text is not None:
        (folder / "known.json").write_text(text, errors="surrogateescape")
    assert checked(capsys)[1:] == ([f"promptls: {sentence.format(f'{folder}/known.json')}"], 2)


def test_something_else_is_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--baseline", "AGENTS.md", "--write-baseline"]) == 2
    assert "is not a baseline" in capsys.readouterr().err
    assert (folder / "AGENTS.md").read_text() == RULES


def test_a_file_to_write_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--write-baseline"]) == 2
    assert capsys.readouterr().err == "promptls: --write-baseline needs the file to write; add --baseline FILE.\n"


@pytest.mark.parametrize(
    ("code", "is_known"),
    [
        *((code, True) for code in ("case-mismatch", "never-loaded", "never-arrived", "shadowed", "outside-root")),
        *((code, True) for code in ("prompt-unused", "cut")),
        *((code, False) for code in ("path-dead", "secret", "import-missing")),
    ],
)
def test_the_text_counts_for_what_is_about_the_text(tmp_path: Path, code: str, is_known: bool) -> None:
    before, after = (lay_out(tmp_path / each, {"a.md": each}, git=False) for each in ("before", "after"))
    host = Host(home=str(tmp_path), env={})
    keys = [
        baseline._keys([Problem(str(top / "a.md"), Range(), code, "warning", "x")], host, str(top))
        for top in (before, after)
    ]
    assert (keys[0] == keys[1]) is is_known
