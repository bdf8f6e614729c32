"""Files of our own in the scratch copies, each with a mark: which places a program reads, it shows by sending them."""

from __future__ import annotations

from promptls.core import specs
from promptls.core.paths import is_below, join, name, parent, upwards
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from promptls.wire.recorder import Recorded

# Names beside those of the programs that promptls knows.
NAMES = (
    *(
        "AGENTS.md",
        "AGENT.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
        "COPILOT.md",
        "AGENTS.local.md",
        "AGENTS.override.md",
        "GEMINI.md",
    ),
    *("CONVENTIONS.md", "CONTEXT.md", "RULES.md", "INSTRUCTIONS.md", "README.md", "CONTRIBUTING.md", ".cursorrules"),
    *(".windsurfrules", ".clinerules", ".goosehints", ".rules", ".github/copilot-instructions.md"),
    *(".github/instructions/mark.instructions.md", ".cursor/rules/mark.mdc", ".windsurf/rules/mark.md"),
    *(".claude/CLAUDE.md", ".claude/rules/mark.md", ".agents/AGENTS.md", ".agents/rules/mark.md"),
)
# A skill, a command and an agent, below a directory of a program.
BELOW = ("AGENTS.md", "rules/mark.md", "skills/mark/SKILL.md", "commands/mark.md", "agents/mark.md", "memory/MEMORY.md")
OWNERS = (".agents", ".claude", ".codex", ".gemini", ".cursor", ".github")
HEADER = "---\nname: mark-{number}\ndescription: {mark}\n---\n"
MARK = "This is mark {number} of promptls."
LENGTH = len(MARK.format(number="000x"))
MOST = 600


@dataclass(frozen=True, slots=True)
class Found:
    """A place that a program reads. ``where``: a role, or ``tools``; "" where it was only opened."""

    path: str
    where: str


def sentinels(directories: Iterable[str], home: str, command: str, *, there: Collection[str]) -> dict[str, str]:
    """The text of each file, by its path; none where a file is already (``there``).

    ``directories``: those of the folder in which programs look.
    """
    own = name(command).partition(".")[0].lstrip(".")
    found: dict[str, str] = {}
    for path in dict.fromkeys(_places(directories, home, own)):
        if path not in there and len(found) < MOST and not any(is_below(path, each) for each in there):
            mark = MARK.format(number=f"{len(found):03}x")
            header = HEADER.format(number=len(found), mark=mark) if "/mark" in path else ""
            found[path] = f"{header}{mark}\n"
    return found


def read_places(
    added: Mapping[str, str], requests: Sequence[Recorded], opened: Collection[str] | None
) -> tuple[Found, ...]:
    """The places that were sent, in the order of the requests, then those that were only opened."""
    marks = {text.strip()[-LENGTH:]: path for path, text in added.items()}
    found: dict[str, str] = {}
    for request in requests:
        for block in request.blocks:
            for path in _paths_in(marks, block.text):
                found.setdefault(path, block.role)
        tools = request.body.get("tools") if isinstance(request.body, dict) else None
        for path in _paths_in(marks, "\n".join(_texts(tools))):
            found.setdefault(path, "tools")
    only = [Found(path, "") for path in opened or () if path in added and path not in found]
    return (*(Found(path, where) for path, where in found.items()), *only)


def _paths_in(marks: Mapping[str, str], text: str) -> list[str]:
    """The paths of the marks that stand in a text, in its order."""
    start = MARK.partition("{")[0]
    found: list[str] = []
    at = text.find(start)
    while at >= 0:
        mark = text[at : at + LENGTH]
        found += [marks[mark]] if mark in marks else []
        at = text.find(start, at + 1)
    return found


def looked_in(workspace: str, cwd: str, reads: Iterable[str]) -> list[str]:
    """Directories of a folder in which programs look: up from where they start, and from the files that they read."""
    nested = (each for path in reads for each in upwards(parent(path), workspace))
    return [*dict.fromkeys((*upwards(cwd, workspace), *nested))]


def _places(directories: Iterable[str], home: str, own: str) -> Iterator[str]:
    names = (*NAMES, f"{own.upper()}.md", *sorted(specs.instruction_names()))
    owners = dict.fromkeys((f".{own}", *OWNERS))
    for directory in directories:
        yield from (join(directory, each) for each in names)
        yield from (join(directory, f"{owner}/{each}") for owner in owners for each in BELOW)
    yield from (join(home, each) for each in names[:9])
    for owner in owners:
        for directory in (owner, f".config/{owner[1:]}"):
            yield from (join(home, f"{directory}/{each}") for each in (*BELOW, "CLAUDE.md", f"{own.upper()}.md"))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
