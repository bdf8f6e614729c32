"""How Grok Build is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, SERVERS, URL, Asking, Configuration, Program, Run, Start, taking

MODEL = "stub"
CONFIG = ".grok/config.toml"
# Whether what is another program's counts: what ``files.Search.is_on`` asks for.
COMPAT = tuple(
    f"GROK_{program}_{kind}_ENABLED" for program in ("CLAUDE", "CURSOR") for kind in ("AGENTS", "RULES", "SKILLS")
)


def _start(run: Run) -> Start:
    model = run.model or MODEL
    service = {"model": model, "base_url": f"{URL}/v1", "env_key": "STUB_KEY", "context_window": 128000}
    settings = {"models": {"default": model}, "model": {model: service}}
    trust = ("--trust",) if run.trusts and "--trust" not in run.args else ()
    first = ("--no-auto-update", "-m", model, "--always-approve", *trust)
    arguments = Asking(("-p",), agent="--agent").arguments(run, *first)
    return Start(arguments, {"STUB_KEY": KEY}, {CONFIG: settings})


PROGRAM = Program(
    command="grok",
    version=r"(\d+\.\d+\.\d+)",
    main=("read_file",),
    read="read_file",
    read_argument="target_file",
    start=_start,
    model=MODEL,
    goes_on=False,
    drives=("subagent",),
    keeps=("GROK_FOLDER_TRUST", *COMPAT),
    places={"GROK_HOME": ".grok"},
    configurations=(
        Configuration(
            r"(?:^|/)config\.toml$",
            (
                "compat.**",
                "paths.extra_rule_dirs",
                "skills.paths",
                "skills.ignore",
                "skills.disabled",
                "folder_trust.*",
            ),
            inert=("models", "model", "ui", "theme"),
        ),
        Configuration(r"(?:^|/)trusted_folders\.toml$", ("folders.**",)),
        SERVERS,
        PACKAGE,
    ),
    headers=("disable-model-invocation", "user-invocable", "when-to-use", "argument-hint", "license", "paths", "globs"),
    code=r"(?:^|/)\.grok/(?:hooks|plugins|bin)(?:/|$)",
    options=taking(
        value=("--rules", "--system-prompt-override", "--agent"),
        nothing=("--trust",),
    ),
)
