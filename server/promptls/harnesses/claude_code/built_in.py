"""What Claude Code brings itself, as the row of a version names it: agents, skills, models and tools."""

from __future__ import annotations

from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """An agent of the program's own: sizes of its description, also where reminders are inline, and its tools."""

    name: str
    size: int
    size_inline: int
    tools: str
    in_safe_mode: bool = True


@dataclass(frozen=True, slots=True)
class BuiltInSkill:
    """A skill of the program's own: the size of its description, and the line breaks in it.

    ``stays`` where the settings turn the others off. ``can_be_typed`` is false for one that only the model calls.
    """

    name: str
    size: int
    breaks: int = 0
    stays: bool = False
    can_be_typed: bool = True


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

    Two of them depend on others: Bash explains git unless the settings say no, and Workflow says more where the model
    cannot call skills.
    """

    sent: dict[str, int] = field(default_factory=dict)
    deferred: dict[str, int] = field(default_factory=dict)
    bash_without_git: int | None = None
    workflow_without_skills: int | None = None

    def with_sizes(self, sizes: Mapping[str, int], *, workflow_without_skills: int) -> Tools:
        """The same tools, of which some have another size."""
        return replace(
            self,
            sent={name: sizes.get(name, size) for name, size in self.sent.items()},
            deferred={name: sizes.get(name, size) for name, size in self.deferred.items()},
            workflow_without_skills=workflow_without_skills,
        )
