"""Which instruction files are sent whole, and in which order.

Those whose patterns apply, what they reference, copilot-instructions.md with what it references, and the files of all
agents by their paths (parts: all-kinds-at-root, order-of-paths, multi-root).
"""

from __future__ import annotations

from urllib.parse import quote

from promptls.core.glob_index import Paths
from promptls.core.model import Origin, Segment
from promptls.core.paths import native
from promptls.core.text import lines_of
from promptls.core.values import dataclass, field
from promptls.harnesses.copilot_vscode.files.locations import COPILOT, INSTRUCTIONS, files, is_rule
from promptls.harnesses.copilot_vscode.files.references import references
from promptls.harnesses.copilot_vscode.parts import PROGRAM, attribute, scalar
from promptls.harnesses.copilot_vscode.settings import (
    TEXTS,
    USE_AGENTS,
    USE_APPLYING,
    USE_CLAUDE,
    USE_COPILOT,
    USE_REFERENCED,
)
from promptls.kit import collation, scopes
from promptls.kit.candidates import Rule, own
from promptls.kit.draft import look_for_text
from promptls.kit.javascript import trimmed
from promptls.kit.paths import join, name
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.formats.header import Header
    from promptls.harnesses.copilot_vscode.parts import Chat

# Cases applyto-forms-attached, attach-outside: against the full path, in any letter case.
DIALECT = scopes.Dialect(whole_path=True, floats=True, ignore_case=True)

WHY_APPLIES = "a pattern of the instructions file matches every file, or one that is attached"
WHY_REFERENCED = "a link or #file: in an instructions file names it"
WHY_COPILOT = f"{PROGRAM} sends {COPILOT} of the workspace and of ~/.copilot while {USE_COPILOT} is on"
WHY_AGENTS = f"{PROGRAM} sends AGENTS.md of the workspace while {USE_AGENTS} is on"
WHY_CLAUDE = f"{PROGRAM} sends CLAUDE.md while {USE_CLAUDE} is on"
# Names that one might expect in a folder of the workspace, and that are not read (parts: all-kinds-at-root).
NOT_READ = (
    "GEMINI.md",
    "AGENTS.override.md",
    "AGENTS.local.md",
    ".github/AGENTS.md",
    ".cursorrules",
    COPILOT,
)


@dataclass(slots=True)
class Sent:
    """The files that are sent whole, each once: by its path, and by its text."""

    chat: Chat
    paths: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)

    def add(self, path: str, rule: Rule) -> list[list[Segment]]:
        """The file at ``path`` in its tags; nothing if it is there already, or has no text (parts: text-details)."""
        candidates = self.chat.draft.candidates
        if path in self.paths:
            candidates.append(rule.duplicate(path, "it is there already", of=path))
            return []
        self.paths.add(path)
        found = look_for_text(self.chat.host, path, why=rule.why, origin=rule.origin, keep_bom=False)
        start, end = trimmed(found.text)
        text = found.text[start:end]
        first = self.texts.setdefault(text, path)
        if found.text and not text:
            candidates.append(rule.empty(path, "it has only white space, so it is not sent"))
        elif text and first != path:
            candidates.append(rule.duplicate(path, f"{first} has the same text, which is sent once", of=first))
        else:
            candidates.append(found.candidate)
        if not text or first != path:
            return []
        origin = Origin("file", path=path, range=lines_of(found.text).range(start, end))
        body = Segment("instructions", path, text, origin, rule.why, cut=found.cut)
        return [[head(self._opening_tag(path), path=path), body, tail("\n</attachment>\n")]]

    def _opening_tag(self, path: str) -> str:
        """Of several folders, the tag names the one that holds the file (parts: multi-root)."""
        workspace = self.chat.workspace
        folder = workspace.folder_of(path) if len(workspace.folders) > 1 else None
        inside = f" workspaceFolder={attribute(folder.name)}" if folder is not None else ""
        return f"<attachment filePath={attribute(native(path))}{inside}>\n"


def listed(chat: Chat) -> list[str]:
    """Every instructions file, in the order of the list."""
    return files(chat, "instructions", INSTRUCTIONS)


def attachments(chat: Chat, found: list[str], counted: Iterable[str], *, is_edit: bool) -> Iterator[list[Segment]]:
    """The files that are sent whole; ``counted`` are those that patterns are matched with.

    Edit mode sends them in reverse order and follows references in any case (parts: mode-edit; source).
    """
    sent = Sent(chat)
    parts = [*_applying(sent, found, Paths(list(counted)), is_edit=is_edit), *_of_agents(sent, is_edit=is_edit)]
    yield from reversed(parts) if is_edit else parts


def texts(chat: Chat) -> Iterator[Segment]:
    """The texts and files of a deprecated setting, without a frame; those for a language are for other requests.

    (parts: setting-codegen-instructions)
    """
    why = f"{TEXTS} of the settings, which is deprecated"
    first: list[Segment] = []
    written: list[Segment] = []
    seen: set[str] = set()
    for source in chat.settings.sources:
        value = source.root.get(TEXTS) if source.root is not None else None
        for entry in value.items if value is not None and value.kind == "array" else ():
            text, file = entry.text("text"), entry.text("file")
            if entry.get("language") is not None or (file or text or "") in seen:
                continue
            seen.add(file or text or "")
            origin = source.origin(entry, TEXTS)
            for folder in chat.workspace.folders if file else ():
                first += _setting_file(chat, join(folder.path, file or ""), Rule(why, origin))
            if text:
                written.append(Segment("instructions", TEXTS, text, origin, why))
    for number, each in enumerate((*first, *written)):
        yield tail("\n" if number else "")
        yield each


def _setting_file(chat: Chat, path: str, rule: Rule) -> Iterator[Segment]:
    found = look_for_text(chat.host, path, why=rule.why, origin=rule.origin, keep_bom=False)
    chat.draft.candidates.append(found.candidate)
    start, end = trimmed(found.text)
    if start < end:
        origin = Origin("file", path=path, range=lines_of(found.text).range(start, end))
        yield Segment("instructions", path, found.text[start:end], origin, rule.why, cut=found.cut)


# -- instructions files whose patterns match ---------------------------------------------------------------------


def _applying(sent: Sent, found: list[str], counted: Paths, *, is_edit: bool) -> Iterator[list[Segment]]:
    """Those that apply, then what they reference (parts: applyto-*, links-referenced-on)."""
    chat = sent.chat
    is_off = not (is_edit or chat.settings.is_on(USE_APPLYING))
    applying: list[str] = []
    for path in found:
        matter = chat.head(path)
        if matter is None:
            chat.draft.candidates.append(own(WHY_APPLIES).failed(path, "it cannot be read"))
            continue
        pattern = pattern_of(matter, path)
        key = "paths" if is_rule(path) else "applyTo"
        where = matter.range(key) if pattern else None
        origin = Origin("config", path=path, range=where, name=pattern) if where else own(WHY_APPLIES).origin
        matched = _match(pattern, counted)
        if is_off:
            rule = Rule(f"{USE_APPLYING} is off, so it is only listed", chat.settings.origin(USE_APPLYING))
            chat.draft.candidates.append(rule.disabled(path))
        elif matched is None:
            chat.draft.candidates.append(Rule(_why_not(matter, key, pattern), origin).unscoped(path))
        else:
            applying.append(path)
            yield from sent.add(path, Rule(WHY_APPLIES, origin))
    yield from _referenced(sent, applying, is_edit=is_edit)


def pattern_of(matter: Header, path: str) -> str:
    """The pattern of an instructions file as it is listed; "" where it has none.

    ``paths`` of a rule may be a list, and is every file where it is missing; a list as ``applyTo`` is no pattern.
    """
    if not is_rule(path):
        return scalar(matter, "applyTo")
    value = matter.value("paths")
    if value is None:
        return "**"
    return ", ".join(matter.words("paths")) if value.kind == "array" else scalar(matter, "paths")


def _match(pattern: str, counted: Paths) -> str | None:
    """What matched: a pattern for every file always does."""
    for part in map(str.strip, scopes.split_patterns(pattern)):
        if part in scopes.EVERY_FILE:
            return part
        if part and any(scopes.first_match((part,), path, "/", DIALECT) for path in counted.near(part)):
            return part
    return None


def _why_not(matter: Header, key: str, pattern: str) -> str:
    value = matter.value(key)
    if pattern:
        return "no pattern matches an attached file, so it is only listed"
    if value is not None and value.kind == "array":
        return f"its {key} is a list, which is ignored, so it is only listed"
    return f"it has no {key}, so it is only listed"


# -- files that others reference -----------------------------------------------------------------------------------


def _referenced(sent: Sent, starts: list[str], *, is_edit: bool) -> Iterator[list[Segment]]:
    """What ``starts`` reference, and further from instructions files; the last file comes first (referenced-chain)."""
    chat = sent.chat
    if not (is_edit or chat.settings.is_on(USE_REFERENCED)):
        _name_unfollowed(sent, starts)
        return
    seen = set(starts)
    for reference in references(chat, starts, seen):
        yield from sent.add(reference.path, Rule(WHY_REFERENCED, reference.origin))


def _name_unfollowed(sent: Sent, starts: list[str]) -> None:
    """Say of the files that are referenced why they are not sent (parts: links)."""
    chat = sent.chat
    why = f"{USE_REFERENCED} is off, so links in instructions files are not followed"
    for reference in references(chat, starts, set(starts), is_deep=False):
        if reference.path not in sent.paths:
            chat.draft.candidates.append(Rule(why, reference.origin).disabled(reference.path))


# -- files of all agents -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Found:
    path: str
    rule: Rule
    is_copilot: bool = False


def _of_agents(sent: Sent, *, is_edit: bool) -> Iterator[list[Segment]]:
    """copilot-instructions.md with what it references, then the others, all by their paths as VS Code sorts them."""
    found = sorted(_without_links(sent.chat, list(_all(sent.chat))), key=_place)
    first = [each for each in found if each.is_copilot]
    for each in first:
        yield from sent.add(each.path, each.rule)
    yield from _referenced(sent, [each.path for each in first], is_edit=is_edit)
    for each in found:
        if not each.is_copilot:
            yield from sent.add(each.path, each.rule)


def _place(found: _Found) -> collation.Key:
    """A key for the order of paths, which is that of their URIs."""
    return collation.key(quote(found.path, safe="/-._~"))


def _all(chat: Chat) -> Iterator[_Found]:
    """The files by their directories, their names in any letter case (agent-lower-names)."""
    roots, home = chat.roots(), chat.host.home
    claude = (("CLAUDE.md", USE_CLAUDE, WHY_CLAUDE), ("CLAUDE.local.md", USE_CLAUDE, WHY_CLAUDE))
    copilot = ((COPILOT, USE_COPILOT, WHY_COPILOT),)
    for directory, names in (
        *((join(root, ".claude"), claude[:1]) for root in roots),
        (join(home, ".claude"), claude[:1]),
        *((join(root, ".github"), copilot) for root in roots),
        (join(home, ".copilot"), copilot),
        *((root, (("AGENTS.md", USE_AGENTS, WHY_AGENTS), *claude)) for root in roots),
    ):
        yield from _in(chat, directory, names)
    for root in roots:
        for kind in NOT_READ:
            _name_not_read(chat, join(root, kind))
    for path in (join(home, "AGENTS.md"), join(home, ".copilot/AGENTS.md"), join(home, ".claude/CLAUDE.local.md")):
        _name_not_read(chat, path)


def _in(chat: Chat, directory: str, names: Iterable[tuple[str, str, str]]) -> Iterator[_Found]:
    entries = [each.name for each in chat.host.entries(directory)]
    for wanted, key, why in names:
        spelled = [each for each in entries if each.lower() == wanted.lower()]
        path = join(directory, wanted)
        # An open document need not be on the disk.
        if not spelled and chat.host.kind(path) == "file":
            spelled = [wanted]
        for each in spelled:
            place = join(directory, each)
            if chat.host.kind(place) != "file":
                state = chat.host.read(place).state
                chat.draft.candidates.append(Rule(why, Origin("computed", name=why)).unread(place, state))
            elif chat.settings.is_on(key):
                yield _Found(place, Rule(why, Origin("computed", name=why)), is_copilot=wanted == COPILOT)
            else:
                says = f"{key} is off, so {PROGRAM} does not send it"
                chat.draft.candidates.append(Rule(says, chat.settings.origin(key)).disabled(place))
        if not spelled and chat.settings.is_on(key):
            chat.draft.candidates.append(Rule(why, Origin("computed", name=why)).missing(path))


def _without_links(chat: Chat, found: list[_Found]) -> list[_Found]:
    """Without links to a file that is found by itself, or by another link (parts: symlink-dedupe)."""
    real = {each.path for each in found if not _is_link(chat, each.path)}
    kept: list[_Found] = []
    for each in found:
        target = chat.host.realpath(each.path)
        if each.path in real:
            kept.append(each)
        elif target in real:
            reason = f"it is a link to {target}, which is sent"
            chat.draft.candidates.append(each.rule.duplicate(each.path, reason, of=target))
        else:
            real.add(target)
            kept.append(each)
    return kept


def _is_link(chat: Chat, path: str) -> bool:
    directory, last = path.rpartition("/")[0], name(path)
    return any(each.name == last and each.is_link for each in chat.host.entries(directory or "/"))


def _name_not_read(chat: Chat, path: str) -> None:
    if chat.host.kind(path) is not None:
        why = f"{PROGRAM} does not read it"
        chat.draft.candidates.append(Rule(why, Origin("computed", name=why)).excluded(path))
