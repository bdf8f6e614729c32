"""How Pi is started against a recording server."""

from __future__ import annotations

from promptls.harnesses.program import KEY, URL, Program, Run, Start

PROVIDER, MODEL = "promptls", "stub-model"
MODELS = ".pi/agent/models.json"


def _start(run: Run) -> Start:
    model = run.model or MODEL
    service = {"baseUrl": f"{URL}/v1", "api": "openai-completions", "apiKey": KEY, "models": [{"id": model}]}
    own = ["--provider", PROVIDER, "--model", model, *([] if run.runs else ["--no-extensions"])]
    own += ["--continue"] if run.goes_on else []
    variables = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}
    return Start((*own, *run.args, "-p", "--", run.typed), variables, {MODELS: {"providers": {PROVIDER: service}}})


PROGRAM = Program(
    command="pi",
    version=r"^(\d[\w.+-]*)$",
    main=("read",),
    read="read",
    read_argument="path",
    start=_start,
    model=MODEL,
    places={"PI_CODING_AGENT_DIR": ".pi/agent"},
    drops=("packages", "extensions"),
)
