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
        True,
        description="Fetch instruction files that are named by URL. "
        "In a folder that is not trusted nothing is fetched, whatever this says.",
    )
    slow_ms: int = Field(
        1000, ge=0, description="Warn about a URL that takes longer than this many milliseconds to answer."
    )


class Options(_Options):
    """The settings that the server reads, from the section `promptls` or from `initializationOptions`."""

    harness: str = Field(
        "",
        description="The harness whose prompt is shown, such as `etcode` or `opencode`; with `@` and a version, "
        "that version of it. Empty: the one whose own files are nearest above the open file.",
    )
    model: str = Field(
        "",
        description="The model the harness is taken to use, as it is named on the harness's own command line. "
        "Empty: the one the harness would choose.",
    )
    agent: str = Field(
        "", description="The agent inside the harness, such as `build`. Empty: the one the harness would choose."
    )
    cwd: str = Field(
        "",
        description="The folder in which the harness is taken to be started. "
        "Empty: the workspace folder of the open file.",
    )
    args: list[str] = Field(
        default_factory=list, description="Arguments the harness is taken to be started with, one an item."
    )
    inlay_hints: bool = Field(
        False, description="Show the tokens of each section behind its heading, in files that a harness reads."
    )
    urls: UrlOptions = Field(default_factory=UrlOptions, description="URLs in instructions.")


def resolve(raw: Any, *, untrusted: bool) -> tuple[Settings, list[str]]:
    """The settings in ``raw`` (JSON), and one sentence for each key that is not valid."""
    values = {key: value for key, value in raw.items() if value is not None} if isinstance(raw, dict) else {}
    options, faults = _valid(values)
    settings = Settings(
        harness=options.harness or None,
        model=options.model or None,
        agent=options.agent or None,
        cwd=options.cwd or None,
        args=tuple(options.args),
        urls_enabled=options.urls.enabled and not untrusted,
        slow_ms=options.urls.slow_ms,
        inlay_hints=options.inlay_hints,
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
