"""Mistral Vibe: one system message, with the instruction files of what the user trusts near its end.

Sections named here are those of the harness specification for Mistral Vibe; [source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.formats.tree import EMPTY
from promptls.core.model import Origin
from promptls.harnesses.mistral_vibe.files import AGENTS, Search, at_start, on_read
from promptls.harnesses.mistral_vibe.skills import listed
from promptls.harnesses.mistral_vibe.spec import SPEC
from promptls.harnesses.mistral_vibe.trust import UNKNOWN, WHY_CONFIG, read_toml, read_trust
from promptls.harnesses.mistral_vibe.versions import ROWS
from promptls.kit.args import Options
from promptls.kit.base import built_in, described
from promptls.kit.candidates import Rule, not_modelled
from promptls.kit.paths import home_or, join, parent, resolve, upwards
from promptls.kit.segments import tail
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Segment, Session

CONTEXT = "include_project_context"
WHY_BASE = "Mistral Vibe's own text comes first"
WHY_ENVIRONMENT = "the working directory, the branch and the last commits come before the instructions"
WHY_WORDS = "Mistral Vibe's own sentences around the instructions"
WHY_GROUPS = "the groups of its tools come before the skills"
WHY_REST = "the skills and plugins that Mistral Vibe brings come last"
WHY_PROMPT = "what the user types is sent unchanged"
WHY_OFF = f"{CONTEXT} is off, and then Mistral Vibe sends no {AGENTS} at start"

RESUMED = ("--continue", "-c", "--resume", "--worktree")
OPTIONS = Options(
    cwd=("--workdir",),
    agent=("--agent",),
    prompt=("-p", "--prompt"),
    values=(
        *("--prompt-file", "--add-dir", "--enabled-tools", "--disabled-tools"),
        *("--output", "--output-dir", "--max-turns", "--max-price", "--max-tokens", "--time-limit"),
    ),
    switches=("--trust", "--auto-approve", "--yolo", "--smart-approve", "--setup", "--check-upgrade", *RESUMED),
    not_modelled=RESUMED,
)
HEADLESS = {"prompt", "--prompt-file"}
OTHER_TOOLS = {"agent", "--enabled-tools", "--disabled-tools"}


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (section "Placement")."""
    writer = Writer(SPEC, session, host, OPTIONS, cwd=host.env.get("VIBE_CWD"))
    draft, facts, command, cwd = writer.draft, row(ROWS, session.version), writer.command, writer.cwd
    named = host.env.get("VIBE_HOME")
    home = host.realpath(home_or(host.home, named) or resolve(cwd, named)) if named else join(host.home, ".vibe")
    is_given, is_headless = "--trust" in command.switches, not command.values.keys().isdisjoint(HEADLESS)
    trust = read_trust(draft, host, home, cwd, is_given=is_given, is_headless=is_headless)
    added = [host.realpath(resolve(cwd, each)) for each in command.values.get("--add-dir", ())]
    search = Search(writer, facts, home, trust, list(dict.fromkeys(added)))
    off = _switched_off(search)
    instructions: list[Segment] = []
    if off is None:
        instructions = at_start(search)
    else:
        _name_switched_off(search, off)
    agent = session.agent or command.last("agent")
    segments = [writer.own("base prompt", why=WHY_BASE, size=None if agent else facts.base)]
    if off is None:
        segments.append(tail("\n\n", "environment"))
        segments.append(writer.own("project", why=WHY_ENVIRONMENT, layer="environment"))
    if instructions:
        before, after = (
            writer.own(title, why=WHY_WORDS, size=size, layer="instructions")
            for title, size in (("introduction", facts.before), ("closing remark", facts.after))
        )
        segments += [tail("\n\n"), before, tail("\n\n"), *instructions, tail("\n\n"), after]
    segments.append(writer.own("groups of tools", why=WHY_GROUPS, layer="tools"))
    segments += listed(search)
    writer.system(*segments, writer.own("skills and plugins that it brings", why=WHY_REST, layer="tools"))
    writer.chat(index=1, why=WHY_PROMPT, answer=lambda call: [on_read(search, call)])
    if agent is not None:
        draft.candidates.append(not_modelled(f"agent {agent}"))
    is_other = agent is not None or OTHER_TOOLS & command.values.keys()
    return writer.prompt(tools=None if is_other else built_in(facts.tools))


def _switched_off(search: Search) -> Origin | None:
    """What switches the project's part off: the environment, else the project's settings, else the user's.

    (wire: context-on-env, context-off-project, context-off-user)
    """
    found: Origin | None = None
    for path in _settings(search):
        document = read_toml(search.writer.draft, search.writer.host, path, WHY_CONFIG, UNKNOWN)
        value = (document.root or EMPTY).get(CONTEXT) if document is not None else None
        if document is not None and value is not None and value.kind in ("true", "false"):
            is_off = value.kind == "false"
            found = Origin("config", path=path, range=document.range(value), name=CONTEXT) if is_off else None
    variable = f"VIBE_{CONTEXT.upper()}"
    said = search.writer.host.env.get(variable, "").lower()
    if said in ("1", "true", "yes", "on", "t", "y"):
        return None
    return Origin("argument", name=variable) if said in ("0", "false", "no", "off", "f", "n") else found


def _settings(search: Search) -> Iterator[str]:
    """The user's settings; then the nearest of a project, if its folder is trusted."""
    yield join(search.home, "config.toml")
    stop = parent(search.home)
    for directory in upwards(search.writer.cwd):
        if directory == stop:
            return
        path = join(directory, ".vibe", "config.toml")
        if search.writer.host.kind(path) == "file":
            if search.trust.root(parent(path)) is not None:
                yield path
            return


def _name_switched_off(search: Search, off: Origin) -> None:
    """The files that would be sent without the setting."""
    paths = [join(search.home, AGENTS)]
    for root in search.roots:
        paths += [join(each, AGENTS) for each in reversed([*upwards(root, search.trust.root(root) or root)])]
    rule = Rule(WHY_OFF, off)
    search.writer.draft.candidates += [rule.disabled(each) for each in paths if search.writer.host.kind(each) == "file"]


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "AGENTS.md of ~/.vibe (VIBE_HOME)",
        "AGENTS.md of each directory from the trusted folder to the working directory; of no other folder",
        "AGENTS.md of each directory that --add-dir names",
        "On read: those between the file and the working directory, in the place of the file's text",
        "Name and description of each skill of .vibe/skills and .agents/skills, of the trusted folder and of the user",
        "Placeholders for its own text, the state of the project, and the skills and plugins that it brings",
    ),
)
