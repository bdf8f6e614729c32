"""How Gemini CLI is started against a recording server."""

from __future__ import annotations

from promptls.harnesses.program import KEY, URL, Passing, Program, Run, Start

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
    own += ["--resume", "latest"] if run.goes_on else []
    own += ["-m", run.model] if run.model else []
    return Start((*own, *run.args, "-p", run.typed), VARIABLES, {".gemini/settings.json": SETTINGS})


PROGRAM = Program(
    command="gemini",
    version=r"^(\d[\w.+-]*)$",
    main=("read_file",),
    read="read_file",
    read_argument="file_path",
    start=_start,
    passing=(
        Passing("the date", r"Today's date is [^\n]+"),
        # They are in the order in which their files were read (seen on a machine under load).
        Passing("the order of the skills", order=r"  <skill>\n    <name>(.*?)</name>[\s\S]*?\n  </skill>\n"),
    ),
    keeps=("GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_SYSTEM_MD", "GEMINI_MODEL"),
    places={"GEMINI_CLI_HOME": ""},
    then="it sends the results of tools twice",
    drops=("mcpServers", "hooks"),
    turns_off=("server",),
    off_keys=("mcpServers",),
    runs_keys=("discoveryCommand", "toolDiscoveryCommand", "callCommand", "toolCallCommand", "serverCommand"),
)
