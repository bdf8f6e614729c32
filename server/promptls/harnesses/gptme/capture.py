"""How gptme is started against a recording server."""

from __future__ import annotations

from promptls.kit.launch import KEY, PACKAGE, URL, Asking, Configuration, Program, Run, Start, taking

MODEL = "local/stub"

PROMPT = ("prompt", "prompt.files", "prompt.exclude", "prompt.prompt", "prompt.base_prompt", "prompt.system")
PROJECT = Configuration(
    r"(?:^|/)gptme(?:\.local)?\.toml$",
    (*PROMPT, "files", "base_prompt", "agent.name", "lessons.dirs"),
    inert=("rag", "context", "context_selector", "subagent", "settings"),
)
USER = Configuration(
    r"(?:^|/)\.config/gptme/config\.toml$",
    ("prompt.files", "prompt.project.*", "prompt.fragments.*", "lessons.dirs"),
    inert=("models", "providers", "env", "user", "prompt.about_user", "prompt.response_preference"),
)


def _start(run: Run) -> Start:
    arguments = Asking().arguments(run, "--non-interactive", "--model", run.model or MODEL)
    return Start(arguments, {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{URL}/v1"})


PROGRAM = Program(
    command="gptme",
    version=r"^(\d[\w.+-]*)$",
    main=("save",),
    read="read",
    read_argument="path",
    reads_with=("-t", "+read"),
    start=_start,
    model=MODEL,
    goes_on=False,
    drives=(),
    keeps=("GPTME_OPENAI_RESPONSES_API",),
    configurations=(PROJECT, USER, PACKAGE),
    headers=("match", "status", "depends"),
    code=r"(?:^|/)\.gptme/(?:plugins|tools|hooks)(?:/|$)",
    options=taking(
        value=("--model", "-m", "--system", "--tools", "-t", "--context", "--name"),
        nothing=("--non-interactive", "-n", "--no-confirm", "-y", "--no-workspace", "--no-stream"),
    ),
)
