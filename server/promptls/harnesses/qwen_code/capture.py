"""How Qwen Code is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import (
    INERT_SETTINGS,
    KEY,
    PACKAGE,
    TRUSTED_FOLDERS,
    URL,
    Asking,
    Configuration,
    Program,
    Run,
    Start,
    taking,
)

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

CONFIGURATION = Configuration(
    r"(?:^|/)(?:settings|system-defaults)\.json$",
    keys=(
        *("context.fileName", "context.importFormat", "context.includeDirectories"),
        *("context.loadFromIncludeDirectories", "context.fileFiltering.respectGitIgnore"),
        *("context.fileFiltering.respectQwenIgnore", "context.fileFiltering.enableRecursiveFileSearch"),
        *("security.folderTrust.enabled", "model.name", "model.skipNextSpeakerCheck", "general.outputLanguage"),
        *("general.language", "tools.exclude", "tools.core", "tools.allowed", "tools.approvalMode", "mcp.allowed"),
        *("mcp.excluded", "skills.enabled", "skills.disabled", "memory.enabled", "memory.autoMemory"),
        *("contextFileName", "memoryImportFormat", "includeDirectories", "loadMemoryFromIncludeDirectories"),
        *("excludeTools", "coreTools", "folderTrust"),
    ),
    variables=("env",),
    inert=(*INERT_SETTINGS, "modelProviders", "model"),
)
COMMAND = Configuration(r"(?:^|/)commands/.+\.toml$", ("prompt", "description"))
EXTENSION = Configuration(
    r"(?:^|/)(?:qwen|gemini)-extension\.json$", ("name", "version", "description", "contextFileName", "excludeTools")
)
VARIABLES_FILE = Configuration(r"(?:^|/)\.env$", variables=("",))
ASKING = Asking(("-p",), goes_on=("--continue",), stays=("--allowed-mcp-server-names", NO_SERVER))


def _start(run: Run) -> Start:
    model = run.model or MODEL
    # Without a terminal it has other tools, unless every call is approved.
    arguments = ASKING.arguments(run, "--auth-type", "openai", "--approval-mode", "yolo", "-m", model)
    variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": ADDRESS, "OPENAI_MODEL": model}
    return Start(arguments, variables, {".qwen/settings.json": SETTINGS})


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
    configurations=(CONFIGURATION, EXTENSION, COMMAND, VARIABLES_FILE, PACKAGE, TRUSTED_FOLDERS),
    headers=("tools", "model", "color", "approvalMode", "disallowedTools", "priority", "argument-hint"),
    code=r"(?:^|/)\.qwen/(?:extensions|hooks|sandbox[^/]*|scripts|bin)(?:/|$)",
    options=taking(
        value=(
            *("--model", "-m", "--system-prompt", "--append-system-prompt", "--approval-mode", "--fallback-model"),
            *("--max-session-turns", "--max-tool-calls", "--max-wall-time"),
        ),
        values=("--include-directories", "--add-dir"),
        nothing=("--bare", "--safe-mode", "--yolo", "-y", "--screen-reader"),
    ),
)
