"""How Letta Code is started against a recording server: its local backend, which asks a server of LM Studio."""

from __future__ import annotations

from promptls.kit.launch import PACKAGE, SERVERS, URL, Asking, Configuration, Program, Run, Start, taking

MODEL = "lmstudio/stub"
PROVIDERS = ".letta/lc-local-backend/providers/auth.json"
NAME = "lc-lmstudio"
SETTINGS = Configuration(
    r"(?:^|/)\.letta/settings(?:\.local)?\.json$",
    ("sessionContextEnabled",),
    inert=(
        *("lastAgent", "agents", "pinnedAgents*", "lastSession", "sessionsByServer", "deviceId", "tokenStreaming"),
        *("reasoningTabCycleEnabled", "showCompactions", "enableSleeptime", "conversationSwitchAlertEnabled"),
        *("autoSwapOnQuotaLimit", "planModeEnabled", "memoryReminderInterval", "reflection*", "permissions", "env"),
    ),
    running=("hooks", "statusLine"),
)


def _start(run: Run) -> Start:
    provider = {
        "id": f"local-provider-{NAME}",
        "name": NAME,
        "provider_type": "lmstudio",
        "provider_category": "byok",
        "auth": {"type": "api", "key": "not-needed"},
        "base_url": f"{URL}/v1",
    }
    arguments = Asking(("-p",)).arguments(run, "--backend", "local", "-m", MODEL, "--yolo")
    return Start(arguments, settings={PROVIDERS: {"version": 1, "providers": {NAME: provider}}})


PROGRAM = Program(
    command="letta",
    version=r"^(\d[\w.+-]*) \(Letta Code\)$",
    main=("Skill", "Read"),
    read="Read",
    read_argument="file_path",
    start=_start,
    model=MODEL,
    goes_on=False,
    drives=("subagent",),
    patience=120.0,
    configurations=(SETTINGS, SERVERS, PACKAGE),
    headers=("disable-model-invocation", "license", "allowed-tools", "metadata", "model", "tools", "memfs", "skills"),
    code=r"(?:^|/)\.letta/(?:mods|hooks|channels)(?:/|$)",
    options=taking(
        value=("--model", "-m", "--skill-sources", "--system", "--personality"),
        nothing=("--yolo", "--ephemeral", "--no-skills", "--no-system-info-reminder", "--new"),
    ),
)
