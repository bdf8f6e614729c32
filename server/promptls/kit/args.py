"""Parses the parts of a harness's command line that affect the prompt. Unknown options are reported, not dropped."""

from __future__ import annotations

from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(slots=True)
class Arguments:
    """What a command line says: values by option, switches that are on, the rest, and what is not known."""

    values: dict[str, list[str]] = field(default_factory=dict)
    switches: set[str] = field(default_factory=set)
    rest: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def last(self, option: str) -> str | None:
        """The last value given for ``option``."""
        given = self.values.get(option)
        return given[-1] if given else None

    def not_modelled(self, known: Iterable[str]) -> list[str]:
        """What may shape the prompt in a way that promptls does not know: what is given of ``known``, and the rest."""
        return [*(each for each in known if each in self.switches or each in self.values), *self.unknown]


def read(
    args: Iterable[str],
    *,
    values: Mapping[str, str],
    switches: Iterable[str] = (),
    greedy: Iterable[str] = (),
) -> Arguments:
    """Read ``args``, up to the end or ``--``.

    ``values`` maps each spelling of an option with a value to its name; ``switches`` have none; an option named
    in ``greedy`` takes everything up to the next option.
    """
    found = Arguments()
    waiting = list(args)
    while waiting:
        arg = waiting.pop(0)
        option, equals, attached = arg.partition("=")
        if arg == "--":
            found.rest += waiting
            break
        if option in values:
            given = found.values.setdefault(values[option], [])
            given.append(attached if equals else waiting.pop(0) if waiting else "")
            while values[option] in greedy and waiting and not waiting[0].startswith("-"):
                given.append(waiting.pop(0))
        elif option in switches:
            found.switches.add(option)
        elif arg.startswith("-") and arg != "-":
            found.unknown.append(arg)
        else:
            found.rest.append(arg)
    return found
