"""``promptls explain``: which harnesses load an instruction file, and why others do not."""

from __future__ import annotations

from promptls import harnesses
from promptls.cli.arguments import Parser, current_directory, takes_habits
from promptls.cli.explain_lines import Asked, asked, head, says
from promptls.cli.faulty import status
from promptls.cli.output import show, write_json
from promptls.cli.session_lines import session_lines
from promptls.core import specs
from promptls.core.paths import with_relative
from promptls.core.phrases import cut_says
from promptls.core.render import Line
from promptls.core.session_line import seen_from
from promptls.core.uses import ONCE_TRUSTED, WORDS, listed
from promptls.git.listing import Listing
from promptls.harnesses.documented import lines_of
from promptls.workspace.machine import home, load_harnesses
from promptls.workspace.request import look_at, sources_of, started_in
from promptls.workspace.verdicts import explained

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from promptls.sessions.explanation import Explanation, Use
    from promptls.workspace.verdicts import Explained

# How the lines begin that say more of the one before.
DETAIL = " " * 8


def run(argv: list[str]) -> int:
    """Explain each file, or some lines of it, for every harness, those of this workspace first."""
    parser = Parser(
        prog="promptls explain", description="Show which coding agents load an instruction file, or a line of it."
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="FILE[:LINE[-LINE]]",
        help="an instruction file, or lines of it: where they are in the prompt, or what removes them; "
        "several are explained in turn",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    takes_habits(parser)
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only for this coding agent; repeatable"
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="also say where, when and why, and include coding agents that are not in use; --harness implies it",
    )
    options = parser.parse_args(argv)
    files = [asked(each) for each in options.paths]
    load_harnesses()
    for each in options.harness:
        name, version = harnesses.split(each)
        harnesses.version(harnesses.get(name), version)
    sources = sources_of(with_habits=options.with_habits)
    here = current_directory("/")
    found = [
        (
            file,
            explained(
                file.path,
                look_at(file.path, started_in(file.path, here), sources),
                _files,
                here,
                only=options.harness,
                lines=file.lines,
            ),
        )
        for file in dict.fromkeys(files)
    ]
    if options.format == "json":
        said = [_json(*each) for each in found]
        write_json(said[0] if len(said) == 1 else {"files": said})
    else:
        is_whole = options.all or bool(options.harness)
        show(line for each in found for line in _text(*each, is_first=each is found[0], is_whole=is_whole))
    faults = ((each.harness, each.reason if each.is_fault else None) for _, one in found for each in one.about)
    return status(faults, options.harness)


def _json(file: Asked, found: Explained) -> dict[str, Any]:
    lines = {"lines": {"first": file.lines[0], "last": file.lines[1]}} if file.lines else {}
    return {"path": file.path, **lines, **found.json()}


def _text(file: Asked, explained: Explained, *, is_first: bool, is_whole: bool) -> Iterator[Line]:
    here, found, verdicts = current_directory(), explained.about, explained.verdicts
    yield from () if is_first else (Line(""),)
    yield from session_lines(list(explained.sessions))
    yield from (Line(each, "title" if at == 0 else "source") for at, each in enumerate(head(file)))
    faulty = [each.harness for each in found if each.is_fault]
    # Below, a fault is told as well.
    for verdict in verdicts if not is_whole else [each for each in verdicts if each.harnesses[0] not in faulty]:
        yield Line(with_relative(verdict.line, here, home()), "problem" if verdict.answer == "no" else "text")
    if explained.in_agents is not None:
        yield from (Line(each, "note") for each in explained.in_agents.lines())
    if is_whole:
        lines = [*(says(file, found) if file.lines is not None else _all_harnesses(found)), *_documented(explained)]
        yield from (Line(line, "text" if line.startswith(" ") else "title") for line in lines)
        return
    if all(each.answer == "no" for each in verdicts):
        # Else it looks as if the file were of no use to anybody.
        yield from (
            Line(f"By its documentation, not measured, {each}", "note") for each in lines_of(explained.documented)
        )
    told = {name for each in verdicts for name in each.harnesses}
    rest = [each for each in found if each.harness not in told]
    set_up = [specs.of(each.harness).title for each in rest if each.is_found]
    others = len(rest) - len(set_up)
    also = f", also of {', '.join(set_up)}, set up here" if set_up else ""
    more = f", and {others} that {'are' if others > 1 else 'is'} not in use here" if others else ""
    yield Line(f"--all shows why, where and when{also}{more}.", "note")


def _all_harnesses(found: Sequence[Explanation]) -> Iterator[str]:
    for each in found:
        if each.is_found:
            yield from ("", f"{each.harness} {each.version} · in use here", *_says(each))
    others = [each for each in found if not each.is_found]
    if others:
        yield from ("", "Not in use here:")
    for each in others:
        yield f"    {each.harness} {each.version}"
        # How it would get it; the rest is of no use to who does not use it.
        yield from (f"    {line}" for line in _says(each) if not line.startswith(DETAIL))


def _documented(explained: Explained) -> Iterator[str]:
    if explained.documented:
        yield from ("", "By their documentation, not measured:")
        yield from (f"    {each}" for each in lines_of(explained.documented))


def _files(root: str) -> list[str]:
    with Listing(root) as listing:
        return listing.files()


def _says(each: Explanation) -> Iterator[str]:
    """Indented lines, relative to the current directory."""
    here = current_directory()
    words = WORDS.get(each.used_as)
    if each.is_fault:
        yield f"    {each.reason}"
        return
    if each.is_read:
        trusted = f" {ONCE_TRUSTED}" if each.once_trusted else ""
        begin, end = (f"{words.offered}{trusted}: ", f"; {words.later}") if words else ("", "")
        yield f"    {begin}{with_relative(each.why, here, home())}{end}"
    elif not each.uses:
        other = f" ({seen_from(here, each.other, home())})" if each.other else ""
        yield f"    {words.refused if words else 'not loaded'}: {with_relative(each.why, here, home())}{other}"
    if each.cut is not None:
        yield f"        {cut_says(each.cut)}"
    if each.is_named:
        yield "    named when a file next to or below it is read: its path is sent, and the model has to read it"
    for use in each.uses:
        yield from _used(use, here)
    for how in each.ways:
        yield f"        to know the rest of its prompt: {how.text}"


def _used(use: Use, here: str) -> Iterator[str]:
    words = WORDS.get(use.used_as)
    when = "at start" if use.at == "start" else "when a file next to or below it is read"
    if use.scope:
        when = f"for {use.scope}" if use.at == "start" else f"when a file that {use.scope} matches is read"
    by = f", {with_relative(use.by, here, home())}" if use.by else ""
    start = seen_from(here, use.cwd, home())
    trusted = f", {ONCE_TRUSTED}" if use.once_trusted else ""
    yield (
        f"    {listed(use.used_as) or 'loaded'} {when}, as {use.layer} in the {use.role} message{by}, "
        f"if started in {start}{trusted}"
    )
    yield f"        {with_relative(use.why, here, home())}{f'; {words.later}' if words else ''}"
    if use.cut is not None:
        yield f"        {cut_says(use.cut)}"
    if use.after_compaction:
        yield f"        after a compaction: {use.after_compaction}"
    least = "at least " if use.is_at_least else ""
    size = f"{use.tokens:,} token{'' if use.tokens == 1 else 's'}"
    yield (
        f"        it is {size}; changing it invalidates {least}{use.invalidates:,} of {least}{use.of:,} "
        "cached prompt tokens"
    )
