"""How a program is started that takes ``run`` on its command line, and a configuration that wins over the project's."""

from __future__ import annotations

from promptls.kit.launch import Asking, Configuration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.kit.launch import Run


def content(provider: str, model: str, service: Mapping[str, object]) -> dict[str, object]:
    """The configuration: only ``provider``, which is ``service``, with ``model``; nothing is shared or updated."""
    return {
        "share": "disabled",
        "autoupdate": False,
        "snapshot": False,
        "permission": {"read": "allow", "external_directory": "allow"},
        "enabled_providers": [provider],
        "disabled_providers": [],
        "small_model": model,
        "provider": {provider: service},
    }


def arguments(run: Run, model: str) -> tuple[str, ...]:
    """The command line for ``run``."""
    asking = Asking(agent="--agent", file="--file", goes_on=("--continue",), stays=("--pure",))
    if run.is_in_editor:
        # It takes no options of a session: the configuration names the model.
        return ("acp", *(() if run.runs else asking.stays))
    begin = () if run.is_on_screen else ("run",)
    return asking.arguments(run, *begin, "--model", model, *(() if run.is_on_screen else ("--format", "json")))


# Of an agent, a mode and a command, what only changes the prompt.
_AGENT = (
    *("name", "description", "prompt", "system", "model", "mode", "variant", "disable", "hidden", "color"),
    *("temperature", "top_p", "steps", "maxSteps", "tools.*", "permission", "permission.**"),
)
_COMMAND = ("template", "description", "agent", "model", "variant", "subtask")
_REFERENCE = ("path", "description", "hidden")


def configuration(names: str) -> Configuration:
    """What of the configurations with such names, a regular expression, a program of this kind is given."""
    return Configuration(
        rf"(?:^|/){names}$",
        keys=(
            *("$schema", "instructions", "model", "small_model", "default_agent", "username", "tools.*"),
            *("permission", "permission.**", "skills.paths", "tool_output.max_lines", "tool_output.max_bytes"),
            *(f"{place}.*.{key}" for place in ("agent", "agents", "mode") for key in _AGENT),
            *(f"command.*.{key}" for key in _COMMAND),
            *(f"{place}.*.{key}" for place in ("reference", "references") for key in _REFERENCE),
            *("reference.*", "references.*"),
            *(f"provider.*.{key}" for key in ("name", "id", "whitelist", "blacklist", "models.*.id")),
            *(f"provider.*.models.*.{key}" for key in ("name", "family", "limit.*", "reasoning", "attachment")),
            *(f"provider.*.models.*.{key}" for key in ("tool_call", "temperature", "release_date", "modalities.*")),
        ),
        inert=(
            *("theme", "keybinds", "tui", "layout", "share", "autoupdate", "autoshare", "snapshot", "logLevel"),
            *("server", "watcher", "compaction", "enabled_providers", "disabled_providers", "provider.*.options"),
            *("provider.*.env", "provider.*.api", "provider.*.models.*.options", "provider.*.models.*.cost"),
            *("provider.*.models.*.headers", "provider.*.models.*.variants", "enterprise"),
        ),
    )


# What is in the front matter of agents, modes, commands and skills, beside what a ``Spec`` names.
HEADERS = (*_AGENT[:13], "tools", "permission", *_COMMAND, "when_to_use", "compatibility")
