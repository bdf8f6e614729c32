"""How Copilot CLI is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import (
    MANIFEST,
    PACKAGE,
    RETURN,
    SERVERS,
    URL,
    Asking,
    Client,
    Configuration,
    OnScreen,
    Program,
    Run,
    Start,
    before_anything,
    taking,
)

MODEL = "stub-model"
# The key that chooses the next mode on the screen.
SHIFT_TAB = "\x1b[Z"
TRUSTED = ("trusted_folders", "trustedFolders")
# Where it keeps what it knows of the user; all else there is no setting.
STATE = Configuration(r"(?:^|/)(?:\.copilot/)?config\.json$", TRUSTED, inert=("*",), running=("hooks.**",))
SETTINGS = Configuration(
    r"(?:^|/)\.(?:claude|github/copilot)/settings(?:\.local)?\.json$", inert=("permissions", "env", "model", "$schema")
)
OF_USER = Configuration(
    r"(?:^|/)\.copilot/settings\.json$",
    keys=("askUser", "includeCoAuthoredBy", "disabledSkills", "defaultMode", "experimental"),
    inert=(
        *("model", "allowedUrls", "deniedUrls", "autoUpdate", "banner", "bannerStyle", "beep", "beepOnSchedule"),
        *("notifications", "terminalNotifications", "compactPaste", "copyOnSelect", "commandHistoryMaxSize"),
        *("companyAnnouncements", "continueOnAutoMode", "stayInAutopilot", "defaultPermissionMode", "logLevel"),
        *("contextTier", "autoTier", "mouse", "renderMarkdown", "inlineImages", "scrollbar", "respectGitignore"),
        *("screenReader", "showTipsOnStartup", "stream", "streamerMode", "tabs", "terminalProgress", "theme", "memory"),
        *("trustedFolders", "updateTerminalTitle", "keepAlive", "ide", "footer"),
    ),
)
VARIABLES = {
    "COPILOT_OFFLINE": "true",
    "COPILOT_AUTO_UPDATE": "false",
    "COPILOT_PROVIDER_TYPE": "openai",
    "COPILOT_PROVIDER_BASE_URL": f"{URL}/v1",
}
ASKING = Asking(
    ("-p",), agent="--agent", goes_on=("--continue",), stays_of="--disable-mcp-server", is_first=True, editor=("--acp",)
)


def _start(run: Run) -> Start:
    # Otherwise it asks before it views what is outside of the working directory.
    printing = () if run.is_on_screen else ("--no-color", *([f"--{run.mode}"] if run.mode else []))
    # It goes on by itself until task_complete is called, which no answer here does.
    continues = ("--max-autopilot-continues", "0") if run.mode == "autopilot" else ()
    arguments = ASKING.arguments(run, *printing, *continues, "--allow-all-paths")
    variables = {**VARIABLES, "COPILOT_MODEL": run.model or MODEL}
    state = {".copilot/config.json": {TRUSTED[0]: [run.cwd]}} if run.trusts else {}
    return Start(arguments, variables, state)


PROGRAM = Program(
    command="copilot",
    version=r"GitHub Copilot CLI (\d+\.\d+\.\d+[\w-]*)",
    main=(),
    read="view",
    read_argument="path",
    start=_start,
    model=MODEL,
    keeps=("COPILOT_CUSTOM_INSTRUCTIONS_DIRS",),
    places={"COPILOT_HOME": ".copilot"},
    unpacks=".cache/copilot/pkg",
    drives=("resume", "interactive", "editor", "mode", "compact", "request", "subagent"),
    compacts_printing=True,
    refuses=before_anything,
    compacts_beside="create a detailed summary of the conversation so far",
    speaks="acp",
    on_screen=OnScreen(
        dialogs=(("trustthefilesinthisfolder", RETURN),),
        modes={"plan": ("/plan ",), "autopilot": (SHIFT_TAB, SHIFT_TAB, "")},
        takes_up=(),
    ),
    then="it leaves out the instructions that viewed files have brought",
    configurations=(STATE, SETTINGS, OF_USER, SERVERS, MANIFEST, PACKAGE),
    headers=("infer", "user-invocable", "allowed-tools", "target", "excludeAgent", "argument-hint", "user-invokable"),
    code=r"(?:^|/)\.(?:github|copilot)/(?:hooks|extensions|scripts|bin)/|(?:^|/)hooks\.json$|(?:^|/)lsp(?:-config)?\.json$",
    options=taking(
        # Not --plugin-dir: what a plugin has may be run.
        value=(
            *("--model", "--agent", "--allow-tool", "--deny-tool", "--allow-url", "--deny-url"),
            *("--reasoning-effort", "--mode"),
        ),
        values=("--add-dir", "--available-tools", "--excluded-tools"),
        nothing=(
            *("--allow-all-tools", "--allow-all-paths", "--allow-all", "--no-color", "--no-custom-instructions"),
            *("-s", "--silent", "--no-ask-user"),
        ),
    ),
    # (captured: mcp-client)
    client=Client("copilot-cli", "2025-11-25", {"sampling": {}, "elicitation": {"form": {}, "url": {}}}),
)
