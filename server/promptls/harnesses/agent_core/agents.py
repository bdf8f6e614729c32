"""agent-core's agents: .prompt files, profiles of the design, and the tools that an agent gets.

Sections named here are those of the harness specification for agent-core; ``source`` is the public program.
"""

from __future__ import annotations

from promptls.core.formats import parse_yaml
from promptls.core.formats.tree import EMPTY, Value
from promptls.core.model import Fault, Origin, Segment, Tool
from promptls.core.text import LineIndex
from promptls.core.values import dataclass, replace
from promptls.kit.base import with_consequence
from promptls.kit.candidates import Rule, and_reason, argument, own
from promptls.kit.draft import look_for_text
from promptls.kit.javascript import SPACE, trimmed
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate
    from promptls.harnesses.agent_core.environment import AgentCoreConfig
    from promptls.kit.draft import Draft

SUFFIX = ".prompt"
WHY_PROMPTS = "agent-core reads every *.prompt directly in prompts/ of the environment"
WHY_OWN = "the prompt of the agent follows the rules"
NO_EFFECT = "its front matter is cut off and does nothing"


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A .prompt that could be read: the agent it is for, its body, and what its front matter says."""

    id: str
    path: str
    body: Segment
    front: Value
    candidate: int
    # Of the file: for ranges.
    index: LineIndex


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent in use: its prompt, None without one; its role; its tools, None if they are not limited."""

    id: str
    prompt: Segment | None = None
    role: str = "primary"
    tools: tuple[Tool, ...] | None = None


# -- .prompt files -----------------------------------------------------------------------------------------------


def read_prompts(draft: Draft, host: Host, directory: str, *, design: bool) -> list[PromptFile]:
    """The .prompt files directly in ``directory``.

    344500a takes them as the disk lists them, and the first that cannot be read silently ends the search
    (wire: base-prompts-one-unreadable).
    """
    names = [entry.name for entry in host.entries(directory) if entry.name.endswith(SUFFIX)]
    found: list[PromptFile] = []
    rule = own(WHY_PROMPTS, use="prompt")
    failed: str | None = None
    for name in sorted(names) if design else names:
        path = join(directory, name)
        if failed is not None:
            reason = f"{failed} comes before it and cannot be read, which ends the search"
            draft.candidates.append(rule.excluded(path, reason, other=failed))
            continue
        text = look_for_text(host, path, why=WHY_PROMPTS, origin=rule.origin, keep_bom=False, use="prompt")
        draft.candidates.append(text.candidate)
        if text.candidate.outcome in ("missing", "failed"):
            failed = None if design else path
            continue
        prompt = _prompt(path, name.removesuffix(SUFFIX) or name, text.text, len(draft.candidates) - 1, design=design)
        found.append(replace(prompt, body=replace(prompt.body, cut=text.cut)))
        draft.candidates[-1] = _with_front_matter(draft.candidates[-1], text.text, prompt, design=design)
    return found


def _prompt(path: str, stem: str, text: str, candidate: int, *, design: bool) -> PromptFile:
    cut = cut_front_matter(text)
    front = (parse_yaml(text[cut[0] : cut[1]]).root if design and cut else None) or EMPTY
    begin, stop = trimmed(text, cut[2] if cut else 0)
    lines = LineIndex(text)
    own = (front.text("id") if design else None) or stem
    where = Origin("file", path=path, range=lines.range(begin, stop))
    segment = Segment("provider", f"prompt of agent {own}", text[begin:stop], where, WHY_OWN)
    return PromptFile(own, path, segment, front, candidate, lines)


def cut_front_matter(text: str) -> tuple[int, int, int] | None:
    """Where the front matter's text begins and ends, and where the body begins; None without one.

    It must begin on line 1 and be closed by a line of three dashes (wire: prompt-front-matter--*).
    """
    at = text.find("\n") + 1
    if at == 0 or text[:at].strip(SPACE) != "---":
        return None
    start = at
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        if text[at:end].strip(SPACE) == "---":
            return start, at, end
        at = end
    return None


def _with_front_matter(candidate: Candidate, text: str, prompt: PromptFile, *, design: bool) -> Candidate:
    """The candidate with what is to be said of the front matter."""
    cut = cut_front_matter(text)
    if cut is None:
        opens = text.partition("\n")[0].strip(SPACE) == "---"
        says = "its front matter is not closed, so it is sent as text" if opens else ""
        return replace(candidate, reason=and_reason(candidate, says)) if says else candidate
    if not design:
        return replace(candidate, reason=and_reason(candidate, NO_EFFECT))
    start, end, _ = cut
    flaw = parse_yaml(text[start:end]).flaw
    if flaw is None:
        return candidate
    where = prompt.index.range(start + flaw.start, start + flaw.end)
    fault = with_consequence(Fault("config-invalid", where, flaw.message), "agent-core may lose the keys after it")
    return replace(candidate, faults=(fault,))


# -- the agent at 344500a ----------------------------------------------------------------------------------------


def plain_agent(draft: Draft, prompts: list[PromptFile], asked: str) -> Agent:
    """The agent by the stem of its file; nothing else counts (wire: agents-jsonc, prompt-front-matter--*)."""
    own = next((prompt for prompt in reversed(prompts) if prompt.id == asked), None)
    _name_others(draft, prompts, own, asked)
    if own is None:
        _name_unknown(draft, asked)
    return Agent(asked, own.body if own else None)


def _name_unknown(draft: Draft, asked: str) -> None:
    """An agent that nothing describes is no error: the header names it (wire: unknown-agent--*)."""
    if asked != "system":
        why = f"nothing describes the agent {asked}; it gets the rules and no prompt"
        draft.candidates.append(argument(asked, why, use="prompt"))


def _name_others(draft: Draft, prompts: list[PromptFile], used: PromptFile | None, asked: str) -> None:
    for prompt in prompts:
        candidate = draft.candidates[prompt.candidate]
        if prompt is used:
            continue
        if used is not None and prompt.id == used.id:
            reason = and_reason(candidate, f"{used.path} has the same id and comes later")
            draft.candidates[prompt.candidate] = replace(candidate, outcome="shadowed", reason=reason, other=used.path)
        elif candidate.outcome == "loaded":
            reason = and_reason(candidate, f"it is for the agent {prompt.id}, and the agent is {asked}")
            draft.candidates[prompt.candidate] = replace(candidate, outcome="unscoped", reason=reason)


# -- the agent of the design [2.2, 3.2] --------------------------------------------------------------------------


def designed_agent(
    draft: Draft, prompts: list[PromptFile], config: AgentCoreConfig | None, directory: str, asked: str
) -> Agent:
    """The agent with its spec in the first profile: promptOverride, else promptId, else the .prompt of its id."""
    spec = next((item for item in reversed(list(_specs(config))) if item.text("id") == asked), None)
    by_id = {prompt.id: prompt for prompt in prompts}
    own = by_id.get(asked)
    prompt = own.body if own else None
    override, named = (spec or EMPTY).get("promptOverride"), (spec or EMPTY).get("promptId")
    if config is not None and override is not None and override.data:
        origin = config.origin(override, f"promptOverride of {asked}")
        prompt = Segment("provider", f"prompt of agent {asked}", str(override.data), origin, "promptOverride wins")
        own = None
    elif config is not None and named is not None and named.data:
        chosen = by_id.get(str(named.data))
        if chosen is None:
            why = f"promptId of the agent {asked} names it, and no .prompt has this id"
            rule = Rule(why, config.origin(named, str(named.data)), "prompt")
            draft.candidates.append(rule.missing(join(directory, f"{named.data}{SUFFIX}"), state="missing"))
        else:
            own, prompt = chosen, chosen.body
    _name_others(draft, prompts, own, asked)
    if spec is None and own is None:
        _name_unknown(draft, asked)
    front = by_id[asked].front if asked in by_id else own.front if own else EMPTY
    role = (spec or EMPTY).text("role") or "primary"
    return Agent(
        asked, prompt, role, filter_tools(_list(spec, front, "allowedTools"), _list(spec, front, "deniedTools"))
    )


def _specs(config: AgentCoreConfig | None) -> Iterator[Value]:
    """The agents of the first profile: primary ones, then sub-agents."""
    root = config.root if config else EMPTY
    profiles = root.get("profiles") or (root.get("environment") or EMPTY).get("profiles") or EMPTY
    for kind in ("primaryAgents", "subAgents"):
        agents = (profiles.items[0].get(kind) if profiles.items else None) or EMPTY
        yield from agents.items


def _list(spec: Value | None, front: Value, key: str) -> tuple[str, ...] | None:
    """A list of tools: of the spec if it has one, else of the front matter."""
    for where in (spec or EMPTY, front):
        value = where.get(key)
        if value is not None and value.kind == "array":
            return tuple(str(item.data) for item in value.items)
    return None


def filter_tools(allowed: tuple[str, ...] | None, denied: tuple[str, ...] | None) -> tuple[Tool, ...] | None:
    """filterToolsByPermission: the allowed ones, then the denied taken away; None without lists [3.2].

    Only the tools that the lists name are known here; names count as they are, there are no patterns.
    """
    if allowed is None and denied is None:
        return None
    out = dict.fromkeys(denied or ())
    tools = [
        Tool(name, False, "both allowedTools and deniedTools name it, and deniedTools wins")
        if name in out
        else Tool(name, True, "allowedTools names it")
        for name in dict.fromkeys(allowed or ())
    ]
    listed = {tool.name for tool in tools}
    return (*tools, *(Tool(name, False, "deniedTools names it") for name in out if name not in listed))
