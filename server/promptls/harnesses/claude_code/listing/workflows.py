"""Workflows of Claude Code: scripts whose ``meta`` the list of skills has. None is run (surfaces, 2)."""

from __future__ import annotations

from promptls.core.formats.read_again import FrontMatter
from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.lazy import regex
from promptls.core.text import decode
from promptls.core.values import replace
from promptls.harnesses.claude_code.listing.alphabet import alphabet
from promptls.harnesses.claude_code.listing.places import places
from promptls.harnesses.claude_code.listing.skills import Skill
from promptls.kit.candidates import own
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft

_META = regex(r"\bmeta\s*=\s*\{")
# A key with a plain string in quotes.
_PAIR = regex(r"""\b(name|description)["']?\s*:\s*(["'`])((?:(?!\2)[^\\\n])*)\2""")


def workflows(draft: Draft, setup: Setup) -> list[Skill]:
    """``.claude/workflows/*.js``, by the ``name`` and ``description`` of their ``meta`` (case all-surfaces)."""
    found: list[Skill] = []
    for place in places(setup, "workflows"):
        for entry in setup.host.entries(place.directory):
            path = join(place.directory, entry.name)
            contents = setup.host.read(path) if entry.name.endswith(".js") else None
            if contents is None or contents.state != "file":
                continue
            text = decode(contents.data, keep_bom=False)
            values = replace(EMPTY, members=tuple(meta(text)))
            called = values.text("name")
            if called:
                front = FrontMatter(Document(text, values, None), body=len(text))
                found.append(Skill(called, "workflow", place.source, path, text, front, place.base))
            else:
                rule = own("Claude Code looks for workflows here", use="skill")
                draft.candidates.append(rule.failed(path, "promptls finds no name in its meta"))
    return sorted(found, key=lambda skill: alphabet(skill.name))


def meta(text: str) -> Iterator[tuple[Value, Value]]:
    """The name and description of a script, with their places."""
    begins = _META.search(text)
    # Where it does not end, nothing is looked at.
    for pair in _PAIR.finditer(text, begins.end(), text.find("}", begins.end())) if begins else ():
        yield (
            Value("string", pair.start(1), pair.end(1), pair[1]),
            Value("string", pair.start(3), pair.end(3), pair[3]),
        )
