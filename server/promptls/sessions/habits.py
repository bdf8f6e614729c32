"""What the machine knows of its user, by lookups through a host: the harnesses they have, and which they use here.

Nothing is run and nothing of the folder is read for it, but that the host may say what was recorded there
(SECURITY.md lists what is looked at). Where CI is set in the environment, nothing is looked for.
"""

from __future__ import annotations

from promptls.core import specs
from promptls.core.habits import NO_HABITS, NO_RECORDS, Habits, Own
from promptls.core.values import replace
from promptls.harnesses.installed import directories, on_path, version_of
from promptls.kit.paths import join, resolve
from promptls.kit.versions import key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from promptls.core.habits import Recent
    from promptls.core.host import Host
    from promptls.core.spec import Detection, Home

OFF = "the setting habits is off"
IN_CI = "CI is set in the environment"
# Values of the variable CI that mean that it is not set.
NOT_SET = ("", "0", "false")


def habits_of(host: Host, folder: str, chosen: Sequence[str] = (), *, is_on: bool = True) -> Habits:
    """The harnesses of the user of ``host``, the one they use most in ``folder`` first.

    ``chosen``: what they have said themselves, which counts for all that is found; ``is_on`` is the setting.
    """
    off = OFF if not is_on else IN_CI if host.env.get("CI", "").lower() not in NOT_SET else ""
    named = {each.partition("@")[0]: each for each in map(specs.canonical, chosen)}
    if off:
        return replace(NO_HABITS, own=tuple(Own(*each) for each in named.items()), is_asked_for=bool(named), off=off)
    places = directories(host, folder)
    names = tuple(named) or specs.names()
    homes = {each: tuple(_in_home(host, specs.detection(each))) for each in names}
    recorded = host.recorded(folder) if any(_keeps_records(host, each) for each in names if homes[each]) else NO_RECORDS
    recent = {each.harness: each for each in recorded.recent}
    found = [_use_of(host, each, places, homes[each], recent.get(each)) for each in names]
    if named:
        own = [replace(each, chosen=named[each.harness]) for each in found]
    else:
        own = sorted((each for each in found if each.command or each.home or each.recent), key=_order)
    return Habits(tuple(own), bool(named), bool(named), unread=recorded.unread)


def _use_of(host: Host, harness: str, places: tuple[str, ...], home: tuple[str, ...], recent: Recent | None) -> Own:
    program = specs.detection(harness)
    commands = tuple(on_path(host, program, places))
    if not commands:
        return Own(harness, home=home, recent=recent)
    first = host.realpath(commands[0])
    others = tuple(each for each in commands[1:] if host.realpath(each) != first)
    version = version_of(host, commands[0], program) or ""
    return Own(harness, "", commands[0], version if key(version) else "", others, home, recent)


def _order(own: Own) -> tuple[bool, tuple[int, ...], bool, bool]:
    """Those that were used here come first, the last one before all; then those that are installed and set up."""
    day = tuple(-ord(each) for each in own.recent.started) if own.recent is not None else ()
    return own.recent is None, day, not own.command, not own.home


def _in_home(host: Host, program: Detection) -> Iterator[str]:
    """What of a harness stands in the user's home directory, as paths."""
    for home in program.homes:
        directory = directory_of(host.home, host.env, home)
        if not home.evidence:
            if host.has(directory) and host.kind(directory) == "directory":
                yield directory
        elif not home.path or (host.has(directory) and host.kind(directory) == "directory"):
            yield from (path for each in home.evidence if host.has(path := join(directory, each)))


def directory_of(home: str, env: Mapping[str, str], of: Home, name: str = "") -> str:
    """Where a harness keeps what is the user's, as the environment says, else below ``home``; or ``name`` in it."""
    given = env.get(of.variable) if of.variable else None
    if given:
        top = home + given[1:] if given == "~" or given.startswith("~/") else resolve("/", given)
        parts = [of.below, name]
    else:
        top, parts = home, [of.path, name]
    return join(top, *filter(None, parts))


def _keeps_records(host: Host, harness: str) -> bool:
    """Whether a harness has recorded anything."""
    homes = (each for each in specs.detection(harness).homes if each.records)
    return any(host.has(directory_of(host.home, host.env, each, each.records)) for each in homes)
