"""What one key of opencode.json, or one option, changes in opencode."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.sessions.later import delegating
from tests.harnesses.shown import Files, changed, preview

pytestmark = pytest.mark.same_everywhere
CONFIG = "opencode.json"
BASE: dict[str, object] = {"model": "anthropic/claude-sonnet-4-5"}
PLAIN: Files = {
    "AGENTS.md": "root",
    "CLAUDE.md": "claude",
    "b/AGENTS.md": "below",
    "~/.config/opencode/AGENTS.md": "global",
    "~/.claude/CLAUDE.md": "user claude",
    ".opencode/agent/rev.md": "---\ndescription: reviews\n---\nReview.",
    ".opencode/skill/s/SKILL.md": "---\nname: s\ndescription: a skill\n---\nbody",
    ".opencode/command/c.md": "do $ARGUMENTS",
    "b/x.md": "named",
    "opencode.json": {**BASE, "mcp": {"srv": {"type": "local", "command": ["c"], "enabled": False}}},
}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"instructions": ["b/x.md"]}, "+b/x.md 'named'"),
        ({"instructions": ["b/x*.md"]}, "+b/x.md 'named'"),
        ({"instructions": ["gone.md", "~/.claude/CLAUDE.md"]}, "+~/.claude/CLAUDE.md 'user claude'"),
        (
            {"instructions": "b/x.md"},
            ("nothing is sent: opencode ends, because opencode.json is not valid: this must be an array."),
        ),
        (
            {"model": "openai/gpt-5"},
            "-provider template anthropic.txt 8212 +provider template gpt.txt 9274 -model 104 +model 77",
        ),
        (
            {"model": "google/gemini-2.5-pro"},
            "-provider template anthropic.txt 8212 -model 104 +provider template gemini.txt 15372 +model 95",
        ),
        (
            {"model": "x/unknown"},
            ("-provider template anthropic.txt 8212 +provider template default.txt 8528 -model 104 +model 76"),
        ),
        ({"default_agent": "plan"}, "-description of agent general 149 +reminder of plan mode 1446"),
        ({"default_agent": "rev"}, "-provider template anthropic.txt 8212 +prompt of agent rev 'Review.'"),
        (
            {"default_agent": "nobody"},
            ("nothing is sent: opencode ends, because its default_agent nobody is not known. Name another one."),
        ),
        (
            {"agent": {"build": {"prompt": "mine"}}},
            "-provider template anthropic.txt 8212 +prompt of agent build 'mine'",
        ),
        ({"agent": {"build": {"disable": True}}}, "-description of agent general 149 +reminder of plan mode 1446"),
        ({"agent": {"rev": {"disable": True}}}, "-description of agent rev 'reviews'"),
        (
            {"default_agent": "title"},
            "nothing is sent: opencode ends, because its default_agent title is hidden. Name another one.",
        ),
        (
            {"default_agent": "title", "agent": {"title": {"hidden": False, "prompt": "mine"}}},
            (
                "-provider template anthropic.txt 8212 +prompt of agent title 'mine' -introduction of skills 145 "
                "-description of skill customize-opencode 386 -skill s 'a skill' -description of tool task 2306 "
                "-description of agent explore 484 -description of agent general 149 "
                "-description of agent rev 'reviews'"
            ),
        ),
        (
            {"agent": {"rev": {"mode": "primary"}}, "default_agent": "rev"},
            (
                "-provider template anthropic.txt 8212 +prompt of agent rev 'Review.' "
                "-description of agent rev 'reviews'"
            ),
        ),
        (
            {"tools": {"skill": False}},
            ("-introduction of skills 145 -description of skill customize-opencode 386 -skill s 'a skill'"),
        ),
        (
            {"tools": {"*": False}},
            (
                "-introduction of skills 145 -description of skill customize-opencode 386 -skill s 'a "
                "skill' -description of tool task 2306 -description of agent explore 484 -description of "
                "agent general 149 -description of agent rev 'reviews'"
            ),
        ),
        (
            {"tools": {"task": False}},
            (
                "-description of tool task 2306 -description of agent explore 484 -description of agent "
                "general 149 -description of agent rev 'reviews'"
            ),
        ),
        (
            {"permission": {"skill": "deny"}},
            ("-introduction of skills 145 -description of skill customize-opencode 386 -skill s 'a skill'"),
        ),
        ({"permission": {"skill": {"s": "deny"}}}, "-skill s 'a skill'"),
        ({"permission": {"skill": {"*": "deny", "s": "allow"}}}, "-description of skill customize-opencode 386"),
        (
            {"permission": {"task": "deny"}},
            (
                "-description of tool task 2306 -description of agent explore 484 -description of agent "
                "general 149 -description of agent rev 'reviews'"
            ),
        ),
        (
            {"permission": {"*": "deny"}},
            (
                "-introduction of skills 145 -description of skill customize-opencode 386 -skill s 'a "
                "skill' -description of tool task 2306 -description of agent explore 484 -description of "
                "agent general 149 -description of agent rev 'reviews'"
            ),
        ),
        ({"permission": {"*": "ask"}}, ""),
        ({"mcp": {"m": {"type": "local", "command": ["c"]}}}, "+instructions of the MCP server m"),
        ({"mcp": {"m": {"type": "local", "command": ["c"], "enabled": False}}}, ""),
        (
            {"provider": {"own": {"npm": "@ai-sdk/anthropic", "models": {"m": {}}}}, "model": "own/m"},
            ("-provider template anthropic.txt 8212 +provider template default.txt 8528 -model 104 +model 66"),
        ),
        ({"unknown": 1}, ""),
        (
            {"agent": {"rev": {"tools": "Read"}}},
            "nothing is sent: opencode ends, because opencode.json is not valid: tools must be an object.",
        ),
        (
            {"default_agent": "title", "agent": {"title": {"hidden": False, "prompt": ""}}},
            (
                "-introduction of skills 145 -description of skill customize-opencode 386 -skill s 'a skill' "
                "-description of tool task 2306 -description of agent explore 484 -description of agent general 149 "
                "-description of agent rev 'reviews'"
            ),
        ),
        (
            {"agent": {"build": {"model": "openai/gpt-5"}}},
            "-provider template anthropic.txt 8212 +provider template gpt.txt 9274 -model 104 +model 77",
        ),
        (
            {"permissions": {}},
            (
                "nothing is sent: opencode ends, because opencode.json is not valid: "
                "opencode has no key permissions, only permission."
            ),
        ),
        ({"model": 1}, ("nothing is sent: opencode ends, because opencode.json is not valid: this must be a string.")),
    ],
)
def test_a_key(tmp_path: Path, config: dict[str, object], expected: str) -> None:
    assert changed(tmp_path, "opencode", PLAIN, {CONFIG: {**BASE, **config}}) == expected


@pytest.mark.parametrize("text", [" ", "// nothing", "x", "[]", "{"])
def test_a_configuration_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    assert changed(tmp_path, "opencode", PLAIN, {CONFIG: text}).startswith(
        "nothing is sent: opencode ends, because opencode.json is not valid: "
    )


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("run", "x"), "-prompt 'hi' +prompt 'x hi'"),
        (("run", "--command", "init"), "-prompt 'hi' +command init …"),
        (("run", "--command", "srv:p"), "-prompt 'hi' +prompt srv:p"),
        (
            ("run", "--command", "srv"),
            "nothing is sent: opencode ends, because there is no command srv. Fix --command.",
        ),
        (
            ("run", "--command", "t:p"),
            "nothing is sent: opencode ends, because there is no command t:p. Fix --command.",
        ),
        (("--agent", "plan"), "-description of agent general 149 +reminder of plan mode 1446"),
        (("--agent", "rev"), "-provider template anthropic.txt 8212 +prompt of agent rev 'Review.'"),
        (("--agent", "nobody"), ""),
        (
            ("--model", "openai/gpt-5"),
            "-provider template anthropic.txt 8212 +provider template gpt.txt 9274 -model 104 +model 77",
        ),
        (("-m", "anthropic/claude-opus-4-1"), "-model 104 +model 100"),
        (("run", "--command", "c", "args"), "-prompt 'hi' +command 'do args hi'"),
        (("--unknown",), ("nothing is sent: opencode ends, because it does not know the option --unknown. Remove it.")),
        (
            ("run", "-f", "gone.md"),
            "nothing is sent: opencode ends, because there is no file gone.md to attach. Fix --file.",
        ),
        (("run", "-f", "b/x.md"), "+attached file 68 +b/x.md '1: named' +b/AGENTS.md 'below'"),
    ],
)
def test_an_option(tmp_path: Path, args: tuple[str, ...], expected: str) -> None:
    assert changed(tmp_path, "opencode", PLAIN, {}, args=args) == expected


# Seen by verify, with 1.18.33.
@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("opencode/big-pickle", True),
        ("opencode/gpt-5", True),
        ("opencode-go/kimi-k2.5", True),
        ("openrouter/opencode/m", False),
        ("anthropic/claude-sonnet-4-5", False),
    ],
)
def test_the_models_of_its_maker_bring_a_search(tmp_path: Path, model: str, *, expected: bool) -> None:
    for name, turns in {"main": (), "explore": delegating("opencode", (), "explore: look")}.items():
        tools = preview(tmp_path / name, "opencode", {}, model=model, turns=turns).tools or ()
        assert any(each.name == "websearch" and each.enabled for each in tools) is expected


# Seen by verify, with 1.18.33.
@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ("OPENCODE_ENABLE_EXA=1", "websearch 1924"),
        ("OPENCODE_ENABLE_EXA=0", ""),
        ("OPENCODE_EXPERIMENTAL_PARALLEL=yes", "websearch 1924"),
        ("OPENCODE_EXPERIMENTAL_LSP_TOOL=1", "lsp 2248"),
        ("OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS=1", "task +491"),
        ("OPENCODE_EXPERIMENTAL=1", "lsp 2248, task +491, websearch 1924"),
        ("OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS=1", "bash -5"),
        ("OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS=5000000", "bash +1"),
        ("OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS=abc", ""),
    ],
)
def test_a_variable(tmp_path: Path, variables: str, expected: str) -> None:
    """The tools that a variable brings, with the sizes of their definitions, or by how much one is longer."""
    was, found = (
        {
            tool.name: tool.size or 0
            for tool in preview(tmp_path / name, "opencode", {}, env=env, model="anthropic/m").tools or ()
        }
        for name, env in (("1", {}), ("2", dict([variables.split("=")])))
    )
    changes = [
        f"{name} {size - was[name]:+d}" if name in was else f"{name} {size}"
        for name, size in sorted(found.items())
        if size != was.get(name)
    ]
    assert ", ".join(changes) == expected


@pytest.mark.parametrize(
    ("config", "variable", "expected"),
    [
        ({}, "", 0),
        ({"shell": "/bin/sh"}, "", -2),
        ({"shell": "zsh"}, "/bin/bash", -1),
        ({}, "/bin/sh", -2),
        ({"tool_output": {"max_lines": 10}}, "", -2),
        ({"tool_output": {"max_lines": 100, "max_bytes": 1}}, "", -5),
        ({}, "/bin/bash", 0),
    ],
)
def test_what_the_shell_is_told(tmp_path: Path, config: dict[str, object], variable: str, expected: int) -> None:
    """Seen by verify, with 1.18.33."""
    sizes = [
        next(
            tool.size or 0
            for tool in preview(tmp_path / each, "opencode", {CONFIG: {**BASE, **own}}, env=env).tools or ()
            if tool.name == "bash"
        )
        for each, own, env in (("1", {}, {}), ("2", config, {"SHELL": variable}))
    ]
    assert sizes[1] - sizes[0] == expected
