"""What the main harnesses send on Windows, as far as it is known: the paths are those that a program there prints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from promptls import harnesses
from promptls.core import prompt_json, render, specs, text_view
from promptls.core.host import Host
from promptls.core.model import Prompt, reading
from promptls.core.values import replace
from promptls.harnesses.installed import installed
from promptls.lsp.uris import path_of
from promptls.sessions.start import Overrides, place_of
from promptls.workspace.settings_file import at
from tests.disk import Link, disk_of
from tests.harnesses.shown import session_at

pytestmark = pytest.mark.same_everywhere
HOME = "C:/Users/me"
# The file in hand, as editors name it: on a drive, in any letter case, and on another machine.
HANDS = {
    "C:\\Users\\me\\proj": "file:///c%3A/Users/me/proj/src/app.py",
    "C:\\USERS\\me\\Proj": "file:///C:/USERS/me/Proj/src/App.py",
    "\\\\server\\share\\proj": "file://server/share/proj/src/app.py",
}
TEXT = "Use tabs.\r\nNo spaces.\r\n"


def host_of(files: Mapping[str, str | bytes | Link | None], **env: str) -> Host:
    """A host of Windows with these files."""
    return Host(
        home=HOME,
        env={"UserProfile": "C:\\Users\\me", **env},
        platform="win32",
        clock=lambda: datetime(2026, 11, 21, 12, tzinfo=UTC),
        disk=disk_of(files),
    )


def preview(uri: str, harness: str, names: tuple[str, ...]) -> Prompt:
    """The prompt for the file in hand, with the same text under each of ``names`` in its repository."""
    top = "//server/share/proj" if "server" in uri else f"{HOME}/proj"
    files = {f"{top}/{name}": TEXT for name in names}
    git = {f"{top}/.git/HEAD": "ref: refs/heads/main\n", f"{top}/.git/objects": None}
    host = host_of({**files, **git, f"{top}/src/app.py": "1\n", HOME: None})
    path = path_of(uri, windows=True)
    place = place_of(host, path)
    session = session_at(host, place, at(host, place).settings, Overrides(harness=harness))
    return harnesses.preview(replace(session, turns=reading(place.reads), is_trusted=True), host)


SENT = {
    "claude-code": (
        "CLAUDE.md",
        "Contents of {proj}\\CLAUDE.md (project instructions, checked into the codebase):\n",
    ),
    "codex": ("AGENTS.md", "# AGENTS.md instructions for {proj}\n\n<INSTRUCTIONS>\n"),
    "opencode": ("AGENTS.md", "Instructions from: {proj}\\AGENTS.md\n"),
    "gemini-cli": ("GEMINI.md", "--- Context from: {proj}\\GEMINI.md ---\n"),
    "copilot-cli": ("src/AGENTS.md", "Custom instructions from src\\AGENTS.md. Apply these"),
    "etcode": ("AGENTS.md", "Instructions from: {proj}\\AGENTS.md\n"),
}


@pytest.mark.parametrize("proj", HANDS)
@pytest.mark.parametrize("harness", SENT)
def test_what_is_sent(harness: str, proj: str) -> None:
    name, label = SENT[harness]
    prompt = preview(HANDS[proj], harness, (name,))
    sent = "".join(each.text for message in prompt.messages for each in message.segments if each.elided is None)
    # The disk knows how a name is spelled, and promptls asks it.
    shown = proj.replace("USERS", "Users").replace("Proj", "proj")
    assert label.format(proj=shown) in sent
    assert TEXT.strip() in sent
    assert "C:/" not in sent


@pytest.mark.parametrize("harness", ["opencode", "etcode"])
def test_the_environment_block(harness: str) -> None:
    sent = "".join(message.text for message in preview(HANDS["C:\\Users\\me\\proj"], harness, ("AGENTS.md",)).messages)
    assert "  Working directory: C:\\Users\\me\\proj\n" in sent
    assert "  Platform: win32\n" in sent


@pytest.mark.parametrize("harness", harnesses.names())
def test_every_preview_says_that_it_is_not_verified(harness: str) -> None:
    prompt = preview(HANDS["C:\\Users\\me\\proj"], harness, ("AGENTS.md",))
    says = f"Not verified on Windows: no session of {harnesses.get(harness).title} has been captured there."
    found = prompt_json.to_json(prompt, ())
    assert not prompt.verified
    assert says in found["notes"]
    assert not found["harness"]["verified"]
    for lines in (text_view.to_text(prompt), render.to_markdown(prompt)):
        text = "\n".join(line.text for line in lines)
        assert says in text
        assert "not verified on the wire)" in text


def test_entries_of_a_configuration_may_have_back_slashes() -> None:
    entries = ["docs\\a.md", "C:\\Users\\me\\proj\\docs/b.md", "~\\c.md", "D:\\d.md", "\\e.md"]
    files = {
        f"{HOME}/proj/etcode.json": json.dumps({"instructions": entries}),
        f"{HOME}/proj/docs/a.md": "a",
        f"{HOME}/proj/docs/b.md": "b",
        f"{HOME}/c.md": "c",
        "D:/d.md": "d",
        "C:/e.md": "e",
    }
    host = host_of(files)
    place = place_of(host, f"{HOME}/proj")
    session = session_at(host, place, at(host, place).settings, Overrides(harness="etcode"))
    prompt = harnesses.preview(session, host)
    loaded = [each.path for each in prompt.candidates if each.outcome == "loaded" and each.use == "instruction"]
    assert loaded == [f"{HOME}/proj/docs/a.md", f"{HOME}/proj/docs/b.md", f"{HOME}/c.md", "D:/d.md", "C:/e.md"]


def test_a_program_that_npm_installed_is_found_by_its_command() -> None:
    npm = f"{HOME}/AppData/Roaming/npm"
    host = host_of(
        {
            f"{npm}/codex.cmd": "@node %~dp0\\node_modules\\@openai\\codex\\bin\\codex.js %*\r\n",
            f"{npm}/node_modules/@openai/codex/package.json": '{"name": "@openai/codex", "version": "0.169.0"}',
        },
        Path="relative;C:\\Windows;C:\\Users\\me\\AppData\\Roaming\\npm",
    )
    assert installed(host, specs.detection("codex"), f"{HOME}/proj") == "0.169.0"
    assert installed(host, specs.detection("codex"), f"{HOME}/AppData") is None


def test_a_program_that_pip_installed_is_found_by_its_command() -> None:
    python = f"{HOME}/AppData/Local/Programs/Python/Python313"
    host = host_of(
        {
            f"{python}/Scripts/kimi.exe": "MZ",
            f"{python}/Lib/site-packages/kimi_cli-1.51.0.dist-info/METADATA": "x",
        },
        Path="C:\\Users\\me\\AppData\\Local\\Programs\\Python\\Python313\\Scripts",
    )
    assert installed(host, specs.detection("kimi-cli"), f"{HOME}/proj") == "1.51.0"


def test_trust_counts_in_any_spelling() -> None:
    config = "[projects.'c:\\users\\ME\\proj']\ntrust_level = \"untrusted\"\n"
    host = host_of(
        {
            f"{HOME}/.codex/config.toml": config,
            f"{HOME}/proj/AGENTS.md": TEXT,
            f"{HOME}/proj/.git/HEAD": "ref: refs/heads/main\n",
            f"{HOME}/proj/.git/objects": None,
        }
    )
    place = place_of(host, f"{HOME}/proj")
    session = session_at(host, place, at(host, place).settings, Overrides(harness="codex"))
    prompt = harnesses.preview(session, host)
    assert {each.state for each in prompt.candidates if each.path == f"{HOME}/proj/AGENTS.md"} == {"untrusted"}


KIND = {"codex": 'developer_instructions = "Be kind."', "opencode": '{"agent": {"build": {"prompt": "Be kind."}}}'}


@pytest.mark.parametrize(
    ("harness", "name", "env"),
    [
        ("codex", "C:/ProgramData/OpenAI/Codex/config.toml", {}),
        ("codex", "D:/Data/OpenAI/Codex/config.toml", {"ProgramData": "D:\\Data"}),
        ("codex", f"{HOME}/.codex/managed_config.toml", {}),
        ("opencode", "C:/ProgramData/opencode/opencode.json", {}),
        ("opencode", "D:/Data/opencode/opencode.json", {"ProgramData": "D:\\Data"}),
    ],
)
def test_what_counts_for_the_machine(harness: str, name: str, env: dict[str, str]) -> None:
    host = host_of({f"{HOME}/proj/a.md": TEXT, name: KIND[harness]}, **env)
    place = place_of(host, f"{HOME}/proj")
    session = session_at(host, place, at(host, place).settings, Overrides(harness=harness))
    assert "Be kind." in "".join(message.text for message in harnesses.preview(session, host).messages)


def test_variables_have_names_in_any_letter_case() -> None:
    text = '{"instructions": ["{env:MyRules}", "{env:MYRULES}", "{env:Nothing}x.md"]}'
    files = {f"{HOME}/proj/opencode.json": text, f"{HOME}/proj/docs/a.md": TEXT}
    host = host_of(files, myRules="docs/a.md")
    assert "Myrules" in host.env
    assert host.env["MYrules"] == host.env.get("myrules") == "docs/a.md"
    place = place_of(host, f"{HOME}/proj")
    session = session_at(host, place, at(host, place).settings, Overrides(harness="opencode"))
    named = [each for each in harnesses.preview(session, host).candidates if each.origin.kind == "config"]
    assert sorted((each.path or "", each.outcome) for each in named if each.use == "instruction") == [
        (f"{HOME}/proj/docs/a.md", "duplicate"),
        (f"{HOME}/proj/docs/a.md", "loaded"),
        (f"{HOME}/proj/x.md", "missing"),
    ]
