"""Says which session an answer is about, and what that was taken from: the user, the settings, the folder."""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.habits import NO_HABITS, Own
from promptls.core.paths import name
from promptls.core.phrases import learned_here
from promptls.core.session_line import NEWEST, Fact, SessionFacts
from promptls.core.settings import name_of, only_for
from promptls.sessions.detect import is_by_agents
from promptls.sessions.start import USUAL_MODE, Overrides, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.habits import Habits
    from promptls.core.model import Prompt
    from promptls.core.settings import Settings
    from promptls.sessions.detect import Detected

ASKED, SAID = "as it is asked for", "as the settings say"
NOBODY = "assumed, as nothing here says which program you use"
NOTHING = Overrides()


def session_facts(
    prompt: Prompt, settings: Settings, found: Sequence[Detected], habits: Habits, asked: Overrides = NOTHING
) -> SessionFacts:
    """The session of ``prompt``; ``asked`` is what somebody has asked for in place of what is known of them."""
    of = _Sources(prompt, settings, found, habits, asked)
    facts = [_program(of), _version(of), _start(of), *_further_facts(of), *_trust(of), *_records(habits)]
    return SessionFacts(tuple(facts), _assumed(of, habits))


class _Sources:
    """What a session is told from."""

    __slots__ = ("asked", "found", "last", "mine", "own", "prompt", "settings", "title")

    def __init__(
        self, prompt: Prompt, settings: Settings, found: Sequence[Detected], habits: Habits, asked: Overrides
    ) -> None:
        harness = prompt.session.harness
        self.prompt, self.settings, self.found, self.asked = prompt, settings, found, asked
        self.own, self.last = habits.of(harness) or Own(harness), habits.last
        self.title = specs.of(harness).title
        # What the settings say of this harness.
        self.mine = only_for(named(settings, found), harness)


def _program(of: _Sources) -> Fact:
    return Fact("program", of.own.harness, of.title, _why_this_harness(of))


def _why_this_harness(of: _Sources) -> str:
    own, settings = of.own, of.settings
    if settings.harness and name_of(settings.harness) == own.harness:
        return SAID
    if own.chosen:
        return "as you have chosen it"
    if own.recent is not None:
        return f"as you used it here{f' on {own.recent.day}' if own.recent.day else ''}"
    if own.command or own.home:
        seen = [f"{own.command} is on your PATH"] if own.command else []
        return "as " + " and ".join([*seen, *([f"{own.home[0]} is there"] if own.home else [])])
    evidence = next((each.evidence for each in of.found if each.name == own.harness), ())
    if evidence:
        return f"as the folder has {name(evidence[0])}"
    return SAID if any(name_of(each) == own.harness for each in settings.harnesses) else ASKED


def _version(of: _Sources) -> Fact:
    shown, own = of.prompt.session.version, of.own
    asked = harnesses.split(of.asked.harness)[1] if of.asked.harness else ""
    said = [each for each in (of.settings.harness or "", *of.settings.harnesses) if name_of(each) == own.harness]
    of_settings = next((harnesses.split(each)[1] for each in said), "")
    recorded, day = (own.recent.version, own.recent.day) if own.recent is not None else ("", "")
    # The same order as a start has.
    ways = (
        (asked, "named", ASKED),
        (of_settings, "named", SAID),
        (harnesses.split(own.chosen)[1], "chosen", "as you have chosen it"),
        (own.version, "installed", f"as {own.command} is of it"),
        (recorded, "recorded", f"as it was when you used it here on {day}"),
    )
    version, word, why = next((each for each in ways if each[0]), ("", "", ""))
    others = f", before {' and '.join(own.others)}" if own.others and word == "installed" else ""
    if not version:
        unread = f", as the version of {own.command} cannot be read" if own.command else ""
        return Fact("version", shown, f"{shown} ({NEWEST})", f"the newest that promptls knows{unread}")
    if version != shown:
        return Fact("version", shown, f"{shown} (nearest known to {version}, {word})", f"{why}: {version}{others}")
    learned = f", {learned_here(of.prompt.learned)}" if of.prompt.learned is not None else ""
    return Fact("version", shown, f"{shown} ({word}{learned})", f"{why}{others}")


def _start(of: _Sources) -> Fact:
    is_said, shown, last = of.settings.cwd is not None, of.prompt.session.cwd, of.last
    why = ASKED if of.asked.cwd is not None else SAID if is_said else "as that is the folder in question"
    if last is not None and last.cwd == shown and why not in (ASKED, SAID):
        why = f"as you last started {specs.of(last.harness).title} there{f', on {last.day}' if last.day else ''}"
    elif last is not None and last.cwd != shown:
        why += f"; you last started {specs.of(last.harness).title} in {last.cwd}"
    return Fact("start", shown, "", why)


def _further_facts(of: _Sources) -> Iterator[Fact]:
    session, last = of.prompt.session, of.own.recent
    used = f"as you used it here on {last.day}" if last is not None else ""
    word = specs.of(of.own.harness).prints
    if session.editor:
        yield Fact("interactive", value=False, says="in an editor", source=ASKED if of.asked.editor else used)
    elif session.interactive or word:
        says = "interactive" if session.interactive else word
        usual = "as people start it" if session.interactive else "as promptls models it"
        given = of.asked.interactive is not None
        remembered = last is not None and last.interactive is session.interactive
        yield Fact("interactive", bool(session.interactive), says, ASKED if given else used if remembered else usual)
    if session.mode is not None:
        is_asked = of.asked.mode is not None
        # What goes without saying is a fact, and not part of the line.
        says = f"mode {session.mode}" if is_asked or session.mode != USUAL_MODE else ""
        yield Fact("mode", session.mode, says, ASKED if is_asked else used)
    elif last is not None and last.mode is not None and of.asked.mode is None and not of.asked.is_given:
        is_shown = bool(last.mode_args) and session.args == last.mode_args
        if is_shown or (last.mode != USUAL_MODE and not last.mode_args):
            yield Fact("mode", last.mode, f"mode {last.mode}{'' if is_shown else ', which is not modelled'}", used)
    ways = (
        ("model", of.prompt.model, of.asked.model, of.mine.model, last.model if last is not None else None),
        ("agent", of.prompt.agent, of.asked.agent, of.mine.agent, last.agent if last is not None else None),
    )
    for kind, shown, asked, said, recorded in ways:
        if shown is not None:
            is_model = kind == "model"
            is_used = recorded and (is_model or recorded == shown)
            why = ASKED if asked else SAID if said else used if is_used else "as the program would choose it"
            yield Fact("model" if is_model else "agent", shown, shown if is_model else f"agent {shown}", why)


def _trust(of: _Sources) -> Iterator[Fact]:
    """That some of it waits until the user trusts the folder, and what is sent until then."""
    if harnesses.waits_for_trust(of.prompt):
        from promptls.core.uses import ONCE_TRUSTED  # noqa: PLC0415 - in few folders something waits

        yield Fact("trust", False, ONCE_TRUSTED, f"until then, {specs.of(of.own.harness).until_trusted}")


def _records(habits: Habits) -> Iterator[Fact]:
    """What of the records could not be read, so that the user may have another session than is shown."""
    if habits.unread:
        first, *more = habits.unread
        others = f", and {len(more)} more" if more else ""
        yield Fact("records", None, f"{first.rstrip('.')}{others}", "as they say how you last started it")


def _knows_nobody(habits: Habits) -> bool:
    """Whether the user was looked for, and nothing of them was found."""
    return habits is not NO_HABITS and not habits.off and not habits.own


def _assumed(of: _Sources, habits: Habits) -> str:
    """What nothing says: which program it is, or which one of several."""
    detected = next((each for each in of.found if each.name == of.own.harness), None)
    is_said = of.asked.harness or of.settings.harness is not None or of.settings.harnesses
    if habits is NO_HABITS:  # of a team: the folder says it
        return ""
    if not is_said and (detected is None or (is_by_agents(detected) and not habits.own)):
        return NOBODY
    if not is_said and detected is not None and detected.evidence and _knows_nobody(habits):
        return f"assumed, as the folder has {name(detected.evidence[0])}"
    if of.own.recent is not None and of.own.is_gone and not is_said and any(each.command for each in habits.own):
        return "assumed, as you used it here last, though it is not on your PATH"
    others = [specs.of(each.harness).title for each in habits.own if each.harness != of.own.harness]
    if habits.is_clear or not others or of.asked.harness or of.settings.harness:
        return ""
    return f"assumed, as you have {others[0] if len(others) == 1 else f'{len(others)} other programs'} too"
