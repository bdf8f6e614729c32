"""The sub-agents of a recorded session of which nothing but the call is recorded."""

from __future__ import annotations

import pytest

from promptls.cli.session_requests import _unread
from promptls.kit.recording import Recorded
from promptls.sessions.turn_by_turn import Life

pytestmark = pytest.mark.same_everywhere


def test_each_name_is_said_once() -> None:
    recorded = Recorded("claude-code", "/r.jsonl", subagents=["a", "b", "a"])
    assert _unread(Life(recorded, ())) == ["a (2 times)", "b"]
    assert _unread(Life(Recorded("claude-code", "/r.jsonl"), ())) == []
