"""How Mistral Vibe is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, URL, Asking, Configuration, Passing, Program, Run, Start, taking

MODEL = "stub-model"
CONFIG = ".vibe/config.toml"
TRUST_FILE = ".vibe/trusted_folders.toml"
SETTINGS = Configuration(
    r"(?:^|/)\.vibe/config\.toml$",
    ("include_project_context", "include_commit_signature", "include_model_info", "include_prompt_detail"),
    inert=("active_model", "providers", "models", "theme", "enable_telemetry", "api_timeout"),
    running=("mcp_servers", "tool_paths", "hooks"),
)
TRUST = Configuration(r"(?:^|/)trusted_folders\.toml$", ("trusted", "untrusted"))


def _start(run: Run) -> Start:
    model = run.model or MODEL
    settings = {
        "active_model": model,
        "providers": [
            {"name": "stub", "api_base": f"{URL}/v1", "api_key_env_var": "STUB_API_KEY", "backend": "generic"}
        ],
        "models": [{"name": model, "provider": "stub", "alias": model}],
        "enable_telemetry": False,
        "enable_update_checks": False,
    }
    trust = {TRUST_FILE: {"trusted": [*run.trusted]}} if run.trusted else {}
    arguments = Asking(("-p",), agent="--agent").arguments(run, "--auto-approve")
    return Start(arguments, {"STUB_API_KEY": KEY}, {CONFIG: settings, **trust})


PROGRAM = Program(
    command="vibe",
    version=r"^vibe (\d[\w.+-]*)$",
    main=("read_file",),
    read="read_file",
    read_argument="path",
    start=_start,
    model=MODEL,
    passing=(Passing("the order of the skills", order=r"  <skill>\n    <name>(.*?)</name>[\s\S]*?\n  </skill>\n"),),
    goes_on=False,
    drives=(),
    keeps=("VIBE_INCLUDE_PROJECT_CONTEXT",),
    places={"VIBE_HOME": ".vibe"},
    configurations=(SETTINGS, TRUST, PACKAGE),
    headers=("disable-model-invocation", "user-invocable", "license", "compatibility", "metadata", "allowed-tools"),
    code=r"(?:^|/)\.vibe/(?:tools|hooks|plugins)(?:/|$)",
    options=taking(value=("--workdir", "--add-dir"), nothing=("--trust", "--auto-approve", "--yolo")),
)
