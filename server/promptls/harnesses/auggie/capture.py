"""How Auggie is started against a recording server, in the place of Augment's."""

from __future__ import annotations

import json

from promptls.kit.launch import KEY, PACKAGE, SERVERS, URL, Asking, Configuration, Program, Run, Start, taking

MODEL = "recorded"


def _start(run: Run) -> Start:
    session = {"accessToken": KEY, "tenantURL": URL, "scopes": ["email"]}
    arguments = Asking(("--instruction",), model="--model", editor=("--acp",)).arguments(
        run, *(() if run.is_in_editor else ("--print", "--dont-save-session"))
    )
    return Start(arguments, {"AUGMENT_SESSION_AUTH": json.dumps(session), "AUGMENT_DISABLE_AUTO_UPDATE": "1"})


PROGRAM = Program(
    command="auggie",
    version=r"^(\d+\.\d+\.\d+)",
    main=("view",),
    read="view",
    read_argument="path",
    start=_start,
    model=MODEL,
    goes_on=False,
    drives=("editor",),
    speaks="acp",
    configurations=(
        Configuration(r"(?:^|/)\.augment/rules/settings\.json$", ("sharedRules.*.path", "sharedRules.*.type")),
        Configuration(
            r"(?:^|/)\.augment/settings\.json$", inert=("model", "theme", "toolPermissions"), running=("hooks",)
        ),
        SERVERS,
        PACKAGE,
    ),
    headers=("type", "alwaysApply", "globs", "disable-model-invocation", "user-invocable", "license", "allowed-tools"),
    code=r"(?:^|/)\.augment/(?:plugins|hooks)(?:/|$)",
    options=taking(value=("--rules", "--model", "-m"), nothing=("--print", "-p", "--quiet", "--ask", "-a")),
)
