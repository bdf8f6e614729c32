"""How Gemini CLI is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import (
    DOWN,
    INERT_SETTINGS,
    KEY,
    PACKAGE,
    RETURN,
    TRUSTED_FOLDERS,
    URL,
    Asking,
    Client,
    Configuration,
    OnScreen,
    Passing,
    Program,
    Run,
    Start,
    before_anything,
    taking,
)

# No server has this name: an empty list would allow all of them.
NO_SERVER = "promptls-none"
VARIABLES = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": URL, "GEMINI_CLI_NO_RELAUNCH": "true"}
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}

CONFIGURATION = Configuration(
    r"(?:^|/)(?:settings|system-defaults)\.json$",
    keys=(
        *("context.fileName", "context.importFormat", "context.memoryBoundaryMarkers", "context.includeDirectories"),
        *("context.includeDirectoryTree", "context.loadMemoryFromIncludeDirectories", "context.discoveryMaxDirs"),
        *("context.fileFiltering.respectGitIgnore", "context.fileFiltering.respectGeminiIgnore"),
        *("context.fileFiltering.enableRecursiveFileSearch", "context.fileFiltering.customIgnoreFilePaths"),
        *("security.folderTrust.enabled", "security.allowedExtensions", "security.blockGitExtensions"),
        *("model.name", "model.maxSessionTurns", "model.skipNextSpeakerCheck", "tools.exclude", "tools.core"),
        *("tools.allowed", "tools.useRipgrep", "tools.truncateToolOutputThreshold", "mcp.allowed", "mcp.excluded"),
        *(
            "skills.enabled",
            "skills.disabled",
            "experimental.enableAgents",
            "experimental.skills",
            "agents.overrides.**",
        ),
        *("general.defaultApprovalMode", "general.topicUpdateNarration", "general.plan.enabled"),
        *("experimental.taskTracker", "experimental.contextManagement"),
        *("admin.extensions.enabled", "hooksConfig.enabled", "experimental.plan", "experimental.jitContext"),
        *("contextFileName", "memoryImportFormat", "includeDirectories", "loadMemoryFromIncludeDirectories"),
        *("excludeTools", "coreTools", "allowedTools", "folderTrust"),
    ),
    inert=INERT_SETTINGS,
)
EXTENSION = Configuration(
    r"(?:^|/)gemini-extension\.json$", ("name", "version", "description", "contextFileName", "excludeTools")
)
INSTALL = Configuration(r"(?:^|/)\.gemini-extension-install\.json$", ("type", "source"), inert=("*",))
ENABLEMENT = Configuration(r"(?:^|/)extension-enablement\.json$", ("*.overrides",))
COMMAND = Configuration(r"(?:^|/)commands/.+\.toml$", ("prompt", "description"))
PROJECTS = Configuration(r"(?:^|/)projects\.json$", ("projects.*",))
ACKNOWLEDGED = Configuration(r"(?:^|/)acknowledgments/agents\.json$", ("*", "*.*"))
VARIABLES_FILE = Configuration(r"(?:^|/)\.env$", variables=("",))
ASKING = Asking(
    ("-p",),
    model="-m",
    mode="--approval-mode",
    goes_on=("--resume", "latest"),
    stays=("--allowed-mcp-server-names", NO_SERVER),
    editor=("--acp",),
)


def _start(run: Run) -> Start:
    variables = {**VARIABLES, **({"GEMINI_CLI_TRUST_WORKSPACE": "true"} if run.trusts else {})}
    return Start(ASKING.arguments(run), variables, {".gemini/settings.json": SETTINGS})


# What loads code in a server, which the program passes to none [source: isDangerousExecutionEnvironmentVariable].
DROPPED = frozenset(
    (
        *("NODE_OPTIONS", "NODE_CLI_FLAGS", "_FORCE_NODE_OPTIONS", "NODE_PATH", "ELECTRON_RUN_AS_NODE"),
        *("PYTHONPATH", "PYTHONSTARTUP", "RUBYOPT", "RUBYLIB", "PERL5OPT", "PERL5LIB", "LD_PRELOAD"),
        *("LD_AUDIT", "LD_DEBUG", "LD_PROFILE", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"),
        *("DYLD_FORCE_FLAT_NAMESPACE", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH"),
        *("DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH", "BASH_ENV", "ENV", "PERL5DB"),
        *("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER_PATH"),
        *("CORECLR_ENABLE_PROFILING",),
    )
)
PROGRAM = Program(
    command="gemini",
    version=r"^(\d[\w.+-]*)$",
    main=("read_file", "complete_task"),
    read="read_file",
    read_argument="file_path",
    start=_start,
    passing=(
        Passing("the date", r"Today's date is [^\n]+"),
        # They are in the order in which their files were read (seen on a machine under load).
        Passing("the order of the skills", order=r"  <skill>\n    <name>(.*?)</name>[\s\S]*?\n  </skill>\n"),
    ),
    keeps=(
        *("GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_SYSTEM_MD", "GEMINI_MODEL", "GEMINI_CLI_IDE_WORKSPACE_PATH"),
        *("LC_ALL", "LC_MESSAGES"),
    ),
    files=("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "GEMINI_CLI_TRUSTED_FOLDERS_PATH"),
    places={"GEMINI_CLI_HOME": ""},
    drives=("resume", "interactive", "editor", "mode", "compact", "request", "subagent"),
    speaks="acp",
    refuses=before_anything,
    compacts_in_editor=False,
    on_screen=OnScreen(
        # A sub-agent of the folder that the user has not agreed to stays off.
        dialogs=(("Doyoutrust", RETURN), ("Acknowledge", f"{DOWN}{RETURN}")),
        leaves="/quit",
        takes_up=(),
        picks=r"(?:^|\s)@\S+$",
    ),
    compacts="/compress",
    summaries=2,
    then="it sends the results of tools twice",
    configurations=(
        *(CONFIGURATION, EXTENSION, INSTALL, ENABLEMENT, COMMAND, PROJECTS, ACKNOWLEDGED, VARIABLES_FILE, PACKAGE),
        TRUSTED_FOLDERS,
    ),
    headers=("display_name",),
    code=r"(?:^|/)\.gemini/(?:hooks|sandbox[^/]*|scripts|bin)|(?:^|/)hooks/hooks\.json$",
    options=taking(
        value=("--model", "-m", "--include-directories", "--extensions", "-e", "--approval-mode"),
        nothing=("--skip-trust", "--yolo", "-y", "--screen-reader"),
    ),
    # (captured: mcp-client)
    client=Client("gemini-cli-mcp-client", "2025-06-18", {"roots": {"listChanged": True}}, drops=DROPPED),
)
