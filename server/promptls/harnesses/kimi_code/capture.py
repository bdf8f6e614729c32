"""How Kimi Code is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, SERVERS, URL, Asking, Configuration, Program, Run, Start, taking

MODEL = "stub"
CONFIG = ".kimi-code/config.toml"


def _start(run: Run) -> Start:
    model = run.model or MODEL
    service = {"type": "openai", "base_url": f"{URL}/v1", "api_key": KEY}
    settings = {
        "default_model": model,
        "providers": {"stub": service},
        "models": {model: {"provider": "stub", "model": model, "max_context_size": 128000}},
    }
    arguments = Asking(("-p",), agent="--agent", goes_on=("--continue",), editor=("acp",)).arguments(run)
    return Start(arguments, {"KIMI_DISABLE_TELEMETRY": "1"}, {CONFIG: settings})


PROGRAM = Program(
    command="kimi",
    version=r"^(\d[\w.+-]*)$",
    main=("Read",),
    read="Read",
    read_argument="path",
    start=_start,
    model=MODEL,
    goes_on=False,
    drives=("editor", "subagent"),
    speaks="acp",
    keeps=("KIMI_CODE_IDENTITY_NAME", "KIMI_CODE_BUILTIN_PRODUCT_SKILLS"),
    places={"KIMI_CODE_HOME": ".kimi-code"},
    configurations=(
        Configuration(
            r"(?:^|/)config\.toml$",
            ("extra_skill_dirs", "extra_agent_dirs"),
            inert=("default_model", "providers", "models", "theme", "telemetry", "permission"),
            running=("hooks",),
        ),
        SERVERS,
        PACKAGE,
    ),
    headers=("override", "disallowedTools", "subagents", "whenToUse", "when-to-use", "disableModelInvocation", "type"),
    code=r"(?:^|/)\.kimi-code/(?:hooks|plugins|bin)(?:/|$)",
    options=taking(value=("--skills-dir", "--agent-file", "--add-dir", "--agent"), nothing=("--yolo", "--auto")),
)
