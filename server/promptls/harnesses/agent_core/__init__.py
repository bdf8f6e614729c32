"""agent-core: the rules of an environment and the prompt of an agent in one system message.

Sections named here are those of the harness specification for agent-core. Two versions: ``design`` is the documented
design with what it plans ([n] is a section of that document); ``344500a`` is the public program as it runs.
"""

from __future__ import annotations

import os
from datetime import UTC
from functools import lru_cache

from promptls.core.formats.tree import EMPTY
from promptls.core.model import COMPUTED, Elided, Origin, Segment
from promptls.core.values import replace
from promptls.harnesses.agent_core.agents import Agent, designed_agent, plain_agent, read_prompts
from promptls.harnesses.agent_core.environment import (
    ENVIRONMENT_CONFIG,
    WHY_ENVIRONMENT,
    AgentCoreConfig,
    Environment,
    find_design_environment,
    find_environment,
    read_config,
)
from promptls.harnesses.agent_core.spec import SPEC
from promptls.harnesses.agent_core.versions import PUBLIC, ROWS
from promptls.kit import args
from promptls.kit.base import described
from promptls.kit.candidates import Rule, not_modelled
from promptls.kit.draft import Draft, look_for_text
from promptls.kit.paths import is_url, join, native, resolve
from promptls.kit.segments import elided, head, tail, url_segments
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session

RULES = "rules.md"
PROMPTS = "prompts"
DEFAULT_AGENT = "system"

WHY_RULES = "agent-core sends rules.md of the environment to every agent, as it is"
WHY_HEADER = "agent-core begins with the environment, the agent, the directory and the UTC date"
WHY_DEFAULT = "the environment has no rules.md that can be read"
WHY_SESSION = "agent-core sends the session's id and title in a user message of their own"
WHY_INJECTED = "rules injected into this session follow the environment's"
WHY_URL = "the environment's configuration names this URL for its rules"

VALUES = {
    **dict.fromkeys(("--env", "-e"), "env"),
    **dict.fromkeys(("--session", "-s"), "session"),
    "--model": "model",
    "--port": "other",
}
SWITCHES = ("--quiet", "-q")
NOT_MODELLED = ("--continue", "-c", "--list-sessions", "-l")


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of agent-core for a session: the combined prompt, then what the session says of itself."""
    design = row(ROWS, session.version).is_design
    draft = Draft(session)
    cwd = host.realpath(session.cwd)
    command = args.read(session.args, values=VALUES, switches=(*SWITCHES, *NOT_MODELLED))
    _name_options(draft, command)
    asked = session.agent or DEFAULT_AGENT
    stopped, stopped_by = None, None
    if design:
        place = find_design_environment(draft, host, cwd, command)
        directory = place.directory or cwd
        config = read_config(draft, host, join(directory, ENVIRONMENT_CONFIG), why=WHY_ENVIRONMENT)
        rules, stopped_by = _designed_rules(draft, host, directory, config)
        rules += _injected(session, follows=bool(rules))
        prompts = read_prompts(draft, host, join(directory, PROMPTS), design=True)
        agent = designed_agent(draft, prompts, config, join(directory, PROMPTS), asked)
        stopped = EXTENDS_ITSELF if stopped_by else None
        draft.notes.append(f"Environment {place.name}, agent {asked} ({agent.role}).")
        if agent.tools is None:
            draft.notes.append(f"No list limits the tools of the agent {asked}: it gets every tool.")
    else:
        place = find_environment(draft, host, cwd, command)
        rules = _rules(draft, host, place)
        prompts = read_prompts(draft, host, join(place.directory, PROMPTS), design=False) if place.directory else []
        agent = plain_agent(draft, prompts, asked)
        stopped, stopped_by = place.stopped, place.origin if place.stopped else None
        if asked != DEFAULT_AGENT:
            draft.notes.append("For a sub-agent, agent-core adds its built-in role text to the user's message.")
    draft.add_message("system", _combined(host, cwd, place, agent, rules), index=0)
    if not design:
        draft.add_message("user", _session_message(command), index=1)
    prompt = draft.prompt(
        model=session.model or command.last("model"),
        agent=asked,
        stopped=stopped,
        stopped_by=stopped_by,
    )
    return replace(prompt, tools=agent.tools)


def _name_options(draft: Draft, command: args.Arguments) -> None:
    draft.candidates += map(not_modelled, command.not_modelled(NOT_MODELLED))


# -- the messages ------------------------------------------------------------------------------------------------


def _combined(host: Host, cwd: str, place: Environment, agent: Agent, rules: list[Segment]) -> list[Segment]:
    """The lines of combinePrompts, joined by LF (section "The combined prompt", 3.2)."""
    today = host.now().astimezone(UTC).date().isoformat()
    lines = (
        f"# Environment: {place.name}",
        f"# Agent: {agent.id}",
        f"Working directory: {native(cwd)}",
        f"Today: {today}\n",
    )
    segments = [Segment("environment", "environment", "\n".join(lines), COMPUTED, WHY_HEADER)]
    if any(segment.text for segment in rules):
        path = rules[0].origin.path
        segments += [head("\n---\n# Environment Behavior Guidelines\n\n", path=path), *rules, tail("\n")]
    if agent.prompt is not None and agent.prompt.text:
        path = agent.prompt.origin.path if agent.prompt.origin.kind == "file" else None
        segments += [head(f"\n---\n# Agent: {agent.id}\n\n", "provider", path=path), agent.prompt]
    return segments


def _session_message(command: args.Arguments) -> list[Segment]:
    """The second message (wire: active-global--*, history-and-addition). The labels are the program's format."""
    own = command.last("session")
    unknown = Segment(
        "runtime", "session", "⟪the session's id⟫", COMPUTED, WHY_SESSION, cache="session", elided=Elided("session id")
    )
    known = Segment("runtime", "session", own or "", Origin("argument", name="--session"), WHY_SESSION)
    title = elided("runtime", "agent-core", "title of the session", why="it is New Session until it has one")
    return [
        head("额外信息：\n## 当前会话信息\n- session_id: ", "runtime"),  # noqa: RUF001 - the program's own format
        known if own else unknown,
        tail("\n- session_title: ", "runtime"),
        title if own else tail("New Session", "runtime"),
    ]


# -- rules -------------------------------------------------------------------------------------------------------


def _rules(draft: Draft, host: Host, place: Environment) -> list[Segment]:
    """rules.md as it is; a built-in text where it is missing or cannot be read.

    (wire: rules-empty, base-rules-unreadable; captured: rules-missing)
    """
    size = row(ROWS, draft.session.version).default_rules
    default = [elided("instructions", "agent-core", "default rules", why=WHY_DEFAULT, size=size)]
    if place.directory is None:
        return default
    found = _file(draft, host, join(place.directory, RULES), Origin("computed", name=WHY_RULES))
    return default if found is None else found


def _file(draft: Draft, host: Host, path: str, origin: Origin, why: str = WHY_RULES) -> list[Segment] | None:
    """The text of a rules file, [] if it is empty; None if there is none."""
    found = look_for_text(host, path, why=why, origin=origin, keep_bom=True)
    draft.candidates.append(found.candidate)
    if found.candidate.outcome in ("missing", "failed"):
        return None
    return [Segment("instructions", path, found.text, found.origin, why, cut=found.cut)] if found.text else []


# -- rules of the design, with what it plans [8] -----------------------------------------------------------------

EXTENDS_ITSELF = "The environments extend each other in a circle. Remove one extends."


def _designed_rules(
    draft: Draft, host: Host, directory: str, config: AgentCoreConfig | None
) -> tuple[list[Segment], Origin | None]:
    """The rules of the environments that this one extends, outermost first, then its own [8.2].

    The second value is the ``extends`` that closes a circle, if one does.
    """
    layers: list[list[Segment]] = []
    seen = {directory}
    missing = True
    circle: Origin | None = None
    while True:
        own = _own_rules(draft, host, directory, config)
        missing = missing and own is None
        layers.insert(0, own or [])
        extends = _key(config, "extends")
        if config is None or extends is None or not isinstance(extends.data, str) or not extends.data:
            break
        origin = config.origin(extends, extends.data)
        directory = resolve(join(directory, ".."), extends.data)
        if directory in seen:
            why = f"extends leads back to {directory}, which is an error"
            draft.candidates.append(Rule(why, origin, "config").failed(directory, other=directory))
            circle = origin
            break
        seen.add(directory)
        if host.kind(directory) is None:
            why = "extends names this environment, and it has no directory"
            draft.candidates.append(Rule(why, origin, "config").missing(directory, state="missing"))
            break
        config = read_config(draft, host, join(directory, ENVIRONMENT_CONFIG), why=WHY_ENVIRONMENT)
    if missing:
        origin = Origin("builtin", name=RULES)
        return [Segment("instructions", "default rules", _default_rules(), origin, WHY_DEFAULT, "static")], circle
    joined: list[Segment] = []
    for layer in layers:
        joined += [tail("\n\n"), *layer] if joined and layer else layer
    return joined, circle


def _own_rules(draft: Draft, host: Host, directory: str, config: AgentCoreConfig | None) -> list[Segment] | None:
    """One environment's rules: rulesOverride, else the source that ``rules`` names, else rules.md."""
    override, source = _key(config, "rulesOverride"), _key(config, "rules")
    own = join(directory, RULES)
    key = "rulesOverride" if override is not None and isinstance(override.data, str) else "rules"
    value = override if key == "rulesOverride" else source
    if config is not None and value is not None:
        origin = config.origin(value, key)
        if host.kind(own) is not None:
            why = f"{key} of {config.path} replaces it"
            draft.candidates.append(Rule(why, origin).shadowed(own, by=config.path))
        if value is source:
            return _from_source(draft, host, directory, config, value)
        why = "rulesOverride replaces the environment's rules.md"
        return [Segment("instructions", "rulesOverride", str(value.data), origin, why)]
    return _file(draft, host, own, Origin("computed", name=WHY_RULES))


def _from_source(
    draft: Draft, host: Host, directory: str, config: AgentCoreConfig, source: Value
) -> list[Segment] | None:
    """Rules from a file, a URL or a loader of the user's own (BehaviorSpecSource) [8.1]."""
    named = source if source.kind == "string" else source.get("url") or source.get("path")
    if named is None or not isinstance(named.data, str):
        why = "rules come from a loader, which is code: promptls does not run it"
        draft.candidates.append(Rule(why, config.origin(source, "rules")).excluded())
        return [elided("instructions", "agent-core", "rules from a loader", why=why)]
    origin = config.origin(named, named.data)
    if not is_url(named.data):
        return _file(draft, host, resolve(directory, named.data), origin, "the environment's configuration names it")
    fetched = host.urls([named.data], row(ROWS, draft.session.version).url)[0]
    draft.candidates.append(Rule(WHY_URL, origin).answered(fetched))
    if fetched.state == "empty":
        return []
    return [segment for segment in url_segments(fetched, "", why=WHY_URL) if segment.text] or None


def _injected(session: Session, *, follows: bool) -> list[Segment]:
    """``injectedRules``: what the user gives as hints for this session [8.3]."""
    origin = Origin("argument", name="--hint")
    segments: list[Segment] = []
    for hint in session.hints:
        join_ = [tail("\n\n")] if follows or segments else []
        segments += [*join_, Segment("instructions", "injectedRules", hint, origin, WHY_INJECTED, cache="turn")]
    return segments


def _key(config: AgentCoreConfig | None, key: str) -> Value | None:
    """A key of an environment's configuration, at the top or below ``environment``."""
    root = config.root if config else EMPTY
    return root.get(key) or (root.get("environment") or EMPTY).get(key)


@lru_cache(maxsize=1)
def _default_rules() -> str:
    with open(os.path.join(os.path.dirname(__file__), "data", RULES), encoding="utf-8") as file:
        return file.read()


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "The environment, the agent, the working directory and the UTC date",
        "rules.md of the active environment in config/environments/NAME, else a built-in text",
        (
            f"{PUBLIC.version.name}: the environment is .tong_work/environments/NAME, else that in "
            "~/.config/tong_work/agent-core"
        ),
        "Design: before it the rules of what the environment extends, after it rules injected with --hint",
        "prompts/AGENT.prompt of the environment, without its front matter",
        f"{PUBLIC.version.name}: a user message with the session's id and title",
    ),
)
