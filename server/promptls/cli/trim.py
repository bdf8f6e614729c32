"""``promptls trim``: what costs most and helps least in the prompts of the programs in use."""

from __future__ import annotations

import os

from promptls.cli.arguments import Options, Parser, absolute, current_directory, existing, takes_habits
from promptls.cli.edited import edited, finish, proof_json, takes_change
from promptls.cli.output import complain, show, show_patch, write_json
from promptls.cli.session_lines import sessions_json
from promptls.core import files
from promptls.core.paths import join, name, parent
from promptls.core.render import Line
from promptls.errors import UsageError
from promptls.git.listing import Listing
from promptls.workspace.machine import home
from promptls.workspace.request import NO_URLS, repository_of, sources_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.cli.edited import Edited
    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.core.prompt_json import Json
    from promptls.sessions.trim import Block, Found, Section, Twice
    from promptls.sessions.unify import Row
    from promptls.sessions.unneeded import Skill

# Recorded sessions of each program that are counted.
LAST = 50
# Keys of the JSON: where something stands, by its file and its lines from 0, both inclusive; and what is said of it.
LINES = ("path", "first", "last")
LOCAL = ("title", "directory", "new", "tokens", "then")
BEYOND = ("tokens", "limit", "programs")
SKILL = ("harness", "path", "tokens", "called", "of")


def run(argv: list[str]) -> int:
    """Show what was found, and 1 if some of it can go; or let it go."""
    options = _options(argv)
    path = existing(absolute(options.path), "file or directory") if options.path is not None else current_directory()
    root, only = _root(path, is_named=options.path is not None)
    finish(root, "trim", is_writing=options.write)
    found, change, rows = _json(root, only, options)
    if options.write and change.texts:
        change.refuse(force=options.force)
        change.write()
    if options.format == "json":
        write_json({**found, "patch": "" if options.write else "".join(change.patch())})
    else:
        from promptls.cli.trim_text import change_lines, trim_lines  # noqa: PLC0415 - not for JSON

        show((*trim_lines(found), *change_lines(found, rows)))
        if change.texts and not options.write:
            show(iter([Line("")]))
            show_patch(change.patch())
    return 1 if change.texts and not options.write else 0


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls trim",
        description="Show what costs most and helps least in the prompts of the coding agents in use: sections by "
        "their tokens, what one of them gets twice or nearly twice, and what contradicts something else. Sizes and "
        "repetitions are measured; style is not judged.",
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="a folder, or a file (default: the git repository)")
    takes_change(parser, "print a patch that removes what is not needed, and exit with 1 if there is one (default)")
    parser.add_argument(
        "--pick",
        metavar="FILE[:LINE]",
        action="append",
        default=[],
        help="also remove text that another file nearly repeats: in this file, or at this line of it; repeatable",
    )
    takes_habits(parser)
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only this coding agent; repeatable"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser.parse_args(argv)


def _root(path: str, *, is_named: bool) -> tuple[str, str | None]:
    """The folder that is looked at, and the file in it that is asked about, if one is."""
    if os.path.isdir(path):
        return files.realpath(path if is_named else repository_of(path) or path), None
    file = join(files.realpath(parent(path)), name(path))
    return files.realpath(repository_of(parent(file)) or parent(file)), files.realpath(file)


def _json(root: str, only: str | None, options: Options) -> tuple[Json, Edited, tuple[Row, ...]]:
    """What was found, the change, and what that does to each program."""
    from promptls.sessions.by_directory import and_of_folder, sessions_of_each  # noqa: PLC0415 - after what may fail
    from promptls.sessions.trim import found_in  # noqa: PLC0415 - the same
    from promptls.sessions.trimming import removals, trimmed  # noqa: PLC0415 - the same
    from promptls.sessions.unneeded import beyond_limits, local_sections  # noqa: PLC0415 - the same
    from promptls.workspace.folder_prompts import folder_prompts  # noqa: PLC0415 - the same

    sources = sources_of(with_habits=options.with_habits)
    with Listing(root) as listing:
        looked = folder_prompts(root, listing, sources, settings=NO_URLS, only=options.harness)
        listed = set(listing.files())
    host, every = looked.host, sessions_of_each(looked.host, looked.places, looked.by_harness())
    starts = [each for each, *_ in every]
    recorded, skills = _recorded(root, starts, host, with_habits=options.with_habits)
    found, local = found_in(every, host), local_sections(starts, root, host)
    beyond = beyond_limits([each for several in every for each in several], host)
    wanted = [each for each in removals(found, beyond, _picked(options.pick, found)) if only in (None, each.path)]
    proof = and_of_folder(every, looked.by_harness())
    change = trimmed(wanted, proof, host, root, listed=listed, leave=[absolute(each) for each in options.leave])
    return (
        {
            "root": root,
            "path": only,
            "sessions": sessions_json(starts, looked.here, options.harness),
            "recorded": {each["harness"]: each["sessions"] for each in recorded},
            **_found_json(found, only, recorded),
            "local": [
                _keys(each, *LINES, "title", "directory", "new", "tokens", "then")
                for each in local
                if only in (None, each.path)
            ],
            "beyond": [
                _keys(each, *LINES, "tokens", "limit", "programs") for each in beyond if only in (None, each.path)
            ],
            "skills": [
                _keys(each, "harness", "path", "tokens", "called", "of") for each in skills if only in (None, each.path)
            ],
            "written": options.write and bool(change.texts),
            "gone": [_keys(each, *LINES, "why") for each in change.gone],
            "left": [{"path": path, "why": why} for path, why in change.left.items()],
            "programs": proof_json(change.rows),
        },
        edited(root, change.texts),
        change.rows,
    )


def _picked(asked: Sequence[str], found: Found) -> set[tuple[str, int]]:
    """The near blocks that are asked to go.

    Raises:
        UsageError: there is none at a place.
    """
    picked: set[tuple[str, int]] = set()
    for each in asked:
        named, _, line = each.rpartition(":")
        has_line = bool(named) and line.isdigit()
        path = files.realpath(absolute(named if has_line else each))
        near = [(one.path, one.first) for one in (pair.one for pair in found.near) if one.path == path]
        mine = [(path, first) for path, first in near if not has_line or first + 1 == int(line)]
        if not mine:
            raise UsageError(f"Nothing at {each} is nearly said elsewhere; run “promptls trim” for the places.")
        picked.update(mine)
    return picked


def _recorded(root: str, starts: Sequence[Prompt], host: Host, *, with_habits: bool) -> tuple[list[Json], list[Skill]]:
    """In how many recorded sessions of the user each file stood, a table for each program; and the skills of each."""
    import contextlib  # noqa: PLC0415 - only for these

    from promptls.sessions.unneeded import skills_of  # noqa: PLC0415 - the same
    from promptls.workspace import recordings  # noqa: PLC0415 - the same
    from promptls.workspace.record_store import LocalStore  # noqa: PLC0415 - the same
    from promptls.workspace.rules_table import rules_of  # noqa: PLC0415 - the same

    if not with_habits:
        return [], [each for start in starts for each in skills_of(start, [], host)]
    skills: list[Skill] = []
    with contextlib.closing(LocalStore(home(), os.environ)) as store:
        tables = rules_of(store, root, [each.session.harness for each in starts], LAST)
        counted = {each["harness"] for each in tables}
        for start in starts:
            is_counted = start.session.harness in counted
            of = recordings.find(store, root, [start.session.harness], LAST, with_agents=False) if is_counted else ()
            skills += skills_of(start, of, host)
    for sentence in store.unread:
        complain(f"promptls: {sentence}")
    return tables, skills


def _found_json(found: Found, only: str | None, recorded: Sequence[Json]) -> Json:
    def is_asked(*paths: str) -> bool:
        return only is None or only in paths

    return {
        "sections": [_section(each, recorded) for each in found.sections if is_asked(each.path)],
        "same": [_twice(each) for each in found.same if is_asked(each.one.path, each.other.path)],
        "near": [_twice(each) for each in found.near if is_asked(each.one.path, each.other.path)],
        "opposed": [
            {
                "by": each.by,
                "one": _place(each.one),
                "other": _place(each.other),
                "programs": list(each.programs),
                "words": [list(pair) for pair in each.words],
            }
            for each in found.opposed
            if is_asked(each.one.path, each.other.path)
        ],
        "again": [{**_place(each.block), "at": each.at} for each in found.again if is_asked(each.block.path)],
    }


def _section(each: Section, recorded: Sequence[Json]) -> Json:
    stood = {table["harness"]: row["stood"] for table in recorded for row in table["rules"] if row["path"] == each.path}
    return {**_keys(each, *LINES, "title", "tokens"), "stood": stood}


def _twice(each: Twice) -> Json:
    return {
        "one": _place(each.one),
        "other": _place(each.other),
        "like": round(each.like, 2),
        "programs": list(each.programs),
        "may_go": each.may_go,
        "words": [list(pair) for pair in each.words],
    }


def _place(each: Block) -> Json:
    return _keys(each, *LINES, "text", "tokens")


def _keys(each: object, *names: str) -> Json:
    return {name: getattr(each, name) for name in names}
