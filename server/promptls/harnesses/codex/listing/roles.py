"""Roles of sub-agents: their descriptions stand in the definition of the tool that starts one (section 10)."""

from __future__ import annotations

from promptls.core.formats import parse_toml
from promptls.core.model import Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.codex.files import SPACE
from promptls.kit.candidates import Rule, own
from promptls.kit.paths import home_or, join, parent, resolve
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.core.model import Fault
    from promptls.harnesses.codex.start.config import CodexConfig, ConfigValue
    from promptls.harnesses.codex.versions import Facts
    from promptls.kit.draft import Draft

WHY = "Codex reads the roles of sub-agents in this directory"
WHY_ENTRY = "agents in the configuration names this role"
WHY_LISTED = "the description of the role is in the definition of the tool that starts sub-agents"
WHY_TOOL = "Codex explains the tool that starts sub-agents"
TITLE = "Available roles:\n"


@dataclass(frozen=True, slots=True)
class Role:
    """A role: ``origin`` is where its description is; ``path`` is its file, if it has one."""

    name: str
    description: str
    origin: Origin
    path: str | None = None
    instructions: str = ""
    instructions_origin: Origin | None = None
    model: str = ""
    effort: str = ""
    # Skills that it switches off, by name or by the path of their file.
    without: tuple[str, ...] = ()

    @property
    def settings(self) -> str:
        """What the role fixes, to the letter (captured: agents-text)."""
        if self.model and self.effort:
            fixed = f"model is set to `{self.model}` and its reasoning effort is set to `{self.effort}`. These settings"
            return f"\n- This role's {fixed} cannot be changed."
        if self.model:
            return f"\n- This role's model is set to `{self.model}` and cannot be changed."
        return (
            f"\n- This role's reasoning effort is set to `{self.effort}` and cannot be changed." if self.effort else ""
        )


def find_roles(draft: Draft, host: Host, config: CodexConfig, folders: Sequence[str]) -> dict[str, Role]:
    """The roles of the user and of a trusted project, which goes before (captured: agents-roles, agents-project)."""
    found: dict[str, Role] = {}
    for folder in (config.home, *folders):
        for path in _files(host, join(folder, "agents")):
            _take(draft, found, own(WHY, use="agent"), _of_file(draft, host, path, own(WHY, use="agent")))
    for name, entry in config.named("agents").items():
        if entry.value.kind == "object":
            rule = Rule(WHY_ENTRY, entry.origin(), "agent")
            _take(draft, found, rule, _of_entry(draft, host, name, entry, rule))
    return found


def _take(draft: Draft, found: dict[str, Role], rule: Rule, role: Role | None) -> None:
    if role is None:
        return
    before = found.get(role.name)
    if before is not None and before.path is not None:
        reason = f"{role.path or role.origin.path} has a role of this name, too, and goes before"
        draft.candidates.append(rule.shadowed(before.path, reason, by=role.path))
    found[role.name] = role
    draft.candidates.append(rule.loaded(role.path))


def _files(host: Host, folder: str) -> Iterator[str]:
    """Every ``.toml`` below a folder, sub-folders too; each folder once."""
    waiting, seen = [folder], {host.realpath(folder)}
    while waiting:
        directory = waiting.pop(0)
        for entry in sorted(host.entries(directory), key=lambda entry: entry.name):
            path = join(directory, entry.name)
            if host.kind(path) == "directory":
                real = host.realpath(path)
                if real not in seen:
                    seen.add(real)
                    waiting.append(path)
            elif entry.name.endswith(".toml"):
                yield path


def _of_file(draft: Draft, host: Host, path: str, rule: Rule) -> Role | None:
    """The role of a file; None if it is left out (captured: agents-roles)."""
    contents = host.read(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return None
    document = parse_toml(decode(contents.data, keep_bom=False))
    fault: Fault | None = document.fault("config-invalid")
    root = document.root
    if root is None or fault is not None:
        draft.candidates.append(rule.failed(path, "Codex cannot read it", faults=(fault,) if fault else ()))
        return None
    for key in ("description", "developer_instructions"):
        if not (root.text(key) or "").strip(SPACE):
            draft.candidates.append(rule.failed(path, f"it has no {key}, so Codex leaves the role out"))
            return None

    def origin(value: Value | None) -> Origin:
        return Origin("file", path, range=document.range(value) if value is not None else None)

    return Role(
        name=root.text("name") or path.rpartition("/")[2].removesuffix(".toml"),
        description=root.text("description") or "",
        origin=origin(root.get("description")),
        path=path,
        instructions=root.text("developer_instructions") or "",
        instructions_origin=origin(root.get("developer_instructions")),
        model=root.text("model") or "",
        effort=root.text("model_reasoning_effort") or "",
        without=tuple(_switched_off(root, parent(path))),
    )


def _of_entry(draft: Draft, host: Host, name: str, entry: ConfigValue, rule: Rule) -> Role | None:
    """The role of an entry of the configuration; what its file says is added to the description there."""
    description = entry.value.get("description")
    file = entry.value.text("config_file")
    path = (home_or(host.home, file) or resolve(entry.base, file)) if file else None
    if description is None or not str(description.data or "").strip(SPACE):
        draft.candidates.append(rule.failed(entry.path, f"the role {name} has no description, so Codex leaves it out"))
        return None
    role = Role(name, str(description.data), replace(entry.origin(description), name=name), path)
    if path is None:
        return role
    contents = host.read(path)
    document = parse_toml(decode(contents.data, keep_bom=False))
    if contents.state != "file" or document.root is None or document.flaw is not None:
        fault = document.fault("config-invalid") if contents.state == "file" else None
        draft.candidates.append(rule.failed(path, "Codex cannot read it", faults=(fault,) if fault else ()))
        return None
    root = document.root
    text = root.get("developer_instructions")
    return replace(
        role,
        instructions=root.text("developer_instructions") or "",
        instructions_origin=Origin("file", path, range=document.range(text)) if text is not None else None,
        model=root.text("model") or "",
        effort=root.text("model_reasoning_effort") or "",
        without=tuple(_switched_off(root, parent(path))),
    )


def _switched_off(root: Value, base: str) -> Iterator[str]:
    """The skills that ``skills.config`` of a role switches off (captured: subagent-v1-role-model)."""
    skills = root.get("skills")
    listed = skills.get("config") if skills is not None else None
    for item in listed.items if listed is not None else ():
        enabled, title, path = item.get("enabled"), item.text("name"), item.text("path")
        if enabled is not None and enabled.kind == "false" and (title or path):
            yield title or resolve(base, path or "")


def role_list(facts: Facts, agents: str, roles: Mapping[str, Role]) -> list[Segment]:
    """The part of the tool's definition with the roles, [] without one of the user's (captured: agents-text).

    An own role replaces a built-in one of its name, and is listed among the own ones.
    """
    if not roles:
        return []
    intro = elided("tools", "codex", "spawn_agent", why=WHY_TOOL, size=facts.roles_intro[agents])
    segments = [intro, head(TITLE, "tools")]
    blocks = [_own(role) for _, role in sorted(roles.items())]
    for name, size in facts.built_in_roles.items():
        if name not in roles:
            text = elided("tools", "codex", f"role {name}", why=WHY_TOOL, size=size)
            blocks.append([head(f"{name}: {{\n", "tools"), text, tail("\n}", "tools")])
    for at, block in enumerate(blocks):
        segments += [*([tail("\n", "tools")] if at else []), *block]
    return segments


def _own(role: Role) -> list[Segment]:
    text = role.description.rstrip(SPACE)
    description = Segment("tools", f"role {role.name}", text, role.origin, WHY_LISTED)
    return [head(f"{role.name}: {{\n", "tools", path=role.path), description, tail(f"{role.settings}\n}}", "tools")]
