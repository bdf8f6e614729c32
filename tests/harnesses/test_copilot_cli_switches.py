"""What one setting, or one option, changes in Copilot CLI."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, changed, preview

pytestmark = pytest.mark.same_everywhere
CONFIG = "~/.copilot/config.json"
BASE: dict[str, object] = {"trusted_folders": []}
PLAIN: Files = {
    "AGENTS.md": "root",
    "CLAUDE.md": "claude",
    "GEMINI.md": "gemini",
    "b/AGENTS.md": "below",
    ".github/copilot-instructions.md": "hub",
    ".github/instructions/a.instructions.md": "---\napplyTo: '**'\n---\nall",
    ".github/instructions/b.instructions.md": "---\napplyTo: '*.py'\n---\npy",
    "~/.copilot/copilot-instructions.md": "user",
    ".github/skills/s/SKILL.md": "---\nname: s\ndescription: a skill\n---\nbody",
    ".github/agents/rev.md": "---\ndescription: reviews\n---\nReview.",
    ".mcp.json": {"mcpServers": {"m": {"command": "c"}}},
    ".github/hooks/h.json": {"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "echo"}]}},
    "~/.copilot/config.json": {"trusted_folders": []},
}


SETTINGS = "~/.copilot/settings.json"


# Seen by verify, with 1.0.102.
@pytest.mark.parametrize(
    ("settings", "session", "expected"),
    [
        ({"includeCoAuthoredBy": False}, {}, "-notices, rest 537 +notices, rest 262"),
        ({"includeCoAuthoredBy": True}, {}, ""),
        ({"disabledSkills": ["customize-cloud-agent"]}, {}, "-description of skill customize-cloud-agent 329"),
        ({"disabledSkills": ["s"]}, {}, "-skill s 'a skill'"),
        ({"defaultMode": "plan"}, {}, ""),
        ({"askUser": False}, {}, ""),
    ],
)
def test_the_settings_of_the_user(
    tmp_path: Path, settings: dict[str, object], session: dict[str, object], expected: str
) -> None:
    assert changed(tmp_path, "copilot-cli", PLAIN, {SETTINGS: settings}, **session) == expected


@pytest.mark.parametrize(
    ("settings", "args", "expected"),
    [
        ({}, ("--no-ask-user",), "-ask_user"),
        ({"askUser": False}, (), "-ask_user"),
        ({"defaultMode": "plan"}, (), "+exit_plan_mode +task_complete"),
        ({}, ("--mode", "plan"), "+exit_plan_mode +task_complete"),
        ({"defaultMode": "plan"}, ("--mode", "interactive"), ""),
        ({"defaultMode": "autopilot"}, (), "+task_complete"),
    ],
)
def test_a_session_on_the_screen(
    tmp_path: Path, settings: dict[str, object], args: tuple[str, ...], expected: str
) -> None:
    """Seen by verify, with 1.0.102."""
    before, after = (
        {
            tool.name
            for tool in preview(tmp_path / each, "copilot-cli", {SETTINGS: said}, interactive=True, args=own).tools
            or ()
            if tool.enabled
        }
        for each, said, own in (("1", {}, ()), ("2", settings, args))
    )
    assert (
        " ".join([*(f"-{name}" for name in before - after), *(f"+{name}" for name in sorted(after - before))])
        == expected
    )


@pytest.mark.parametrize(
    ("args", "env", "is_interactive", "named"),
    [
        (("--fleet", "--max-ai-credits", "9"), {}, False, ["--fleet", "--max-ai-credits"]),
        (("--experimental",), {}, False, []),
        (("--experimental",), {}, True, ["--experimental"]),
        (("--yolo", "--context", "default", "--name", "n", "--no-ask-user", "--mode", "plan"), {}, False, []),
        ((), {"COPILOT_PLAN_THEN_AUTOPILOT": "1"}, False, ["COPILOT_PLAN_THEN_AUTOPILOT"]),
    ],
)
def test_what_is_not_shown_is_named(
    tmp_path: Path, args: tuple[str, ...], env: dict[str, str], named: list[str], *, is_interactive: bool
) -> None:
    prompt = preview(tmp_path, "copilot-cli", {}, args=args, env=env, interactive=is_interactive)
    assert [each.origin.name for each in prompt.candidates if "does not model" in each.why] == named


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"trusted_folders": ["/"]}, "+text of hook echo"),
        ({"trusted_folders": ["/elsewhere"]}, ""),
    ],
)
def test_a_setting(tmp_path: Path, config: dict[str, object], expected: str) -> None:
    assert changed(tmp_path, "copilot-cli", PLAIN, {CONFIG: {**BASE, **config}}) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            ("--no-custom-instructions",),
            (
                "-~/.copilot/copilot-instructions.md 'user' -.github/copilot-instructions.md 'hub' "
                "-AGENTS.md 'root' -CLAUDE.md 'claude' -GEMINI.md 'gemini' "
                "-.github/instructions/a.instructions.md \"---\\napplyTo: '**'\\n---\\nall\" -paragraph "
                'before the table 386 -row for .github/instructions/b.instructions.md "\\n| *.py | '
                "'.github/instructions/b.instructions.md' |  |\""
            ),
        ),
        (("--agent", "rev"), "+introduction of the agent 210 +prompt of agent rev 'Review.'"),
        (("--agent", "nobody"), ""),
        (("--unknown",), ""),
    ],
)
def test_an_option(tmp_path: Path, args: tuple[str, ...], expected: str) -> None:
    assert changed(tmp_path, "copilot-cli", PLAIN, {}, args=args) == expected
