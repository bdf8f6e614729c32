"""``promptls check``: every problem of a folder, in every prompt that matters there."""

from __future__ import annotations

import gc
import os
import sys

from promptls.cli.arguments import Parser, absolute, current_directory, existing
from promptls.core.host import no_network
from promptls.core.values import dataclass, replace
from promptls.listing import Listing, changed_since, ignore_patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from promptls.checks.tree import Tree
    from promptls.core.host import Host
    from promptls.core.model import Fetched, Patience, Problem
    from promptls.core.settings import Settings
    from promptls.settings_file import SettingsFile

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
    listing = Listing(root)  # git works while the rest is imported

    from promptls.checks.folder import folder_problems  # noqa: PLC0415 - see above
    from promptls.local import load_harnesses, local_host  # noqa: PLC0415 - see above
    from promptls.settings_file import find  # noqa: PLC0415 - see above

    load_harnesses()
    host = local_host(fetch=no_network if options.no_network else _fetch)
    workspace = _workspace(host, root)
    file = find(host, root, workspace)
    settings = file.settings
    if options.no_network or not settings.urls_enabled:
        settings = replace(settings, urls_enabled=False)
        host = local_host()
    leaves_out = _excluded(file)
    tree = _tree(host, root, workspace, Files(listing, leaves_out), settings, options.harness)
    found = folder_problems(tree, settings, (file.path, file.faults))
    is_meant = _meant(path, root, changed_since(root, options.changed) if options.changed is not None else None)
    found = [each for each in found if is_meant(each) and not (leaves_out and leaves_out(each.path))]

    from promptls.cli.reports import Report, write_report  # noqa: PLC0415 - after everything that may fail

    write_report(options.format, Report(root, tuple(found), host))
    fatal = SEVERITIES[: SEVERITIES.index(options.fail_on) + 1]
    return 1 if any(each.severity in fatal for each in found) else 0


def _workspace(host: Host, root: str) -> str:
    from promptls.harnesses.detect import workspace_of  # noqa: PLC0415 - git works meanwhile

    return workspace_of(host, root, root)


def _tree(  # noqa: PLR0917 - what a tree is made of
    host: Host, root: str, workspace: str, listed: Files, settings: Settings, only: list[str]
) -> Tree:
    from promptls import harnesses  # noqa: PLC0415 - git works meanwhile
    from promptls.checks.tree import Tree  # noqa: PLC0415 - the same
    from promptls.harnesses import sessions  # noqa: PLC0415 - the same

    named = [*settings.harnesses, *([settings.harness] if settings.harness else [])]
    versions = {harnesses.split(each)[0]: each for each in named}
    tracked = listed.tracked()
    places = sessions.places(root, tracked)
    sessions.look_ahead(host, places, only or sessions.in_use(host, places, workspace, versions))
    files = listed.files()
    if files != tracked:
        places = sessions.places(root, files)
    used = only or [versions.get(each, each) for each in sessions.in_use(host, places, workspace, versions)]
    progress = Progress()
    prompts = []
    for harness in used:
        for prompt in sessions.prompts(host, places, harness, settings):
            prompts.append(prompt)
            progress.step(harness, len(prompts))
    progress.end()
    return Tree(root, tuple(files), tuple(prompts), host, workspace)


@dataclass(frozen=True, slots=True)
class Files:
    """A listing without what the settings leave out."""

    listing: Listing
    leaves_out: Callable[[str], bool] | None

    def tracked(self) -> list[str]:
        """Those that git knows."""
        return self._kept(self.listing.tracked())

    def files(self) -> list[str]:
        """All."""
        return self._kept(self.listing.files())

    def _kept(self, paths: list[str]) -> list[str]:
        return paths if self.leaves_out is None else [path for path in paths if not self.leaves_out(path)]


def _excluded(file: SettingsFile) -> Callable[[str], bool] | None:
    """Whether the settings file leaves a path out; None if it leaves none."""
    spec = ignore_patterns(list(file.settings.exclude)) if file.settings.exclude else None
    if spec is None:
        return None
    top = file.directory.rstrip("/") + "/"
    return lambda path: path.startswith(top) and spec.match_file(path[len(top) :])


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
