"""Programs that nobody could capture here: what their documentation says that they read, as data, with its addresses.

They have no preview, so nothing of this is ever shown as exact. The facts are of November 2026; no sentence is theirs.
"""

from __future__ import annotations

from promptls.core.formats.patterns import path_matcher
from promptls.core.paths import is_below, relative
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

START = "at the start"
# Where a file has to be: at the top of what is open, in any folder of it, or at home.
TOP, ANY, HOME = "top", "any", "home"


@dataclass(frozen=True, slots=True)
class Reads:
    """Files that are read: ``files`` are patterns below ``where``; ``when`` is a clause."""

    files: tuple[str, ...]
    where: str = TOP
    when: str = START


@dataclass(frozen=True, slots=True)
class Documented:
    """A program with what it is said to read, the more special rows first.

    ``evidence``: files and directories that show that it is in use. ``note``: what else is known.
    """

    name: str
    title: str
    sources: tuple[str, ...]
    reads: tuple[Reads, ...]
    evidence: tuple[str, ...] = ()
    note: str = ""

    def says(self) -> Iterator[str]:
        """A line for each row."""
        for row in self.reads:
            files = ", ".join(f"{'~/' * (row.where == HOME)}{each}" for each in row.files)
            yield f"{files}{' of any folder' * (row.where == ANY)}: {row.when}"
        yield from [self.note] if self.note else []

    def json(self) -> dict[str, object]:
        """As JSON."""
        rows = [{"files": [*row.files], "where": row.where, "when": row.when} for row in self.reads]
        own = {"name": self.name, "title": self.title, "tier": "documented", "note": self.note}
        return {**own, "sources": [*self.sources], "reads": rows}


@dataclass(frozen=True, slots=True)
class DocumentedRead:
    """That a program reads a file, by its documentation."""

    program: Documented
    when: str

    def json(self) -> dict[str, object]:
        """As JSON."""
        own = self.program
        return {
            "program": own.name,
            "title": own.title,
            "tier": "documented",
            "when": self.when,
            "sources": [*own.sources],
        }


ZED_FILES = (
    *(".rules", ".cursorrules", ".windsurfrules", ".clinerules", ".github/copilot-instructions.md", "AGENT.md"),
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md"),
)
PROGRAMS = (
    Documented(
        "amp",
        "Amp",
        (
            "https://www.developersdigest.tech/reference/amp/config-files",
            "https://decodeclaude.com/amp-code-spec/implementation/09-memory/",
        ),
        (
            Reads(("AGENTS.md",)),
            Reads(("AGENT.md", "CLAUDE.md"), when="at the start, where no AGENTS.md is beside it"),
            Reads(
                ("AGENTS.md",), ANY, "at the start above the working directory, else once a file in its folder is read"
            ),
            Reads((".config/amp/AGENTS.md", ".config/AGENTS.md"), HOME),
        ),
        (".amp",),
        "By pages of others: its own manual was not read.",
    ),
    Documented(
        "junie",
        "Junie",
        (
            "https://www.jetbrains.com/help/junie/customize-guidelines.html",
            "https://github.com/JetBrains/junie-guidelines",
        ),
        (
            Reads((".junie/guidelines.md",)),
            Reads((".junie/AGENTS.md",), when="at the start; older pages: only where its settings name it"),
            Reads(("AGENTS.md",), when="at the start; older pages: only where its settings name it"),
        ),
        (".junie",),
    ),
    Documented(
        "kiro",
        "Kiro",
        ("https://kiro.dev/docs/steering/", "https://kiro.dev/docs/cli/steering"),
        (
            Reads((".kiro/steering/*.md",), when="at the start, unless its inclusion is fileMatch, auto or manual"),
            Reads(("AGENTS.md",)),
            Reads((".kiro/steering/*.md",), HOME, "at the start, unless its inclusion is another one"),
        ),
        (".kiro",),
    ),
    Documented(
        "roo-code",
        "Roo Code",
        (
            "https://docs.roocode.com/features/custom-instructions",
            "https://kilo.ai/articles/roo-to-kilo-migration-guide",
        ),
        (
            Reads((".roo/rules/**/*",), when=START),
            Reads((".roo/rules-*/**/*",), when="at the start, in the mode of that name"),
            Reads((".roorules",), when="at the start, where .roo/rules is missing or empty"),
            Reads(("AGENTS.md", "AGENTS.local.md")),
            Reads(("AGENT.md",), when="at the start, where no AGENTS.md is beside it"),
            Reads((".roo/rules/**/*",), HOME),
        ),
        (".roo", ".roorules"),
        "By a page of another program, its repository was to be archived on 2026-05-15.",
    ),
    Documented(
        "warp",
        "Warp",
        ("https://docs.warp.dev/agents/capabilities/rules.md",),
        (
            Reads(("WARP.md",)),
            Reads(("AGENTS.md",), when="at the start, where no WARP.md is beside it"),
            Reads(
                ("WARP.md", "AGENTS.md"),
                ANY,
                "where the working directory is that folder; tried where a file there is edited",
            ),
        ),
        ("WARP.md",),
    ),
    Documented(
        "windsurf",
        "Windsurf",
        ("https://docs.windsurf.com/windsurf/cascade/agents-md", "https://docs.windsurf.com/windsurf/cascade/memories"),
        (
            Reads(("AGENTS.md", "agents.md")),
            Reads(("AGENTS.md", "agents.md"), ANY, "once a file in its folder is read or edited"),
            Reads((".windsurf/rules/*.md",), ANY, "as its trigger says: always_on, glob, model_decision or manual"),
        ),
        (".windsurf", ".windsurfrules"),
        "A rule has at most 12,000 characters. Rules for all workspaces are in a file global_rules.md.",
    ),
    Documented(
        "zed",
        "Zed's agent",
        ("https://zed.dev/docs/ai/instructions",),
        (
            Reads(ZED_FILES, when="at the start, the first alone of " + ", ".join(ZED_FILES)),
            Reads((".config/zed/AGENTS.md",), HOME),
        ),
        (".zed",),
    ),
)


def said_of(path: str, top: str, home: str) -> tuple[DocumentedRead, ...]:
    """Which programs read a file, by their documentation; ``top`` is the folder that is open."""
    found = ((each, _when(each.reads, path, top, home)) for each in PROGRAMS)
    return tuple(DocumentedRead(each, when) for each, when in found if when is not None)


def _when(rows: Iterable[Reads], path: str, top: str, home: str) -> str | None:
    for row in rows:
        base = home if row.where == HOME else top
        below = relative(path, base) if base and is_below(path, base) else None
        if below is not None and any(_matches(each, below, row.where) for each in row.files):
            return row.when
    return None


def _matches(pattern: str, below: str, where: str) -> bool:
    return path_matcher(f"**/{pattern}" if where == ANY else pattern, dot=True)(below)


def lines_of(said: Iterable[DocumentedRead]) -> Iterator[str]:
    """One line for each time at which programs read a file."""
    by_when: dict[str, list[str]] = {}
    for each in said:
        by_when.setdefault(each.when, []).append(each.program.title)
    for when, titles in by_when.items():
        yield f"{', '.join(titles)}: {when}"
