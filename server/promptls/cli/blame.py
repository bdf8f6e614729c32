"""``promptls blame``: the lines of an instruction file with their commits, and what each costs per start."""

from __future__ import annotations

from promptls.cli.arguments import Options, Parser, absolute, existing, takes_mine
from promptls.cli.output import show, width, write_json
from promptls.core import files, specs
from promptls.core.lines import copies, file_in_prompt, on_lines
from promptls.core.model import START
from promptls.core.paths import name, parent
from promptls.core.places import names_of
from promptls.core.render import Line
from promptls.core.table_text import WIDTH
from promptls.core.totals import counter_of
from promptls.core.values import dataclass, replace
from promptls.errors import UsageError
from promptls.git.blame import blame
from promptls.git.revision import revision
from promptls.workspace.request import NO_URLS, each_answered, look_at, repository_of, sources_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from promptls.core.lines import Sent
    from promptls.core.model import Prompt
    from promptls.git.blame import Blamed

COMMIT, AUTHOR, TOKENS, LEAST_TEXT = 10, 14, 6, 20


def run(argv: list[str]) -> int:
    """Show the lines."""
    options = _options(argv)
    path = existing(absolute(options.file), "file")
    path = f"{files.realpath(parent(path))}/{name(path)}"
    rows, prompts = _rows(path, options)
    if options.format == "json":
        write_json(_json(path, rows, prompts))
    else:
        show(_shown(rows, prompts))
    return 0


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls blame",
        description="Show which commit each line of a file is from, and how many tokens it costs at each start.",
    )
    parser.add_argument("file", metavar="FILE", help="an instruction file")
    parser.add_argument(
        "--rev", default="HEAD", metavar="REV", help="the file as it is at this revision (default: HEAD)"
    )
    takes_mine(parser)
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only this coding agent; repeatable"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser.parse_args(argv)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line, and its tokens in the prompt of each program that gets it at a start; 0 where one does not."""

    line: Blamed
    tokens: tuple[int, ...]

    @property
    def most(self) -> int:
        """What it costs the program that it costs most."""
        return max(self.tokens, default=0)


def _rows(path: str, options: Options) -> tuple[list[_Row], list[Prompt]]:
    from promptls.workspace.machine import load_harnesses  # noqa: PLC0415 - after everything that may fail at once

    top = repository_of(parent(path))
    at = revision(path, options.rev)
    # Of a link, git has nothing to say but where it leads.
    text_at = at.realpath(path)
    lines = blame(text_at if at.holds(text_at) else path, at.commit)
    if lines is None or top is None:
        raise UsageError(f"git does not know {path} at {options.rev}; commit it first.")
    load_harnesses()
    sources = replace(sources_of(with_habits=options.with_habits), disk=at)
    here = look_at(path, top, sources, NO_URLS)
    prompts = [each.prompt for each in each_answered(here, options.harness)]
    text = "\n".join(each.text for each in lines)
    sent = [file_in_prompt(each, names_of([each], path, here.host), text).sent for each in prompts]
    at_start = [tuple(piece for piece in each if piece.message.at == START) for each in sent]
    pairs = list(zip(at_start, map(counter_of, prompts), strict=True))
    return [
        _Row(line, tuple(_times(pieces, number) * count(line.text) for pieces, count in pairs))
        for number, line in enumerate(lines)
    ], prompts


def _times(pieces: Sequence[Sent], number: int) -> int:
    """How often a line is sent: a piece that is cut into two within it counts once."""
    return len(copies(on_lines(pieces, number, number)))


def _shown(rows: Sequence[_Row], prompts: Sequence[Prompt]) -> Iterator[Line]:
    titles = ", ".join(specs.of(each.session.harness).title for each in prompts)
    yield Line(f"Tokens of each line at a start, for the one that it costs most of {titles}:", "note")
    room = max(width(WIDTH) - COMMIT - AUTHOR - TOKENS - 17, LEAST_TEXT)
    for each in rows:
        line = each.line
        author = line.author[:AUTHOR]
        text = line.text if len(line.text) <= room else f"{line.text[: room - 1]}…"
        cost = f"{each.most:,}" if each.most else "-" if line.text.strip() else ""
        yield Line(f"{line.commit[:COMMIT]} {line.date} {author:<{AUTHOR}} {cost:>{TOKENS}}  {text}".rstrip())
    whole = sum(each.most for each in rows)
    yield Line(
        f"{whole:,} tokens in {len({each.line.commit for each in rows}):,} commits; - reaches no coding agent.", "note"
    )


def _json(path: str, rows: Sequence[_Row], prompts: Sequence[Prompt]) -> dict[str, Any]:
    names = [each.session.harness for each in prompts]
    return {
        "path": path,
        "lines": [
            {
                "line": number,
                "text": each.line.text,
                "commit": each.line.commit,
                "author": each.line.author,
                "date": each.line.date,
                "subject": each.line.subject,
                "tokens": dict(zip(names, each.tokens, strict=True)),
            }
            for number, each in enumerate(rows)
        ],
    }
