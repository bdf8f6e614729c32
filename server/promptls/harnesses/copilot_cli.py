"""Copilot CLI 1.0.102: everything at start is in the system message, and viewing a file adds a user message.

Sections named here are those of part A of the harness specification for Copilot.
"""

from __future__ import annotations

from promptls.core.model import Candidate, Origin, Segment
from promptls.harnesses import args, scopes
from promptls.harnesses.base import Draft, Harness, Version, elided, head, tail
from promptls.harnesses.copilot_cli_imports import Imports
from promptls.harnesses.copilot_cli_search import (
    AGENTS,
    CLAUDE,
    COPILOT,
    DIRECTORIES,
    GEMINI,
    INSTRUCTIONS,
    NOT_SEEN,
    OFF,
    SUFFIX,
    Scoped,
    Search,
    name_not_read,
    relative,
    unknown_path,
)
from promptls.harnesses.copilot_cli_view import views
from promptls.harnesses.globs import match
from promptls.harnesses.mentions import mentions
from promptls.harnesses.paths import first_above, is_below, join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session

# Section "Not loaded": names that one might expect, and that are not read.
NOT_READ = (
    "AGENTS.override.md",
    ".github/AGENTS.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/rules",
    ".cursor/rules",
    ".cursorrules",
)
NOT_READ_AT_HOME = (".copilot/AGENTS.md", ".claude/CLAUDE.md")

WHY_HOME = "Copilot CLI begins with copilot-instructions.md of its home directory"
WHY_COPILOT = "Copilot CLI reads .github/copilot-instructions.md at the git root, then in the working directory"
WHY_KINDS = "Copilot CLI reads AGENTS.md, CLAUDE.md and GEMINI.md at the git root, then in the working directory"
WHY_BETWEEN = "Copilot CLI reads AGENTS.md of the directories between the git root and the working directory last"
WHY_WHOLE = "an instructions file without a path pattern is sent whole, with its front matter"
WHY_ROW = "an instructions file with a path pattern is only listed; its text follows when a matching file is viewed"


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of Copilot CLI for a session."""
    draft = Draft(session)
    command = args.read(session.args, values=VALUES, switches=(*SWITCHES, OFF), greedy=("add-dir",))
    cwd = host.realpath(session.cwd)
    root = first_above(host, cwd, ".git") or cwd
    search = Search(draft, host, cwd, root, OFF in command.switches)
    blocks = list(_wrapped(search))
    whole, scoped = _instructions_files(search)
    start = elided("provider", "Copilot CLI", "system prompt", why="Copilot CLI begins with a prompt of its own")
    draft.say("system", [start, *_joined([*blocks, *whole, *_table(search, scoped)]), *_nested_table(search)], index=0)
    _name_options(draft, host, command, cwd)
    _name_not_read(search)
    if not search.is_off:
        views(search, scoped)
    model = session.model or command.last("model") or host.env.get("COPILOT_MODEL")
    return draft.prompt(model=model, agent=session.agent or command.last("agent"), verified=True)


# -- 1: files in a wrapper ---------------------------------------------------------------------------------------


def _wrapped(search: Search) -> Iterator[list[Segment]]:
    """Home, .github of root and cwd, then root, cwd, and what is between: not by depth (A.1, chain-cwd-in-subdir)."""
    imports = Imports(search.draft, search.host, search.root)
    places = [(join(search.home, "copilot-instructions.md"), WHY_HOME)]
    places += [(join(place, COPILOT), WHY_COPILOT) for place in search.directories]
    places += [(join(place, kind), WHY_KINDS) for place in search.directories for kind in (AGENTS, CLAUDE, GEMINI)]
    places += [(join(place, AGENTS), WHY_BETWEEN) for place in search.between]
    between = 0
    for path, why in places:
        found = search.find(path, why)
        if found is None:
            continue
        between += why == WHY_BETWEEN
        opening = head("<custom_instruction>\n", path=imports.announced(path))
        yield [opening, *imports.expand(path, found, why), tail("\n</custom_instruction>")]
    if between > 1:
        search.note(f"In which order directories between the git root and the working directory come {NOT_SEEN}.")


def _joined(blocks: Iterable[list[Segment]]) -> Iterator[Segment]:
    for at, block in enumerate(blocks):
        yield tail("\n\n" if at else "")
        yield from block


# -- 2 and 3: *.instructions.md ----------------------------------------------------------------------------------


def _instructions_files(search: Search) -> tuple[list[list[Segment]], list[Scoped]]:
    """Those that are sent whole, and those with patterns: of home, root, cwd, then the configured directories."""
    places = [join(search.home, "instructions"), *(join(place, INSTRUCTIONS) for place in search.directories)]
    places += [join(place, INSTRUCTIONS) for place in _custom_directories(search)]
    whole: list[list[Segment]] = []
    scoped: list[Scoped] = []
    for path in dict.fromkeys(path for place in places for path in _listed(search, place)):
        found = search.find(path, WHY_WHOLE, once=False)
        if found is None:
            continue
        header = scopes.header(found.text)
        patterns = header.patterns("applyTo")
        # A.4; code-review is another agent's name (wire: applyto-forms).
        if "coding-agent" in header.words("excludeAgent"):
            origin = Origin("config", path=path, range=header.range("excludeAgent"), name="excludeAgent")
            why = "excludeAgent names coding-agent, which Copilot CLI is"
            search.draft.candidates[-1] = Candidate("excluded", why, origin, path=path)
        elif not patterns or not scopes.EVERY_FILE.isdisjoint(patterns):
            if any(other[0].text == found.text for other in whole):
                search.note(f"Whether instructions files with the same text are sent once {NOT_SEEN}; all are shown.")
            whole.append([Segment("instructions", path, found.text, found.origin, WHY_WHOLE, cut=found.cut)])
        else:
            scoped.append(Scoped(path, header, found))
            search.draft.candidates[-1] = Candidate("unscoped", WHY_ROW, scoped[-1].origin, path=path)
    return whole, scoped


def _listed(search: Search, place: str) -> list[str]:
    """The instructions files at or below ``place`` by path; other Markdown files there are named as not read."""
    if search.host.kind(place) != "directory":
        why = f"Copilot CLI looks for *{SUFFIX} here"
        search.draft.candidates.append(Candidate("missing", why, Origin("computed", name=why), path=place))
        return []
    found = match(search.host, "**/*.md", place, dot=True)
    if found.is_cut:
        search.note(f"{place} was not searched to its end: it has too many directories.")
    paths = sorted(path for path in found.paths if path.endswith(SUFFIX))
    if paths != sorted(paths, key=lambda path: (path.count("/"), path)):
        search.note(f"Whether files of {place} come before those of its directories {NOT_SEEN}; they are by path here.")
    for path in sorted(set(found.paths) - set(paths)):
        name_not_read(search, path, f"only names that end in {SUFFIX} are read here")
    return paths


def _table(search: Search, scoped: list[Scoped]) -> list[list[Segment]]:
    """A row for each file with patterns, behind a paragraph that is not reproduced (A.3; wire: applyto-forms)."""
    if not scoped:
        return []
    if search.root != search.cwd:
        search.note(f"Below the git root, what the paths in the table are relative to {NOT_SEEN}; here it is the root.")
    # The paragraph's first words are all that the captured sessions keep of it.
    paragraph = elided("instructions", "Copilot CLI", "paragraph before the table", why=WHY_ROW)
    columns = "\n| Pattern | File Path | Description |\n| ------- | --------- | ----------- |"
    rows = [segment for each in scoped for segment in _row(search, each)]
    return [[head("Here is a list of instruction files "), paragraph, tail(columns), *rows]]


def _row(search: Search, scoped: Scoped) -> list[Segment]:
    def piece(text: str) -> Segment:
        return Segment("instructions", f"row for {scoped.path}", text, Origin("computed", name=scoped.path), WHY_ROW)

    before, after = f"\n| {', '.join(scoped.patterns)} | '", f"' | {scoped.header.word('description')} |"
    if is_below(scoped.path, search.root):
        return [piece(f"{before}{relative(search, scoped.path)}{after}")]
    return [piece(before), unknown_path(scoped.path), piece(after)]


def _custom_directories(search: Search) -> list[str]:
    named = search.host.env.get(DIRECTORIES, "").split(",")
    return [resolve(search.cwd, each.strip()) for each in named if each.strip()]


def _nested_table(search: Search) -> list[Segment]:
    """AGENTS.md of the configured directories: in a table, not as text; other kinds are ignored (custom-dirs-env)."""
    found: list[Segment] = []
    for place in _custom_directories(search):
        path = join(place, AGENTS)
        origin = Origin("argument", name=DIRECTORIES)
        if search.host.kind(path) == "file" and not search.is_off:
            why = f"AGENTS.md of a directory in {DIRECTORIES} is only listed in a table of nested files"
            search.draft.candidates.append(Candidate("unscoped", why, origin, path=path))
            found.append(elided("instructions", "Copilot CLI", f"table of nested files with {path}", why=why))
        for kind in (COPILOT, CLAUDE):
            name_not_read(search, join(place, kind), f"of a directory in {DIRECTORIES} it is not read", origin)
    return found


# -- the command line, and files that are not read -----------------------------------------------------------------

VALUES = {
    "--model": "model",
    "--agent": "agent",
    "--add-dir": "add-dir",
    **dict.fromkeys(("-p", "--prompt", "-i", "--interactive"), "prompt"),
    **dict.fromkeys(("--allow-tool", "--deny-tool", "--allow-url", "--deny-url", "--log-dir", "--log-level"), "other"),
}
SWITCHES = ("--allow-all-tools", "--allow-all-paths", "--allow-all", "--no-color", "--banner", "-s", "--silent")


def _name_options(draft: Draft, host: Host, command: args.Arguments, cwd: str) -> None:
    """Options and variables that bring nothing, and those that promptls does not model."""
    for place in command.values.get("add-dir", []):
        for kind in (COPILOT, AGENTS, CLAUDE, GEMINI):
            path = join(resolve(cwd, place), kind)
            if host.kind(path) is not None:
                why = "--add-dir loads no instruction file of the directory (wire: add-dir)"
                draft.candidates.append(_excluded(why, "--add-dir", path))
    for prompt in command.values.get("prompt", []):
        for mention in mentions(prompt):
            why = "@file in the prompt adds neither its text nor instructions for it"
            draft.candidates.append(_excluded(why, f"@{mention.target}", resolve(cwd, mention.target)))
    agent = draft.session.agent or command.last("agent")
    for option in (*command.unknown, *([f"--agent {agent}"] if agent else [])):
        why = f"promptls does not model the option {option}; the prompt is shown as without it"
        draft.candidates.append(_excluded(why, option))
    if host.env.get("COPILOT_HOME"):
        why = f"COPILOT_HOME is taken for Copilot CLI's home directory as it is documented, which {NOT_SEEN}"
        draft.candidates.append(_excluded(why, "COPILOT_HOME"))
    if host.env.get("XDG_CONFIG_HOME"):
        why = f"XDG_CONFIG_HOME is not taken into account, because what it does {NOT_SEEN}"
        draft.candidates.append(_excluded(why, "XDG_CONFIG_HOME"))


def _excluded(why: str, option: str, path: str | None = None) -> Candidate:
    return Candidate("excluded", why, Origin("argument", name=option), path=path)


def _name_not_read(search: Search) -> None:
    """Files that stand where one might expect Copilot CLI to look (sections "Not loaded" and 1c)."""
    for place in search.directories:
        for kind in NOT_READ:
            name_not_read(search, join(place, kind), "Copilot CLI does not read it")
    for kind in NOT_READ_AT_HOME:
        name_not_read(search, join(search.host.home, kind), "Copilot CLI does not read it")
    for place in search.between:
        for kind in (COPILOT, CLAUDE, GEMINI):
            name_not_read(
                search, join(place, kind), "between the git root and the working directory only AGENTS.md counts"
            )


HARNESS = Harness(
    name="copilot-cli",
    title="GitHub Copilot CLI",
    versions=(Version("1.0.102", verified=True),),
    evidence=(".github/copilot-instructions.md", ".github/instructions"),
    command="copilot",
    package="@github/copilot",
    preview=preview,
    loads=(
        "~/.copilot/copilot-instructions.md",
        ".github/copilot-instructions.md of the git root, then of the working directory",
        "AGENTS.md, CLAUDE.md and GEMINI.md of both, then AGENTS.md of what lies between, each with what @path imports",
        "*.instructions.md without a path pattern: of ~/.copilot/instructions, then of .github/instructions of both",
        "*.instructions.md with a path pattern: only a row of a table",
        "On view: *.instructions.md whose pattern matches the file",
        "On view: .github/copilot-instructions.md, AGENTS.md and CLAUDE.md from the file's directory up",
    ),
)
