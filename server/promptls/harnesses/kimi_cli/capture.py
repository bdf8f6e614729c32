"""How Kimi CLI is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, SERVERS, URL, Asking, Configuration, Program, Run, Start, taking

MODEL = "stub"
CONFIG = ".kimi/config.toml"


def _start(run: Run) -> Start:
    model = run.model or MODEL
    service = {"type": "openai_legacy", "base_url": f"{URL}/v1", "api_key": KEY}
    settings = {
        "default_model": model,
        "providers": {"stub": service},
        "models": {model: {"provider": "stub", "model": model, "max_context_size": 128000}},
        "telemetry": False,
    }
    arguments = Asking(("--prompt",), agent="--agent").arguments(run, "--print", "--yolo")
    return Start(arguments, {"KIMI_CLI_NO_AUTO_UPDATE": "1"}, {CONFIG: settings})


PROGRAM = Program(
    command="kimi",
    version=r"^kimi, version (\d[\w.+-]*)$",
    main=("ReadFile",),
    read="ReadFile",
    read_argument="path",
    start=_start,
    model=MODEL,
    goes_on=False,
    drives=(),
    places={"KIMI_SHARE_DIR": ".kimi"},
    configurations=(
        Configuration(
            r"(?:^|/)\.kimi/config\.toml$",
            ("extra_skill_dirs", "merge_all_available_skills", "default_plan_mode"),
            inert=(
                *("default_model", "providers", "models", "theme", "telemetry", "default_editor", "default_thinking"),
                *("default_yolo", "loop_control", "background", "notifications", "services", "mcp"),
            ),
            running=("hooks",),
        ),
        SERVERS,
        PACKAGE,
    ),
    options=taking(
        value=("--work-dir", "-w", "--skills-dir", "--agent", "--add-dir"),
        nothing=("--print", "--yolo", "--yes", "-y", "--afk", "--thinking", "--no-thinking"),
    ),
)
