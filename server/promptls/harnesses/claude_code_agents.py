"""Agents and output styles of Claude Code: Markdown files with front matter (specification, 8)."""

from __future__ import annotations

from promptls.core.formats import front_matter, jsonc
from promptls.core.model import Candidate, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.claude_code_rules import rule_files
from promptls.harnesses.paths import join, name, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Value
    from promptls.core.model import Outcome
    from promptls.harnesses.base import Draft
    from promptls.harnesses.claude_code_setup import Setup

WHY_AGENT = "Claude Code offers the agents that are defined here"
WHY_STYLE = "Claude Code looks here for output styles"
# Of equal names the last scope wins; whether the user's or the project's wins was not seen (8).
SCOPES = ("user", "project", "flag", "managed")


@dataclass(frozen=True, slots=True)
class Agent:
    """A persona. ``tools`` is None for all of them; ``origin`` has no range, ``body`` has its own."""

    name: str
    description: str
    tools: tuple[str, ...] | None
    model: str | None
    scope: str
    origin: Origin
    body: str
    body_origin: Origin

    @property
    def can_delegate(self) -> bool:
        """Whether it has the tool whose users are told of the other agents."""
        return self.tools is None or any(tool.partition("(")[0] in ("Agent", "Task", "*") for tool in self.tools)

    def listed(self) -> list[Segment]:
        """Its line in the list of agents (wire: agent-files-main)."""
        tools = ", ".join(self.tools) if self.tools is not None else "All tools"
        text = f"- {self.name}: {self.description} (Tools: {tools})\n"
        return [Segment("tools", f"agent {self.name}", text, self.origin, WHY_AGENT)]

    def prompt(self) -> Segment:
        """Its body, which replaces the program's own prompt."""
        why = "the agent's own prompt replaces that of Claude Code"
        return Segment("provider", f"prompt of agent {self.name}", self.body, self.body_origin, why)


@dataclass(frozen=True, slots=True)
class Style:
    """An output style. ``segment`` is None for a built-in one."""

    name: str
    segment: Segment | None = None
    keeps_coding: bool = True


def agents(draft: Draft, setup: Setup) -> list[Agent]:
    """Every agent by its scope, weakest first; of equal names only the one that counts."""
    if setup.is_bare:
        return []
    found = [*_agent_files(draft, setup), *_agents_option(draft, setup)]
    found.sort(key=lambda agent: SCOPES.index(agent.scope))
    counts = {agent.name: agent for agent in found}
    for agent in found:
        winner = counts[agent.name]
        path = agent.origin.path
        outcome: Outcome = "loaded" if agent is winner else "shadowed"
        why = WHY_AGENT if agent is winner else f"another agent {agent.name} comes first"
        other = winner.origin.path if agent is not winner else None
        draft.candidates.append(Candidate(outcome, why, agent.origin, path=path, use="prompt", other=other))
    return [agent for agent in found if counts[agent.name] is agent]


def _places(setup: Setup, folder: str) -> Iterator[tuple[str, str]]:
    """Directories with definitions: user, then from the git root down to the cwd, then managed."""
    if "user" in setup.sources:
        yield "user", join(setup.directory, folder)
    if "project" in setup.sources:
        for directory in reversed(list(upwards(setup.cwd, setup.root or setup.cwd))):
            yield "project", join(directory, ".claude", folder)
    yield "managed", join(setup.managed, ".claude", folder)


def _definitions(setup: Setup, folder: str) -> Iterator[tuple[str, str, str, front_matter.FrontMatter]]:
    """Scope, path, text and front matter of each file."""
    seen: set[str] = set()
    for scope, directory in _places(setup, folder):
        for place in rule_files(setup.host, directory):
            contents = setup.host.read(place.path)
            if contents.state == "file" and place.path not in seen:
                seen.add(place.path)
                text = decode(contents.data, keep_bom=False)
                yield scope, place.path, text, front_matter.split(text)


def _agent_files(draft: Draft, setup: Setup) -> Iterator[Agent]:
    for scope, path, text, front in _definitions(setup, "agents"):
        root = front.document.root if front.document else None
        given = root.text("name") if root else None
        if root is None or given is None:
            why = f"{WHY_AGENT}: it has no name in its front matter"
            origin = Origin("file", path=path)
            draft.candidates.append(Candidate("failed", why, origin, path=path, use="prompt"))
            continue
        body, where = _body(path, text, front.body)
        yield Agent(
            name=given,
            description=root.text("description") or "",
            tools=_tools(root.get("tools")),
            model=root.text("model"),
            scope=scope,
            origin=Origin("file", path=path),
            body=body,
            body_origin=where,
        )


def _agents_option(draft: Draft, setup: Setup) -> Iterator[Agent]:
    """``--agents`` with JSON beats a project file of the name (wire: agents-json-flag)."""
    given = setup.command.last("agents")
    if given is None:
        return
    origin = Origin("argument", name="--agents")
    document = jsonc.parse(given, comments=False)
    if document.flaw is not None:
        why = f"{WHY_AGENT}: it is not valid JSON"
        draft.candidates.append(Candidate("failed", why, origin, use="prompt"))
        return
    for key, value in document.root.members if document.root else ():
        yield Agent(
            name=str(key.data),
            description=value.text("description") or "",
            tools=_tools(value.get("tools")),
            model=value.text("model"),
            scope="flag",
            origin=origin,
            body=(value.text("prompt") or "").strip(),
            body_origin=origin,
        )


def _tools(value: Value | None) -> tuple[str, ...] | None:
    if value is None or value.kind == "null":
        return None
    if isinstance(value.data, str):
        given = tuple(part.strip() for part in value.data.split(",") if part.strip())
    else:
        given = tuple(str(item.data) for item in value.items)
    return None if "*" in given else given


def _body(path: str, text: str, start: int) -> tuple[str, Origin]:
    body = text[start:].strip()
    start = text.find(body, start)
    return body, Origin("file", path=path, range=LineIndex(text).range(start, start + len(body)))


# -- output styles ---------------------------------------------------------------------------------------------

BUILT_IN_STYLES = ("explanatory", "learning", "proactive")


def style(draft: Draft, setup: Setup) -> Style | None:
    """The output style of the settings: project before user (wire: output-style-user-vs-project)."""
    setting = setup.settings.last("outputStyle")
    wanted = setup.settings.text("outputStyle")
    if setting is None or wanted is None or wanted == "default" or setup.is_bare:
        return None
    found: dict[str, Style] = {}
    for _scope, path, text, front in sorted(_definitions(setup, "output-styles"), key=lambda d: SCOPES.index(d[0])):
        root = front.document.root if front.document else None
        given = (root.text("name") if root else None) or name(path).removesuffix(".md")
        if wanted not in (given, name(path).removesuffix(".md")):
            continue
        body, where = _body(path, text, front.body)
        why = f"the setting outputStyle names {wanted}"
        keeps = root.get("keep-coding-instructions") if root else None
        segment = Segment("provider", f"output style {given}", body, where, why)
        found[path] = Style(given, segment, keeps_coding=keeps is not None and keeps.kind == "true")
    for path in list(found)[:-1]:
        why = f"{WHY_STYLE}: another style {wanted} comes first"
        origin = replace(setting.origin, name=wanted)
        other = list(found)[-1]
        draft.candidates.append(Candidate("shadowed", why, origin, path=path, use="prompt", other=other))
    if found:
        path, used = list(found.items())[-1]
        draft.candidates.append(Candidate("loaded", WHY_STYLE, setting.origin, path=path, use="prompt"))
        return used
    if wanted.lower() in BUILT_IN_STYLES:
        return Style(wanted)
    why = f"{WHY_STYLE}: there is no style {wanted}"
    path = resolve(setup.cwd, f".claude/output-styles/{wanted}.md")
    draft.candidates.append(Candidate("missing", why, setting.origin, path=path, use="prompt"))
    return None
