"""Parses the parts of a harness's command line that affect the prompt. Unknown options are reported, not dropped."""

from __future__ import annotations

from promptls.core.values import dataclass, field, replace
from promptls.kit.candidates import argument, left_out, not_modelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from promptls.core.model import Candidate, Session
    from promptls.core.spec import Spec


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


@dataclass(frozen=True, slots=True)
class Options:
    """A command line, as far as promptls has to know it to tell options from what is typed.

    ``cwd``, ``model``, ``agent`` and ``prompt`` are spellings of the options for these. ``named``: others that the
    harness asks for, each spelling with the name to ask by. ``values`` are the other options with a value, and
    ``switches`` those without one. Of all these, ``not_modelled`` change the prompt in a way that promptls does not
    know, switches also if they are named there alone, and so do ``variables`` that are set; ``no_effect`` look as if
    they did, each with why they do not. An option whose name is ``greedy`` takes all up to the next one.
    """

    cwd: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    prompt: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    values: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    greedy: tuple[str, ...] = ()
    not_modelled: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    no_effect: Mapping[str, str] = field(default_factory=dict)

    def read(self, given: Iterable[str]) -> Arguments:
        """The command line; ``last("cwd")`` and the like give the last value."""
        known = (("cwd", self.cwd), ("model", self.model), ("agent", self.agent), ("prompt", self.prompt))
        values = {spelling: option for option, spellings in known for spelling in spellings}
        values |= {**self.named, **{each: each for each in self.values}}
        return read(given, values=values, switches=(*self.switches, *self.not_modelled), greedy=self.greedy)

    def candidates(self, session: Session, command: Arguments, spec: Spec) -> Iterable[Candidate]:
        """What is given and has no effect, or one that is not known."""
        given = {*command.values, *command.switches}
        yield from (not_modelled(each) for each in self.not_modelled if each in given)
        yield from (argument(each, why) for each, why in self.no_effect.items() if each in given)
        # An agent or a hint that the harness knows is its own to show.
        agent = None if self.agent else session.agent
        hints = () if spec.has_hints else session.hints
        told = replace(session, agent=agent, hints=hints)
        yield from left_out(told, command.unknown, spec.title, has_agents="--agent" in self.not_modelled)
