"""How Codex is started against a recording server."""

from __future__ import annotations

import json

from promptls.harnesses.program import KEY, URL, Passing, Program, Run, Start

NAME = "promptls"
KEY_VARIABLE = "PROMPTLS_KEY"
VARIABLES = {KEY_VARIABLE: KEY}
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
    resumed = ("resume", "--last") if run.goes_on else ()
    return Start(("exec", "--skip-git-repo-check", *_given(run), *run.args, *resumed, "--", run.typed), VARIABLES)


def _view(run: Run) -> Start:
    # What runs without a screen never asks.
    given = (*_given(run), "-c", 'approval_policy="never"')
    return Start(("debug", "prompt-input", *given, *run.args, "--", run.typed), VARIABLES)


def _given(run: Run) -> list[str]:
    # A table: the key of -c takes no quotes, and the name of a server may have a dot.
    off = ",".join(f"{json.dumps(name)}={{enabled=false}}" for name in run.servers)
    settings = [*SETTINGS, *([] if run.runs else ["features.hooks=false"])]
    settings += [f"mcp_servers={{{off}}}"] if off and not run.runs else []
    settings += [f"model={json.dumps(run.model)}"] if run.model else []
    given = [each for setting in settings for each in ("-c", setting)]
    return [*given, *(each for path in run.attached for each in ("--image", path))]


PROGRAM = Program(
    command="codex",
    version=r"^codex(?:-cli)? (\d\S*)",
    main=("exec_command", "functions/exec", "functions/exec_command", "shell", "shell_command", "exec"),
    start=_start,
    view=_view,
    passing=(
        Passing("the date", r"<current_date>[^<]*</current_date>"),
        Passing("the id and the time of a command that has run", r"Chunk ID: \w+\nWall time: [\d.]+ seconds"),
    ),
    named=r"Deferred tool namespaces:\n((?:- .*\n)+)",
    # Its prompt names this directory.
    keeps=("TMPDIR",),
    places={"CODEX_HOME": ".codex"},
    attaches=True,
    turns_off=("server", "hook"),
    off_keys=("mcp_servers", "mcpServers", "hooks"),
)
