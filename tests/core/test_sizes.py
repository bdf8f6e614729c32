"""Where the tokens of a prompt go."""

from __future__ import annotations

import pytest

from promptls.core.model import COMPUTED, Candidate, Elided, Message, Origin, Prompt, Segment, Session, Tool
from promptls.core.sizes import sizes
from promptls.core.tokens import counter
from promptls.core.totals import is_at_least, prompt_tokens
from promptls.core.values import replace

pytestmark = pytest.mark.same_everywhere


def file(path: str, tokens: int) -> Segment:
    return Segment("instructions", path, "word " * tokens, Origin("file", path=path), "why")


def own(size: int | None) -> Segment:
    return Segment("provider", "own", "⟪own⟫", Origin("builtin", name="own"), "why", elided=Elided("own", size))


def prompt(*messages: Message, tools: tuple[Tool, ...] | None = None) -> Prompt:
    skills = tuple(Candidate("loaded", "why", COMPUTED, f"/w/{name}/SKILL.md", use="skill") for name in "ab")
    return Prompt(Session("stub", "/w"), messages, skills, tools=tools)


def rows(shown: Prompt) -> list[tuple[str, int, int, bool]]:
    return [(row.name, row.tokens, row.files, row.is_at_least) for row in sizes(shown)]


def test_files_are_rows_and_skills_are_one() -> None:
    listed = (file("/w/a/SKILL.md", 3), file("/w/b/SKILL.md", 4), file("/w/AGENTS.md", 5), file("/w/AGENTS.md", 6))
    shown = prompt(Message("system", (own(486), *listed), 0))
    assert rows(shown) == [("/w/AGENTS.md", 11, 1, False), ("skills", 7, 2, False), ("stub", 100, 0, False)]
    assert sum(row.tokens for row in sizes(shown)) == prompt_tokens(shown, counter(None))


def test_what_is_not_known_makes_a_row_a_minimum() -> None:
    shown = prompt(Message("system", (own(486), own(None)), 0))
    assert rows(shown) == [("stub", 100, 0, True)]
    assert is_at_least(shown)


def test_tools_count_once() -> None:
    tools = (Tool("read", True, "", 531), Tool("task", True, "", 888), Tool("bash", False, "", 4000))
    message = Message("tools", (own(486), Segment("tools", "x", "five for " * 5, COMPUTED, "why")), 0)
    shown = prompt(message, tools=tools)
    assert rows(shown) == [("tools", 310, 0, False)]
    assert prompt_tokens(shown, counter(None)) == 310
    assert not is_at_least(shown)
    assert is_at_least(prompt(tools=(Tool("read", True, ""),)))


def test_of_what_is_not_sent_no_tool_counts() -> None:
    tools = (Tool("Read", enabled=True, why="", size=444), Tool("Odd", enabled=True, why=""))
    shown = prompt(tools=tools)
    assert (prompt_tokens(shown, counter(None)), is_at_least(shown)) == (100, True)
    ends = replace(shown, stopped="It ends.")
    assert (prompt_tokens(ends, counter(None)), is_at_least(ends), sizes(ends)) == (0, False, [])


def test_tools_of_servers_are_a_row_of_their_own() -> None:
    docs = Origin("config", "/w/.mcp.json", name="docs")
    said = Segment("tools", "instructions of docs", "one two three", docs, "why")
    loaded = Candidate("loaded", "why", docs, use="server")
    tools = (Tool("read", True, "", 444), Tool("search", True, "", 222, docs), Tool("named", True, "", 0, docs))
    shown = replace(prompt(Message("system", (own(486), said), 0), tools=tools), candidates=(loaded,))
    assert rows(shown) == [("MCP servers", 53, 1, False), ("stub", 100, 0, False), ("tools", 100, 0, False)]
    assert sum(row.tokens for row in sizes(shown)) == prompt_tokens(shown, counter(None))
    assert rows(replace(shown, tools=(Tool("docs_*", True, "", None, docs),)))[0] == ("MCP servers", 3, 1, True)
