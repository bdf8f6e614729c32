"""Cline's rules: by name, not by path (specification, "Selection"; source: the program's package).

Each place is read in its turn, and of several files of one name the last one counts, also where it is switched off.
The rest is sorted by name: nothing says which file or directory a rule is from.
"""

from __future__ import annotations

import re

from promptls.core.formats.read_again import strict
from promptls.core.lazy import regex
from promptls.core.model import Fault, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.kit import collation
from promptls.kit.base import with_consequence
from promptls.kit.candidates import Rule, our_cut, own
from promptls.kit.javascript import trimmed
from promptls.kit.paths import join, name, parent, resolve
from promptls.kit.pieced_text import File
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document
    from promptls.core.host import Host
    from promptls.core.model import Candidate
    from promptls.kit.draft import Draft

AGENTS, RULES_FILE = "AGENTS.md", ".clinerules"
ENDINGS = (".md", ".txt")
WHY_RULE = "Cline sends every rule of .clinerules, .cline/rules and the same at home, sorted by name"
WHY_AGENTS = "Cline sends AGENTS.md of the working directory, and ~/.agents/AGENTS.md"
WHY_LINK = "Cline reads no rule that is a link"
WHY_BELOW = "Cline reads the files of a directory of rules only, and none of the directories in it"
WHY_ENDING = "a rule's name must end in .md or .txt, so Cline ignores it"
_HEADER = regex(r"---\r?\n(.*?)\r?\n---\r?\n?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A rule that can be read. ``start`` and ``end`` are those of its trimmed body in the file's text."""

    path: str
    name: str
    file: File
    start: int
    end: int
    rule: Rule
    is_off: bool
    # Keys of other programs, which would say when a rule holds.
    without_effect: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """What rules of one name have in common (wire: same-name-collision)."""
        return self.name.strip().lower()

    def candidate(self, host: Host) -> Candidate:
        """It is sent, whatever its front matter says of files (wire: nested-read)."""
        if not self.without_effect:
            return self.rule.read(self.path, host.read(self.path))
        return self.rule.loaded(self.path, f"{' and '.join(self.without_effect)} have no effect: it is always sent")

    def segments(self) -> list[Segment]:
        """Its name and its text."""
        text = self.file.text[self.start : self.end]
        origin = self.file.origin(self.start, self.end)
        body = Segment("instructions", self.path, text, origin, self.rule.why, cut=self.file.cut)
        return [head(f"## {self.name}\n", path=self.path), body]


def send_rules(draft: Draft, host: Host, cwd: str) -> list[Segment]:
    """The part of the system message that holds the rules (wire: root-names, rule-forms)."""
    kept: dict[str, RuleFile] = {}
    for place in places(host, cwd):
        for each in _read(draft, host, cwd, place):
            before = kept.pop(each.id, None)
            if before is not None:
                draft.candidates.append(before.rule.shadowed(before.path, _replaced(before, each), by=each.path))
            kept[each.id] = each
    blocks: list[Segment] = []
    for each in sorted(kept.values(), key=lambda rule: collation.key(rule.name)):
        if each.is_off:
            draft.candidates.append(each.rule.disabled(each.path, "its front matter switches it off"))
            continue
        draft.candidates.append(each.candidate(host))
        blocks += [tail("\n\n" if blocks else "\n\n# Rules\n"), *each.segments()]
    return blocks


def _replaced(before: RuleFile, after: RuleFile) -> str:
    says = f"{after.path} has the same name, “{after.name}”"
    if parent(before.path) == parent(after.path):
        return f"{says}; which of the two counts depends on the order of the disk, and this is not known"
    return f"{says}, and is read later"


def places(host: Host, cwd: str) -> list[str]:
    """Files and directories in the order of reading (source; wire: cline-dir)."""
    home = host.home
    own_directory = host.env.get("CLINE_DIR", "").strip()
    global_ = resolve(cwd, own_directory) if own_directory else join(home, ".cline")
    drives = [host.env.get(each, "").strip() for each in ("OneDrive", "OneDriveConsumer", "OneDriveCommercial")]
    found = [
        join(cwd, AGENTS),
        join(cwd, RULES_FILE),
        join(cwd, ".cline", "rules"),
        join(home, ".agents", AGENTS),
        join(global_, "rules"),
        join(home, "Cline", "Rules"),
        join(home, "Documents", "Cline", "Rules"),
        *(join(resolve(cwd, each), "Documents", "Cline", "Rules") for each in drives if each),
    ]
    return list(dict.fromkeys(found))


def _read(draft: Draft, host: Host, cwd: str, place: str) -> Iterator[RuleFile]:
    """The rules of a place: the file, else the files of the directory."""
    rule = own(WHY_AGENTS if name(place) == AGENTS else WHY_RULE)
    kind = host.kind(place)
    if kind == "file" and (name(place) == RULES_FILE or _has_ending(place)):
        yield from _parsed(draft, host, cwd, place, rule)
    elif kind == "directory":
        for path in _files(draft, host, place):
            yield from _parsed(draft, host, cwd, path, rule)
    elif kind is None:
        draft.candidates.append(rule.missing(place))


def _files(draft: Draft, host: Host, directory: str) -> Iterator[str]:
    """The rules of a directory; what only looks like one is named (wire: workflows).

    A link is followed for AGENTS.md (wire: links).
    """
    for entry in sorted(host.entries(directory), key=lambda each: collation.key(each.name)):
        path = join(directory, entry.name)
        if entry.is_link and entry.name != AGENTS:
            if _has_ending(path):
                draft.candidates.append(own(WHY_LINK).excluded(path))
        elif entry.is_directory:
            if entry.name not in ("workflows", "skills", "hooks"):
                below = sorted(join(path, each.name) for each in host.entries(path) if _has_ending(each.name))
                draft.candidates += [own(WHY_BELOW).excluded(each) for each in below]
        elif _has_ending(path):
            yield path
        else:
            draft.candidates.append(own(WHY_ENDING).excluded(path))


def _has_ending(path: str) -> bool:
    return path.lower().endswith(ENDINGS)


def _parsed(draft: Draft, host: Host, cwd: str, path: str, rule: Rule) -> Iterator[RuleFile]:
    """The rule in a file; one that Cline cannot read is dropped without a word (wire: rule-forms)."""
    contents = host.read(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return
    text = decode(contents.data, keep_bom=False)
    matter = _HEADER.match(text)
    document, fault = _header(text, matter.start(1), matter.end(1)) if matter else (None, None)
    if fault is not None:
        draft.candidates.append(rule.failed(path, "its front matter is not valid, so it is dropped", faults=(fault,)))
        return
    start, end = trimmed(text, matter.end() if matter else 0)
    if start == end:
        draft.candidates.append(rule.empty(path, "it has no text"))
        return
    root = document.root if document is not None else None
    named = (root.text("name") or "").strip() if root is not None else ""
    kinds = {key: value.kind for key in ("disabled", "enabled") if root and (value := root.get(key))}
    is_off = kinds.get("disabled") == "true" or (kinds.get("disabled") != "false" and kinds.get("enabled") == "false")
    file = File(path, text, our_cut(contents), host.realpath(path))
    ignored = tuple(key for key in ("paths", "globs", "alwaysApply") if root and root.get(key))
    yield RuleFile(path, named or _own_name(host, cwd, path), file, start, end, rule, is_off, ignored)


def _header(text: str, start: int, end: int) -> tuple[Document | None, Fault | None]:
    """The front matter, or why the rule is dropped for it: it is no YAML, or a value is of the wrong type."""
    document = strict(text[start:end])
    lines = LineIndex(text)
    fault: Fault | None = None
    if document is None:
        fault = Fault("front-matter-invalid", lines.range(start, end), "this is not valid YAML")
    elif (root := document.root) is not None:
        for key, kinds in (("name", ("string",)), ("disabled", ("true", "false")), ("enabled", ("true", "false"))):
            value = root.get(key)
            if value is not None and value.kind not in (*kinds, "null"):
                where = lines.range(start + value.start, start + value.end)
                says = "this must be a text" if key == "name" else "this must be true or false"
                fault = fault or Fault("front-matter-type", where, says)
    return document, with_consequence(fault, "Cline drops the rule without a word") if fault else None


def _own_name(host: Host, cwd: str, path: str) -> str:
    """The name of a rule that says none: that of the file, without its ending (wire: root-names, clinerules-file)."""
    if path == join(cwd, AGENTS):
        return "Workspace AGENTS.md"
    if path == join(host.home, ".agents", AGENTS):
        return "Global AGENTS.md"
    last = name(path)
    dot = last.rfind(".")
    return last[:dot] if dot > 0 else last
