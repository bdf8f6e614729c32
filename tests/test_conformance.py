"""The open data of conformance/: what it is made of, what a case is, and how a tool is scored."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import conformance_cases
import pytest
from behaviours import ROWS, behaviours
from jsonschema import Draft202012Validator

from promptls.cli import main
from promptls.errors import UsageError
from promptls.wire.conformance import compared, filled, lay_out, question, scored

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "conformance"
CASES = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("cases/*/*.json"))]
SCHEMA = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
CASE: dict[str, Any] = {
    "name": "one",
    "program": "codex",
    "version": "0.169.0",
    "tree": {
        "files": {"workspace/AGENTS.md": "MARK-root\n", "workspace/pkg/AGENTS.md": "MARK-pkg\n", "home/": ""},
        "links": {"workspace/pkg/link.md": "${WORKSPACE}/AGENTS.md"},
        "repositories": ["workspace"],
    },
    "start": {"cwd": "pkg", "turns": [{}]},
    "sentinels": {"MARK-root": "workspace/AGENTS.md", "MARK-pkg": "workspace/pkg/AGENTS.md"},
    "request": [
        {"sentinel": "MARK-root", "role": "user", "times": 1},
        {"sentinel": "MARK-pkg", "role": "user", "times": 1},
    ],
    "cut": [],
    "ordered": True,
}


@pytest.mark.same_everywhere
def test_the_cases_and_the_page_are_those_of_the_captured_sessions() -> None:
    """Run `make generate` if this fails."""
    wanted = conformance_cases.files()
    stale = [path.name for path, text in wanted.items() if path.read_text(encoding="utf-8") != text]
    assert (stale, [path.name for path in FOLDER.glob("cases/*/*.json") if path not in wanted]) == ([], [])


@pytest.mark.same_everywhere
def test_each_case_is_described_by_the_schema_and_says_of_itself_what_it_shows() -> None:
    validator = Draft202012Validator(SCHEMA)
    assert [(case["name"], error.message) for case in CASES for error in validator.iter_errors(case)] == []
    assert [case["name"] for case in CASES if [each.to_json() for each in behaviours(case)] != case["shows"]] == []
    shown = SCHEMA["properties"]["shows"]["items"]["properties"]["behaviour"]["enum"]
    assert shown == list(ROWS) == list(dict.fromkeys(shown))


@pytest.mark.same_everywhere
def test_no_file_of_a_case_can_act_as_instructions() -> None:
    assert {path.suffix for path in FOLDER.rglob("*") if path.is_file()} == {".json", ".md", ".mjs", ".py", ""}
    assert [path.name for path in FOLDER.rglob("*.md")] == ["README.md"]


@pytest.mark.same_everywhere
def test_nothing_of_a_programs_own_text_is_kept() -> None:
    assert [case["name"] for case in CASES if "⟪" in json.dumps(case, ensure_ascii=False)] == []


@pytest.mark.same_everywhere
@pytest.mark.parametrize(
    ("said", "measures"),
    [
        (CASE["request"], (True, True, True, True)),
        (["MARK-root", "MARK-pkg"], (True, True, False, False)),
        (["MARK-pkg", "MARK-root"], (True, False, False, False)),
        (["MARK-root"], (False, False, False, False)),
        ([*CASE["request"][:1], {**CASE["request"][1], "times": 2}], (True, True, True, False)),
        ([*CASE["request"][:1], {**CASE["request"][1], "role": "system"}], (True, True, False, False)),
    ],
)
def test_an_answer_is_measured(said: list[Any], measures: tuple[bool, ...]) -> None:
    found = compared(CASE, {"sentinels": said}, "")
    assert (found.state, (found.which, found.order, found.roles, found.times)) == ("answered", measures)
    assert bool(found.detail) is not measures[-1]


@pytest.mark.same_everywhere
def test_what_is_no_answer_is_none() -> None:
    assert compared(CASE, {"unknown": "no such program"}, "").state == "declined"
    assert compared(CASE, None, "it ended").detail == "it ended"
    assert compared(CASE, {"sentinels": "MARK-root"}, "").state == "failed"
    assert compared(CASE, {"sentinels": [1]}, "").state == "failed"


def test_a_case_is_laid_out(tmp_path: Path) -> None:
    lay_out(CASE, str(tmp_path))
    assert (tmp_path / "workspace/pkg/link.md").read_text(encoding="utf-8") == "MARK-root\n"
    assert (tmp_path / "workspace/.git/HEAD").is_file()
    changed = [(tmp_path / f"workspace/{name}").stat().st_mtime for name in ("AGENTS.md", "pkg/AGENTS.md")]
    assert changed == sorted(set(changed))
    asked = question(CASE, str(tmp_path))
    assert asked["start"]["cwd"] == f"{tmp_path}/workspace/pkg"
    assert "request" not in asked
    assert filled({"${HOME}": ["${SLUG}"]}, "/a b") == {"/a b/home": ["-a-b"]}


@pytest.mark.parametrize("name", ["../out.md", "/etc/x", "workspace/../../x"])
def test_a_case_writes_nothing_outside_of_its_tree(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="outside of its tree"):
        lay_out({**CASE, "tree": {**CASE["tree"], "files": {name: ""}}}, str(tmp_path / "in"))


def test_a_tool_is_asked_with_the_tree_on_disk() -> None:
    program = (
        "import json, os, sys\n"
        "asked = json.load(sys.stdin)\n"
        "there = os.path.isfile('AGENTS.md') and os.environ['HOME'] == asked['home']\n"
        "print(json.dumps({'sentinels': asked['sentinels'] if there else []}))\n"
    )
    assert scored(CASE, [sys.executable, "-c", program]).order
    assert scored(CASE, [sys.executable, "-c", "raise SystemExit('broken')"]).detail == "broken"
    with pytest.raises(UsageError, match="does not start"):
        scored(CASE, ["/no/such/program"])


def test_promptls_answers_a_case(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    lay_out(CASE, str(tmp_path))
    monkeypatch.setenv("HOME", f"{tmp_path}/home")
    monkeypatch.chdir(tmp_path / "workspace")
    given = tmp_path / "asked.json"
    given.write_text(json.dumps(question(CASE, str(tmp_path))), encoding="utf-8")
    with given.open(encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(["conformance", "answer"]) == 0
    assert json.loads(capsys.readouterr().out)["sentinels"] == CASE["request"]


def test_promptls_does_not_answer_for_a_program_that_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> None:
    lay_out(CASE, str(tmp_path))
    given = tmp_path / "asked.json"
    given.write_text(json.dumps({**question(CASE, str(tmp_path)), "program": "nobody"}), encoding="utf-8")
    with given.open(encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(["conformance", "answer"]) == 0
    assert json.loads(capsys.readouterr().out) == {"unknown": "promptls has no previews of nobody"}


def test_a_score_is_a_table(tmp_path: Path, capsys: Any) -> None:
    place = tmp_path / "cases" / "codex"
    place.mkdir(parents=True)
    (place / "one.json").write_text(json.dumps(CASE), encoding="utf-8")
    tool = f'"{sys.executable}" -c "print(\'{{}}\')"'
    assert main(["conformance", "score", tool, "--cases", str(tmp_path / "cases"), "--jobs", "1"]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[1].split() == ["codex", "1", "0", "0", "0", "0", "0"]
    assert "codex/one: failed: its answer has no list “sentinels”" in out
    assert main(["conformance", "score", tool, "--cases", str(tmp_path / "cases"), "--program", "nobody"]) == 2
    assert main(["conformance", "score"]) == 2
    assert main(["conformance", "answer", "x"]) == 2


def test_a_command_may_name_files_of_where_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    place = tmp_path / "cases" / "codex"
    place.mkdir(parents=True)
    (place / "one.json").write_text(json.dumps(CASE), encoding="utf-8")
    (tmp_path / "tools").mkdir()
    said = json.dumps({"sentinels": CASE["request"]})
    (tmp_path / "tools/tool.py").write_text(f"print({said!r})\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["conformance", "score", f'"{sys.executable}" tools/tool.py', "--cases", "cases"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["codex", "1", "1", "1", "1", "1", "1"]


def test_the_table_of_the_installer_answers_for_skills_alone(tmp_path: Path) -> None:
    adapter = runpy.run_path(str(FOLDER / "adapters" / "skills.py"))
    (tmp_path / "dist").mkdir()
    row = (
        'name: "codex",\ndisplayName: "Codex",\nskillsDir: ".agents/skills",\nglobalSkillsDir: join(home, "x", "y"),\n'
    )
    (tmp_path / "dist" / "cli.mjs").write_text(row, encoding="utf-8")
    rows = adapter["table"](str(tmp_path))
    assert rows == {"codex": (".agents/skills", "x/y")}
    work, skill = tmp_path / "workspace", tmp_path / "workspace/.agents/skills/a/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: M-one\n---\nM-two\n", encoding="utf-8")
    asked = {"program": "codex", "start": {"cwd": str(work)}, "home": str(tmp_path / "home"), "top": str(work)}
    asked["sentinels"] = ["M-one", "M-two"]
    assert adapter["answer"](asked, rows) == {"sentinels": ["M-one"]}
    assert "unknown" in adapter["answer"]({**asked, "program": "aider"}, rows)
    (work / "AGENTS.md").write_text("M-two", encoding="utf-8")
    assert "unknown" in adapter["answer"](asked, rows)
