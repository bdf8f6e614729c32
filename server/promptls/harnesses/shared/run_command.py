"""How a program is started that takes ``run`` on its command line, and a configuration that wins over the project's."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.harnesses.program import Run


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
    own = [*([] if run.runs else ["--pure"]), *(["--agent", run.agent] if run.agent else [])]
    own += ["--continue"] if run.goes_on else []
    own += [each for path in run.attached for each in ("--file", path)]
    return ("run", "--model", model, "--format", "json", *own, *run.args, "--", run.typed)
