"""What Codex does not read although it looks as if it did: reported only where such a file exists."""

from __future__ import annotations

from promptls.core.model import Origin
from promptls.core.values import replace
from promptls.harnesses.codex.files import AGENTS, FALLBACK, OVERRIDE, SPACE
from promptls.harnesses.codex.start.config import CodexConfig
from promptls.kit.candidates import Rule, own
from promptls.kit.draft import Draft
from promptls.kit.paths import is_below, join, parent, upwards
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Call, Outcome, Segment
    from promptls.harnesses.codex.start.setup import Setup

WHY_READ = "Codex has no lazy loading: the model sees the output of a shell command, and no instruction file is added"
WHY_NEVER = "Codex reads no AGENTS.md in this place"
WHY_ADDED = "--add-dir lets Codex write there, and loads no file of it"


def never_read(  # noqa: PLR0917 - what decides the places
    draft: Draft, host: Host, config: CodexConfig, chain: list[str], root: str | None, added: Sequence[str]
) -> None:
    """Instruction files above the root, in places of other programs and below ``--add-dir`` (sections 1.2 and 4)."""
    seen = {join(directory, name) for directory in chain for name in (OVERRIDE, AGENTS)}
    places: list[tuple[str, Outcome, str]] = [(path, "outside", why) for path, why in _above(chain[0], root)]
    places += [(path, "excluded", WHY_NEVER) for path in _elsewhere(host, config, chain)]
    for path, outcome, why in places:
        if path not in seen and host.kind(path) == "file":
            seen.add(path)
            draft.candidates.append(own(why).candidate(outcome, path))
    for directory in added:
        path = join(directory, AGENTS)
        if path not in seen and host.kind(path) == "file":
            draft.candidates.append(Rule(WHY_ADDED, Origin("argument", name="--add-dir")).excluded(path))


def _above(top: str, root: str | None) -> Iterator[tuple[str, str]]:
    why = f"the project root is {root}, and Codex does not look above it"
    if root is None:
        why = "no directory above the working directory has a project root marker, so Codex looks in it only"
    for directory in upwards(parent(top)):
        yield join(directory, OVERRIDE), why
        yield join(directory, AGENTS), why


def _elsewhere(host: Host, config: CodexConfig, chain: list[str]) -> Iterator[str]:
    for directory in (*chain, host.home):
        for name in (".codex", ".agents"):
            if host.realpath(join(directory, name)) != host.realpath(config.home):
                yield join(directory, name, AGENTS)
    yield join(host.home, AGENTS)


def read_output(draft: Draft, host: Host, setup: Setup, call: Call) -> list[Segment]:
    """What reading a file adds: nothing but the output of a command (wire: lazy-read-nested)."""
    entry, chain = setup.config.entries.get(FALLBACK), setup.chain
    names = (OVERRIDE, AGENTS, *(str(item.data).strip(SPACE) for item in (entry.names() if entry else ())))
    for directory in upwards(parent(call.read or setup.start.cwd)):
        if directory in chain or is_below(chain[0], directory):
            break
        for name in names:
            path = join(directory, name)
            if name and host.kind(path) == "file":
                why = f"{WHY_READ}; start Codex in {directory} (-C) to have it loaded"
                draft.candidates.append(replace(own(WHY_READ, at=call.at), why=why).outside(path))
                break
    return [elided("runtime", "codex", f"output of the command that reads {call.read}", why=WHY_READ)]
