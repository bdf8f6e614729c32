"""``promptls log``: one line for each commit that changed somebody's prompt."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from argparse import SUPPRESS

from promptls.cli.arguments import Options, Parser, absolute, current_directory, existing, takes_mine
from promptls.cli.output import show, width, write_json
from promptls.core import files
from promptls.core.compare import grouped
from promptls.core.model import START
from promptls.core.paths import relative
from promptls.core.render import Line
from promptls.core.table_text import WIDTH
from promptls.core.values import dataclass
from promptls.system.processes import ATTENDED, cores
from promptls.workspace.machine import load_harnesses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from promptls.core.compare import Comparison
    from promptls.core.prompt_json import Json
    from promptls.workspace.prompt_history import Step

MOST = 1000
# Letters of a commit and of a day, columns of what else a line has, and programs that are named.
COMMIT, DAY, TOKENS, PROGRAMS, LEAST_SUBJECT = 10, len("2026-01-01"), 7, 27, 20
MOST_NAMES = 2


def run(argv: list[str]) -> int:
    """List the commits."""
    from promptls.workspace.request import repository_of  # noqa: PLC0415 - after the options

    options = _options(argv)
    here = current_directory()
    folder = existing(absolute(options.folder), "directory") if options.folder is not None else None
    root = files.realpath(folder or repository_of(here) or here)
    load_harnesses()
    with contextlib.closing(_rows(root, options)) as rows:
        if options.format == "json":
            write_json({"root": root, "commits": list(rows)})
            return 0
        is_empty = True
        for each in rows:  # the first are there while the others are looked for
            is_empty = False
            show(_lines(each))
    if is_empty:
        since = f"since {options.since}" if options.since else f"of the last {options.most:,}"
        show([Line(f"No commit {since} changed a prompt.", "note")])
    return 0


def _rows(root: str, options: Options) -> Generator[Json]:
    """The commits that changed a prompt, the newest first; of many, the older ones in processes of their own."""
    from promptls.workspace.prompt_history import history, shares  # noqa: PLC0415 - after the options
    from promptls.workspace.request import sources_of  # noqa: PLC0415 - the same

    sources = sources_of(with_habits=options.with_habits)
    share = options.revision, options.most
    (until, most), *older = [share] if options.is_part else shares(root, share[0], options.since, share[1])
    processes = [(share, _start_part(root, share, options) if cores() > 1 else None) for share in older]
    try:
        yield from (_json(_row(e, root)) for e in history(root, until, options.since, most, options.harness, sources))
        for (name, count), process in processes:
            rows = _answer(process) if process is not None else None
            if rows is None:
                steps = history(root, name, options.since, count, options.harness, sources)
                rows = [_json(_row(each, root)) for each in steps]
            yield from rows
    finally:
        for _, process in processes:
            if process is not None:
                # Its end is that of its input.
                process.communicate()


def _start_part(root: str, share: tuple[str, int | None], options: Options) -> subprocess.Popen[bytes]:
    until, most = share
    since = [f"--since={options.since}"] if options.since else []
    more = [*since, *(["--mine"] if options.with_habits else []), *(f"--harness={each}" for each in options.harness)]
    line = [*ATTENDED, "log", until, "-n", str(most), "--folder", root, *more, "--format", "json", "--is-part"]
    return subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=os.sep)


def _answer(process: subprocess.Popen[bytes]) -> list[Json] | None:
    """The rows of a process; None if it has failed."""
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    said = process.stdout.read()
    if process.wait() != 0:
        return None
    found: list[Json] = json.loads(said)["commits"]
    return found


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls log",
        description="List the commits that changed what a coding agent gets: tokens, programs, what is cut or lost.",
    )
    parser.add_argument(
        "revision", nargs="?", default="HEAD", metavar="REV", help="the newest commit to look at (default: HEAD)"
    )
    parser.add_argument("--since", metavar="WHEN", help="only commits after this day or revision, such as 2026-10-01")
    parser.add_argument(
        "-n", "--most", type=int, default=MOST, metavar="N", help=f"look at N commits at most (default: {MOST:,})"
    )
    parser.add_argument("--folder", metavar="DIR", help="the folder (default: the git repository)")
    takes_mine(parser)
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only this coding agent; repeatable"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    # Of a process of another one: its commits are not shared out once more.
    parser.add_argument("--is-part", action="store_true", help=SUPPRESS)
    return parser.parse_args(argv)


@dataclass(frozen=True, slots=True)
class _Row:
    """What a commit did: to each program's tokens, and to files that are cut, lost or doubled since."""

    step: Step
    # By the name of the harness: the tokens of the prompt that changed most.
    programs: dict[str, tuple[int, int]]
    files: tuple[str, ...]
    cut: tuple[str, ...]
    lost: tuple[str, ...]
    twice: tuple[str, ...]


def _row(step: Step, root: str) -> _Row:
    changes = [group.change for group in grouped(step.comparisons)]

    def named(some: Iterator[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(relative(each, root) if each.startswith("/") else each for each in some))

    return _Row(
        step,
        _programs(step.comparisons),
        named(each.name for each in changes),
        named(each.name for each in changes if each.cut is not None and each.status != "lost"),
        named(each.name for each in changes if each.status == "lost"),
        named(each.name for each in changes if each.doubled),
    )


def _programs(comparisons: Sequence[Comparison]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for each in comparisons:
        name = each.prompt.session.harness
        before, after = found.get(name, (0, 0))
        if name not in found or abs(each.tokens[1] - each.tokens[0]) > abs(after - before):
            found[name] = each.tokens
    return found


def _lines(row: Json) -> Iterator[Line]:
    names = [each["harness"] for each in row["programs"]]
    by = max((e["tokens"]["after"] - e["tokens"]["before"] for e in row["programs"]), key=abs, default=0)
    more = f" +{len(names) - MOST_NAMES}" if len(names) > MOST_NAMES else ""
    programs = f"{', '.join(names[:MOST_NAMES])}{more}"
    tokens = f"{by:+,}" if by else "±0"
    first = f"{row['date'][:DAY]} {row['commit'][:COMMIT]}  {tokens:>{TOKENS}}  {programs:<{PROGRAMS}}  "
    room = max(width(WIDTH) - len(first), LEAST_SUBJECT)
    says = f"{row['author']}: {row['subject']}"
    says = says if len(says) <= room else f"{says[: room - 1]}…"
    yield Line(f"{first}{says}", "problem" if row["cut"] or row["lost"] else "text")
    for what in ("cut", "lost", "twice"):
        yield from (Line(f"    {what}: {each}", "problem") for each in row[what])


def _json(row: _Row) -> Json:
    commit = row.step.commit
    is_start = {each.prompt.session.harness for each in row.step.comparisons if not each.prompt.session.reads}
    return {
        "commit": commit.name,
        "date": commit.date,
        "author": commit.author,
        "subject": commit.subject,
        "programs": [
            {
                "harness": name,
                "tokens": {"before": before, "after": after},
                "at": START if name in is_start else "read",
            }
            for name, (before, after) in row.programs.items()
        ],
        "files": list(row.files),
        "cut": list(row.cut),
        "lost": list(row.lost),
        "twice": list(row.twice),
    }
