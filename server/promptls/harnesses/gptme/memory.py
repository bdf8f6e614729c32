"""What gptme, Claude Code and others have kept of earlier sessions, at the end of the instructions.

What says "source" was read in the program's package and not seen on the wire.
"""

from __future__ import annotations

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.core.model import Cut, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import replace
from promptls.kit.candidates import own
from promptls.kit.paths import home_or, join, name, native, resolve
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.harnesses.gptme.files import Search

INDEX = "MEMORY.md"
VARIABLE, OF_AGENT = "GPTME_MEMORY_DIRS", "GPTME_AGENT_WORKSPACE"
WHY = "gptme sends the memories of the folder, of Claude Code for it, and of the user"
TYPES = ("user", "feedback", "project", "reference", "general")
LIMIT = "gptme sends 64 KiB of memories in all, and no setting raises that"
_OTHER = regex(r"[^A-Za-z0-9]")
_LINKED = regex(r"]\(<?([^<>():/]+\.md)(?:#[^)]+)?>?\)")


def memories(search: Search) -> list[Segment]:
    """The section of all memories (wire: memory); nothing where there are none."""
    host, left = search.host, search.facts.memory_bytes
    places = [each for each in _places(host, search.cwd) if host.kind(each) == "directory"]
    parts: list[Segment] = []
    for place in places:
        found = [*_of(search, place, left)]
        if found:
            parts += [*([tail("\n\n", "memory")] if parts else []), *found]
            left -= sum(len(each.text.encode()) for each in found) + 2
    if not parts:
        return []
    named = ", ".join(f"`{native(each)}`" for each in places)
    says = f"## Persistent Memory\n\nThe following memories are shared across sessions (from {named}):\n\n"
    return [head(says, "memory"), *parts]


def _places(host: Host, cwd: str) -> list[str]:
    """``GPTME_MEMORY_DIRS`` replaces all others; the same directory counts once [source: memory/roots.py]."""
    given = [each.strip() for each in (host.env.get(VARIABLE) or "").split(":") if each.strip()]
    found = [home_or(host.home, each) or resolve(cwd, each) for each in given]
    if not found:
        slug = _OTHER.sub("-", cwd)
        found = [join(cwd, "memory"), join(host.home, ".claude/projects", slug, "memory")]
        agent = (host.env.get(OF_AGENT) or "").strip()
        found += [join(home_or(host.home, agent) or resolve(cwd, agent), "memory")] if agent else []
        found += [join(host.env.get("XDG_CONFIG_HOME") or join(host.home, ".config"), "gptme/memory")]
    return list({host.realpath(each): each for each in reversed(found)}.values())[::-1]


def _of(search: Search, place: str, left: int) -> Iterator[Segment]:
    """The index of a directory, then what it does not link, a line for each (wire: memory)."""
    host, rule, path = search.host, own(WHY), join(place, INDEX)
    contents, index = host.read(path), ""
    if contents.state == "file" and host.realpath(path) == join(host.realpath(place), INDEX) and left > 0:
        data = contents.data[:left]
        text = decode(data, keep_bom=True) if len(data) == len(contents.data) else data.decode("utf-8", "ignore")
        index = text.strip()
        cut = Cut(left, contents.size, "bytes", LIMIT) if contents.size > left else None
        note = rule.cut(path, LIMIT, cut=cut) if cut else rule.loaded(path) if index else rule.empty(path)
        search.writer.draft.candidates.append(note)
        if index:
            start = text.index(index)
            where = LineIndex(text).range(start, start + len(index))
            yield Segment("memory", path, index, Origin("file", path=path, range=where), WHY, cut=cut)
        if cut:
            return
    linked = {each.removeprefix("./") for each in _LINKED.findall(index)}
    lines = [*_lines(search, place, linked)]
    if lines:
        why = "what the index does not link is listed after it"
        yield from ([tail("\n\n", "memory")] if index else [])
        yield replace(elided("memory", "gptme", "headings of the list", why=why), layer="memory")
        for each in lines:
            yield from each


def _lines(search: Search, place: str, linked: set[str]) -> Iterator[list[Segment]]:
    """A line for each memory that has front matter and is not linked, by its type and name."""
    host = search.host
    rule, found = own(WHY), []
    for entry in sorted(host.entries(place), key=lambda each: each.name):
        path = join(place, entry.name)
        if not entry.name.endswith(".md") or entry.name == INDEX or host.kind(path) != "file":
            continue
        text = decode(host.read(path).data, keep_bom=False)
        matter = front_matter.split(text)
        header = Header(text, matter.start, matter.document, matter.body)
        said, title = header.value("description"), header.word("name") or entry.name.removesuffix(".md")
        if matter.document is None or header.word("status") in ("superseded", "historical"):
            continue
        if entry.name in linked:
            search.writer.draft.candidates.append(
                rule.excluded(path, f"{INDEX} links it, and has its own words for it")
            )
            continue
        about = header.value("metadata")
        kind = (about.text("type") if about is not None else None) or header.word("type") or "general"
        place_of = TYPES.index(kind) if kind in TYPES else len(TYPES)
        words = str(said.data) if said is not None and isinstance(said.data, str) else ""
        where = Origin("file", path=path, range=header.range("description"))
        line = [head(f"\n- [{header.word('title') or title}]({name(path)}) — ", "memory", path=path)]
        found.append((place_of, kind, title, [*line, Segment("memory", path, words, where, WHY)]))
        search.writer.draft.candidates.append(rule.loaded(path, "only its description is sent"))
    yield from (line for *_, line in sorted(found, key=lambda each: each[:3]))
