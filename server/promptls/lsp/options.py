"""The settings as users write them, section ``promptls``: the only source of the extension's settings.

``resolve`` turns them into ``core.settings.Settings``; what is not valid is left at its default and named.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from promptls.core.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True)


class UrlOptions(_Options):
    """Settings for URLs in ``instructions``."""

    enabled: bool = Field(
        True, description="Fetch URLs that configurations name. Never done in an untrusted workspace."
    )
    slow_ms: int = Field(1000, ge=0, description="Warn about a URL that took longer than this, in milliseconds.")


class Options(_Options):
    """All settings; each may be left out."""

    harness: str | None = Field(
        None,
        description="The coding agent whose prompt is shown, with a version if wanted: `opencode`, `etcode@design`. "
        "Found from the workspace when unset.",
    )
    model: str | None = Field(None, description="The model, as the harness names it: `anthropic/claude-sonnet-4-5`.")
    agent: str | None = Field(None, description="The harness's agent. The harness's default when unset.")
    cwd: str | None = Field(
        None, description="Where the harness is started, relative to the workspace folder. The folder when unset."
    )
    args: list[str] = Field(default_factory=list, description="The harness's own command line.")
    urls: UrlOptions = Field(default_factory=UrlOptions, description="URLs in instructions.")


def resolve(raw: Any, *, untrusted: bool) -> tuple[Settings, list[str]]:
    """The settings in ``raw`` (JSON), and one sentence for each key that is not valid."""
    values = {key: value for key, value in raw.items() if value not in (None, "")} if isinstance(raw, dict) else {}
    options, faults = _valid(values)
    settings = Settings(
        harness=options.harness,
        model=options.model,
        agent=options.agent,
        cwd=options.cwd,
        args=tuple(options.args),
        urls_enabled=options.urls.enabled and not untrusted,
        slow_ms=options.urls.slow_ms,
    )
    return settings, faults


def _valid(values: dict[str, Any]) -> tuple[Options, list[str]]:
    faults: list[str] = []
    while True:
        try:
            return Options.model_validate(values), faults
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            faults.append(f"The setting promptls.{place} is not valid: {first['msg']}; its default is used.")
            values = {key: value for key, value in values.items() if key != first["loc"][0]}
