"""What a prompt tells of the program's own place and of the machine: known where this version is installed here."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt
from promptls.core.settings import DEFAULT, Settings
from promptls.core.totals import is_at_least
from promptls.core.values import replace
from promptls.harnesses.pi.files import USUAL
from promptls.sessions.habits import habits_of
from promptls.sessions.start import start_of
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
KNOWN_HERE = ("gemini-cli", "copilot-cli")
PACKAGES = {
    "gemini-cli": "@google/gemini-cli",
    "copilot-cli": "@github/copilot",
    "pi": "@earendil-works/pi-coding-agent",
}
COMMANDS = {"gemini-cli": "gemini", "copilot-cli": "copilot", "pi": "pi"}
SKILL = "bundle/builtin/skill-creator/SKILL.md"


def installed(top: Path, harness: str, version: str = "", *programs: str) -> Host:
    """A machine with a program, in the newest known version or another, and with others beside it on PATH."""
    package = f"lib/node_modules/{PACKAGES[harness]}"
    version = version or harnesses.get(harness).versions[0].name
    here = lay_out(
        top / "machine",
        {
            f"{package}/package.json": f'{{"name": "{PACKAGES[harness]}", "version": "{version}"}}',
            f"{package}/{SKILL}": "---\nname: skill-creator\n---\n",
            f"{package}/start.js": "",
            **{f"bin/{each}": "" for each in programs},
        },
        git=False,
    )
    (here / "bin").mkdir(exist_ok=True)
    (here / "bin" / COMMANDS[harness]).symlink_to(here / package / "start.js")
    return Host(home=str(top / "home"), env={"PATH": str(here / "bin")}, platform="linux")


def shown(top: Path, host: Host, harness: str, version: str = "") -> Prompt:
    folder = lay_out(top / "folder", {"AGENTS.md": "Use tabs.\n"})
    start = start_of(f"{harness}{version}", Settings(harness=harness), habits_of(host, str(folder)))
    return harnesses.preview(replace(start, cwd=str(folder)), host)


def texts(prompt: Prompt) -> str:
    return "".join(each.text for message in prompt.messages for each in message.segments)


def test_gemini_names_the_place_of_its_own_skills(tmp_path: Path) -> None:
    prompt = shown(tmp_path, installed(tmp_path, "gemini-cli"), "gemini-cli")
    place = tmp_path / "machine/lib/node_modules/@google/gemini-cli" / SKILL
    assert f"<location>{place}</location>" in texts(prompt)
    (unseen,) = [each for each in _unknown(prompt) if each.startswith("place")]
    assert unseen == "place of skill antigravity-support", "it is not in this package"


def test_copilot_names_the_programs_that_it_finds(tmp_path: Path) -> None:
    prompt = shown(tmp_path, installed(tmp_path, "copilot-cli", "", "gh", "wget", "git"), "copilot-cli")
    assert "\n* Available tools: git, gh\n</environment_context>" in texts(prompt)
    assert not is_at_least(prompt)


def test_what_it_says_without_any_is_not_known(tmp_path: Path) -> None:
    prompt = shown(tmp_path, installed(tmp_path, "copilot-cli", "", "wget"), "copilot-cli")
    assert "line on programs that are installed" in _unknown(prompt)


@pytest.mark.parametrize("harness", KNOWN_HERE)
def test_another_version_is_in_another_place(tmp_path: Path, harness: str) -> None:
    newest = harnesses.get(harness).versions[0].name
    for number, (here, asked) in enumerate((("0.0.1", f"@{newest}"), (newest, "@0.0.1"))):
        top = tmp_path / str(number)
        prompt = shown(top, installed(top, harness, here, "git"), harness, asked)
        assert is_at_least(prompt)


@pytest.mark.parametrize("harness", KNOWN_HERE)
def test_what_a_team_is_told_is_the_same_on_every_machine(tmp_path: Path, harness: str) -> None:
    folder = lay_out(tmp_path / "folder", {"AGENTS.md": "Use tabs.\n"})
    host = installed(tmp_path, harness, "", "git")
    prompt = harnesses.preview(replace(start_of(harness, DEFAULT), cwd=str(folder)), host)
    assert is_at_least(prompt)


def test_the_length_of_its_own_place_counts_but_not_of_one_in_the_folder(tmp_path: Path) -> None:
    def size(top: Path, host: Host) -> int:
        return sum(each.characters for message in shown(top, host, "pi").messages for each in message.segments)

    place = tmp_path / "machine/lib/node_modules" / PACKAGES["pi"]
    bare = size(tmp_path / "0", Host(home=str(tmp_path / "home"), env={}, platform="linux"))
    times, left = divmod(size(tmp_path / "1", installed(tmp_path, "pi")) - bare, len(str(place)) - len(USUAL))
    assert (times, left) == (3, 0)
    inside = installed(tmp_path / "2/folder", "pi")
    assert size(tmp_path / "2", inside) == bare, "a folder must not decide it"


def _unknown(prompt: Prompt) -> list[str]:
    found = [each for message in prompt.messages for each in message.segments]
    return [each.title for each in found if each.elided is not None and each.elided.size is None]
