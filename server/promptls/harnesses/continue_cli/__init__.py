"""Continue's command line: one agent file and the rules at the end of one system message.

What says "source" was read in the program's package and not seen on the wire. Sections are those of its specification.
"""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.text import decode, whole
from promptls.harnesses.continue_cli.rules import Places, rules
from promptls.harnesses.continue_cli.spec import SPEC
from promptls.harnesses.continue_cli.versions import ROWS
from promptls.kit import args
from promptls.kit.base import built_in, described
from promptls.kit.candidates import left_out, our_cut, own
from promptls.kit.chat import send_plain
from promptls.kit.draft import Draft
from promptls.kit.json_size import json_size
from promptls.kit.paths import join, native, resolve
from promptls.kit.segments import elided, head, tail
from promptls.kit.skill_files import skill_files
from promptls.kit.unread_files import name_above, name_nested, name_unread
from promptls.kit.versions import row
from promptls.kit.whole_read import shown, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.harnesses.continue_cli.versions import Facts
    from promptls.kit.skill_files import SkillFile

VALUES = {
    "--config": "config",
    "--rule": "rule",
    "--prompt": "prompt",
    "--model": "model",
    "--agent": "agent",
    **dict.fromkeys(("--mcp", "--allow", "--exclude"), "tools"),
    **dict.fromkeys(("--org", "--ask", "--format"), "other"),
}
SWITCHES = ("--print", "-p", "--auto", "--readonly", "--verbose", "--silent")
# These change which tools there are.
CHOSEN = {"tools", "agent"}
NAMES = ("AGENTS.md", "AGENT.md", "CLAUDE.md", "CODEX.md")
WHY_AGENT = "Continue sends the first of AGENTS.md, AGENT.md, CLAUDE.md and CODEX.md in the working directory"
WHY_BASE = "Continue begins with its own instructions; rules are at the end"
WHY_ENVIRONMENT = "it is filled into the text: working directory, system, date and the status of git"
WHY_NAME = "Continue's command line does not read a file of this name; put it into .continue/rules"
WHY_ABOVE = "Continue reads the working directory only, and does not look above it; start it there to load it"
WHY_NESTED = "Continue adds nothing when a file is read; start it there to load it"
# In this order (captured: skills in eight places of a folder); those of the home directory were not captured.
SKILLS = (".continue/skills", ".claude/skills")
WHY_SKILLS = "Continue names and describes skills in the definition of the tool Skills"
WHY_PLAIN = "Continue adds no rules to what is typed or read"


def preview(session: Session, host: Host) -> Prompt:
    """The last request of ``cn`` for a session (wire: root-names)."""
    draft = Draft(session)
    facts = row(ROWS, session.version)
    command = args.read(session.args, values=VALUES, switches=SWITCHES)
    cwd = host.realpath(session.cwd)
    moved = host.env.get("CONTINUE_GLOBAL_DIR")
    home = resolve(cwd, moved) if moved else join(host.home, ".continue")
    config = command.last("config")
    places = Places(cwd, home, resolve(cwd, config) if config else join(home, "config.yaml"))
    agent = _agent_file(draft, host, cwd)
    found = rules(draft, host, places, command.values.get("rule", []))
    base = elided("provider", SPEC.title, "system prompt", why=WHY_BASE, size=facts.base)
    place = elided("environment", SPEC.title, "environment", why=WHY_ENVIRONMENT)
    draft.add_message("system", [base, place, *_user_rules(agent, found)], index=0)
    skills = list(skill_files(draft, host, [join(cwd, each) for each in SKILLS], WHY_SKILLS))
    if skills:
        intro = elided("tools", SPEC.title, "description of tool Skills", why=WHY_SKILLS, size=facts.skills_intro)
        draft.add_message("tools", [intro, *_skill_rows(skills)], index=0, block=1)
    send_plain(draft, SPEC.title, index=1, why=WHY_PLAIN, read=lambda path: _read_result(host, facts, path))
    _unread(draft, host, cwd)
    named = [f"--{option}" for option in ("agent", "prompt") if option in command.values]
    draft.candidates += left_out(session, [*command.unknown, *named], SPEC.title, has_agents=True)
    model = session.model or command.last("model")
    rows = sum(json_size(each.text) for each in _skill_rows(skills))
    sizes = {**facts.tools, "Skills": facts.tools["Skills"] + rows}
    tools = None if CHOSEN & command.values.keys() else built_in(sizes)
    return draft.prompt(model=model, verified=True, tools=tools)


def _skill_rows(skills: Sequence[SkillFile]) -> Iterator[Segment]:
    """The end of the description of the tool (surfaces: skill-tool)."""
    for number, skill in enumerate(skills):
        yield head(f"{',' if number else ''}\nname: {skill.name}\ndescription: ", "tools")
        yield Segment("tools", f"skill {skill.name}", skill.description, skill.origin, WHY_SKILLS)
        yield tail("\n", "tools")


def _agent_file(draft: Draft, host: Host, cwd: str) -> Segment | None:
    """The first that exists: an empty one hides the others, and a directory ends the search.

    (wire: agent-md-singular, agents-md-is-directory; captured: empty-file)
    """
    rule, first = own(WHY_AGENT), None
    for path in (join(cwd, name) for name in NAMES):
        if first is not None:
            if host.kind(path) is not None and not host.is_same(path, first):
                draft.candidates.append(rule.shadowed(path, f"{first} comes first", by=first))
        elif host.kind(path) is None:
            draft.candidates.append(rule.missing(path))
        else:
            first = path
    if first is None:
        return None
    contents = host.read(first)
    if contents.state != "file":
        draft.candidates.append(rule.unread(first, contents.state, ", and Continue reads no other one"))
        return None
    text = decode(contents.data, keep_bom=True)
    if not text:
        draft.candidates.append(rule.empty(first, "it is empty"))
        return None
    draft.candidates.append(rule.read(first, contents))
    origin = Origin("file", path=host.realpath(first), range=whole(text))
    return Segment("instructions", first, text, origin, WHY_AGENT, cut=our_cut(contents))


def _user_rules(agent: Segment | None, found: list[list[Segment]]) -> Iterator[Segment]:
    """The part that holds all of it (specification, "Order and placement")."""
    blocks = [*([[agent]] if agent is not None else []), *found]
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


def _unread(draft: Draft, host: Host, cwd: str) -> None:
    """What looks as if it was read (wire: root-names, cwd-in-subdir, nested-read)."""
    here = (".continuerules", ".cursorrules", "rules.md", ".continue/AGENTS.md", ".github/copilot-instructions.md")
    name_unread(draft, host, WHY_NAME, [join(cwd, each) for each in here])
    home = (".continuerules", ".continue/AGENTS.md", "AGENTS.md")
    name_unread(draft, host, WHY_NAME, [join(host.home, each) for each in home])
    name_above(draft, host, WHY_ABOVE, cwd, NAMES)
    name_nested(draft, host, WHY_NESTED, cwd, NAMES)


HARNESS = described(
    SPEC,
    ROWS,
    command="cn",
    package="@continuedev/cli",
    preview=preview,
    loads=(
        "The first of AGENTS.md, AGENT.md, CLAUDE.md and CODEX.md in the working directory",
        "Texts and files of --rule, twice",
        "The rules of config.yaml in ~/.continue, or of --config",
        "Rules without globs below .continue/rules of the working directory, then below ~/.continue/rules",
    ),
)
