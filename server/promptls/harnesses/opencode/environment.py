"""What begins opencode's system message: the agent's prompt or a template, the environment, and references."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Elided, Origin, Segment
from promptls.harnesses.opencode.models import own_id, provider_template
from promptls.kit import collation
from promptls.kit.base import date_string
from promptls.kit.paths import home_or, join, native, resolve
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.opencode.listing.agents import Agent
    from promptls.harnesses.opencode.start.entries import Reference
    from promptls.harnesses.opencode.start.setup import Setup

WHY_ENVIRONMENT = "opencode describes the environment after the agent prompt or provider template"
WHY_REFERENCE = "the configuration has a reference with a description"


def base(setup: Setup, agent: Agent, model: str | None) -> Iterator[Segment]:
    """The agent's own prompt if it has one, else the provider template (section 1.1)."""
    built_in = setup.facts.agents.get(agent.name)
    if agent.prompt:
        origin = agent.prompt_origin or COMPUTED
        why = "the agent has a prompt of its own"
        yield Segment("provider", f"prompt of agent {agent.name}", agent.prompt, origin, why)
    elif agent.prompt is None and built_in is not None and built_in.has_prompt:
        title = f"prompt of agent {agent.name}"
        yield elided("provider", "opencode", title, why="a built-in agent with its own prompt", size=built_in.prompt)
    elif model is None:
        why = (
            "the agent has no prompt, and the template is chosen by the model, which is not known: name it with --model"
        )
        yield elided("provider", "opencode", "provider template", why=why)
    else:
        own = own_id(setup.config, model)
        template = provider_template(own, knows_gpt_6=setup.facts.knows_gpt_6)
        why = f"the agent has no prompt, and the model id {own.partition('/')[2]!r} selects {template}"
        size = setup.facts.templates.get(template)
        yield elided("provider", "opencode", f"provider template {template}", why=why, size=size)
    yield tail("\n", "environment")


def environment(setup: Setup, model: str | None) -> list[Segment]:
    """The environment block, exactly (section 6; parts: env-no-git)."""
    lines = (
        "Here is some useful information about the environment you are running in:",
        "<env>",
        f"  Working directory: {native(setup.cwd)}",
        f"  Workspace root folder: {native(setup.root)}",
        f"  Is directory a git repo: {'yes' if setup.repository else 'no'}",
        f"  Platform: {setup.host.platform}",
        f"  Today's date: {date_string(setup.host)}",
        "</env>",
    )
    rest = Segment("environment", "environment", "\n".join(lines), COMPUTED, WHY_ENVIRONMENT)
    if model is None:
        says = "⟪the line that names the model: it is not known here, name it with --model⟫"
        unknown = Elided("model line")
        line = Segment("environment", "model", says, COMPUTED, WHY_ENVIRONMENT, elided=unknown)
        return [line, tail("\n", "environment"), rest]
    own = own_id(setup.config, model)
    says = f"You are powered by the model named {own.partition('/')[2]}. The exact model ID is {own}\n"
    return [Segment("environment", "model", says, COMPUTED, WHY_ENVIRONMENT), rest]


# -- references (surfaces, 6) ----------------------------------------------------------------------------------------


def references(setup: Setup) -> Iterator[Segment]:
    """The references that have a description, by name; nothing without any (parts: references-shapes)."""
    entries = setup.config.entries
    listed = entries.references or entries.reference
    rows = [each for each in sorted(listed.values(), key=lambda each: collation.key(each.name)) if each.description]
    if not rows:
        return
    size = setup.facts.references_intro
    yield elided("environment", "opencode", "introduction of references", why=WHY_REFERENCE, size=size)
    yield head("\n<available_references>\n", "environment")
    for each in rows:
        name = f"  <reference>\n    <name>{each.name}</name>\n    <path>{native(_place(setup, each))}</path>\n"
        yield head(f"{name}    <description>", "environment")
        origin = each.origin or Origin("config", name=each.name)
        yield Segment("environment", f"reference {each.name}", each.description or "", origin, WHY_REFERENCE)
        yield tail("</description>\n  </reference>\n", "environment")
    yield tail("</available_references>", "environment")


def _place(setup: Setup, reference: Reference) -> str:
    """Where the folder is, or where opencode keeps its copy of the repository."""
    if reference.path is not None:
        home = home_or(setup.flag.home, reference.path)
        return home or resolve(reference.base, reference.path)
    data = setup.host.env.get("XDG_DATA_HOME") or join(setup.flag.home, ".local", "share")
    return join(data, "opencode", "repos", *_repository(reference.repository or ""))


def _repository(address: str) -> list[str]:
    """Host, port and path of https://host:port/path, git@host:path or owner/name of GitHub, without .git."""
    _, separator, rest = address.rpartition("://")
    rest = rest.strip("/").removesuffix(".git")
    if separator or "@" in rest:
        place, _, path = rest.rpartition("@")[2].partition("/")
        host, _, port = place.partition(":")
        # After the colon of git@host:owner there is a path, after that of a URL a port.
        return [host, *([port] if port else []), *path.split("/")]
    return ["github.com", *rest.split("/")]
