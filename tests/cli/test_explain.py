from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.cli import main
from promptls.core.host import NO_BUFFERS
from promptls.core.model import Prompt, Session
from promptls.folder_check import check_folder
from promptls.listing import Listing
from tests.folder import lay_out


def explained(capsys: pytest.CaptureFixture[str], path: Path, harness: str) -> dict[str, Any]:
    assert main(["explain", str(path), "--harness", harness, "--format", "json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["harnesses"]
    found_one: dict[str, Any] = found
    return found_one


def test_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "rules\n", "api/AGENTS.md": "api\n", "api/a.py": "x", "opencode.json": {}})
    monkeypatch.chdir(folder)
    main(["explain", "api/AGENTS.md", "--harness", "opencode"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in lines if line.startswith("    loaded")] == [
        "loaded at start, as instructions in the system message, if started in api",
        "loaded when a file next to or below it is read, as instructions in the tool message, if started in .",
    ]


def test_several_files_are_explained_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "rules\n", "api/AGENTS.md": "api\n", "opencode.json": {}})
    monkeypatch.chdir(folder)
    files = [f"{folder}/AGENTS.md", f"{folder}/api/AGENTS.md"]

    def out(*args: str) -> str:
        assert main(["explain", *args, "--harness", "opencode"]) == 0
        return capsys.readouterr().out

    assert out(*files) == "\n".join(map(out, files))
    both = json.loads(out(*files, "--format", "json"))["files"]
    assert both == [json.loads(out(each, "--format", "json")) for each in files]


def test_rule_and_reason_are_fields_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "rules\n", ".cursor/commands/a.md": "x\n"})
    left_out = explained(capsys, folder / ".cursor/commands/a.md", "cursor")
    assert left_out["outcome"] == "unshown"
    assert left_out["rule"]
    assert left_out["reason"]
    assert left_out["why"] == f"{left_out['rule']}: {left_out['reason']}"
    sent = explained(capsys, folder / "AGENTS.md", "opencode")
    assert (sent["rule"], sent["reason"]) == (sent["loaded"][0]["why"], "")


@pytest.mark.parametrize("version", ["1.18.33", "1.99.0", ""])
def test_all_commands_show_the_version_that_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    """If it is not known, the nearest known one; if none is installed, the newest."""
    harness = harnesses.get("opencode")
    (tmp_path / "bin").mkdir()
    if version:
        lay_out(
            tmp_path, {"lib/package.json": {"name": harness.package, "version": version}, "lib/run": "x"}, git=False
        )
        (tmp_path / "bin" / harness.command).symlink_to(tmp_path / "lib/run")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    folder = lay_out(tmp_path / "folder", {"AGENTS.md": "rules\n", "opencode.json": {}})
    main(["preview", str(folder), "--format", "json"])
    shown = json.loads(capsys.readouterr().out)["harness"]
    assert shown["version"] == harness.versions[0].name
    assert shown["verified"] == (version != "1.99.0")

    assert explained(capsys, folder / "AGENTS.md", "opencode")["harness"] == shown

    checked: list[Prompt] = []
    preview = harnesses.preview

    def noted(session: Session, host: Any) -> Prompt:
        checked.append(preview(session, host))
        return checked[-1]

    monkeypatch.setattr(harnesses, "preview", noted)
    with Listing(str(folder)) as listing:
        check_folder(str(folder), listing, buffers=NO_BUFFERS)
    versions = {(each.session.version, each.verified) for each in checked if each.session.harness == "opencode"}
    assert versions == {(shown["version"], shown["verified"])}


def test_a_skill_is_listed_or_not_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release = "---\nname: release\ndescription: How to make a release\n---\nTag it.\n"
    files = {f"{each}/skills/release/SKILL.md": release for each in (".gemini", ".agents")}
    folder = lay_out(tmp_path, {"GEMINI.md": "rules\n", **files})
    monkeypatch.chdir(folder)

    def says(path: str) -> list[str]:
        main(["explain", path, "--harness", "gemini-cli"])
        return [line.strip() for line in capsys.readouterr().out.splitlines()[3:]]

    listed, why, size = says(".agents/skills/release/SKILL.md")
    assert listed == "listed as a skill at start, as tools in the system message, if started in ."
    assert why.endswith("; its text is sent when the skill is used")
    assert re.match(r"it is \d+ tokens; changing it invalidates ", size)
    assert says(".gemini/skills/release/SKILL.md")[0].startswith("not offered as a skill: ")
    found = explained(capsys, folder / ".gemini/skills/release/SKILL.md", "gemini-cli")
    assert (found["use"], found["outcome"]) == ("skill", "shadowed")
    assert found["other"] == f"{folder}/.agents/skills/release/SKILL.md"


def test_a_command_is_offered_before_anybody_calls_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(tmp_path, {"GEMINI.md": "rules\n", ".gemini/commands/tag.toml": 'prompt = "Tag it."\n'})
    found = explained(capsys, folder / ".gemini/commands/tag.toml", "gemini-cli")
    assert (found["use"], found["outcome"], found["loaded"]) == ("command", "loaded", [])
    main(["explain", str(folder / ".gemini/commands/tag.toml"), "--harness", "gemini-cli"])
    shown = capsys.readouterr().out
    assert "    offered as a command: " in shown
    assert shown.endswith("; its text is sent when the command is called\n")
