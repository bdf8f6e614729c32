"""The skills that Kimi Code lists, and the agent files that it knows.

[source] is the package of that version.
"""

from __future__ import annotations

import re

from promptls.core.formats import front_matter, parse_toml
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, Cut, Origin
from promptls.core.text import units
from promptls.core.values import dataclass
from promptls.harnesses.kimi_code.versions import SETTINGS_NOT_MODELLED
from promptls.kit import collation
from promptls.kit.base import json_size
from promptls.kit.candidates import own
from promptls.kit.configs import ConfigReader, strings
from promptls.kit.javascript import head as first
from promptls.kit.javascript import trimmed
from promptls.kit.named import Named, Row, take, text_at
from promptls.kit.paths import first_above, home_or, join, name, native, resolve
from promptls.kit.segments import elided, head, tail
from promptls.kit.yaml_values import JAVASCRIPT, is_date

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document
    from promptls.core.host import Host
    from promptls.core.model import Segment
    from promptls.harnesses.kimi_code.versions import Facts
    from promptls.kit.writer import Writer

WHY_SKILL = "Kimi Code lists the skills of .kimi-code/skills and .agents/skills, of the git root and at home"
WHY_AGENT = "Kimi Code knows the agents of .kimi-code/agents and .agents/agents, of the git root and at home"
WHY_SETTINGS = "Kimi Code reads its settings here"
WHY_OWN = "Kimi Code's words on skills, and the skills that it brings"
SETTINGS = ConfigReader(
    WHY_SETTINGS,
    parse=parse_toml,
    reason="it is not valid TOML, so Kimi Code does not use it",
    not_modelled=SETTINGS_NOT_MODELLED,
)
AGENT_ROW = Row("Kimi Code", "agent", WHY_AGENT, before="\n- {name}: ", after="\n  Tools: ")
GROUPS = ("Project", "User", "Extra")
TYPES = ("prompt", "inline", "flow")
FENCE = regex(r"^[^\S\n]*---[^\S\n]*(?:\n|\Z)", re.MULTILINE)
AGENT_NAME = regex(r"[a-z0-9]+(?:-[a-z0-9]+)*")
DROPPED = "so Kimi Code leaves it out without a word"


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent file: its text from ``start`` to ``end``. ``tools``: what the list says of them, None if not known."""

    name: str
    path: str
    text: str
    start: int
    end: int
    overrides: bool
    words: str = ""
    tools: str | None = None
    origin: Origin | None = None


def project_root(writer: Writer) -> str:
    """The nearest directory with a .git of any kind, else the working directory (wire: skills-places)."""
    return first_above(writer.host, writer.cwd, ".git") or writer.cwd


# -- skills ------------------------------------------------------------------------------------------------------------


def find_skills(writer: Writer, facts: Facts, home: str, settings: Document | None) -> dict[str, Named]:
    """Those that are listed; of a name the first counts (wire: skills-places, skills-dir-flag)."""
    found: dict[str, Named] = {}
    note = writer.draft.candidates.append
    for group, place in _skill_places(writer, home, settings):
        for path in _skill_files(writer.host, writer.host.realpath(place), facts.depth):
            skill = _skill(writer, facts, path, group)
            if skill is not None:
                take(found, skill, note)
    return found


def skills(found: dict[str, Named]) -> list[Segment]:
    """The list, in groups, each by name (wire: skills-places)."""
    parts: list[Segment] = [elided("tools", "Kimi Code", "introduction to skills", why=WHY_OWN)]
    for group in GROUPS:
        rows = sorted(
            (each for each in found.values() if each.group == group), key=lambda each: collation.key(each.name)
        )
        parts += [head(f"\n### {group}", "tools")] if rows else []
        for each in rows:
            words = elided("tools", "Kimi Code", f"description of {each.name}", why=WHY_SKILL)
            parts += [head(f"\n- {each.name}: ", "tools", path=each.path), _words(each) or words]
            parts.append(tail(f"{each.place}\n  Path: {native(each.path or '')}", "tools"))
    return [*parts, tail("\n", "tools"), elided("tools", "Kimi Code", "built-in skills", why=WHY_OWN)]


def _words(skill: Named) -> Segment | None:
    from promptls.core.model import Segment  # noqa: PLC0415 - only where a skill is listed

    if skill.origin is None:
        return None
    return Segment("tools", f"skill {skill.name}", skill.words, skill.origin, WHY_SKILL, cut=skill.cut)


def _skill_places(writer: Writer, home: str, settings: Document | None) -> Iterator[tuple[str, str]]:
    """Each place with its group; --skills-dir takes the place of all but those of the settings."""
    root, user = project_root(writer), writer.host.home
    given = writer.command.values.get("skills", [])
    if given:
        yield from (("User", home_or(user, each) or resolve(root, each)) for each in given)
    else:
        yield from (("Project", join(root, each, "skills")) for each in (".kimi-code", ".agents"))
        yield from (("User", each) for each in (join(home, "skills"), join(user, ".agents", "skills")))
    named = settings.root.get("extra_skill_dirs") if settings is not None and settings.root is not None else None
    if settings is not None:
        for each in strings(join(home, "config.toml"), settings, named):
            yield "Extra", home_or(user, each.text) or resolve(root, each.text)


def _skill_files(host: Host, place: str, depth: int) -> Iterator[str]:
    """The files of skills: SKILL.md of a folder at any depth, and other files at the top (captured: skills-forms)."""
    waiting = [(place, 0)]
    while waiting:
        directory, level = waiting.pop(0)
        entries = sorted(host.entries(directory), key=lambda each: each.name)
        folders = [each for each in entries if host.kind(join(directory, each.name)) == "directory"]
        own_ones = [each.name for each in folders if host.kind(join(directory, each.name, SKILL_FILE)) == "file"]
        yield from (join(directory, each, SKILL_FILE) for each in own_ones)
        if not level:
            for each in entries:
                is_file = not each.is_link and host.kind(join(directory, each.name)) == "file"
                stem = each.name.removesuffix(".md")
                if is_file and stem not in (each.name, "SKILL", *own_ones):
                    yield join(directory, each.name)
        below = [each.name for each in folders if each.name not in own_ones and not _is_hidden(each.name)]
        waiting = [*((join(directory, each), level + 1) for each in below if level < depth), *waiting]


def _is_hidden(folder: str) -> bool:
    return folder.startswith(".") or folder == "node_modules"


def _skill(writer: Writer, facts: Facts, path: str, group: str) -> Named | None:
    """A skill; None where it is left out, which is noted (captured: skills-forms) [source: parseSkillText]."""
    rule, note = own(WHY_SKILL, use="skill"), writer.draft.candidates.append
    text = text_at(writer.host, path, rule, note, is_whole=True)
    if text is None:
        return None
    front, flaw = front_of(text)
    is_folder = name(path) == SKILL_FILE
    if front.document is None and is_folder:
        flaw = flaw or "it has no front matter"
    called, words = _text(front, "name"), _text(front, "description")
    kind = _text(front, "type")
    if is_folder and not flaw and not (called and words):
        flaw = f"it has no {'description' if called else 'name'}"
    if not flaw and kind and kind not in TYPES:
        flaw = f"its type is {kind}"
    if flaw:
        note(rule.failed(path, f"{flaw}, {DROPPED}"))
        return None
    keys = ("disableModelInvocation", "disable-model-invocation", "disable_model_invocation")
    if kind == "flow" or any(front.is_true(each) for each in keys):
        note(
            rule.failed(
                path, "type: flow keeps it from the list" if kind == "flow" else f"{keys[1]} keeps it from the model"
            )
        )
        return None
    note(rule.loaded(path))
    origin, cut = Origin("file", path=path, range=front.range("description")), None
    words = words or _first_line(text[front.body :], facts.first_line)
    if units(words) > facts.description:
        limit = f"Kimi Code lists {facts.description} characters of a skill's description"
        kept = first(words, facts.description - 3)
        cut = Cut(kept, len(words), "characters", limit, is_fixed=True)
        words = f"{words[:kept]}..."
    when = next((said for each in ("whenToUse", "when-to-use", "when_to_use") if (said := _text(front, each))), "")
    place = f"\n  When to use: {when}" if when else ""
    stem = path.split("/")[-2] if is_folder else name(path).removesuffix(".md")
    return Named(called or stem, words, path, origin, rule, place=place, group=group, cut=cut)


def front_of(text: str) -> tuple[Header, str]:
    """The front matter, and what is wrong with it (captured: front-forms) [source: parseFrontmatter]."""
    opening = FENCE.match(text)
    closing = FENCE.search(text, opening.end()) if opening is not None else None
    if opening is None or closing is None:
        return Header(text), "its front matter has no end" if opening is not None else ""
    start, end = trimmed(text[: closing.start()], opening.end())
    matter = front_matter.between(text, start, end, closing.end())
    front = Header(text, matter.start, matter.document, matter.body)
    is_taken = start == end or front.is_taken(*JAVASCRIPT)
    return front, "" if is_taken else "its front matter is not valid"


def _text(front: Header, key: str) -> str:
    value = front.value(key)
    is_text = value is not None and isinstance(value.data, str) and not is_date(front, value)
    return value.data.strip() if value is not None and isinstance(value.data, str) and is_text else ""


def _first_line(body: str, most: int) -> str:
    line = next((each.strip() for each in body.splitlines() if each.strip()), "No description provided.")
    return line if units(line) <= most else f"{line[: first(line, most - 1)]}…"


# -- agents ------------------------------------------------------------------------------------------------------------


def agents(writer: Writer, facts: Facts, places: list[str]) -> dict[str, Agent]:
    """The agents of some places by name, of which the first counts [source: discoverAgentFiles] (wire: agents-list)."""
    found: dict[str, Agent] = {}
    for place in places:
        waiting = [(writer.host.realpath(place), 0)]
        while waiting:
            path, level = waiting.pop(0)
            if writer.host.kind(path) == "directory":
                names = sorted(each.name for each in writer.host.entries(path))
                below = [join(path, each) for each in names if not _is_hidden(each)]
                waiting = [*((each, level + 1) for each in below if level <= facts.depth), *waiting]
            elif path.endswith(".md") and writer.host.kind(path) == "file":
                agent = agent_at(writer, path)
                if agent is not None:
                    found.setdefault(agent.name, agent)
    return found


def agent_at(writer: Writer, path: str) -> Agent | None:
    """The agent of a file; None where it is left out, which is noted [source: parseAgentFileText]."""
    rule, note = own(WHY_AGENT, use="agent"), writer.draft.candidates.append
    text = text_at(writer.host, path, rule, note, is_whole=True)
    if text is None:
        return None
    front, flaw = front_of(text)
    called = _text(front, "name") or name(path).rpartition(".")[0]
    start, end = trimmed(text, front.body)
    if front.document is None:
        flaw = "it has no front matter"
    elif not flaw and AGENT_NAME.fullmatch(called) is None:
        flaw = "its name may have small letters, digits and single dashes only"
    elif not flaw and not _text(front, "description"):
        flaw = "it has no description"
    elif not flaw and start == end:
        flaw = "it has no text"
    if flaw:
        note(rule.failed(path, f"{flaw}, {DROPPED}"))
        return None
    words = " ".join(said for key in ("description", "whenToUse") if (said := _text(front, key)))
    tools = None if front.value("tools") or front.value("disallowedTools") else "all"
    # What a tool says of it is no instruction (wire: agents-list).
    origin = Origin("config", path=path, range=front.range("description"), name="description")
    return Agent(called, path, text, start, end, front.is_true("override"), words, tools, origin)


def agent_rows(writer: Writer, found: list[Agent]) -> list[Segment]:
    """The agents in the definition of the tool Agent, after those that Kimi Code brings (wire: agents-list)."""
    parts = [writer.own("description of the tool Agent", why=WHY_AGENT, layer="tools")]
    for each in found:
        rule = own(WHY_AGENT, use="agent")
        parts += AGENT_ROW.segments(Named(each.name, each.words, origin=each.origin, rule=rule, place=each.path))
        parts.append(tail(each.tools, "tools") if each.tools else writer.own("tools of the agent", why=WHY_AGENT))
    return parts


def agent_rows_size(found: list[Agent]) -> int | None:
    """The characters that they add to the definition, where all of them are known."""
    if any(each.tools is None for each in found):
        return None
    return sum(json_size(f"\n- {each.name}: {each.words}\n  Tools: {each.tools}") for each in found)
