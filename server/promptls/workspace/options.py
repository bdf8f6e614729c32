"""The settings as users write them: ``Options`` in an editor, ``FileOptions`` in promptls.toml.

``resolve`` turns them into ``core.settings.Settings``; an invalid value keeps its default and is reported.
Always imported late: pydantic costs more than a whole preview.
"""

from __future__ import annotations

from typing import Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from promptls.core import specs
from promptls.core.settings import DEFAULT, Settings
from promptls.core.values import dataclass, replace
from promptls.workspace.invalid import clause, found_as

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
        "Nothing is fetched in an untrusted workspace, regardless of this setting.",
    )
    slow_ms: int = Field(
        1000, ge=0, description="Warn about a URL that takes longer than this many milliseconds to answer."
    )


class UserUrlOptions(UrlOptions):
    """The same, and what only a user may set."""

    allow: list[str] = Field(
        default_factory=list,
        description="Hosts, addresses or networks that URLs may lead to even if they are link-local or cloud "
        "metadata, such as `169.254.10.1`. Only your own settings are used: a folder cannot set this.",
    )


class Options(_Options):
    """The settings that the server reads, from the section `promptls` or from `initializationOptions`."""

    harness: str = Field(
        "",
        description="The harness whose prompt is shown, as `promptls harnesses` names it; with `@` and a version, "
        "that version of it. Empty: the one whose own files are closest to the open file.",
    )
    harnesses: list[str] = Field(
        default_factory=list,
        description="Harnesses to treat as in use, even without files of their own; no others are checked. "
        "Empty: those with files of their own, and for AGENTS.md alone the widely used ones that read it.",
    )
    model: str = Field(
        "",
        description="The model to assume, as named on the harness's own command line. "
        "Empty: the one the harness would choose.",
    )
    agent: str = Field(
        "", description="The agent inside the harness, such as `build`. Empty: the one the harness would choose."
    )
    cwd: str = Field(
        "",
        description="The directory the harness is assumed to be started in. "
        "Empty: the workspace folder of the open file.",
    )
    args: list[str] = Field(
        default_factory=list,
        description="Command-line arguments the harness is assumed to be started with, one per item.",
    )
    inlay_hints: bool = Field(
        False, description="Show each section's token count after its heading, in files that a harness reads."
    )
    check_workspace: bool = Field(
        True,
        description="Check the whole folder, as `promptls check` does, and show the problems of all its files. "
        "Off: only those of open files.",
    )
    fade: bool = Field(
        True,
        description="Fade what never reaches the model in an instruction file, for the harness that the preview shows: "
        "what is beyond a limit, comments and front matter that are removed, and files that another one replaces.",
    )
    habits: bool = Field(
        True,
        description="Show the programs that you use: those on your PATH, those with files in your home directory, and "
        "the last sessions that they recorded in this folder. Off: only what the files of the folder say.",
    )
    urls: UserUrlOptions = Field(default_factory=UserUrlOptions, description="URLs in instructions.")


class Budgets(_Options):
    """How much a prompt may cost."""

    tokens: int | None = Field(None, ge=1, description="Warn about a prompt of more tokens than this.")
    window: int | None = Field(
        None,
        ge=1,
        le=100,
        description="Warn if a prompt takes more than this percentage of the model's context window.",
    )


class FileOptions(Options):
    """The settings in `promptls.toml`, or in `[tool.promptls]` of `pyproject.toml`."""

    model_config = ConfigDict(extra="forbid")

    urls: UrlOptions = Field(  # type: ignore[assignment] # a folder must not decide what its URLs may lead to
        default_factory=UrlOptions, description="URLs in instructions."
    )
    rules: dict[str, Level] = Field(
        default_factory=dict, description="The severity of a rule by its code; `off` disables it."
    )
    exclude: list[str] = Field(
        default_factory=list, description="Files that `promptls check` ignores, as .gitignore patterns."
    )
    budgets: Budgets = Field(default_factory=Budgets, description="Your own limits.")
    hints: list[str] = Field(
        default_factory=list, description="Runtime hints, one per item, for harnesses that accept them (`--hint`)."
    )
    tools: dict[str, str] = Field(
        default_factory=dict,
        description="For harnesses that you build yourself: your tools, in order, each with its advice.",
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """An invalid value: the keys that lead to it, and a clause."""

    place: tuple[str | int, ...]
    message: str


def schema() -> dict[str, Any]:
    """The JSON schema of promptls.toml."""
    found = FileOptions.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": "promptls.toml"}


def known_keys(place: tuple[str | int, ...]) -> tuple[str, ...] | None:
    """The keys allowed in the table at ``place``; None if any key is allowed."""
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
    """The possible values at ``place`` if there are few of them; () otherwise."""
    if place in (("urls", "enabled"), ("inlayHints",), ("checkWorkspace",), ("fade",), ("habits",)):
        return ("true", "false")
    return get_args(Level) if place[:1] == ("rules",) else ()


def resolve_file(raw: dict[str, Any]) -> tuple[Settings, list[Fault]]:
    """The settings in a file, and what is wrong in it except for unknown keys, which are ignored."""
    options, faults = _valid(FileOptions, _known(raw, ()))
    settings = replace(
        _settings(options),
        token_budget=options.budgets.tokens,
        window_budget=options.budgets.window,
        rules=tuple(options.rules.items()),
        exclude=tuple(options.exclude),
        hints=tuple(options.hints),
        tools=tuple(options.tools.items()),
    )
    return settings, faults


def resolve(raw: Any, *, untrusted: bool) -> tuple[Settings, list[str]]:
    """The settings in ``raw`` (JSON), and one sentence for each invalid key."""
    if raw is not None and not isinstance(raw, dict):
        settings = replace(DEFAULT, urls_enabled=False) if untrusted else DEFAULT
        return settings, [
            f"The settings of promptls have to be an object, but they are {found_as(raw)}; they are ignored."
        ]
    values = {key: value for key, value in (raw or {}).items() if value is not None}
    options, faults = _valid(Options, values)
    settings = replace(_settings(options), urls_allowed=tuple(options.urls.allow))
    if untrusted:
        settings = replace(settings, urls_enabled=False)
    sentences = [
        f"The setting promptls.{'.'.join(map(str, fault.place))} is not valid: {fault.message}; its default is used."
        for fault in faults
    ]
    return settings, sentences


def _settings(options: Options) -> Settings:
    return Settings(
        harness=specs.canonical(options.harness) or None,
        harnesses=tuple(map(specs.canonical, options.harnesses)),
        model=options.model or None,
        agent=options.agent or None,
        cwd=options.cwd or None,
        args=tuple(options.args),
        urls_enabled=options.urls.enabled,
        slow_ms=options.urls.slow_ms,
        inlay_hints=options.inlay_hints,
        fade=options.fade,
        habits=options.habits,
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
            first = error.errors(include_url=False)[0]
            faults.append(Fault(first["loc"], clause(first)))
            values = {key: value for key, value in values.items() if key != first["loc"][0]}
