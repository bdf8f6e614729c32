"""``promptls preview``: the prompt for a file, as text, Markdown or JSON."""

from __future__ import annotations

import os

from promptls import harnesses
from promptls.checks import prompt_problems
from promptls.checks.folder import apply_settings
from promptls.cli.arguments import ALLOW, Parser, absolute, current_directory, existing
from promptls.cli.output import show, write_json
from promptls.core import files
from promptls.core.files import expand_home
from promptls.core.host import no_network
from promptls.harnesses.start import Overrides, existing_start, place_of, session_of
from promptls.local import load_harnesses, local_host
from promptls.settings_file import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from promptls.core.host import Disk, Fetch, Host
    from promptls.core.model import FetchResult, Timeouts
    from promptls.harnesses.start import Place


def run(argv: list[str]) -> int:
    """Show the prompt; what follows ``--`` is the harness's own command line."""
    options, args = _options(argv)
    load_harnesses()
    path = absolute(options.path) if options.path is not None else None
    if path is not None and options.rev is None:
        existing(path, "file or directory")
    sysroot = existing(absolute(options.sysroot), "directory") if options.sysroot else ""
    disk = _disk(options, path)
    host = local_host(fetch=no_network if options.no_network else _fetch(options.allow), sysroot=sysroot, disk=disk)
    place = _place(options, path, host)
    settings = at(host, place).settings
    session, found = session_of(host, place, settings, _overrides(options, args, place))
    if not settings.urls_enabled:
        host = local_host(sysroot=sysroot, disk=disk)
    prompt = harnesses.preview(session, host)
    found_problems = apply_settings(prompt_problems(prompt, settings), settings, host, prompt.session.cwd)

    from promptls.core import render  # noqa: PLC0415 - after everything that may fail

    if options.format == "json":
        evidence = [{"name": each.name, "evidence": list(each.evidence)} for each in found]
        write_json(render.to_json(prompt, found_problems, evidence))
    elif options.format == "markdown":
        title = f"Effective prompt of {os.path.basename(path)}" if path else "Effective prompt"
        title += f" at {options.rev}" if options.rev else ""
        show(render.to_markdown(prompt, found_problems, title))
    else:
        show(render.to_text(prompt, found_problems))
    return 0


def _options(argv: Sequence[str]) -> tuple[Namespace, tuple[str, ...] | None]:
    end = argv.index("--") if "--" in argv else len(argv)
    parser = Parser(prog="promptls preview", description="Show the prompt that a coding agent gets for a file.")
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="the file to preview; with a directory, no file is read"
    )
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", help="the coding agent (default: detected from the workspace)"
    )
    parser.add_argument("--cwd", metavar="DIR", help="where the harness is started (default: the workspace root)")
    parser.add_argument(
        "--read", metavar="FILE", action="append", default=[], help="a file that the agent reads; repeatable"
    )
    parser.add_argument("--model", metavar="ID", help="the model, as the harness names it")
    parser.add_argument("--agent", metavar="NAME", help="the agent, as the harness names it")
    parser.add_argument(
        "--hint", metavar="TEXT", action="append", default=[], help="a runtime hint, for some harnesses; repeatable"
    )
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.add_argument(
        "--rev", metavar="REV", help="use the files of the git repository as they were at this revision"
    )
    parser.add_argument("--sysroot", metavar="DIR", help="a directory prefixed to paths under /etc")
    parser.add_argument("--no-network", action="store_true", help="do not fetch URLs")
    parser.add_argument("--allow", metavar="HOST", action="append", default=[], help=ALLOW)
    parser.epilog = "What follows -- is the harness's own command line."
    return parser.parse_args(list(argv[:end])), tuple(argv[end + 1 :]) if end < len(argv) else None


def _disk(options: Namespace, path: str | None) -> Disk:
    if options.rev is None:
        return files
    from promptls.revision import revision  # noqa: PLC0415 - only if a revision is requested

    cwd = absolute(options.cwd) if options.cwd is not None else current_directory(path)
    return revision(path or cwd, options.rev)


def _place(options: Namespace, path: str | None, host: Host) -> Place:
    cwd = absolute(options.cwd) if options.cwd is not None else None
    here = current_directory("" if path or cwd else None)
    return existing_start(host, place_of(host, path, cwd=cwd, here=here, may_be_missing=options.rev is not None))


def _overrides(options: Namespace, args: tuple[str, ...] | None, place: Place) -> Overrides:
    return Overrides(
        harness=options.harness,
        reads=(*place.reads, *map(expand_home, options.read)),
        model=options.model,
        agent=options.agent,
        args=args,
        hints=tuple(options.hint) or None,
    )


def _fetch(allowed: Sequence[str]) -> Fetch:
    def fetch(urls: Sequence[str], timeouts: Timeouts) -> Sequence[FetchResult]:
        from promptls.net.now import fetch_now  # noqa: PLC0415 - httpx is needed only if there is a URL

        return fetch_now(urls, timeouts, allowed=allowed)

    return fetch
