from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from promptls.cli import main
from tests.cli.conftest import Check, reported
from tests.folder import lay_out

FILES: dict[str, str | bytes | dict[str, object]] = {
    "opencode.json": {"instructions": ["gone.md", "*.gone"]},
    "lib/opencode.json": {"instructions": ["nowhere.md"]},
}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("", ["instruction-missing", "instruction-missing", "glob-empty"]),
        ('rules = {instruction-missing = "off"}', ["glob-empty"]),
        ('exclude = ["lib/"]', ["instruction-missing", "glob-empty"]),
        ('exclude = ["**/opencode.json"]', []),
    ],
)
@pytest.mark.parametrize("shared", [False, True])
def test_rules_and_exclude(tmp_path: Path, check: Check, settings: str, expected: list[str], shared: bool) -> None:
    name, text = ("pyproject.toml", f"[tool.promptls]\n{settings}\n") if shared else ("promptls.toml", settings)
    assert [code for _, _, code in reported(check(lay_out(tmp_path, {**FILES, name: text})))] == expected


def test_the_severity_of_a_rule(tmp_path: Path, check: Check) -> None:
    folder = lay_out(tmp_path, {**FILES, "promptls.toml": '[rules]\ninstruction-missing = "hint"\n'})
    found = check(folder)
    assert found["code"] == 0
    assert found["summary"] == {"error": 0, "warning": 1, "information": 0, "hint": 2}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("harnes = 'etcode'\n", (1, 0, 6, "config-key", "promptls has no key “harnes”; write “harness”.")),
        ("[urls]\nslow = 1\n", (2, 0, 4, "config-key", "promptls has no key “slow” in [urls]; write “slowMs”.")),
        (
            "[rules]\nurl-slwo = 'off'\n",
            (2, 0, 8, "config-key", "promptls has no rule “url-slwo”; write “url-slow”."),
        ),
        (
            "harnesses = ['etcod']",
            (1, 13, 20, "config-key", "promptls does not support the harness “etcod”; write “etcode”."),
        ),
        (
            "[urls]\nslowMs = 'x'\n",
            (
                2,
                9,
                12,
                "config-type",
                "This has to be a whole number, but it is a text; promptls ignores it. Fix or remove it.",
            ),
        ),
        (
            "[rules]\nurl-slow = 'of'\n",
            (
                *(2, 11, 15, "config-type"),
                None,
            ),
        ),
        (
            "[budgets]\nwindow = 101\n",
            (2, 9, 12, "config-type", "This has to be at most 100; promptls ignores it. Fix or remove it."),
        ),
        (
            "budgets = 3\n",
            (
                1,
                10,
                11,
                "config-type",
                "This has to be a table, but it is a number; promptls ignores it. Fix or remove it.",
            ),
        ),
        ("model = \n", (1, 0, 7, "config-invalid", None)),
    ],
)
def test_what_is_wrong_in_the_settings(
    tmp_path: Path, check: Check, text: str, expected: tuple[int, int, int, str, str | None]
) -> None:
    (problem,) = check(lay_out(tmp_path, {"promptls.toml": text}))["problems"]
    line, first, last, code, message = expected
    where = problem["range"]
    found = (where["start"]["line"] + 1, where["start"]["character"], where["end"]["character"], problem["code"])
    assert (problem["path"], found) == ("promptls.toml", (line, first, last, code))
    assert message in (None, problem["message"])


def test_the_nearest_file_counts(tmp_path: Path, check: Check) -> None:
    folder = lay_out(
        tmp_path,
        {
            **FILES,
            "promptls.toml": '[rules]\ninstruction-missing = "off"\nglob-empty = "off"\n',
            "lib/pyproject.toml": "[tool.promptls]\n",
        },
    )
    assert reported(check(folder)) == []
    assert reported(check(folder / "lib")) == [("opencode.json", 1, "instruction-missing")]


def test_a_preview_takes_the_settings_of_the_file(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    folder = lay_out(tmp_path, {**FILES, "promptls.toml": "harness = 'codex'\nmodel = 'm'\ncwd = 'lib'\n"})

    def shown(*args: str) -> tuple[str, str | None, str]:
        assert main(["preview", str(folder), "--format", "json", "--no-network", *args]) == 0
        session = json.loads(capsysbinary.readouterr().out)
        return session["harness"]["name"], session["session"]["model"], session["session"]["cwd"]

    assert shown() == ("codex", "m", str(folder / "lib"))
    assert shown("--model", "n", "--cwd", str(folder)) == ("codex", "n", str(folder))
    assert shown("--harness", "etcode")[:2] == ("etcode", None)


def test_the_schema_of_the_settings(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["config", "schema"]) == 0
    schema = json.loads(capsysbinary.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    good = {"harness": "x", "urls": {"slowMs": 3}, "rules": {"url-slow": "off"}, "budgets": {"tokens": 9}}
    jsonschema.validate(good, schema)
    for bad in ({"harnes": "x"}, {"rules": {"url-slow": "no"}}, {"budgets": {"tokens": 0}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)


def test_the_rules_are_listed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["rules"]) == 0
    assert b"suppression-unused" in capsysbinary.readouterr().out
    assert main(["rule", "url-slow"]) == 0
    assert b"url-slow" in capsysbinary.readouterr().out
    assert main(["rule", "url-slwo"]) == 2
    assert b"url-slow" in capsysbinary.readouterr().err


HINT = '<system_hint type="tool_degraded" tool="search">slow</system_hint>'


def test_tools_and_hints_of_mini_claude_code(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    text = f"hints = ['{HINT}']\n\n[tools]\nsearch = 'Look first.'\nwrite = 'Then write.'\n"
    folder = lay_out(tmp_path, {"SYSTEM_PROMPT.md": "Help.", "promptls.toml": text})
    assert main(["preview", str(folder), "--format", "json"]) == 0
    prompt = json.loads(capsysbinary.readouterr().out)
    assert [tool["name"] for tool in prompt["tools"]] == ["search", "write"]
    assert "- **search**：Look first.\n- **write**：Then write.\n" in prompt["messages"][0]["text"]
    assert prompt["messages"][0]["text"].endswith(HINT)
    assert prompt["problems"] == []


@pytest.mark.parametrize("shared", [False, True])
def test_a_hint_is_wrong_where_it_stands(tmp_path: Path, check: Check, shared: bool) -> None:
    head, name = ("[tool.promptls]\n", "pyproject.toml") if shared else ("", "promptls.toml")
    text = f"{head}hints = [\n  'free text',\n  '{HINT}',\n  '{HINT.replace('search', 'bash')}',\n]\n"
    folder = lay_out(tmp_path, {"SYSTEM_PROMPT.md": "Help.", name: text})
    assert reported(check(folder)) == [(name, 3 + shared, "hint-invalid")]


def test_what_is_said_of_no_harness_by_name_is_said_of_the_one_that_is_found(tmp_path: Path, check: Check) -> None:
    text = "args = ['-c', 'project_doc_max_bytes=5']\n"
    folder = lay_out(tmp_path, {"AGENTS.override.md": "Longer.", "GEMINI.md": "x", "promptls.toml": text})
    assert reported(check(folder)) == [("AGENTS.override.md", 1, "cut")]
    # Of another one it is not.
    (folder / "promptls.toml").write_text(f"harness = 'gemini-cli'\n{text}")
    assert reported(check(folder)) == []
