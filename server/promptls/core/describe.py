"""Describes in Markdown what a prompt does with a file, for hovers and code lenses."""

from __future__ import annotations

from datetime import datetime

from promptls.core.lines import file_in_prompt
from promptls.core.model import START
from promptls.core.phrases import short, tokens_text
from promptls.core.places import awaits_trust, presence, scope_of
from promptls.core.totals import counter_of, is_at_least, is_own_only, offered_tokens, total_counter
from promptls.core.uses import ONCE_TRUSTED, WORDS, is_in_effect, listed, use_of
from promptls.core.visible import code, plain, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from promptls.core.model import Candidate, FetchResult, Prompt, Tool
    from promptls.core.places import Meaning, Named

# If there are more meanings than this, for example of a pattern, they are only counted.
SHOWN = 8
# So many tools of a server are shown, and what is said of one whose definition is not sent.
HEAVIEST, NAMED = 20, "its name only"

_OUTCOME = {
    "loaded": "loads it",
    "missing": "finds no file here",
    "empty": "finds it empty",
    "shadowed": "ignores it in favour of another file",
    "duplicate": "has already loaded it",
    "outside": "does not load files from there",
    "excluded": "excludes it",
    "unscoped": "loads it for other files only",
    "cut": "loads only part of it",
    "dropped": "drops it",
    "failed": "cannot read it",
    "pending": "is waiting for its answer",
    "disabled": "has it disabled",
}


def named(
    what: Named, size_of: Callable[[str], int | None], latest: Callable[[str], FetchResult | None] = lambda _: None
) -> str:
    """What a stretch of a file means to each harness.

    ``size_of`` gives the bytes of a file, None if unknown; ``latest`` the newest answer of a URL, if any.
    """
    parts = [meaning(each, size_of, latest) for each in what.meanings[:SHOWN]]
    left = len(what.meanings) - SHOWN
    return "\n\n---\n\n".join([*parts, f"and {left} more"] if left > 0 else parts)


def offered(prompt: Prompt, tools: Sequence[Tool]) -> str:
    """What a server offers a harness: each tool with its tokens, the heaviest first."""
    count = counter_of(prompt)
    costs = sorted(((offered_tokens(each, count), each) for each in tools), key=lambda each: (-each[0], each[1].name))
    number = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    total = tokens_text(sum(tokens for tokens, _ in costs), count)
    lines = [f"**{prompt.session.harness}** gets {number} of it · {total}", ""]
    lines += [
        f"- {code(each.name)} · {f'{tokens:,} tokens' if each.size else NAMED}" for tokens, each in costs[:HEAVIEST]
    ]
    left = len(costs) - HEAVIEST
    return "\n".join([*lines, f"- and {left} more"] if left > 0 else lines)


def matched(number: int, *, is_cut: bool = False) -> str:
    """How many files a pattern matches."""
    return f"matches {number:,}{' or more' if is_cut else ''} file{'' if number == 1 and not is_cut else 's'}"


def meaning(what: Meaning, size_of: Callable[[str], int | None], latest: Callable[[str], FetchResult | None]) -> str:
    """What one place is to one harness: outcome, place, size, tokens, when and as what, and why."""
    prompt, candidate = what.prompt, what.candidate
    place = candidate.path or candidate.url or ""
    lines = [f"**{prompt.session.harness}** {_does(candidate, prompt)} · {when(candidate.at, prompt)}"]
    facts = [code(short(place, prompt.session.cwd))]
    if candidate.path and (size := size_of(candidate.path)) is not None:
        facts.append(f"{size:,} bytes")
    count = counter_of(prompt)
    facts += [
        f"{tokens_text(found.tokens, count)} as {found.segment.layer} in the {found.message.role} message"
        for found in presence(prompt, place)
    ]
    lines.append(" · ".join(facts))
    if candidate.fetched is not None:
        lines.append(fetched(latest(candidate.url or "") or candidate.fetched))
    if candidate.cut is not None:
        cut = candidate.cut
        lines.append(f"{cut.kept:,} of {cut.total:,} {cut.unit} are kept: {plain(cut.limit)}")
    if candidate.other and candidate.other != candidate.path:
        lines.append(f"Instead: {code(short(candidate.other, prompt.session.cwd))}")
    lines.append(plain(candidate.why))
    return "  \n".join(lines)


def _does(candidate: Candidate, prompt: Prompt) -> str:
    """What the harness does with what it looked for, as a clause without its subject."""
    if prompt.stopped is not None and is_in_effect(candidate):
        return "sends nothing here"
    trusted = _with_trust(prompt, candidate.path or "") if is_in_effect(candidate) else ""
    return _outcome(candidate) + trusted


def _with_trust(prompt: Prompt, path: str) -> str:
    return f" {ONCE_TRUSTED}" if awaits_trust(prompt, path) else ""


def _outcome(candidate: Candidate) -> str:
    words = WORDS.get(candidate.use)
    if candidate.use == "config" and candidate.outcome in ("loaded", "excluded"):
        return f"{'uses' if is_in_effect(candidate) else 'does not use'} it as configuration"
    if words is None or candidate.outcome == "missing":
        return _OUTCOME[candidate.outcome]
    return words.does if is_in_effect(candidate) else words.does_not


def when(at: str, prompt: Prompt) -> str:
    """``at start``, or the event that adds it: a read, another call of a tool, a turn of the user's."""
    kind, _, what = at.partition(":")
    if kind == "read":
        return f"on reading {code(short(what, prompt.session.cwd))}"
    if kind == "tool":
        return f"on a call of {code(what.partition(' ')[0])}"
    return "at start" if at == START else f"with turn {what} of the user"


def fetched(answer: FetchResult) -> str:
    """What a URL returned, how much, when, and how long it took."""
    parts = [
        {
            "ok": f"answered with status {answer.status}" if answer.status else "answered",
            "status": f"answered with status {answer.status}",
        }.get(answer.state, answer.state)
    ]
    if answer.text:
        parts.append(f"{len(answer.text.encode('utf-8', 'replace')):,} bytes")
    if answer.fetched_at is not None:
        parts.append(f"requested {datetime.fromtimestamp(answer.fetched_at).astimezone():%Y-%m-%d %H:%M:%S}")
    if answer.headers_seconds is not None:
        parts.append(f"{answer.headers_seconds:.2f} s to the headers")
    if answer.total_seconds is not None:
        parts.append(f"{answer.total_seconds:.2f} s in total")
    if answer.from_cache:
        parts.append("the cached answer is still valid")
    if answer.final_url and answer.final_url != answer.url:
        parts.append(f"redirected to {code(answer.final_url)}")
    if answer.detail:
        parts.append(plain(answer.detail))
    return " · ".join(parts)


# What the numbers of a lens mean.
SIZES = " tokens of "
LEGEND = (
    "Sizes in lenses: the tokens of this file, of all that the prompt has. “~” is an estimate; “at least”: of some "
    "parts the size is not known; “of your own text”: what the program itself adds is not counted."
)

LEGEND_OF_SESSIONS = (
    "Counted in the sessions that each program has recorded of this folder: in how many of them the file stood in a "
    "prompt. “~”: computed from today's files, because the records do not say it."
)


def lenses(
    prompts: Sequence[Prompt], path: str, text: str, files: int | None = None, names: Collection[str] = ()
) -> list[str]:
    """One line per harness on what it does with the file at ``path``; none for a harness that does not look at it.

    ``text`` is that of the file; ``files`` is the number of files in and below its directory, None if unknown;
    ``names`` are other paths of the same file.
    The first prompt of a harness that contains its text counts, otherwise the first that says why not. Its first is of
    the usual start.
    """
    found: dict[str, tuple[bool, str]] = {}
    usual: dict[str, str] = {}
    for prompt in prompts:
        harness = prompt.session.harness
        start = usual.setdefault(harness, prompt.session.cwd)
        line = _lens(prompt, path, text, files, (path, *names), start)
        if line is not None and not (harness in found and (found[harness][0] or not line[0])):
            found[harness] = line
    return [visible(line) for _, line in found.values()]


def _lens(  # noqa: PLR0917 - what of a file, in which prompt
    prompt: Prompt, path: str, text: str, files: int | None, names: Collection[str], usual: str
) -> tuple[bool, str] | None:
    harness = prompt.session.harness
    loaded = presence(prompt, path, names)
    if loaded:
        first = loaded[0]
        scope = scope_of(prompt, first.message, names)
        at = f"for {scope}" if scope else listed(use_of(prompt, names, first.segment)) or "start"
        if first.message.at != START:
            directory = short(path.rpartition("/")[0], prompt.session.cwd)
            number = "" if files is None else f" ({files:,} file{'' if files == 1 else 's'})"
            at = f"read when you open {scope or f'{directory}/**{number}'}"
        least, own = (
            ("", " of your own text") if is_own_only(prompt) else ("at least " if is_at_least(prompt) else "", "")
        )
        sizes = f"{first.tokens:,}{SIZES}{least}{first.total:,}{own}"
        approximately = "~" if total_counter(prompt).is_about else ""
        if prompt.session.cwd != usual:
            at += f", if started in {short(prompt.session.cwd, usual)}"
        at += _with_trust(prompt, path)
        return True, f"{harness} · {at} · {approximately}{sizes}{_over(prompt, names, text)}"
    found = [each for each in prompt.candidates if each.path in names and each.outcome != "missing"]
    # Of a configuration, the servers or hooks in it tell more than that it is one.
    telling = sorted((each for each in found if each.use != "template"), key=lambda each: each.use == "config")
    why = next(iter(telling), None)
    return (False, f"{harness} · {_does(why, prompt)}") if why else None


def _over(prompt: Prompt, names: Collection[str], text: str) -> str:
    """How much of a file is over a limit of the harness, and where that begins."""
    lost = (
        each for each in file_in_prompt(prompt, names, text).left_out if each.cut is not None and not each.cut.is_ours
    )
    for piece in lost:
        cut, line = piece.cut, piece.range.start_line + 1
        return f" · {cut.total - cut.kept:,} {cut.unit} over the limit, from line {line:,}" if cut else ""
    return ""
