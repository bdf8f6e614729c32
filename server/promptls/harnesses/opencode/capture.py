"""How opencode is started against a recording server."""

from __future__ import annotations

import json

from promptls.harnesses.program import KEY, URL, Program, Run, Start

MODEL = "anthropic/claude-sonnet-4-5"
# The address of the API below the server's, where it is another one than for most providers.
PATHS = {"google": "/v1beta"}
VARIABLES = {
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "npm_config_registry": f"{URL}/npm/",
}


def _start(run: Run) -> Start:
    model = run.model or MODEL
    provider = model.partition("/")[0]
    service = {"options": {"baseURL": f"{URL}{PATHS.get(provider, '/v1')}", "apiKey": KEY}}
    # These win over the project's own.
    content: dict[str, object] = {
        "$schema": "https://opencode.ai/config.json",
        "share": "disabled",
        "autoupdate": False,
        "snapshot": False,
        "permission": {"read": "allow", "external_directory": "allow"},
        "enabled_providers": [provider],
        "disabled_providers": [],
        "small_model": model,
        "provider": {provider: service},
    }
    if not run.runs:
        content |= {"lsp": False, "formatter": False, "mcp": {name: {"enabled": False} for name in run.servers}}
    own = [*([] if run.runs else ["--pure"]), *(["--agent", run.agent] if run.agent else [])]
    arguments = ("run", "--model", model, "--format", "json", *own, *run.args, "--", run.typed)
    return Start(arguments, {**VARIABLES, "OPENCODE_CONFIG_CONTENT": json.dumps(content)})


PROGRAM = Program(
    command="opencode",
    version=r"^(\d[\w.+-]*)$",
    main=("read",),
    read="read",
    read_argument="filePath",
    start=_start,
    keeps=(
        *("OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_DISABLE_CLAUDE_CODE", "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT"),
        *("OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", "OPENCODE_DISABLE_EXTERNAL_SKILLS"),
    ),
    places={"OPENCODE_CONFIG_DIR": ".opencode-config"},
    drops=("provider", "plugin", "mcp"),
    turns_off=("server",),
    off_keys=("mcp",),
    runs=(".opencode/tool", ".opencode/tools", ".opencode/plugin", ".opencode/plugins"),
)
