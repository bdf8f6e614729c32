"""The settings of VS Code that decide over a prompt: those of the user, of a profile and of the workspace.

The workspace's come over the user's; objects are merged key by key.
"""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.model import Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.kit.base import with_consequence
from promptls.kit.candidates import own
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document, Value
    from promptls.core.host import Host
    from promptls.harnesses.copilot_vscode.workspace import Workspace
    from promptls.kit.draft import Draft

USE_COPILOT = "github.copilot.chat.codeGeneration.useInstructionFiles"
USE_AGENTS = "chat.useAgentsMdFile"
USE_NESTED = "chat.useNestedAgentsMdFiles"
USE_CLAUDE = "chat.useClaudeMdFile"
USE_PARENTS = "chat.useCustomizationsInParentRepositories"
USE_APPLYING = "chat.includeApplyingInstructions"
USE_REFERENCED = "chat.includeReferencedInstructions"
USE_SKILLS = "chat.useAgentSkills"
USE_HOOKS = "chat.useHooks"
USE_CLAUDE_HOOKS = "chat.useClaudeHooks"
SKILL_TOOL = "github.copilot.chat.skillTool.enabled"
IN_SYSTEM_MESSAGE = "github.copilot.chat.customInstructionsInSystemMessage"
EDITOR_CONTEXT = "github.copilot.chat.agent.currentEditorContext.enabled"
TEXTS = "github.copilot.chat.codeGeneration.instructions"
# Whether a switch is on where nothing sets it.
DEFAULTS = {
    USE_COPILOT: True,
    USE_AGENTS: True,
    USE_NESTED: False,
    USE_CLAUDE: True,
    USE_PARENTS: False,
    USE_APPLYING: True,
    USE_REFERENCED: False,
    USE_SKILLS: True,
    USE_HOOKS: True,
    USE_CLAUDE_HOOKS: False,
    SKILL_TOOL: False,
    IN_SYSTEM_MESSAGE: True,
    EDITOR_CONTEXT: True,
}
WHY_READ = "VS Code reads its settings here"
CONSEQUENCE = "VS Code uses only what it can read of the settings until this is fixed"


@dataclass(frozen=True, slots=True)
class Source:
    """One file of settings; ``root`` is the object that holds them."""

    path: str
    document: Document
    root: Value | None

    def origin(self, value: Value, name: str) -> Origin:
        """The place of ``value``."""
        return Origin("config", path=self.path, range=self.document.range(value), name=name)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings; ``sources`` with the ones that win first."""

    sources: tuple[Source, ...] = ()

    def is_on(self, key: str) -> bool:
        """Whether a switch is on, by itself or by default."""
        found = self.value(key)
        return found[1].kind == "true" if found and found[1].kind in ("true", "false") else DEFAULTS[key]

    def value(self, key: str) -> tuple[Source, Value] | None:
        """The value of ``key`` and where it is set; None if it is nowhere."""
        for source in self.sources:
            value = source.root.get(key) if source.root is not None else None
            if value is not None:
                return source, value
        return None

    def origin(self, key: str) -> Origin:
        """Where ``key`` is set; a default has no place."""
        found = self.value(key)
        return found[0].origin(found[1], key) if found else Origin("computed", name=f"{key} by default")

    def switches(self, key: str) -> Iterator[tuple[str, bool, Origin]]:
        """The entries of an object of paths and truth values, merged: each with what it says and where."""
        merged: dict[str, tuple[bool, Origin]] = {}
        for source in reversed(self.sources):
            value = source.root.get(key) if source.root is not None else None
            for name, on in value.members if value is not None else ():
                is_on = TRUTH.get(str(on.data).strip().lower() if on.kind == "string" else on.kind)
                if is_on is not None and str(name.data).strip():
                    merged[str(name.data).strip()] = is_on, source.origin(name, str(name.data))
        for place, (is_on, origin) in merged.items():
            yield place, is_on, origin

    def is_object(self, key: str) -> bool:
        """Whether ``key`` is unset or an object; nothing else is taken, also not the defaults then."""
        found = self.value(key)
        return found is None or found[1].kind == "object"


TRUTH = {"true": True, "false": False}


def read(draft: Draft, host: Host, workspace: Workspace) -> Settings:
    """The settings of a workspace: its own, then those of the user (parts: settings-*).

    Of a folder that is one of several, VS Code takes none of these settings.
    """
    sources = []
    if workspace.file is not None:
        root = workspace.document.root if workspace.document is not None else None
        inner = root.get("settings") if root is not None else None
        if workspace.document is not None:
            sources.append(Source(workspace.file, workspace.document, inner))
    elif len(workspace.folders) == 1:
        sources += _file(draft, host, join(workspace.folders[0].path, ".vscode", "settings.json"))
    if workspace.user is not None:
        sources += _file(draft, host, join(workspace.user, "settings.json"))
    return Settings(tuple(sources))


def _file(draft: Draft, host: Host, path: str) -> Iterator[Source]:
    contents = host.read(path)
    rule = own(WHY_READ, use="config")
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return
    document = parse_json(decode(contents.data, keep_bom=False), comments=True)
    fault = document.fault("config-invalid")
    if fault is not None:
        draft.candidates.append(
            replace(rule, why=CONSEQUENCE).failed(path, faults=(with_consequence(fault, CONSEQUENCE),))
        )
    else:
        draft.candidates.append(rule.loaded(path))
    yield Source(path, document, document.root)
