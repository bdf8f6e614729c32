from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from promptls import git as git_program
from promptls import harnesses
from promptls.cli import main
from promptls.cli.arguments import Options
from promptls.cli.log import _start_part
from promptls.git import revision as revisions
from promptls.git.history import commits
from promptls.git.revision import revision
from promptls.workspace import kept_prompts, prompt_history
from promptls.workspace.folder_diff import of_revisions
from tests.folder import lay_out
from tests.repository import commit, git


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = lay_out(
        tmp_path / "shop", {"AGENTS.md": "Use tabs.\n", ".codex/config.toml": "", "a.py": "1\n"}, git=False
    )
    monkeypatch.chdir(commit(folder))
    return folder


def change(folder: Path, subject: str, **files: str | None) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", subject)


def as_json(capsys: pytest.CaptureFixture[str], *args: str) -> list[dict[str, Any]]:
    assert main(["log", *args, "--format", "json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["commits"]
    return found


def test_a_line_for_each_commit_that_changes_a_prompt(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "code", a_py="2\n")
    change(folder, "more rules", AGENTS_md="Use tabs.\nRun the tests.\n")
    change(folder, "of the library", lib__AGENTS_md="Of the library.\n", lib__a_py="1\n")
    change(folder, "too long", AGENTS_md="Use tabs.\n" * 5_000)
    change(folder, "for one", AGENTS_override_md="Nothing else.\n")
    found = as_json(capsys, "--harness", "codex")
    assert [each["subject"] for each in found] == ["for one", "too long", "of the library", "more rules", "first"]
    assert found[0]["lost"] == ["AGENTS.md"]
    assert found[1]["cut"] == ["AGENTS.md"]
    assert found[2]["files"][0] == "lib/AGENTS.md"
    [program] = found[3]["programs"]
    assert program["tokens"]["after"] > program["tokens"]["before"]
    assert [each["subject"] for each in as_json(capsys, "--since", "HEAD~2")] == ["for one", "too long"]
    assert [each["subject"] for each in as_json(capsys, "HEAD~3", "-n", "2")] == ["more rules"]


def test_the_lines_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "more rules", AGENTS_md="Use tabs.\nRun the tests.\n")
    assert main(["log", "-n", "1"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d [0-9a-f]{10} +\+\d  codex +t: more rules", line)
    change(folder, "code", a_py="2\n")
    assert main(["log", "-n", "1"]) == 0
    assert capsys.readouterr().out == "No commit of the last 1 changed a prompt.\n"


def test_each_step_is_what_diff_says(folder: Path) -> None:
    change(folder, "scoped", _cursor__rules__a_mdc="---\nglobs: src/**\n---\nOf src.\n", src__a_py="1\n")
    change(folder, "imports", CLAUDE_md="@AGENTS.md\n@docs/a.md\n", docs__a_md="Of docs.\n")
    change(folder, "imported", docs__a_md="More of docs.\n")
    change(folder, "another scope", _cursor__rules__a_mdc="---\nalwaysApply: true\n---\nOf all.\n")
    change(folder, "no import", CLAUDE_md="@AGENTS.md\n", docs__a_md="None of docs.\n")
    change(folder, "renamed", CLAUDE_md=None, GEMINI_md="@AGENTS.md\n")
    steps = list(prompt_history.history(str(folder)))
    assert [each.commit.subject for each in steps] == [
        *("renamed", "no import", "another scope", "imported", "imports", "scoped", "first"),
    ]
    for each in steps[:-1]:
        whole, _ = of_revisions(str(folder), each.commit.before, each.commit.name)
        assert {_key(one) for one in each.comparisons if _key(one)[-1]} == {_key(one) for one in whole if _key(one)[-1]}


def _key(comparison: Any) -> tuple[Any, ...]:
    session = comparison.prompt.session
    # What git says of the folder is left out of a log.
    changes = tuple(each for each in comparison.changes if each[0].kind != "harness")
    return session.harness, session.cwd, session.reads, changes


def test_what_a_session_reads_does_not_count(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "of the library", lib__AGENTS_md="Of the library.\n", lib__a_py="1\n")
    change(folder, "code, too", lib__AGENTS_md="Of the whole library.\n", lib__a_py="print('much more')\n" * 200)
    [program] = as_json(capsys, "-n", "1", "--harness", "copilot-cli")[0]["programs"]
    assert 0 < program["tokens"]["after"] - program["tokens"]["before"] < 10


def test_what_other_files_bring_as_before_is_not_lost(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = "---\npaths: src/**/*.py\n---\nOf the code.\n"
    lay_out(folder, {".claude/rules/code.md": rule, "src/b.py": "1\n", "src/d.py": "1\n"}, git=False)
    lay_out(folder, {"lib/CLAUDE.md": "Of the library.\n", "lib/b.py": "1\n"}, git=False)
    change(folder, "a rule")
    change(folder, "a file before", src__a_py="1\n", lib__a_py="1\n")
    change(folder, "without what was read", src__a_py=None, src__b_py=None, lib__b_py=None)
    change(folder, "all others", src__d_py=None, src__e_py="1\n", lib__a_py=None, lib__c_py="1\n")
    assert [each["subject"] for each in as_json(capsys, "--harness", "claude-code")] == ["a rule", "first"]
    for name in ("HEAD", "HEAD~1", "HEAD~2"):
        found, _ = of_revisions(str(folder), f"{name}~1", name, ["claude-code"])
        assert [each.changes for each in found if each.changes] == []
    files = {"src__e_py": None, "src__f_py": "1\n"}
    change(folder, "with its text", **files, _claude__rules__code_md=f"{rule}And more.\n")
    assert as_json(capsys, "--harness", "claude-code")[0]["files"] == [".claude/rules/code.md"]


def test_a_way_back_is_the_commit_at_its_end(folder: Path) -> None:
    change(folder, "a file is a directory", a_py=None, a_py__b_md="b\n", lib__x__y__AGENTS_md="y\n", lib__z_md="z\n")
    change(folder, "and a file again", a_py__b_md=None, lib__x__y__AGENTS_md=None, a__c_md="c\n")
    change(folder, "in order", a__b_md="b\n", a__d__e_md="e\n", a___md="of a name before a slash\n", lib__z_md="2\n")
    (folder / "lib" / "l.md").symlink_to("z.md")
    change(folder, "a link", a__c_md=None)
    at = revision(str(folder))
    for each in commits(str(folder), at.commit):
        if each.before:
            at, there = at.before(each.before, each.was), revision(str(folder), each.before)
            assert at.known is not None
            assert at.known.blobs == there._tree.blobs
            assert at.known.directories == there._tree.directories


def test_a_complaint_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert folder.exists()
    for args in (["nothing"], ["--since=--output=x"], ["--folder", "none"]):
        assert main(["log", *args]) in (0, 2)
        assert "Traceback" not in capsys.readouterr().err
    assert not (folder / "x").exists()


def test_the_commits_of_lines_and_their_cost(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "more", AGENTS_md="Use tabs.\n<!-- for people -->\nRun the tests.\n")
    (folder / "AGENTS.md").write_text("not committed\n")
    assert main(["blame", "AGENTS.md", "--harness", "claude-code", "--harness", "codex", "--format", "json"]) == 0
    lines = json.loads(capsys.readouterr().out)["lines"]
    assert [each["text"] for each in lines] == ["Use tabs.", "<!-- for people -->", "Run the tests."]
    assert [each["subject"] for each in lines] == ["first", "more", "more"]
    assert [each["tokens"]["claude-code"] > 0 for each in lines] == [True, False, True]
    assert all(each["tokens"]["codex"] > 0 for each in lines)
    assert main(["blame", "AGENTS.md"]) == 0
    assert re.search(r"^[0-9a-f]{10} \d{4}-\d\d-\d\d t +\d+  Use tabs.$", capsys.readouterr().out, re.MULTILINE)
    (folder / "new.md").write_text("new\n")
    assert main(["blame", "new.md"]) == 2
    assert "commit it first" in capsys.readouterr().err


def test_nobody_starts_a_program_in_a_folder_of_a_program(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "of a skill", _agents__skills__s__AGENTS_md="Of the skill.\n")
    change(folder, "of a folder", lib__AGENTS_md="Of the library.\n", lib__a_py="1\n")
    found = as_json(capsys, "--harness", "codex")
    assert [each["subject"] for each in found] == ["of a folder", "first"]


def test_the_lines_of_a_link_are_those_of_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    change(folder, "a link")
    assert main(["blame", "CLAUDE.md", "--harness", "claude-code", "--format", "json"]) == 0
    [line] = json.loads(capsys.readouterr().out)["lines"]
    assert (line["text"], line["subject"]) == ("Use tabs.", "first")
    assert line["tokens"]["claude-code"] > 0


def test_blame_runs_nothing_of_the_repository(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".gitattributes").write_text("*.md diff=odd filter=odd\n")
    for key in ("diff.odd.textconv", "filter.odd.clean", "filter.odd.smudge", "diff.odd.command"):
        git(folder, "config", key, f"touch {folder}/ran; cat")
    assert main(["blame", "AGENTS.md"]) == 0
    assert main(["log"]) == 0
    assert "Use tabs." in capsys.readouterr().out
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("cores", [1, 2])
def test_many_commits_are_looked_at_in_parts(
    cores: int, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        change(folder, f"rule {number}", AGENTS_md="Use tabs.\n" * (number + 2))
    whole = as_json(capsys)
    monkeypatch.setattr(prompt_history, "WORTH", 2)
    monkeypatch.setattr("promptls.cli.log.cores", lambda: cores)
    assert [count for _, count in prompt_history.shares(str(folder), "HEAD", None, None)] == [3, 3]
    assert as_json(capsys) == whole
    assert [each["subject"] for each in whole] == [*(f"rule {number}" for number in range(4, -1, -1)), "first"]


def test_a_part_is_not_parted_again(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        change(folder, f"rule {number}", AGENTS_md="Use tabs.\n" * (number + 2))
    monkeypatch.setattr(prompt_history, "WORTH", 1)
    [share, *_] = prompt_history.shares(str(folder), "HEAD~1", None, None)
    started: list[list[str]] = []
    monkeypatch.setattr(
        "promptls.cli.log.subprocess", SimpleNamespace(Popen=lambda line, **_: started.append(line), PIPE=0, DEVNULL=0)
    )
    _start_part(str(folder), share, Options(since=None, with_habits=False, harness=[]))
    [line] = started
    monkeypatch.setattr(prompt_history, "shares", None)
    assert as_json(capsys, *line[line.index("log") + 1 :])[0]["subject"] == "rule 3"


def test_git_is_asked_for_many_texts_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = "---\nname: s{0}\ndescription: does {0}\n---\nIt.\n"
    lay_out(folder, {f".agents/skills/s{n}/SKILL.md": skill.format(n) for n in range(9)}, git=False)
    change(folder, "skills")
    change(folder, "rule", AGENTS_md="Use tabs, always.\n")
    asked: list[str] = []
    start = git_program.start

    def counted(root: str, *arguments: str, **more: Any) -> Any:
        asked.append(arguments[0])
        return start(root, *arguments, **more)

    monkeypatch.setattr(git_program, "start", counted)
    for what in (
        lambda: list(prompt_history.history(str(folder))),
        lambda: of_revisions(str(folder), "HEAD~1", "HEAD"),
    ):
        asked.clear()
        revisions._contents.cache_clear()
        assert what()
        assert asked.count("cat-file") < 5


def test_parts_have_as_much_to_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        change(folder, f"code {number}", a_py=f"{number}\n" * 2)
    for number in range(4):
        change(folder, f"rule {number}", AGENTS_md="Use tabs.\n" * (number + 2))
    monkeypatch.setattr(prompt_history, "WORTH", 4)
    # Two rules; two more, three times code, and the first commit.
    assert [count for _, count in prompt_history.shares(str(folder), "HEAD", None, None)] == [3, 5]


def test_what_a_program_says_of_the_folder_is_of_no_later_commit(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(folder, "for gemini", GEMINI_md="Be brief.\n")
    change(folder, "more files", **{f"lib{number}__a_py": "1\n" for number in range(9)})
    change(folder, "for codex", AGENTS_md="Use tabs.\nRun the tests.\n")
    [found] = as_json(capsys, "-n", "1", "--harness", "gemini-cli", "--harness", "codex")
    assert [each["harness"] for each in found["programs"]] == ["codex"]


def test_a_prompt_is_made_again_only_where_what_it_comes_from_differs(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = "---\nname: s\ndescription: does s\n---\nIt.\n"
    lay_out(folder, {".agents/skills/s/SKILL.md": skill, "GEMINI.md": "Be brief.\n"}, git=False)
    change(folder, "a skill")
    change(folder, "its text", _agents__skills__s__SKILL_md=f"{skill}More.\n")
    change(folder, "of gemini", GEMINI_md="Be very brief.\n")
    change(folder, "of codex", AGENTS_md="Use tabs, always.\n")
    made: list[str] = []

    def preview(session: Any, host: Any) -> Any:
        made.append(session.harness)
        return harnesses.preview(session, host)

    monkeypatch.setattr(kept_prompts, "harnesses", SimpleNamespace(preview=preview))
    found = as_json(capsys, "-n", "3", "--harness", "codex", "--harness", "gemini-cli")
    assert [each["subject"] for each in found] == ["of codex", "of gemini"]
    assert made == ["codex", "gemini-cli", "codex", "gemini-cli"]


def test_each_commit_has_its_own_settings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "for two", CLAUDE_md="Be brief.\n")
    change(folder, "only one counts", promptls_toml='harnesses = ["codex"]\n')
    change(folder, "not seen", CLAUDE_md="Be brief.\nBe kind.\n")
    change(folder, "nobody counts otherwise", promptls_toml=None)
    change(folder, "seen again", CLAUDE_md="Be brief.\nBe kind.\nBe bold.\n")
    programs = {each["subject"]: {one["harness"] for one in each["programs"]} for each in as_json(capsys)}
    assert list(programs) == ["seen again", "for two", "first"]
    assert "claude-code" in programs["seen again"] & programs["for two"]


def test_a_file_that_becomes_a_link_later_is_no_other_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "for copilot", **{"_github__copilot-instructions_md": "Be brief.\n"})
    change(folder, "for all", AGENTS_md="Use blanks.\n")
    link = folder / ".github/copilot-instructions.md"
    link.unlink()
    link.symlink_to("../more.md")
    change(folder, "a link", more_md="Be kind.\n")
    found = {each["subject"]: each["files"] for each in as_json(capsys, "--harness", "copilot-cli")}
    assert found["for all"] == ["AGENTS.md"]
