"""OpenHands: what hangs on the order in which the disk lists a directory."""

from __future__ import annotations

import pytest

from promptls.core.host import Host
from promptls.core.model import Session
from promptls.harnesses import preview
from tests.disk import disk_of

pytestmark = pytest.mark.same_everywhere
ROOT = "/home/user/project"


@pytest.mark.parametrize(
    ("names", "hangs"),
    [
        (("AGENTS.md",), False),
        (("AGENTS.md", "agent.md"), True),
        (("AGENTS.md", "CLAUDE.md"), True),
        # One in the working directory, one in the git root: those come one after the other on every disk.
        (("api/AGENTS.md", "CLAUDE.md"), False),
    ],
)
def test_it_says_when_another_machine_may_send_something_else(names: tuple[str, ...], hangs: bool) -> None:
    disk = disk_of({f"{ROOT}/.git": None, f"{ROOT}/api": None, **{f"{ROOT}/{name}": name for name in names}})
    prompt = preview(
        Session("openhands", f"{ROOT}/api" if "/" in names[0] else ROOT), Host(home="/home/user", env={}, disk=disk)
    )
    assert any("order of the directory on the disk" in note for note in prompt.notes) == hangs


@pytest.mark.parametrize(("length", "is_known"), [(1024, True), (1025, False)])
def test_the_first_line_of_a_skill_stands_for_its_description_unless_it_is_cut(length: int, is_known: bool) -> None:
    line = "a" * length
    disk = disk_of({f"{ROOT}/.git": None, f"{ROOT}/.agents/skills/x/SKILL.md": f"---\nname: x\n---\n{line}\n"})
    prompt = preview(Session("openhands", ROOT), Host(home="/home/user", env={}, disk=disk))
    assert (line in "".join(message.text for message in prompt.messages)) == is_known
