"""How Copilot CLI is started against a recording server."""

from __future__ import annotations

from promptls.harnesses.program import URL, Program, Run, Start

MODEL = "stub-model"
VARIABLES = {
    "COPILOT_OFFLINE": "true",
    "COPILOT_AUTO_UPDATE": "false",
    "COPILOT_PROVIDER_TYPE": "openai",
    "COPILOT_PROVIDER_BASE_URL": f"{URL}/v1",
}


def _start(run: Run) -> Start:
    own = [] if run.runs else [each for name in run.servers for each in ("--disable-mcp-server", name)]
    own += ["--agent", run.agent] if run.agent else []
    arguments = ("-p", run.typed, "--no-color", *own, *run.args)
    return Start(arguments, {**VARIABLES, "COPILOT_MODEL": run.model or MODEL})


PROGRAM = Program(
    command="copilot",
    version=r"GitHub Copilot CLI (\d+\.\d+\.\d+[\w-]*)",
    main=("view",),
    read="view",
    read_argument="path",
    start=_start,
    model=MODEL,
    keeps=("COPILOT_CUSTOM_INSTRUCTIONS_DIRS",),
    places={"COPILOT_HOME": ".copilot"},
    only={".copilot/config.json": ("trusted_folders", "trustedFolders")},
    turns_off=("server",),
    off_keys=("mcpServers",),
)
