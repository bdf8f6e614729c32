"""How Codex is started against a recording server."""

from __future__ import annotations

import json

from promptls.harnesses.program import KEY, URL, Program, Run, Start

NAME = "promptls"
KEY_VARIABLE = "PROMPTLS_KEY"
PROVIDER = f'{{name="{NAME}",base_url="{URL}/v1",wire_api="responses",env_key="{KEY_VARIABLE}"}}'
# What is given with -c wins over the user's and the project's configuration.
SETTINGS = (
    f'model_provider="{NAME}"',
    f"model_providers.{NAME}={PROVIDER}",
    "notify=[]",
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "features.daemon_auto_start=false",
    "features.shell_snapshot=false",
)


def _start(run: Run) -> Start:
    off = [f"mcp_servers.{json.dumps(name)}.enabled=false" for name in run.servers]
    settings = [*SETTINGS, *([] if run.runs else ["features.hooks=false", *off])]
    settings += [f"model={json.dumps(run.model)}"] if run.model else []
    given = [each for setting in settings for each in ("-c", setting)]
    typed = ("--", run.typed)
    return Start(("exec", "--skip-git-repo-check", "--ephemeral", *given, *run.args, *typed), {KEY_VARIABLE: KEY})


PROGRAM = Program(
    command="codex",
    version=r"^codex(?:-cli)? (\d\S*)",
    main=("exec_command", "functions/exec", "functions/exec_command", "shell", "shell_command", "exec"),
    start=_start,
    places={"CODEX_HOME": ".codex"},
    turns_off=("server", "hook"),
    off_keys=("mcp_servers", "mcpServers", "hooks"),
)
