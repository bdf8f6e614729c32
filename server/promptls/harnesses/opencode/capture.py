"""How opencode is started against a recording server."""

from __future__ import annotations

import json

from promptls.core.values import replace
from promptls.harnesses.opencode.listing.commands import REMARK
from promptls.harnesses.opencode.listing.skills import RACE
from promptls.kit import run_command
from promptls.kit.launch import (
    BACKSPACE,
    KEY,
    PACKAGE,
    SKILL_OF_CODEX,
    URL,
    Client,
    OnScreen,
    Passing,
    Program,
    Run,
    Start,
    taking,
)

MODEL = "anthropic/claude-sonnet-4-5"
# The address of the API below the server's, for providers with a format of their own.
PATHS = {"anthropic": "/v1", "openai": "/v1", "google": "/v1beta"}
# All others are asked in this one, also those that only the user's own configuration knows, which is left out.
OTHER = "@ai-sdk/openai-compatible"
VARIABLES = {
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "npm_config_registry": f"{URL}/npm/",
}


def _start(run: Run) -> Start:
    # A mode is an agent.
    run = replace(run, agent=run.agent or run.mode or None)
    model = run.model or MODEL
    provider, _, name = model.partition("/")
    service = {
        "options": {"baseURL": f"{URL}{PATHS.get(provider, '/v1')}", "apiKey": KEY},
        "models": {name: {}},
        **({} if provider in PATHS else {"npm": OTHER}),
    }
    # It wins over the project's own.
    content = {"$schema": "https://opencode.ai/config.json", **run_command.content(provider, model, service)}
    content |= {"model": model} if run.is_in_editor else {}
    if not run.runs:
        content |= {"lsp": False, "formatter": False, "mcp": {name: {"enabled": False} for name in run.servers}}
    return Start(run_command.arguments(run, model), {**VARIABLES, "OPENCODE_CONFIG_CONTENT": json.dumps(content)})


PROGRAM = Program(
    command="opencode",
    version=r"^(\d[\w.+-]*)$",
    main=("read",),
    read="read",
    read_argument="filePath",
    start=_start,
    model=MODEL,
    described=("task",),
    passing=(Passing("the date", r"Today's date: [^\n]+"),),
    race=RACE,
    asks_before=REMARK,
    keeps=(
        *("OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_DISABLE_CLAUDE_CODE", "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT"),
        *("OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", "OPENCODE_DISABLE_EXTERNAL_SKILLS"),
        *("OPENCODE_EXPERIMENTAL_PLAN_MODE", "OPENCODE_ENABLE_EXA", "OPENCODE_EXPERIMENTAL_EXA"),
        *("OPENCODE_ENABLE_PARALLEL", "OPENCODE_EXPERIMENTAL_PARALLEL", "OPENCODE_EXPERIMENTAL_LSP_TOOL"),
        *("OPENCODE_EXPERIMENTAL", "OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS"),
        "OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS",
    ),
    places={"OPENCODE_CONFIG_DIR": ".opencode-config"},
    files=("OPENCODE_CONFIG",),
    attaches=True,
    drives=("resume", "subagent", "agent", "interactive", "editor", "mode", "compact", "request"),
    speaks="acp",
    # It puts a blank behind what is pasted (seen by verify).
    on_screen=OnScreen(picks=r"(?:^|\s)@\S", after_paste=BACKSPACE),
    configurations=(run_command.configuration(r"(?:opencode|config)\.jsonc?"), PACKAGE, SKILL_OF_CODEX),
    headers=run_command.HEADERS,
    code=r"(?:^|/)(?:\.opencode|\.opencode-config|opencode)/(?:tools?|plugins?)/",
    options=taking(
        value=("--model", "-m", "--agent", "--dir", "--command", "--variant", "--title"),
        values=("--file", "-f"),
        nothing=("--auto", "--pure", "--thinking", "--print-logs"),
    ),
    client=Client("opencode", "2025-11-25", {"roots": {}}, takes_first=True),  # (captured: mcp-client)
)
