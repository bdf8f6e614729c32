"""``promptls harnesses``: lists the supported coding agents and those in use here; keeps a choice of them."""

from __future__ import annotations

from promptls import harnesses
from promptls.cli.arguments import Options, Parser, current_directory
from promptls.cli.output import show, write_json
from promptls.core import specs
from promptls.core.render import Line
from promptls.core.session_line import seen_from
from promptls.errors import UsageError
from promptls.harnesses import catalogue
from promptls.harnesses.documented import PROGRAMS
from promptls.kit.base import TIERS
from promptls.kit.paths import join
from promptls.sessions.detect import with_version
from promptls.sessions.start import Overrides
from promptls.workspace.machine import home, load_harnesses
from promptls.workspace.request import look_at, session_at
from promptls.workspace.settings_file import OWN, of_user

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.workspace.request import Here

# How each tier is named in the list.
TIER_WORDS = {"captured": "captured", "source": "from source", "documented": "documented"}


def run(argv: list[str]) -> int:
    """List them as text or JSON, or keep a choice."""
    options = _options(argv)
    here = current_directory()
    load_harnesses()
    at_hand = look_at(here)
    if options.use is not None:
        _keep(at_hand, options)
        return 0
    settings = at_hand.settings
    found = {each.name: list(each.evidence) for each in at_hand.found}
    shown = harnesses.names() if options.all else harnesses.offered(found)
    if options.format == "json":
        known = [
            {**each, "found": each["name"] in found, "evidence": found.get(each["name"], [])}
            for each in harnesses.describe()
            if each["name"] in shown
        ]
        chosen = [harnesses.split(each)[0] for each in settings.harnesses]
        write_json({"harnesses": known, "chosen": chosen, "documented": [each.json() for each in PROGRAMS]})
        return 0
    show(_lines(found, shown) if options.all else _brief(at_hand))
    return 0


def _options(argv: list[str]) -> Options:
    parser = Parser(prog="promptls harnesses", description="List or choose coding agents.")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--all", action="store_true", help="list all coding agents, with what each loads")
    parser.add_argument(
        "--use",
        metavar="H,H",
        help=f"choose the coding agents you use, in {OWN} of this repository; an empty list clears the choice",
    )
    parser.add_argument("--user", action="store_true", help="with --use: make the choice for all your folders")
    options = parser.parse_args(argv)
    if options.user and options.use is None:
        raise UsageError("--user needs --use; name the coding agents with --use.")
    return options


def _keep(here: Here, options: Options) -> None:
    names = list(dict.fromkeys(specs.canonical(each.strip()) for each in options.use.split(",") if each.strip()))
    path = of_user(home(), here.host.env) if options.user else here.file.path or join(here.place.workspace, OWN)
    from promptls.workspace import choice  # noqa: PLC0415 - only where something is written

    choice.keep(path, choice.known(names))
    what = f"now names {', '.join(names)}" if names else "no longer names any coding agents"
    where = " for all your folders" if options.user else ""
    show([Line(f"{path} {what}{where if names else ''}.")])


def _brief(here: Here) -> Iterator[Line]:
    """Those of the user, then those that the folder is set up for, a line each; the others in one."""
    used = here.found
    yield from () if used else (Line("No coding agent is in use here."),)
    for each in used:
        own = here.habits.of(each.name)
        evidence = [seen_from(here.place.directory, path, here.host.home) for path in each.evidence]
        why = [f"{own.version or 'version not known'} installed"] if own is not None and own.command else []
        why += ["yours"] if own is not None and not own.command else []
        why += [f"last used here on {own.recent.day}"] if own is not None and own.recent is not None else []
        why += [f"set up here: {', '.join(evidence)}"] if evidence else []
        why += ["named in the settings"] if not why else []
        asked = Overrides(harness=with_version(each.name, here.settings))
        known = harnesses.version(harnesses.get(each.name), session_at(here, asked).version)
        version = f"promptls shows {known.name} ({TIER_WORDS[known.tier]})"
        yield Line(f"{each.name}  {specs.of(each.name).title} · {' · '.join((*why, version))}", "message")
    names = {each.name for each in used}
    others = ", ".join(each for each in harnesses.names() if each not in names)
    yield Line(f"Not in use here: {others}; “promptls harnesses --all” says what each loads.", "note")


def _recorded(name: str) -> Iterator[str]:
    """Whether sessions that it recorded are read, and if not, why, where that is known."""
    why = specs.of(name).unread_records
    if catalogue.records(name) is not None:
        yield "sessions that it recorded: promptls sessions"
    elif why:
        yield f"sessions that it recorded are not read: {why}"


def _lines(found: dict[str, list[str]], shown: tuple[str, ...]) -> Iterator[Line]:
    for harness in harnesses.every():
        if harness.name not in shown:
            continue
        versions = ", ".join(f"{v.name} ({TIER_WORDS[v.tier]})" for v in harness.versions)
        short = "".join(f" · short: {alias}" for alias in specs.detection(harness.name).aliases)
        yield Line(f"{harness.name}  {versions}{short}", "message")
        yield from (Line(f"    {line}") for line in harness.loads)
        yield from (Line(f"  {line}", "note") for line in _recorded(harness.name))
        if harness.name in found:
            evidence = ", ".join(found[harness.name])
            yield Line(f"  found here: {evidence}" if evidence else "  in use here: named in the settings", "note")
    tiers = dict.fromkeys(v.tier for each in shown for v in harnesses.get(each).versions)
    yield from (Line(f"{TIER_WORDS[tier]}: {TIERS[tier]}", "note") for tier in TIERS if tier in tiers)
    left = len(harnesses.names()) - len(shown)
    if not left:
        yield Line("Without a preview, by their documentation, not measured:", "message")
        for each in PROGRAMS:
            yield Line(f"{each.name}  {each.title} (documented)", "message")
            yield from (Line(f"    {says}") for says in each.says())
    if left:
        yield Line(f"{left} more are not in use here; “promptls harnesses --all” lists them.", "note")
