from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks import prompt_problems
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.core.settings import Settings
from promptls.core.totals import counter_of, prompt_tokens
from promptls.core.values import replace
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize("more", [0, 1])
def test_a_budget_may_be_used_up(tmp_path: Path, more: int) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "Use tabs. " * 10, "src/AGENTS.md": "Use blanks. " * 20})
    prompt = harnesses.preview(Session("codex", f"{folder}/src"), Host(home="/h", env={}))
    total = prompt_tokens(prompt, counter_of(prompt), at="start")
    full = replace(prompt, window=2 * total - more)
    found = prompt_problems(full, Settings(token_budget=total - more, window_budget=50))
    assert [each.code for each in found] == ["token-budget", "window-share"] * more
    assert all(each.path == f"{folder}/src/AGENTS.md" for each in found)  # the longest one
