"""What Codex takes from its configuration: the layers that were read, and the value that wins."""

from __future__ import annotations

from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.model import Origin
from promptls.core.values import dataclass, field
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.harnesses.codex.versions import Facts

# The name of a provider, and the key of the one that is there without any configuration.
OPENAI, BUILT_IN = "OpenAI", "openai"
CONFIG, MANAGED = "config.toml", "managed_config.toml"


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """A value of the configuration: ``path`` is its file, None for ``-c``; relative paths count from ``base``."""

    key: str
    value: Value
    document: Document
    path: str | None
    base: str

    def origin(self, item: Value | None = None) -> Origin:
        """Where the value is, or an ``item`` of it."""
        shown = item or self.value
        name = str(item.data) if item is not None and item.data is not None else self.key
        if self.path is None:
            return Origin("argument", name=f"-c {self.document.text}")
        return Origin("config", path=self.path, range=self.document.range(shown), name=name)

    def names(self) -> list[Value]:
        """The strings of a list."""
        return [item for item in self.value.items if isinstance(item.data, str)]


@dataclass(slots=True)
class CodexConfig:
    """The merged configuration: each key with the layer that wins. ``home`` is CODEX_HOME.

    ``machine`` is the directory for what counts for every user of the machine. ``is_trusted``: the user trusts folders
    of which the configuration says nothing.
    """

    home: str
    machine: str
    facts: Facts
    is_trusted: bool = False
    entries: dict[str, ConfigValue] = field(default_factory=dict)
    # What was read, the weakest first.
    layers: list[Layer] = field(default_factory=list)
    # Directory to trust level, from all layers but those of projects.
    projects: dict[str, ConfigValue] = field(default_factory=dict)
    # The first thing that makes Codex end before it sends anything, and what is to blame.
    stopped: str | None = None
    stopped_by: Origin | None = None

    @property
    def user_file(self) -> str:
        """Where the user sets things."""
        return join(self.home, CONFIG)

    def markers(self) -> tuple[str, ...]:
        """``project_root_markers`` (section 1.2)."""
        entry = self.entries.get("project_root_markers")
        return self.facts.markers if entry is None else tuple(str(item.data) for item in entry.names())

    def text(self, key: str) -> str | None:
        """The string at ``key``."""
        entry = self.entries.get(key)
        return entry.value.data if entry is not None and isinstance(entry.value.data, str) else None

    def find(self, *names: str) -> ConfigValue | None:
        """The value at a path of keys: tables of several layers are one, and of the rest the last one counts."""
        return next((entry for layer in reversed(self.layers) if (entry := layer.find(names)) is not None), None)

    def is_on(self, *names: str, default: bool) -> bool:
        """Whether a switch is on; ``default`` where nothing sets it."""
        entry = self.find(*names)
        return default if entry is None or entry.value.kind not in ("true", "false") else entry.value.kind == "true"

    def number(self, *names: str) -> int | None:
        """The whole number at a path of keys."""
        entry = self.find(*names)
        data = entry.value.data if entry is not None else None
        return int(data) if isinstance(data, (int, float)) else None

    def named(self, table: str) -> dict[str, ConfigValue]:
        """The entries of a table of tables by name, each from the last layer that has it."""
        return {
            str(key.data): ConfigValue(str(key.data), value, layer.document, layer.path, layer.base)
            for layer in self.layers
            if (entry := layer.find((table,))) is not None
            for key, value in entry.value.members
        }

    @property
    def is_compacted_remotely(self) -> bool | None:
        """Whether the provider compacts on its server, which one called OpenAI does (captured: compact-remote).

        None where the configuration names no provider.
        """
        named = self.text("model_provider")
        if named is None:
            return None
        title = self.find("model_providers", named, "name")
        return named == BUILT_IN if title is None else title.value.data == OPENAI

    def stop(self, says: str, origin: Origin) -> None:
        """Codex ends; the first reason counts."""
        if self.stopped is None:
            self.stopped, self.stopped_by = says, origin


@dataclass(frozen=True, slots=True)
class Layer:
    """A file or ``-c`` option that was read. ``is_own``: of the user, not of the machine or a project."""

    document: Document
    path: str | None
    base: str
    is_own: bool = False

    def find(self, names: Sequence[str]) -> ConfigValue | None:
        """The value at a path of keys."""
        value: Value | None = self.document.root
        for name in names:
            value = value.get(name) if value is not None else None
        return ConfigValue(names[-1], value, self.document, self.path, self.base) if value is not None else None

    def entries(self) -> Iterator[ConfigValue]:
        """Its top-level keys."""
        for key, value in (self.document.root or EMPTY).members:
            yield ConfigValue(str(key.data), value, self.document, self.path, self.base)
