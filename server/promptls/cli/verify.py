"""``promptls verify``: hold a preview against what the installed program really sends."""

from __future__ import annotations

from promptls.cli.capture import as_asked, captured, session_parser, split
from promptls.cli.keep import keep_verified
from promptls.cli.output import complain, show, write_json
from promptls.cli.unwinding import unwinding
from promptls.core.phrases import short
from promptls.core.render import Line
from promptls.errors import PromptlsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from promptls.cli.capture import Result
    from promptls.core.render import Style
    from promptls.wire.align import Difference, Pair

# How a line of a difference is shown, by its first letter.
# Titles of one message that a row names.
TITLES = 3
STYLES: dict[str, Style] = {"-": "removed", "+": "added"}


def run(argv: list[str]) -> int:
    """Compare; exit with 1 if there is a difference."""
    parser = session_parser(
        "promptls verify",
        "Start the installed program of a coding agent without a network, with a dummy key and a scratch home "
        "directory, and compare what it sends with the preview: parts, order, roles, texts and sizes. Exit with 1 if "
        "they differ. Nothing leaves this machine.",
    )
    parser.add_argument(
        "--cases",
        metavar="DIR",
        help="run captured sessions instead: the files of a folder, such as tests/wire/cases of promptls, or one file",
    )
    parser.add_argument("--record", metavar="FILE", help="write this session as a case")
    options, args = split(parser, argv)
    if options.cases is not None:
        from promptls.cli.cases import run_cases  # noqa: PLC0415 - rarely asked for

        with unwinding():
            return run_cases(options)
    with unwinding():
        result = captured(options, args)
    is_kept = not options.own_view and _remember(result)
    if options.record is not None:
        from promptls.cli.cases import record  # noqa: PLC0415 - the same

        record(result, options.record, result.workspace)
    if options.format == "json":
        write_json(_json(result))
    else:
        show(_text(result, is_kept=is_kept))
    return 1 if result.sides.differences else 0


def _remember(result: Result) -> bool:
    """Let previews of this prompt say that it is verified here, or no longer; whether that could be kept."""
    is_same = not result.sides.differences
    try:
        keep_verified(as_asked(result), result.capture.version, result.date, is_same=is_same, is_whole=result.is_whole)
    except PromptlsError as error:
        complain(f"promptls: {error} Previews do not say what this has shown.")
        return False
    return True


def _text(result: Result, *, is_kept: bool) -> Iterator[Line]:
    session, sides = result.prompt.session, result.sides
    count = len(sides.differences)
    outcome = "sends what the preview shows" if not count else f"{count} difference{'' if count == 1 else 's'}"
    yield Line(f"{session.harness} {result.capture.version} · {outcome}", "title")
    yield Line(f"cwd {session.cwd}" + (f" · model {result.capture.model}" if result.capture.model else ""), "note")
    yield from (Line(note, "note") for note in (*_version_note(result), *result.capture.notes))
    if is_kept and not count:
        yield Line("Previews of this prompt now say that it is verified here.", "note")
    yield Line("")
    yield Line(f"{'':<10} {'role':<10} {'preview':>9} {'sent':>9}  what", "note")
    for pair in sides.pairs:
        yield Line(_row(pair, result), "text" if _state(pair, result) == "same" else "problem")
    hidden = [each for _, each in sides.unmatched if each.role not in ("assistant", "tools")]
    if hidden:
        size = sum(len(each.text) for each in hidden)
        yield Line(f"A preview does not show {len(hidden)} more parts of {size:,} characters.", "note")
    for difference in sides.differences:
        yield from _difference(difference, session.cwd)


def _version_note(result: Result) -> list[str]:
    known = result.prompt.session.version
    if known != result.capture.version:
        return [f"The preview is that of {known}: {result.capture.version} is not known to promptls."]
    return [] if result.prompt.verified else [f"No captured session of {known} is among the tests of promptls."]


def _row(pair: Pair, result: Result) -> str:
    known = sum(s.characters for s in pair.expected.segments)
    least = any(s.elided and s.elided.size is None for s in pair.expected.segments)
    sent = f"{len(pair.said.text):,}" if pair.said is not None else "-"
    sizes = f"{f'{known:,}' + ('+' if least else ' '):>10} {sent:>8} "
    titles = dict.fromkeys(short(s.title, result.prompt.session.cwd) for s in pair.expected.segments if not s.frame)
    more = f" and {len(titles) - TITLES} more" if len(titles) > TITLES else ""
    shown = ", ".join(list(titles)[:TITLES]) + more
    return f"{_state(pair, result):<10} {pair.expected.role:<9}{sizes} {shown}"


def _state(pair: Pair, result: Result) -> str:
    if pair.said is None:
        return "not sent"
    found = [each.kind for each in result.sides.differences if each.message == pair.number]
    return {"text": "differs"}.get(found[0], f"other {found[0]}") if found else "same"


def _difference(difference: Difference, cwd: str) -> Iterator[Line]:
    where = f"message {difference.message}" if difference.message else "not sent"
    yield Line("")
    yield Line(f"━━ {where} · {difference.says.replace(f'{cwd}/', '')} ━━", "message")
    if difference.expected is not None:
        origin = difference.expected.origin
        source = f" · from {short(origin.path, cwd)}" if origin.path else ""
        yield Line(f"   expected because {difference.expected.why}{source}", "why", origin=origin)
    for line in difference.diff:
        yield Line(line, STYLES.get(line[:1], "source"))


def _json(result: Result) -> dict[str, Any]:
    from promptls.wire.columns import columns  # noqa: PLC0415 - not for --help

    session = result.prompt.session
    expected, sent = columns(result.sides, session.cwd)
    return {
        "harness": {"name": session.harness, "version": session.version, "verified": result.prompt.verified},
        "program": {"version": result.capture.version, "model": result.capture.model},
        "cwd": session.cwd,
        "date": result.date,
        "notes": list(result.capture.notes),
        "same": not result.sides.differences,
        "whole": result.is_whole,
        "expected": expected,
        "sent": sent,
        "messages": [
            {
                "role": pair.expected.role,
                "state": _state(pair, result),
                "number": pair.number or None,
                "characters": len(pair.said.text) if pair.said is not None else None,
            }
            for pair in result.sides.pairs
        ],
        "differences": [
            {
                "kind": each.kind,
                "says": each.says,
                "message": each.message or None,
                "rule": each.expected.why if each.expected is not None else None,
                "path": each.expected.origin.path if each.expected is not None else None,
                "diff": list(each.diff),
            }
            for each in result.sides.differences
        ],
    }
