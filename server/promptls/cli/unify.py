"""``promptls unify``: one instruction file in place of several, shown as a patch with its proof, or written."""

from __future__ import annotations

import os

from promptls.cli.arguments import Options, Parser, absolute, current_directory, existing, only_below, takes_mine
from promptls.cli.edited import edited, finish, proof_json, proof_lines, takes_change
from promptls.cli.output import show, show_patch, width, write_json
from promptls.cli.session_lines import first_of_each, session_lines, sessions_json, tell_left_out
from promptls.core import files, specs
from promptls.core.merge import placed
from promptls.core.paths import is_below, join, name, parent
from promptls.core.phrases import cut_says
from promptls.core.render import Line
from promptls.core.table_text import WIDTH, wrapped
from promptls.core.text import decode, newlines
from promptls.core.values import dataclass
from promptls.core.visible import inert
from promptls.errors import UsageError
from promptls.git.listing import Listing
from promptls.harnesses.documented import lines_of, said_of
from promptls.sessions.kept_lines import lines_of as lines_in
from promptls.workspace.machine import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from promptls.cli.edited import Edited
    from promptls.sessions.unify import Row, Unified
    from promptls.workspace.folder_prompts import FolderPrompts

AGENTS = "AGENTS.md"
# Letters of a line that is shown.
SHOWN = 60
# Lines that stand twice and are shown.
MOST_REPEATED = 12
SAYS = {
    "removed": "is removed",
    "import": "imports it",
    "link": "becomes a link to it",
    "configuration": "is removed, and the configuration names the one file",
}
ALREADY = {"link": "is a link to the same file already", "import": "imports it already"}


def run(argv: list[str]) -> int:
    """Show the change, and 1 if there is any; or write it."""
    options = _options(argv)
    target = _target(options.file)
    root = _root(target)
    finish(root, "unify", is_writing=options.write)
    change = _change(options, target, root)
    found = change.found
    if options.write and (found.texts or found.links):
        change.edited.refuse(force=options.force)
        change.edited.write()
    if options.format == "json":
        write_json(_json(change, is_written=options.write))
    else:
        show(_lines(change, is_written=options.write))
        if not options.write and (found.texts or found.links):
            show(iter([Line("")]))
            show_patch(change.edited.patch())
        if not (options.with_habits or options.harness):
            shown = (each.harness for each in found.rows)
            tell_left_out(change.looked.here, shown, "unified", "do so")
    return 1 if not options.write and (found.texts or found.links) else 0


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls unify",
        description="Make one instruction file out of several. What several of them say is kept once, and each other "
        "file becomes an import or a link, or is removed. No coding agent in use loses a line, as previews before and "
        "after prove.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="the one file (default: AGENTS.md at the top)")
    takes_change(parser, "print the change as a patch, and exit with 1 if there is one (default)")
    takes_mine(parser)
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only for this coding agent; repeatable"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser.parse_args(argv)


def _target(named_file: str | None) -> str:
    from promptls.workspace.request import repository_of  # noqa: PLC0415 - after the options

    here = current_directory()
    path = absolute(named_file) if named_file is not None else repository_of(here) or here
    path = join(path, AGENTS) if os.path.isdir(path) else path
    existing(parent(path), "directory")
    return join(files.realpath(parent(path)), name(path))


def _root(target: str) -> str:
    """The folder whose prompts are compared: the repository.

    Raises:
        UsageError: it is the home directory, or in what a program keeps there.
    """
    from promptls.workspace.request import is_for_every_start, repository_of  # noqa: PLC0415 - as above

    if parent(target) == files.realpath(home()) or is_for_every_start(target):
        raise UsageError(f"{target} is for every folder of yours; name a file of a project.")
    root = repository_of(parent(target)) or parent(target)
    top = only_below()
    if top is not None and not is_below(root, files.realpath(top)):
        root = files.realpath(top)
    if not is_below(files.realpath(target), root):
        raise UsageError(f"{target} is a link out of {root}; name another file.")
    return root


@dataclass(frozen=True, slots=True)
class _Change:
    """What was found, and what is to be done to the files."""

    found: Unified
    looked: FolderPrompts
    only: tuple[str, ...]
    edited: Edited


def _change(options: Options, target: str, root: str) -> _Change:
    from promptls.sessions.unify import unified  # noqa: PLC0415 - after everything that may fail at once
    from promptls.workspace.folder_prompts import folder_prompts  # noqa: PLC0415 - the same
    from promptls.workspace.request import NO_URLS, sources_of  # noqa: PLC0415 - the same

    leave = [absolute(each) for each in options.leave]
    with Listing(root) as listing:
        sources = sources_of(with_habits=options.with_habits)
        looked = folder_prompts(root, listing, sources, settings=NO_URLS, only=options.harness)
        listed = set(listing.files())
    found = unified(target, looked.prompts, looked.host, listed, leave)
    return _Change(found, looked, tuple(options.harness), edited(root, found.texts, found.links))


# -- shown ------------------------------------------------------------------------------------------------------------


def _lines(change: _Change, *, is_written: bool) -> Iterator[Line]:
    found = change.found
    prompts = first_of_each(change.looked.prompts)
    yield from session_lines(sessions_json(prompts, change.looked.here, change.only))
    target = change.edited.relative(found.target)
    if not found.texts and not found.links:
        yield Line(f"{target}: there is nothing to unify.", "title")
    else:
        yield Line(f"{target} {'is now' if is_written else 'can be'} the one file:", "title")
    rows = [(change.edited.relative(path), SAYS[how] + _place(found, path)) for path, how in found.how.items()]
    rows += [(change.edited.relative(path), ALREADY[form]) for path, form in found.already.items()]
    rows += [(change.edited.relative(path), f"stays: {why}") for path, why in found.left.items()]
    wide = max((len(path) for path, _ in rows), default=0)
    for path, says in rows:
        yield Line(f"  {path:<{wide}}  {says}")
    if found.rows:
        yield Line("")
        yield from proof_lines(found.rows)
    for row in found.rows:
        if row.beyond:
            yield from (Line(each, "note") for each in wrapped(_beyond(row, target), " ", width(WIDTH)))
    if found.repeated:
        yield from (Line(each, "note") for each in wrapped(_repeated(found, target), " ", width(WIDTH)))
        yield from (Line(f"  {each}", "note") for each in _repeated_lines(found))
    if found.naming:
        yield from (Line(each, "note") for each in wrapped(_naming(found, target), " ", width(WIDTH)))
    said = [*lines_of(said_of(found.target, change.edited.root, home()))] if found.rows else []
    if said:
        yield Line(f"Who else reads {target}, by documentation, not measured:", "note")
        yield from (Line(f"  {each}", "note") for each in said)
    chosen = {each.partition("@")[0] for each in change.looked.settings.harnesses}
    for each in [each for each in found.unmarked if each not in chosen]:
        yield Line(f"No file says any more that {specs.of(each).title} is used; name it in promptls.toml:", "note")
        yield Line(f'  harnesses = ["{each}", ...]', "note")


def _place(found: Unified, path: str) -> str:
    """Where the text of a file stands then, if it would be read as part of something else."""
    heading = found.below.get(path)
    return f"; its text is below “{_short(heading)}” then, so move it or give it a heading" if heading else ""


def _beyond(row: Row, target: str) -> str:
    """What of the new text a program does not get."""
    lines = f"{row.beyond:,} line{' that is' if row.beyond == 1 else 's that are'}"
    limit = f": {cut_says(row.cut)}" if row.cut is not None else ""
    return f"{specs.of(row.harness).title} does not get {lines} added to {target}{limit}."


def _repeated(found: Unified, target: str) -> str:
    """Why a program gets some lines twice."""
    count = len(found.repeated)
    lines = "1 line stands" if count == 1 else f"{count:,} lines stand"
    return (
        f"{lines} twice in {target}: two files say them in text that differs, or below another heading or line that "
        "leads up to them, so that both texts stay. No line is dropped for that; to have "
        f"{'it' if count == 1 else 'each'} once, edit one of the places:"
    )


def _repeated_lines(found: Unified) -> Iterator[str]:
    """Each line that stands twice, and the headings, or lines that lead up to it, below which it does."""
    below: dict[str, dict[str, None]] = {}
    for block, place in placed(newlines(decode(found.data, keep_bom=False))):
        for line in lines_in(block.text):
            below.setdefault(line, {})[place] = None
    for line in found.repeated[:MOST_REPEATED]:
        places = [f"“{_short(each)}”" for each in below.get(line, ()) if each and each not in line]
        *firsts, last = places or [""]
        named = f"{', '.join(firsts)} and {last}" if firsts else last
        yield f"“{_short(line)}”{', below ' if named else ''}{named}"
    if len(found.repeated) > MOST_REPEATED:
        yield f"and {len(found.repeated) - MOST_REPEATED:,} more; --format json has all"


def _naming(found: Unified, target: str) -> str:
    """What a reader of the one file would look for in vain."""
    count = len(found.naming)
    lines = "1 line" if count == 1 else f"{count:,} lines"
    such = "it is" if count == 1 else "the first is"
    return (
        f"{lines} of {target} {'names' if count == 1 else 'name'} a file that has no text of its own then; "
        f"{such} “{_short(found.naming[0])}”. Nothing is changed for you there."
    )


def _short(line: str) -> str:
    return inert(line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…")


def _json(change: _Change, *, is_written: bool) -> dict[str, Any]:
    found = change.found
    return {
        "root": change.edited.root,
        "target": found.target,
        "sessions": sessions_json(first_of_each(change.looked.prompts), change.looked.here, change.only),
        "written": is_written and bool(found.texts or found.links),
        "changed": [{"path": path, "how": how, "below": found.below.get(path)} for path, how in found.how.items()],
        "left": [{"path": path, "why": why} for path, why in found.left.items()],
        "already": [{"path": path, "how": form} for path, form in found.already.items()],
        "programs": proof_json(found.rows),
        "again": found.again,
        "repeated": list(found.repeated),
        "naming": list(found.naming),
        "documented": [each.json() for each in said_of(found.target, change.edited.root, home())],
        "patch": "" if is_written else "".join(change.edited.patch()),
    }
