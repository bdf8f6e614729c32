"""Skills: the list of them in the system message (surface: skills-directories, skills-front-matter, skills-tool)."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Cut, Origin, Segment
from promptls.core.paths import native
from promptls.core.text import units
from promptls.core.values import dataclass
from promptls.harnesses.copilot_vscode.files.locations import SKILL, SKILLS, places
from promptls.harnesses.copilot_vscode.parts import PROGRAM, escaped, is_said, own_text, scalar
from promptls.harnesses.copilot_vscode.settings import SKILL_TOOL, USE_SKILLS
from promptls.kit.candidates import Rule
from promptls.kit.javascript import head as first_units
from promptls.kit.paths import join, name, parent
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Candidate
    from promptls.harnesses.copilot_vscode.parts import Chat

WHY_LISTED = f"{PROGRAM} lists the skills with a description; the model reads the file when it needs it"
_TAG = regex(r"<[^>]+>")


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that is found: the name of its folder, and the file."""

    name: str
    path: str
    rule: Rule


def found(chat: Chat) -> list[Skill]:
    """The skills of all places, the workspace's first; of equal names the first counts. () if they are off."""
    skills: dict[str, Skill] = {}
    is_on = chat.settings.is_on(USE_SKILLS)
    for place in (*places(chat, SKILLS), *places(chat, SKILLS, of_user=True)):
        for path in _files(chat, place.path):
            shown = name(parent(path))[: chat.facts.name_limit]
            skill = Skill(shown, path, Rule(WHY_LISTED, place.rule.origin, "skill"))
            first = skills.setdefault(skill.name, skill)
            if not is_on:
                off = Rule(f"{USE_SKILLS} is off", chat.settings.origin(USE_SKILLS), "skill")
                chat.draft.candidates.append(off.disabled(path))
            elif first is not skill:
                reason = f"{first.path} has the same name and comes first"
                chat.draft.candidates.append(skill.rule.shadowed(path, reason, by=first.path))
    return list(skills.values()) if is_on else []


def _files(chat: Chat, directory: str) -> Iterator[str]:
    """``*/SKILL.md`` one level down, in exactly this spelling (surface: skills-directories)."""
    entries = chat.host.entries(directory)
    chat.draft.steps.spend(entries)
    for entry in sorted(entries, key=lambda each: each.name.encode("utf-8", "surrogateescape")):
        path = join(directory, entry.name, SKILL)
        if (entry.is_directory or entry.is_link) and chat.host.kind(path) == "file":
            yield path


def rows(chat: Chat, skills: list[Skill], reader: str) -> Iterator[Segment]:
    """The list. With a tool for skills its rows are limited, and the rest are only named (surface: skills-tool).

    Without one, the paragraph before it names the tool ``reader``.
    """
    if not chat.settings.is_on(USE_SKILLS):
        return
    has_tool = chat.settings.is_on(SKILL_TOOL)
    facts = chat.facts
    yield head("<skills>\n")
    preamble = facts.skills_preamble_with_tool if has_tool else facts.skills_preamble + len(reader)
    yield own_text("paragraph before the list of skills", preamble)
    yield tail("\n")
    listed = [(skill, *found) for skill in skills if (found := _listed(chat, skill)) is not None]
    left = facts.rows_limit if has_tool else None
    rest: list[str] = []
    for skill, description, cut in listed:
        before = f"<skill>\n<name>{escaped(skill.name)}</name>\n<description>"
        after = f"</description>\n<file>{native(skill.path)}</file>\n</skill>\n"
        size = len(before) + len(description) + len(after)
        if rest or (left is not None and size > left):
            reason = f"the rows of the skills before it are {facts.rows_limit} characters, so only its name is listed"
            chat.draft.candidates.append(skill.rule.dropped(skill.path, reason))
            rest.append(escaped(skill.name))
            continue
        left = left - size if left is not None else None
        chat.draft.candidates.append(_outcome(skill, cut))
        yield head(before, path=skill.path)
        yield Segment("instructions", skill.name, description, _origin(chat, skill), WHY_LISTED)
        yield tail(after)
    yield from _built_in(chat, left, rest)
    if rest:
        yield Segment("instructions", "names of further skills", _names(chat, rest), Origin("computed"), WHY_LISTED)
    yield tail("</skills>\n\n\n")


def _built_in(chat: Chat, left: int | None, rest: list[str]) -> Iterator[Segment]:
    """The skills of the program itself come last."""
    for each, size in chat.facts.built_in_skills:
        if rest or (left is not None and size + 1 > left):
            rest.append(each)
            continue
        left = left - size - 1 if left is not None else None
        yield own_text(f"built-in skill {each}", size)
        yield tail("\n")


def _names(chat: Chat, rest: list[str]) -> str:
    """The names of the skills without a row, up to a limit."""
    kept: list[str] = []
    left = chat.facts.names_limit
    for each in rest:
        left -= len(each) + (2 if kept else 0)
        if left < 0:
            break
        kept.append(each)
    more = f"... and {len(rest) - len(kept)} more" if len(kept) < len(rest) else ""
    return f"Additional skills available (invoke by name): {', '.join(kept)}{more}\n"


def _outcome(skill: Skill, cut: Cut | None) -> Candidate:
    if cut is None:
        return skill.rule.loaded(skill.path)
    return skill.rule.cut(skill.path, f"{cut.limit}, so the end of its description is left out", cut=cut)


def _listed(chat: Chat, skill: Skill) -> tuple[str, Cut | None] | None:
    """The description as it is listed, and what a limit leaves of it; None for a skill that is not."""
    matter = chat.head(skill.path)
    reason = ""
    if matter is None:
        chat.draft.candidates.append(skill.rule.failed(skill.path, "it cannot be read"))
        return None
    description = scalar(matter, "description")
    if not description:
        reason = "it has no description, so it is not listed"
    elif is_said(matter, "disable-model-invocation", "true"):
        reason = "disable-model-invocation keeps it out of the list; /name still calls it"
    if reason:
        chat.draft.candidates.append(skill.rule.excluded(skill.path, reason))
        return None
    plain = without_tags(description)
    most, length = chat.facts.description_limit, units(plain)
    says = f"a description may have {most} characters"
    cut = Cut(most, length, "UTF-16 units", says) if length > most else None
    return escaped(plain[: first_units(plain, most)]), cut


def without_tags(text: str) -> str:
    """``text`` without what is between ``<`` and ``>``."""
    end = text.rfind(">") + 1
    return _TAG.sub("", text[:end]) + text[end:]


def _origin(chat: Chat, skill: Skill) -> Origin:
    matter = chat.head(skill.path)
    where = matter.range("description") if matter is not None else None
    return Origin("file", path=skill.path, range=where)
