"""``promptls preview``: the prompt for a file, as text, Markdown or JSON."""

from __future__ import annotations

import os

from promptls import harnesses
from promptls.checks import problems
from promptls.checks.folder import settled
from promptls.cli.arguments import Parser, absolute, current_directory, existing
from promptls.cli.output import show, write
from promptls.core import files
from promptls.core.host import no_network
from promptls.core.model import Session
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.harnesses.detect import choose, detect, workspace_of
from promptls.local import load_harnesses, local_host
from promptls.settings_file import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from promptls.core.host import Disk, Host
    from promptls.core.model import Fetched, Patience
    from promptls.core.settings import Settings
    from promptls.harnesses.detect import Detected


def run(argv: list[str]) -> int:
    """Show the prompt; what follows ``--`` is the harness's own command line."""
    options, args = _options(argv)
    load_harnesses()
    path = absolute(options.path) if options.path is not None else None
    if path is not None and options.rev is None:
        existing(path, "file or directory")
    sysroot = existing(absolute(options.sysroot), "directory") if options.sysroot else ""
    disk = _disk(options, path)
    host = local_host(fetch=no_network if options.no_network else _fetch, sysroot=sysroot, disk=disk)
    session, found, settings = _session(options, args, path, host)
    if not settings.urls_enabled:
        host = local_host(sysroot=sysroot, disk=disk)
    prompt = harnesses.preview(session, host)
    found_problems = settled(problems(prompt, settings), settings, host)

    from promptls.core import render  # noqa: PLC0415 - after everything that may fail

    if options.format == "json":
        import json  # noqa: PLC0415 - people do not need it

        evidence = [{"name": each.name, "evidence": list(each.evidence)} for each in found]
        # Lone surrogates cannot be written as UTF-8: escapes say them exactly.
        write(json.dumps(render.to_json(prompt, found_problems, evidence), ensure_ascii=True, indent=2) + "\n")
    elif options.format == "markdown":
        title = f"Effective prompt of {os.path.basename(path)}" if path else "Effective prompt"
        title += f" at {options.rev}" if options.rev else ""
        show(render.to_markdown(prompt, found_problems, title))
    else:
        show(render.to_text(prompt, found_problems))
    return 0


def _options(argv: Sequence[str]) -> tuple[Namespace, tuple[str, ...]]:
    own, args = (list(argv[: argv.index("--")]), argv[argv.index("--") + 1 :]) if "--" in argv else (list(argv), ())
    parser = Parser(prog="promptls preview", description="Show the prompt that a coding agent gets for a file.")
    parser.add_argument("path", nargs="?", metavar="PATH", help="the file in hand; a directory reads nothing")
    parser.add_argument("--harness", metavar="H[@VERSION]", help="the coding agent; found from the workspace if unset")
    parser.add_argument("--cwd", metavar="DIR", help="where the harness was started; the workspace root if unset")
    parser.add_argument("--read", metavar="FILE", action="append", default=[], help="a file that is read, in order")
    parser.add_argument("--model", metavar="ID", help="the model, as the harness names it")
    parser.add_argument("--agent", metavar="NAME", help="the harness's agent")
    parser.add_argument("--hint", metavar="TEXT", action="append", default=[], help="a runtime hint (some harnesses)")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.add_argument("--rev", metavar="REV", help="the files of the git repository as they were at this revision")
    parser.add_argument("--sysroot", metavar="DIR", help="a directory that stands before /etc")
    parser.add_argument("--no-network", action="store_true", help="do not fetch URLs")
    parser.epilog = "What follows -- is the harness's own command line."
    return parser.parse_args(own), tuple(args)


def _disk(options: Namespace, path: str | None) -> Disk:
    if options.rev is None:
        return files
    from promptls.revision import revision  # noqa: PLC0415 - only where a revision is asked for

    cwd = absolute(options.cwd) if options.cwd is not None else current_directory(path)
    return revision(path or cwd, options.rev)


def _session(
    options: Namespace, args: tuple[str, ...], path: str | None, host: Host
) -> tuple[Session, list[Detected], Settings]:
    named = absolute(options.cwd) if options.cwd is not None else None
    if named is not None and not os.path.isdir(existing(named, "directory")):
        raise UsageError(f"{named} is not a directory; name one with --cwd.")
    start = path or named or current_directory()
    is_directory = host.kind(start) == "directory"
    directory = start if is_directory else os.path.dirname(start)
    workspace = workspace_of(host, directory, named or current_directory(directory))
    settings = find(host, directory, workspace).settings
    cwd = named or settings.cwd or workspace
    found = detect(host, directory, workspace)
    name, version = harnesses.split(options.harness or settings.harness or choose(found))
    if settings.harness and name != harnesses.split(settings.harness)[0]:
        # What is said about one harness means nothing to another.
        settings = replace(settings, model=None, agent=None, args=(), hints=(), tools=())
    reads = [path] if path is not None and not is_directory else []
    reads += [absolute(read, cwd) for read in options.read]
    session = Session(
        harness=name,
        version=version,
        cwd=cwd,
        reads=tuple(reads),
        model=options.model or settings.model,
        agent=options.agent or settings.agent,
        args=args or settings.args,
        hints=tuple(options.hint) or settings.hints,
        tools=settings.tools,
    )
    return session, found, settings


def _fetch(urls: Sequence[str], patience: Patience) -> Sequence[Fetched]:
    from promptls.net.now import fetch_now  # noqa: PLC0415 - httpx is only needed where there is a URL

    return fetch_now(urls, patience)
