"""Which AGENTS.md files Deep Agents Code takes, and what ends it.

What says "source" was read in the program's package and not seen on the wire. Sections are those of its specification.
"""

from __future__ import annotations

from promptls.core.values import dataclass, replace
from promptls.kit.candidates import own
from promptls.kit.chain import Chain, Frame, Reading
from promptls.kit.paths import is_below, join, name, parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Segment
    from promptls.kit.chain import FileText
    from promptls.kit.writer import Writer

AGENTS, DOTTED = "AGENTS.md", ".deepagents/AGENTS.md"
OPEN, CLOSE = "<!--", "-->"
FRAME = Frame(label="{path}\n\n", between="\n\n")
WHY_USER = f"Deep Agents Code loads {AGENTS} of the agent's directory in ~/.deepagents"
WHY_PROJECT = f"Deep Agents Code loads {DOTTED} and {AGENTS} of the git root, and nothing else of the project"
WHY_NO_GIT = f"outside of a git repository, Deep Agents Code loads no {AGENTS} of the folder; run git init"
WHY_LINK = "Deep Agents Code opens no link here, and ends with an error (invalid_path)"


def without_comments(text: str) -> Iterator[tuple[int, int]]:
    """The text without comments, also those in code, and without white space at its end (wire: comment-front)."""
    kept: list[tuple[int, int]] = []
    start, opened = 0, text.find(OPEN)
    while opened >= 0 and (closed := text.find(CLOSE, opened + len(OPEN))) >= 0:
        kept.append((start, opened))
        start = closed + len(CLOSE)
        opened = text.find(OPEN, start)
    kept.append((start, len(text)))
    while kept and not text[kept[-1][0] : kept[-1][1]].rstrip():
        kept.pop()
    if kept:
        first, last = kept[-1]
        kept[-1] = (first, first + len(text[first:last].rstrip()))
    yield from (each for each in kept if each[0] < each[1])


# Bytes that are no UTF-8, and a directory of the name, end the program (wire: latin1, directory).
READING = Reading(
    parts=without_comments,
    empty="it is blank, or holds only comments",
    ends_if=("not UTF-8", "unreadable"),
    layer="memory",
)
USER = Chain((AGENTS,), WHY_USER, reading=READING)
PROJECT = Chain((DOTTED, AGENTS), WHY_PROJECT, reading=READING)


@dataclass(frozen=True, slots=True)
class Places:
    """The directory of the agent in the home directory, and the git root; None without one."""

    agent: str
    root: str | None


def memory(writer: Writer, places: Places) -> list[Segment]:
    """The user's file, then those of the git root (wire: root-names, chain, no-git)."""
    user = join(places.agent, AGENTS)
    files: list[FileText] = []
    if _is_link(writer, user):
        says = f"Deep Agents Code ends with an error at {user}: it is a link. Put the text itself there."
        writer.stop(says, user)
        writer.draft.candidates.append(own(WHY_USER).failed(user, "it is a link, and none is followed there"))
    else:
        files += writer.find(USER, [places.agent])
    files += [each for path in (DOTTED, AGENTS) for each in _of_project(writer, places.root, path)]
    return FRAME.around(files)


def _is_link(writer: Writer, path: str) -> bool:
    """Whether the name itself is a link, wherever it leads (wire: home-link)."""
    entries = writer.host.entries(parent(path))
    return any(each.name == name(path) and each.is_link for each in entries)


def _of_project(writer: Writer, root: str | None, path: str) -> list[FileText]:
    """One file; a link is followed within the repository, and its target is named (wire: link-outside)."""
    if root is None:
        return []
    host, place = writer.host, join(root, path)
    real = host.realpath(place)
    if host.kind(place) is not None and not is_below(real, root):
        reason = "it is a link out of the repository, and only a log says so"
        writer.draft.candidates.append(own(WHY_PROJECT).excluded(place, reason, state="link"))
        return []
    if host.kind(place) is None or real == place:
        return writer.find(replace(PROJECT, names=(path,)), [root])
    return writer.find(replace(PROJECT, names=(name(real),)), [parent(real)])
