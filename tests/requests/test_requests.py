"""Whole requests: every block with its role and length, every tool with its size, and the texts.

The cases are those of ``tests/parts``, and: ``expect.blocks``, role and length of each block in order;
``expect.tool_sizes``, the characters of each definition as JSON; ``expect.absent``, what must not be shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from promptls.core.model import Message, Prompt
from promptls.harnesses.claude_code.files.at_start import slug
from tests.parts.layout import PartsLayout, differences, preview
from tests.wire.case import Case

HERE = Path(__file__).parent
ALL = [Case(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(HERE.glob("cases/*/*.json"))]
# The cases that are not exact yet, a line each with the reason; one that has become exact has to be taken off the list.
NOT_YET = dict(line.split(": ", 1) for line in (HERE / "not-yet.txt").read_text(encoding="utf-8").splitlines())
# Where the sessions were captured: lengths count these paths.
PLACES = {"${WORKSPACE}": "/mnt/workspace", "${HOME}": "/mnt/home"}
MEMORY = "projects/-mnt-workspace"
# A length may differ by so much, but not that of a short text.
SHARE, SHORT = 0.01, 100


class RequestLayout(PartsLayout):
    """A case on disk: its memory is that of its workspace."""

    def fill(self, text: str) -> str:
        """``text`` with real paths."""
        return super().fill(text.replace(MEMORY, f"projects/{slug(super().fill('${WORKSPACE}'))}"))

    def back(self, text: str) -> str:
        """``text`` with placeholders, as the case has it."""
        return super().back(text.replace(f"projects/{slug(super().fill('${WORKSPACE}'))}", MEMORY))


def _marked(case: Case) -> object:
    reason = NOT_YET.get(case.id)
    return pytest.param(case, id=case.id, marks=[pytest.mark.xfail(strict=True, reason=reason)] if reason else [])


@pytest.mark.parametrize("case", [_marked(case) for case in ALL])
def test_the_preview_is_the_whole_request(case: Case, tmp_path: Path) -> None:
    layout = RequestLayout(case, tmp_path / "case")
    prompt = preview(layout)
    found = [*_blocks(layout, prompt), *tools(case, prompt), *differences(layout, prompt), *_absent(layout, prompt)]
    assert found == []


def test_the_list_names_cases() -> None:
    assert {case.id for case in ALL} >= set(NOT_YET)


def _sent(prompt: Prompt) -> list[Message]:
    """The messages that are blocks of the request; definitions of tools are counted by name."""
    return [message for message in prompt.messages if message.role not in ("tools", "assistant")]


def _blocks(layout: RequestLayout, prompt: Prompt) -> Iterator[str]:
    expected = layout.case.data["expect"]["blocks"]
    messages = _sent(prompt)
    if [message.role for message in messages] != [role for role, _ in expected]:
        yield f"the roles are {[message.role for message in messages]}"
        return
    for at, (message, (role, wanted)) in enumerate(zip(messages, expected, strict=True)):
        size = _length(layout, message)
        if size is not None and abs(size - wanted) > (SHARE * wanted if wanted > SHORT else 0):
            yield f"block {at} ({role}) has {size} characters, {wanted} were sent"


def _length(layout: RequestLayout, message: Message) -> int | None:
    """The characters of a block where it was captured; None where a part of it is not known."""
    total = 0
    for segment in message.segments:
        if segment.elided is not None:
            if segment.elided.size is None:
                return None
            total += segment.elided.size
            continue
        text = layout.back(segment.text)
        for name, place in PLACES.items():
            text = text.replace(name, place)
        total += len(text)
    return total


def tools(case: Case, prompt: Prompt) -> Iterator[str]:
    """The tools that are not those that were sent, or have other sizes."""
    # A namespace is one definition; the tools in it are named after a dot.
    expected = {name: size for name, size in case.data["expect"]["tool_sizes"].items() if "." not in name}
    shown = {tool.name: tool.size for tool in prompt.tools or () if tool.enabled and tool.size}
    if set(shown) != set(expected):
        yield f"not shown: {sorted(set(expected) - set(shown))}; not sent: {sorted(set(shown) - set(expected))}"
    for name in set(shown) & set(expected):
        if abs(shown[name] - expected[name]) > SHARE * expected[name]:
            yield f"{name} has {shown[name]} characters, {expected[name]} were sent"


def _absent(layout: RequestLayout, prompt: Prompt) -> Iterator[str]:
    shown = [layout.back(message.text) for message in prompt.messages if message.role != "tool"]
    for text in layout.case.data["expect"]["absent"]:
        if any(text in each for each in shown):
            yield f"{text!r} is shown and was not sent"
