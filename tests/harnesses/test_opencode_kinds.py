"""What opencode takes of an agent: each line was tried with the real program (captured: agent-kinds)."""

from __future__ import annotations

import pytest

from promptls.core.host import Host
from promptls.core.model import Session
from promptls.harnesses import preview
from tests.disk import disk_of

pytestmark = pytest.mark.same_everywhere
ROOT = "/home/user/project"


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("temperature: hot", "temperature must be a number"),
        ("top_p: x", "top_p must be a number"),
        ("steps: x", "steps must be a number"),
        ("maxSteps: x", "maxSteps must be a number"),
        ("tools: Read, Grep", "tools must be an object"),
        ("tools: [Read]", "tools must be an object"),
        ("tools: {bash: x}", "tools.bash must be a true or a false"),
        ("tools: {bash: false}", None),
        ("model: 5", "model must be a string"),
        ("variant: 5", "variant must be a string"),
        ('disable: "yes"', "disable must be a true or a false"),
        ("hidden: 1", "hidden must be a true or a false"),
        ("mode: worker", "is none of primary, subagent, all"),
        ("permission: 5", "permission must be a string or an object"),
        ("permission: {edit: maybe}", "permission must be one of ask, allow, deny"),
        ("permission: {bash: {ls: maybe}}", "permission must be one of ask, allow, deny"),
        ("permission: deny", None),
        ("permission: {bash: {ls: allow}, edit: deny}", None),
        ("options: x", "options must be an object"),
        ("color: primary", None),
        ('color: "#ff0000"', None),
        ('color: "#f00"', "color must be as #ff0000"),
        ("color: blue", "color must be as #ff0000"),
        ("description:", "description must be a string"),
        ("prompt: 5", None),
    ],
)
def test_a_value_of_another_kind_ends_it(line: str, ends: str | None) -> None:
    agent = f"---\n{line}\n---\nBe kind.\n"
    disk = disk_of({f"{ROOT}/.git": None, f"{ROOT}/.opencode/agents/mine.md": agent})
    prompt = preview(Session("opencode", ROOT), Host(home="/home/user", env={}, disk=disk))
    assert (ends is None) == (prompt.stopped is None)
    assert (ends or "") in (prompt.stopped or "")


@pytest.mark.parametrize("name", ["title", "compaction", "summary"])
def test_a_hidden_agent_is_nobodys_default(name: str) -> None:
    disk = disk_of({f"{ROOT}/.git": None, f"{ROOT}/opencode.json": f'{{"default_agent": "{name}"}}'})
    prompt = preview(Session("opencode", ROOT), Host(home="/home/user", env={}, disk=disk))
    assert prompt.stopped == f"opencode ends, because its default_agent {name} is hidden. Name another one."
