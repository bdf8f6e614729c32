"""How Qwen Code is started against a recording server."""

from __future__ import annotations

from promptls.harnesses.program import KEY, URL, Program, Run, Start

MODEL = "stub-model"
# No server has this name: an empty list would allow all of them.
NO_SERVER = "promptls-none"
ADDRESS = f"{URL}/v1"
SETTINGS = {
    "security": {"auth": {"selectedType": "openai"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False},
}


def _start(run: Run) -> Start:
    model = run.model or MODEL
    # Without a terminal it has other tools, unless every call is approved.
    own = ["--auth-type", "openai", "--approval-mode", "yolo", "-m", model]
    own += [] if run.runs else ["--allowed-mcp-server-names", NO_SERVER]
    own += ["--continue"] if run.goes_on else []
    variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": ADDRESS, "OPENAI_MODEL": model}
    return Start((*own, *run.args, "-p", run.typed), variables, {".qwen/settings.json": SETTINGS})


PROGRAM = Program(
    command="qwen",
    version=r"^(\d[\w.+-]*)$",
    # The request that writes its memory offers other tools that read.
    main=("agent",),
    read="read_file",
    read_argument="file_path",
    start=_start,
    model=MODEL,
    keeps=("QWEN_SYSTEM_MD",),
    places={"QWEN_HOME": ".qwen"},
    files=("QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH", "QWEN_CODE_TRUSTED_FOLDERS_PATH"),
    drops=("mcpServers", "hooks", "env", "modelProviders"),
    turns_off=("server",),
    off_keys=("mcpServers",),
    runs=(".qwen/extensions",),
    runs_keys=("hooks", "discoveryCommand", "toolDiscoveryCommand", "callCommand", "toolCallCommand", "serverCommand"),
)
