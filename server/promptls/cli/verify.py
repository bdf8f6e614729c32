"""``promptls verify``: hold a preview against what the installed program really sends."""

from __future__ import annotations

from promptls.cli.arguments import current_directory
from promptls.cli.capture import as_asked, captured, session_parser, split
from promptls.cli.keep import keep_verified
from promptls.cli.output import complain, show, write_json
from promptls.cli.unwinding import unwinding
from promptls.core import specs
from promptls.core.how import first_of_each_kind, of_sizes, ways
from promptls.core.lazy import regex
from promptls.core.model import VerifiedHere
from promptls.core.phrases import learned_lines, short
from promptls.core.render import Line
from promptls.core.values import replace
from promptls.errors import PromptlsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from promptls.cli.capture import Result
    from promptls.core.model import Prompt
    from promptls.core.render import Style
    from promptls.wire.align import Pair, Sides
    from promptls.wire.difference import Difference
    from promptls.wire.offers import Offers

# Of what was left out, so many are named in the first line; a line below names all.
MOST_NAMED = 3
# Of a message that has nothing else.
OWN_WORDS = "words of its own"
_SENT = regex(r"(.*) \(([0-9,]+) characters were sent\)")
# Characters that a row has for the titles of a message.
WIDTH = 36
# How a line of a difference is shown, by its first letter.
WHERE: dict[str, str] = {"tool": "tools"}
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
    inexact = len(result.sides.unknown) + len(result.sides.near)
    here = VerifiedHere(result.capture.version, result.date, result.has_all, inexact)
    asked = as_asked(result)
    # With a model that nobody has named, tools may have other sizes.
    sizes = {each.name: each.size for each in result.prompt.tools or ()}
    is_same = all(sizes.get(each.name, each.size) == each.size for each in asked.tools or ())
    try:
        keep_verified(asked, here, is_same=is_same and not result.sides.differences)
    except PromptlsError as error:
        complain(f"promptls: {error} Previews do not say what this has shown.")
        return False
    return is_same


def _is_whole(result: Result) -> bool:
    return result.has_all and not result.sides.unknown and not result.sides.near


def _text(result: Result, *, is_kept: bool) -> Iterator[Line]:
    session, sides = result.prompt.session, result.sides
    count = len(sides.differences)
    without = list(dict.fromkeys(what for what, _ in result.capture.left_out))
    yield Line(f"{session.harness} {result.capture.version} · {_outcome(count, sides, without)}", "title")
    model = [f"model {result.capture.model}"] if result.capture.model else []
    how = "in an editor" if session.editor else "on the screen" if session.interactive else "printing an answer"
    which = [how] if result.has_screen or session.editor else []
    chosen = [f"{name} {value}" for name, value in (("agent", session.agent), ("mode", session.mode)) if value]
    yield Line(" · ".join((f"cwd {session.cwd}", *model, *chosen, *which)), "note")
    yield from (Line(note, "note") for note in (*_version_note(result), *result.capture.notes))
    if is_kept and not count:
        yield Line("Previews of this prompt now say that it is verified here.", "note")
    yield Line("")
    yield Line(f"{'':<10} {'role':<10} {'preview':>9} {'sent':>9}  what", "note")
    for pair in sides.pairs:
        yield Line(_row(pair, result), "text" if _state(pair, result) == "same" else "problem")
    extra = {each.message for each in sides.differences if each.kind == "extra"}
    for number, said in sides.unmatched:
        if number in extra:
            row = f"{'not shown':<10} {said.role:<10} {'-':>9} {len(said.text):>9,}  message {number}"
            yield Line(row, "problem")
    yield from _tools(sides)
    yield from _listed("The preview does not know:", sides.unknown, session.cwd)
    found = of_sizes(_as_asked(result), current_directory("/")) if sides.unknown else []
    yield from (Line(f"To see more: {each.text}", "note") for each in first_of_each_kind(found))
    yield from _listed("Nearly as long as the preview says, so no difference:", sides.near, session.cwd)
    yield from _listed("Not fixed by the program, and no difference:", sides.passing, session.cwd)
    yield from _listed("Because an MCP server says nothing, and no difference:", sides.of_servers, session.cwd)
    yield from _listed("Because a hook said nothing, and no difference:", sides.of_hooks, session.cwd)
    own = sum(each.elided.size or 0 for m in result.prompt.messages for each in m.segments if each.elided)
    if own:
        yield Line("")
        yield Line(f"{own:,} characters of the program's own text are compared by their size.", "note")
    for difference in sides.differences:
        yield from _difference(difference, session.cwd)


def _as_asked(result: Result) -> Prompt:
    """The preview with the model that was asked for, and not one that only stands for it while it runs."""
    return replace(result.prompt, session=replace(result.prompt.session, model=result.asked.model))


def _outcome(differences: int, sides: Sides, without: Sequence[str]) -> str:
    """What came of it, and without what the program was run."""
    more = f" and {len(without) - MOST_NAMED} more" if len(without) > MOST_NAMED else ""
    but = f" without {', '.join(without[:MOST_NAMED])}{more}" if without else ""
    if differences:
        return f"{differences} difference{'' if differences == 1 else 's'}{but}"
    unknown, near = len(sides.unknown), len(sides.near)
    apart = f"; {unknown} part{'' if unknown == 1 else 's'} unknown" if unknown else ""
    apart += f"; {near} size{'' if near == 1 else 's'} not exact" if near else ""
    return f"sends what the preview shows{but}{apart}"


def _tools(sides: Sides) -> Iterator[Line]:
    """The row of all tools."""
    tools = sides.tools
    if tools is None or not (tools.count or tools.shown):
        return
    is_same = not tools.differences
    state = "differs" if not is_same else "unknown" if tools.shown is None else "same"
    shown = "?" if tools.shown is None else f"{tools.shown:,}"
    what = f"the definitions of {tools.count} tool{'' if tools.count == 1 else 's'}"
    plus = "+" if tools.shown is not None and tools.unknown else " "
    yield Line(f"{state:<10} {'tools':<9}{shown + plus:>11} {tools.sent:>8,}  {what}", "text" if is_same else "problem")


def _listed(title: str, what: Sequence[str], cwd: str) -> Iterator[Line]:
    if what:
        yield Line("")
        yield Line(title, "message")
    yield from (Line(f"- {each.replace(f'{cwd}/', '')}", "note") for each in together(what))


def together(what: Sequence[str]) -> list[str]:
    """Parts of the same name as one, with what was sent of all of them; the order is that of the first of each."""
    sizes: dict[str, list[str]] = {}
    for each in what:
        found = _SENT.fullmatch(each)
        sizes.setdefault(found[1] if found else each, []).extend([found[2]] if found else [])
    return [_sent(name, found) for name, found in sizes.items()]


def _sent(name: str, sizes: Sequence[str]) -> str:
    if not sizes:
        return name
    times = f"{len(sizes)} parts, " if len(sizes) > 1 else ""
    return f"{name} ({times}{sum(int(each.replace(',', '')) for each in sizes):,} characters were sent)"


def _version_note(result: Result) -> list[str]:
    known = result.prompt.session.version
    if known != result.capture.version:
        says = f"The preview is that of {known}: {result.capture.version} is not known to promptls"
        name = result.prompt.session.harness
        return [
            f"{says}; “promptls learn {name}” learns what is otherwise." if specs.of(name).is_learned else f"{says}."
        ]
    if result.prompt.learned is not None:
        return list(learned_lines(result.prompt.session, result.prompt.learned))
    return [] if result.prompt.verified else [f"No captured session of {known} is among the tests of promptls."]


def _row(pair: Pair, result: Result) -> str:
    known = sum(s.characters for s in pair.expected.segments)
    is_open = any(s.elided and s.elided.size is None for s in pair.expected.segments)
    shown = f"{known:,}+" if is_open and known else "?" if is_open else f"{known:,} "
    sent = f"{len(pair.sent.text):,}" if pair.sent is not None else "-"
    cwd = result.prompt.session.cwd
    titles = dict.fromkeys(short(s.title, cwd).replace(f"{cwd}/", "") for s in pair.expected.segments if not s.frame)
    state = _state(pair, result)
    state = "unknown" if state == "same" and is_open and not known else state
    return f"{state:<10} {pair.expected.role:<9}{shown:>11} {sent:>8}  {_shortened(list(titles) or [OWN_WORDS])}"


def _shortened(titles: Sequence[str]) -> str:
    """As many titles as a row has room for, at least one, and how many more there are."""
    for count in range(len(titles), 0, -1):
        more = f" and {len(titles) - count} more" if count < len(titles) else ""
        row = ", ".join(titles[:count]) + more
        if len(row) <= WIDTH or count == 1:
            return row
    return ""


def _state(pair: Pair, result: Result) -> str:
    if pair.sent is None:
        return "not sent"
    found = [each.kind for each in result.sides.differences if each.message == pair.number]
    return {"text": "differs", "extra": "differs"}.get(found[0], f"other {found[0]}") if found else "same"


def _difference(difference: Difference, cwd: str) -> Iterator[Line]:
    where = f"message {difference.message}" if difference.message else WHERE.get(difference.kind, "not sent")
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
        "program": {
            "version": result.capture.version,
            "model": result.capture.model,
            "interactive": bool(session.interactive) if result.has_screen else None,
            "editor": session.editor is True,
        },
        "cwd": session.cwd,
        "date": result.date,
        "notes": list(result.capture.notes),
        "same": not result.sides.differences,
        "whole": _is_whole(result),
        "all": result.has_all,
        "left_out": [{"what": what, "path": path or None} for what, path in result.capture.left_out],
        "unknown": list(result.sides.unknown),
        "how": ways((_as_asked(result),), current_directory("/")) if result.sides.unknown else [],
        "near": list(result.sides.near),
        "not_fixed": list(result.sides.passing),
        "of_servers": list(result.sides.of_servers),
        "of_hooks": list(result.sides.of_hooks),
        "tools": _tools_json(result.sides.tools),
        "expected": expected,
        "sent": sent,
        "messages": [
            {
                "role": pair.expected.role,
                "state": _state(pair, result),
                "number": pair.number or None,
                "characters": len(pair.sent.text) if pair.sent is not None else None,
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


def _tools_json(tools: Offers | None) -> dict[str, Any] | None:
    if tools is None:
        return None
    return {
        "sent": tools.count,
        "characters": tools.sent,
        "only_sent": list(tools.only_sent),
        "only_shown": list(tools.only_shown),
        "sizes": [{"name": each.name, "shown": each.shown, "sent": each.sent} for each in tools.sizes],
    }
