from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from promptls.core.values import replace
from promptls.workspace.folder_diff import of_files, of_revisions
from promptls.workspace.prompt_history import history
from promptls.workspace.request import OF_TEAM
from tests.cli.conftest import below_session
from tests.folder import lay_out
from tests.repository import commit, git


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = commit(
        lay_out(
            tmp_path / "shop",
            {
                "AGENTS.md": "# Rules\n\nUse tabs.\n",
                "CLAUDE.md": "Be brief.\n",
                ".codex/config.toml": "",
                "lib/AGENTS.md": "Of the library.\n",
                "lib/a.py": "1\n",
                "b.py": "1\n",
            },
            git=False,
        )
    )
    monkeypatch.chdir(folder)
    return folder


def shown(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    assert main(["diff", *args]) == 0
    out = capsys.readouterr().out
    lines = below_session(out) if " · started in " in out else out.splitlines()
    return [re.sub(" {2,}", " | ", line) for line in lines]


def as_json(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    assert main(["diff", *args, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """All files, those of git as well."""
    found = (Path(place) / name for place, _, names in os.walk(folder) for name in names)
    return {f"{path}": (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def test_what_is_made_around_midnight_has_one_date(folder: Path) -> None:
    days = (datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 32))
    sources, only = replace(OF_TEAM, clock=lambda: next(days)), ("copilot-vscode",)
    found, _ = of_revisions(str(folder), "HEAD", None, only, sources)
    of_a_file = of_files(str(folder / "b.py"), str(folder / "b.py"), str(folder), only, sources)
    assert found
    assert of_a_file
    assert [change for each in (*found, *of_a_file) for change in each.changes] == []
    (folder / "AGENTS.md").write_text("# Rules\n\nUse blanks.\n", encoding="utf-8")
    git(folder, "commit", "-qam", "blanks")
    newest = next(iter(history(str(folder), only=only, sources=sources)))
    assert {change.name for each in newest.comparisons for change, _ in each.changes} == {f"{folder}/AGENTS.md"}


def test_what_only_programs_say_of_other_directories_is_no_row(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The list of the root has no room for what is new.
    for number in range(300):
        (folder / f"a-{number:03}.txt").write_text("", encoding="utf-8")
    commit(folder)
    (folder / "lib" / "new.py").write_text("1\n", encoding="utf-8")
    says = "no file of yours changes a prompt; only what the programs themselves say of the folder changes."
    assert shown(capsys, "HEAD", "--harness", "copilot-vscode") == [f"HEAD → working tree: {says}"]


@pytest.mark.usefixtures("folder")
def test_nothing_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys) == ["HEAD → working tree: no prompt changes."]
    assert shown(capsys, "HEAD", "--format", "markdown") == [
        "### Prompts: HEAD → working tree",
        "",
        "No prompt changes.",
    ]


def test_one_changed_file_is_one_row(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "AGENTS.md").write_text("# Rules\n\nUse tabs. And more of them.\n")
    (folder / "CLAUDE.md").unlink()
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    lines = shown(capsys, "--harness", "codex", "--harness", "cursor")
    assert lines[0] == "HEAD → working tree: 1 file changes what codex and cursor get."
    assert re.fullmatch(r"AGENTS\.md \| \d+ → \d+ tokens \(\+\d+\) \| codex, cursor", lines[2])
    assert re.match(
        r"codex \| [\d,]+ → [\d,]+ tokens \(\+\d+\) \| no longer cached from message \d+ \(user\)", lines[4]
    )


def test_where_the_cache_ends(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "AGENTS.md").write_text("# Rules\n\nUse spaces.\n")
    prompt = next(each for each in as_json(capsys, "--harness", "codex")["prompts"] if each["cwd"] == str(folder))
    cache = prompt["cache"]
    main(["preview", str(folder), "--harness", "codex", "--format", "json"])
    text = json.loads(capsys.readouterr().out)["messages"][cache["message"]]["text"]
    assert text.split("\n")[cache["line"]] == "Use spaces."
    assert 0 < cache["new"] < prompt["after"]


@pytest.mark.parametrize(
    ("change", "status", "remark"),
    [
        (lambda folder: (folder / "AGENTS.override.md").write_text("x\n"), "lost", "AGENTS.override.md comes first"),
        (lambda folder: (folder / "AGENTS.md").unlink(), "gone", ""),
        (lambda folder: (folder / "AGENTS.md").write_text("line\n" * 8000), "changed", "project_doc_max_bytes"),
    ],
)
def test_what_becomes_of_a_file(
    folder: Path, capsys: pytest.CaptureFixture[str], change: Any, status: str, remark: str
) -> None:
    change(folder)
    found = as_json(capsys, "--harness", "codex")["changes"]
    [of_file] = [each for each in found if each["name"] == f"{folder}/AGENTS.md"]
    assert of_file["status"] == status
    assert ("cut" in of_file) == (status == "changed")
    assert remark in "\n".join(shown(capsys, "--harness", "codex"))


def test_a_text_that_is_sent_twice(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "CLAUDE.md").write_text("Be brief.\n@AGENTS.md\n")
    lines = shown(capsys, "--harness", "copilot-cli")
    assert lines[lines.index(" | sent twice in one prompt") - 1].startswith("AGENTS.md | ")


def test_a_start_in_a_new_directory_is_compared_with_the_one_above(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lay_out(folder, {"new/AGENTS.md": "New.\n"}, git=False)
    rows = [line for line in shown(capsys, "--harness", "codex") if line.startswith(("AGENTS", "new", "lib"))]
    [row] = rows
    assert re.fullmatch(r"new/AGENTS\.md \| new, \d+ tokens? \| codex \(started in new\)", row)


def test_two_revisions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(folder, "branch", "old")
    (folder / "AGENTS.md").write_text("# Rules\n\nUse spaces, always.\n")
    git(folder, "commit", "-qam", "second")
    (folder / "AGENTS.md").write_text("Not committed.\n")
    before = state(folder)
    ways = [shown(capsys, *way) for way in (("old..HEAD",), ("old", "HEAD"), ("old..",), ("..old",))]
    assert [[line.replace("old..", "") for line in way[1:]] for way in ways[:3]] == [ways[0][1:]] * 3
    assert "(+" in "".join(ways[0])
    assert "(-" in "".join(ways[3])
    parted = shown(capsys, "old...HEAD")
    assert parted[1:] == ways[0][1:]
    assert re.match(r"[0-9a-f]{12} → HEAD: ", parted[0])
    assert state(folder) == before


@pytest.mark.usefixtures("folder")
def test_two_harnesses(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "claude", "codex")
    assert re.fullmatch(r"claude-code → codex: \d+ files? differs?\.", lines[0])
    assert any(re.match(r"CLAUDE\.md \| only claude-code, \d+ tokens", line) for line in lines)
    assert any(re.match(r"AGENTS\.md \| only codex, \d+ tokens", line) for line in lines)
    assert lines[-1].startswith("the whole prompt | ")


def test_two_harnesses_differ_in_every_directory(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lay_out(
        folder,
        {
            "api/CLAUDE.md": "api\n",
            "api/app.py": "",
            "lib/AGENTS.md": "lib\n",
            **{f".claude/skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: d\n---\n" for name in "abc"},
        },
        git=False,
    )
    rows = shown(capsys, "claude", "codex")[2:-2]
    assert any(re.fullmatch(r"api/CLAUDE\.md \| only claude-code, \d+ tokens \| \(on read\)", row) for row in rows)
    assert any(re.fullmatch(r"lib/AGENTS\.md \| only codex, \d+ tokens? \| \(started in lib\)", row) for row in rows)
    assert [row.partition(" | ")[0] for row in rows].count("skills (3)") == 1
    assert not any("SKILL.md" in row for row in rows)
    # What a program says of itself counts once.
    assert len([row for row in rows if row.startswith("the program itself")]) == 1


@pytest.mark.usefixtures("folder")
def test_two_files(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "b.py", "lib/a.py", "--harness", "cursor")
    assert lines[0] == "b.py → lib/a.py: 1 file changes what cursor gets."
    assert re.fullmatch(r"lib/AGENTS\.md \| only lib/a\.py, \d+ tokens \| cursor( \(on read\))?", lines[2])


def test_two_sessions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, typed in (("one", "Hello."), ("two", "Hello, and more than that.")):
        session = {"harness": "codex", "cwd": str(folder), "turns": [{"prompt": typed}]}
        (folder / f"{name}.json").write_text(json.dumps(session))
    found = as_json(capsys, "one.json", "two.json")
    assert [(each["kind"], each["status"]) for each in found["changes"]] == [("typed", "changed")]
    assert found["of"] == "sessions"


def test_markdown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "AGENTS.md").write_text("line\n" * 8000)
    text = "\n".join(shown(capsys, "--format", "markdown", "--harness", "codex"))
    assert "### Prompts: HEAD → working tree" in text
    assert re.search(r"\| `AGENTS.md`<br>cut: .* of 40,000 bytes are kept.* \| \d+ → .* \| codex \|", text)
    assert "set a larger one in `~/.codex/config.toml`" in text


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("gone",), "git has no revision gone in {folder}; pass a commit, branch or tag."),
        (("HEAD..gone",), "git has no revision gone in {folder}; pass a commit, branch or tag."),
        (("a", "b", "c"), "There are more than two sides; name two to compare."),
        (("--folder", "nowhere"), "There is no directory {folder}/nowhere; check the path."),
        (("--output=x",), "The following arguments"),
    ],
)
def test_what_cannot_be_compared(
    folder: Path, capsys: pytest.CaptureFixture[str], args: tuple[str, ...], sentence: str
) -> None:
    assert main(["diff", *args]) == 2
    said = capsys.readouterr().err
    assert said.startswith("promptls: ")
    assert len(said.splitlines()) == 1
    if not args[0].startswith("--output"):
        assert said == f"promptls: {sentence.format(folder=folder)}\n"


def test_without_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["diff"]) == 2
    assert "is not in a git repository, so there is no HEAD" in capsys.readouterr().err


def test_binary_and_huge_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "AGENTS.md").write_bytes(b"\0\xff" * 1000)
    (folder / "lib/AGENTS.md").write_text("word " * 1_000_000)
    assert shown(capsys)[0].startswith("HEAD → working tree: 2 files change what ")


@pytest.mark.usefixtures("folder")
def test_a_text_of_unknown_size_is_no_text_of_size_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lay_out(folder, {"lib/.cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nBe brief.\n"}, git=False)
    found = "\n".join(shown(capsys, "--harness", "cursor", "codex", "cursor"))
    assert "? tokens" in found
    assert not re.search(r"(?<![\d,])0 tokens", found)


def test_a_hint_is_for_a_row_without_a_size(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".cursorrules").write_text("Be kind.\n")
    (folder / "AGENTS.md").write_text("Be brief.\n")
    found = shown(capsys, "--harness", "cursor", "--harness", "opencode")
    assert any("? tokens" in each for each in found)
    assert not any(each.startswith("To know") and "opencode" in each for each in found)


@pytest.mark.parametrize("harness", ["claude-code", "copilot-vscode", "codex"])
def test_the_total_of_a_start_is_that_of_its_preview(
    folder: Path, capsys: pytest.CaptureFixture[str], harness: str
) -> None:
    lay_out(folder, {".mcp.json": '{"mcpServers": {"docs": {"command": "docs"}}}', "AGENTS.md": "New.\n"}, git=False)
    found = as_json(capsys, f"--harness={harness}")["prompts"]
    start = next(each for each in found if each["cwd"] == str(folder) and not each["reads"])
    main(["preview", f"--harness={harness}", "--no-network", "--format=json"])
    assert start["after"] == json.loads(capsys.readouterr().out)["totals"]["tokens"]


def test_the_rows_of_a_start_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "claude", "opencode")
    start = next(each for each in found["prompts"] if not each["reads"])
    rows = [
        each
        for change in found["changes"]
        for each in change["prompts"]
        if (each["cwd"], each["reads"]) == (start["cwd"], [])
    ]
    assert any(change["name"] == "tools" for change in found["changes"])
    assert sum(each["after"] - each["before"] for each in rows) == start["after"] - start["before"]
