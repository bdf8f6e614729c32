"""The list of skills whose text is not sent at start, and the texts that a prompt brings (section "Front matter")."""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.values import replace
from promptls.kit.paths import native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Turn
    from promptls.harnesses.openhands.skills import Skill
    from promptls.harnesses.openhands.versions import Facts

# The wrapper, to the letter (wire: triggered-prompt).
OPENING = (
    "<SKILLS>\nThe following skills are available. Some are auto-injected when their keywords or task types appear in "
    "your messages; others are listed here for you to invoke proactively when relevant.\nTo use a skill, call the "
    '`invoke_skill(name="<skill-name>")` tool with the `<name>` shown below. This is the only supported way to invoke '
    "a skill.\n\n<available_skills>\n"
)
CLOSING = "</available_skills>\n</SKILLS>"
BROUGHT = (
    '<EXTRA_INFO>\nThe following information has been included based on a keyword match for "{}".\n'
    "It may or may not be relevant to the user's request.\n\nSkill location: {}\n"
    "(Use this path to resolve relative file references in the skill content below)\n\n\n"
)

WHY_ROW = "the name of the skill, and its description or else its first line"
WHY_BROUGHT = "the prompt has one of the triggers of this skill"


def skill_list(facts: Facts, skills: Sequence[Skill]) -> Iterator[Segment]:
    """A row for each skill (wire: skill-forms)."""
    yield head(OPENING, "tools")
    for skill in skills:
        yield head(f"  <skill>\n    <name>{_escaped(skill.name.strip())}</name>\n    <description>", "tools")
        # The row tells of the file and is not its text.
        yield _described(facts, skill, replace(skill.origin, again=True))
        yield tail("</description>\n  </skill>\n", "tools")
    yield tail(CLOSING, "tools")


def _described(facts: Facts, skill: Skill, origin: Origin) -> Segment:
    """The description; without one, the first line that is no heading, and how much follows it [source]."""
    title = f"row for {skill.name}"
    if skill.description and len(skill.description) <= facts.longest_description:
        return Segment("tools", title, _escaped(skill.description.strip()), origin, WHY_ROW)
    before = 0
    for line in skill.text.split("\n"):
        said = line.strip()
        if said and not said.startswith("#"):
            break
        before += len(line) + 1
    else:
        line = said = ""
    left = max(0, len(skill.text) - before - len(line))
    if skill.description or skill.has_inputs or len(said) > facts.longest_description:
        # Cut with words of OpenHands's own.
        return elided("tools", "openhands", title, why=WHY_ROW)
    more = f'... [{left} characters truncated. Call invoke_skill(name="{skill.name}") to load the full skill]'
    return Segment("tools", title, _escaped(said + (more if said and left else "")), origin, WHY_ROW)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")


def brought(skills: Sequence[Skill], turn: Turn, sent: set[str]) -> Iterator[Segment]:
    """The texts that a prompt brings, each once a session, in any letter case (wire: triggered-two)."""
    typed = (turn.prompt or "").lower()
    found = [(skill, word) for skill in skills if (word := _trigger(skill, typed)) is not None]
    for at, (skill, word) in enumerate((skill, word) for skill, word in found if skill.name not in sent):
        sent.add(skill.name)
        yield tail("\n\n" if at else "")
        yield head(BROUGHT.format(word, native(skill.path)), path=skill.path)
        yield Segment("instructions", skill.path, skill.text, skill.origin, WHY_BROUGHT, cache="turn")
        yield tail("\n</EXTRA_INFO>")


def _trigger(skill: Skill, typed: str) -> str | None:
    """The first trigger that is in what was typed."""
    return next((each for each in skill.triggers if typed.strip() and each.lower() in typed), None)
