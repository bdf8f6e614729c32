"""The sections of Claude Code's own prompt up to 2.1.85: names, order and conditions, never their sentences.

From a public description of the program's source, held against the wire where that is possible.
"""

from __future__ import annotations

from promptls.core.model import Origin
from promptls.core.values import dataclass, replace
from promptls.kit.candidates import Rule
from promptls.kit.paths import join
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import CacheClass, Segment
    from promptls.harnesses.claude_code.listing.styles import Style
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft

UNKNOWN = "unknown from here"


@dataclass(frozen=True, slots=True)
class Section:
    """One section. ``holds`` is None where files and settings do not tell; ``why`` names what it hangs on."""

    name: str
    why: str
    cache: CacheClass = "session"
    holds: bool | None = True


ALWAYS = "it is always there"
# The same for everybody, before the boundary.
STATIC = ("intro", "system", "doing tasks", "actions", "using tools", "tone and style", "output efficiency")


def sections(setup: Setup, style: Style | None, *, has_memory: bool) -> list[Section]:
    """All sections of the standard prompt in order, with whether they are there for this session."""
    settings = setup.settings
    language = settings.text("language")
    servers = _has_servers(setup)
    worktree = "; it also says that this is a linked worktree" if setup.main else ""
    keeps_coding = style is None or style.keeps_coding
    return [
        *(
            Section(name, DOING_TASKS, "static", keeps_coding)
            if name == "doing tasks"
            else Section(name, ALWAYS, "static")
            for name in STATIC
        ),
        Section(
            "boundary",
            "it is there only if the cache is shared by all users; no captured session has it",
            "static",
            False,
        ),
        Section("session guidance", "it describes the tools, agents and skills of this session"),
        Section("memory", "it explains the auto memory" if has_memory else "the auto memory is off", holds=has_memory),
        Section("model override", "only in builds of the maker's own", holds=False),
        Section("environment", f"it names directory, platform, shell and model{worktree}"),
        Section("language", f"the setting language is {language or 'not set'}", holds=language is not None),
        Section("output style", _style_says(style), holds=style is not None),
        Section("MCP instructions", servers[1], "turn", servers[0]),
        Section("scratchpad", "it hangs on a flag of the program", holds=None),
        Section("function result clearing", "it hangs on a flag of the program", holds=None),
        Section("summarise tool results", "it hangs on a flag of the program", holds=None),
        Section("length anchors", "only in builds of the maker's own", holds=False),
        Section("token budget", "it hangs on a flag of the program", holds=None),
        Section("brief", "it hangs on a flag of the program", holds=None),
    ]


DOING_TASKS = "it is there unless the output style says not to keep coding instructions"


def _style_says(style: Style | None) -> str:
    return f"the output style is {style.name}" if style else "no output style is set"


def _has_servers(setup: Setup) -> tuple[bool | None, str]:
    """Whether MCP servers are configured; what they say of themselves only they know."""
    given = setup.command.last("mcp-config")
    if given is not None:
        return None, "servers are named with --mcp-config; whether they send instructions only they know"
    path = join(setup.cwd, ".mcp.json")
    if setup.host.kind(path) == "file":
        return None, f"servers are named in {path}; whether they send instructions only they know"
    return False, "no MCP server is configured for this project"


def standard(draft: Draft, setup: Setup, style: Style | None, *, has_memory: bool) -> list[Segment]:
    """A placeholder for each section that is there; the others are named as candidates."""
    found: list[Segment] = []
    for section in sections(setup, style, has_memory=has_memory):
        title = f"section {section.name}"
        origin = Origin("builtin", name=title)
        if section.holds:
            if section.name == "output style" and style is not None and style.segment is not None:
                found.append(style.segment)
            else:
                placeholder = elided("provider", "Claude Code", title, why=section.why)
                found.append(replace(placeholder, cache=section.cache))
            continue
        if section.holds is None:
            draft.candidates.append(Rule(UNKNOWN, origin, "template").excluded(None, section.why))
        else:
            draft.candidates.append(Rule(section.why, origin, "template").excluded())
    return found
