"""Whatever is changed in a preview, ``verify`` notices: for each program, on sessions that are rich in parts.

What was "sent" is the preview itself, with prose of the right length where the program has text of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Message, Prompt, Tool
from promptls.core.values import replace
from promptls.harnesses import catalogue
from promptls.wire.capture import Capture
from promptls.wire.request_formats import Offered, RequestBlock
from promptls.wire.sides import sides
from tests.parts.layout import CASES as PARTS
from tests.parts.layout import PartsLayout
from tests.wire.case import CASES, Case, Layout

RICH = {
    "auggie": ("agents", "skill-block"),
    "claude-code": ("all-surfaces", "skill-typed"),
    "cline": ("rule-forms", "nested-read"),
    "codex": ("mcp-gpt55", "memories-long"),
    "continue": ("rule-forms", "nested-read"),
    "deepagents-code": ("chain", "skills-many"),
    "letta-code": ("root-names", "skills"),
    "droid": ("chain-root-to-cwd", "nested-read"),
    "goose": ("chain-root-to-cwd", "nested-imports"),
    "gptme": ("chain", "skills"),
    "grok-build": ("chain", "skills-config"),
    "hermes": ("soul-memory", "skills-places"),
    "kimi-cli": ("chain-root-to-cwd", "read-forms"),
    "kimi-code": ("chain-root-to-cwd", "identity"),
    "copilot-cli": ("skills-many", "agents", "environment"),
    "copilot-vscode": ("applyto-two-files", "skills-tool"),
    "gemini-cli": ("extension", "skills-directories"),
    "kilo-code": ("glob-order", "nested-read"),
    "mistral-vibe": ("chain-repo-trusted", "nested-read"),
    "openclaw": ("all-bootstrap-files", "lazy-read-nested"),
    "openhands": ("skill-packages", "read-forms"),
    "opencode": ("skills-front-matter", "all-parts", "agents"),
    "pi": ("root-names", "chain-root-to-cwd"),
    "qwen-code": ("rules-forms", "nested-read"),
}
# Of what is of an unknown size, so much is sent.
SOME = 300
PROSE = "prose " * 20_000


def laid_out(harness: str, name: str, top: Path) -> Layout:
    for folder, of in ((PARTS, PartsLayout), (CASES, Layout)):
        path = folder / harness / f"{name}.json"
        if path.exists():
            return of(Case(path, json.loads(path.read_text("utf-8"))), top)
    raise FileNotFoundError(name)


def sent(prompt: Prompt, host: Host) -> Capture:
    texts = [
        "".join(each.text if each.elided is None else PROSE[: each.elided.size or SOME] for each in message.segments)
        for message in prompt.messages
    ]
    pairs = list(zip(prompt.messages, texts, strict=True))
    said = tuple(RequestBlock(each.role, text, n) for n, (each, text) in enumerate(pairs) if each.role != "tools")
    described = [text for each, text in pairs if each.role == "tools"]
    return Capture("x", prompt.session.version, None, said, tuple(offered(prompt.tools, described)), (), prompt, host)


def offered(tools: Sequence[Tool] | None, described: Sequence[str]) -> Iterator[Offered]:
    """The tools that are sent; the largest have the texts that the preview shows of definitions."""
    if tools is None:
        yield from (Offered(f"t{n}", text, SOME) for n, text in enumerate(described))
        return
    sizes = {each.name: each.size for each in tools if each.enabled and each.size != 0}
    texts = dict(zip(sorted(sizes, key=lambda name: (name != "task", -(sizes[name] or 0))), described, strict=False))
    for name, size in sizes.items():
        text = texts.get(name, "")
        own = len(json.dumps(text, ensure_ascii=False))
        yield Offered(name, text, SOME if size is None else size - own)


def mutations(prompt: Prompt) -> Iterator[tuple[str, Prompt]]:
    """Each block, tool and file left out, tools of other sizes, other roles, and blocks that have changed places."""
    messages, tools = prompt.messages, prompt.tools or ()
    for at, each in enumerate(messages):
        rest = (messages[:at], messages[at + 1 :])
        yield f"without message {at}", replace(prompt, messages=(*rest[0], *rest[1]))
        if each.role == "tools":
            continue
        role = replace(each, role="developer" if each.role != "developer" else "user")
        yield f"another role of message {at}", replace(prompt, messages=(*rest[0], role, *rest[1]))
        for other in range(at + 1, len(messages)):
            if messages[other].role != "tools" and identity(messages[other]) != identity(each):
                swapped = list(messages)
                swapped[at], swapped[other] = swapped[other], each
                yield f"messages {at} and {other} swapped", replace(prompt, messages=tuple(swapped))
    for path in dict.fromkeys(each.origin.path for m in messages for each in m.segments if each.origin.path):
        kept = (replace(m, segments=tuple(s for s in m.segments if s.origin.path != path)) for m in messages)
        yield f"without {path}", replace(prompt, messages=tuple(m for m in kept if m.segments))
    for at, tool in enumerate(tools):
        if tool.enabled:
            yield f"without the tool {tool.name}", replace(prompt, tools=(*tools[:at], *tools[at + 1 :]))
        for factor in (0.95, 1.05) if tool.enabled and tool.size else ():
            other_size = replace(tool, size=round(factor * (tool.size or 0)))
            yield f"another size of {tool.name}", replace(prompt, tools=(*tools[:at], other_size, *tools[at + 1 :]))


def identity(message: Message) -> list[object]:
    """What a request has of a message."""
    return [message.role, *(each.elided.size if each.elided else each.text for each in message.segments)]


@pytest.mark.parametrize(("harness", "name"), [(harness, name) for harness, names in RICH.items() for name in names])
def test_nothing_passes_unnoticed(harness: str, name: str, tmp_path: Path) -> None:
    layout = laid_out(harness, name, tmp_path / "case")
    host = layout.host()
    prompt = harnesses.preview(layout.session(), host)
    capture = sent(prompt, host)
    both = sides(prompt, capture, host)
    assert both.differences == ()
    changed = list(mutations(prompt))
    assert len(changed) > 5
    missed = []
    for what, each in changed:
        found = sides(each, capture, host)
        # What a server or a hook says nobody knows; it is a matter of the list of what is not known.
        if not found.differences and (found.unknown, found.passing) == (both.unknown, both.passing):
            missed.append(what)
    assert missed == []


def test_each_program_has_its_sessions() -> None:
    assert set(RICH) == {name for name in catalogue.FOLDERS if catalogue.program(name)}


def test_either_file_of_a_race_is_the_same(tmp_path: Path) -> None:
    layout = laid_out("opencode", "context-only", tmp_path / "case")
    places = ["a", "b"]
    text = "---\nname: twice\ndescription: of two places\n---\nx\n"
    for place, folder in zip(places, (".claude", ".agents"), strict=True):
        file = layout.on_disk(f"workspace/{folder}/skills/{place}/SKILL.md")
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    host = layout.host()
    prompt = harnesses.preview(layout.session(), host)
    pair = next(
        each for each in prompt.candidates if each.other and "/skills/a/" in (each.path or "").replace("\\", "/")
    )
    capture = sent(prompt, host)
    assert pair.other is not None
    assert pair.path is not None
    blocks = tuple(replace(each, text=each.text.replace(pair.other, pair.path)) for each in capture.blocks)
    assert blocks != capture.blocks
    both = sides(prompt, replace(capture, blocks=blocks), host)
    assert both.differences == ()
    assert both.passing == ("which of several files of one name is used",)
