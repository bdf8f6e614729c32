"""Is this instruction file loaded: by which harness, from where, when and as what; and if not, what prevents it."""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.habits import NO_HABITS
from promptls.core.how import unknown_of
from promptls.core.lines import PASSED_OVER, FileInPrompt, copies, file_in_prompt, never_sent, on_lines
from promptls.core.model import START, USED
from promptls.core.places import awaits_trust, names_of, presence, scope_of, skill_with
from promptls.core.settings import DEFAULT
from promptls.core.text import decode
from promptls.core.totals import counter_of, is_at_least, segment_tokens
from promptls.core.uses import WORDS, is_in_effect, use_of
from promptls.core.values import replace
from promptls.kit.unread_files import not_shown
from promptls.sessions import of_folder as sessions
from promptls.sessions.detect import in_use
from promptls.sessions.explanation import UNSHOWN, Explanation, Use
from promptls.sessions.of_file import Asked, meant, of_file
from promptls.sessions.of_rule import patterns_of
from promptls.sessions.start import named, noting, place_of, start_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from promptls.core.habits import Habits
    from promptls.core.host import Host
    from promptls.core.how import How
    from promptls.core.model import Candidate, Message, Prompt, Session
    from promptls.core.settings import Settings

    # The first and the last line that are asked for, from 0.
    Lines = tuple[int, int]


def explain(
    path: str,
    make_host: Callable[[], Host],
    workspace: str | None = None,
    *,
    settings: Settings = DEFAULT,
    list_files: Callable[[str], Sequence[str]] | None = None,
    only: Sequence[str] = (),
    lines: Lines | None = None,
    habits: Habits = NO_HABITS,
    with_later: bool = False,
    start: str | None = None,
) -> list[Explanation]:
    """Ask the harnesses about the file at ``path``: those in use first, rare ones only if they are or are named.

    ``habits``: what is known of the user, ``start``: where they start.
    ``list_files`` gives the files of the workspace, sorted; ``only``: the harnesses to ask. ``lines``: also where
    these stand, or why not. ``with_later``: also what a compaction does to it, for harnesses in use or named.
    """
    host = make_host()
    place = place_of(host, path, workspace)
    root = workspace or place.workspace
    used = in_use(host, place.directory, place.top, settings, habits=habits, start=root)
    settings = named(settings, used)
    found = [each.name for each in used]
    asked = tuple(map(specs.canonical, only)) or harnesses.offered(found)
    places = sessions.places(root, list_files(root)) if list_files is not None else None
    file = Asked(host, root, path, places, start)
    explained = [
        _ask(
            start_of(each, settings, habits),
            file,
            lines,
            is_found=(is_found := harnesses.split(each)[0] in found),
            with_later=with_later and (is_found or bool(only)),
        )
        for each in asked
    ]
    return sorted(explained, key=lambda each: found.index(each.harness) if each.is_found else len(found))


def _ask(start: Session, file: Asked, lines: Lines | None, *, is_found: bool, with_later: bool) -> Explanation:
    host, name = file.host, start.harness
    # Who names a file somewhere in the tree matters where the harness is in use.
    asked = file if is_found else replace(file, places=None)

    def ask(cwd: str, reads: tuple[str, ...]) -> Prompt:
        return harnesses.preview(replace(start, cwd=cwd, turns=noting(name, reads)), host)

    prompts = list(of_file(asked, name, ask))
    explained = explanation_of(prompts, asked, lines, is_found=is_found)
    return _with_later(explained, prompts, file) if with_later and explained.uses else explained


def _with_later(explained: Explanation, prompts: Sequence[Prompt], file: Asked) -> Explanation:
    """With what a compaction does to each use, as its first prompt says."""
    from promptls.sessions.later import fates  # noqa: PLC0415 - only the command line asks for it

    uses: list[Use] = []
    known: dict[int, str] = {}
    for use in explained.uses:
        number = next((at for at, prompt in enumerate(prompts) if _is_of(use, prompt, file)), None)
        if number is not None and number not in known:
            found = fates(prompts[number], lambda session: harnesses.preview(session, file.host), file.host.realpath)
            names = names_of([prompts[number]], file.path, file.host)
            known[number] = next((found[name] for name in names if name in found), "")
        uses.append(replace(use, after_compaction=known.get(-1 if number is None else number, "")))
    return replace(explained, uses=tuple(uses))


def _is_of(use: Use, prompt: Prompt, file: Asked) -> bool:
    """Whether a use is one of this prompt."""
    if prompt.session.cwd != use.cwd or use.message >= len(prompt.messages):
        return False
    message, names = prompt.messages[use.message], names_of([prompt], file.path, file.host)
    is_there = any(each.origin.path in names for each in message.segments)
    return is_there and (message.at == START) == (use.at == START)


def explanation_of(
    prompts: Sequence[Prompt], file: Asked, lines: Lines | None = None, *, is_found: bool = True
) -> Explanation:
    """What the prompts of one harness, at least one, say of a file; with ``lines``, also of these."""
    host = file.host
    text = decode(host.read(file.path).data, keep_bom=False) if lines is not None else ""
    uses: list[Use] = []
    ways: dict[How, None] = {}
    others: list[Candidate] = []
    standings: list[FileInPrompt] = []
    stopped: str | None = None
    fault: str | None = None
    once_trusted, is_named = False, False
    for prompt in prompts:
        names = names_of([prompt], file.path, host)
        found = list(_uses(prompt, file.path, names, host))
        if specs.of(prompt.session.harness).names_nested:
            # Its text is there only because this session reads the file itself.
            at_start = [use for use in found if use.at == START]
            told = any(each.state == "named" for each in prompt.candidates if each.path in names)
            is_named = is_named or told or (bool(found) and not at_start)
            found = at_start
        if lines is not None:
            standings.append(file_in_prompt(prompt, names, text))
            found = [replace(use, lines=_in_message(standings[-1], use, lines)) for use in found]
        new = [use for use in found if _is_new(use, uses)]
        ways |= dict.fromkeys(unknown_of(prompt) if new else ())
        uses += new
        others += [each for each in prompt.candidates if each.path in names]
        stopped = stopped or prompt.stopped
        fault = fault or (prompt.stopped if prompt.is_fault else None)
        once_trusted = once_trusted or awaits_trust(prompt, file.path)
    uses.sort(key=lambda use: use.at != START)
    last = prompts[-1]
    name, version = last.session.harness, last.session.version
    explained = Explanation(name, version, last.verified, is_found, tuple(uses), tier=last.tier)
    explained = replace(explained, once_trusted=once_trusted, ways=tuple(ways), is_named=is_named)
    if fault is not None:
        return replace(explained, uses=(), outcome="failed", reason=fault, is_fault=True)
    if uses:
        left_out = on_lines(never_sent(standings), *lines) if lines is not None else ()
        return replace(explained, rule=uses[0].why, used_as=uses[0].used_as, left_out=left_out)
    found_out = _left_out(explained, file, others, stopped)
    return _of_skill(found_out, prompts, file.path) if found_out.is_unknown else found_out


def _of_skill(found: Explanation, prompts: Sequence[Prompt], path: str) -> Explanation:
    """What is to be said where the file lies beside a skill that is listed: the agent is told of it by the skill."""
    beside = skill_with(prompts, path)
    if beside is None:
        return found
    skill, rule = beside
    return replace(found, outcome="unscoped", rule=rule, other=skill, is_unknown=False)


def _is_new(use: Use, uses: Sequence[Use]) -> bool:
    return (use.at, use.role, bool(use.lines)) not in {(each.at, each.role, bool(each.lines)) for each in uses}


def _in_message(found: FileInPrompt, use: Use, lines: Lines) -> tuple[Lines, ...]:
    """The lines of the message of a use at which the first and the last of ``lines`` stand, once for each time."""
    message = found.prompt.messages[use.message]
    sent = [each for each in on_lines(found.sent, *lines) if each.message is message]
    return tuple((each[0].line_of(lines[0]), each[-1].line_of(lines[1])) for each in copies(sent))


def _tells_less(found: Candidate) -> tuple[bool, bool, bool]:
    """Of a configuration, the servers or hooks in it tell more than that it is one; first, those that are used."""
    return found.outcome in PASSED_OVER, found.use == "config", found.use in WORDS and not is_in_effect(found)


def _left_out(explained: Explanation, file: Asked, others: Sequence[Candidate], stopped: str | None) -> Explanation:
    """Why a file is in no prompt: the most telling that the harness says, or what is known of files of its kind."""
    # What a harness meant to load is worth more than a place that it passed over.
    first = min(others, key=_tells_less, default=None)
    known = not_shown(explained.harness, file.path)
    would_be_sent = stopped is not None and first is not None and first.outcome in USED
    if first is not None and not would_be_sent and (known is None or first.outcome not in PASSED_OVER):
        patterns = patterns_of(file.host, first)
        files = meant(file, patterns) if patterns else None
        if files is not None and not files.files:
            return replace(explained, outcome=first.outcome, rule=files.says())
        found = replace(explained, outcome=first.outcome, used_as=first.use, cut=first.cut)
        return replace(found, rule=first.rule, reason=first.reason, other=first.other)
    title = harnesses.get(explained.harness).title
    if known is not None and not would_be_sent:
        rule = f"{title} reads this file, which promptls does not show yet"
        return replace(explained, outcome=UNSHOWN, rule=rule, reason=known)
    if stopped is not None:
        return replace(explained, outcome="failed", rule=f"{title} sends nothing here", reason=stopped.rstrip("."))
    rule = f"{title} does not look for a file of this name in this place"
    return replace(explained, outcome="excluded", rule=rule, is_unknown=True)


def _uses(prompt: Prompt, path: str, names: frozenset[str], host: Host) -> Iterator[Use]:
    count = counter_of(prompt)
    at_least = is_at_least(prompt)
    sizes = [[segment_tokens(each, count) for each in message.segments] for message in prompt.messages]
    whole = sum(map(sum, sizes))
    for found in presence(prompt, path, names):
        message, segment = found.message, found.segment
        at_message = prompt.messages.index(message)
        before = sum(map(sum, sizes[:at_message]))
        before += sum(sizes[at_message][: message.segments.index(segment)])
        pieces = [each for each in message.segments if each.origin.path in (path, *names)]
        cuts = [each.cut for each in pieces]
        cuts += [each.cut for each in prompt.candidates if each.path in names and each.at == message.at]
        yield Use(
            cwd=prompt.session.cwd,
            at=START if message.at == START else "read",
            role=message.role,
            layer=segment.layer,
            why=segment.why,
            used_as=use_of(prompt, (path, *names), segment),
            tokens=found.tokens,
            cut=next((cut for cut in cuts if cut), None),
            invalidates=whole - before,
            of=whole,
            is_at_least=at_least,
            by=_other_name(prompt, message, path, names, host),
            scope=scope_of(prompt, message, names),
            once_trusted=awaits_trust(prompt, path),
            message=at_message,
        )


def _other_name(prompt: Prompt, message: Message, path: str, names: frozenset[str], host: Host) -> str | None:
    """By which other name the file is loaded, and what that has to do with this one; None where it is by its own."""
    loaded = [
        each.path
        for each in prompt.candidates
        if each.outcome in ("loaded", "cut") and each.at == message.at and each.path in names
    ]
    if not loaded or path in loaded or loaded[0] is None:
        return None
    other = loaded[0]
    real = host.realpath(path)
    if real == path:
        return f"as the target of the link {other}"
    return f"as a link to {other}" if real == other else f"as the same file as {other}"
