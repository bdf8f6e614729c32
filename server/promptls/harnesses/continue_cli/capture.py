"""How Continue's command line is started against a recording server."""

from __future__ import annotations

from promptls.core.paths import join
from promptls.kit.launch import KEY, PACKAGE, URL, Asking, Configuration, Program, Run, Start, taking

MODEL = "stub-model"
# It runs hooks of another program's configurations, too; one file turns off those of all.
CONFIG, HOOKS = ".continue/config.yaml", ".continue/settings.json"

# A rule is a text, or has one; one that is named by ``uses`` is fetched, or a file.
RULES = ("rules", "rules.*", "rules.*.name", "rules.*.rule", "rules.*.description", "rules.*.globs", "rules.*.regex")
CONFIGURATION = Configuration(
    r"(?:^|/)[^/]*\.ya?ml$",
    ("name", "version", "schema", *RULES, "rules.*.alwaysApply"),
    inert=("models", "metadata", "env"),
)


def _start(run: Run) -> Start:
    model = {"name": run.model or MODEL, "provider": "openai", "model": run.model or MODEL}
    model |= {"apiBase": f"{URL}/v1", "apiKey": KEY}
    service = {**model, "roles": ["chat"], "capabilities": ["tool_use"]}
    settings = {"name": "promptls", "version": "1.0.0", "schema": "v1", "models": [service]}
    arguments = Asking(goes_on=("--resume",)).arguments(run, "-p", "--config", join(run.home, CONFIG), "--auto")
    hooks = {} if run.runs else {HOOKS: {"disableAllHooks": True}}
    variables = {"CONTINUE_TELEMETRY_ENABLED": "0"}
    return Start(arguments, variables, {CONFIG: settings, **hooks})


PROGRAM = Program(
    command="cn",
    version=r"^(\d[\w.+-]*)$",
    main=("Read",),
    read="Read",
    read_argument="filepath",
    start=_start,
    model=MODEL,
    places={"CONTINUE_GLOBAL_DIR": ".continue"},
    configurations=(CONFIGURATION, PACKAGE),
    headers=("alwaysApply", "globs", "regex", "invokable", "schema", "argument-hint"),
    code=r"(?:^|/)\.continue/(?:hooks|scripts|bin|config\.[jt]s)|(?:^|/)\.continuerc\.json$",
    options=taking(
        value=("--rule", "--model", "--allow", "--exclude", "--ask"),
        nothing=("--print", "-p", "--auto", "--readonly", "--verbose", "--silent"),
    ),
)
