"""Which AGENTS.md files Mistral Vibe takes: at start, and with a file that is read.

Sections named here are those of the harness specification for Mistral Vibe; [source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.mistral_vibe.trust import Trust
from promptls.kit.candidates import Rule
from promptls.kit.chain import Chain, Frame, OnRead, Reading, without_space
from promptls.kit.paths import is_below, join, native, upwards
from promptls.kit.segments import elided, tail
from promptls.kit.tool_calls import shown, text_of
from promptls.kit.unread_files import name_above, name_unread
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Call
    from promptls.harnesses.mistral_vibe.versions import Facts
    from promptls.kit.chain import FileText

AGENTS = "AGENTS.md"
BETWEEN = "\n\n"
# Trimmed (wire: chain-repo-trusted; captured: empty-file).
READING = Reading(keeps_bom=False, parts=without_space, has_unix_lines=True, empty="it is blank")
USER = Chain((AGENTS,), f"Mistral Vibe loads {AGENTS} of its own directory for all folders", reading=READING)
PROJECT = Chain(
    (AGENTS,),
    f"Mistral Vibe loads {AGENTS} of each directory from the trusted folder to the working directory",
    reading=READING,
    is_once=True,
)
WHY_ADDED = f"Mistral Vibe loads {AGENTS} of a directory that --add-dir names"
USER_FRAME = Frame(
    before="## User instructions\n\n", label=f"Contents of {{directory}}/{AGENTS} (user-level instructions):\n\n"
)
PROJECT_FRAME = Frame(
    before="## Project instructions (checked into the codebase)\n\n",
    label=f"Contents of {{directory}}/{AGENTS}:\n\n",
    between=BETWEEN,
)
ON_READ = OnRead(
    replace(
        PROJECT,
        why=f"with a file that is read come the {AGENTS} files between it and the working directory, each once",
    ),
    Frame(
        before="<vibe_warning>\n",
        label=f"Contents of {{directory}}/{AGENTS} (project instructions for this directory):\n\n",
        between=BETWEEN,
        after="\n</vibe_warning>",
    ),
    place="instead",
)

WHY_RESULT = "the tool for reading gives the text of the file as JSON"
WHY_TOOL = "the session calls this tool"
WHY_ABOVE = f"Mistral Vibe reads no {AGENTS} above the trusted folder {{}}"
WHY_NAME = f"Mistral Vibe does not load a file of this name; put it into {AGENTS}"
NOTE_ALONE = "Reading {} gave the model its instruction files and nothing of the file itself; it has to read it again."
# Of other programs and of habit (wire: root-names).
NAMES = ("CLAUDE.md", "VIBE.md", "agents.md", "AGENTS.override.md", ".vibe/AGENTS.md", ".vibe/instructions.md")


@dataclass(slots=True)
class Search:
    """What every part of the search needs. ``home`` is Mistral Vibe's own; ``added``: the directories of --add-dir."""

    writer: Writer
    facts: Facts
    home: str
    trust: Trust
    added: list[str] = field(default_factory=list)

    @property
    def roots(self) -> list[str]:
        """The directories that are open: the working directory, if it is trusted, then those of --add-dir."""
        host = self.writer.host
        is_own = host.realpath(join(self.writer.cwd, ".vibe")) == host.realpath(self.home)
        cwd = self.writer.cwd
        own_root = [cwd] if self.trust.root(cwd) is not None and not is_own else []
        return list(dict.fromkeys((*own_root, *(each for each in self.added if each != cwd))))


def at_start(search: Search) -> list[Segment]:
    """The user's file, then those of each open directory, outermost first (wire: root-names, add-dir)."""
    user = USER_FRAME.around(search.writer.find(USER, [search.home]))
    files: list[FileText] = []
    for root in search.roots:
        added = replace(PROJECT, why=WHY_ADDED, origin=Origin("argument", name="--add-dir"))
        chain = PROJECT if root == search.writer.cwd else added
        files += search.writer.find(chain, [*upwards(root, search.trust.root(root) or root)][::-1])
    project = PROJECT_FRAME.around(files)
    _name_unread(search)
    return [*user, *([tail(BETWEEN)] if user and project else []), *project]


def on_read(search: Search, call: Call) -> list[Segment]:
    """What a tool answers: of a file, the instruction files on the way to it, or else its text.

    (wire: nested-read-forms, symlink)
    """
    if call.read is None:
        return [elided("runtime", "Mistral Vibe", f"result of {call.tool}", why=WHY_TOOL)]
    path = search.writer.host.realpath(call.read)
    root = next((each for each in search.roots if is_below(path, each)), None)
    brought = ON_READ.frame.around(search.writer.brought(ON_READ, call, root)) if root is not None else []
    if brought:
        search.writer.draft.notes.append(NOTE_ALONE.format(call.read))
    return brought or _result(search, call.read)


def _result(search: Search, path: str) -> list[Segment]:
    """The result of reading a file that is read whole (wire: nested-read-forms); limits [source]."""
    text, facts, size = text_of(search.writer.host, path), search.facts, search.writer.host.read(path).size
    lines = len(text.splitlines()) if text is not None else 0
    if text is None or size > facts.read_bytes or lines > facts.read_lines:
        return [elided("runtime", "Mistral Vibe", f"result of reading {path}", why=WHY_RESULT)]
    answer = {
        "content": text,
        "file_size_bytes": size,
        "lines_read": lines,
        "next_offset": None,
        "offset": 0,
        "path": native(search.writer.host.realpath(path)),
        "returned_bytes": len(text.encode()),
        "total_lines": lines,
        "was_truncated": False,
    }
    import json  # noqa: PLC0415 - only a read needs it

    said = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return [shown(path, said)]


def _name_unread(search: Search) -> None:
    """What looks as if it were read: of a folder that is not trusted, all (wire: trust-headless)."""
    draft, host = search.writer.draft, search.writer.host
    top, decision = search.trust.closest(search.writer.cwd) or (search.writer.cwd, None)
    chain = [*upwards(search.writer.cwd, top)]
    if decision is not None and not decision.is_trusted:
        for path in (join(each, AGENTS) for each in chain):
            if host.kind(path) == "file":
                draft.candidates.append(Rule(decision.why, decision.origin).excluded(path, state="untrusted"))
    else:
        name_above(draft, host, WHY_ABOVE.format(top), top, (AGENTS,))
    name_unread(draft, host, WHY_NAME, [join(each, name) for each in chain for name in (*NAMES, ".agents/AGENTS.md")])
    name_unread(draft, host, WHY_NAME, [join(host.home, name) for name in (AGENTS, ".agents/AGENTS.md")])
