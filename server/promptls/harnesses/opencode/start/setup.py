"""How opencode was started: its command line, its place and its configuration, and why it may end at once."""

from __future__ import annotations

from promptls.core.model import Origin
from promptls.core.values import dataclass, replace
from promptls.harnesses.opencode.listing.agents import Agents
from promptls.harnesses.opencode.start.config import OpencodeConfig, read_config
from promptls.harnesses.opencode.start.variables import Flags, flags
from promptls.harnesses.opencode.versions import ROWS
from promptls.kit import args
from promptls.kit.candidates import argument, not_modelled
from promptls.kit.numbered_read import ReadTool
from promptls.kit.paths import git_root, resolve
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.host import Host
    from promptls.core.model import Session, Turn
    from promptls.harnesses.opencode.listing.agents import Agent
    from promptls.harnesses.opencode.start.permissions import Permissions
    from promptls.harnesses.opencode.versions import Facts
    from promptls.kit.draft import Draft

# The options of ``opencode run``: with a value that is taken, without one, and those that are named but not modelled.
VALUES = {
    **dict.fromkeys(("--model", "-m"), "model"),
    "--agent": "agent",
    **dict.fromkeys(("--file", "-f"), "file"),
    "--dir": "dir",
    "--command": "command",
    **dict.fromkeys(("--session", "-s"), "session"),
    **dict.fromkeys(("--attach", "--format", "--log-level", "--port", "--title", "--variant"), "other"),
    **dict.fromkeys(("--password", "-p", "--username", "-u"), "other"),
}
SWITCHES = ("--auto", "--interactive", "-i", "--print-logs", "--pure", "--share", "--thinking")
NOT_MODELLED = ("--continue", "-c", "--fork")


@dataclass(frozen=True, slots=True)
class Setup:
    """What a request depends on. ``repository`` is the worktree of git, None without one."""

    draft: Draft
    host: Host
    facts: Facts
    command: args.Arguments
    cwd: str
    repository: str | None
    flag: Flags
    config: OpencodeConfig
    agents: Agents
    # The one that is asked, once it is known.
    model: str | None = None

    @property
    def session(self) -> Session:
        """The session that is shown."""
        return self.draft.session

    @property
    def root(self) -> str:
        """Where searches upwards end."""
        return self.repository or "/"

    def permissions(self, agent: Agent) -> tuple[Permissions, ...]:
        """What is allowed to an agent: what is built in, what the configuration says, and what is said of the agent."""
        built_in = self.facts.agents.get(agent.name)
        below: Permissions = dict(built_in.permissions) if built_in is not None else {}
        return below, self.config.permissions, agent.permissions

    @property
    def read_tool(self) -> ReadTool:
        """The tool that reads files (8; parts: command-shell)."""
        facts = self.facts
        return ReadTool(
            "opencode",
            facts.read_lines,
            facts.read_line,
            facts.read_bytes,
            facts.read_binary,
            facts.read_refusal,
            takes_media_in_full=True,  # (wire: nested-read-picture)
        )

    @property
    def is_on_screen(self) -> bool:
        """Whether it is the interactive program itself, not ``opencode run``."""
        return self.session.interactive is True

    @property
    def is_run(self) -> bool:
        """Whether it is ``opencode run``: neither on the screen nor in an editor."""
        return not (self.is_on_screen or self.session.editor)

    @property
    def typed(self) -> str | None:
        """What the user types first."""
        return self.words(self.session.turns[0] if self.session.turns else None, self.command)

    def words(self, turn: Turn | None, command: args.Arguments) -> str | None:
        """What the user types, as ``opencode run`` joins its arguments; None if it is not known (surfaces, 1)."""
        prompt = turn.prompt if turn is not None else None
        if not self.is_run:
            return prompt
        name = command.last("command")
        word, _, rest = (prompt or "").partition(" ")
        if name is not None and word == f"/{name}":
            # The prompt says the whole of it (captured: command-skill).
            return rest
        words = command.rest[1:] if command.rest[:1] == ["run"] else command.rest
        words = [*words, *([prompt] if prompt is not None else [])]
        said = " ".join(quoted(word) for word in words) if words else None
        stdin = turn.stdin if turn is not None else None
        return said if said is None or stdin is None else f"{said}\n{stdin}"

    @property
    def attached(self) -> list[str]:
        """The files that the command line attaches."""
        return [resolve(self.cwd, file) for file in self.command.values.get("file", [])]


def quoted(word: str) -> str:
    """A prompt as ``opencode run`` sends it."""
    return '"{}"'.format(word.replace('"', '\\"')) if " " in word else word


def read_arguments(given: Iterable[str]) -> args.Arguments:
    """The options of a command line."""
    return args.read(given, values=VALUES, switches=(*SWITCHES, *NOT_MODELLED), greedy=("file",))


def read_setup(draft: Draft, host: Host) -> Setup:
    """Read the command line and the configuration; what promptls does not model is named."""
    session = draft.session
    command = read_arguments(session.args)
    cwd = host.realpath(resolve(session.cwd, command.last("dir") or "."))
    repository = git_root(host, cwd)
    flag = flags(host, cwd)
    config = read_config(draft, host, cwd, repository or "/", flag)
    _name_options(draft, command)
    facts = row(ROWS, session.version)
    agents = Agents(config.agents, facts.agents, config.default_agent)
    return Setup(draft, host, facts, command, cwd, repository, flag, config, agents)


def _name_options(draft: Draft, command: args.Arguments) -> None:
    """Options that promptls does not model, and those that opencode does not know."""
    named = [option for option in NOT_MODELLED if option in command.switches]
    named += ["--session"] if "session" in command.values else []
    for option in named:
        draft.candidates.append(not_modelled(option))
    for option in command.unknown:
        why = f"opencode does not know the option {option}"
        draft.candidates.append(argument(option, why))


def stops(setup: Setup, asked: str | None) -> tuple[str | None, Origin | None]:
    """Why opencode ends without sending anything, and what is to blame, if it does."""
    host, command, flag, config, agents = setup.host, setup.command, setup.flag, setup.config, setup.agents
    if command.unknown:
        option = command.unknown[0]
        return f"opencode ends, because it does not know the option {option}. Remove it.", Origin("argument")
    directory = resolve(setup.session.cwd, command.last("dir") or ".")
    if host.kind(directory) != "directory":
        return f"opencode ends, because there is no directory {directory}. Fix --dir.", Origin("argument")
    if flag.fatal:
        says = f"opencode ends, because {flag.fatal} is neither true nor false. Set it to 1 or unset it."
        return says, Origin("argument", name=flag.fatal)
    if config.stopped:
        return config.stopped, config.stopped_by
    # The default agent has to be there where none is asked for that can begin (wire: default-agent-not-needed).
    is_needed = asked is None or bool(agents.why_not(asked))
    default = config.default_agent
    if is_needed and default is not None and ((why := agents.why_not(default)) or agents.is_hidden(default)):
        says = f"opencode ends, because its default_agent {default} {why or 'is hidden'}. Name another one."
        origin = config.default_agent_origin
        return says, replace(origin, name="default_agent") if origin else None
    if is_needed and agents.first() is None:
        return "opencode ends, because no agent is left that a session can begin with. Enable one.", None
    for path in setup.attached:
        if host.kind(path) is None:
            return f"opencode ends, because there is no file {path} to attach. Fix --file.", Origin("argument")
    return None, None
