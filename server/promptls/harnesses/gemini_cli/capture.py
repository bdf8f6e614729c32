"""How Gemini CLI is started against a recording server."""

from __future__ import annotations

from promptls.harnesses.program import KEY, URL, Program, Run, Start

MODEL = "gemini-2.5-pro"
# No server has this name: an empty list would allow all of them.
NO_SERVER = "promptls-none"
VARIABLES = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": URL, "GEMINI_CLI_NO_RELAUNCH": "true"}
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}


def _start(run: Run) -> Start:
    own = [] if run.runs else ["--allowed-mcp-server-names", NO_SERVER]
    # Without a model a router is asked first.
    arguments = ("-m", run.model or MODEL, *own, *run.args, "-p", run.typed)
    return Start(arguments, VARIABLES, {".gemini/settings.json": SETTINGS})


PROGRAM = Program(
    command="gemini",
    version=r"^(\d[\w.+-]*)$",
    main=("read_file",),
    read="read_file",
    read_argument="file_path",
    start=_start,
    model=MODEL,
    keeps=("GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_SYSTEM_MD", "GEMINI_MODEL"),
    places={"GEMINI_CLI_HOME": ""},
    drops=("mcpServers", "hooks"),
    turns_off=("server",),
    off_keys=("mcpServers",),
    runs_keys=("discoveryCommand", "toolDiscoveryCommand", "callCommand", "toolCallCommand", "serverCommand"),
)
