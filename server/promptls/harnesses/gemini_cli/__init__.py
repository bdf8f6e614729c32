"""Gemini CLI: context files in three tiers. Sections named here are those of its specification.

What says "source" was read in the public program and not seen on the wire. Tier 1 (global files, private index)
goes into the system instruction, tier 2 (extensions, project) into the first user message, tier 3 (what a tool
comes near) to the tool's result.
"""

from __future__ import annotations

from promptls.core.later import no_mode
from promptls.core.model import Origin
from promptls.core.values import replace
from promptls.harnesses.gemini_cli.files.loaded import load
from promptls.harnesses.gemini_cli.files.places import Search, boundary_markers, file_names, workspace_directories
from promptls.harnesses.gemini_cli.listing.inventory import MODES, read_inventory, tools
from promptls.harnesses.gemini_cli.listing.servers import OPTION
from promptls.harnesses.gemini_cli.settings import home_of, read_settings
from promptls.harnesses.gemini_cli.spec import SPEC
from promptls.harnesses.gemini_cli.system import base, system
from promptls.harnesses.gemini_cli.turns.conversation import Conversation
from promptls.harnesses.gemini_cli.versions import NEWEST, ROWS
from promptls.kit import args
from promptls.kit.base import described
from promptls.kit.candidates import argument, not_modelled, own
from promptls.kit.configs import Setting
from promptls.kit.draft import Draft
from promptls.kit.paths import join, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Prompt, Session, Turn
    from promptls.kit.args import Arguments
    from promptls.kit.configs import Settings

VALUES = {
    "--model": "model",
    "-m": "model",
    "--include-directories": "directories",
    "--extensions": "extensions",
    "-e": "extensions",
    OPTION: "servers",
    "--prompt": "prompt",
    "-p": "prompt",
    "--prompt-interactive": "prompt",
    "-i": "prompt",
    # These change nothing that is shown here.
    "--approval-mode": "approval",
    "--output-format": "ignored",
    "-o": "ignored",
    "--policy": "ignored",
    "--allowed-tools": "allowed",
    "--session-id": "ignored",
}
NOT_TRUSTED = (
    "gemini-cli does not trust this folder: it ends, or asks first when it runs interactively. Trust the folder there, "
    "or start it with --skip-trust or GEMINI_CLI_TRUST_WORKSPACE=true."
)
# What is typed to choose the mode of planning.
PLAN = "/plan"
MODES_WITHOUT_PLAN = tuple(each for each in MODES if each != "plan")
SWITCHES = ("--skip-trust", "--yolo", "-y", "--debug", "-d", "--screen-reader")


def preview(session: Session, host: Host) -> Prompt:
    """The last request of Gemini CLI for a session."""
    cwd, typed = host.realpath(session.cwd), session.turns
    session = _with_typed_mode(session, host, cwd)
    draft = Draft(session)
    command = args.read(session.args, values=VALUES, switches=SWITCHES)
    settings, trusted = read_settings(draft, host, cwd, skip_trust="--skip-trust" in command.switches)
    search = Search(draft, host, settings, cwd, file_names(settings), boundary_markers(settings))
    if not trusted:
        draft.stop(NOT_TRUSTED, None)
    draft.notes += no_mode(session, SPEC, "default")
    model = session.model or command.last("model") or host.env.get("GEMINI_MODEL") or settings.text("model.name")
    servers = _listed(command, "servers") if "servers" in command.values else None
    inventory = read_inventory(
        search,
        _listed(command, "extensions"),
        model,
        mode=_mode(session, command, settings),
        chosen_servers=servers,
        allowed=frozenset(_listed(command, "allowed")),
    )
    own, missing = base(search, inventory)
    roots = workspace_directories(search, list(_included(settings, host, command)))
    loaded = load(search, roots, inventory.extensions)
    if missing:
        draft.stop(missing, Origin("argument", name="GEMINI_SYSTEM_MD"))
    draft.add_message("system", system(search, inventory.facts, own, loaded), index=0)
    offered = Conversation(search, inventory, roots, loaded, command).send()
    draft.candidates += _left_out(session, host, cwd, command)
    offered = tools(search, inventory) if offered is None else offered
    draft.session = replace(session, turns=typed)
    return draft.prompt(model=model, tools=offered)


def _with_typed_mode(session: Session, host: Host, cwd: str) -> Session:
    """The session in the mode that ``/plan`` chooses, with what is typed behind it as the prompt (seen by verify).

    In an editor it is a text; a command of that name in a file takes its place.
    """
    places = (join(directory, ".gemini", "commands", "plan.toml") for directory in (cwd, home_of(host)))
    if session.editor or any(host.kind(each) is not None for each in places):
        return session
    turns: list[Turn] = []
    for turn in session.turns:
        word, _, behind = (turn.prompt or "").strip().partition(" ")
        if word == PLAN:
            session = replace(session, mode="plan")
            alone = None if session.interactive else turn.prompt
            turn = replace(turn, prompt=behind.strip() or alone)  # noqa: PLW2901 - the same turn
        turns.append(turn)
    return replace(session, turns=tuple(turns))


def _mode(session: Session, command: Arguments, settings: Settings) -> str:
    """The mode of approval: what was chosen in the program counts above its command line (later, C).

    The settings' counts last, and plan mode may be off in them (seen by verify).
    """
    usual = settings.text("general.defaultApprovalMode")
    asked = session.mode or command.last("approval") or ("default" if usual in (None, "yolo") else usual)
    is_yolo = session.mode is None and not {"--yolo", "-y"}.isdisjoint(command.switches)
    modes = MODES if settings.is_true("general.plan.enabled", default=True) else MODES_WITHOUT_PLAN
    return "yolo" if is_yolo else asked if asked in modes else "default"


def _listed(command: Arguments, option: str) -> list[str]:
    """The values of an option that may be given several times and holds a list each time."""
    return [each.strip() for value in command.values.get(option, ()) for each in value.split(",") if each.strip()]


def _included(settings: Settings, host: Host, command: Arguments) -> Iterator[Setting]:
    """Workspace directories besides cwd: settings, then arguments, then an editor's folders."""
    yield from settings.all_strings("context.includeDirectories")
    for each in _listed(command, "directories"):
        yield Setting(each, Origin("argument", name=f"--include-directories {each}"))
    for each in host.env.get("GEMINI_CLI_IDE_WORKSPACE_PATH", "").split(host.list_separator):
        if each.strip():
            yield Setting(each, Origin("argument", name="GEMINI_CLI_IDE_WORKSPACE_PATH"))


# -- what is not modelled --------------------------------------------------------------------------------------


def _left_out(session: Session, host: Host, cwd: str, command: Arguments) -> Iterator[Candidate]:
    for option in command.unknown:
        yield not_modelled(option)
    if session.agent is not None:
        yield argument("--agent", "gemini-cli is started without an agent")
    if session.hints:
        yield argument("--hint", "gemini-cli has no hints")
    home = home_of(host)
    for directory in [*upwards(cwd), home]:
        for path in (join(directory, ".gemini", ".env"), join(directory, ".env")):
            if host.kind(path) is not None:
                why = "gemini-cli sets environment variables from it, which promptls does not model"
                yield own(why, use="config").excluded(path)
                return


HARNESS = described(
    SPEC,
    ROWS,
    words={"model": tuple(filter(None, NEWEST.aliases)), "agent": tuple(NEWEST.built_in_agents)},
    preview=preview,
    loads=(
        "The core system prompt, or the file in GEMINI_SYSTEM_MD",
        "In it: the sub-agents in ~/.gemini/agents and of extensions; those of the project once the user has agreed",
        "Name and description of each SKILL.md in skills/ of .gemini and .agents, at home and in the working directory",
        "GEMINI.md and the names of context.fileName in ~/.gemini, and the private memory index of the project",
        f"In the first user message: the names of up to {NEWEST.tree_items} files of each workspace directory",
        "Context files of extensions",
        "Every GEMINI.md and context.fileName from each workspace directory up to the git root, sorted by path",
        f"Imports (@path) in all of them, {NEWEST.import_depth} levels deep",
        "What MCP servers of settings.json and of extensions say of themselves, as placeholders",
        "What the user types: the text of a command in .gemini/commands, or the files that are mentioned with @",
        "What hooks of settings.json say, as placeholders",
        "On read: those from the file's directory up to the git root that are not loaded yet",
        "With the prompt: what is piped to the program",
    ),
)
