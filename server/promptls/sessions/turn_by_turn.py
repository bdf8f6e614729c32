"""A recorded session, request by request: what entered and left its prompt, and where the cache broke."""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.model import START, USED, Call, Turn
from promptls.core.tokens import counter
from promptls.core.totals import prompt_tokens
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.kit.recording import Recorded, RecordedRequest

# A cache that holds less than this part of the last prompt has broken.
HELD = 0.75
# Requests that are previewed: each is one.
MOST = 100
COMPACTED, STARTED = "compacted", "the files of the start"


@dataclass(frozen=True, slots=True)
class Request:
    """One request. ``number`` is from 1; ``standing`` are the instruction files in its prompt, by path.

    ``entered`` and ``left`` are the differences to the request before, ``why_left`` says why. ``sent_again`` are the
    tokens of the last prompt that were not in the cache any more, and ``why_broke`` says why, where that is known.
    ``ours`` is the size of the preview of the session up to here, None where there is none.
    """

    number: int
    recorded: RecordedRequest
    standing: tuple[str, ...]
    entered: tuple[str, ...]
    left: tuple[str, ...] = ()
    why_left: str = ""
    sent_again: int = 0
    why_broke: str = ""
    ours: int | None = None


def requests(recorded: Recorded, new_host: Callable[[], Host]) -> list[Request]:
    """Every request of a session, in order.

    Files of the start that the record does not name are those that today's files bring.
    """
    return list(_requests(recorded, new_host()))


def _requests(recorded: Recorded, host: Host) -> Iterator[Request]:
    start = _at_start(recorded, host)
    standing: dict[str, None] = {}
    before: RecordedRequest | None = None
    sizes = _sizes(recorded, host)
    for number, each in enumerate(_counted(recorded), 1):
        last = tuple(standing)
        is_compacted = before is not None and each.compactions > before.compactions
        if before is None or is_compacted:
            standing = dict.fromkeys(start)
        standing |= dict.fromkeys(_files(recorded, each.entered, host))
        left = tuple(path for path in last if path not in standing)
        again, why = _broken(before, each, is_compacted=is_compacted)
        yield Request(
            number,
            each,
            tuple(standing),
            tuple(path for path in standing if path not in last),
            left,
            COMPACTED if left else "",
            again,
            why,
            sizes.get(number),
        )
        before = each


def _counted(recorded: Recorded) -> list[RecordedRequest]:
    """The requests whose size was counted: what came with another one came with the next."""
    found: list[RecordedRequest] = []
    entered: tuple[str, ...] = ()
    for each in recorded.requests:
        if each.tokens:
            found.append(replace(each, entered=(*entered, *each.entered)))
            entered = ()
        else:
            entered = (*entered, *each.entered)
    return found


def _files(recorded: Recorded, entered: Sequence[str], host: Host) -> Iterator[str]:
    """The files that entered; of a directory, those that a start there has."""
    for path in entered:
        if host.kind(path) == "directory":
            yield from _by_rules(recorded, path, host)
        else:
            yield path


def _at_start(recorded: Recorded, host: Host) -> list[str]:
    """The instruction files of the start, as the record names them, else by the rules."""
    # Some programs record where these files were looked for, and not which they were.
    named = [each for each in recorded.start or () if host.kind(each) != "directory"]
    if named:
        return named
    return _by_rules(recorded, recorded.cwd, host)


def _by_rules(recorded: Recorded, cwd: str, host: Host) -> list[str]:
    """The instruction files that a start in a directory sends, by the files of today."""
    prompt = harnesses.preview(replace(recorded.session(), cwd=cwd, turns=(), is_trusted=True), host)
    return list(
        dict.fromkeys(
            each.path
            for each in prompt.candidates
            if each.path is not None and each.use == "instruction" and each.outcome in USED and each.at == START
        )
    )


def _broken(before: RecordedRequest | None, each: RecordedRequest, *, is_compacted: bool) -> tuple[int, str]:
    """The tokens of the last prompt that the cache did not hold, and why; 0 where it held."""
    if before is None or each.cached is None or before.is_summary or each.is_summary:
        return 0, ""
    if is_compacted:
        return 0, ""
    again = min(before.tokens, each.tokens) - each.cached
    if each.cached >= HELD * min(before.tokens, each.tokens):
        return 0, ""
    if each.model != before.model:
        return again, "another model"
    return again, "a day later" if each.at[:10] != before.at[:10] else "what stands before it had changed"


def _sizes(recorded: Recorded, host: Host) -> dict[int, int]:
    """The size of the preview for each request, by its number; one for requests that are alike."""
    found: dict[int, int] = {}
    known: dict[tuple[object, ...], int] = {}
    turns: list[Turn] = [Turn()]
    compactions = 0
    can_compact = "compact" in specs.of(recorded.harness).later
    for number, each in enumerate(_counted(recorded)[:MOST], 1):
        if each.compactions > compactions:
            compactions = each.compactions
            turns += [Turn(compact=""), Turn(prompt="")]
        last = turns[-1]
        turns[-1] = replace(last, steps=(*last.steps, *((Call(read=path),) for path in each.read)))
        if each.is_summary or (compactions and not can_compact):
            continue
        session = replace(recorded.session(), turns=tuple(turns), is_trusted=True, interactive=recorded.interactive)
        if each.model:
            session = replace(session, model=_model(recorded, each))
        key = (session.turns, session.model)
        if key not in known:
            known[key] = _size(harnesses.preview(session, host), session)
        found[number] = known[key]
    return found


def _model(recorded: Recorded, each: RecordedRequest) -> str | None:
    """The model of a request as the harness names it: with its provider, where the session has one."""
    provider = (recorded.model or "").rpartition("/")[0]
    return f"{provider}/{each.model}" if provider and "/" not in each.model else each.model


def _size(prompt: Prompt, session: Session) -> int:
    return prompt_tokens(prompt, counter(prompt.model or session.model))


def holding(found: Sequence[Request], paths: frozenset[str]) -> list[tuple[int, int]]:
    """The first and the last number of each run of requests in whose prompts one of the files stood."""
    runs: list[tuple[int, int]] = []
    for each in found:
        if paths.isdisjoint(each.standing):
            continue
        if runs and runs[-1][1] == each.number - 1:
            runs[-1] = runs[-1][0], each.number
        else:
            runs.append((each.number, each.number))
    return runs
