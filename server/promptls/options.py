"""The settings as users write them: ``Options`` in an editor, ``FileOptions`` in promptls.toml.

``resolve`` turns them into ``core.settings.Settings``; what is not valid is left at its default and named.
Imported late everywhere: pydantic costs more than a whole preview.
"""

from __future__ import annotations

from typing import Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from promptls.core.settings import Settings
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Level = Literal["error", "warning", "information", "hint", "off"]


class _Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True)


_O = TypeVar("_O", bound=_Options)


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
    check_workspace: bool = Field(
        True,
        description="Check the whole folder, as `promptls check` does, and show the problems of all its files. "
        "Off: only those of open files.",
    )
    urls: UrlOptions = Field(default_factory=UrlOptions, description="URLs in instructions.")


class Budgets(_Options):
    """How much a prompt may cost."""

    tokens: int | None = Field(None, ge=1, description="Warn about a prompt of more tokens than this.")


class FileOptions(Options):
    """The settings in `promptls.toml`, or in `[tool.promptls]` of `pyproject.toml`."""

    model_config = ConfigDict(extra="forbid")

    harnesses: list[str] = Field(
        default_factory=list,
        description="Harnesses that are in use here, also without files of their own in the tree.",
    )
    rules: dict[str, Level] = Field(
        default_factory=dict, description="The severity of a rule by its code; `off` silences it."
    )
    exclude: list[str] = Field(
        default_factory=list, description="Files that `promptls check` leaves alone, by patterns as in .gitignore."
    )
    budgets: Budgets = Field(default_factory=Budgets, description="Limits of one's own.")
    hints: list[str] = Field(
        default_factory=list, description="Hints of a run, one an item, for a harness that takes such (`--hint`)."
    )
    tools: dict[str, str] = Field(
        default_factory=dict,
        description="The tools of a build of mini-claude-code, in order, each with the advice on it.",
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """A value that is not valid: the keys that lead to it, and a clause."""

    place: tuple[str | int, ...]
    message: str


def schema() -> dict[str, Any]:
    """The JSON schema of promptls.toml."""
    found = FileOptions.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": "promptls.toml"}


def known_keys(place: tuple[str | int, ...]) -> tuple[str, ...] | None:
    """The keys that may stand in the table at ``place``; None where any may."""
    described = described_keys(place)
    return tuple(described) if described is not None else None


def described_keys(place: tuple[str | int, ...]) -> dict[str, str] | None:
    """The same, each with a sentence about it."""
    tables: dict[tuple[str | int, ...], type[BaseModel]] = {(): FileOptions, ("urls",): UrlOptions}
    tables["budgets",] = Budgets
    model = tables.get(place)
    if model is None:
        return None
    return {field.alias or name: field.description or "" for name, field in model.model_fields.items()}


def values_of(place: tuple[str, ...]) -> tuple[str, ...]:
    """The words that the value at ``place`` may be, as far as they are few; () where it may be anything."""
    if place in (("urls", "enabled"), ("inlayHints",), ("checkWorkspace",)):
        return ("true", "false")
    return get_args(Level) if place[:1] == ("rules",) else ()


def resolve_file(raw: dict[str, Any]) -> tuple[Settings, list[Fault]]:
    """The settings in a file, and what is wrong in it but for unknown keys, which are passed over."""
    options, faults = _valid(FileOptions, _known(raw, ()))
    settings = replace(
        _settings(options),
        token_budget=options.budgets.tokens,
        harnesses=tuple(options.harnesses),
        rules=tuple(options.rules.items()),
        exclude=tuple(options.exclude),
        hints=tuple(options.hints),
        tools=tuple(options.tools.items()),
    )
    return settings, faults


def resolve(raw: Any, *, untrusted: bool) -> tuple[Settings, list[str]]:
    """The settings in ``raw`` (JSON), and one sentence for each key that is not valid."""
    values = {key: value for key, value in raw.items() if value is not None} if isinstance(raw, dict) else {}
    options, faults = _valid(Options, values)
    settings = _settings(options)
    if untrusted:
        settings = replace(settings, urls_enabled=False)
    sentences = [
        f"The setting promptls.{'.'.join(map(str, fault.place))} is not valid: {fault.message}; its default is used."
        for fault in faults
    ]
    return settings, sentences


def _settings(options: Options) -> Settings:
    return Settings(
        harness=options.harness or None,
        model=options.model or None,
        agent=options.agent or None,
        cwd=options.cwd or None,
        args=tuple(options.args),
        urls_enabled=options.urls.enabled,
        slow_ms=options.urls.slow_ms,
        inlay_hints=options.inlay_hints,
        check_workspace=options.check_workspace,
    )


def _known(raw: dict[str, Any], place: tuple[str | int, ...]) -> dict[str, Any]:
    """``raw`` without unknown keys."""
    keys = known_keys(place)
    return {
        key: _known(value, (*place, key)) if isinstance(value, dict) else value
        for key, value in raw.items()
        if keys is None or key in keys
    }


def _valid(model: type[_O], values: dict[str, Any]) -> tuple[_O, list[Fault]]:
    faults: list[Fault] = []
    while True:
        try:
            return model.model_validate(values), faults
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            faults.append(Fault(first["loc"], first["msg"].replace("Input should", "This should")))
            values = {key: value for key, value in values.items() if key != first["loc"][0]}
