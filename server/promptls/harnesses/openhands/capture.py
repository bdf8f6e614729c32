"""How OpenHands is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, SERVERS, URL, Asking, Program, Run, Start, taking

MODEL = "openai/stub-model"


def _start(run: Run) -> Start:
    arguments = Asking(("-t",)).arguments(run, "--headless", "--override-with-envs", "--yolo")
    variables = {"LLM_BASE_URL": f"{URL}/v1", "LLM_API_KEY": KEY, "LLM_MODEL": run.model or MODEL}
    return Start(arguments, variables)


PROGRAM = Program(
    command="openhands",
    version=r"OpenHands CLI (\d[\w.+-]*)",
    main=("file_editor",),
    read="file_editor",
    read_argument="path",
    reads_saying={"command": "view", "security_risk": "LOW"},
    start=_start,
    model=MODEL,
    goes_on=False,
    drives=(),
    keeps=("OPENHANDS_WORK_DIR",),
    configurations=(SERVERS, PACKAGE),
    headers=("triggers", "type", "agent", "version", "license", "inputs"),
    code=r"(?:^|/)\.openhands/(?:hooks|hooks\.json|setup\.sh|pre-commit\.sh)(?:/|$)",
    options=taking(nothing=("--headless", "--override-with-envs", "--yolo", "--always-approve")),
    patience=120.0,
)
