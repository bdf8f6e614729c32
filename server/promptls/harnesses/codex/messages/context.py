"""What stands before all that is said: it is sent at the start, and new after each compaction."""

from __future__ import annotations

from promptls.core.model import Segment
from promptls.core.values import dataclass
from promptls.harnesses.codex.files import global_file, project_files
from promptls.harnesses.codex.messages.developer import collaboration, developer, role_messages
from promptls.harnesses.codex.messages.environment import environment
from promptls.harnesses.codex.request import Item, item
from promptls.kit.paths import native
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.harnesses.codex.files import Doc
    from promptls.harnesses.codex.start.setup import Setup
    from promptls.kit.draft import Draft

# The wrapper, to the letter (section "Placement on the wire").
OPENING, CLOSING = "<INSTRUCTIONS>\n", "\n</INSTRUCTIONS>"
BETWEEN_FILES = "\n\n"
BETWEEN_GLOBAL_AND_PROJECT = "\n\n--- project-doc ---\n\n"


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of the developer message round the collaboration mode, and the items after it."""

    before: list[list[Segment]]
    after: list[list[Segment]]
    items: tuple[Item, ...]

    def sent(self, setup: Setup, mode: str) -> tuple[Item, ...]:
        """The items in a collaboration mode (parts: all-parts; captured: compact-plan)."""
        first = item("developer", "context", *self.before, collaboration(setup, mode), *self.after)
        return (*first, *self.items)


NOTHING = Context([], [], ())


def read_context(draft: Draft, host: Host, setup: Setup) -> Context:
    """Look everything up; the candidates say what came of it."""
    before, after = developer(draft, host, setup)
    roles = [each for message in role_messages(setup) for each in item("developer", "context", message)]
    everywhere = global_file(draft, host, setup.config)
    # Of a file there is no project (captured: settle-cd-file).
    cwd = setup.start.cwd
    is_closed = any(entry.access == "deny" for entry in setup.sandbox.entries)
    is_file = host.kind(cwd) == "file"
    project = [] if is_file else project_files(draft, host, setup.config, setup.chain, is_closed=is_closed)
    has_environment = setup.config.is_on("include_environment_context", default=True)
    has_time = setup.config.is_on("include_environment_context_time", default=True)
    around = environment(host, cwd, setup.sandbox, has_time=has_time) if has_environment else []
    return Context(before, after, (*roles, *item("user", "context", wrapped(cwd, everywhere, project), around)))


def wrapped(cwd: str, everywhere: Doc | None, project: list[Doc]) -> list[Segment]:
    """The message. Without project files its first line names no directory (wire: global-only, max-bytes-zero)."""
    if everywhere is None and not project:
        return []
    where = f" for {native(cwd)}" if project else ""
    segments = [head(f"# AGENTS.md instructions{where}\n\n{OPENING}")]
    if everywhere is not None:
        segments.append(_segment(everywhere))
    for at, doc in enumerate(project):
        if at:
            segments.append(tail(BETWEEN_FILES))
        elif everywhere is not None:
            segments.append(tail(BETWEEN_GLOBAL_AND_PROJECT))
        segments.append(_segment(doc))
    return [*segments, tail(CLOSING)]


def _segment(doc: Doc) -> Segment:
    return Segment("instructions", doc.path, doc.text, doc.origin, doc.why, cut=doc.cut)
