"""What Claude Code brings itself, as the row of a version names it: agents, skills, models and tools."""

from __future__ import annotations

from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """An agent of the program's own: sizes of its description, also where reminders are inline, and its tools.

    ``prompt`` is the size of its prompt as a sub-agent, ``model`` one of its own. ``is_for_users``: not where
    code, or nobody, started the program. ``off_by``: switches that take it away.
    """

    name: str
    size: int
    size_inline: int
    tools: str
    prompt: int | None = None
    model: str | None = None
    in_safe_mode: bool = True
    is_for_users: bool = False
    off_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BuiltInSkill:
    """A skill of the program's own: the size of its description, and the line breaks in it.

    ``stays`` where the settings turn the others off. ``can_be_typed`` is false for one that only the model calls.
    ``text`` is the size of what is sent where it is typed. ``off_by``: switches that take it away.
    """

    name: str
    size: int
    breaks: int = 0
    stays: bool = False
    can_be_typed: bool = True
    text: int | None = None
    off_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BuiltInStyle:
    """An output style of the program's own: its size, and that of what is said again of it, if that is its own text."""

    name: str
    size: int | None
    again: int | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """A model that the program knows: what it is called, and the size of what is said of its knowledge."""

    name: str
    cutoff: int | None = None


@dataclass(frozen=True, slots=True)
class Tools:
    """The definitions of tools as JSON, by name: those that are sent, and those that only ToolSearch brings.

    The others are there under a condition (tools.py): ``finders`` search in files, ``tasks`` are a list of tasks, for
    which ``todo`` stands where a variable says so,
    ``online`` are named where the program may ask its maker's servers, ``interactive`` are the screen's. ``changes``:
    by tool and conditions (joined by " + "), by how much a definition is longer; None where that was not measured.
    """

    sent: dict[str, int] = field(default_factory=dict)
    deferred: dict[str, int] = field(default_factory=dict)
    finders: Mapping[str, int | None] = field(default_factory=dict)
    tasks: Mapping[str, int] = field(default_factory=dict)
    todo: Mapping[str, int | None] = field(default_factory=dict)
    online: Mapping[str, int | None] = field(default_factory=dict)
    interactive: Mapping[str, int | None] = field(default_factory=dict)
    interactive_deferred: Mapping[str, int | None] = field(default_factory=dict)
    changes: Mapping[str, Mapping[str, int | None]] = field(default_factory=dict)

    def offered_as(self, other: Tools) -> Tools:
        """The same definitions, offered where ``other`` ones are; of the screen's the size is not known."""
        return replace(
            self,
            deferred={name: {**self.tasks, **self.deferred}[name] for name in other.deferred},
            tasks={name: {**self.tasks, **self.deferred}[name] for name in other.tasks},
            interactive=dict.fromkeys(self.interactive),
        )

    def with_sizes(self, sizes: Mapping[str, int], changes: Mapping[str, Mapping[str, int]]) -> Tools:
        """The same tools, of which some have another size; of the conditions, only ``changes`` were measured again."""
        return replace(
            self,
            sent={name: sizes.get(name, size) for name, size in self.sent.items()},
            deferred={name: sizes.get(name, size) for name, size in self.deferred.items()},
            finders=dict.fromkeys(self.finders),
            todo=dict.fromkeys(self.todo),
            online={},
            changes={
                tool: {condition: changes.get(tool, {}).get(condition) for condition in known}
                for tool, known in self.changes.items()
            },
        )
