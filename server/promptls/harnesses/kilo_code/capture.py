"""How Kilo Code's command line is started against a recording server."""

from __future__ import annotations

import json

from promptls.kit import run_command
from promptls.kit.launch import KEY, PACKAGE, SKILL_OF_CODEX, URL, Program, Run, Start, taking

MODEL = "promptls/stub-model"
VARIABLES = {
    "KILO_DISABLE_AUTOUPDATE": "1",
    "KILO_DISABLE_DEFAULT_PLUGINS": "1",
    "KILO_DISABLE_LSP_DOWNLOAD": "1",
    "KILO_DISABLE_MODELS_FETCH": "1",
    "KILO_TELEMETRY_DISABLED": "1",
    "npm_config_registry": f"{URL}/npm/",
}


def _start(run: Run) -> Start:
    model = run.model or MODEL
    provider, _, name = model.partition("/")
    service = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{URL}/v1", "apiKey": KEY},
        "models": {name: {"tool_call": True}},
    }
    # It wins over the project's own.
    content = run_command.content(provider, model, service)
    if not run.runs:
        content |= {"lsp": False, "formatter": False}
    arguments = run_command.arguments(run, model)
    if not run.typed.startswith("-"):  # behind -- it adds no quotation marks, which a prompt usually has
        arguments = (*arguments[:-2], run.typed)
    return Start(arguments, {**VARIABLES, "KILO_CONFIG_CONTENT": json.dumps(content)})


PROGRAM = Program(
    command="kilo",
    version=r"^(\d[\w.+-]*)$",
    main=("read",),
    read="read",
    read_argument="filePath",
    start=_start,
    model=MODEL,
    keeps=("KILO_DISABLE_PROJECT_CONFIG", "KILO_DISABLE_CLAUDE_CODE", "KILO_DISABLE_CLAUDE_CODE_PROMPT"),
    places={"KILO_CONFIG_DIR": ".kilo-config"},
    files=("KILO_CONFIG",),
    attaches=True,
    patience=180.0,
    configurations=(run_command.configuration(r"(?:kilo|opencode|config)\.jsonc?"), PACKAGE, SKILL_OF_CODEX),
    headers=run_command.HEADERS,
    code=r"(?:^|/)(?:\.kilo|\.kilocode|\.kilo-config|\.opencode|kilo|opencode)/(?:tools?|plugins?)/",
    options=taking(
        value=("--model", "-m", "--agent", "--mode", "--dir", "--variant", "--title"),
        nothing=("--auto", "--thinking", "--print-logs"),
    ),
)
