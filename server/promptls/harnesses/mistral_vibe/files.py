"""Which AGENTS.md files Mistral Vibe takes: at start, and with a file that is read.

Sections named here are those of the harness specification for Mistral Vibe; [source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.values import dataclass, field
from promptls.harnesses.mistral_vibe.trust import Trust
from promptls.kit.candidates import Rule, own
from promptls.kit.paths import is_below, join, native, parent, upwards
from promptls.kit.python import look_stripped, marked_again
from promptls.kit.segments import elided, head, tail
from promptls.kit.unread_files import name_above, name_unread
from promptls.kit.whole_read import shown, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Call
    from promptls.harnesses.mistral_vibe.versions import Facts
    from promptls.kit.draft import Draft

AGENTS = "AGENTS.md"
BETWEEN = "\n\n"

WHY_USER = f"Mistral Vibe loads {AGENTS} of its own directory for all folders"
WHY_PROJECT = f"Mistral Vibe loads {AGENTS} of each directory from the trusted folder to the working directory"
WHY_ADDED = f"Mistral Vibe loads {AGENTS} of a directory that --add-dir names"
WHY_READ = f"with a file that is read come the {AGENTS} files between it and the working directory, each once"
WHY_RESULT = "the tool for reading gives the text of the file as JSON"
WHY_TOOL = "the session calls this tool"
WHY_ABOVE = f"Mistral Vibe reads no {AGENTS} above the trusted folder {{}}"
WHY_NAME = f"Mistral Vibe does not load a file of this name; put it into {AGENTS}"
NOTE_ALONE = "Reading {} gave the model its instruction files and nothing of the file itself; it has to read it again."
# Of other programs and of habit (wire: root-names).
NAMES = ("CLAUDE.md", "VIBE.md", "agents.md", "AGENTS.override.md", ".vibe/AGENTS.md", ".vibe/instructions.md")


@dataclass(slots=True)
class Search:
    """What every part of the search needs. ``home`` is Mistral Vibe's own.

    ``sent``: the directories whose file was sent; ``paths``: the files, of which one may be a link to another
    (wire: symlink).
    """

    draft: Draft
    host: Host
    facts: Facts
    home: str
    cwd: str
    trust: Trust
    added: list[str] = field(default_factory=list)
    sent: set[str] = field(default_factory=set)
    paths: list[str] = field(default_factory=list)

    @property
    def roots(self) -> list[str]:
        """The directories that are open: the working directory, if it is trusted, then those of --add-dir."""
        is_own = self.host.realpath(join(self.cwd, ".vibe")) == self.host.realpath(self.home)
        own_root = [self.cwd] if self.trust.root(self.cwd) is not None and not is_own else []
        return list(dict.fromkeys((*own_root, *(each for each in self.added if each != self.cwd))))


def at_start(search: Search) -> list[Segment]:
    """The user's file, then those of each open directory, outermost first (wire: root-names, add-dir)."""
    parts: list[list[Segment]] = []
    path = join(search.home, AGENTS)
    label = f"Contents of {native(search.home)}/{AGENTS} (user-level instructions):\n\n"
    parts += _text(search, path, own(WHY_USER), f"## User instructions\n\n{label}")
    heading = "## Project instructions (checked into the codebase)\n\n"
    for root in search.roots:
        rule = own(WHY_PROJECT) if root == search.cwd else Rule(WHY_ADDED, Origin("argument", name="--add-dir"))
        for directory in reversed([*upwards(root, search.trust.root(root) or root)]):
            if search.host.realpath(directory) in search.sent:
                continue
            label = f"{heading}Contents of {native(directory)}/{AGENTS}:\n\n"
            if found := _text(search, join(directory, AGENTS), rule, label):
                search.sent.add(search.host.realpath(directory))
                parts += found
                heading = ""
    _name_unread(search)
    return [each for at, part in enumerate(parts) for each in ([tail(BETWEEN)] if at else []) + part]


def _text(search: Search, path: str, rule: Rule, label: str) -> list[list[Segment]]:
    """A file with its label, trimmed, if it has text (wire: chain-repo-trusted; captured: empty-file)."""
    found = look_stripped(search.host, path, rule, keep_bom=False)
    search.draft.candidates.append(found.candidate)
    if not found.text:
        return []
    origin = marked_again(search.host, search.paths, path, found.origin)
    search.paths.append(path)
    return [[head(label, path=path), Segment("instructions", path, found.text, origin, rule.why, cut=found.cut)]]


def on_read(search: Search, call: Call) -> list[Segment]:
    """What a tool answers: of a file, the instruction files on the way to it, or else its text.

    (wire: nested-read, other-tools)
    """
    if call.read is None:
        return [elided("runtime", "mistral-vibe", f"result of {call.tool}", why=WHY_TOOL)]
    path = search.host.realpath(call.read)
    root = next((each for each in search.roots if is_below(path, each)), None)
    directories = [each for each in upwards(parent(path), root) if each != root] if root is not None else []
    rule = own(WHY_READ, at=call.at)
    parts: list[list[Segment]] = []
    for directory in reversed(directories):
        if directory in search.sent:
            continue
        label = f"Contents of {native(directory)}/{AGENTS} (project instructions for this directory):\n\n"
        if found := _text(search, join(directory, AGENTS), rule, label):
            search.sent.add(directory)
            parts += found
    if not parts:
        return _result(search, call.read)
    search.draft.notes.append(NOTE_ALONE.format(call.read))
    texts = [each for at, part in enumerate(parts) for each in ([tail(BETWEEN)] if at else []) + part]
    return [head("<vibe_warning>\n"), *texts, tail("\n</vibe_warning>")]


def _result(search: Search, path: str) -> list[Segment]:
    """The result of reading a file that is read whole (wire: nested-read-forms); limits [source]."""
    text, facts, size = text_of(search.host, path), search.facts, search.host.read(path).size
    lines = len(text.splitlines()) if text is not None else 0
    if text is None or size > facts.read_bytes or lines > facts.read_lines:
        return [elided("runtime", "mistral-vibe", f"result of reading {path}", why=WHY_RESULT)]
    answer = {
        "content": text,
        "file_size_bytes": size,
        "lines_read": lines,
        "next_offset": None,
        "offset": 0,
        "path": native(search.host.realpath(path)),
        "returned_bytes": len(text.encode()),
        "total_lines": lines,
        "was_truncated": False,
    }
    import json  # noqa: PLC0415 - only a read needs it

    said = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return [shown(path, said)]


def _name_unread(search: Search) -> None:
    """What looks as if it were read: of a folder that is not trusted, all (wire: trust-headless)."""
    draft, host = search.draft, search.host
    top, decision = search.trust.closest(search.cwd) or (search.cwd, None)
    chain = [*upwards(search.cwd, top)]
    if decision is not None and not decision.is_trusted:
        for path in (join(each, AGENTS) for each in chain):
            if host.kind(path) == "file":
                draft.candidates.append(Rule(decision.why, decision.origin).excluded(path, state="untrusted"))
    else:
        name_above(draft, host, WHY_ABOVE.format(top), top, (AGENTS,))
    name_unread(draft, host, WHY_NAME, [join(each, name) for each in chain for name in (*NAMES, ".agents/AGENTS.md")])
    name_unread(draft, host, WHY_NAME, [join(host.home, name) for name in (AGENTS, ".agents/AGENTS.md")])
