"""The skills of Kimi CLI: where they are, which one of a name counts, and how they are listed.

[source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.model import SKILL_FILE, Origin, Segment
from promptls.core.text import LineIndex
from promptls.kit.candidates import own
from promptls.kit.named import Named, Row, take, text_at, utf_8_flaw
from promptls.kit.paths import first_above, join, name
from promptls.kit.segments import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Range
    from promptls.harnesses.kimi_cli.versions import Facts
    from promptls.kit.writer import Writer

WHY = "Kimi CLI lists the skills of .kimi, .claude, .codex and .agents, of the git root and then of the home directory"
BRANDS = (".kimi/skills", ".claude/skills", ".codex/skills")
NONE = "No description provided."
ROW = Row("Kimi CLI", "skill", WHY, before="- {name}\n  - Path: {place}\n  - Description: ", after="\n")


def listed(writer: Writer, facts: Facts) -> Iterator[Segment]:
    """Those of the project under one heading, those of the user under another, each by name (seen by verify)."""
    host, note = writer.host, writer.draft.candidates.append
    top = first_above(host, writer.cwd, ".git") or writer.cwd
    generic = next((each for each in (".config/agents/skills", ".agents/skills") if _is_in(host, host.home, each)), "")
    scopes = {
        "Project": [join(top, each) for each in (*BRANDS, ".agents/skills")],
        "User": [join(host.home, each) for each in (*BRANDS, *([generic] if generic else []))],
    }
    found: dict[str, Named] = {}
    for scope, places in scopes.items():
        for place in dict.fromkeys(map(host.realpath, places)):
            for each in _in(writer, facts, place, scope):
                take(found, each, note)
    for scope in scopes:
        rows = sorted((each for each in found.values() if each.group == scope), key=lambda each: each.name)
        for each in rows:
            note(own(WHY, use="skill").loaded(each.path))
        if rows:
            yield tail(f"### {scope}\n", "tools")
            yield from ROW.rows(rows)
            yield tail("\n", "tools")


def _is_in(host: Host, top: str, place: str) -> bool:
    return host.kind(join(top, place)) == "directory"


def _in(writer: Writer, facts: Facts, place: str, scope: str) -> Iterator[Named]:
    """Folders with a SKILL.md, then files of their own, which count where no folder has the name [source]."""
    host = writer.host
    entries = sorted(host.entries(place), key=lambda each: each.name)
    for entry in entries:
        path = join(place, entry.name, SKILL_FILE)
        if host.kind(path) == "file":
            yield from _skill(writer, facts, path, entry.name, scope)
    for entry in entries:
        path, lower = join(place, entry.name), entry.name.lower()
        if lower.endswith(".md") and lower != SKILL_FILE.lower() and host.kind(path) == "file":
            yield from _skill(writer, facts, path, entry.name[: -len(".md")], scope)


def _skill(writer: Writer, facts: Facts, path: str, called: str, scope: str) -> Iterator[Named]:
    """Without a description it is the first line of the text, which has a limit [source: skill/__init__.py]."""
    rule = own(WHY, use="skill")
    note = writer.draft.candidates.append
    if name(path) == SKILL_FILE and (flaw := utf_8_flaw(writer.host.read(path).data)):
        # (seen by verify)
        writer.stop(f"Kimi CLI ends with an error at {path}: {flaw}. Save it as UTF-8.", path)
        note(rule.failed(path, flaw))
        return
    text = text_at(writer.host, path, rule, note, is_whole=True, only_utf_8=True)
    if text is None:
        return
    matter = front_matter.split(text)
    front = Header(text, matter.start, matter.document, matter.body)
    words, where = front.word("description"), front.range("description")
    said = front.value("description")
    if said is not None and not text[front.start + said.end : front.body].strip(" \r\n-"):
        # It cuts what ends the front matter before it reads that.
        words = words.rstrip("\n")
    if not words:
        words, where = _first_line(text, front.body, facts.longest_first_line)
    origin = Origin("file", path=path, range=where)
    yield Named(front.word("name") or called, words or NONE, path, origin, rule, group=scope)


def _first_line(text: str, at: int, most: int) -> tuple[str, Range | None]:
    for line in text[at:].splitlines(keepends=True):
        words = line.strip()
        if words and words != "---":
            start = text.index(words, at)
            cut = words if len(words) <= most else f"{words[: most - 1].rstrip()}…"
            return cut, LineIndex(text).range(start, start + len(words))
        at += len(line)
    return "", None
