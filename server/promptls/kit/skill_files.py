"""Skills in the folders of given directories, for harnesses that only name them in the definition of a tool."""

from __future__ import annotations

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.model import Origin
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.kit.candidates import STATE_SAYS, own
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.kit.draft import Draft

FILE = "SKILL.md"


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A skill: the texts of its front matter, and where the description is."""

    name: str
    description: str
    origin: Origin


def skill_files(draft: Draft, host: Host, places: Iterable[str], why: str) -> Iterator[SkillFile]:
    """Those of each place in its order, by the names of their folders; one without both texts is left out."""
    rule = own(why, use="skill")
    for place in places:
        for entry in sorted(host.entries(place), key=lambda each: each.name):
            path = join(place, entry.name, FILE)
            if host.kind(path) is None:
                continue
            contents = host.head(path)
            if contents.state != "file":
                draft.candidates.append(rule.failed(path, STATE_SAYS[contents.state]))
                continue
            text = decode(contents.data, keep_bom=False)
            matter = front_matter.split(text)
            front = Header(text, matter.start, matter.document, matter.body)
            name, description = front.word("name"), front.value("description")
            if not name or description is None or not isinstance(description.data, str):
                draft.candidates.append(rule.failed(path, "it has no name or no description, so it is left out"))
                continue
            draft.candidates.append(rule.loaded(path))
            yield SkillFile(name, description.data, Origin("file", path=path, range=front.range("description")))
