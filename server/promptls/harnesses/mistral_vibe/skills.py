"""The skills of Mistral Vibe: where they are, which one of a name counts, and how they are listed.

[source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, Origin
from promptls.kit.candidates import own
from promptls.kit.named import Named, Row, take, text_at
from promptls.kit.paths import join
from promptls.kit.segments import escaped, head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Segment
    from promptls.harnesses.mistral_vibe.files import Search

WHY = "Mistral Vibe lists the skills of .vibe and .agents, of a folder that is trusted and then of the home directory"
WHY_NAME = "its name is not one of at most {} small letters, digits and single hyphens, so it is left out"
WHY_DESCRIPTION = "it has no description, or one of more than {:,} characters, so it is left out"
WHY_HIDDEN = "disable-model-invocation is true, so only the user can call it"
PLACES = (".vibe/skills", ".agents/skills")
_NAME = regex(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
OPENING = "<available-skills>\n"
ROW = Row(
    "Mistral Vibe",
    "skill",
    WHY,
    before="  <skill>\n    <name>{name}</name>\n    <description>",
    after="</description>\n    <path>{place}</path>\n  </skill>\n",
    escaped=escaped,
    of_path=escaped,
)


def listed(search: Search) -> Iterator[Segment]:
    """A row for each of the user's, before those that Mistral Vibe brings (seen by verify)."""
    yield head(OPENING, "tools")
    yield from ROW.rows(_skills(search).values())


def _skills(search: Search) -> dict[str, Named]:
    """Those of each open directory, then of the home directory; the first of a name counts (seen by verify)."""
    host, note = search.writer.host, search.writer.draft.candidates.append
    places = [join(root, place) for root in search.roots for place in PLACES]
    places += [join(search.home, "skills"), join(host.home, ".agents/skills")]
    found: dict[str, Named] = {}
    for place in dict.fromkeys(map(host.realpath, places)):
        # It takes those of a place in the order of the disk (seen by verify), which no preview can know.
        for entry in sorted(host.entries(place), key=lambda each: each.name):
            path = join(host.realpath(join(place, entry.name)), SKILL_FILE)
            skill = _skill(search, path) if host.kind(path) == "file" else None
            if skill is not None:
                take(found, skill, note)
    for each in found.values():
        note(own(WHY, use="skill").loaded(each.path))
    return found


def _skill(search: Search, path: str) -> Named | None:
    """A skill with a name and a description that count [source: models.py]."""
    rule, note, facts = own(WHY, use="skill"), search.writer.draft.candidates.append, search.facts
    text = text_at(search.writer.host, path, rule, note)
    if text is None:
        return None
    matter = front_matter.split(text)
    front = Header(text, matter.start, matter.document, matter.body)
    name, said = (value.data if (value := front.value(key)) is not None else None for key in ("name", "description"))
    if not isinstance(name, str) or len(name) > facts.longest_name or not _NAME.match(name):
        note(rule.failed(path, WHY_NAME.format(facts.longest_name)))
    elif not isinstance(said, str) or not 0 < len(said) <= facts.longest_description:
        note(rule.failed(path, WHY_DESCRIPTION.format(facts.longest_description)))
    elif front.is_true("disable-model-invocation"):
        note(rule.excluded(path, WHY_HIDDEN))
    else:
        return Named(name, said, path, Origin("file", path=path, range=front.range("description")), rule)
    return None
