"""``promptls`` alone, or with a path: what each harness in use is sent, what is wrong there, and what to do next."""

from __future__ import annotations

import os
import sys

from promptls.cli.arguments import Options, Parser, absolute, current_directory, existing, only_below, takes_habits
from promptls.cli.faulty import status
from promptls.cli.output import show, write_json
from promptls.cli.remembered import Answer
from promptls.cli.session_lines import first_of_each, sessions_json
from promptls.core import files
from promptls.core.paths import is_below
from promptls.workspace.machine import home, load_harnesses
from promptls.workspace.request import HERE, NO_URLS, look_at, project_of, repository_of, sources_of, started_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Problem, Prompt
    from promptls.core.prompt_json import Json
    from promptls.core.table import Table
    from promptls.git.listing import Listing
    from promptls.workspace.folder_prompts import FolderPrompts
    from promptls.workspace.request import Here, Sources

# Problems that are shown.
MOST_PROBLEMS = 3
SEVERITIES = ("error", "warning", "information", "hint")


def has_answer() -> bool:
    """Whether there is anything to say of the current directory: it is in a git repository, or a folder of a user's.

    All files of a home directory, or of the whole disk, would be too many.
    """
    here = current_directory("/")
    if repository_of(here) is not None:
        return True
    return not is_below(home(), here) and bool(look_at(here, here, HERE, NO_URLS).habits.own)


def run(argv: list[str]) -> int:
    """Show the table; problems do not change the exit code."""
    options = _options(argv)
    path = existing(absolute(options.path), "file or directory") if options.path is not None else None
    load_harnesses()
    of = _of_folder if path is None or os.path.isdir(path) else _of_file
    only, sources = options.harness, sources_of(with_habits=options.with_habits)
    if sources.with_habits and not only and options.format == "text":
        _ask(path or current_directory())
    found = of(path or current_directory(), only, sources)
    if options.format == "json":
        write_json(found)
    else:
        from promptls.cli.overview_text import overview_lines  # noqa: PLC0415 - not for JSON

        show(overview_lines(found, only, is_verbose=options.verbose))
    return status(((each["harness"], each["stopped"] if each["fault"] else None) for each in found["columns"]), only)


def _ask(path: str) -> None:
    """Ask which program the user means, where somebody is there to answer."""
    if sys.stdin is None or sys.stdout is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    from promptls.cli.use import ask  # noqa: PLC0415 - only on a terminal

    ask(look_at(path, started_in(path, current_directory("/")), HERE, NO_URLS))


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls", description="Show the size of what each coding agent gets, and the worst problems."
    )
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a file that is read, or a folder (default: the current directory)"
    )
    takes_habits(parser)
    parser.add_argument("--verbose", action="store_true", help="say how the session was determined")
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only this coding agent; repeatable"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser.parse_args(argv)


def _of_folder(path: str, only: Sequence[str], sources: Sources) -> Json:
    """Of a start in a folder: the prompts and problems of a check, without URLs."""
    from promptls.git.listing import Listing  # noqa: PLC0415 - not for a file

    root = files.realpath(path)
    question = ("folder", root, current_directory("/"), _whose(sources), *only)
    project = project_of(root, only_below())
    with Listing(root) as listing, listing if project == root else Listing(project) as around:
        last = Answer(question, (*listing.files(), *(around.files() if around is not listing else ())))
        return last.recall() or last.keep(*_made_of_folder(root, listing, (project, around), only, sources))


def _whose(sources: Sources) -> str:
    return "own" if sources.with_habits else "team"


def _made_of_folder(
    root: str, listing: Listing, project: tuple[str, Listing], only: Sequence[str], sources: Sources
) -> tuple[Json, Host, Host]:
    from promptls.core.table import table  # noqa: PLC0415 - not for an answer that was kept
    from promptls.workspace.folder_check import problems_below  # noqa: PLC0415 - the same
    from promptls.workspace.folder_prompts import folder_prompts  # noqa: PLC0415 - the same

    looked = folder_prompts(root, listing, sources, settings=NO_URLS, only=only)
    made = table(looked.by_harness(), looked.host.realpath)
    below, host = problems_below(root, looked, *project)
    tellings = sessions_json(first_of_each(looked.prompts), looked.here, only)
    last = looked.here.habits.last
    is_elsewhere = last is not None and is_below(last.cwd, root) and last.cwd != root
    more = {
        "sessions": tellings,
        "last_start": last.cwd if last is not None and is_elsewhere else None,
        "not_shown": [] if only else _not_shown(looked.here, looked.prompts),
        "how": _how(prompts[0] for prompts in looked.by_harness()),
        "hidden_skills": _hidden_skills(looked),
        "ignored_fields": _ignored_fields(looked),
    }
    return _json(root, None, made, below, looked.by_agents) | more, looked.host, host


def _hidden_skills(looked: FolderPrompts) -> list[Json]:
    """How many skills some of the programs keep from the model, and others list."""
    from promptls.checks.elsewhere import hidden_skills  # noqa: PLC0415 - not for an answer that was kept

    found: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
    for each in hidden_skills([prompts[0] for prompts in looked.by_harness()], looked.host):
        key = each.hidden_in, each.listed_in
        found[key] = found.get(key, 0) + 1
    return [
        {"skills": count, "hidden_in": list(hidden), "listed_in": list(listed)}
        for (hidden, listed), count in found.items()
    ]


def _ignored_fields(looked: FolderPrompts) -> list[Json]:
    """How many skills have a field that some of the programs follow, and others ignore."""
    from promptls.checks.elsewhere import ignored_fields  # noqa: PLC0415 - not for an answer that was kept

    found: dict[tuple[str, tuple[str, ...], tuple[str, ...]], int] = {}
    for each in ignored_fields([prompts[0] for prompts in looked.by_harness()], looked.host):
        key = each.key, each.followed_in, each.ignored_in
        found[key] = found.get(key, 0) + 1
    return [
        {"field": field, "skills": count, "followed_in": list(followed), "ignored_in": list(ignored)}
        for (field, followed, ignored), count in found.items()
    ]


def _of_file(path: str, only: Sequence[str], sources: Sources) -> Json:
    """Of a session that reads a file: one prompt for each harness, with the problems that its preview shows."""
    here = current_directory("/")
    last = Answer(("file", path, here, _whose(sources), *only))
    return last.recall() or last.keep(*_made_of_file(path, here, only, sources))


def _made_of_file(path: str, here: str, only: Sequence[str], sources: Sources) -> tuple[Json, Host]:
    from promptls.checks.merge import merge  # noqa: PLC0415 - not for an answer that was kept
    from promptls.core.table import table  # noqa: PLC0415 - the same
    from promptls.sessions.detect import is_by_agents, is_undecided  # noqa: PLC0415 - the same
    from promptls.workspace.folder_check import matters  # noqa: PLC0415 - the same
    from promptls.workspace.request import file_prompts  # noqa: PLC0415 - the same

    looked = file_prompts(path, here=here, only=only, sources=sources)
    host, found, settings = looked.host, looked.here.found, looked.here.settings
    undecided = (
        [each.name for each in found if is_by_agents(each)] if is_undecided(found, settings, looked.here.habits) else []
    )
    by_agents = frozenset(() if only else undecided)
    merged = merge((each.session.harness, each.problems()) for each in looked.answers)
    problems = [each for each in merged if matters(each, by_agents)]
    made = table([[each] for each in looked.prompts], host.realpath)
    tellings = sessions_json(looked.prompts, looked.here, only)
    shown = () if only else undecided
    return _json(looked.here.place.workspace, path, made, problems, shown) | {
        "sessions": tellings,
        "last_start": None,
        "not_shown": [] if only else _not_shown(looked.here, looked.prompts),
        "how": _how(looked.prompts),
        "hidden_skills": [],
        "ignored_fields": [],
    }, host


def _how(shown: Iterable[Prompt]) -> list[Json]:
    from promptls.core.how import ways  # noqa: PLC0415 - not for an answer that was kept

    return ways(shown, current_directory("/"))


def _not_shown(here: Here, prompts: Iterable[Prompt]) -> list[str]:
    from promptls.sessions.detect import passed_by  # noqa: PLC0415 - not for an answer that was kept

    shown = {each.session.harness for each in prompts}
    return list(passed_by(here.host, (here.place.directory, here.place.top), shown, here.settings, here.habits))


def gravest(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems, the gravest first."""
    return tuple(sorted(problems, key=lambda each: SEVERITIES.index(each.severity)))


def _alike(found: Iterable[Problem]) -> list[tuple[Problem, int]]:
    """The first of all problems that are told in the same words, and their number."""
    alike: dict[tuple[str, str], list[Problem]] = {}
    for each in found:
        alike.setdefault((each.code, each.message), []).append(each)
    return [(each[0], len(each)) for each in alike.values()]


def _json(root: str, path: str | None, table: Table, problems: Iterable[Problem], undecided: Iterable[str]) -> Json:
    """The table of the folder ``root``, or of the file at ``path`` in it, and the problems, the gravest first.

    ``undecided`` are the harnesses that only AGENTS.md speaks for, where the user has not chosen any.
    """
    from promptls.core.map_json import table_json  # noqa: PLC0415 - not for an answer that was kept
    from promptls.core.prompt_json import problem_json  # noqa: PLC0415 - the same

    found = gravest(problems)
    worst = [
        {**problem_json(each), "harnesses": list(each.harnesses), "alike": number - 1}
        for each, number in _alike(found)[:MOST_PROBLEMS]
    ]
    return {
        "root": root,
        "repository": repository_of(root),
        "path": path,
        **table_json(table),
        "problems": len(found),
        "worst": worst,
        "undecided": list(undecided),
    }
