"""How Copilot CLI is started against a recording server."""

from __future__ import annotations

from promptls.harnesses.program import URL, Program, Run, Start

MODEL = "stub-model"
SETTINGS, HOOKS = ".copilot/config.json", ".copilot/hooks/"
TRUSTED: tuple[str, ...] = ("trusted_folders", "trustedFolders")
VARIABLES = {
    "COPILOT_OFFLINE": "true",
    "COPILOT_AUTO_UPDATE": "false",
    "COPILOT_PROVIDER_TYPE": "openai",
    "COPILOT_PROVIDER_BASE_URL": f"{URL}/v1",
}


def _start(run: Run) -> Start:
    own = [] if run.runs else [each for name in run.servers for each in ("--disable-mcp-server", name)]
    own += ["--continue"] if run.goes_on else []
    own += ["--agent", run.agent] if run.agent else []
    # Otherwise it asks before it views what is outside of the working directory.
    arguments = ("-p", run.typed, "--no-color", "--allow-all-paths", *own, *run.args)
    variables = {**VARIABLES, "COPILOT_MODEL": run.model or MODEL}
    if run.runs:
        return Start(arguments, variables)
    # In a folder that is trusted it runs hooks, those of Claude Code, too; no setting turns them off.
    return Start(arguments, variables, {SETTINGS: {key: [] for key in TRUSTED}}, leaves_out=(HOOKS,))


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
    then="it leaves out the instructions that viewed files have brought",
    only={SETTINGS: TRUSTED},
    turns_off=("server", "hook"),
    off_keys=("mcpServers", "hooks"),
)
