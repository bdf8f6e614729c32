"""How Copilot in VS Code is started against a recording server: as code-server, shown to a browser without a window."""

from __future__ import annotations

import json

from promptls.core.formats import parse_json
from promptls.core.paths import join, upwards
from promptls.core.text import decode
from promptls.kit.launch import KEY, PACKAGE, URL, Configuration, Program, Run, Start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Range

MODEL = "stub-model"
AGENT = "agent"
# The extension that every copy of code-server has, from the directory of the program on.
EXTENSION = "lib/vscode/extensions/copilot/package.json"
OFF = {"chat.useHooks": False, "chat.mcp.access": "none"}
_SWITCHES = (
    *("github.copilot.chat.codeGeneration.useInstructionFiles", "chat.useAgentsMdFile", "chat.useNestedAgentsMdFiles"),
    *("chat.useClaudeMdFile", "chat.useCustomizationsInParentRepositories", "chat.includeApplyingInstructions"),
    *("chat.includeReferencedInstructions", "chat.useAgentSkills", "github.copilot.chat.skillTool.enabled"),
    *("github.copilot.chat.customInstructionsInSystemMessage", "chat.useHooks", "chat.useClaudeHooks"),
    "github.copilot.chat.agent.currentEditorContext.enabled",
)
_PLACES = (
    *("chat.instructionsFilesLocations", "chat.promptFilesLocations", "chat.agentFilesLocations"),
    "chat.agentSkillsLocations",
)


def _flat(key: str, inner: str = "") -> str:
    """A key of VS Code's settings is one word with dots."""
    return key.replace(".", r"\.") + inner


_KEYS = (
    *map(_flat, _SWITCHES),
    *(_flat(key, ".*") for key in _PLACES),
    *(_flat("github.copilot.chat.codeGeneration.instructions", f".*.{key}") for key in ("text", "file", "language")),
    *map(_flat, ("files.eol", "files.encoding", "editor.tabSize", "editor.insertSpaces")),
)
CONFIGURATION = Configuration(
    r"(?:^|/)(?:\.vscode|User|profiles/[^/]+)/settings\.json$",
    _KEYS,
    inert=tuple(map(_flat, ("workbench.colorTheme", "editor.fontSize", "editor.fontFamily", "window.zoomLevel"))),
)
WORKSPACE = Configuration(
    r"\.code-workspace$", ("folders.*.path", "folders.*.name", *(f"settings.{key}" for key in _KEYS))
)
PROFILES = Configuration(
    r"(?:^|/)globalStorage/storage\.json$", ("userDataProfiles.*.name", "userDataProfiles.*.location"), inert=("*",)
)


def _start(run: Run) -> Start:
    asked = {
        "folder": run.cwd,
        "typed": run.typed,
        "mode": run.agent or AGENT,
        "attached": run.attached,
        "open": [{"path": each.path, "selection": _selection(each.selection)} for each in run.opened],
        "model": run.model or MODEL,
        "url": f"{URL}/v1/chat/completions",
        "key": KEY,
        "settings": {} if run.runs else OFF,
    }
    return Start((json.dumps(asked),))


def _selection(selected: Range | None) -> list[int] | None:
    if selected is None:
        return None
    return [*selected.start, *selected.end]


def _version(host: Host, program: str) -> str | None:
    """The version of the extension that a copy of code-server has."""
    for directory in upwards(host.realpath(program)):
        contents = host.read(join(directory, EXTENSION))
        if contents.state == "file":
            root = parse_json(decode(contents.data, keep_bom=False), comments=False).root
            return root.text("version") if root is not None else None
    return None


PROGRAM = Program(
    command="code-server",
    version="",
    main=("*",),
    start=_start,
    launcher="vscode",
    beside=("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    find_version=_version,
    advice=(
        "VS Code itself cannot be recorded by promptls; docs/command-line.md says how to do that by hand with "
        "“promptls record”."
    ),
    model=MODEL,
    goes_on=False,
    attaches=True,
    opens=True,
    configurations=(
        *(CONFIGURATION, WORKSPACE, PROFILES, PACKAGE),
        Configuration(r"(?:^|/)\.vscode/mcp\.json$", emptied=("servers",)),
    ),
    headers=(
        *("infer", "agents", "mode", "target", "handoffs", "user-invocable", "user-invokable", "paths", "excludeAgent"),
        *("when_to_use", "context"),
    ),
    code=r"(?:^|/)\.(?:github|copilot)/hooks/|(?:^|/)\.vscode/(?:extensions/|launch\.json$)",
    patience=120.0,
)
