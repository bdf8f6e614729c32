"""OpenHands CLI: everything of the user's is in the second part of the system message, as untrusted content.

Sections named here are those of the harness specification for OpenHands; [source] is the packages of that version.
"""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY
from promptls.core.model import Segment
from promptls.core.text import newlines
from promptls.core.values import replace
from promptls.harnesses.openhands.agents import agents, definition
from promptls.harnesses.openhands.listing import brought, skill_list
from promptls.harnesses.openhands.skills import Search, Skill, find_skills
from promptls.harnesses.openhands.spec import SPEC
from promptls.harnesses.openhands.versions import ROWS
from promptls.kit import args
from promptls.kit.args import Options
from promptls.kit.base import built_in, described
from promptls.kit.candidates import own
from promptls.kit.chat import answers, send_chat, typed
from promptls.kit.configs import ConfigReader
from promptls.kit.paths import join, native, resolve, upwards
from promptls.kit.segments import elided, head, tail
from promptls.kit.tool_calls import shown, text_of
from promptls.kit.unread_files import name_above, name_nested, name_unread
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Segment, Session, Tool, Turn
    from promptls.harnesses.openhands.agents import Agent
    from promptls.harnesses.openhands.skills import Search
    from promptls.harnesses.openhands.versions import Facts


WHY_BASE = "OpenHands's own text is the first part of the message"
WHY_TIME = "the date and the time come before the files"
WHY_WARNING = "OpenHands tells the model that what follows is untrusted"
WHY_PLACE = "the working directory and the system come last"
WHY_PUBLIC = "OpenHands fetches public skills when it starts, and lists them; promptls does not read them"
WHY_PLAIN = "what the user types is sent unchanged"
WHY_TOOL = "reading a file adds no instructions"
SETTINGS = ConfigReader(
    "the model decides whether CLAUDE.md and GEMINI.md are sent, and OpenHands keeps its name here",
    parse=lambda text: parse_json(text, comments=False),
    reason="it is not valid JSON",
)
NOTE_MODEL = (
    "OpenHands sends {} only to a model of its family, or of none that it knows. The model is not known here; name it "
    "with --model."
)

OPTIONS = Options(
    prompt=("-t", "--task"),
    values=("-f", "--file"),
    switches=(
        *("--headless", "--json", "--exit-without-confirmation", "--always-approve", "--yolo", "--llm-approve"),
        "--override-with-envs",
    ),
    not_modelled=("--resume", "--last"),
)
# The tool whose definition has the working directory in it, the one that is there only with listed skills, and the one
# that names the agents.
EDITOR, INVOKE, TASK = "file_editor", "invoke_skill", "task"


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (section "Placement")."""
    writer = Writer(SPEC, session, host, OPTIONS, cwd=host.env.get("OPENHANDS_WORK_DIR"))
    draft, facts = writer.draft, row(ROWS, session.version)
    search = Search(draft, host, facts, writer.cwd)
    find_skills(search)
    model = _model(search, writer.command)
    skills, own_agents = _for_model(search, model), agents(search)
    name_others(search)
    base = elided("provider", SPEC.name, "base prompt", why=WHY_BASE, size=facts.base.get(_family(facts, model)))
    draft.add_message("system", [base], index=0)
    draft.add_message("system", _context(search, skills), index=0, block=1)
    if own_agents:
        draft.add_message("tools", definition(search, own_agents), index=0, block=2)
    sent: set[str] = set()
    send_chat(
        draft,
        index=1,
        prompt=lambda turn: _message(skills, turn, sent),
        answer=answers(SPEC.name, WHY_TOOL, lambda path: read_result(host, facts, path)),
        given=writer.command.last("prompt"),
    )
    return writer.prompt(model=model, tools=tuple(_tools(search, model, skills, own_agents)))


def _message(skills: list[Skill], turn: Turn, sent: set[str]) -> list[Iterable[Segment]]:
    """What is typed, then the texts that it brings (wire: triggered-prompt, triggered-two)."""
    return [[typed(SPEC.name, turn, WHY_PLAIN)], brought(skills, turn, sent)]


def _context(search: Search, skills: list[Skill]) -> Iterator[Segment]:
    """The part that differs from session to session (wire: root-only) [source: system_message_suffix.j2]."""
    always = [skill for skill in skills if not skill.is_listed]
    listed = [skill for skill in skills if skill.is_listed]
    yield elided("environment", SPEC.name, "date and time", why=WHY_TIME)
    if always:
        yield head("\n\n\n<REPO_CONTEXT>\n")
        yield elided("instructions", SPEC.name, "warning", why=WHY_WARNING, size=search.facts.warning)
        yield tail("\n\n\n")
        for skill in always:
            yield head(f"[BEGIN context from [{skill.name}]]\n", path=skill.path)
            yield Segment("instructions", skill.path, skill.text, skill.origin, skill.why)
            yield tail("\n[END Context]\n\n")
        yield tail("</REPO_CONTEXT>")
    if listed:
        yield tail("\n\n\n", "tools")
        yield from skill_list(search.facts, listed)
    if search.host.kind(join(search.host.home, ".openhands/cache/skills/public-skills")) == "directory":
        yield elided("tools", SPEC.name, "public skills", why=WHY_PUBLIC)
    yield elided("environment", SPEC.name, "place and system", why=WHY_PLACE)


def _model(search: Search, command: args.Arguments) -> str | None:
    """The model that is asked for, else that of the environment, if it counts, or of the settings [source]."""
    session, host = search.draft.session, search.host
    if session.model:
        return session.model
    if "--override-with-envs" in command.switches and host.env.get("LLM_MODEL"):
        return host.env["LLM_MODEL"]
    directory = host.env.get("OPENHANDS_PERSISTENCE_DIR") or join(host.home, ".openhands")
    path = join(resolve(search.cwd, directory), "agent_settings.json")
    document = SETTINGS.read(search.draft, host, path)
    return ((document.root or EMPTY).get("llm") or EMPTY).text("model") if document is not None else None


def _family(facts: Facts, model: str | None) -> str | None:
    lower = (model or "").lower()
    return next((each for each, words in facts.families.items() if any(word in lower for word in words)), None)


def _tools(search: Search, model: str | None, skills: list[Skill], own_agents: list[Agent]) -> Iterator[Tool]:
    """The tools (wire: skill-packages); what the editor says of images depends on the model (wire: model-gpt)."""
    has_skills = any(skill.is_listed for skill in skills)
    for tool in built_in(search.facts.tools):
        if tool.name == EDITOR:
            known = _family(search.facts, model) is None
            yield replace(tool, size=(tool.size or 0) + len(native(search.cwd)) if known else None)
        elif tool.name == TASK:
            yield replace(tool, size=(tool.size or 0) + sum(each.size for each in own_agents))
        elif tool.name != INVOKE or has_skills:
            yield tool


def _for_model(search: Search, model: str | None) -> list[Skill]:
    """The skills, without those that are for models of another family (wire: model-claude, model-gpt)."""
    facts, candidates = search.facts, search.draft.candidates
    family = _family(facts, model)
    kept: list[Skill] = []
    unsure: list[str] = []
    for skill in search.found.values():
        wanted = None if skill.is_listed else facts.families_of.get(skill.name.lower())
        if wanted is not None and family not in (None, wanted):
            at = next(at for at, each in enumerate(candidates) if each.path == skill.path and each.outcome == "loaded")
            why = f"OpenHands sends it to {wanted} models only, and {model} is a {family} model"
            candidates[at] = own(why).excluded(skill.path)
            continue
        kept.append(skill)
        if wanted is not None and model is None:
            unsure.append(skill.path)
    if unsure:
        search.draft.notes.append(NOTE_MODEL.format(" and ".join(unsure)))
    return kept


def read_result(host: Host, facts: Facts, path: str) -> list[list[Segment]] | None:
    """The numbered text of a file after a line of its own (wire: read-forms); None if it is cut in its middle."""
    text = text_of(host, path)
    if text is None or len(text := newlines(text)) > facts.read_characters:
        return None
    # What follows the last line end is a line, too.
    numbered = "\n".join(f"{number:6}\t{line}" for number, line in enumerate(text.split("\n"), 1))
    label = f"Here's the result of running `cat -n` on {native(path)}:\n"
    return [[head(label, "runtime"), shown(path, numbered), tail("\n", "runtime")]]


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "AGENTS.md or AGENT.md, CLAUDE.md, GEMINI.md and .cursorrules of the working directory, in any letter case",
        "Those of the git root that the working directory has not: one file of each kind, in the order of the disk",
        "CLAUDE.md and GEMINI.md only for models of their family, or of none that is known",
        "*.md below .agents/skills, .openhands/skills and .openhands/microagents of both, then of the home directory",
        "Of these, what has triggers only as a row of a list, and its text with a prompt that has one of them",
        "SKILL.md in a directory of its own: only as a row of the list",
        "*.md of .agents/agents and .openhands/agents, of the working directory and of home: a line in a tool",
    ),
)

# -- what looks as if OpenHands read it, and why it does not -----------------------------------------------------------

NAMES = ("AGENTS.md", "AGENT.md", "CLAUDE.md", "GEMINI.md", ".cursorrules")

WHY_BETWEEN = "OpenHands looks in the working directory and the git root, and not between them"
WHY_ABOVE = (
    "OpenHands does not look above the git root; outside of a repository, it looks in the working directory only"
)
WHY_NESTED = "reading a file adds no instructions; start OpenHands in that directory to load it"
WHY_OLD = "OpenHands does not read this file any more; put it into AGENTS.md"
WHY_HOME = "OpenHands has no such file for all folders; put it into ~/.openhands/skills"


def name_others(search: Search) -> None:
    """The files of these names elsewhere, and other names (wire: root-names, chain-cwd-shadows-root)."""
    draft, host, cwd, root = search.draft, search.host, search.cwd, search.roots[-1]
    between = [each for each in upwards(cwd, root) if each not in (cwd, root)]
    name_unread(draft, host, WHY_BETWEEN, [join(each, name) for each in between for name in NAMES])
    name_unread(draft, host, WHY_OLD, [join(each, ".openhands_instructions") for each in search.roots])
    copilot = [join(each, ".github/copilot-instructions.md") for each in search.roots]
    name_unread(draft, host, "OpenHands does not read this file; put it into AGENTS.md", copilot)
    homes = ("AGENTS.md", ".openhands/AGENTS.md", ".agents/AGENTS.md")
    name_unread(draft, host, WHY_HOME, [join(host.home, each) for each in homes])
    name_above(draft, host, WHY_ABOVE, root, NAMES)
    name_nested(draft, host, WHY_NESTED, cwd, NAMES)
