"""etcode: a list of system messages. Sections named here are those of the harness specification for etcode.

Two versions: ``design`` is the documented design with what it plans; ``d1504ac`` is the program as it runs.
"""

from __future__ import annotations

import os
from functools import lru_cache

from promptls.core.formats.tree import EMPTY, Value
from promptls.core.model import Origin, Segment
from promptls.harnesses.etcode.config import EtcodeConfig, config_directory, read_config
from promptls.harnesses.etcode.spec import SPEC
from promptls.harnesses.etcode.versions import ROWS
from promptls.kit import args
from promptls.kit.base import date_string, described
from promptls.kit.candidates import Rule, argument, not_modelled, own
from promptls.kit.draft import Draft, look_for_text
from promptls.kit.paths import first_above, home_or, is_below, is_url, join, native, parent, resolve, upwards
from promptls.kit.segments import elided, head, tail, url_segments
from promptls.kit.transforms import apply_transforms
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.harnesses.etcode.versions import Facts
    from promptls.kit.draft import Found

# Another name is added here, and nowhere else (design document, Q7).
INSTRUCTION_FILES = ("AGENTS.md", "ETCODE.md")
GLOBAL_FILE = "AGENTS.md"

# First substring of the model id that fits, case-sensitive; a provider is added by a row and a file (9.1).
TEMPLATES = (
    ("claude", "anthropic"),
    ("gpt-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("gemini", "gemini"),
    ("", "default"),
)

WHY_CHAIN = "etcode looks for AGENTS.md and ETCODE.md in the working directory and above it, up to the git root"
WHY_ALONE = "without a git root above it, etcode looks in the working directory only"
WHY_GLOBAL = "etcode reads one global AGENTS.md from its configuration directory"
WHY_ENTRY = "an entry of instructions in the configuration names it"
WHY_URL = "an entry of instructions names this URL; URLs follow all files"
WHY_NESTED = "etcode attaches AGENTS.md and ETCODE.md between the file that is read and the working directory"
WHY_ENVIRONMENT = "etcode describes the environment after the agent prompt or provider template"


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of etcode for a session (sections "Both" and the two that follow it)."""
    facts = row(ROWS, session.version)
    design = facts.is_design
    draft = Draft(session)
    cwd = host.realpath(session.cwd)
    home = resolve(cwd, host.env.get("ETCODE_TEST_HOME") or host.home)
    directory = config_directory(host, cwd, home)
    config = read_config(draft, host, cwd, directory)
    command = args.read(session.args, values={"--agent": "agent", "--model": "model", "-m": "model"}, switches=("run",))
    agent = session.agent or command.last("agent") or (None if design else _default_agent(config))
    model = _model(session.model or command.last("model"), agent, config)
    for option in command.unknown:
        draft.candidates.append(not_modelled(option))
    if agent is not None and not _is_agent(config, agent, facts):
        why = f"no agent {agent} is configured, so the provider template is sent"
        draft.candidates.append(argument(agent, why, use="prompt"))
    stopped, stopped_by = (None, None) if design else _stops(config, agent)
    if config.broken and design:
        draft.notes.append("The configuration cannot be read; this is what would be sent without it.")

    messages: list[list[Segment]] = [
        [_base(config, agent, model, facts)],
        [_environment(host, cwd, config, design=design)],
    ]
    sent = _instructions(draft, host, cwd, home, directory, config, messages)
    _place(draft, config, messages)
    if design:
        _reads(draft, host, cwd, sent, len(messages))
        apply_transforms(draft, host)
    return draft.prompt(model=model, agent=agent, stopped=stopped, stopped_by=stopped_by)


# -- what the configuration says ---------------------------------------------------------------------------------


def _stops(config: EtcodeConfig, agent: str | None) -> tuple[str | None, Origin | None]:
    """Why the public program sends nothing, and what is to blame, if it does."""
    if config.broken:
        says = f"etcode stops with “No model configured”, because {config.broken} cannot be read. Fix it."
        return says, Origin("config", path=config.broken)
    own = _agent_value(config, agent, "model")
    if own is None or any(item.text("id") == own for item in _providers(config)):
        return None, None
    # Seen on the wire in the case agent-model.
    path, document, value = config.values["agent"]
    says = (
        f"etcode fails before any request, because it looks for the agent's model {own!r} for a provider and none has "
        "this id. Remove model from the agent, or add a provider of that id."
    )
    return says, Origin("config", path=path, range=document.range(value), name="agent.model")


def _providers(config: EtcodeConfig) -> tuple[Value, ...]:
    found = config.get("provider")
    return found[2].items if found else ()


def _provider(config: EtcodeConfig) -> Value | None:
    """The provider in use: the first that has a model (captured: provider-second)."""
    return next((item for item in _providers(config) if item.text("model")), None)


def _default_agent(config: EtcodeConfig) -> str:
    """``default_agent`` of the configuration, else ``build`` (captured: agent-default-agent)."""
    found = config.get("default_agent")
    return (str(found[2].data) if found else "") or "build"


def _is_agent(config: EtcodeConfig, agent: str, facts: Facts) -> bool:
    configured = config.get("agent")
    built_in = (*facts.agents_with_prompt, *facts.agents_without_prompt)
    return agent in built_in or (configured is not None and configured[2].get(agent) is not None)


def _agent_value(config: EtcodeConfig, agent: str | None, key: str) -> str | None:
    found = config.get("agent")
    return (found[2].get(agent) or EMPTY).text(key) if found and agent else None


def _model(asked: str | None, agent: str | None, config: EtcodeConfig) -> str | None:
    """The model asked for; else the agent's; else that of the first provider that has one."""
    return asked or _agent_value(config, agent, "model") or (_provider(config) or EMPTY).text("model")


# -- the parts, in order ---------------------------------------------------------------------------------------


def _base(config: EtcodeConfig, agent: str | None, model: str | None, facts: Facts) -> Segment:
    """The agent's own prompt if it is not empty, else the provider template; never both (3, 7.1)."""
    own = _agent_value(config, agent, "prompt")
    if own and agent:
        path, document, agents = config.values["agent"]
        prompt = (agents.get(agent) or agents).get("prompt") or agents
        origin = Origin("config", path=path, range=document.range(prompt), name=f"agent.{agent}.prompt")
        return Segment("provider", f"prompt of agent {agent}", own, origin, "the agent has a prompt of its own")
    if own is None and agent in facts.agents_with_prompt:
        return elided("provider", "etcode", f"prompt of agent {agent}", why="a built-in agent with its own prompt")
    template = provider_template(model or "")
    reason = f"the model id {model!r} selects {template}.txt" if model else f"without a model id it is {template}.txt"
    why = f"the agent has no prompt of its own, so a provider template is sent; {reason}"
    if not facts.is_design:
        return elided("provider", "etcode", f"provider template {template}.txt", why=why)
    origin = Origin("builtin", name=f"{template}.txt")
    return Segment("provider", f"provider template {template}.txt", _template_text(template), origin, why, "static")


def provider_template(model: str) -> str:
    """The template's name for a model id (2.1; wire: template-*)."""
    return next(template for part, template in TEMPLATES if part in model)


@lru_cache(maxsize=8)
def _template_text(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), "data", f"{name}.txt"), encoding="utf-8") as file:
        return file.read()


def _environment(host: Host, cwd: str, config: EtcodeConfig, *, design: bool) -> Segment:
    """The environment block (2.2), in the design with the configured fields (9.2)."""
    is_repo = first_above(host, cwd, ".git") is not None
    lines = [
        f"Working directory: {native(cwd)}",
        f"Is directory a git repo: {'yes' if is_repo else 'no'}",
        f"Platform: {host.platform}",
        f"Today's date: {date_string(host)}",
        *(_more_fields(host, config) if design else ()),
    ]
    text = "\n".join(
        (
            "Here is useful information about the environment you are running in:",
            "<env>",
            *(f"  {line}" for line in lines),
            "</env>",
        )
    )
    return Segment("environment", "environment", text, Origin("computed"), WHY_ENVIRONMENT, cache="session")


def _more_fields(host: Host, config: EtcodeConfig) -> list[str]:
    """``environment`` of the configuration: field name to environment variable, shown as ``unknown`` if unset."""
    found = config.get("environment")
    members = found[2].members if found else ()
    return [
        f"{name.data}: {host.env.get(value.data) or 'unknown'}"
        for name, value in members
        if isinstance(value.data, str)
    ]


def _instructions(  # noqa: PLR0917 - the places, in the order of the search
    draft: Draft,
    host: Host,
    cwd: str,
    home: str,
    directory: str,
    config: EtcodeConfig,
    messages: list[list[Segment]],
) -> set[str]:
    """Project, global and configured files as one ordered set, then URLs (2.3). Returns the files' paths."""
    places: list[tuple[str, str, Origin]] = []
    root = first_above(host, cwd, ".git")
    why = WHY_CHAIN if root else WHY_ALONE
    for place in upwards(cwd, root or cwd):
        places += [(join(place, name), why, Origin("computed", name=why)) for name in INSTRUCTION_FILES]
    places.append((join(directory, GLOBAL_FILE), WHY_GLOBAL, Origin("computed", name=WHY_GLOBAL)))
    urls: list[tuple[str, Origin]] = []
    if entries := config.get("instructions"):
        path, document, value = entries
        for item in value.items:
            entry = str(item.data)
            origin = Origin("config", path=path, range=document.range(item), name=entry)
            if is_url(entry):
                urls.append((entry, origin))
            else:
                places.append((home_or(home, entry) or resolve(cwd, entry), WHY_ENTRY, origin))

    seen: set[str] = set()
    for path, why, origin in places:
        if path in seen:
            reason = "it is already included, from an earlier place"
            draft.candidates.append(Rule(why, origin).duplicate(path, reason, of=path))
            continue
        seen.add(path)
        found = look_for_text(host, path, why=why, origin=origin, keep_bom=True)
        draft.candidates.append(found.candidate)
        if found.text:
            messages.append(_message(path, found, why))
    timeouts = row(ROWS, draft.session.version).url
    for (_, origin), fetched in zip(urls, host.urls([url for url, _ in urls], timeouts), strict=True):
        draft.candidates.append(Rule(WHY_URL, origin).answered(fetched))
        messages.append(url_segments(fetched, f"Instructions from: {fetched.url}\n", why=WHY_URL))
    return seen


def _message(path: str, found: Found, why: str) -> list[Segment]:
    text = Segment("instructions", path, found.text, found.origin, why, cut=found.cut)
    return [head(f"Instructions from: {native(path)}\n", path=path), text]


def _place(draft: Draft, config: EtcodeConfig, messages: list[list[Segment]]) -> None:
    """N system messages; for Anthropic and Google N blocks of one (wire: provider-*)."""
    as_blocks = (_provider(config) or EMPTY).text("npm") in ("@ai-sdk/anthropic", "@ai-sdk/google")
    for at, segments in enumerate(part for part in messages if any(segment.text for segment in part)):
        draft.add_message("system", segments, index=0 if as_blocks else at, block=at if as_blocks else 0)


# -- only the design: files attached on read (9.4) ---------------------------------------------------------------


def _reads(draft: Draft, host: Host, cwd: str, sent: set[str], index: int) -> None:
    """What each read attaches: nearest directory first, once a session."""
    for read in draft.session.reads:
        at = f"read:{read}"
        blocks: list[Segment] = []
        places = upwards(parent(read)) if is_below(read, cwd) else ()
        for place in places:
            if place == cwd:
                break
            for name in INSTRUCTION_FILES:
                path = join(place, name)
                rule = own(WHY_NESTED, at=at)
                if path in sent or path == read:
                    draft.candidates.append(rule.duplicate(path, "it was sent already", of=path))
                    continue
                found = look_for_text(host, path, why=WHY_NESTED, origin=rule.origin, keep_bom=True, at=at)
                draft.candidates.append(found.candidate)
                if found.text:
                    sent.add(path)
                    blocks += [
                        tail("\n\n" if blocks else ""),
                        *_message(path, found, WHY_NESTED),
                    ]
        result = elided("runtime", "etcode", f"result of reading {read}", why="the frame of its read tool is not known")
        if blocks:
            blocks = [head("\n\n<system-reminder>\n"), *blocks, tail("\n</system-reminder>")]
        draft.add_message("tool", [result, *blocks], index=index, at=at)
        index += 1


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "The agent's own prompt, else a provider template chosen by the model id",
        "The environment block; in the design with the fields of environment in etcode.json (name to variable)",
        "AGENTS.md and ETCODE.md in the working directory and above, up to the git root, nearest first",
        "AGENTS.md in ~/.config/etcode",
        "Files named by instructions in etcode.json, then its URLs (5 s each)",
        "On read (design): AGENTS.md and ETCODE.md between the file and the working directory",
    ),
)
