"""Which files Auggie sends, and as which type of rule. No link is followed, and nothing says so.

What says "source" was read in the program's package and not seen on the wire. Sections are those of its specification.
"""

from __future__ import annotations

from promptls.core.formats import front_matter, parse_json
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.kit.candidates import Rule, own
from promptls.kit.configs import ConfigReader
from promptls.kit.paths import join, name, native, parent, relative, resolve
from promptls.kit.segments import head
from promptls.kit.yaml_values import JAVASCRIPT, as_json, is_date

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.kit.writer import Writer

GUIDELINES, SHARED = ".augment-guidelines", ("AGENTS.md", "CLAUDE.md")
WHY_ROOT = "Auggie sends AGENTS.md, CLAUDE.md and .augment-guidelines of the root of the workspace"
WHY_RULES = "Auggie sends the rules of .augment/rules of the root of the workspace, then those of the home directory"
WHY_GIVEN = "--rules names it"
WHY_LINK = "it is a link, and no link is followed"
WHY_MANUAL = "its type is manual, so it is sent only if the user names it"
WHY_SHARED = "settings.json of the rules says so: its type is manual"
CLOSING = regex(r"\n---\s*\n")
TYPES = {"always_apply": 0, "manual": 1, "agent_requested": 2}
MANUAL = 1
READER = ConfigReader(
    "Auggie reads here which type AGENTS.md and CLAUDE.md have",
    parse=lambda text: parse_json(text, comments=False),
    reason="it is not valid JSON, so it has no effect",
)
# A limit of ours.
MAX_DEPTH = 32


@dataclass(frozen=True, slots=True)
class Sent:
    """A file as it is sent: without its front matter. ``shown`` is its path as Auggie gives it."""

    path: str
    shown: str
    kind: int
    description: str
    segment: Segment

    def segments(self) -> Iterator[Segment]:
        """The file as a rule: a line of the fields, then the text."""
        about = f"rule path={self.shown} type={self.kind} description={self.description or None}\n"
        yield head(about, path=self.path)
        yield self.segment


def is_link(writer: Writer, path: str) -> bool:
    """Whether the name itself is a link (wire: links)."""
    return any(each.name == name(path) and each.is_link for each in writer.host.entries(parent(path)))


def header_of(text: str) -> Header:
    """The front matter as Auggie finds it [source: frontmatterRegex]; what is no YAML says nothing."""
    matter = front_matter.fenced(text, CLOSING)
    front = Header(text, matter.start, matter.document, matter.body)
    return front if front.is_taken(*JAVASCRIPT) else Header(text, matter.start, None, matter.body)


def text_value(header: Header, key: str) -> str:
    """A value; what is no text becomes JSON (captured: front-forms)."""
    value = header.value(key)
    if value is None or value.kind == "null":
        return ""
    is_text = value.kind == "string" and not is_date(header, value)
    return str(value.data).strip() if is_text else as_json(header, value)


def read(writer: Writer, path: str, rule: Rule) -> tuple[Header, Segment] | None:
    """The front matter of a file and the text after it; None where there is no file, or a link.

    Bytes that are no UTF-8 are replaced (captured: bytes), and a blank file is sent (captured: empty).
    """
    contents, note = writer.host.read(path), writer.draft.candidates.append
    if contents.state != "file":
        note(rule.unread(path, contents.state))
        return None
    if is_link(writer, path):
        note(rule.excluded(path, WHY_LINK, state="link"))
        return None
    text = decode(contents.data, keep_bom=True)
    header = header_of(text)
    where = LineIndex(text).range(header.body, len(text))
    origin = Origin("file", path=path, range=where)
    return header, Segment("instructions", path, text[header.body :], origin, rule.why)


def guidelines(writer: Writer, root: str) -> list[Segment]:
    """The field of its own, whatever the type of the file is (wire: front-matter)."""
    path, rule = join(root, GUIDELINES), own(WHY_ROOT)
    found = read(writer, path, rule)
    if found is None:
        return []
    writer.draft.candidates.append(rule.loaded(path) if found[1].text else rule.empty(path))
    return [found[1]]


def rules(writer: Writer, root: str) -> Iterator[Sent]:
    """All rules in their order (wire: root-names, home-names, rules-flag)."""
    types = _shared(writer, root)
    for each in SHARED:
        path, rule = join(root, each), own(WHY_ROOT)
        found = read(writer, path, rule)
        if found is None:
            continue
        header, segment = found
        sent = Sent(path, each, types.get(each, 0), text_value(header, "description"), segment)
        yield from _one(writer, sent, rule, WHY_SHARED)
    for place, is_home in ((root, False), (writer.host.home, True)):
        for path in _below(writer, join(place, ".augment/rules"), 0):
            rule = own(WHY_RULES)
            found = read(writer, path, rule)
            if found is not None:
                shown = native(path) if is_home else native(relative(path, root), root)
                kind = 0 if is_home else _kind(found[0])
                sent = Sent(path, shown, kind, text_value(found[0], "description"), found[1])
                yield from _one(writer, sent, rule, WHY_MANUAL)
    for given in writer.command.values.get("--rules", ()):
        path, rule = resolve(writer.session.cwd, given), Rule(WHY_GIVEN, Origin("argument", name="--rules"))
        found = read(writer, path, rule)
        if found is not None:
            sent = Sent(path, name(path), _kind(found[0]), text_value(found[0], "description"), found[1])
            yield from _one(writer, sent, rule, WHY_MANUAL)


def _one(writer: Writer, sent: Sent, rule: Rule, manual: str) -> Iterator[Sent]:
    """A file, unless its type is manual; ``manual`` says why then."""
    note = writer.draft.candidates.append
    if sent.kind == MANUAL:
        note(rule.unscoped(sent.path, manual))
        return
    note(rule.loaded(sent.path) if sent.segment.text.strip() else rule.empty(sent.path, "it is blank"))
    yield sent


def _kind(header: Header) -> int:
    """The type of a rule (section "Types"; wire: home-names, rules-flag)."""
    value = header.value("type")
    given = value.data.lower() if value is not None and isinstance(value.data, str) else ""
    if given in TYPES:
        return TYPES[given]
    return 0 if header.is_true("alwaysApply") or not text_value(header, "description") else TYPES["agent_requested"]


def _shared(writer: Writer, root: str) -> dict[str, int]:
    """The types of AGENTS.md and CLAUDE.md, by their names (wire: shared-settings)."""
    document = READER.read(writer.draft, writer.host, join(root, ".augment/rules/settings.json"))
    listed = document.root.get("sharedRules") if document is not None and document.root is not None else None
    items = listed.items if listed is not None else ()
    return {each.text("path") or "": TYPES.get(each.text("type") or "", 0) for each in items}


def _below(writer: Writer, place: str, depth: int) -> Iterator[str]:
    """Rules at any depth, sorted by path; nothing hidden (captured: rules-forms)."""
    found: list[str] = []
    for entry in writer.host.entries(place) if depth < MAX_DEPTH else ():
        path = join(place, entry.name)
        if entry.name.startswith("."):
            continue
        if entry.is_directory:
            found += _below(writer, path, depth + 1)
        elif entry.name.endswith((".md", ".mdc")):
            found.append(path)
    yield from sorted(found)
