"""All that decides over a request, looked up once: roots, sandbox, skills, servers, roles and hooks."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.codex.listing.hooks import find_hooks
from promptls.harnesses.codex.listing.roles import find_roles
from promptls.harnesses.codex.listing.servers import find_servers
from promptls.harnesses.codex.skills.found import find_skills
from promptls.harnesses.codex.start.sandbox import approvals, sandbox
from promptls.harnesses.codex.start.trust import project_root, trusted_folders
from promptls.kit.paths import upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.harnesses.codex.listing.hooks import Hook
    from promptls.harnesses.codex.listing.plugins import Plugin
    from promptls.harnesses.codex.listing.roles import Role
    from promptls.harnesses.codex.listing.servers import Server
    from promptls.harnesses.codex.skills.found import Skill
    from promptls.harnesses.codex.start.command_line import Start
    from promptls.harnesses.codex.start.config import CodexConfig
    from promptls.harnesses.codex.start.sandbox import Approvals, Sandbox
    from promptls.harnesses.codex.versions import Facts, Model
    from promptls.kit.draft import Draft


@dataclass(frozen=True, slots=True)
class Setup:
    """What a session of Codex is made of.

    ``root`` is that of the project, None without a marker; ``chain`` are the directories from it down to the working
    directory. ``folders`` are the ``.codex`` folders that count, the user's first. ``role`` is that of the session.
    """

    config: CodexConfig
    start: Start
    model: Model
    root: str | None
    chain: list[str]
    folders: list[str]
    sandbox: Sandbox
    approvals: Approvals
    skills: list[Skill]
    servers: list[Server]
    roles: dict[str, Role]
    role: Role | None
    hooks: list[Hook]
    has_plugins: bool
    # The model whose base text is sent; a sub-agent keeps that of its parent.
    base: Model
    is_below: bool = False
    # That of the model, as the user has it.
    name: str = ""

    def size_of_base(self, model: Model) -> int | None:
        """The size of the base text of a model, with its personality or without it (seen by verify)."""
        if self.config.text("personality") != "none" or model.base is None:
            return model.base
        return None if model.personality is None else model.base - model.personality


def read_setup(draft: Draft, host: Host, config: CodexConfig, start: Start, model: str | None) -> Setup:
    """Look everything up; the candidates say what came of it."""
    root = project_root(host, start.cwd, config.markers())
    chain = list(reversed(list(upwards(start.cwd, root or start.cwd))))
    trusted = trusted_folders(draft, host, config, chain)
    plugins = _plugins(draft, host, config)
    roles = find_roles(draft, host, config, trusted)
    role = roles.get(draft.session.agent or "")
    used = model_of(config.facts, model)
    return Setup(
        config=config,
        start=start,
        model=used,
        base=used,
        is_below=role is not None,
        root=root,
        chain=chain,
        folders=[config.home, *trusted],
        sandbox=sandbox(host, config, start),
        approvals=approvals(config, start),
        skills=find_skills(draft, host, config, chain, plugins),
        servers=find_servers(draft, host, config, plugins, is_patient=not used.is_deferred),
        roles=roles,
        role=role,
        hooks=find_hooks(draft, host, config, start, trusted, plugins),
        has_plugins=bool(plugins),
        name=model or config.facts.default_model,
    )


def _plugins(draft: Draft, host: Host, config: CodexConfig) -> list[Plugin]:
    if not config.named("plugins"):
        return []
    from promptls.harnesses.codex.listing.plugins import find_plugins  # noqa: PLC0415 - only where some are named

    return find_plugins(draft, host, config)


def model_of(facts: Facts, name: str | None) -> Model:
    """What is known of a model, without a name of the default one (captured: gpt-5.5-foo, x/gpt-5.5)."""
    called = (name or facts.default_model).rpartition("/")[2]
    known = max((each for each in facts.models if called.startswith(each)), key=len, default=None)
    return facts.unknown if known is None else facts.models[known]
