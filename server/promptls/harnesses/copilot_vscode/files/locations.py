"""Where files of one kind are looked for, and which files there are of that kind.

The lists of locations and the order are those of VS Code's source and of the cases all-kinds-at-root, multi-root,
agents-listed and skills-directories.
"""

from __future__ import annotations

from promptls.core.model import Origin
from promptls.core.values import dataclass
from promptls.harnesses.copilot_vscode.parts import PROGRAM
from promptls.kit.candidates import Rule
from promptls.kit.globs import match
from promptls.kit.paths import join, name, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from promptls.core.model import Use
    from promptls.harnesses.copilot_vscode.parts import Chat

    Kind = Literal["instructions", "prompt", "agent"]

INSTRUCTIONS_ENDING, PROMPT_ENDING = ".instructions.md", ".prompt.md"
AGENT_ENDINGS = (".agent.md", ".chatmode.md")
COPILOT = "copilot-instructions.md"
SKILL = "SKILL.md"
WHY_PLACE = f"{PROGRAM} looks for files of this kind here"
AGENT_PLACES = (".github/agents", ".claude/agents", ".copilot/agents")
RULES = ".claude/rules"


@dataclass(frozen=True, slots=True)
class Locations:
    """Where files of a kind are: the setting that names further directories, and the usual ones in their order."""

    setting: str
    usual: tuple[str, ...]
    use: Use


INSTRUCTIONS = Locations(
    "chat.instructionsFilesLocations",
    (".github/instructions", RULES, "~/.copilot/instructions", f"~/{RULES}"),
    "instruction",
)
PROMPTS = Locations("chat.promptFilesLocations", (".github/prompts",), "command")
AGENTS = Locations(
    "chat.agentFilesLocations", (".github/agents", ".claude/agents", "~/.copilot/agents", "~/.claude/agents"), "agent"
)
SKILLS = Locations(
    "chat.agentSkillsLocations",
    (".agents/skills", ".github/skills", ".claude/skills", "~/.agents/skills", "~/.copilot/skills", "~/.claude/skills"),
    "skill",
)


@dataclass(frozen=True, slots=True)
class Place:
    """A directory that is searched, or a pattern for files below it, and what says so."""

    path: str
    rule: Rule
    pattern: str = ""


def kind_of(path: str) -> Kind | None:
    """What a file is by its name and directory; README.md and names in another spelling are nothing.

    (parts: instructions-elsewhere)
    """
    last = name(path)
    if last.endswith(PROMPT_ENDING):
        return "prompt"
    if last.endswith(INSTRUCTIONS_ENDING) or last == COPILOT:
        return "instructions"
    if last.endswith(AGENT_ENDINGS):
        return "agent"
    if not last.endswith(".md") or last in ("README.md", SKILL):
        return None
    if parent(path).endswith(tuple(f"/{each}" for each in AGENT_PLACES)):
        return "agent"
    return "instructions" if is_rule(path) else None


def is_rule(path: str) -> bool:
    """Whether a file has the format of Claude Code's rules, with ``paths`` in place of ``applyTo``."""
    return f"/{RULES}/" in path


def base_name(path: str) -> str:
    """The name of an agent or prompt file without its ending."""
    last = name(path)
    for ending in (PROMPT_ENDING, *AGENT_ENDINGS, ".md"):
        if last.endswith(ending):
            return last.removesuffix(ending)
    return last


def files(chat: Chat, kind: Kind, locations: Locations) -> list[str]:
    """The files of a kind: those of the user first, then those of the workspace, folder by folder.

    Each file once. A Markdown file that is no such file is a candidate that says so.
    """
    found: dict[str, None] = {}
    for place in (*places(chat, locations, of_user=True), *_profile(chat, locations), *places(chat, locations)):
        for path in _below(chat, place, kind):
            if kind_of(path) == kind:
                found.setdefault(path)
            elif path.endswith(".md") and kind_of(path) is None:
                why = f"{PROGRAM} takes no file of this name here"
                chat.draft.candidates.append(Rule(why, place.rule.origin, locations.use).excluded(path))
    return list(found)


def places(chat: Chat, locations: Locations, *, of_user: bool = False) -> Iterator[Place]:
    """The directories that are searched; a setting adds some or switches one off (parts: settings-locations)."""
    if not chat.settings.is_object(locations.setting):
        return
    said = {place: (is_on, origin) for place, is_on, origin in chat.settings.switches(locations.setting)}
    usual = Origin("computed", name=f"{locations.setting} by default")
    wanted = [each for each in dict.fromkeys((*locations.usual, *said)) if each.startswith("~/") is of_user]
    found: dict[str, str] = {}
    for place in wanted:
        for directory in _directories(chat, place):
            found.setdefault(directory, place)
    for directory, place in found.items():
        is_on, origin = said.get(place, (True, usual))
        yield from _place(chat, directory, Rule(WHY_PLACE, origin, locations.use), is_on=is_on)


def _place(chat: Chat, directory: str, rule: Rule, *, is_on: bool) -> Iterator[Place]:
    is_there = chat.host.kind(directory) is not None
    if "*" in directory and is_on:
        root, pattern = _split(directory)
        yield Place(root, rule, pattern)
    elif is_there and is_on:
        yield Place(directory, rule)
    elif is_there:
        off = Rule(f"{rule.origin.name} is switched off in the settings", rule.origin, rule.use)
        chat.draft.candidates.append(off.disabled(directory))
    # A usual place need not exist; of the many of them only those that are for this program are named.
    elif rule.origin.kind == "config" or directory.endswith("/.github/instructions"):
        chat.draft.candidates.append(rule.missing(directory))


def _directories(chat: Chat, place: str) -> list[str]:
    if place.startswith("~/"):
        return [join(chat.host.home, place[2:])]
    return list(dict.fromkeys(resolve(root, place) for root in chat.roots()))


def _split(pattern: str) -> tuple[str, str]:
    """The directory that a pattern begins with, and the rest of it."""
    parts = pattern.split("/")
    at = next(number for number, part in enumerate(parts) if "*" in part)
    return "/".join(parts[:at]) or "/", "/".join(parts[at:])


def _profile(chat: Chat, locations: Locations) -> Iterator[Place]:
    """The folder of the profile for instructions, prompt and agent files."""
    if chat.workspace.user is not None:
        directory = join(chat.workspace.user, "prompts")
        if chat.host.kind(directory) == "directory":
            why = f"{PROGRAM} looks into the prompts folder of the profile"
            yield Place(directory, Rule(why, Origin("computed", name=why), locations.use))


def _below(chat: Chat, place: Place, kind: Kind) -> Iterator[str]:
    """The files at a place in byte order (parts: instructions-order-names); only instructions files may be deeper."""
    if chat.host.kind(place.path) == "file":
        yield place.path
    elif place.pattern and place.pattern != "*":
        yield from sorted(match(chat.host, place.pattern, place.path, dot=True, steps=chat.draft.steps).paths)
    else:
        is_deep = kind == "instructions" and not place.pattern
        is_folder = any(place.path == each.path for each in chat.workspace.folders)
        yield from _walk(chat, place.path, chat.facts.instructions_depth if is_deep and not is_folder else 0)


def _walk(chat: Chat, directory: str, depth: int) -> Iterator[str]:
    entries = chat.host.entries(directory)
    chat.draft.steps.spend(entries)
    for entry in sorted(entries, key=lambda each: each.name.encode("utf-8", "surrogateescape")):
        path = join(directory, entry.name)
        if entry.is_directory or (entry.is_link and chat.host.kind(path) == "directory"):
            if depth > 0 and not chat.draft.steps.is_spent:
                yield from _walk(chat, path, depth - 1)
        else:
            yield path
