"""Where the tokens of a prompt go: a row for each file of the user's, each kind of listing, and the harness."""

from __future__ import annotations

from promptls.core import specs
from promptls.core.totals import counter_of, is_own_only, segment_tokens, shared_tool_tokens
from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from promptls.core.model import Origin, Prompt, Segment, Tool, Use
    from promptls.core.tokens import Counter

    Kind = Literal["file", "url", "skills", "commands", "agents", "servers", "hooks", "typed", "tools", "harness"]

# Files of these uses are rows of one kind together: there may be hundreds.
TOGETHER: dict[Use, Kind] = {
    "skill": "skills",
    "command": "commands",
    "agent": "agents",
    "server": "servers",
    "hook": "hooks",
}
NAMES: dict[Kind, str] = {
    "skills": "skills",
    "commands": "commands",
    "agents": "agents",
    "servers": "MCP servers",
    "hooks": "hooks",
    "typed": "typed and read",
    "tools": "tools",
}


@dataclass(frozen=True, slots=True)
class Size:
    """A row: its name, what it is, its tokens, how many files they come from, and whether there are more."""

    name: str
    kind: Kind
    tokens: int
    files: int = 0
    is_at_least: bool = False

    @property
    def is_unknown(self) -> bool:
        """Whether not even a part of it is known."""
        return self.is_at_least and not self.tokens


@dataclass(slots=True)
class _Row:
    """What is counted for a row so far."""

    tokens: int = 0
    files: set[str] = field(default_factory=set)
    is_at_least: bool = False

    def add(self, segment: Segment, count: Counter) -> None:
        """Count a segment."""
        self.tokens += segment_tokens(segment, count)
        if segment.elided is not None and segment.elided.size is None:
            self.is_at_least = True
        if segment.origin.path is not None and not segment.frame:
            self.files.add(segment.origin.path)

    def add_tool(self, tool: Tool, tokens: int) -> None:
        """Count a tool of a server."""
        self.tokens += tokens
        self.is_at_least = self.is_at_least or tool.size is None
        self.files.update(() if tool.origin.path is None else (tool.origin.path,))


def sizes(prompt: Prompt, *, is_by_file: bool = False, with_frames: bool = True) -> list[Size]:
    """The rows: the user's own first, largest first, then those of the harness. Together they are the whole prompt.

    ``is_by_file``: a skill, command and the like is a row of its own, too, named by its path. Without ``with_frames``,
    what a harness puts around texts does not count: it often names their absolute paths.
    """
    count = counter_of(prompt)
    harness = specs.of(prompt.session.harness).title
    uses = uses_of(prompt)
    found: dict[tuple[Kind, str], _Row] = {}
    for message in prompt.messages:
        for segment in message.segments:
            if segment.frame and not with_frames:
                continue
            kind = kind_of(segment, uses, is_tool=message.role == "tools")
            name = name_of(kind, segment, harness)
            if is_by_file and kind in TOGETHER.values() and segment.origin.path is not None:
                name = segment.origin.path
            row = found.get((kind, name))
            if row is None:
                row = found[kind, name] = _Row()
            row.add(segment, count)
    of_servers, rest = shared_tool_tokens(prompt, count)
    for tool, tokens in of_servers:
        name = tool.origin.path if is_by_file and tool.origin.path is not None else NAMES["servers"]
        found.setdefault(("servers", name), _Row()).add_tool(tool, tokens)
    rows = [Size(name, kind, row.tokens, len(row.files), row.is_at_least) for (kind, name), row in found.items()]
    rows += [Size(each, "url", 0, is_at_least=True) for each in unasked(prompt) if ("url", each) not in found]
    if rest:
        shown = next((row for row in rows if row.kind == "tools"), Size(NAMES["tools"], "tools", 0))
        rows = [*(row for row in rows if row is not shown), replace(shown, tokens=shown.tokens + rest)]
    elif is_own_only(prompt) and all(row.kind != "tools" for row in rows):
        rows.append(Size(NAMES["tools"], "tools", 0, is_at_least=True))
    return sorted(rows, key=lambda row: (row.kind in ("tools", "harness"), -row.tokens, row.name))


def unasked(prompt: Prompt) -> list[str]:
    """The URLs that the program asks for and promptls did not: nobody knows what they bring."""
    asked = (each for each in prompt.candidates if each.fetched is not None and each.fetched.state == "disabled")
    return list(dict.fromkeys(each.url for each in asked if each.url is not None))


def uses_of(prompt: Prompt) -> dict[str, Use]:
    """What the files of a prompt are used as, and the entries of its configurations, by ``_entry``."""
    entries = {
        _entry(each.origin): each.use for each in prompt.candidates if each.origin.kind == "config" and each.origin.name
    }
    return entries | {each.path: each.use for each in prompt.candidates if each.path is not None}


def _entry(origin: Origin) -> str:
    """What an entry of a configuration is called among uses; no path has such a character."""
    return f"{origin.path}\0{origin.name}"


def kind_of(segment: Segment, uses: Mapping[str, Use], *, is_tool: bool) -> Kind:
    """What a segment is; ``is_tool``: it is of a message that defines tools."""
    origin = segment.origin
    if origin.url is not None:
        return "url"
    use = uses.get(_entry(origin)) if origin.kind == "config" else None
    kind = TOGETHER.get(use or uses.get(origin.path or "", "instruction"))
    if kind is not None:
        return kind
    if origin.path is not None and segment.layer != "runtime":
        return "file"
    if segment.layer == "runtime":
        return "typed"
    return "tools" if is_tool else "harness"


def name_of(kind: Kind, segment: Segment, harness: str) -> str:
    """The name of the row of a segment; ``harness`` is that of the harness's own."""
    if kind == "harness":
        return harness
    origin = segment.origin
    return NAMES.get(kind) or (origin.url if kind == "url" else origin.path) or ""
