"""The skills of Deep Agents Code: where they are, which one of a name counts, and how they are listed.

What says "source" was read in the program's package and not seen on the wire. Sections are those of its specification.
"""

from __future__ import annotations

import re

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, Cut, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.kit.candidates import Rule, own
from promptls.kit.named import Named, Row, take
from promptls.kit.paths import join, native
from promptls.kit.segments import head, tail
from promptls.kit.yaml_values import SLOW_PYTHON, python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Segment
    from promptls.harnesses.deepagents_code.files import Places
    from promptls.harnesses.deepagents_code.versions import Facts
    from promptls.kit.writer import Writer

WHY = "Deep Agents Code lists the skills of this directory"
WHY_ALSO = "a skill has to have a name and a description, so it is left out"
WHY_CUT = "Deep Agents Code lists the first {} characters of a description"
WHY_BUILT_IN = "the skills that it brings stand first, unless others have their names"
TITLE = "Deep Agents Code"
# [source: _parse_skill_metadata]
CLOSING = regex(r"\n---\s*\n")
_SPACES = regex(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill: what is listed of it, and what stands behind its words."""

    named: Named
    after: str
    text: str

    @property
    def name(self) -> str:
        """How it is called."""
        return self.named.name

    @property
    def path(self) -> str | None:
        """Its file."""
        return self.named.path

    @property
    def rule(self) -> Rule | None:
        """Why its file is read."""
        return self.named.rule


def sources(host: Host, places: Places) -> list[tuple[str, str]]:
    """The places in the order in which they are named, each with its directory; the last of a name counts.

    Only of the git root, whether or not they are there, except for those of Claude Code (wire: skills, no-git).
    """
    home, root = host.home, places.root
    found = [("User Deepagents", join(places.agent, "skills")), ("User Agents", join(home, ".agents/skills"))]
    if root is not None:
        found += [("Project Deepagents", join(root, ".deepagents/skills"))]
        found += [("Project Agents", join(root, ".agents/skills"))]
    if host.kind(join(home, ".claude/skills")) is not None:
        found += [("User Claude", join(home, ".claude/skills"))]
    if root is not None:
        found += [("Project Claude", join(root, ".claude/skills"))]
    return found


def locations(found: list[tuple[str, str]]) -> Segment:
    """The places, a line each."""
    lines = [f"**{label} Skills**: `{native(directory)}`" for label, directory in found]
    return head("\n".join([*lines[:-1], f"{lines[-1]} (higher priority)\n\n"]), "tools")


def skills(writer: Writer, facts: Facts, found: list[tuple[str, str]]) -> list[Skill]:
    """All that are listed: of a name the last one, in the place of the first (wire: skills).

    Directories are sorted with the slash behind their names: ``llm-test`` comes before ``llm`` [source].
    """
    host, note, taken = writer.host, writer.draft.candidates.append, dict[str, Skill]()
    rule = own(WHY, use="skill")
    for _, directory in found:
        for entry in sorted(host.entries(directory), key=lambda each: f"{each.name}/"):
            path = join(directory, entry.name, SKILL_FILE)
            if host.kind(path) is None:
                continue
            contents = host.read(path)
            if contents.state != "file":
                note(rule.unread(path, contents.state))
                continue
            skill = _skill(path, host.realpath(path), decode(contents.data, keep_bom=True), facts)
            if "\ufffd" in decode(contents.data, keep_bom=True) or skill is None:
                note(rule.failed(path, WHY_ALSO))
                continue
            take(taken, skill, note, is_last=True, says="{} has the same name and comes later")
    for each in taken.values():
        note(rule.loaded(each.path))
    return [*taken.values()]


def _skill(path: str, real: str, text: str, facts: Facts) -> Skill | None:
    """A skill; None without a name and a description (wire: skills). A link is listed (wire: skill-link-outside)."""
    matter = front_matter.fenced(text, CLOSING)
    header = Header(text, matter.start, matter.document, matter.body)
    if not header.is_taken(*SLOW_PYTHON):
        return None
    name, said = _word(header, "name"), _word(header, "description")
    if not name or not said:
        return None
    most = facts.description
    cut = Cut(most, len(said), "characters", WHY_CUT.format(most)) if len(said) > most else None
    licence, needs = _word(header, "license"), _word(header, "compatibility")[: facts.compatibility]
    notes = [*([f"License: {licence}"] if licence else []), *([f"Compatibility: {needs}"] if needs else [])]
    after = f" ({', '.join(notes)})" if notes else ""
    tools = [each for word in header.words("allowed-tools") for each in _SPACES.split(word) if each]
    after += f"\n  -> Allowed tools: {', '.join(tools)}" if tools else ""
    origin = Origin("file", path=real, range=header.range("description"))
    return Skill(Named(name, said[:most], path, origin, own(WHY, use="skill"), cut=cut), after, text)


def _word(header: Header, key: str) -> str:
    """What Python makes a text of, without white space around it."""
    value = header.value(key)
    return str(python(header, value)).strip() if value is not None else ""


def rows(writer: Writer, facts: Facts, found: list[Skill]) -> Iterator[Segment]:
    """The list, in which a skill stands in the place of one that the program brings [source]; (wire: skills)."""
    named = {each.name: each for each in found}
    # What stands before the list is part of the first of these.
    is_new = True
    for each in (None, *facts.built_in):
        skill = named.pop(each, None) if each is not None else None
        if skill is None and is_new:
            yield writer.own("skills that it brings", why=WHY_BUILT_IN, layer="tools")
            yield tail("\n", "tools")
        if skill is not None:
            yield from _row(skill)
        is_new = skill is not None
    for skill in named.values():
        yield from _row(skill)


def _row(skill: Skill) -> Iterator[Segment]:
    after = f"{skill.after}\n  -> Read `{{place}}` for full instructions\n"
    row = Row(TITLE, "skill", WHY, before="- **{name}**: ", after=_with_place_only(after))
    yield from row.segments(skill.named)


def _with_place_only(text: str) -> str:
    """A text in which only the place is filled in."""
    return re.sub(r"[{}]", lambda brace: brace[0] * 2, text).replace("{{place}}", "{place}")
