"""Pi: instruction files in a section of one system message. Sections are those of its specification.

What says "source" was read in the program's package and not seen on the wire.
"""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.model import Origin, Segment
from promptls.core.text import decode
from promptls.core.values import replace
from promptls.harnesses.pi.files import (
    WHY_APPEND,
    WHY_SYSTEM,
    Search,
    above,
    global_directory,
    instructions,
    is_trusted,
    package,
    prompt_file,
)
from promptls.harnesses.pi.skills import listed
from promptls.harnesses.pi.spec import SPEC
from promptls.harnesses.pi.versions import ROWS
from promptls.kit import args
from promptls.kit.base import built_in, described, iso_date
from promptls.kit.candidates import Rule, argument, left_out
from promptls.kit.chat import send_plain
from promptls.kit.draft import Draft
from promptls.kit.paths import join, native, resolve
from promptls.kit.segments import elided, head, tail
from promptls.kit.tool_calls import shown, text_of
from promptls.kit.unread_files import name_nested, name_unread
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.kit.args import Arguments

VALUES = {
    "--model": "model",
    "--system-prompt": "system",
    "--append-system-prompt": "append",
    "--skill": "skill",
    **dict.fromkeys(("--provider", "--api-key", "--mode", "--name", "-n", "--session-dir", "--models"), "other"),
    **dict.fromkeys(("--tools", "-t", "--exclude-tools", "-xt"), "tools"),
    "--thinking": "other",
}
NO_FILES, APPROVE, DENY = ("--no-context-files", "-nc"), ("--approve", "-a"), ("--no-approve", "-na")
NO_TOOLS, NO_SKILLS = ("--no-tools", "-nt"), ("--no-skills", "-ns")
SWITCHES = (
    *NO_FILES,
    *APPROVE,
    *DENY,
    *NO_TOOLS,
    *NO_SKILLS,
    "--print",
    "-p",
    "--no-session",
    "--offline",
    "--verbose",
)
HEADING = "Project-specific instructions and guidelines:"
# With slashes on every system.
STARTED = Origin("argument", name="working directory")
WHY_BASE = "Pi begins with its own instructions and the list of its tools"
WHY_SKILLS = "names and descriptions of skills follow, if there are any; promptls does not list them"
WHY_FURTHER = "--skill, settings and packages add skills or leave some out; promptls does not read these"
WHY_END = "Pi ends its prompt with the working directory"
WHY_NAME = "Pi does not read a file of this name in this place"
WHY_NESTED = "Pi adds no instruction file when a file is read; start it there to load it"
WHY_PLAIN = "Pi adds no instructions to what is typed or read"


def preview(session: Session, host: Host) -> Prompt:
    """The last request of Pi for a session (wire: root-names)."""
    draft = Draft(session)
    facts = row(ROWS, session.version)
    command = args.read(session.args, values=VALUES, switches=SWITCHES)
    cwd = host.realpath(session.cwd)
    directory = global_directory(host, cwd)
    search = Search(draft, host, facts, cwd, directory, _is_trusted(draft, host, cwd, directory, command))
    is_off = not command.switches.isdisjoint(NO_FILES)
    base, added = _base(search, command), _added(search, command)
    files = [] if is_off else instructions(search)
    if facts.skills_intro is not None:
        sections = _sections(search, base, added, files, _skills(search, command))
    else:
        sections = _plain(host, cwd, base, added, files)
    draft.add_message("system", sections, index=0)
    send_plain(draft, SPEC.title, index=1, why=WHY_PLAIN, read=lambda path: _read_result(search, path))
    draft.notes += above(search, files)
    _unread(draft, host, cwd, facts.names)
    if is_off:
        why = f"{NO_FILES[0]} leaves out all instruction files, the global one, too"
        draft.candidates.append(argument(NO_FILES[0], why))
    draft.candidates += left_out(session, command.unknown, SPEC.title)
    tools = None if facts.tools is None or _chooses_tools(command) else built_in(facts.tools)
    model = session.model or command.last("model")
    return draft.prompt(model=model, tools=tools)


def _chooses_tools(command: Arguments) -> bool:
    """Whether the command line says which tools there are, which Pi's own text lists, too."""
    return "tools" in command.values or not command.switches.isdisjoint(NO_TOOLS)


def _is_trusted(draft: Draft, host: Host, cwd: str, directory: str, command: Arguments) -> bool:
    """The command line, else what is remembered (wire: system-append-trusted, system-untrusted)."""
    if not row(ROWS, draft.session.version).needs_trust or not command.switches.isdisjoint(APPROVE):
        return True
    return command.switches.isdisjoint(DENY) and is_trusted(draft, host, cwd, directory)


def _base(search: Search, command: Arguments) -> list[Segment]:
    """The beginning: of the command line, of a file, or prose."""
    given = _option_texts(search, command.values.get("system", [])[-1:], "--system-prompt")
    if given:
        return given
    found = prompt_file(search, "SYSTEM.md", WHY_SYSTEM, "prompt")
    if found is not None and found.text:
        return [replace(found, layer="provider")]
    facts = search.facts
    size = None if facts.base is None or _chooses_tools(command) else facts.base
    size = None if size is None else size + facts.paths * len(native(package(search.host, search.cwd)))
    return [elided("provider", SPEC.title, "system prompt", why=WHY_BASE, size=size)]


def _added(search: Search, command: Arguments) -> list[Segment]:
    """What is added to the system prompt: of the command line, else of a file."""
    given = _option_texts(search, command.values.get("append", []), "--append-system-prompt")
    if given:
        return given
    found = prompt_file(search, "APPEND_SYSTEM.md", WHY_APPEND, "instruction")
    return [found] if found is not None else []


def _option_texts(search: Search, values: list[str], option: str) -> list[Segment]:
    """Texts of the command line; one that is the path of a file is that file's text (wire: append-file)."""
    found: list[Segment] = []
    for value in values:
        origin = Origin("argument", name=option)
        path = resolve(search.cwd, value)
        text: Segment | None = Segment("instructions", option, value, origin, f"{option} gives it")
        if value and search.host.kind(path) == "file":
            text = search.text(path, Rule(f"{option} names it", origin, "prompt"))
        if text is not None and text.text:
            found += [*([tail("\n\n")] if found else []), text]
    return found


def _skills(search: Search, command: Arguments) -> list[Segment]:
    """The list of skills; what settings and packages add to it is not known."""
    if not command.switches.isdisjoint(NO_SKILLS):
        search.draft.candidates.append(argument(NO_SKILLS[0], f"{NO_SKILLS[0]} leaves out all skills"))
        return []
    found = list(listed(search, reads=not _chooses_tools(command)))
    settings = [join(each, "settings.json") for each in (search.directory, join(search.cwd, ".pi"))]
    if "skill" in command.values or any(_names_skills(search.host, path) for path in settings):
        found.append(elided("tools", SPEC.title, "further skills", why=WHY_FURTHER))
    return found


def _names_skills(host: Host, path: str) -> bool:
    contents = host.read(path)
    if contents.state != "file":
        return False
    root = parse_json(decode(contents.data, keep_bom=False), comments=False).root
    return root is not None and any(root.get(key) is not None for key in ("skills", "packages"))


def _sections(
    search: Search, base: list[Segment], added: list[Segment], files: list[tuple[str, Segment]], skills: list[Segment]
) -> list[Segment]:
    """Sections in tags (wire: system-append-trusted, root-names)."""
    found = list(base)
    if added:
        found += [head("\n\n<addendum>\n"), *added, tail("\n</addendum>")]
    if files:
        found.append(head(f"\n\n<project_context>\n{HEADING}"))
        for path, text in files:
            label = head(f'\n\n<project_instructions path="{native(path)}">\n', path=path)
            found += [label, text, tail("\n</project_instructions>")]
        found.append(tail("\n</project_context>"))
    found += skills
    return [*found, Segment("environment", "working directory", f"\n\n<cwd>\n{search.cwd}\n</cwd>", STARTED, WHY_END)]


def _plain(
    host: Host, cwd: str, base: list[Segment], added: list[Segment], files: list[tuple[str, Segment]]
) -> list[Segment]:
    """Headings of Markdown (source)."""
    found = list(base)
    if added:
        found += [tail("\n\n"), *added]
    if files:
        found.append(head(f"\n\n# Project Context\n\n{HEADING}\n\n"))
        for path, text in files:
            found += [head(f"## {native(path)}\n\n", path=path), text, tail("\n\n")]
    found.append(elided("tools", SPEC.title, "skills", why=WHY_SKILLS))
    says = f"\nCurrent date: {iso_date(host)}\nCurrent working directory: {cwd}"
    return [*found, Segment("environment", "date and working directory", says, STARTED, WHY_END)]


def _read_result(search: Search, path: str) -> list[list[Segment]] | None:
    """What the tool for reading gives of a file, to the letter; how a blank one is sent depends on the service.

    (wire: read-forms)
    """
    text, facts = text_of(search.host, path), search.facts
    if not text or text.count("\n") >= facts.read_lines or len(text.encode()) > facts.read_bytes:
        return None
    return [[shown(path, text)]]


def _unread(draft: Draft, host: Host, cwd: str, names: tuple[str, ...]) -> None:
    """What looks as if it was read (wire: root-names, case-variants, nested-read)."""
    other = (".pi/AGENTS.md", ".agents/AGENTS.md", "GEMINI.md", "PI.md", "agents.md", "AGENTS.override.md")
    here = [join(cwd, each) for each in (*other, ".github/copilot-instructions.md") if each not in names]
    home = [join(host.home, each) for each in (".pi/AGENTS.md", ".agents/AGENTS.md", ".claude/CLAUDE.md")]
    name_unread(draft, host, WHY_NAME, [*here, *home])
    name_nested(draft, host, WHY_NESTED, cwd, [each for each in names if not each.endswith(".MD")])


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "Its own system prompt, or SYSTEM.md of .pi in a trusted project, else of ~/.pi/agent",
        "APPEND_SYSTEM.md of the same places",
        "One file of ~/.pi/agent: the first of AGENTS.override.md, AGENTS.md, AGENTS.MD, CLAUDE.md and CLAUDE.MD",
        "Skills of .pi/skills and .agents/skills up to the git root, in a trusted project, then of the user's folders",
        "One of these of each directory from the root of the disk down to the working directory",
    ),
)
