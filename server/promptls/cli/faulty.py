"""What commands say of harnesses that promptls failed to show."""

from __future__ import annotations

from promptls.cli.output import complain
from promptls.core import specs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptls.core.model import Prompt
    from promptls.core.prompt_json import Json

# The exit code of what could not be done.
NOT_DONE = 2


def tell(prompts: Iterable[Prompt], only: Sequence[str] = ()) -> int:
    """Say of which harnesses a prompt could not be made; the least exit code then, as ``status`` has it."""
    made = [(each.session.harness, each.stopped if each.is_fault else None) for each in prompts]
    for sentence in dict.fromkeys(sentence for _, sentence in made if sentence):
        complain(f"promptls: {sentence}")
    return status(made, only)


def status(made: Iterable[tuple[str, str | None]], only: Sequence[str]) -> int:
    """``NOT_DONE`` where one that was asked for, or every one, has a fault, else 0; ``made`` are names and faults."""
    found = list(made)
    faults = {name for name, fault in found if fault}
    asked = {specs.canonical(each).partition("@")[0] for each in only}
    return NOT_DONE if faults & asked or (faults and faults.issuperset(name for name, _ in found)) else 0


def faults_json(prompts: Iterable[Prompt]) -> list[Json]:
    """The harnesses that could not be shown, with why."""
    said = {each.session.harness: each.stopped for each in prompts if each.is_fault}
    return [{"harness": name, "why": why} for name, why in said.items()]
