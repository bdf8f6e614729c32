"""The settings as users write them: ``Options`` in an editor, ``FileOptions`` in promptls.toml.

``resolve`` turns them into ``core.settings.Settings``; an invalid value keeps its default and is reported.
Always imported late: pydantic costs more than a whole preview.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic.alias_generators import to_camel

from promptls.core import specs
from promptls.core.budgets import KINDS
from promptls.core.settings import DEFAULT, Budget, Settings
from promptls.core.values import dataclass, replace
from promptls.workspace.invalid import clause, found_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

Level = Literal["error", "warning", "information", "hint", "off"]
Profile = Literal["agentskills", "agentplugins"]


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
        "that version of it. Empty: the one that you use here, or else one that the folder has files for.",
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
        description="Show the coding agents that you use: those on your PATH, those with files in your home directory, "
        "and those that recorded sessions in this folder. Off: go by the files of the folder alone.",
    )
    urls: UserUrlOptions = Field(default_factory=UserUrlOptions, description="URLs in instructions.")


def _by_harness(value: object) -> object:
    return value if isinstance(value, dict) else {"": value}


def _listed(value: object) -> object:
    return value if isinstance(value, list) else [value]


# A number for each program, or one for all of them.
_TOKENS = {"type": "integer", "minimum": 1}
Tokens = Annotated[
    dict[str, Annotated[int, Field(ge=1)]],
    BeforeValidator(_by_harness),
    WithJsonSchema({"anyOf": [_TOKENS, {"type": "object", "additionalProperties": _TOKENS}]}),
]
Owners = Annotated[
    list[str],
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


class DirectoryBudget(_Options):
    """How much of your own text in a directory one session may get, in tokens; `{NAME = 900}`: for one harness."""

    own: Tokens = Field(default_factory=dict, description="All of it: files, lists, servers and what hooks add.")
    files: Tokens = Field(default_factory=dict, description="Instruction files and rules, with what they import.")
    lists: Tokens = Field(default_factory=dict, description="The lists of skills, commands and agents.")
    servers: Tokens = Field(default_factory=dict, description="The tools and instructions of MCP servers.")
    owner: Owners = Field(
        default_factory=list, description="Whose it is, such as `@api`; by default, who owns it by CODEOWNERS."
    )


class Budgets(_Options):
    """How much a prompt may cost. Every other key is a directory, whose own text has a budget."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, DirectoryBudget]

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
    profiles: list[Profile] = Field(
        default_factory=list,
        description="Also check files against these specifications: `agentskills` for skills, `agentplugins` for "
        "plugins and their skills, whether or not coding agents follow them.",
    )
    budgets: Budgets = Field(
        default_factory=Budgets, description="Your own limits, for whole prompts and for your own text in a directory."
    )
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


def is_known(place: tuple[str | int, ...], key: str, *, is_table: bool) -> bool:
    """Whether the table at ``place`` may have ``key``; ``is_table``: its value is a table, too."""
    keys = known_keys(place)
    return keys is None or key in keys or (is_table and is_budget((*place, key)))


def known_keys(place: tuple[str | int, ...]) -> tuple[str, ...] | None:
    """The keys allowed in the table at ``place``; None if any key is allowed."""
    described = described_keys(place)
    return tuple(described) if described is not None else None


def is_budget(place: tuple[str | int, ...]) -> bool:
    """Whether the table at ``place`` is the budget of a directory."""
    return place[:1] == ("budgets",) and len(place) == 2 and place[1] not in Budgets.model_fields  # noqa: PLR2004 - its name


def described_keys(place: tuple[str | int, ...]) -> dict[str, str] | None:
    """The same, each with a sentence about it."""
    tables: dict[tuple[str | int, ...], type[BaseModel]] = {(): FileOptions, ("urls",): UrlOptions}
    tables["budgets",] = Budgets
    model = DirectoryBudget if is_budget(place) else tables.get(place)
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
        urls_switched_off=not options.urls.enabled,
        token_budget=options.budgets.tokens,
        window_budget=options.budgets.window,
        budgets=tuple(_budgets(options.budgets)),
        rules=tuple(options.rules.items()),
        exclude=tuple(options.exclude),
        profiles=tuple(options.profiles),
        hints=tuple(options.hints),
        tools=tuple(options.tools.items()),
    )
    return settings, faults


def _budgets(options: Budgets) -> Iterator[Budget]:
    for directory, said in options.__pydantic_extra__.items():
        for of in KINDS:
            for harness, most in getattr(said, of).items():
                yield Budget(directory, of, most, specs.canonical(harness) or None, tuple(filter(None, said.owner)))


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
    return {
        key: _known(value, (*place, key)) if isinstance(value, dict) else value
        for key, value in raw.items()
        if is_known(place, key, is_table=isinstance(value, dict))
    }


def _valid(model: type[_O], values: dict[str, Any]) -> tuple[_O, list[Fault]]:
    faults: list[Fault] = []
    while True:
        try:
            return model.model_validate(values), faults
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            faults.append(Fault(first["loc"], clause(first)))
            values = _without(values, first["loc"])


def _without(values: dict[str, Any], place: tuple[str | int, ...]) -> dict[str, Any]:
    """``values`` without the one at ``place``, or the closest table's that exists."""
    inner = values.get(str(place[0]))
    if len(place) > 1 and isinstance(inner, dict) and place[1] in inner:
        return {**values, str(place[0]): _without(inner, place[1:])}
    return {key: value for key, value in values.items() if key != place[0]}
