"""Continue's command line: one agent file and the rules at the end of one system message.

What says "source" was read in the program's package and not seen on the wire. Sections are those of its specification.
"""

from __future__ import annotations

from promptls.core.model import Segment
from promptls.harnesses.continue_cli.rules import Places, rules
from promptls.harnesses.continue_cli.spec import SPEC
from promptls.harnesses.continue_cli.versions import ROWS
from promptls.kit.args import Options
from promptls.kit.base import built_in, described, json_size
from promptls.kit.chain import Chain
from promptls.kit.named import Row, skills_in
from promptls.kit.paths import join, native, resolve
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import shown, text_of
from promptls.kit.versions import row
from promptls.kit.writer import Unread, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.harnesses.continue_cli.versions import Facts

OPTIONS = Options(
    model=("--model",),
    values=("--config", "--rule", "--prompt", "--agent", "--mcp", "--allow", "--exclude", "--org", "--ask", "--format"),
    switches=("--print", "-p", "--auto", "--readonly", "--verbose", "--silent"),
    not_modelled=("--agent", "--prompt"),
)
OTHER_TOOLS = {"--agent", "--mcp", "--allow", "--exclude"}
# An empty one hides the others, and a directory ends the search (wire: agent-md-singular, agents-md-is-directory).
AGENT = Chain(
    names=(("AGENTS.md", "AGENT.md", "CLAUDE.md", "CODEX.md"),),
    why="Continue sends the first of AGENTS.md, AGENT.md, CLAUDE.md and CODEX.md in the working directory",
    takes_first="entry",
)
WHY_BASE = "Continue begins with its own instructions; rules are at the end"
WHY_ENVIRONMENT = "it is filled into the text: working directory, system, date and the status of git"
# (wire: root-names, cwd-in-subdir, nested-read)
UNREAD = Unread(
    names=(".continuerules", ".cursorrules", "rules.md", ".continue/AGENTS.md", ".github/copilot-instructions.md"),
    why="Continue's command line does not read a file of this name; put it into .continue/rules",
    home=(".continuerules", ".continue/AGENTS.md", "AGENTS.md"),
    above="Continue reads the working directory only, and does not look above it; start it there to load it",
    on_read="Continue adds nothing when a file is read; start it there to load it",
)
# In this order (captured: skills in eight places of a folder); those of the home directory were not captured.
SKILLS = (".continue/skills", ".claude/skills")
WHY_SKILLS = "Continue names and describes skills in the definition of the tool Skills"
# The end of the description of the tool (parts: skill-tool).
ROW = Row(SPEC.title, "skill", WHY_SKILLS, before="\nname: {name}\ndescription: ", after="\n", between=",")
WHY_PLAIN = "Continue adds no rules to what is typed or read"


def preview(session: Session, host: Host) -> Prompt:
    """The last request of ``cn`` for a session (wire: root-names)."""
    writer = Writer(SPEC, session, host, OPTIONS)
    draft, facts, command, cwd = writer.draft, row(ROWS, session.version), writer.command, writer.cwd
    moved = host.env.get("CONTINUE_GLOBAL_DIR")
    home = resolve(cwd, moved) if moved else join(host.home, ".continue")
    config = command.last("--config")
    places = Places(cwd, home, resolve(cwd, config) if config else join(home, "config.yaml"))
    blocks = [[*file.segments] for file in writer.find(AGENT)]
    blocks += rules(draft, host, places, command.values.get("--rule", []))
    writer.system(
        writer.own("system prompt", why=WHY_BASE, size=facts.base),
        writer.own("environment", why=WHY_ENVIRONMENT, layer="environment"),
        *_user_rules(blocks),
    )
    skills = list(skills_in(host, [join(cwd, each) for each in SKILLS], WHY_SKILLS, draft.candidates.append))
    if skills:
        intro = writer.own("description of tool Skills", why=WHY_SKILLS, size=facts.skills_intro, layer="tools")
        draft.add_message("tools", [intro, *ROW.rows(skills)], index=0, block=1)
    writer.chat(index=1, why=WHY_PLAIN, read=lambda path: _read_result(host, facts, path))
    writer.name_unread(UNREAD, AGENT)
    rows = sum(json_size(each.text) for each in ROW.rows(skills))
    sizes = {**facts.tools, "Skills": facts.tools["Skills"] + rows}
    return writer.prompt(tools=None if OTHER_TOOLS & command.values.keys() else built_in(sizes))


def _user_rules(blocks: list[list[Segment]]) -> Iterator[Segment]:
    """The part that holds all of it (specification, "Order and placement")."""
    for at, block in enumerate(blocks):
        yield tail("\n\n") if at else head('\n\n<context name="userRules">\n')
        yield from block
    if blocks:
        yield tail("\n</context>")


def _read_result(host: Host, facts: Facts, path: str) -> list[list[Segment]] | None:
    """What the tool for reading gives of a file, to the letter (wire: read-forms)."""
    text = text_of(host, path)
    if text is None or text.count("\n") >= facts.read_lines or len(text) > facts.read_characters:
        return None
    return [[head(f"Content of {native(path)}:\n", "runtime"), shown(path, text)]]


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "The first of AGENTS.md, AGENT.md, CLAUDE.md and CODEX.md in the working directory",
        "Texts and files of --rule, twice",
        "The rules of config.yaml in ~/.continue, or of --config",
        "Rules without globs below .continue/rules of the working directory, then below ~/.continue/rules",
    ),
)
