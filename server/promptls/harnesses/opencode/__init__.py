"""opencode 1.18.33: one system message. Sections named here are those of the harness specification for opencode."""

from __future__ import annotations

from promptls.core.model import START, Elided, Origin, Segment
from promptls.core.secrets import masked
from promptls.core.values import replace
from promptls.harnesses.base import Harness, date_string
from promptls.harnesses.candidates import NOTHING, Rule, argument, own
from promptls.harnesses.draft import Draft, look_for_text
from promptls.harnesses.frames import elided, head, tail, url_segments
from promptls.harnesses.opencode.agents import Agent, offers_skills
from promptls.harnesses.opencode.config import OpencodeConfig, read_config
from promptls.harnesses.opencode.flags import Flags, flags
from promptls.harnesses.opencode.read import Nested, attached_file, read_result
from promptls.harnesses.opencode.spec import SPEC
from promptls.harnesses.opencode.versions import ROWS
from promptls.harnesses.shared import args
from promptls.harnesses.shared.globs import is_magic, match
from promptls.harnesses.shared.paths import git_root, is_absolute, is_url, join, name, native, parent, resolve, upwards
from promptls.harnesses.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Role, Session
    from promptls.harnesses.opencode.versions import Facts

AGENTS, CLAUDE, CONTEXT = "AGENTS.md", "CLAUDE.md", "CONTEXT.md"

# Of a longer entry only the beginning stands in a sentence.
LONG_ENTRY = 80

KIMI_PROVIDERS = ("kimi-for-coding", "moonshotai", "moonshotai-cn")

# Built-in agents: those with a prompt of their own, those that only another agent can start.
OWN_PROMPT = ("explore", "title", "compaction", "summary")
SUBAGENTS = ("general", "explore")
WITHOUT_SKILLS = ("title", "compaction", "summary")
PRIMARIES = ("build", "plan")

PACKAGES = {"anthropic": "@ai-sdk/anthropic", "openai": "@ai-sdk/openai", "google": "@ai-sdk/google"}

WHY_GLOBAL = (
    "opencode takes the first global file that exists: AGENTS.md of its configuration, then ~/.claude/CLAUDE.md"
)
WHY_ENVIRONMENT = "opencode describes the environment after the agent prompt or provider template"


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of ``opencode run`` for a session."""
    draft = Draft(session)
    facts = row(ROWS, session.version)
    command = args.read(session.args, values=VALUES, switches=(*SWITCHES, *NOT_MODELLED), greedy=("file",))
    cwd = host.realpath(resolve(session.cwd, command.last("dir") or "."))
    repository = git_root(host, cwd)
    root = repository or "/"
    flag = flags(host, cwd)
    config = read_config(draft, host, cwd, root, flag)
    agent = _agent(draft, config, session.agent or command.last("agent"))
    model = session.model or command.last("model") or agent.model or config.model or config.first_model
    _name_options(draft, command)

    messages = [*_base(facts, config, agent, model), *_environment(host, cwd, repository, config, model)]
    sent: dict[str, None] = {}
    for segments in _instructions(draft, host, cwd, root, flag, config, sent):
        messages += [tail("\n"), *segments]
    if offers_skills(config.permissions, agent.permissions) and agent.name not in WITHOUT_SKILLS:
        why = f"opencode ends with the list of skills; with the built-in one alone it has {facts.skills} characters"
        messages += [tail("\n", "tools"), elided("tools", "opencode", "list of skills", why=why)]
    package = _package(config, model)
    draft.add_message(_system_role(package, model), messages, index=0, cached=package == "@ai-sdk/anthropic")
    attached = [resolve(cwd, file) for file in command.values.get("file", [])]
    _attachments(draft, host, cwd, flag, agent, sent, attached)
    stopped, by = _stops(host, session, command, config, flag, attached)
    return draft.prompt(model=model, agent=agent.name, verified=True, stopped=stopped, stopped_by=by)


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


def _name_options(draft: Draft, command: args.Arguments) -> None:
    """Options that promptls does not model, and those that opencode does not know."""
    named = [option for option in NOT_MODELLED if option in command.switches]
    named += [f"--{name_}" for name_ in ("command", "session") if name_ in command.values]
    for option in named:
        why = f"promptls does not model the option {option}; the prompt is shown as without it"
        draft.candidates.append(argument(option, why))
    for option in command.unknown:
        why = f"opencode does not know the option {option}"
        draft.candidates.append(argument(option, why))


def _stops(  # noqa: PLR0917 - everything that can stop it
    host: Host, session: Session, command: args.Arguments, config: OpencodeConfig, flag: Flags, attached: list[str]
) -> tuple[str | None, Origin | None]:
    """Why opencode ends without sending anything, and what is to blame, if it does."""
    if command.unknown:
        option = command.unknown[0]
        return f"opencode ends, because it does not know the option {option}. Remove it.", Origin("argument")
    directory = resolve(session.cwd, command.last("dir") or ".")
    if host.kind(directory) != "directory":
        return f"opencode ends, because there is no directory {directory}. Correct --dir.", Origin("argument")
    if flag.fatal:
        says = f"opencode ends, because {flag.fatal} is neither true nor false. Set it to 1 or unset it."
        return says, Origin("argument", name=flag.fatal)
    if config.stopped:
        return config.stopped, config.stopped_by
    default = config.default_agent
    if default is not None and ((why := _why_not(config, default)) or _is_hidden(config, default)):
        says = f"opencode ends, because its default_agent {default} {why or 'is hidden'}. Name another one."
        origin = config.default_agent_origin
        return says, replace(origin, name="default_agent") if origin else None
    for path in attached:
        if host.kind(path) is None:
            return f"opencode ends, because there is no file {path} to attach. Correct --file.", Origin("argument")
    return None, None


# -- agent, model, provider ------------------------------------------------------------------------------------


def _agent(draft: Draft, config: OpencodeConfig, asked: str | None) -> Agent:
    """The agent that is used: the one asked for if it can be, else the default one."""
    default = config.default_agent or next((p for p in PRIMARIES if not _is_disabled(config, p)), PRIMARIES[0])
    if asked is not None and asked != default:
        why = _why_not(config, asked)
        if why is None:
            return config.agents.get(asked, Agent(asked))
        says = f"agent {asked} {why}, so opencode falls back to {default}"
        draft.candidates.append(argument(asked, says, use="prompt"))
        draft.notes.append(f"The agent {asked} {why}; opencode falls back to {default}.")
    return config.agents.get(default, Agent(default))


def _is_hidden(config: OpencodeConfig, agent: str) -> bool:
    return agent in WITHOUT_SKILLS or (agent in config.agents and config.agents[agent].is_hidden)


def _is_disabled(config: OpencodeConfig, agent: str) -> bool:
    return agent in config.agents and config.agents[agent].is_disabled


def _why_not(config: OpencodeConfig, asked: str) -> str | None:
    configured = config.agents.get(asked)
    if configured is None and asked not in (*PRIMARIES, *OWN_PROMPT, *SUBAGENTS):
        return "is not known"
    if configured is not None and configured.is_disabled:
        return "is disabled"
    mode = (configured.mode if configured else None) or ("subagent" if asked in SUBAGENTS else None)
    return "is a subagent" if mode == "subagent" else None


def provider_template(model: str) -> str:
    """The template's name for ``provider/model``: the first test that holds (section 7)."""
    provider, _, own = model.partition("/")
    if "muse" in own:
        return "meta.txt"
    if any(part in own for part in ("gpt-4", "o1", "o3")):
        return "beast.txt"
    if "gpt" in own:
        return "gpt-astra.txt" if "gpt-6" in own else "codex.txt" if "codex" in own else "gpt.txt"
    if "gemini-" in own:
        return "gemini.txt"
    if "claude" in own:
        return "anthropic.txt"
    if "trinity" in own.lower():
        return "trinity.txt"
    return "kimi.txt" if "kimi" in own.lower() or provider in KIMI_PROVIDERS else "default.txt"


def _own_id(config: OpencodeConfig, model: str) -> str:
    """``provider/model`` with the model's own id instead of its key in the configuration."""
    provider, _, key = model.partition("/")
    return f"{provider}/{config.model_ids.get((provider, key), key)}"


def _package(config: OpencodeConfig, model: str | None) -> str:
    provider = (model or "").partition("/")[0]
    return config.packages.get(provider) or PACKAGES.get(provider, "@ai-sdk/openai-compatible")


def _system_role(package: str, model: str | None) -> Role:
    """``developer`` for reasoning models of the Responses API (section 1.5; seen for gpt-5)."""
    own = (model or "").rpartition("/")[2]
    reasons = own.startswith(("o1", "o3", "o4", "codex-", "gpt-5", "gpt-6")) and not own.startswith("gpt-5-chat")
    return "developer" if package == "@ai-sdk/openai" and reasons else "system"


# -- the system message, part by part (section 1) --------------------------------------------------------------


def _base(facts: Facts, config: OpencodeConfig, agent: Agent, model: str | None) -> Iterator[Segment]:
    """The agent's own prompt if it has one, else the provider template."""
    if agent.prompt:
        origin = agent.prompt_origin or Origin("computed")
        why = "the agent has a prompt of its own"
        yield Segment("provider", f"prompt of agent {agent.name}", agent.prompt, origin, why)
    elif agent.prompt is None and agent.name in OWN_PROMPT:
        title = f"prompt of agent {agent.name}"
        yield elided("provider", "opencode", title, why="a built-in agent with its own prompt")
    elif model is None:
        why = (
            "the agent has no prompt, and the template is chosen by the model, which is not known: name it with --model"
        )
        yield elided("provider", "opencode", "provider template", why=why)
    else:
        own = _own_id(config, model)
        template = provider_template(own)
        why = f"the agent has no prompt, and the model id {own.partition('/')[2]!r} selects {template}"
        size = facts.templates.get(template)
        yield elided("provider", "opencode", f"provider template {template}", why=why, size=size)
    yield tail("\n", "environment")


def _environment(
    host: Host, cwd: str, repository: str | None, config: OpencodeConfig, model: str | None
) -> list[Segment]:
    """The environment block, exactly (section 6), and the references behind it."""
    lines = (
        "Here is some useful information about the environment you are running in:",
        "<env>",
        f"  Working directory: {native(cwd)}",
        f"  Workspace root folder: {native(repository or '/')}",
        f"  Is directory a git repo: {'yes' if repository else 'no'}",
        f"  Platform: {host.platform}",
        f"  Today's date: {date_string(host)}",
        "</env>",
    )
    rest = [Segment("environment", "environment", "\n".join(lines), Origin("computed"), WHY_ENVIRONMENT)]
    if config.has_references:
        why = "the configuration has references with a description"
        rest += [tail("\n", "environment"), elided("environment", "opencode", "list of references", why=why)]
    if model is None:
        says = "⟪the line that names the model: it is not known here, name it with --model⟫"
        unknown = Elided("model line")
        return [
            Segment("environment", "model", says, Origin("computed"), WHY_ENVIRONMENT, elided=unknown),
            tail("\n", "environment"),
            *rest,
        ]
    own = _own_id(config, model)
    says = f"You are powered by the model named {own.partition('/')[2]}. The exact model ID is {own}\n"
    return [Segment("environment", "model", says, Origin("computed"), WHY_ENVIRONMENT), *rest]


def _instructions(  # noqa: PLR0917 - the places, in the order of the search
    draft: Draft, host: Host, cwd: str, root: str, flag: Flags, config: OpencodeConfig, sent: dict[str, None]
) -> Iterator[list[Segment]]:
    """Global file, project files, configured files, URLs (section 5). Fills ``sent`` with the files' paths."""
    urls: list[tuple[str, Origin]] = []
    places = [*_global_file(draft, host, flag), *_project_files(draft, host, cwd, root, flag)]
    for entry in config.instructions or ():
        if is_url(entry.text):
            urls.append((entry.text, entry.origin))
        else:
            places += _configured(draft, host, cwd, root, flag, entry.text, entry.origin)
    for path, why, origin in places:
        if path in sent:
            reason = "it is there already, and the first place counts"
            draft.candidates.append(Rule(why, origin).duplicate(path, reason, of=path))
            continue
        sent[path] = None
        found = look_for_text(host, path, why=why, origin=origin, keep_bom=False)
        draft.candidates.append(found.candidate)
        if found.text:
            block = Segment("instructions", path, found.text, found.origin, why, cut=found.cut)
            yield [head(f"Instructions from: {native(path)}\n", path=path), block]
    why = "an entry of instructions names this URL; URLs follow all files"
    timeouts = row(ROWS, draft.session.version).url
    for (_, origin), fetched in zip(urls, host.urls([url for url, _ in urls], timeouts), strict=True):
        draft.candidates.append(Rule(why, origin).answered(fetched))
        if segments := url_segments(fetched, f"Instructions from: {fetched.url}\n", why=why):
            yield segments


def _names(flag: Flags) -> tuple[str, ...]:
    return (AGENTS, CONTEXT) if flag.no_claude else (AGENTS, CLAUDE, CONTEXT)


def _global_file(draft: Draft, host: Host, flag: Flags) -> Iterator[tuple[str, str, Origin]]:
    """The first that exists (section 3)."""
    rule = own(WHY_GLOBAL)
    claude = join(flag.home, ".claude", CLAUDE)
    first: str | None = None
    for path in (join(flag.directory, AGENTS), claude):
        exists = host.kind(path) is not None
        if path == claude and flag.no_claude:
            if exists:
                why = "an environment variable switches Claude Code's files off"
                draft.candidates.append(replace(rule, why=why).disabled(path))
        elif not exists:
            draft.candidates.append(rule.missing(path))
        elif first is None:
            first = path
            yield path, WHY_GLOBAL, rule.origin
        else:
            draft.candidates.append(rule.shadowed(path, f"{first} comes first", by=first))


def _project_files(draft: Draft, host: Host, cwd: str, root: str, flag: Flags) -> Iterator[tuple[str, str, Origin]]:
    """All files of the first name that has any, in cwd and above up to the worktree (section 2)."""
    first: str | None = None
    for file in (AGENTS, CLAUDE, CONTEXT):
        for directory in upwards(cwd, root):
            path = join(directory, file)
            why = f"opencode takes every {file} from the working directory up to the worktree root, nearest first"
            rule = own(why)
            exists = host.kind(path) is not None
            if flag.no_project_config or (file == CLAUDE and flag.no_claude):
                if exists:
                    off = replace(rule, why="an environment variable switches it off")
                    draft.candidates.append(off.disabled(path))
            elif first is not None and name(first) != file:
                if exists:
                    says = f"{name(first)} exists from here to the worktree root, and hides every {file}"
                    draft.candidates.append(replace(rule, why=says).shadowed(path, by=first))
            elif exists:
                first = first or path
                yield path, why, rule.origin
            else:
                draft.candidates.append(rule.missing(path))


def _configured(  # noqa: PLR0917 - an entry and where it is looked for
    draft: Draft, host: Host, cwd: str, root: str, flag: Flags, entry: str, origin: Origin
) -> list[tuple[str, str, Origin]]:
    """The files that an entry of ``instructions`` names (section 4.3 to 4.6)."""
    pattern = join(flag.home, entry[2:]) if entry.startswith("~/") else entry
    if is_absolute(pattern, cwd):
        pattern = join(cwd, pattern)
        bases, pattern, dot = [parent(pattern)], name(pattern), False
        why = "an entry of instructions names it; only the last part of an absolute path may be a pattern"
    elif flag.no_project_config:
        bases, dot = [flag.directory], True
        why = "an entry of instructions names it, relative to the configuration directory"
    else:
        bases, dot = list(upwards(cwd, root)), True
        why = "an entry of instructions names it, relative to the working directory and each directory above"
    found = [match(host, pattern, base, dot=dot, steps=draft.steps) for base in bases] if pattern else []
    is_cut = any(matches.is_cut for matches in found)
    if is_cut:
        draft.notes.append(f"The pattern {_short(entry)} is not followed to its end: it means too much to look at.")
    paths = [path for matches in found for path in matches.paths]
    if not paths:
        where = resolve(bases[0], pattern)
        rule = Rule(why, origin)
        if is_cut:
            reason = "promptls gave up on the pattern, which means too much to look at"
            draft.candidates.append(rule.failed(where, reason, state="given-up"))
        elif is_magic(entry):
            draft.candidates.append(rule.missing(where, state="no-match"))
        else:
            state = host.read(where).state
            draft.candidates.append(rule.candidate("missing" if state in NOTHING else "failed", where, state=state))
    return [(path, why, origin) for path in paths]


def _short(entry: str) -> str:
    entry = masked(entry)  # what is cut may look like no secret any more
    return entry if len(entry) <= LONG_ENTRY else f"{entry[:LONG_ENTRY]}…"


# -- what reading a file brings (section 8) --------------------------------------------------------------------


def _attachments(  # noqa: PLR0917 - the session so far
    draft: Draft, host: Host, cwd: str, flag: Flags, agent: Agent, sent: dict[str, None], attached: list[str]
) -> None:
    """Files attached on the command line come with the user's message, files read with the tool's result."""
    facts = row(ROWS, draft.session.version)
    nested = Nested(draft, host, cwd, _names(flag), set(sent))
    block = 0
    for path in attached:
        for segments in attached_file(facts, host, path, nested.reminder(path, START)):
            draft.add_message("user", segments, index=1, block=block)
            block += 1
    if agent.name == "plan":
        # Behind what the user typed, which is not known here.
        why, size = "the agent plan adds it", facts.plan_reminder
        reminder = elided("runtime", "opencode", "reminder of plan mode", why=why, size=size)
        draft.add_message("user", [reminder], index=1, block=block + 1)
    for index, path in enumerate(draft.session.reads, 2):
        at = f"read:{path}"
        draft.add_message("tool", read_result(facts, host, path, nested.reminder(path, at)), index=index, at=at)


HARNESS = Harness(
    name=SPEC.name,
    title=SPEC.title,
    versions=tuple(each.version for each in ROWS),
    evidence=SPEC.evidence,
    spec=SPEC,
    command="opencode",
    package="opencode-ai",
    preview=preview,
    loads=(
        "The agent's own prompt, else a provider template chosen by the model id",
        "The environment block",
        "The first of AGENTS.md in ~/.config/opencode and ~/.claude/CLAUDE.md",
        "Every AGENTS.md from the working directory up to the worktree root, nearest first",
        "Without any AGENTS.md there, every CLAUDE.md; without any of both, every CONTEXT.md",
        "Files named by instructions in opencode.json, then its URLs (5 s to the headers)",
        "On read: the first of AGENTS.md, CLAUDE.md and CONTEXT.md in each directory from the file's up to below cwd",
    ),
)
