"""How Deep Agents Code is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, SERVERS, URL, Asking, Configuration, Program, Run, Start, taking

MODEL = "openai:gpt-5.4"
CONFIG = ".deepagents/config.toml"
# It starts a server of its own, and compiles an interpreter; both take a minute on a busy machine.
PATIENCE = 180.0
SETTINGS = Configuration(
    r"(?:^|/)\.deepagents/config\.toml$",
    ("agents.default", "agents.recent", "memory.auto_save"),
    inert=("models", "theme", "ui", "tracing", "update", "warnings", "agents.*"),
)
ASKING = Asking(("--non-interactive",), agent="--agent", stays=("--no-mcp",))


def _start(run: Run) -> Start:
    arguments = ASKING.arguments(run, "--model", run.model or MODEL, "--no-stream")
    variables = {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{URL}/v1",
        "LANGSMITH_TRACING": "false",
        "DEEPAGENTS_CODE_NO_UPDATE_CHECK": "1",
        "DEEPAGENTS_CODE_OFFLINE": "1",
    }
    # Its interpreter for JavaScript is compiled within this time, before the first request.
    return Start(arguments, variables, {CONFIG: {"interpreter": {"timeout_seconds": PATIENCE}}})


PROGRAM = Program(
    command="dcode",
    version=r"^deepagents-code v?(\d[\w.+-]*)",
    main=("read_file",),
    read="read_file",
    read_argument="file_path",
    start=_start,
    model=MODEL,
    goes_on=False,
    patience=PATIENCE,
    joins=True,
    drives=("subagent",),
    keeps=("DEEPAGENTS_CODE_MEMORY_AUTO_SAVE",),
    configurations=(SETTINGS, SERVERS, PACKAGE),
    headers=("license", "compatibility", "allowed-tools", "metadata", "disable-model-invocation"),
    code=r"(?:^|/)\.deepagents/(?:plugins|hooks|tools)(?:/|$)",
    options=taking(
        value=("--model", "-M", "--agent", "-a", "--skill", "-s"),
        nothing=("--no-stream", "--quiet", "-q", "--no-mcp", "--no-interpreter"),
    ),
)
