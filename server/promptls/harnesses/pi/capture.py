"""How Pi is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, URL, Asking, Configuration, Program, Run, Start, taking

PROVIDER, MODEL = "promptls", "stub-model"
MODELS = ".pi/agent/models.json"

SETTINGS = Configuration(
    r"(?:^|/)settings\.json$",
    ("defaultThinkingLevel", "enableSkillCommands", "skills", "prompts"),
    inert=(
        *("$schema", "defaultProvider", "defaultModel", "enabledModels", "theme", "quietStartup", "terminal", "images"),
        *("lastChangelogVersion", "compaction", "retry", "steeringMode", "followUpMode", "hideThinkingBlock"),
    ),
)
TRUST = Configuration(r"(?:^|/)trust\.json$", ("*",))
TRUSTING = ("--approve", "-a", "--no-approve", "-na")
ASKING = Asking(("-p", "--"), goes_on=("--continue",), stays=("--no-extensions",))


def _start(run: Run) -> Start:
    model = run.model or MODEL
    service = {"baseUrl": f"{URL}/v1", "api": "openai-completions", "apiKey": KEY, "models": [{"id": model}]}
    trust = ("--approve",) if run.trusts and not {*TRUSTING}.intersection(run.args) else ()
    arguments = ASKING.arguments(run, "--provider", PROVIDER, "--model", model, *trust)
    variables = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}
    return Start(arguments, variables, {MODELS: {"providers": {PROVIDER: service}}})


PROGRAM = Program(
    command="pi",
    version=r"^(\d[\w.+-]*)$",
    main=("read",),
    read="read",
    read_argument="path",
    start=_start,
    model=MODEL,
    places={"PI_CODING_AGENT_DIR": ".pi/agent"},
    configurations=(SETTINGS, TRUST, PACKAGE),
    headers=("argument-hint", "allowed-tools", "disable-model-invocation", "compatibility"),
    code=r"(?:^|/)\.pi/(?:agent/)?(?:extensions|hooks|tools|packages|npm|git|bin|themes)(?:/|$)",
    options=taking(
        value=(
            *("--model", "--system-prompt", "--append-system-prompt", "--tools", "-t", "--exclude-tools", "-xt"),
            *("--thinking", "--name", "-n"),
        ),
        nothing=(
            *("--no-context-files", "-nc", *TRUSTING, "--no-tools", "-nt"),
            *("--print", "-p", "--no-session", "--offline", "--verbose", "--no-extensions", "--no-skills"),
        ),
    ),
)
