"""How Copilot in VS Code is started against a recording server: as code-server, shown to a browser without a window."""

from __future__ import annotations

import json

from promptls.core.formats import jsonc
from promptls.core.paths import join, upwards
from promptls.core.text import decode
from promptls.harnesses.program import KEY, URL, Program, Run, Start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Range

MODEL = "stub-model"
AGENT = "agent"
# The extension that every copy of code-server has, from the directory of the program on.
EXTENSION = "lib/vscode/extensions/copilot/package.json"
OFF = {"chat.useHooks": False, "chat.mcp.access": "none"}


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
            root = jsonc.parse(decode(contents.data, keep_bom=False), comments=False).root
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
    drops=("env", "apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "otelHeadersHelper"),
    turns_off=("server", "hook"),
    off_keys=("servers", "mcpServers", "hooks"),
    runs_keys=("chat.useHooks", "chat.mcp.access"),
    patience=120.0,
)
