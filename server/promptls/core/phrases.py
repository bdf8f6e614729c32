"""What several views say in the same words: paths, tokens, limits, and a prompt in one line."""

from __future__ import annotations

from promptls.core.totals import (
    is_at_least,
    is_own_only,
    loaded_files,
    prompt_tokens,
    reported,
    total_counter,
    window_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.model import Cut, Learned, Limit, Prompt, Session, VerifiedHere
    from promptls.core.tokens import Counter


# Rules that are named of those that nobody has tried.
MOST_UNTRIED = 5


def and_list(names: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last


def short(path: str, cwd: str) -> str:
    """``path`` as it is shown: relative to ``cwd`` if it is below it."""
    below = cwd.rstrip("/") + "/"
    return path.removeprefix(below)


def limit_text(limit: Limit) -> str:
    """``1,204 of 32,768 bytes left for AGENTS.md files``, or how much is too much."""
    left = limit.most - limit.used
    if left < 0:
        return f"{-left:,} {limit.unit} over the limit of {limit.most:,} for {limit.name}"
    return f"{left:,} of {limit.most:,} {limit.unit} left for {limit.name}"


def cut_says(cut: Cut) -> str:
    """How much a limit leaves, which one, and what raises it."""
    name = cut.setting.name if cut.setting else None
    raised = f"; {name} raises it" if name and name not in cut.limit else ""
    return f"{cut.kept:,} of {cut.total:,} {cut.unit} are kept: {cut.limit}{raised}"


def summary(prompt: Prompt) -> str:
    """One line: harness, version, files, tokens, and their share of the model's window if that is known."""
    session = prompt.session
    count = total_counter(prompt)
    total = prompt_tokens(prompt, count)
    files = len(loaded_files(prompt))
    version = f" ({known})" if (known := _how_known(prompt)) else ""
    least = "own text only: " if is_own_only(prompt) else "at least " if is_at_least(prompt) else ""
    tokens = f"{least}{total_text(total, count, inherited_text(prompt))}"
    whole = window_of(prompt)
    share = f", {total / whole:.1%} of {whole:,}" if whole else ""
    loaded = f"{files} file{'' if files == 1 else 's'}"
    return f"{session.harness} {session.version}{version} · {loaded} · {tokens}{share}{_reported(prompt)}"


def _reported(prompt: Prompt) -> str:
    """What the service will report, where the user's own requests tell."""
    found = reported(prompt) if prompt.calibration is not None else None
    return f" · the service will report ~{found.tokens:,} (±{found.error:g} %)" if found is not None else ""


def _how_known(prompt: Prompt) -> str:
    """How well what is shown is known, in a few words."""
    if prompt.verified:
        return prompt.tier
    if prompt.verified_here:
        return "verified here"
    if prompt.learned:
        return f"learned here, {_holding(prompt.learned)}"
    tier = {"source": "from source, ", "documented": "documented, "}.get(prompt.tier, "")
    return f"{tier}not verified on the wire"


def verified_text(harness: str, here: VerifiedHere) -> str:
    """What ``promptls verify`` found on this machine, and when."""
    unknown = f", apart from {things_unknown(here.unknown)}" if here.unknown else ""
    without = "" if here.has_all else ", without what the folder or you let it run"
    return f"Verified here on {here.date}: the installed {harness} {here.version} sends this prompt{unknown}{without}."


def learned_lines(session: Session, learned: Learned) -> Iterator[str]:
    """What ``promptls learn`` found out on this machine, and which rules of the prompt have moved."""
    yield f"{session.harness} {session.version}, {learned_text(session.harness, learned)}."
    if learned.open:
        yield f"In {learned.open} of {learned.sessions} sessions of ours it sent something that no rule names."
    if learned.inherited:
        is_one = learned.inherited == 1
        are = "1 size here is that" if is_one else f"{learned.inherited} sizes here are those"
        yield f"{are} of {learned.base}, and marked: no session of promptls learn has {'it' if is_one else 'them'}."
    for rule in learned.untried[:MOST_UNTRIED]:
        yield f"Not tried in {session.version}, and marked where it counts: {rule}."
    if len(learned.untried) > MOST_UNTRIED:
        yield f"So are {len(learned.untried) - MOST_UNTRIED} more."
    for rule in learned.moved:
        yield f"Moved in {session.version}, and marked where it counts: {rule}."


def learned_text(harness: str, learned: Learned) -> str:
    """``learned here on 2026-11-26: 131 of 131 rules hold``, and what runs all sessions where not all were run."""
    rest = "" if learned.whole else f": “promptls learn {harness}” runs all"
    return f"learned here on {learned.date}: {_holding(learned)}{rest}"


def learned_here(learned: Learned) -> str:
    """``learned here: 130 of 131 rules hold, 1 of this prompt moved``, wherever a version is named."""
    moved = f", {len(learned.moved)} of this prompt moved" if learned.moved else ""
    return f"learned here: {learned.holds} of {learned.rules} rules hold{moved}"


def _holding(learned: Learned) -> str:
    """``27 of 27 rules hold``, how many of the prompt were not tried, and by how many sessions if not by all."""
    untried = f", {len(learned.untried)} of this prompt not tried" if learned.untried else ""
    by = "" if learned.whole else f", by {learned.sessions} of {learned.planned} sessions"
    return f"{learned.holds} of {learned.rules} rules hold{untried}{by}"


def things_unknown(count: int) -> str:
    """``2 things that the preview does not know``."""
    return "1 thing that the preview does not know" if count == 1 else f"{count} things that the preview does not know"


def tokens_text(tokens: int, count: Counter) -> str:
    """``~1,234 tokens (estimate ±5 %)``, ``~1,234 tokens (calibrated ±1.6 %)`` or ``1,234 tokens (o200k_base)``."""
    about, error = ("~", f" ±{count.error:g} %") if count.is_about else ("", "")
    return f"{about}{tokens:,} token{'' if tokens == 1 else 's'} ({count.method}{error})"


def total_text(tokens: int, count: Counter, inherited: str = "") -> str:
    """The same of a whole prompt: ``~1,234 tokens (calibrated ±1.6 %, 212 requests of yours)``."""
    known = count.calibration if count.is_about else None
    of = f", {known.requests} request{'' if known.requests == 1 else 's'} of yours" if known is not None else ""
    with_others = f", {inherited}" if inherited else ""
    return f"{tokens_text(tokens, count).removesuffix(')')}{of}{with_others})"


def inherited_text(prompt: Prompt) -> str:
    """``3 sizes of 2.1.330``: those that are not known of the version itself; "" where there are none."""
    learned = prompt.learned
    if learned is None or not learned.inherited:
        return ""
    return f"{learned.inherited} size{'' if learned.inherited == 1 else 's'} of {learned.base}"
