"""Prompts of one commit that hold at another one, because whatever they come from is the same there.

Each is kept with what its preview looked at (``core/looks.py``). Git says which files differ between two
commits, and so which looks would get another answer.
"""

from __future__ import annotations

from promptls import harnesses
from promptls.core.files import head_of
from promptls.core.looks import Looks, Witness
from promptls.core.paths import is_below
from promptls.core.values import dataclass
from promptls.git.revision import MOST_LINKS
from promptls.sessions.of_folder import spared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.git.revision import Revision

# Names of files that links give them, beyond which it is quicker to look again.
MOST_NAMES = 10_000


@dataclass(frozen=True, slots=True)
class _KeptPrompt:
    """A prompt, and what it comes from."""

    prompt: Prompt
    looks: Looks


class KeptPrompts:
    """The prompts of one commit, by the sessions that were asked for."""

    def __init__(self) -> None:
        self._known: dict[Session, _KeptPrompt] = {}
        # By the number of a prompt, which is kept with it so that its number stays its own.
        self._asked: dict[int, tuple[Prompt, Session]] = {}

    def preview(self, session: Session, host: Host) -> Prompt:
        """The prompt of a session. What it only reads is spared, unless something else asks for it."""
        found = self._known.get(session)
        if found is None:
            reads = spared(session)
            witness = Witness(host, reads)
            prompt = harnesses.preview(session, witness)
            if any(each.path in reads for each in prompt.candidates):
                host.want(reads)
                witness = Witness(host)
                prompt = harnesses.preview(session, witness)
            found = self._known[session] = _KeptPrompt(prompt, witness.looks)
            self._asked[id(prompt)] = prompt, session
        return found.prompt

    def again(self, prompts: Iterable[Prompt], host: Host) -> list[Prompt]:
        """The prompts of the same sessions."""
        return [self.preview(self._asked[id(each)][1], host) for each in prompts]

    def heads(self) -> set[str]:
        """The files of which some preview has looked at the head."""
        return set().union(*(each.looks.heads for each in self._known.values()))

    def drop(self, otherwise: Looks | None, shown: Sequence[Prompt]) -> None:
        """Go to another commit, at which what ``otherwise`` has looks otherwise; None: anything may.

        Of ``shown``, the prompts of the same sessions can be asked for.
        """
        if otherwise is None:
            self._known.clear()
        else:
            self._known = {key: each for key, each in self._known.items() if each.looks.are_apart(otherwise)}
        numbers = {*map(id, shown), *(id(each.prompt) for each in self._known.values())}
        self._asked = {number: found for number, found in self._asked.items() if number in numbers}


def otherwise(
    one: Revision, other: Revision, changed: Collection[str], moved: Iterable[str], heads: Collection[str]
) -> Looks | None:
    """What would look otherwise at another commit with the same links; None if that takes too long to say.

    ``changed`` are the files that differ; those in ``moved`` are something else, or only at one of the two. ``heads``:
    the files of which it matters whether their heads differ.
    """
    top = one.tops[1]
    named, listed = set(), set()
    for path in moved:
        place = path
        is_there = False
        # Up to the first directory that is at both.
        while not is_there and place != top:
            named.add(place)
            place = place.rpartition("/")[0]
            listed.add(place)
            is_there = one.has_directory(place) and other.has_directory(place)
    links = {**other.links(), **({one.tops[0]: top} if one.tops[0] != top else {})}
    named_by, listed_by, read = (_by_links(each, links) for each in (named, listed, {*changed}))
    if named_by is None or listed_by is None or read is None:
        return None
    return Looks(named_by, listed_by, read, {each for each in read.intersection(heads) if _differs(each, one, other)})


def _differs(path: str, one: Revision, other: Revision) -> bool:
    """Whether the head of a file does."""
    was, now = (each.read(path) for each in (one, other))
    return was.state != now.state or (head_of(was.data) or was.data) != (head_of(now.data) or now.data)


def _by_links(paths: set[str], links: Mapping[str, str]) -> set[str] | None:
    """The paths, and those by which links lead to them; None if there are too many."""
    found, new = set(paths), paths
    for _ in range(MOST_LINKS):
        new = {f"{link}{path[len(at) :]}" for link, at in links.items() for path in new if is_below(path, at)} - found
        found |= new
        if not new or len(found) > MOST_NAMES:
            break
    return None if new else found
