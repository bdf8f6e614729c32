"""The JSON schemas of the commands: what they print is valid, and no key is missing in a schema."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from promptls.cli import main
from promptls.workspace.machine import schema_directory
from tests.capture.fakes import install, let_in
from tests.folder import lay_out
from tests.limits import at_most
from tests.records.workspace import lay_out as lay_out_records
from tests.repository import commit

FILES: dict[str, str | bytes | dict[str, object]] = {
    "AGENTS.md": "Use tabs.\n" * 4000,
    "CLAUDE.md": "See @gone.md and @docs/a.md.\n",
    "docs/a.md": "Docs.\n",
    ".claude/skills/x/SKILL.md": "---\nname: x\ndescription: makes x\n---\nx\n",
    ".claude/rules/r.md": '---\npaths: ["api/**"]\n---\nrule\n',
    ".codex/config.toml": "",
    "api/AGENTS.md": "api\n",
    "api/a.py": "1\n",
    "results/shop.map.json": {"harnesses": ["codex"], "directories": [{"path": "/", "places": [{"at_start": []}]}]},
    "results/bad.json": "{",
}
# By schema: command lines, of which each has something that the others have not.
OUTPUTS: dict[str, list[list[str]]] = {
    "blame": [["blame", "AGENTS.md"]],
    "capture": [["capture", "--harness", "codex"]],
    "check": [["check", "--no-network"]],
    "diff": [["diff"], ["diff", "claude-code", "codex"]],
    "explain": [["explain", "AGENTS.md", "CLAUDE.md"], ["explain", "AGENTS.md:1"], ["explain", "AGENTS.md:3990-4000"]],
    "fleet": [["fleet", "results"]],
    "find": [["find", "Use tabs"], ["find", "Docs."], ["find", "Use tab5"], ["find", "api", "api/a.py"]],
    "harnesses": [["harnesses"], ["harnesses", "--all"]],
    "log": [["log"]],
    "map": [["map"]],
    "overview": [[], ["api/a.py"]],
    "preview": [
        ["preview", "api/a.py", "--harness", "claude-code"],
        ["preview", "--harness", "codex", "--cwd", "api", "--prompt", "$x"],
        ["preview", "--harness", "copilot-vscode", "--attach", "docs/a.md"],
    ],
    # Described where a program is started (tests/capture/test_probe.py).
    "probe": [],
    "rule": [["rule", "import-missing"]],
    "rules": [["rules"]],
    "servers": [["servers"]],
    "sessions": [["sessions"]],
    "trim": [["trim"], ["trim", "AGENTS.md", "--no-habits"], ["trim", "--write", "--force"]],
    "unify": [["unify"], ["unify", "docs/all.md", "--write", "--force"]],
    "use": [["use"]],
    "sessions-requests": [],
    "sessions-rules": [["sessions", "--rules"]],
    "sessions-tools": [["sessions", "--tools"]],
    "verify": [["verify", "--harness", "codex"]],
}


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(schema_directory()) / f"{name}.json").read_text(encoding="utf-8"))
    return found


def closed(value: Any) -> Any:
    """The schema without further keys."""
    if isinstance(value, list):
        return [closed(each) for each in value]
    if not isinstance(value, dict):
        return value
    made = {key: closed(each) for key, each in value.items()}
    return {**made, "additionalProperties": False} if isinstance(value.get("properties"), dict) else made


def test_there_is_an_output_for_each_schema() -> None:
    assert {path.stem for path in Path(schema_directory()).iterdir()} == set(OUTPUTS)


@pytest.mark.parametrize("name", OUTPUTS)
def test_what_a_command_prints_is_described(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    folder = lay_out(tmp_path / "project", FILES)
    commit(folder)
    (folder / "CLAUDE.md").write_text("@AGENTS.md\n@AGENTS.md\n", encoding="utf-8")
    (folder / "docs" / "a.md").unlink()
    monkeypatch.chdir(folder)
    install(tmp_path / "bin", "codex", version="0.166.0")
    let_in(tmp_path / "bin", monkeypatch.setattr)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(tmp_path / "cache"))
    validator = Draft202012Validator(closed(schema(name)))
    for line in OUTPUTS[name]:
        with at_most(20):
            assert main([*line, "--format", "json"]) in (0, 1)
        found = json.loads(capsysbinary.readouterr().out)
        assert [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(found)] == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("sessions", ["sessions"]),
        ("sessions", ["sessions", "--all"]),
        ("sessions-requests", ["sessions", "4656c00c", "--find", "MARK"]),
        ("preview", ["preview", "--recorded", "c3eb6ddc"]),
    ],
)
def test_a_recorded_session_is_described(
    name: str,
    line: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    home, folder = lay_out_records("claude-code", tmp_path.resolve())
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.chdir(folder)
    assert main([*line, "--format", "json"]) == 0
    found = json.loads(capsysbinary.readouterr().out)
    assert found.get("sessions") or found.get("recorded") or found.get("agents")
    errors = Draft202012Validator(closed(schema(name))).iter_errors(found)
    assert [f"{error.json_path}: {error.message[:200]}" for error in errors] == []


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_schema_is_a_schema_with_a_version_and_allows_new_keys(name: str) -> None:
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$id"] == f"urn:promptls:schema:1:{name}"
    assert '"additionalProperties": false' not in json.dumps(found)
    assert not Draft202012Validator(found).is_valid([]), "something is refused"


def test_a_schema_is_printed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["schema", "map"]) == 0
    assert json.loads(capsysbinary.readouterr().out) == schema("map")
    assert main(["schema", "mapp"]) == 2
    assert b"There is no schema 'mapp'; choose one of blame, capture, check, " in capsysbinary.readouterr().err


@pytest.mark.parametrize("change", [lambda json: json.pop("root"), lambda json: json.update(harnesses=1)])
def test_a_wrong_output_is_refused(change: Callable[[Any], object]) -> None:
    right: dict[str, Any] = {"root": "/", "harnesses": [], "directories": [], "sessions": []}
    right |= {"schema": "urn:promptls:schema:1:map", "budgets": [], "rules": [], "faults": []}
    assert Draft202012Validator(schema("map")).is_valid(right)
    change(right)
    assert not Draft202012Validator(schema("map")).is_valid(right)
