"""What is kept of a program: its own texts, by names that stand for one text each."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.core.model import COMPUTED, Elided, Message, Origin, Prompt, Segment, Session, Tool, VerifiedHere
from promptls.core.values import replace
from promptls.harnesses.known_texts import FORMAT, digest, with_known_texts, worth_keeping
from tests.folder import lay_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Layer

pytestmark = pytest.mark.same_everywhere


def gap(name: str, size: int | None = 4, *, origin: Origin = COMPUTED, layer: Layer = "tools") -> Segment:
    return Segment(layer, name, "⟪⟫", origin, "why", elided=Elided(name, size))


def server(name: str | None) -> Origin:
    return Origin("config", "/w/.mcp.json", name=name)


def test_texts_that_stand_for_one_gap() -> None:
    gaps = [
        (gap("prompt"), "text"),
        (gap("prompt"), "text"),
        (gap("prompt", 5), "texts"),
        (gap("prompt", None), "of any size"),
        (gap("tool", origin=server("one")), "of one"),
        (gap("tool", origin=server("two")), "of two"),
        (gap("tool", origin=server(None)), "of none"),
    ]
    assert worth_keeping(gaps) == {
        "prompt 4": "text",
        "prompt 5": "texts",
        "prompt ?": "of any size",
        "tool 4 one /w/.mcp.json": "of one",
        "tool 4 two /w/.mcp.json": "of two",
        "tool 4  /w/.mcp.json": "of none",
    }


def test_texts_that_are_not_worth_it() -> None:
    """Those that differ, that are of a session or of a file, and what is no gap."""
    plain = Segment("tools", "plain", "text", COMPUTED, "why")
    gaps = [
        *((gap("date"), text) for text in ("1", "2", "1")),
        (gap("typed", layer="runtime"), "text"),
        (gap("large", origin=Origin("file", "/w/AGENTS.md")), "text"),
        (gap("empty"), ""),
        (plain, "text"),
    ]
    assert worth_keeping(gaps) == {}


PROMPT = Prompt(
    Session("stub", "/w"), (Message("system", (gap("prompt"), gap("typed", layer="runtime")), 0),), (), model="m"
)


def mark(**other: object) -> dict[str, object]:
    """What is kept of a prompt that was verified."""
    return {"format": FORMAT, "date": "2026-11-23", "all": True, "unknown": 0, **other}


def shown(top: Path, kept: object, version: str = "1.0") -> Prompt:
    """The prompt with what is kept of version 1.0."""
    folder = lay_out(top, {"stub@1.0.json": kept if isinstance(kept, dict) else str(kept)}, git=False)
    return with_known_texts(Host(home="/h", env={}, known_texts=str(folder)), PROMPT, version)


def texts(prompt: Prompt) -> list[tuple[str, bool, str]]:
    return [(each.text, each.elided is not None, each.captured) for each in prompt.messages[0].segments]


def test_a_kept_text_stands_in_its_gap(tmp_path: Path) -> None:
    kept = {
        "captured": "2026-11-22",
        "models": {"m": {"prompt 4": "text", "typed 4": "never"}, "n": {"prompt 4": "of another model"}},
        "verified": {digest(PROMPT): mark()},
    }
    prompt = shown(tmp_path, kept)
    assert texts(prompt) == [("text", False, "2026-11-22"), ("⟪⟫", True, "")]
    assert prompt.verified_here == VerifiedHere("1.0", "2026-11-23")
    assert shown(tmp_path, kept, "1.1") == with_known_texts(Host(home="/h", env={}), PROMPT, "1.0") == PROMPT


@pytest.mark.parametrize(
    "kept",
    [
        "{",
        "[]",
        "[" * 100_000,
        {},
        {"captured": "2026-11-22", "models": []},
        {"captured": "2026-11-22", "models": {"m": ["prompt 4"]}},
        {"captured": "2026-11-22", "models": {"m": {"prompt 4": 1}}},
        {"captured": 2026, "models": {"m": {"prompt 4": "text"}}},
        {"verified": []},
        {"verified": {digest(PROMPT): "2026-11-23"}},
        {"verified": {digest(PROMPT): {"format": FORMAT, "date": 2026, "all": True, "unknown": 0}}},
        {"verified": {digest(PROMPT): {"format": FORMAT, "date": "2026-11-23"}}},
    ],
    ids=lambda kept: str(kept)[:20],
)
def test_what_is_not_as_it_was_written_is_passed_over(tmp_path: Path, kept: object) -> None:
    assert shown(tmp_path, kept) == PROMPT


@pytest.mark.parametrize(("has_all", "unknown"), [(False, 0), (True, 2), (False, 1)])
def test_not_all_of_a_prompt_was_seen(tmp_path: Path, has_all: bool, unknown: int) -> None:
    prompt = shown(tmp_path, {"verified": {digest(PROMPT): mark(all=has_all, unknown=unknown)}})
    assert prompt.verified_here == VerifiedHere("1.0", "2026-11-23", has_all, unknown)
    assert not prompt.verified_here.is_whole


@pytest.mark.parametrize("old", [{"date": "2026-11-23", "whole": True}, mark(format=FORMAT - 1)])
def test_what_was_compared_less_strictly_counts_no_longer(tmp_path: Path, old: dict[str, object]) -> None:
    assert shown(tmp_path, {"verified": {digest(PROMPT): old}}) == PROMPT


def test_a_tool_of_another_size_is_another_prompt() -> None:
    tools = [replace(PROMPT, tools=(Tool("Read", enabled=True, why="it is built in", size=size),)) for size in (1, 2)]
    assert len({digest(PROMPT), *map(digest, tools)}) == 3
