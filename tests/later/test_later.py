"""What is sent later in a session: in sub-agents, after compactions, in modes, by the program on the screen.

The cases are those of ``tests/parts`` with ``session.turns`` and the other keys of a session file; some have
``expect.blocks`` and are in ``tests/requests``. ``expect.tool_sizes`` has the size of each tool.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from promptls.core.model import Message, Prompt
from promptls.core.values import replace
from tests.later.compactions import PLACES, set_times, summarised
from tests.parts.layout import PartsLayout, differences, preview
from tests.requests.test_requests import tools
from tests.wire.case import AT, Case

HERE = Path(__file__).parent
# Sessions whose history no session file can say; they are kept for reading.
ALL = [
    case
    for path in sorted(HERE.glob("cases/*/*.json"))
    if (case := Case(path, json.loads(path.read_text(encoding="utf-8")))).data["tier"] != "knowledge"
]
# The cases that are not exact yet, a line each with the reason; one that has become exact has to be taken off the list.
LINES = (HERE / "not-yet.txt").read_text(encoding="utf-8").splitlines()
NOT_YET = {line.partition(": ")[0] for line in LINES}
# Gemini CLI lists skills in the order in which it has read them, mostly the last name first. The cases have them in the
# order of their names, so that is no difference.
END = "\n  </skill>\n"
SKILL = re.compile(r"  <skill>\n    <name>(?:alpha|beta)</name>")
SKILLS = re.compile(rf"(?:{SKILL.pattern}[\s\S]*?{END})+")


def _written_in_order(case: Case) -> Case:
    def ordered(found: re.Match[str]) -> str:
        return "".join(sorted(f"{each}{END}" for each in found[0].split(END)[:-1]))

    data: dict[str, Any] = json.loads(json.dumps(case.data))
    for part in data["expect"]["parts"]:
        part["text"] = SKILLS.sub(ordered, part["text"])
    return Case(case.path, data)


def _in_order(message: Message) -> Message:
    """The message with the two skills in the order of their names: each is three segments."""
    segments = list(message.segments)
    for at in range(len(segments) - 5):
        if (
            SKILL.match(segments[at].text)
            and segments[at + 3].text < segments[at].text
            and SKILL.match(segments[at + 3].text)
        ):
            segments[at : at + 6] = [*segments[at + 3 : at + 6], *segments[at : at + 3]]
    return replace(message, segments=tuple(segments))


def _tools(case: Case, prompt: Prompt) -> list[str]:
    """As in whole requests; of the tools in a group of Codex only the group has a size of its own."""
    sizes = {name: size for name, size in (case.data["expect"].get("tool_sizes") or {}).items() if "." not in name}
    return list(tools(Case(case.path, {"expect": {"tool_sizes": sizes}}), prompt)) if sizes else []


def _marked(case: Case) -> object:
    return pytest.param(case, id=case.id, marks=[pytest.mark.xfail(strict=True)] if case.id in NOT_YET else [])


@pytest.mark.parametrize("case", [_marked(case) for case in ALL])
def test_the_preview_is_what_was_sent(case: Case, tmp_path: Path) -> None:
    layout = PartsLayout(summarised(_written_in_order(case)), tmp_path / "case", PLACES.get(case.id, AT))
    set_times(layout, case)
    prompt = preview(layout)
    prompt = replace(prompt, messages=tuple(map(_in_order, prompt.messages)))
    assert [*differences(layout, prompt), *_tools(case, prompt)] == []
