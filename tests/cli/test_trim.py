from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.cli import main
from promptls.core.model import Prompt, Session
from promptls.kit.recording import Recorded
from promptls.sessions.by_directory import and_of_folder
from promptls.sessions.start import noting
from promptls.sessions.unneeded import skills_of
from promptls.workspace.machine import local_host
from tests.cli.conftest import below_session
from tests.folder import lay_out
from tests.repository import commit, git

HARNESSES = ("--harness", "claude-code", "--harness", "cursor")
AGENTS = """\
# Shop

- Lines have at most 100 letters.

## Style

- Prefer small functions over large classes.
- Run the linter.

## Tests

- Run all of the tests before you commit.
- Never commit the generated files of the client.
"""
RULES = """\
Our style:

- Prefer small functions over classes.
- Lines have at most 120 letters.

## Tests

- Run all of the tests before you commit.
- Commit the generated files of the client.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = lay_out(tmp_path / "shop", {"AGENTS.md": AGENTS, ".cursorrules": RULES}, git=False)
    monkeypatch.chdir(folder)
    return folder


def as_json(capsys: pytest.CaptureFixture[str], *args: str, code: int | None = None) -> dict[str, Any]:
    assert main(["trim", *HARNESSES, *args, "--format", "json"]) in ((0, 1) if code is None else (code,))
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def places(found: dict[str, Any], key: str) -> list[str]:
    return [
        " ".join(f"{Path(each[side]['path']).name}:{each[side]['first'] + 1}" for side in ("one", "other"))
        for each in found[key]
    ]


@pytest.mark.usefixtures("folder")
def test_sections_by_their_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys)
    sections = {(Path(each["path"]).name, each["first"] + 1, each["title"]) for each in found["sections"]}
    assert ("AGENTS.md", 5, "Style") in sections
    assert (".cursorrules", 1, "") in sections
    costs = [max(each["tokens"].values()) for each in found["sections"]]
    assert costs == sorted(costs, reverse=True)
    # AGENTS.md is sent to both, .cursorrules to Cursor alone.
    assert {tuple(each["tokens"]) for each in found["sections"]} == {("claude-code", "cursor"), ("cursor",)}


@pytest.mark.usefixtures("folder")
def test_what_is_said_twice(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys)
    assert places(found, "same") == [".cursorrules:8 AGENTS.md:12"]
    assert found["same"][0]["may_go"]
    assert places(found, "near") == [".cursorrules:3 AGENTS.md:7"]
    assert found["near"][0]["words"] == [["", "large"]]
    assert {each["by"]: place for each, place in zip(found["opposed"], places(found, "opposed"), strict=True)} == {
        "number": "AGENTS.md:3 .cursorrules:4",
        "negation": "AGENTS.md:13 .cursorrules:9",
    }


def test_no_program_has_both(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trim", "--harness", "claude-code", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [found[each] for each in ("same", "near", "opposed")] == [[], [], []]
    assert {each["path"] for each in found["sections"]} == {str(folder / "AGENTS.md")}


@pytest.mark.usefixtures("folder")
def test_the_text_fits_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["trim", *HARNESSES]) == 1
    lines = below_session(capsys.readouterr().out)
    assert lines[0] == "Sections, by the tokens of a start:"
    assert lines[1].startswith("████████ ")
    assert "  .cursorrules:8  stands in AGENTS.md:12  (9 tokens; Cursor)" in lines
    assert any("differ: - | large" in line for line in lines)
    text = lines[: lines.index("diff --git a/.cursorrules b/.cursorrules")]
    assert max(map(len, text)) <= 80


@pytest.mark.usefixtures("folder")
def test_one_file(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, ".cursorrules")
    assert {Path(each["path"]).name for each in found["sections"]} == {".cursorrules"}
    assert found["near"]


def test_files_of_two_directories_are_not_sent_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nested = {f"{each}/{file}": text for each in "ab" for file, text in (("AGENTS.md", RULES), ("x.py", "1\n"))}
    monkeypatch.chdir(lay_out(tmp_path / "two", {**nested, "AGENTS.md": "- Run all of the tests before.\n"}, git=True))
    found = as_json(capsys)
    assert places(found, "same") == []
    assert {each["other"]["path"] for each in found["near"]} == {str(tmp_path / "two/AGENTS.md")}


def test_a_rule_for_some_files_is_no_reason_to_drop_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = {
        f".cursor/rules/{each}.mdc": f"---\nglobs: {each}/**\n---\n- Run all of the tests.\n" for each in ("a", "a/b")
    }
    files = {path.replace("a/b.mdc", "ab.mdc"): text for path, text in rules.items()}
    monkeypatch.chdir(lay_out(tmp_path / "rules", {**files, "a/b/x.py": "1\n", "a/y.py": "1\n"}, git=True))
    assert {each["may_go"] for each in as_json(capsys)["same"]} == {False}


def test_a_section_of_one_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    section = (
        "## Web\n\n- Pages are in `web/pages`.\n- Styles are in `web/styles.css`, and never anywhere else at all.\n"
    )
    agents = f"# Shop\n\nBe brief.\n\n{section}\n## All\n\n- See `web/pages` and `api/x.py` for how.\n"
    files: dict[str, str | bytes | dict[str, object]] = {
        "AGENTS.md": agents,
        "web/pages/a.js": "1\n",
        "web/styles.css": "1\n",
        "api/x.py": "1\n",
    }
    monkeypatch.chdir(lay_out(tmp_path / "shop", files, git=True))
    args = ("--harness", "claude-code", "--harness", "opencode", "--harness", "codex", "--format", "json")
    assert main(["trim", *args]) == 0
    found = json.loads(capsys.readouterr().out)["local"]
    assert [(each["first"], each["title"]) for each in found] == [(4, "Web")]
    assert found[0]["new"] == str(tmp_path / "shop/web/AGENTS.md")
    assert found[0]["then"] == {"claude-code": "read", "opencode": "read", "codex": "elsewhere"}


def test_text_beyond_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "".join(f"- Rule number {each:03} of all these rules.\n" for each in range(1000))
    folder = lay_out(tmp_path / "big", {"AGENTS.md": text}, git=True)
    monkeypatch.chdir(folder)
    assert main(["trim", "--harness", "codex", "--format", "json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["beyond"]
    line = len(text.splitlines()[0]) + 1
    # The line that the limit breaks stays.
    assert (found["first"], found["last"]) == (32768 // line + 1, 999)
    assert main(["trim", "--harness", "codex", "--harness", "claude-code", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["beyond"] == []


def lines_of(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def test_what_can_go_and_its_proof(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(folder)
    before = (folder / ".cursorrules").read_text(encoding="utf-8")
    found = as_json(capsys, code=1)
    assert [(each["first"], each["why"]) for each in found["gone"]] == [(7, "same")]
    assert [(each["harness"], each["lost"], each["twice"]) for each in found["programs"]] == [
        ("claude-code", 0, 0),
        ("cursor", 0, 0),
    ]
    cursor = found["programs"][1]
    assert cursor["lines"]["before"] - cursor["lines"]["after"] == 1
    assert (folder / ".cursorrules").read_text(encoding="utf-8") == before
    assert as_json(capsys, "--write", code=0)["written"]
    written = (folder / ".cursorrules").read_text(encoding="utf-8")
    git(folder, "reset", "-q", "--hard")
    git(folder, "apply", given=found["patch"])
    assert (folder / ".cursorrules").read_text(encoding="utf-8") == written
    assert [line for line in before.splitlines() if line not in written] == [
        "- Run all of the tests before you commit."
    ]


def test_what_is_nearly_said_goes_only_if_it_is_picked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(folder)
    found = as_json(capsys, "--pick", ".cursorrules:3", "--write", code=0)
    assert {each["why"] for each in found["gone"]} == {"same", "near"}
    assert lines_of(folder / ".cursorrules") == [
        "Our style:",
        "- Lines have at most 120 letters.",
        "## Tests",
        "- Commit the generated files of the client.",
    ]
    assert {each["lost"] for each in found["programs"]} == {0}
    assert main(["trim", *HARNESSES, "--pick", ".cursorrules:4"]) == 2
    assert "Nothing at .cursorrules:4 is nearly said elsewhere" in capsys.readouterr().err


def test_a_heading_goes_with_its_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = "- Be kind to all of us.\n\n## Tests\n\n- Run all of the tests before you commit.\n"
    (folder / ".cursorrules").write_bytes(rules.replace("\n", "\r\n").encode())
    commit(folder)
    as_json(capsys, "--write", code=0)
    assert (folder / ".cursorrules").read_bytes() == b"- Be kind to all of us.\r\n"


def test_a_file_that_would_be_empty_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".cursorrules").write_text("## Tests\n\n- Run all of the tests before you commit.\n", encoding="utf-8")
    commit(folder)
    (left,) = as_json(capsys, code=0)["left"]
    assert left["why"] == "nothing else would be left in it; “promptls unify” makes one file of several"


@pytest.mark.usefixtures("folder")
def test_the_file_for_all_programs_stays(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trim", "--harness", "cursor", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {Path(each["one"]["path"]).name for each in (*found["same"], *found["near"])} == {".cursorrules"}


@pytest.mark.usefixtures("folder")
def test_a_file_can_be_left(capsys: pytest.CaptureFixture[str]) -> None:
    assert as_json(capsys, "--leave", ".cursorrules", code=0)["left"][0]["why"] == "you have asked for that"


def test_nothing_is_written_that_git_could_not_undo(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(folder)
    (folder / "AGENTS.md").write_text(f"{AGENTS}\n- Be brief in all of this.\n", encoding="utf-8")
    before = (folder / ".cursorrules").read_text(encoding="utf-8")
    assert main(["trim", *HARNESSES, "--write"]) == 2
    assert "commit first, or add --force" in capsys.readouterr().err
    assert (folder / ".cursorrules").read_text(encoding="utf-8") == before


def test_lines_beyond_a_limit_can_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "".join(f"- Rule number {each:03} of all these rules.\n" for each in range(1000))
    folder = commit(lay_out(tmp_path / "big", {"AGENTS.md": text}, git=False))
    monkeypatch.chdir(folder)
    assert main(["trim", "--harness", "codex", "--write", "--format", "json"]) == 0
    (program,) = json.loads(capsys.readouterr().out)["programs"]
    assert program["lines"]["before"] == program["lines"]["after"]
    assert len(lines_of(folder / "AGENTS.md")) == 863
    assert text.startswith((folder / "AGENTS.md").read_text(encoding="utf-8"))


def test_skills_that_no_session_called(tmp_path: Path) -> None:
    skills: dict[str, str | bytes | dict[str, object]] = {
        f".claude/skills/{each}/SKILL.md": f"---\nname: {each}\ndescription: Do {each}.\n---\nSo.\n" for each in "ab"
    }
    folder = lay_out(tmp_path / "shop", skills, git=True)
    host = local_host()
    start = harnesses.preview(Session("claude-code", str(folder)), host)
    recorded = Recorded("claude-code", "record")
    recorded.calls_skill(str(folder / ".claude/skills/b/SKILL.md"))
    recorded.asks(1)
    found = skills_of(start, [recorded], host)
    assert [(Path(each.path).parent.name, each.called, each.of) for each in found] == [("a", 0, 1), ("b", 1, 1)]
    assert all(each.tokens for each in found)


def test_nothing_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(lay_out(tmp_path / "empty", {"a.txt": "1\n"}, git=True))
    assert main(["trim", *HARNESSES]) == 0
    assert "No coding agent here is sent a file of yours at start." in capsys.readouterr().out


def test_a_large_section_is_shown_by_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "Prefer small functions over large classes, and say why.\n" * 40
    text = f"# Shop\n\n## Style\n\nBe brief.\n\n### Words\n\n{long}\n### Code\n\n{long}\n## Tests\n\nRun them.\n"
    monkeypatch.chdir(lay_out(tmp_path / "shop", {"AGENTS.md": text}, git=False))
    assert main(["trim", "--harness", "codex", "--format", "json"]) == 0
    sections = json.loads(capsys.readouterr().out)["sections"]
    lines = sorted((each["first"], each["last"], each["title"]) for each in sections)
    assert [title for *_, title in lines] == ["Shop", "Style", "Words", "Code", "Tests"]
    # No line is in two of them, and none is left out.
    assert all(last + 1 == first for (_, last, _), (first, *_) in pairwise(lines))


def test_without_sessions_the_skills_that_cost_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    skills: dict[str, str | bytes | dict[str, object]] = {
        f".claude/skills/{each}/SKILL.md": f"---\nname: {each}\ndescription: {'Do it. ' * cost}\n---\nSo.\n"
        for each, cost in (("a", 1), ("b", 9))
    }
    monkeypatch.chdir(lay_out(tmp_path / "shop", {"AGENTS.md": "Be brief.\n", **skills}, git=False))
    assert main(["trim", "--harness", "claude-code"]) == 0
    out = capsys.readouterr().out
    assert "Skills that a start lists, and their tokens: 2 Claude Code" in out
    assert out.index("skills/b/SKILL.md") < out.index("skills/a/SKILL.md")


def test_one_line_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rule = "# Shop\n\n- Run all of the tests.\n"
    folder = lay_out(tmp_path / "shop", {"AGENTS.md": rule, ".cursorrules": f"{rule}- Be brief.\n"}, git=False)
    monkeypatch.chdir(commit(folder))
    assert main(["trim", *HARNESSES, "--write"]) == 0
    assert "1 line is gone; " in capsys.readouterr().out


def test_the_proof_has_what_is_read_in_a_folder_of_a_program() -> None:
    """opencode finds .claude/CLAUDE.md by a read of a rule beside it, though nobody starts it there."""
    start, read, there = (
        Prompt(Session("opencode", cwd, "1", turns=turns), (), ())
        for cwd, turns in (("/w", ()), ("/w", noting("opencode", ("/w/.claude/rules/a.md",))), ("/w/.claude", ()))
    )
    assert and_of_folder([[start]], [[start, read, there]]) == [[start, read]]


def test_many_blocks_of_two_files_are_one_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "".join(f"- Rule number {each} of all these.\n" for each in "abcd")
    files: dict[str, str | bytes | dict[str, object]] = {
        "AGENTS.md": f"{text}- One more rule of all.\n",
        ".github/copilot-instructions.md": f"{text}- Not this one.\n",
    }
    monkeypatch.chdir(lay_out(tmp_path / "two", files, git=True))
    main(["trim", "--harness", "copilot-vscode", "--harness", "codex"])
    rows = [each for each in capsys.readouterr().out.splitlines() if " stand in " in each]
    assert [each.partition("  (")[0] for each in rows] == [
        "  .github/copilot-instructions.md:1-4  4 blocks stand in AGENTS.md:1-4"
    ]


SHARED = "- Run all of the tests now.\n- Fix all that fails now.\n"


@pytest.mark.parametrize(
    ("agents", "rule", "left"),
    [
        # A heading of another level is no reason to keep one without text.
        (
            f"# A\n\n### Tests\n\n{SHARED}",
            f"# B\n\n## Tests\n\n{SHARED}\n## Rest\n\n- Be kind.\n",
            "# B\n\n## Rest\n\n- Be kind.\n",
        ),
        # A heading with another topic beside is the same place, as unify has it.
        (
            f"## Tests\n\n{SHARED}",
            f"## Style and tests\n\n{SHARED}- Use tabs only.\n",
            "## Style and tests\n\n- Use tabs only.\n",
        ),
        # What a line leads up to stays.
        (f"## Do\n\nDo this:\n\n{SHARED}", f"## Do\n\nAlways do this:\n\n{SHARED}", None),
        # What is generated stays, too.
        (f"## Do\n\n{SHARED}", f"## Do\n\nGenerated by a script. Do not edit.\n\n{SHARED}", None),
    ],
)
def test_what_goes_leaves_a_text_that_can_be_read(
    agents: str,
    rule: str,
    left: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = lay_out(tmp_path / "one", {"AGENTS.md": agents, ".cursorrules": rule}, git=True)
    monkeypatch.chdir(folder)
    assert main(["trim", "--harness", "cursor", "--write", "--force"]) == 0
    # What stands in another place may mean something else: that is for people to judge.
    assert ("--pick" in capsys.readouterr().out) is ("Always" in rule)
    assert (folder / ".cursorrules").read_text() == (rule if left is None else left)


def test_what_one_file_says_twice_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = "Run the whole suite before you hand in a change.\n"
    text = f"# A\n\n## Tests\n\n{rule}\n## Style\n\nUse tabs.\n\n## Handing in\n\n{rule}\nUse tabs.\n"
    monkeypatch.chdir(commit(lay_out(tmp_path / "one", {"AGENTS.md": text}, git=False)))
    assert main(["trim", "--harness", "codex"]) == 0
    said = capsys.readouterr().out
    assert "Said twice in one file, word for word: 1" in said
    assert "AGENTS.md:13  as at line 5  (" in said
    assert "Nothing can be removed automatically" in said
    assert main(["trim", "--harness", "codex", "--format", "json"]) == 0
    [again] = json.loads(capsys.readouterr().out)["again"]
    assert (again["first"], again["last"], again["at"]) == (12, 12, 4)


def test_what_a_read_brings_less_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = f"---\nglobs: src/**\n---\n## Tests\n\n{SHARED}\n## Rest\n\n- Be kind.\n"
    texts = {"AGENTS.md": f"## Tests\n\n{SHARED}", ".cursor/rules/a.mdc": rule}
    monkeypatch.chdir(lay_out(tmp_path / "one", {**texts, "src/a.ts": "1\n"}, git=True))
    main(["trim", "--harness", "cursor"])
    assert " on read\n" in capsys.readouterr().out
    [row] = as_json(capsys)["programs"][-1:]
    assert row["on_read"] < 0 == row["tokens"]["after"] - row["tokens"]["before"]


def test_why_what_a_line_leads_up_to_stays_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = f"Tests and Style:\n\n{SHARED}- Use tabs.\n\nNames:\n\n- Be kind.\n"
    folder = lay_out(tmp_path / "one", {"AGENTS.md": f"## Tests\n\n{SHARED}", ".cursorrules": rules}, git=True)
    monkeypatch.chdir(folder)
    main(["trim", "--harness", "cursor"])
    assert ".cursorrules stays: “Tests and Style:” would lead up to less\n" in capsys.readouterr().out
