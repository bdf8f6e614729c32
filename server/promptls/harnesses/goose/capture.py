"""How Goose is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, URL, Asking, Configuration, Program, Run, Start, taking

MODEL = "stub-model"


def _start(run: Run) -> Start:
    variables = {
        "OPENAI_HOST": URL,
        "OPENAI_API_KEY": KEY,
        "GOOSE_DISABLE_KEYRING": "1",
        "GOOSE_PROVIDER": "openai",
        "GOOSE_MODEL": run.model or MODEL,
        "GOOSE_MODE": "auto",
    }
    asking = Asking(("-t",), editor=("acp",))
    return Start(asking.arguments(run, *(() if run.is_in_editor else ("run",))), variables)


PROGRAM = Program(
    command="goose",
    version=r"(\d+\.\d+\.\d+)",
    main=("shell",),
    start=_start,
    model=MODEL,
    # The shell reads: what Goose looks at is the path among the words of the command. (wire: nested-read-two)
    read="shell",
    read_argument="command",
    reads_by="cat {}",
    goes_on=False,
    drives=("editor", "subagent"),
    speaks="acp",
    keeps=("CONTEXT_FILE_NAMES",),
    places={"XDG_CONFIG_HOME": ".config"},
    files=("GOOSE_SYSTEM_PROMPT_FILE_PATH", "GOOSE_ADDITIONAL_CONFIG_FILES"),
    configurations=(
        Configuration(
            r"(?:^|/)config\.yaml$",
            ("CONTEXT_FILE_NAMES", "GOOSE_SYSTEM_PROMPT_FILE_PATH", "extensions.skills.enabled"),
            inert=("GOOSE_PROVIDER", "GOOSE_MODEL", "GOOSE_MODE", "GOOSE_TELEMETRY_ENABLED"),
            running=("extensions",),
        ),
        PACKAGE,
    ),
    headers=("disable-model-invocation", "user-invocable", "license", "allowed-tools", "metadata"),
    code=r"(?:^|/)\.(?:goose|agents)/(?:plugins|bin|hooks)(?:/|$)",
    options=taking(value=("--system", "--with-builtin"), nothing=("--no-profile", "--no-session")),
)
