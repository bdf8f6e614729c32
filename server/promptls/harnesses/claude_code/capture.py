"""How Claude Code is started against a recording server."""

from __future__ import annotations

import json

from promptls.core.paths import join
from promptls.core.values import replace
from promptls.harnesses.claude_code.files.at_start import slug
from promptls.harnesses.claude_code.later_turns import refused_at
from promptls.harnesses.claude_code.setup import SHORT_MODES
from promptls.harnesses.claude_code.spec import SPEC
from promptls.harnesses.claude_code.turns.user_turns import plan_typed
from promptls.kit.launch import (
    JSON,
    KEY,
    MANIFEST,
    PACKAGE,
    RETURN,
    SERVERS,
    URL,
    Asking,
    Client,
    Configuration,
    OnScreen,
    Passing,
    Program,
    Run,
    Start,
    taking,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.model import Turn

# Settings of the user's and of the workspace win over the environment; those of --settings win over them.
SERVICE = {
    "ANTHROPIC_BASE_URL": URL,
    "ANTHROPIC_API_KEY": KEY,
    "ANTHROPIC_AUTH_TOKEN": "",
    "CLAUDE_CODE_USE_BEDROCK": "",
    "CLAUDE_CODE_USE_VERTEX": "",
    "CLAUDE_CODE_USE_FOUNDRY": "",
    "HTTPS_PROXY": URL,
    "HTTP_PROXY": URL,
}
SETTINGS = Configuration(
    r"(?:^|/)(?:managed-)?settings(?:\.local)?\.json$",
    keys=(
        *("$schema", "agent", "model", "outputStyle", "language", "claudeMd", "claudeMdExcludes", "plansDirectory"),
        *("attribution.commit", "attribution.pr", "includeCoAuthoredBy", "includeGitInstructions"),
        *("autoMemoryEnabled", "autoMemoryDirectory", "disableBundledSkills", "disableAllHooks", "effortLevel"),
        *("disableWorkflows", "enableWorkflows", "workflowSizeGuideline", "disableAgentView", "promptCacheTtl"),
        *("availableModels", "enforceAvailableModels"),
        *("skillListingBudgetFraction", "skillListingMaxDescChars", "skillOverrides.*", "enabledPlugins.*"),
        *("permissions.allow", "permissions.ask", "permissions.deny", "permissions.defaultMode"),
        *("permissions.additionalDirectories", "permissions.disableBypassPermissionsMode"),
        *("pluginConfigs.*.options.instructionFiles", "pluginConfigs.*.options.projectInstructions"),
        *("disabledMcpjsonServers", "enabledMcpjsonServers", "enableAllProjectMcpServers", "alwaysThinkingEnabled"),
        *("modelOverrides.*", "fallbackModel", "respectGitignore"),
    ),
    variables=("env",),
    inert=(
        *("apiKeyHelper", "forceLoginMethod", "forceLoginOrgUUID", "minimumVersion", "theme"),
        *("cleanupPeriodDays", "feedbackSurveyRate", "companyAnnouncements", "spinnerTipsEnabled", "spinnerVerbs"),
        *("allowManagedHooksOnly", "allowManagedMcpServersOnly", "allowManagedPermissionRulesOnly", "viewMode"),
        *("allowedMcpServers", "deniedMcpServers", "strictKnownMarketplaces", "blockedMarketplaces", "editorMode"),
        *("extraKnownMarketplaces", "fastMode", "prefersReducedMotion", "promptSuggestionEnabled", "tui", "voice"),
        *("showThinkingSummaries", "skipDangerousModePermissionPrompt", "skipWebFetchPreflight", "autoUpdates"),
        *("syntaxHighlightingDisabled", "terminalProgressBarEnabled", "allowedHttpHookUrls", "autoUpdatesChannel"),
        *("httpHookAllowedEnvVars", "statusLine", "subagentStatusLine", "fileSuggestion", "verbose"),
    ),
)
# Of what Claude Code remembers, only this changes a prompt.
STATE = Configuration(
    r"(?:^|/)\.claude\.json$",
    ("projects.*.hasClaudeMdExternalIncludesApproved", "skillUsage.*.usageCount", "skillUsage.*.lastUsedAt"),
    inert=("*",),
    running=("mcpServers.**", "projects.*.mcpServers.**"),
)
INSTALLED = Configuration(r"(?:^|/)installed_plugins\.json$", ("version", "plugins.**"))
MARKETPLACES = Configuration(
    r"(?:^|/)known_marketplaces\.json$", ("*.source.source", "*.source.path", "*.installLocation", "*.lastUpdated")
)
MARKETPLACE = Configuration(
    r"(?:^|/)\.claude-plugin/marketplace\.json$",
    (
        *("$schema", "name", "version", "description", "owner.*", "metadata.*"),
        *(f"plugins.*.{key}" for key in ("name", "source", "description", "version", "strict", "category", "tags")),
        *(f"plugins.*.{key}" for key in ("author.*", "homepage", "keywords", "skills", "commands", "agents")),
    ),
)
AGENTS = Configuration(
    JSON,
    tuple(
        f"*.{key}"
        for key in (
            *("description", "prompt", "tools", "disallowedTools", "model", "skills", "memory", "maxTurns", "effort"),
            *("color", "permissionMode", "background", "initialPrompt"),
        )
    ),
)
VARIABLES = {
    **SERVICE,
    # Otherwise root may not start it with every permission.
    "IS_SANDBOX": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
}
ASKING = Asking(
    prompt=("-p",),
    model="--model",
    agent="--agent",
    mode="--permission-mode",
    goes_on=("--continue",),
    stays=("--strict-mcp-config",),
    is_first=True,
    editor=(
        *("--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--no-chrome"),
        *("--permission-prompt-tool", "stdio", "--setting-sources=user,project,local", "--replay-user-messages"),
        "--include-partial-messages",
    ),
)
# What its extension for Visual Studio Code sets [source: a public copy of its start].
OF_EDITOR = {
    "CLAUDE_CODE_ENTRYPOINT": SPEC.in_editor,
    "CLAUDE_CODE_ENABLE_TASKS": "0",
    "MCP_CONNECTION_NONBLOCKING": "true",
}


def _start(run: Run) -> Start:
    run = replace(run, mode=SHORT_MODES.get(run.mode, run.mode))
    # With a home elsewhere, the user's own directory above a workspace would count as a project's.
    settings = {
        "apiKeyHelper": f"echo {KEY}",
        "env": SERVICE,
        # What a session reads, it reads: without a user nobody allows it outside of the working directory.
        "permissions": {"allow": ["Read"]},
        **({} if run.runs else {"disableAllHooks": True}),
        **({} if run.home == run.user_home else {"claudeMdExcludes": [join(run.user_home, ".claude", "**")]}),
    }
    arguments = ASKING.arguments(run, "--settings", json.dumps(settings))
    if not run.is_on_screen:
        return Start(arguments, {**VARIABLES, **(OF_EDITOR if run.is_in_editor else {})})
    # What it asks who starts it for the first time.
    trusted = {run.cwd: {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}}
    known = {"hasCompletedOnboarding": True, "theme": "dark", "projects": trusted}
    known |= {"customApiKeyResponses": {"approved": [KEY], "rejected": []}, "bypassPermissionsModeAccepted": True}
    return Start(arguments, VARIABLES, {".claude.json": known})


def _asking_nothing(turns: Sequence[Turn]) -> frozenset[int]:
    """The turns, by number, whose commands the program carries out without asking the model."""
    return refused_at(turns) | {number for number, turn in enumerate(turns) if plan_typed(turn) == ""}


PROGRAM = Program(
    command="claude",
    version=r"^(\d\S*) \(Claude Code\)",
    main=("Read",),
    read="Read",
    read_argument="file_path",
    start=_start,
    passing=(
        Passing("the date", r"Today's date is [\d-]+"),
        Passing("the order of hooks", order=r"\w+(?::\w+)? hook (?:success|additional context): ((?:(?!\n\n)[\s\S])+)"),
        Passing(
            "the order of files of one millisecond that come back with a compaction",
            tied=r'<system-reminder>\nCalled the Read tool with the following input: \{"file_path":"([^"\n]+)"\}',
        ),
        Passing("the order in which parallel calls end", r"(?<=</system-reminder>)\n?\Z", parallel=True),
        Passing(
            "a note on MCP servers that did not start",
            of_servers=r"(?:The following MCP servers [^\n]*\n(?:[^\n]+\n)+\n)+[^\n]+\n\n",
        ),
    ),
    named=r"available via ToolSearch\.[^\n]*\n((?:[\w-]+(?:\n|$))+)",
    keeps=(
        *("ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL", "CLAUDE_EFFORT"),
        *("ANTHROPIC_DEFAULT_SONNET_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL", "CLAUDE_CODE_SUBAGENT_MODEL"),
        *("CLAUDE_CODE_EFFORT_LEVEL", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "MAX_THINKING_TOKENS"),
        *("CLAUDE_CODE_DISABLE_THINKING", "CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING", "CLAUDE_CODE_DISABLE_1M_CONTEXT"),
        *("ENABLE_TOOL_SEARCH", "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS", "SLASH_COMMAND_TOOL_CHAR_BUDGET"),
        *("DISABLE_PROMPT_CACHING", "ENABLE_PROMPT_CACHING_1H", "DISABLE_INTERLEAVED_THINKING"),
        *("DISABLE_TELEMETRY", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"),
        *("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "CLAUDE_CODE_FORK_SUBAGENT", "CLAUDE_CODE_ENABLE_TASKS"),
        *("CLAUDE_CODE_DISABLE_WORKFLOWS", "CLAUDE_CODE_DISABLE_AGENT_VIEW", "CLAUDE_CODE_DISABLE_EXPLORE_PLAN_AGENTS"),
        *("CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS", "CLAUDE_CODE_DISABLE_CLAUDE_API_SKILL", "DISABLE_GROWTHBOOK"),
        *("CLAUDE_CODE_DISABLE_FEATURE_FLAGS", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_RESTRICTED"),
        *("CLAUDE_CODE_ACTION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_ENABLE_TODO_TOOLS", "FORCE_PROMPT_CACHING_5M"),
        *("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_DISABLE_CLAUDE_MDS"),
        *("CLAUDE_CODE_DISABLE_BUNDLED_SKILLS", "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"),
        *("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "CLAUDE_CODE_DISABLE_CRON", "CLAUDE_CODE_NEW_INIT"),
        *("CLAUDE_CODE_COORDINATOR_MODE", "CLAUDE_CODE_PROACTIVE", "CLAUDE_CODE_BRIEF", "USE_BUILTIN_RIPGREP"),
        *("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "BASH_MAX_OUTPUT_LENGTH"),
        *("BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "TASK_MAX_OUTPUT_LENGTH"),
        *("MCP_CONNECTION_NONBLOCKING", "MCP_CONNECT_TIMEOUT_MS", "MCP_TIMEOUT"),
    ),
    drives=("resume", "subagent", "interactive", "editor", "mode", "compact", "request"),
    summary="<summary>\n{}\n</summary>",
    # Where it decides by itself, it asks a model whether a call is to be blocked.
    aside="<block>no</block>",
    # What an agent in the background is doing, for the screen.
    progress=r"most recent action in \d-\d words",
    compacts_printing=True,
    refuses=_asking_nothing,
    speaks="stream-json",
    is_apart_in_editor=True,
    on_screen=OnScreen(dialogs=(("trustthisfolder", RETURN), ("BypassPermissionsmode", f"2{RETURN}"))),
    # (captured: json-schema)
    asks_again=("--json-schema",),
    captured_with={"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
    places={"CLAUDE_CONFIG_DIR": ".claude"},
    slug=slug,
    configurations=(SETTINGS, STATE, INSTALLED, MARKETPLACES, MARKETPLACE, MANIFEST, SERVERS, PACKAGE),
    headers=(
        *("arguments", "effort", "maxTurns", "permissionMode", "background", "initialPrompt"),
        *("disallowed-tools", "force-for-plugin"),
    ),
    # Of plugins: what their hooks and servers start.
    code=r"(?:^|/)\.claude/(?:hooks|scripts|bin)/|(?:^|/)hooks/hooks\.json$|(?:^|/)\.?lsp\.json$|(?:^|/)monitors/",
    options={
        **taking(
            value=(
                *("--system-prompt", "--system-prompt-file", "--append-system-prompt", "--append-system-prompt-file"),
                *("--agent", "--setting-sources", "--model", "--permission-mode", "--effort", "--fallback-model"),
                *("--json-schema", "--max-turns", "--max-budget-usd", "--name", "-n"),
                *("--autocompact", "--permission-prompts"),
            ),
            values=(
                *("--add-dir", "--tools", "--allowedTools", "--disallowedTools", "--allowed-tools"),
                *("--disallowed-tools", "--betas"),
            ),
            nothing=(
                *("--bare", "--safe-mode", "--restricted", "--exclude-dynamic-system-prompt-sections", "--print", "-p"),
                *("--verbose", "--strict-mcp-config", "--dangerously-skip-permissions", "--disable-slash-commands"),
                *("--allow-dangerously-skip-permissions", "--no-session-persistence", "--no-chrome"),
                "--ax-screen-reader",
            ),
        ),
        "--settings": replace(SETTINGS, place=JSON),
        "--agents": AGENTS,
    },
    # (captured: mcp-client)
    client=Client(
        "claude-code",
        "2025-11-25",
        {"roots": {"listChanged": True}, "elicitation": {"form": {}, "url": {}}},
        {
            "title": "Claude Code",
            "description": "Anthropic's agentic coding tool",
            "websiteUrl": "https://claude.com/claude-code",
        },
        takes_first=True,
    ),
)
