from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.harnesses.agent_core.agents import filter_tools
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


def test_injected_rules_follow_those_of_the_environment(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"config/environments/default/rules.md": "Rules."})
    session = Session("agent-core", str(folder), hints=("Never log data.",))
    prompt = harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))
    (message,) = prompt.messages
    assert message.text.endswith("\n---\n# Environment Behavior Guidelines\n\nRules.\n\nNever log data.\n")


def test_allowed_tools_less_the_denied_ones_in_order() -> None:
    tools = filter_tools(("read", "bash", "grep"), ("bash", "write"))
    assert tools is not None
    assert [tool.name for tool in tools if tool.enabled] == ["read", "grep"]
    assert [tool.name for tool in tools if not tool.enabled] == ["bash", "write"]


def test_an_empty_list_allows_nothing_and_no_list_limits_nothing() -> None:
    assert filter_tools((), None) == ()
    assert filter_tools(None, None) is None
