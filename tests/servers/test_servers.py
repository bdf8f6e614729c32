"""What the tools and instructions of MCP servers become in five programs, with what each server answered.

The cases are those of ``tests/later`` with ``servers``, which is what ``preview --servers`` takes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.core.model import Session
from promptls.core.values import replace
from promptls.workspace.servers_file import parse
from tests.parts.layout import PartsLayout, differences, preview
from tests.requests.test_requests import SHARE
from tests.wire.case import Case

HERE = Path(__file__).parent
ALL = [Case(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(HERE.glob("cases/*/*.json"))]
# The cases that cannot hold, a line each with the reason.
LINES = (HERE / "not-yet.txt").read_text(encoding="utf-8").splitlines()
NOT_YET = dict(line.split(": ", 1) for line in LINES)
# Cases of a folder that was trusted, which they do not say.
TRUSTED = ("codex/clash-project", "codex/merge-project", "copilot-cli/clash-config")


class WithServers(PartsLayout):
    """A case on disk, and what its servers answered."""

    def host(self) -> Host:
        """What the program could see."""
        found = super().host()
        found.servers = parse(json.dumps(self.case.data["servers"]).encode(), "The servers")
        return found

    def session(self) -> Session:
        """How the program was started."""
        return replace(super().session(), is_trusted=self.case.id in TRUSTED)


def _marked(case: Case) -> object:
    reason = NOT_YET.get(case.id)
    return pytest.param(case, id=case.id, marks=[pytest.mark.xfail(strict=True, reason=reason)] if reason else [])


@pytest.mark.parametrize("case", [_marked(case) for case in ALL])
def test_the_preview_is_what_was_sent(case: Case, tmp_path: Path) -> None:
    if case.data["harness"] == "gemini-cli":
        # The program had it, or it would have sent nothing; the cases leave it out.
        case.data["session"]["env"]["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
    layout = WithServers(case, tmp_path / "case")
    prompt = preview(layout)
    # A namespace of Codex is one definition; the tools in it are named after a dot.
    has_names = case.data["harness"] == "codex"
    sent = {name: size for name, size in case.data["expect"]["tool_sizes"].items() if not (has_names and "." in name)}
    shown = {tool.name: tool.size for tool in prompt.tools or () if tool.enabled and tool.size}
    assert differences(layout, prompt) == []
    assert sorted(shown) == sorted(sent)
    assert [name for name, size in sent.items() if abs((shown[name] or 0) - size) > SHARE * size] == []


def test_a_tool_that_is_found_in_a_changed_list_is_sent(tmp_path: Path) -> None:
    case = next(each for each in ALL if each.id == "claude-code/search-call")
    prompt = preview(WithServers(case, tmp_path / "case"))
    shown = {tool.name: tool.size for tool in prompt.tools or () if tool.enabled and tool.size}
    sent = case.data["expect"]["tool_sizes"]
    assert shown.keys() == sent.keys()
    # What was found before is as it was.
    assert [(shown[each], sent[each]) for each in ("mcp__ch__one", "mcp__ch__three")] == [(123, 123), (127, 127)]
