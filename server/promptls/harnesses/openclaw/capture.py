"""How OpenClaw is started against a recording server."""

from __future__ import annotations

from promptls.core.paths import join
from promptls.harnesses.program import KEY, URL, Program, Run, Start

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


def _start(run: Run) -> Start:
    where = ("--config", join(run.home, CONFIG), "--model", f"{PROVIDER}/{MODEL}")
    arguments = ("agent", "exec", *where, "--timeout", str(PATIENCE), "--json", *run.args, "--", run.typed)
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
    only={".openclaw/openclaw.json": ("agents",)},
)
