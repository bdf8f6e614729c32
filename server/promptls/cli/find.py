"""``promptls find``: in which prompts a text stands, and where, or why in none."""

from __future__ import annotations

import os

from promptls.cli.arguments import Options, Parser, absolute, current_directory, existing, takes_habits
from promptls.cli.faulty import faults_json, tell
from promptls.cli.find_text import Answer, lines, unsearched
from promptls.cli.output import show, write_json
from promptls.cli.session_lines import first_of_each, session_lines, sessions_json
from promptls.core import files, specs
from promptls.core.find import find, meant
from promptls.core.paths import is_below
from promptls.core.prompt_json import cut_json, range_json
from promptls.core.text import decode
from promptls.errors import UsageError
from promptls.git.listing import Listing
from promptls.workspace.request import NO_URLS, repository_of, sources_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from promptls.core.find import Hits, Source
    from promptls.core.host import Host
    from promptls.core.model import Prompt


def run(argv: list[str]) -> int:
    """Show the places of the text; 1 if it is in no prompt."""
    options = _options(argv)
    path = existing(absolute(options.path), "file or directory") if options.path is not None else None
    answer = _answer(options, path)
    if options.format == "json":
        write_json(_json(answer))
    else:
        show((*session_lines(list(answer.sessions)), *lines(answer)))
    least = tell((each.prompt for each in answer.found.hits), options.harness)
    return least or (0 if any(each.places for each in answer.found.hits) else 1)


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls find",
        description="Show which prompts contain a text, and where; if none does, say why, and exit with 1.",
    )
    parser.add_argument("text", metavar="TEXT", help="the text to look for; line breaks count as spaces")
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a folder, or a file that is read (default: the git repository)"
    )
    takes_habits(parser)
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only this coding agent; repeatable"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    if not options.text.strip():
        raise UsageError("The text to look for is empty; name a few words of it.")
    return options


def _answer(options: Options, path: str | None) -> Answer:
    sources = sources_of(with_habits=options.with_habits)
    if path is not None and not os.path.isdir(path):
        from promptls.workspace.request import file_prompts  # noqa: PLC0415 - not for a folder

        looked = file_prompts(path, here=current_directory("/"), only=options.harness, sources=sources)
        prompts, host, root = looked.prompts, looked.host, looked.here.place.workspace
        sessions = sessions_json(prompts, looked.here, options.harness)
        with Listing(root) as listing:
            texts = _texts(prompts, root, listing.files(), host)
    else:
        from promptls.workspace.folder_prompts import folder_prompts  # noqa: PLC0415 - not for a file

        here = current_directory() if path is None else path
        root, path = files.realpath(path or repository_of(here) or here), None
        with Listing(root) as listing:
            made = folder_prompts(root, listing, sources, settings=NO_URLS, only=options.harness)
        prompts, host = made.prompts, made.host
        sessions = sessions_json(first_of_each(prompts), made.here, options.harness)
        texts = _texts(prompts, root, made.places.files, host)
    found = find(options.text, prompts, texts)
    unlike = None if found.sources else meant(options.text, texts)
    return Answer(options.text, root, path, found, unlike, tuple(sessions))


def _texts(prompts: Iterable[Prompt], root: str, listed: Sequence[str], host: Host) -> dict[tuple[str, ...], str]:
    """The files that a prompt names, and those that look like instructions: text by all names of the file.

    Of the latter, none to which a link leads out of ``root``: what they have is nobody's instructions.
    """
    named = [each.path for prompt in prompts for each in prompt.candidates if each.outcome != "missing"]
    segments = [each for prompt in prompts for message in prompt.messages for each in message.segments]
    named += [each.origin.path for each in segments if each.layer != "runtime"]
    prose = [path for path in listed if path.lower().endswith(specs.endings())]
    prose = [path for path in prose if is_below(host.realpath(path), host.realpath(root))]
    files_by_target: dict[str, dict[str, None]] = {}
    for path in dict.fromkeys([*named, *prose]):
        if path is not None and host.kind(path) == "file":
            files_by_target.setdefault(host.realpath(path), {})[path] = None
    return {tuple(names): decode(host.read(path).data, keep_bom=False) for path, names in files_by_target.items()}


# -- JSON ------------------------------------------------------------------------------------------------------


def _json(answer: Answer) -> dict[str, Any]:
    sources = list(answer.found.sources)
    return {
        "text": answer.text,
        "root": answer.root,
        "path": answer.path,
        "sessions": list(answer.sessions),
        "sources": [_source_json(each) for each in sources],
        "prompts": [_hits_json(each, sources) for each in answer.found.hits if each.places or each.left_out],
        "how": [each.as_json() for each in unsearched(answer)],
        "faults": faults_json(each.prompt for each in answer.found.hits),
        "meant": None if answer.meant is None else _source_json(answer.meant),
    }


def _source_json(source: Source) -> dict[str, Any]:
    where = {"names": list(source.names), "range": range_json(source.range)} if source.names else {"of": source.title}
    return {**where, "line": source.line}


def _hits_json(hits: Hits, sources: list[Source]) -> dict[str, Any]:
    prompt = hits.prompt
    return {
        "harness": prompt.session.harness,
        "version": prompt.session.version,
        "cwd": prompt.session.cwd,
        "places": [
            {
                "source": sources.index(each.source),
                "message": each.message,
                "role": prompt.messages[each.message].role,
                "at": prompt.messages[each.message].at,
                "line": each.line,
            }
            for each in hits.places
        ],
        "left_out": [
            {
                "source": sources.index(source),
                "reason": piece.reason,
                "why": piece.why,
                **({"cut": cut_json(piece.cut)} if piece.cut else {}),
            }
            for source, piece in hits.left_out
        ],
    }
