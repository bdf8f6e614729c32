"""How OpenClaw is started against a recording server."""

from __future__ import annotations

from promptls.core.paths import join
from promptls.kit.launch import KEY, PACKAGE, URL, Asking, Configuration, Program, Run, Start, taking

CONFIG = ".openclaw/openclaw.json"
PROVIDER, MODEL = "promptls", "model"
# Seconds: it is slow to start.
PATIENCE = 180
COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
SERVICE = {
    "baseUrl": f"{URL}/v1",
    "apiKey": KEY,
    "api": "openai-completions",
    "timeoutSeconds": PATIENCE,
    "models": [
        {
            "id": MODEL,
            "name": MODEL,
            "reasoning": False,
            "input": ["text"],
            "cost": COST,
            "contextWindow": 120_000,
            "maxTokens": 8192,
        }
    ],
}
SETTINGS = {"models": {"mode": "merge", "providers": {PROVIDER: SERVICE}}}

AGENT = (
    *("contextInjection", "bootstrapMaxChars", "bootstrapTotalMaxChars", "systemAgent.agentId", "skipBootstrap"),
    *("userTimezone", "timeFormat", "contextTokens", "name", "workspace"),
)
CONFIGURATION = Configuration(
    r"(?:^|/)openclaw\.json$",
    (*(f"agents.defaults.{key}" for key in AGENT), *(f"agents.entries.*.{key}" for key in AGENT)),
    inert=("models", "auth", "gateway", "meta", "wizard", "logging", "ui", "session", "messages"),
)


def _start(run: Run) -> Start:
    where = ("--config", join(run.home, CONFIG), "--model", f"{PROVIDER}/{MODEL}")
    arguments = Asking().arguments(run, "agent", "exec", *where, "--timeout", str(PATIENCE), "--json")
    return Start(arguments, {}, {CONFIG: SETTINGS})


PROGRAM = Program(
    command="openclaw",
    version=r"OpenClaw (\d\S*)",
    main=("read",),
    read="read",
    read_argument="path",
    start=_start,
    patience=PATIENCE,
    goes_on=False,
    places={"OPENCLAW_HOME": "", "OPENCLAW_STATE_DIR": ".openclaw"},
    keeps=("OPENCLAW_PROFILE",),
    files=("OPENCLAW_CONFIG_PATH",),
    configurations=(CONFIGURATION, PACKAGE),
    code=r"(?:^|/)(?:\.openclaw(?:-[^/]*)?/)?(?:hooks|extensions|plugins)/",
    options=taking(
        value=("--cwd", "--model", "--thinking", "--agent"),
        nothing=("--isolated", "--local"),
    ),
)
