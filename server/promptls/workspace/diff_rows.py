"""What differs between prompts, as rows for people: each change with who gets it, whole prompts, and budgets."""

from __future__ import annotations

from promptls.core.budgets import says
from promptls.core.compare import grouped
from promptls.core.lazy import regex
from promptls.core.paths import is_absolute, relative, with_relative
from promptls.core.phrases import and_list, cut_says
from promptls.core.sizes import NAMES, TOGETHER
from promptls.core.table import OWN
from promptls.core.values import dataclass, replace
from promptls.workspace.machine import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from promptls.core.compare import Change, Comparison, Group
    from promptls.core.prompt_json import Json
    from promptls.core.render import Style
    from promptls.workspace.folder_diff import Used

    Of = Literal["revisions", "harnesses", "files", "sessions"]

# Places of one change, and letters of a commit.
MOST_PLACES, COMMIT = 2, 12
ON_READ = "on read"
UNKNOWN = "? tokens"
_COMMIT = regex(r"[0-9a-f]{40,}")
STYLES: dict[str, Style] = {"new": "added", "gone": "removed", "lost": "problem"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What differs between ``before`` and ``after``, which are names, in the folder ``root``."""

    of: Of
    before: str
    after: str
    root: str
    comparisons: tuple[Comparison, ...]
    # Which sessions are compared, as JSON.
    sessions: tuple[Json, ...] = ()
    # What is used of budgets before and after.
    budgets: tuple[Used, ...] = ()

    @property
    def groups(self) -> list[Group]:
        """Each change once, with all prompts that it is in."""
        return grouped(self.comparisons)

    @property
    def title(self) -> str:
        """Both names; of a commit the first letters."""
        return " → ".join(each[:COMMIT] if _COMMIT.fullmatch(each) else each for each in (self.before, self.after))


def budget_says(used: Used, root: str) -> str:
    """``packages/api: 1,840 of 2,000, +120``."""
    if used.is_gone:
        return f"{says(used.after, root, used.before)}: this budget is gone"
    return says(used.after, root, used.before) + (": a new budget" if used.is_new else "")


def rows_of(answer: Answer) -> list[Group]:
    """Without what a harness says of itself in other directories: it often names the files there."""
    if answer.of == "harnesses":
        return list(_together(answer))
    return [
        each
        for each in answer.groups
        if each.change.kind not in OWN
        or answer.of != "revisions"
        or any(comparison.prompt.session.cwd == answer.root for comparison, _, _ in each.among)
    ]


def _together(answer: Answer) -> Iterator[Group]:
    """The skills, agents and the like in one row for each way in which two harnesses differ: there may be hundreds."""
    alike: dict[object, list[Group]] = {}
    for each in answer.groups:
        is_one_of_many = each.change.kind in TOGETHER.values() and each.change.status != "lost"
        key = (each.change.kind, each.change.status, who_gets(each, answer)) if is_one_of_many else id(each)
        alike.setdefault(key, []).append(each)
    for groups in alike.values():
        change = groups[0].change
        if len(groups) > 1:
            before, after = (sum(each.change.tokens[side] for each in groups) for side in (0, 1))
            change = replace(change, name=f"{NAMES[change.kind]} ({len(groups)})", tokens=(before, after))
        yield replace(groups[0], change=change)


def summed(answer: Answer, shown: list[Group]) -> str:
    """How many files change what which harnesses get, as a sentence."""
    changed = [each for each in answer.comparisons if each.changes]
    if not changed:
        return "no prompt changes."
    files = len({group.change.name for group in answer.groups if is_absolute(group.change.name, answer.root)})
    names = list(dict.fromkeys(each.prompt.session.harness for each in changed))
    if answer.of == "harnesses":
        return f"{files} file{'' if files == 1 else 's'} differ{'s' if files == 1 else ''}."
    if not shown:
        return "no file of yours changes a prompt; only what the programs themselves say of the folder changes."
    what = f"{files} file{'' if files == 1 else 's'}" if files else "parts"
    return f"{what} change{'s' if files == 1 else ''} what {and_list(names)} get{'s' if len(names) == 1 else ''}."


def name_of(change: Change, answer: Answer) -> str:
    """The file from the folder, or what the part is called."""
    return relative(change.name, answer.root) if is_absolute(change.name, answer.root) else change.name


def sizes_of(change: Change, answer: Answer) -> str:
    """Its tokens before and after."""
    before, after = change.tokens
    if change.status == "changed":
        return _both(before, after)
    is_new = change.status == "new"
    status = change.status
    side = status if answer.of == "revisions" else f"only {answer.after if is_new else answer.before}"
    return f"{side}, {tokens_say(after if is_new else before)}"


def _both(before: int, after: int) -> str:
    if before == after:
        return f"{tokens_say(after)}, other text"
    return f"{before:,} → {tokens_say(after)} ({after - before:+,})"


def tokens_say(number: int) -> str:
    """``12 tokens``."""
    # A part that is there has a text: without a size, nobody knows which.
    return f"{number:,} token{'' if number == 1 else 's'}" if number else UNKNOWN


def remarks(change: Change, answer: Answer) -> Iterator[str]:
    """What is lost, cut or doubled of it."""
    if change.status == "lost":
        sent = "no longer sent" if answer.of == "revisions" else "not sent"
        yield f"{sent}: {with_relative(change.why, answer.root, home())}"
    if change.cut is not None:
        yield f"cut: {with_relative(cut_says(change.cut), answer.root, home())}"
    if change.doubled:
        yield doubled_says(change)


def doubled_says(change: Change) -> str:
    """How often it is sent."""
    return f"sent {'twice' if change.doubled == 2 else f'{change.doubled} times'} in one prompt"  # noqa: PLR2004 - a word


def who_gets(group: Group, answer: Answer) -> str:
    """The harnesses, and where it is not at start, when; of two harnesses only that."""
    if answer.of == "sessions":
        return ""
    by_harness: dict[str, list[str]] = {}
    for comparison, _, is_at_start in group.among:
        session = comparison.prompt.session
        place = "" if session.cwd == answer.root else relative(session.cwd, answer.root)
        by_harness.setdefault(session.harness, []).append(place if is_at_start else ON_READ)
    if answer.of == "harnesses":
        return _when("", (place for places in by_harness.values() for place in places))
    return ", ".join(_when(harness, places) for harness, places in by_harness.items())


def _when(harness: str, places: Iterable[str]) -> str:
    known = list(dict.fromkeys(places))
    if "" in known:
        return harness
    starts = [each for each in known if each != ON_READ]
    more = f" and {len(starts) - MOST_PLACES} more" if len(starts) > MOST_PLACES else ""
    when = [ON_READ] if ON_READ in known else []
    when += [f"started in {', '.join(starts[:MOST_PLACES])}{more}"] if starts else []
    return f"{harness} ({', '.join(when)})".lstrip()


def totals_of(answer: Answer) -> Iterator[tuple[str, str, str]]:
    """Of whole prompts, at start in the folder if there are several: harness, tokens, and what is no longer cached."""
    for each in answer.comparisons:
        session = each.prompt.session
        is_shown = answer.of in ("files", "sessions") or (session.cwd == answer.root and not session.turns)
        if each.changes and is_shown:
            name = "the whole prompt" if answer.of == "harnesses" else session.harness
            before, after = each.tokens
            sizes = tokens_say(after) if before == after else _both(before, after)
            yield name, sizes, _cache(each) if answer.of in ("revisions", "sessions") else ""


def _cache(comparison: Comparison) -> str:
    cache = comparison.cache
    if cache is None:
        return ""
    place = f"message {cache.message + 1} ({comparison.prompt.messages[cache.message].role}), line {cache.line + 1:,}"
    return f"no longer cached from {place}: {tokens_say(cache.new)}"
