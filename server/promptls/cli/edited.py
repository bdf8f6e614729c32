"""A change to files of a folder, as a patch with its proof or written: all files, or none."""

from __future__ import annotations

import os
import stat

from promptls.cli.output import complain, width
from promptls.cli.patch import hunks, named, not_shown, quoted
from promptls.core import files, specs
from promptls.core.paths import join, parent, relative
from promptls.core.render import Line
from promptls.core.table_text import WIDTH, fitting
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from promptls.cli.arguments import Parser
    from promptls.core.prompt_json import Json
    from promptls.sessions.unify import Row

# What is noted in git's directory until all files are written.
NOTE = "promptls-unify"


@dataclass(frozen=True, slots=True)
class Edited:
    """What is to be done in the folder ``root``.

    ``texts``: the bytes of each file then, None where it is gone; ``links``: files that lead to another one.
    ``before`` is what each file is now, None where there is none.
    """

    root: str
    texts: Mapping[str, bytes | None]
    links: Mapping[str, str] = field(default_factory=dict)
    before: dict[str, bytes | None] = field(default_factory=dict)

    def relative(self, path: str) -> str:
        """``path`` from the folder."""
        return relative(path, self.root)

    def refuse(self, *, force: bool) -> None:
        """Refuse to write what must not be, or what git could not undo.

        Raises:
            UsageError: it says why, and what to do.
        """
        from promptls.git.undo import obstacle  # noqa: PLC0415 - only to write

        for path, data in self.before.items():
            if data is None:
                continue
            info = os.stat(path)
            if info.st_nlink > 1:
                raise UsageError(f"{path} has another hard link, which would keep the old text; add --leave {path}.")
            if not info.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(path, os.W_OK):
                raise UsageError(f"{path} is read-only; add --leave {path}.")
        why = None if force else obstacle(self.root, self.before)
        if why is not None:
            raise UsageError(f"Nothing was written, because {why}; commit first, or add --force.")

    def write(self) -> None:
        """Change the files: all, or none.

        Raises:
            UsageError: a file has changed meanwhile, or cannot be written.
        """
        from promptls.git.undo import directory_of  # noqa: PLC0415 - only to write
        from promptls.system.write_together import ChangedMeanwhileError, write_together  # noqa: PLC0415 - the same

        links = {path: relative(target, parent(path)) for path, target in self.links.items()}
        directory = directory_of(self.root)
        try:
            write_together(dict(self.texts), links, directory and join(directory, NOTE), self.before)
        except ChangedMeanwhileError as error:
            sentence = f"Nothing was written, because another program has changed {error.path}; try again."
            raise UsageError(sentence) from None
        except OSError as error:
            raise UsageError(f"{error.filename} cannot be written ({error.strerror}); run the command again.") from None

    def patch(self) -> Iterator[str]:
        """The change as lines for ``git apply``, each with its line end; paths are relative to the folder."""
        for path in sorted({*self.texts, *self.links}):
            before, after = self.before[path], self.texts.get(path)
            old, new = (decode(each or b"", keep_bom=True) for each in (before, after))
            why = not_shown(path, old, new)
            names = [quoted(f"{side}/{self.relative(path)}") for side in ("a", "b")]
            if why:
                complain(f"promptls: The change of {self.relative(path)} is not shown because {why}; --write makes it.")
                continue
            yield f"diff --git {names[0]} {names[1]}\n"
            if before is None:
                yield "new file mode 100644\n"
            elif after is None:
                yield f"deleted file mode {'100755' if os.stat(path).st_mode & stat.S_IXUSR else '100644'}\n"
            yield f"--- {named(names[0]) if before is not None else '/dev/null'}\n"
            yield f"+++ {named(names[1]) if after is not None else '/dev/null'}\n"
            yield from hunks(old, new)
            if path in self.links:
                yield f"diff --git {names[0]} {names[1]}\nnew file mode 120000\n--- /dev/null\n+++ {named(names[1])}\n"
                yield from hunks("", relative(self.links[path], parent(path)))


def edited(root: str, texts: Mapping[str, bytes | None], links: Mapping[str, str] | None = None) -> Edited:
    """A change of the files as they are now."""
    links = links or {}
    return Edited(root, texts, links, {path: _bytes(path) for path in (*texts, *links)})


def _bytes(path: str) -> bytes | None:
    found = files.read(path)
    return found.data if found.state == "file" else None


def finish(root: str, command: str, *, is_writing: bool) -> None:
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
        raise UsageError(f"An earlier change was interrupted; finish it with “promptls {command} --write”.")
    from promptls.system.write_together import ChangedMeanwhileError  # noqa: PLC0415 - rarely
    from promptls.system.write_together import finish as do_rest  # noqa: PLC0415 - the same

    try:
        do_rest(note, root)
    except ChangedMeanwhileError as error:
        sentence = f"An earlier change was interrupted, and {error.path} has changed since; "
        raise UsageError(f"{sentence}restore the files with git, and remove {note}.") from None
    complain("promptls: An earlier change was interrupted; it is finished now.")


def takes_change(parser: Parser, diff: str) -> None:
    """The options of a command that changes files; ``diff``: what ``--diff`` does."""
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument("--diff", action="store_true", help=diff)
    doing.add_argument("--write", action="store_true", help="change the files: all, or none")
    parser.add_argument(
        "--force", action="store_true", help="write even if git could not undo it, as with uncommitted changes"
    )
    parser.add_argument(
        "--leave", metavar="FILE", action="append", default=[], help="leave this file or folder as it is; repeatable"
    )


def proof_lines(rows: Sequence[Row]) -> Iterator[Line]:
    """What a change does to each program."""
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
    at_start = f"{before:,} → {after:,} ({after - before:+,})" if after != before else f"{after:,}"
    yield f"{at_start}, {row.on_read:+,} on read" if row.on_read else at_start


def proof_json(rows: Sequence[Row]) -> list[Json]:
    """The same as JSON."""
    return [
        {
            "harness": each.harness,
            "version": each.version,
            "lines": {"before": each.lines[0], "after": each.lines[1]},
            "tokens": {"before": each.tokens[0], "after": each.tokens[1]},
            "lost": each.lost,
            "twice": each.twice,
            "again": each.again,
            "beyond": each.beyond,
            "on_read": each.on_read,
        }
        for each in rows
    ]
