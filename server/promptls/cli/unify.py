"""``promptls unify``: one instruction file in place of several, shown as a patch with its proof, or written."""

from __future__ import annotations

import os
import stat

from promptls.cli.arguments import Parser, absolute, current_directory, existing, only_below, takes_mine
from promptls.cli.output import complain, show, show_patch, width, write_json
from promptls.cli.patch import hunks, named, not_shown, quoted
from promptls.cli.session_lines import first_of_each, session_lines, sessions_json, tell_left_out
from promptls.core import files, specs
from promptls.core.paths import is_below, join, name, parent, relative
from promptls.core.render import Line
from promptls.core.table_text import WIDTH, fitting
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.errors import UsageError
from promptls.git.listing import Listing
from promptls.harnesses.documented import lines_of, said_of
from promptls.workspace.machine import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import Any

    from promptls.sessions.unify import Row, Unified
    from promptls.workspace.folder_prompts import FolderPrompts

AGENTS = "AGENTS.md"
# What is noted in git's directory until all files are written.
NOTE = "promptls-unify"
SAYS = {
    "removed": "is removed",
    "import": "imports it",
    "link": "becomes a link to it",
    "configuration": "is removed, and the configuration names the one file",
}


def run(argv: list[str]) -> int:
    """Show the change, and 1 if there is any; or write it."""
    options = _options(argv)
    target = _target(options.file)
    root = _root(target)
    _finish(root, is_writing=options.write)
    change = _change(options, target, root)
    found = change.found
    why = _refusal(change, options) if options.write and (found.texts or found.links) else None
    if why is not None:
        raise UsageError(why)
    if options.write:
        _write(change)
    if options.format == "json":
        write_json(_json(change, is_written=options.write))
    else:
        show(_lines(change, is_written=options.write))
        if not options.write and (found.texts or found.links):
            show(iter([Line("")]))
            show_patch(_patch(change))
        if not (options.with_habits or options.harness):
            shown = (each.harness for each in found.rows)
            tell_left_out(change.looked.here, shown, "unified", "do so")
    return 1 if not options.write and (found.texts or found.links) else 0


def _options(argv: list[str]) -> Namespace:
    parser = Parser(
        prog="promptls unify",
        description="Make one instruction file out of several: same text once, and each other file an import, a link, "
        "or gone. No coding agent in use loses a line, as previews before and after prove.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="the one file (default: AGENTS.md at the top)")
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument("--diff", action="store_true", help="print the change as a patch; 1 if there is any (default)")
    doing.add_argument("--write", action="store_true", help="change the files: all, or none")
    parser.add_argument(
        "--force", action="store_true", help="write even where git could not undo it: with uncommitted changes"
    )
    parser.add_argument(
        "--leave", metavar="FILE", action="append", default=[], help="leave this file or folder as it is; repeatable"
    )
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
    """What is to be done in the folder ``root``; ``before`` is what each file is now, None where there is none."""

    root: str
    found: Unified
    looked: FolderPrompts
    only: tuple[str, ...]
    before: dict[str, bytes | None] = field(default_factory=dict)

    def relative(self, path: str) -> str:
        """``path`` from the folder."""
        return relative(path, self.root)


def _change(options: Namespace, target: str, root: str) -> _Change:
    from promptls.sessions.unify import unified  # noqa: PLC0415 - after everything that may fail at once
    from promptls.workspace.folder_prompts import folder_prompts  # noqa: PLC0415 - the same
    from promptls.workspace.request import NO_URLS, sources_of  # noqa: PLC0415 - the same

    leave = [absolute(each) for each in options.leave]
    with Listing(root) as listing:
        sources = sources_of(with_habits=options.with_habits)
        looked = folder_prompts(root, listing, sources, settings=NO_URLS, only=options.harness)
        listed = set(listing.files())
    found = unified(target, looked.prompts, looked.host, listed, leave)
    before = {path: _bytes(path) for path in (*found.texts, *found.links)}
    return _Change(root, found, looked, tuple(options.harness), before)


def _bytes(path: str) -> bytes | None:
    found = files.read(path)
    return found.data if found.state == "file" else None


# -- written ----------------------------------------------------------------------------------------------------------


def _refusal(change: _Change, options: Namespace) -> str | None:
    """Why nothing is written; None if it is."""
    from promptls.git.undo import obstacle  # noqa: PLC0415 - only to write

    for path, data in change.before.items():
        if data is None:
            continue
        info = os.stat(path)
        if info.st_nlink > 1:
            return f"{path} has another hard link, which would keep the old text; add --leave {path}."
        if not info.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(path, os.W_OK):
            return f"{path} is read-only; add --leave {path}."
    why = None if options.force else obstacle(change.root, change.before)
    return f"Nothing was written, because {why}; commit first, or add --force." if why is not None else None


def _write(change: _Change) -> None:
    from promptls.git.undo import directory_of  # noqa: PLC0415 - only to write
    from promptls.system.write_together import ChangedMeanwhileError, write_together  # noqa: PLC0415 - the same

    found = change.found
    links = {path: relative(target, parent(path)) for path, target in found.links.items()}
    directory = directory_of(change.root)
    try:
        write_together(found.texts, links, directory and join(directory, NOTE), change.before)
    except ChangedMeanwhileError as error:
        raise UsageError(f"Nothing was written, because another program has changed {error.path}; try again.") from None
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be written ({error.strerror}); run the command again.") from None


def _finish(root: str, *, is_writing: bool) -> None:
    """Do the rest of a change that was interrupted.

    Raises:
        UsageError: nothing is to be written, or somebody has changed a file since.
    """
    from promptls.git.undo import directory_of  # noqa: PLC0415 - where there is git

    directory = directory_of(root) if os.path.lexists(join(root, ".git")) else None
    note = directory and join(directory, NOTE)
    if not note or not os.path.exists(note):
        return
    if not is_writing:
        raise UsageError("An earlier change was interrupted; finish it with “promptls unify --write”.")
    from promptls.system.write_together import ChangedMeanwhileError, finish  # noqa: PLC0415 - rarely

    try:
        finish(note, root)
    except ChangedMeanwhileError as error:
        sentence = f"An earlier change was interrupted, and {error.path} has changed since; "
        raise UsageError(f"{sentence}restore the files with git, and remove {note}.") from None
    complain("promptls: An earlier change was interrupted; it is finished now.")


# -- shown ------------------------------------------------------------------------------------------------------------


def _lines(change: _Change, *, is_written: bool) -> Iterator[Line]:
    found = change.found
    prompts = first_of_each(change.looked.prompts)
    yield from session_lines(sessions_json(prompts, change.looked.here, change.only))
    target = change.relative(found.target)
    if not found.texts and not found.links:
        yield Line(f"{target}: there is nothing to unify.", "title")
    else:
        yield Line(f"{target} {'is now' if is_written else 'can be'} the one file:", "title")
    rows = [(change.relative(path), SAYS[how]) for path, how in found.how.items()]
    rows += [(change.relative(path), f"stays: {why}") for path, why in found.left.items()]
    wide = max((len(path) for path, _ in rows), default=0)
    for path, says in rows:
        yield Line(f"  {path:<{wide}}  {says}")
    if found.rows:
        yield Line("")
        yield from _table(found.rows)
    if found.again:
        count = f"{found.again} line{'' if found.again == 1 else 's'}"
        yield Line(f"{count} of {target} stand{'s' if found.again == 1 else ''} below several headings.", "note")
    said = [*lines_of(said_of(found.target, change.root, home()))] if found.rows else []
    if said:
        yield Line(f"Who else reads {target}, by documentation, not measured:", "note")
        yield from (Line(f"  {each}", "note") for each in said)
    chosen = {each.partition("@")[0] for each in change.looked.settings.harnesses}
    for each in [each for each in found.unmarked if each not in chosen]:
        yield Line(f"No file says any more that {specs.of(each).title} is used; name it in promptls.toml:", "note")
        yield Line(f'  harnesses = ["{each}", ...]', "note")


def _table(rows: tuple[Row, ...]) -> Iterator[Line]:
    titles = ("", "lines before", "after", "lost", "twice", "tokens at start")
    cells = [titles, *(tuple(_cells(each)) for each in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(titles))]
    room = max(width(WIDTH) - sum(widths[1:]) - 2 * len(widths), 12)
    widths[0] = min(widths[0], room)
    for number, row in enumerate(cells):
        first = f"{fitting(row[0], widths[0]):<{widths[0]}}"
        rest = (f"{each:>{wide}}" for each, wide in zip(row[1:], widths[1:], strict=True))
        yield Line("  ".join((first, *rest)).rstrip(), "note" if not number else "text")


def _cells(row: Row) -> Iterator[str]:
    yield f"{specs.of(row.harness).title} {row.version}"
    yield from (f"{each:,}" for each in (*row.lines, row.lost, row.twice))
    before, after = row.tokens
    yield f"{before:,} → {after:,} ({after - before:+,})" if after != before else f"{after:,}"


def _patch(change: _Change) -> Iterator[str]:
    """The change as lines for ``git apply``, each with its line end; paths are relative to the folder."""
    found = change.found
    for path in sorted({*found.texts, *found.links}):
        before, after = change.before[path], found.texts.get(path)
        old, new = (decode(each or b"", keep_bom=True) for each in (before, after))
        why = not_shown(path, old, new)
        names = [quoted(f"{side}/{change.relative(path)}") for side in ("a", "b")]
        if why:
            complain(f"promptls: The change of {change.relative(path)} is not shown because {why}; --write makes it.")
            continue
        yield f"diff --git {names[0]} {names[1]}\n"
        if before is None:
            yield "new file mode 100644\n"
        elif after is None:
            yield f"deleted file mode {'100755' if os.stat(path).st_mode & stat.S_IXUSR else '100644'}\n"
        yield f"--- {named(names[0]) if before is not None else '/dev/null'}\n"
        yield f"+++ {named(names[1]) if after is not None else '/dev/null'}\n"
        yield from hunks(old, new)
        if path in found.links:
            yield f"diff --git {names[0]} {names[1]}\nnew file mode 120000\n--- /dev/null\n+++ {named(names[1])}\n"
            yield from hunks("", relative(found.links[path], parent(path)))


def _json(change: _Change, *, is_written: bool) -> dict[str, Any]:
    found = change.found
    return {
        "root": change.root,
        "target": found.target,
        "sessions": sessions_json(first_of_each(change.looked.prompts), change.looked.here, change.only),
        "written": is_written and bool(found.texts or found.links),
        "changed": [{"path": path, "how": how} for path, how in found.how.items()],
        "left": [{"path": path, "why": why} for path, why in found.left.items()],
        "programs": [
            {
                "harness": each.harness,
                "version": each.version,
                "lines": {"before": each.lines[0], "after": each.lines[1]},
                "tokens": {"before": each.tokens[0], "after": each.tokens[1]},
                "lost": each.lost,
                "twice": each.twice,
            }
            for each in found.rows
        ],
        "again": found.again,
        "documented": [each.json() for each in said_of(found.target, change.root, home())],
        "patch": "" if is_written else "".join(_patch(change)),
    }
