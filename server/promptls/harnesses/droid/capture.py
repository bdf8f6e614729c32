"""How Droid is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, SERVERS, URL, Asking, Configuration, Program, Run, Start, taking

MODEL = "custom:stub"
SETTINGS = ".factory/settings.json"

CONFIGURATION = Configuration(
    r"(?:^|/)settings(?:\.local)?\.json$",
    ("disabledSkills",),
    inert=("customModels", "model", "theme", "diffMode", "cloudSessionSync", "soundEnabled", "enabledPlugins"),
    running=("hooks",),
)


def _start(run: Run) -> Start:
    service = {
        "model": "stub",
        "id": MODEL,
        "displayName": "stub",
        "baseUrl": f"{URL}/v1",
        "apiKey": KEY,
        "provider": "generic-chat-completion-api",
        "maxOutputTokens": 8000,
    }
    arguments = Asking().arguments(run, "exec", "-m", MODEL, "--skip-permissions-unsafe")
    variables = {"FACTORY_DISABLE_KEYRING": "1"}
    return Start(arguments, variables, {SETTINGS: {"customModels": [service]}})


PROGRAM = Program(
    command="droid",
    version=r"^(\d[\w.+-]*)$",
    main=("Read",),
    read="Read",
    read_argument="file_path",
    start=_start,
    model=MODEL,
    goes_on=False,
    drives=("subagent",),
    # Without it, sub-agents run in a daemon that signs in.
    keeps=("FACTORY_AIRGAP_ENABLED", "FACTORY_APPEND_SYSTEM_PROMPT"),
    places={"FACTORY_HOME_OVERRIDE": ""},
    configurations=(CONFIGURATION, SERVERS, PACKAGE),
    headers=("enabled", "user-invocable", "disable-model-invocation", "allowed-tools", "license", "argument-hint"),
    code=r"(?:^|/)\.factory/(?:hooks|plugins|bin|missions)(?:/|$)|(?:^|/)\.factory/hooks\.json$",
    options=taking(
        value=("--append-system-prompt", "--append-system-prompt-file"),
        nothing=("--disable-builtin-skills", "--use-spec"),
    ),
)
