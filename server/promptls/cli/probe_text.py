"""What ``promptls probe`` found, as a table for people."""

from __future__ import annotations

from collections import Counter
from shlex import join as joined

from promptls.core.lazy import regex
from promptls.core.paths import is_below
from promptls.core.render import Line
from promptls.core.secrets import masked, masked_arguments
from promptls.core.visible import visible
from promptls.wire.enclosure import SAYS
from promptls.wire.error_output import last_lines
from promptls.wire.probe import QUIET, sent
from promptls.wire.sent_lines import Stretch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.wire.probe import Asked, BlockWithFiles, Probe, Probed
    from promptls.wire.sent_lines import Stood

FORMATS = {
    "messages": "Anthropic Messages",
    "chat": "Chat Completions",
    "responses": "Responses",
    "generate": "generateContent",
    "augment": "Augment",
}
# Characters of what stands around a file, names, and tools, that are shown.
SHOWN, MOST_NAMES, MOST_TOOLS = 72, 8, 5
# Lines that a program printed last, and characters of one.
MOST_LINES, MOST_SAID = 6, 200
CONTROL = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
ENDS = {
    "exited": "it ended with code {code}",
    "late": "it was stopped after {seconds:.0f} s",
    "done": f"it was stopped, as it asked nothing for {QUIET:.0f} s",
    "large": "it was stopped because it took too much memory",
    "open": "it could not be enclosed",
}
ADVICE = (
    "If it has a configuration of its own for the address and the key, pass that, with {url} and {key} in it: --set "
    "NAME=VALUE for a variable, --file PATH=TEXT for a file of its home; and add the option that makes it print one "
    "answer and end."
)


def to_text(wanted: Probe, found: Probed) -> Iterator[Line]:
    """The table first, then what else was seen."""
    named = " ".join(filter(None, (found.package.name or wanted.command[0], found.package.version)))
    typed = joined(masked_arguments(list(wanted.command)))
    main = found.main
    if main is None:
        yield Line(f"{named} asked no model, as: {typed}", "problem")
        yield from _ends(wanted, found)
        yield from _hints(found)
        return
    number = found.asked.index(main) + 1
    yield Line(f"{named}, started as: {typed}", "title")
    yield Line(f"{_count(len(found.asked), 'request')} to a model; the agent's own is request {number}:", "note")
    yield from _request(main, wanted)
    yield from _others(wanted, found, main)
    yield from _places(wanted, found)
    yield Line("")
    yield from _ends(wanted, found)
    yield from _further(wanted, found)


def _others(wanted: Probe, found: Probed, main: Asked) -> Iterator[Line]:
    """What the other requests add."""
    nothing: list[int] = []
    for number, each in enumerate(found.asked, 1):
        new = [said for said in each.said if said.is_new]
        if each is not main and any(said.stood for said in new):
            yield from (Line(""), Line(f"Request {number} adds:", "title"))
            yield from _files(new, wanted)
            yield from _all_sizes(new)
        elif each is not main:
            nothing.append(number)
    if nothing:
        listed = ", ".join(map(str, nothing))
        yield from (
            Line(""),
            Line(f"No new line of a file: request{'s' if len(nothing) > 1 else ''} {listed}.", "note"),
        )
        answers = [said.block.text for at in nothing for said in found.asked[at - 1].said if _is_answer(said)]
        # Why a file that was to be read did not come.
        yield from (Line(f"  A tool answered: {_printed_line(' '.join(each.split()))}", "source") for each in answers)


def _is_answer(said: BlockWithFiles) -> bool:
    return said.is_new and said.block.role == "tool"


def _places(wanted: Probe, found: Probed) -> Iterator[Line]:
    """The places that were found by files of ours."""
    if not wanted.places:
        if not any(said.stood for each in found.asked for said in each.said):
            yield from (Line(""), Line("--places shows which places it reads, by files of ours.", "note"))
        return
    yield from (Line(""), Line("Places where a file of ours was sent:", "title"))
    rows = [each for each in found.places if each.where]
    for each in rows:
        yield Line(f"  {each.where:<9} {_shown(each.path, wanted)}")
    if not rows:
        yield Line("  none", "note")
    if only := [each.path for each in found.places if not each.where]:
        yield Line(f"  Only opened: {_names(only, wanted)}", "note")
    yield Line("  Of several names of which a program takes the first, the others are not seen.", "note")


def _request(asked: Asked, wanted: Probe) -> Iterator[Line]:
    request = asked.request
    yield from _files(asked.said, wanted)
    kind = FORMATS[request.kind] if request.kind is not None else "?"
    model = f", model {masked(request.model)}" if request.model else ""
    yield Line(f"  {kind}{model}", "note")
    yield from _all_sizes(asked.said)
    offered = sorted(request.offered, key=lambda each: -each.size)
    if offered:
        heavy = ", ".join(f"{masked(each.name)} {each.size:,}" for each in offered[:MOST_TOOLS])
        size = sum(each.size for each in offered)
        yield Line(f"  {_count(len(offered), 'tool')}, {size:,} characters: {heavy}", "note")


def _files(said: Sequence[BlockWithFiles], wanted: Probe) -> Iterator[Line]:
    """A row for each file in a request, and what stands around it."""
    rows = [(each, stood) for each in said for stood in each.stood]
    table = [("", "file", "lines", "message", "role", "text")]
    table += [
        (
            str(number),
            _shown(stood.path, wanted),
            says_lines(stood),
            f"{each.block.index + 1}{f'.{each.block.block + 1}' if each.block.block else ''}",
            each.block.role,
            stood.form,
        )
        for number, (each, stood) in enumerate(rows, 1)
    ]
    if rows:
        widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
        for at, row in enumerate(table):
            text = "  ".join(f"{part:<{width}}" for part, width in zip(row, widths, strict=True)).rstrip()
            yield Line(f"  {text}", "message" if at == 0 else "text")
        yield Line("")
        for number, (_, stood) in enumerate(rows, 1):
            yield Line(f"  {number}  before it {_around(stood.before, -1)}, after it {_around(stood.after, 0)}", "note")
            if stood.also:
                also = ", ".join(_shown(each, wanted) for each in stood.also[:MOST_NAMES])
                yield Line(f"     the same lines are in {also}", "note")
    else:
        yield Line("  No line of a file of this folder stands in it.", "note")


def _all_sizes(said: Iterable[BlockWithFiles]) -> Iterator[Line]:
    for role, number, total, own in _sizes(said):
        of_files = f": {total - own:,} of files, {own:,} other" if total > own else ""
        yield Line(f"  {role}: {_count(number, 'block')}, {total:,} characters{of_files}", "note")


def _sizes(said: Iterable[BlockWithFiles]) -> list[tuple[str, int, int, int]]:
    """For each role: blocks, characters, and those that are of no file."""
    number: Counter[str] = Counter()
    total: Counter[str] = Counter()
    own: Counter[str] = Counter()
    for each in said:
        number[each.block.role] += 1
        total[each.block.role] += len(each.block.text)
        own[each.block.role] += len(each.block.text) - sum(stood.size for stood in each.stood)
    return [(role, number[role], total[role], own[role]) for role in number]


def says_lines(stood: Stood) -> str:
    """Which lines of a file are sent."""
    stretches = _merged(stood.stretches)
    if stood.is_whole:
        return f"all {stood.lines}" if stood.lines > 1 else "all"
    listed = ", ".join(
        f"{each.first}-{each.last}" if each.last > each.first else str(each.first) for each in stretches[:3]
    )
    more = f", and {len(stretches) - 3} more" if len(stretches) > 3 else ""  # noqa: PLR2004 - those that are listed
    return f"{listed}{more} of {stood.lines}"


def _merged(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Stretches that follow each other, as one."""
    kept: list[Stretch] = []
    for each in stretches:
        if kept and kept[-1].last + 1 >= each.first:
            kept[-1] = Stretch(kept[-1].first, each.last, kept[-1].start, each.end)
        else:
            kept.append(each)
    return kept


def _around(text: str, at: int) -> str:
    """The line that stands before or after a file."""
    lines = [each for each in text.splitlines() if each.strip()]
    if not lines:
        return "nothing"
    line = lines[at].strip()
    # A fence says less than the line before it.
    if at < 0 and not any(map(str.isalnum, line)) and len(lines) > 1:
        line = f"{lines[-2].strip()}\n{line}"
    line = masked(line)
    short = f"…{line[-SHOWN:]}" if at < 0 and len(line) > SHOWN else f"{line[:SHOWN]}…" if len(line) > SHOWN else line
    return f"“{visible(short)}”"


def _ends(wanted: Probe, found: Probed) -> Iterator[Line]:
    report = found.report
    end = ENDS.get(report.end, "it could not be run").format(code=report.code, seconds=wanted.patience)
    yield Line(f"Run {SAYS[report.means]}; {end}.", "note")
    last = last_lines(report.output, MOST_LINES)
    if last and (not found.asked or report.code):
        yield Line("It said last:", "note")
        yield from (Line(f"  {_printed_line(each)}", "source") for each in last)
    if report.hosts:
        yield Line(f"It tried to reach {', '.join(map(visible, report.hosts))}, and was refused.", "note")
    if report.paths:
        yield Line(f"It also asked for {', '.join(visible(masked(each)) for each in report.paths)}.", "note")


def _printed_line(line: str) -> str:
    """A line that a program printed, without commands for the terminal."""
    return visible(masked(CONTROL.sub("", line).rstrip()))[:MOST_SAID]


def _hints(found: Probed) -> Iterator[Line]:
    if found.package.advice:
        yield Line(found.package.advice, "note")
    yield Line(ADVICE, "note")


def _further(wanted: Probe, found: Probed) -> Iterator[Line]:
    was_sent = sent(found.asked)
    if found.opened is None:
        yield Line("Which files it opened is not known: this disk does not note it.", "note")
    elif only := [each for each in found.opened if each not in was_sent]:
        yield Line(f"Opened, but not sent: {_names(only, wanted)}.", "note")
    tools = any(each.request.offered for each in found.asked)
    if wanted.reads and tools and not any(each.block.role == "tool" for one in found.asked for each in one.said):
        yield Line(
            f"It read none of {_names(wanted.reads, wanted)}: promptls does not know which tool reads a file.", "note"
        )
    if found.left_out:
        left = [f"{what} of {_shown(path, wanted)}" if path else what for what, path in found.left_out]
        more = f", and {len(left) - MOST_NAMES} more" if len(left) > MOST_NAMES else ""
        says = ", ".join(left[:MOST_NAMES]) + more
        yield Line(f"Left out, because a program could run it: {says}. --give FILE gives one as it is.", "note")
    yield from (Line(each, "note") for each in found.notes)


def _names(paths: Sequence[str], wanted: Probe) -> str:
    more = f", and {len(paths) - MOST_NAMES} more" if len(paths) > MOST_NAMES else ""
    return ", ".join(_shown(each, wanted) for each in paths[:MOST_NAMES]) + more


def _shown(path: str, wanted: Probe) -> str:
    plain = path.removeprefix(f"{wanted.workspace}/") if is_below(path, wanted.workspace) else path
    return visible(masked(plain))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
