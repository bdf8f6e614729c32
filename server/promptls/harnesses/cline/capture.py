"""How Cline's command line is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, URL, Asking, Program, Run, Start, taking

PROVIDER, MODEL = "openai-compatible", "stub-model"
PROVIDERS = ".cline/data/settings/providers.json"
VARIABLES = {"CLINE_TELEMETRY_DISABLED": "1", "DO_NOT_TRACK": "1"}


def _start(run: Run) -> Start:
    model = run.model or MODEL
    service = {"provider": PROVIDER, "apiKey": KEY, "model": model, "baseUrl": f"{URL}/v1"}
    known = {"settings": service, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    settings = {"version": 1, "lastUsedProvider": PROVIDER, "modes": {}, "providers": {PROVIDER: known}}
    arguments = Asking().arguments(run, "--auto-approve", "true", "-P", PROVIDER, "-k", KEY, "-m", model)
    return Start(arguments, VARIABLES, {PROVIDERS: settings})


PROGRAM = Program(
    command="cline",
    version=r"^(\d[\w.+-]*)$",
    main=("read_files",),
    start=_start,
    model=MODEL,
    goes_on=False,
    places={"CLINE_DIR": ".cline"},
    keeps=("OneDrive", "OneDriveConsumer", "OneDriveCommercial"),
    configurations=(PACKAGE,),
    headers=("paths", "globs", "alwaysApply"),
    code=r"(?:^|/)(?:\.cline|\.clinerules|\.agents|Cline)/(?:data/)?(?:hooks|Hooks|plugins|Plugins|bin)(?:/|$)",
    options=taking(
        value=("--cwd", "-c", "--model", "-m"),
    ),
)
