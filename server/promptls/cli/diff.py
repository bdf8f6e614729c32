"""``promptls diff``: whose prompt changes, by how many tokens, and what is new, gone, cut, lost or doubled."""

from __future__ import annotations

import os

from promptls import harnesses
from promptls.cli.arguments import (
    Options,
    Parser,
    absolute,
    current_directory,
    existing,
    only_below,
    takes_mine,
    takes_page,
)
from promptls.cli.diff_text import lines, markdown
from promptls.cli.output import show, write_json
from promptls.cli.session_lines import first_of_each, sessions_json, tell_left_out
from promptls.core import files, specs
from promptls.core.budgets import spent_json
from promptls.core.how import ways
from promptls.core.model import START
from promptls.core.prompt_json import cut_json
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.workspace.diff_rows import Answer
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import NO_URLS, look_at, repository_of, sources_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from promptls.core.compare import Comparison, Group
    from promptls.sessions.start import Overrides
    from promptls.workspace.folder_diff import Used

NOW = "working tree"


def run(argv: list[str]) -> int:
    """Show what differs; differences do not change the exit code."""
    options = _options(argv)
    load_harnesses()
    answer = _with_sessions(_answer(options), options)
    if options.html is not None:
        _write_page(options, answer)
        return 0
    if options.format == "json":
        write_json(_json(answer))
    else:
        show((markdown if options.format == "markdown" else lines)(answer))
    if options.format == "text" and answer.of == "revisions" and not (options.with_habits or options.harness):
        compared = (each.prompt.session.harness for each in answer.comparisons)
        tell_left_out(look_at(answer.root, answer.root), compared, "compared", "compare")
    return 0


def _write_page(options: Options, answer: Answer) -> None:
    from promptls.cli.write_page import write_page  # noqa: PLC0415 - only for a page
    from promptls.page.diff import diff_page  # noqa: PLC0415 - the same
    from promptls.page.elements import Links  # noqa: PLC0415 - the same

    def made(nonce: str, base: str) -> str:
        links = Links(
            answer.root, base, is_shared=options.redact, is_there=lambda path: files.stat_of(path) is not None
        )
        return diff_page(answer, links, nonce=nonce)

    write_page(options.html, answer.root, made)


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls diff",
        description="Show whose prompt changes, by how many tokens, and what is new, gone, cut, lost or sent twice.",
    )
    parser.add_argument(
        "sides",
        nargs="*",
        metavar="A B",
        help="two git revisions (also A..B, or A...B since they parted), coding agents, files, or sessions as JSON; "
        "one revision is compared with the working tree (default: HEAD)",
    )
    parser.add_argument("--folder", metavar="DIR", help="the folder (default: the git repository)")
    takes_mine(parser)
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only this coding agent; repeatable"
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    takes_page(parser, shown)
    options = parser.parse_args(argv)
    if len(options.sides) > 2:  # noqa: PLR2004 - A and B
        raise UsageError("There are more than two sides; name two to compare.")
    return options


def _answer(options: Options) -> Answer:
    from promptls.workspace import folder_diff as prompt_diff  # noqa: PLC0415 - after everything that may fail at once

    here = current_directory()
    folder = existing(absolute(options.folder), "directory") if options.folder is not None else None
    root = files.realpath(folder or repository_of(here) or here)
    sources = sources_of(with_habits=options.with_habits)
    sides: Sequence[str] = options.sides
    if len(sides) == 2 and all(map(_is_harness, sides)):  # noqa: PLR2004 - A and B
        one, other = map(specs.canonical, sides)
        return Answer("harnesses", one, other, root, tuple(prompt_diff.of_harnesses(root, one, other)))
    if len(sides) == 2 and all(os.path.isfile(absolute(each)) for each in sides):  # noqa: PLR2004 - the same
        if only_below() is not None:  # a session in a file may be of any folder
            raise UsageError(f"{sides[0]!r} is a file; name two git revisions or two coding agents.")
        paths = [absolute(each) for each in sides]
        sessions = [_session(each) for each in paths]
        if sessions[0] is not None and sessions[1] is not None:
            found = prompt_diff.of_sessions(sessions[0], sessions[1], here)
            return Answer("sessions", sides[0], sides[1], root, tuple(found))
        found = prompt_diff.of_files(paths[0], paths[1], here, options.harness, sources)
        return Answer("files", sides[0], sides[1], root, tuple(found))
    before, after = _revisions(sides, root)
    found, budgets = prompt_diff.of_revisions(root, before, after, options.harness, sources)
    return Answer("revisions", before, after or NOW, root, tuple(found), budgets=tuple(budgets))


def _with_sessions(answer: Answer, options: Options) -> Answer:
    """The answer with the sessions that are compared; of two that are given, the files say it themselves."""
    if answer.of == "sessions" or not answer.comparisons:
        return answer
    first, only = answer.comparisons[0], options.harness
    prompts = first_of_each(each.prompt for each in answer.comparisons)
    if answer.of == "harnesses":
        prompts, only = [each for each in (first.before, first.after) if each is not None], options.sides
    sources = sources_of(with_habits=options.with_habits and answer.of != "harnesses")
    here = look_at(answer.root, answer.root, sources, NO_URLS)
    return replace(answer, sessions=tuple(sessions_json(prompts, here, only)))


def _is_harness(name: str) -> bool:
    return harnesses.split(name)[0] in harnesses.names()


def _session(path: str) -> Overrides | None:
    """The session in a file; None if it is not one, but a file that is read."""
    if not path.endswith(".json"):
        return None
    from promptls.workspace.session_file import MOST, parse  # noqa: PLC0415 - pydantic costs more than a preview

    data = files.read(path, MOST).data
    return parse(data, f"The session {path}") if b'"harness"' in data and b'"cwd"' in data else None


def _revisions(sides: Sequence[str], root: str) -> tuple[str, str | None]:
    """The names of two revisions; None is the working tree."""
    if len(sides) == 2:  # noqa: PLR2004 - A and B
        return sides[0], sides[1]
    name = sides[0] if sides else "HEAD"
    if "..." in name:
        from promptls.git.revision import parting  # noqa: PLC0415 - only if it is requested

        before, _, after = name.partition("...")
        return parting(root, before or "HEAD", after or "HEAD"), after or "HEAD"
    before, dots, after = name.partition("..")
    return before or "HEAD", (after or "HEAD") if dots else None


def _json(answer: Answer) -> dict[str, Any]:
    return {
        "of": answer.of,
        "before": answer.before,
        "after": answer.after,
        "root": answer.root,
        "sessions": list(answer.sessions),
        "changes": [_group_json(each) for each in answer.groups],
        "prompts": [_comparison_json(each) for each in answer.comparisons if each.changes],
        "budgets": [_budget_json(each, answer.root) for each in answer.budgets],
        "how": ways((each.prompt for each in answer.comparisons if each.changes), current_directory("/")),
    }


def _budget_json(used: Used, root: str) -> dict[str, Any]:
    before, after = spent_json(used.before, root), spent_json(used.after, root)
    return {
        **after,
        "budget": None if used.is_gone else after["budget"],
        "over": after["over"] and not used.is_gone,
        "before": {"budget": None if used.is_new else before["budget"], "tokens": before["tokens"]},
    }


def _group_json(group: Group) -> dict[str, Any]:
    first = group.change
    return {
        "name": first.name,
        "kind": first.kind,
        "status": first.status,
        **({"why": first.why} if first.why else {}),
        **({"cut": cut_json(first.cut)} if first.cut else {}),
        **({"times": first.doubled} if first.doubled else {}),
        "prompts": [
            {
                **_prompt_json(comparison),
                "at": START if is_at_start else "read",
                "before": change.tokens[0],
                "after": change.tokens[1],
            }
            for comparison, change, is_at_start in group.among
        ],
    }


def _comparison_json(comparison: Comparison) -> dict[str, Any]:
    cache = comparison.cache
    place = {"message": cache.message, "line": cache.line, "new": cache.new} if cache else None
    before, after = comparison.tokens
    return {**_prompt_json(comparison), "before": before, "after": after, "cache": place}


def _prompt_json(comparison: Comparison) -> dict[str, Any]:
    session = comparison.prompt.session
    return {"harness": session.harness, "version": session.version, "cwd": session.cwd, "reads": list(session.reads)}
