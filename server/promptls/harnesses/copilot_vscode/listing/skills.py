"""Skills: the list of them in the system message (parts: skills-directories, skills-front-matter, skills-tool)."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Cut, Origin, Segment
from promptls.core.text import units
from promptls.core.values import dataclass
from promptls.harnesses.copilot_vscode.files.locations import SKILL, SKILLS, places
from promptls.harnesses.copilot_vscode.parts import PROGRAM, escaped, is_said, own_text, scalar
from promptls.harnesses.copilot_vscode.settings import SKILL_TOOL, USE_SKILLS
from promptls.kit.candidates import Rule
from promptls.kit.javascript import head as first_units
from promptls.kit.named import Named, Row, fitting, take
from promptls.kit.paths import join, name, parent
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Candidate
    from promptls.harnesses.copilot_vscode.parts import Chat

WHY_LISTED = f"{PROGRAM} lists the skills with a description; the model reads the file when it needs it"
_TAG = regex(r"<[^>]+>")
ROW = Row(
    PROGRAM,
    "skill",
    WHY_LISTED,
    before="<skill>\n<name>{name}</name>\n<description>",
    after="</description>\n<file>{place}</file>\n</skill>\n",
    layer="instructions",
    escaped=escaped,
)


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
            if is_on:
                take(skills, skill, chat.draft.candidates.append)
            else:
                off = Rule(f"{USE_SKILLS} is off", chat.settings.origin(USE_SKILLS), "skill")
                chat.draft.candidates.append(off.disabled(path))
    return list(skills.values())


def _files(chat: Chat, directory: str) -> Iterator[str]:
    """``*/SKILL.md`` one level down, in exactly this spelling (parts: skills-directories)."""
    entries = chat.host.entries(directory)
    chat.draft.steps.spend(entries)
    for entry in sorted(entries, key=lambda each: each.name.encode("utf-8", "surrogateescape")):
        path = join(directory, entry.name, SKILL)
        if (entry.is_directory or entry.is_link) and chat.host.kind(path) == "file":
            yield path


def rows(chat: Chat, skills: list[Skill], reader: str) -> Iterator[Segment]:
    """The list. With a tool for skills its rows are limited, and the rest are only named (parts: skills-tool).

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
    # The skills of the program itself come last.
    sizes = [*(ROW.size(named) for _, named, _ in listed), *(size + 1 for _, size in facts.built_in_skills)]
    shown = fitting(sizes, facts.rows_limit) if has_tool else len(sizes)
    for number, (skill, named, cut) in enumerate(listed):
        if number < shown:
            chat.draft.candidates.append(_outcome(skill, cut))
            yield from ROW.segments(named)
        else:
            reason = f"the rows of the skills before it are {facts.rows_limit} characters, so only its name is listed"
            chat.draft.candidates.append(skill.rule.dropped(skill.path, reason))
    for each, size in facts.built_in_skills[: max(shown - len(listed), 0)]:
        yield from (own_text(f"built-in skill {each}", size), tail("\n"))
    names = [*(escaped(skill.name) for skill, *_ in listed), *(name for name, _ in facts.built_in_skills)]
    if rest := names[shown:]:
        yield Segment("instructions", "names of further skills", _names(chat, rest), Origin("computed"), WHY_LISTED)
    yield tail("</skills>\n\n\n")


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


def _listed(chat: Chat, skill: Skill) -> tuple[Named, Cut | None] | None:
    """The skill with the description as it is listed, and what a limit leaves of that; None for one that is not."""
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
    origin = Origin("file", path=skill.path, range=matter.range("description"))
    return Named(skill.name, plain[: first_units(plain, most)], skill.path, origin, skill.rule), cut


def without_tags(text: str) -> str:
    """``text`` without what is between ``<`` and ``>``."""
    end = text.rfind(">") + 1
    return _TAG.sub("", text[:end]) + text[end:]
