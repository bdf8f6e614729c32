"""``promptls check``: every problem of a folder, in every prompt that matters there."""

from __future__ import annotations

import gc
import os
import sys

from promptls.cli.arguments import Parser, absolute, current_directory, existing
from promptls.core.values import dataclass
from promptls.listing import changed_since, list_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from promptls.core.model import Fetched, Patience, Problem

FORMATS = ("text", "json", "sarif", "github", "gitlab")
SEVERITIES = ("error", "warning", "information", "hint")
# A line of progress for so many prompts.
STEP = 100


def run(argv: list[str]) -> int:
    """Check a folder or file; 1 if there is a problem as grave as --fail-on, else 0."""
    options = _options(argv)
    path = existing(absolute(options.path or current_directory()), "file or directory")
    # Hundreds of thousands of values are made, none in a circle, and the process ends soon.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _check(options, path)
    finally:
        if collects:
            gc.enable()


def _options(argv: list[str]) -> Namespace:
    parser = Parser(prog="promptls check", description="Every problem of a folder, for the coding agents in use there.")
    parser.add_argument("path", nargs="?", metavar="PATH", help="a folder or file; the current directory if unset")
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument("--no-network", action="store_true", help="do not fetch URLs")
    parser.add_argument("--changed", metavar="REV", help="only problems in files that differ from this git revision")
    parser.add_argument(
        "--fail-on", choices=SEVERITIES[:3], default="error", help="exit with 1 from this severity on (default: error)"
    )
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only for this coding agent; repeatable"
    )
    return parser.parse_args(argv)


def _check(options: Namespace, path: str) -> int:
    root = path if os.path.isdir(path) else os.path.dirname(path)
    listed = list_files(root)  # git works while the rest is imported

    from promptls.core.settings import Settings  # noqa: PLC0415 - see above
    from promptls.folder_check import check_folder  # noqa: PLC0415 - see above

    progress = Progress()
    checked = check_folder(
        root,
        listed,
        fetch=_fetch,
        settings=Settings(urls_enabled=not options.no_network),
        only=options.harness,
        step=progress.step,
    )
    progress.end()
    is_meant = _meant(path, root, changed_since(root, options.changed) if options.changed is not None else None)
    found = [each for each in checked.problems if is_meant(each)]

    from promptls.cli.reports import Report, write_report  # noqa: PLC0415 - after everything that may fail

    write_report(options.format, Report(root, tuple(found), checked.host))
    fatal = SEVERITIES[: SEVERITIES.index(options.fail_on) + 1]
    return 1 if any(each.severity in fatal for each in found) else 0


def _meant(path: str, root: str, changed: set[str] | None) -> Callable[[Problem], bool]:
    """Whether a problem is asked for: below the folder, in the file, in what has changed."""
    top = root.rstrip("/") + "/"

    def is_meant(problem: Problem) -> bool:
        places = {problem.path, *(each.path for each in problem.related)}
        return (
            path in (root, problem.path)
            and problem.path.startswith(top)
            and (changed is None or not places.isdisjoint(changed))
        )

    return is_meant


@dataclass(slots=True)
class Progress:
    """One line on the terminal that says how far it is; nothing where standard error is no terminal."""

    shown: bool = False

    def step(self, harness: str, prompts: int) -> None:
        """Another prompt is made."""
        if prompts % STEP == 0 and sys.stderr is not None and sys.stderr.isatty():
            self.shown = True
            print(f"\r\x1b[Kpromptls: {prompts} prompts, {harness}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Take the line away."""
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _fetch(urls: Sequence[str], patience: Patience) -> Sequence[Fetched]:
    from promptls.net.now import fetch_now  # noqa: PLC0415 - httpx is only needed where there is a URL

    return fetch_now(urls, patience)
