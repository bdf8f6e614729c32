"""How Hermes is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, URL, Asking, Configuration, Passing, Program, Run, Start, taking

MODEL = "stub-model"
SETTINGS = Configuration(
    r"(?:^|/)\.hermes/(?:profiles/[^/]+/)?config\.yaml$",
    (
        *("context_file_max_chars", "skills.disabled", "memory.memory_enabled", "memory.user_profile_enabled"),
        *("memory.memory_char_limit", "memory.user_char_limit", "agent.system_prompt", "agent.environment_hint"),
        *("agent.coding_context", "agent.coding_instructions", "agent.tool_use_enforcement", "platform_hints.**"),
        "model.context_length",
    ),
    inert=("model", "providers", "display", "terminal", "delegation", "auxiliary", "compression", "agent"),
)
VARIABLES = Configuration(
    r"(?:^|/)\.hermes/(?:profiles/[^/]+/)?\.env$",
    variables=("",),
)
MARK = r"\n\n\[Subdirectory context discovered: "
DISCOVERED = rf"{MARK}([^\]\n]+)\]\n(?:(?!{MARK})[\s\S])*"
KEPT = ("HERMES_ENVIRONMENT_HINT", "HERMES_EPHEMERAL_SYSTEM_PROMPT", "HERMES_IGNORE_RULES")


def _start(run: Run) -> Start:
    arguments = Asking(("-q",)).arguments(
        run, "chat", "--provider", "custom", "--model", run.model or MODEL, "-Q", "--yolo"
    )
    variables = {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{URL}/v1",
        "CUSTOM_BASE_URL": f"{URL}/v1",
        "HERMES_DISABLE_LAZY_INSTALLS": "1",
    }
    return Start(arguments, variables)


PROGRAM = Program(
    command="hermes",
    version=r"v(\d+\.\d+\.\d+)",
    main=("read_file",),
    read="read_file",
    read_argument="path",
    start=_start,
    model=MODEL,
    # A set of Python's has them, whose order changes with each start (captured: nested-read-deep) [source].
    passing=(Passing("the order of the directories that one call is near", order=DISCOVERED),),
    goes_on=False,
    drives=("subagent",),
    keeps=KEPT,
    places={"HERMES_HOME": ".hermes"},
    configurations=(SETTINGS, VARIABLES, PACKAGE),
    headers=("platforms", "environments", "version", "author", "license", "tags", "related_skills"),
    code=r"(?:^|/)\.hermes/(?:plugins|hooks|scripts)(?:/|$)",
    options=taking(
        value=("--model", "-m", "--profile", "-p", "--skills", "-s"),
        nothing=("--ignore-rules", "--ignore-user-config", "-Q", "--quiet", "--yolo"),
    ),
)
