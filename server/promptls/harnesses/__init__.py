"""Every harness by name, and ``preview``: one folder a harness, over shared pieces, imported when it is needed."""

from __future__ import annotations

from promptls.core import specs
from promptls.core.model import USED, Session
from promptls.core.spec import Spec
from promptls.core.values import replace
from promptls.errors import PromptlsError, UsageError, was_interrupted
from promptls.harnesses import catalogue
from promptls.harnesses.known_texts import with_calibration, with_known_texts
from promptls.kit.masked import without_secrets
from promptls.kit.paths import is_below, resolve
from promptls.kit.versions import choose, given

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from promptls.core.host import Host
    from promptls.core.model import Call, Candidate, Prompt, Turn
    from promptls.harnesses.learned import Row
    from promptls.kit.base import Harness, Version

# Harnesses of other packages, which come in by the entry-point group promptls.harnesses (see workspace/machine.py).
_registered: dict[str, Harness] = {}
AGENTS = "AGENTS.md"
# Uses of a file whose text is sent as it is.
TEXTS = ("instruction", "prompt", "template")


def names() -> tuple[str, ...]:
    """The names of all harnesses, in order."""
    return specs.names()


def fallback() -> str:
    """What AGENTS.md alone, or nothing at all, is previewed as."""
    return next((each for each in names() if specs.detection(each).is_fallback), names()[0])


def read_agents() -> tuple[str, ...]:
    """The harnesses that AGENTS.md alone counts for: those that are widely used and read it."""
    return tuple(each for each in names() if specs.detection(each).counts_for_agents)


def offered(used: Iterable[str]) -> tuple[str, ...]:
    """The names to show where the harnesses ``used`` are in use or named: rare ones only if they are."""
    wanted = set(used)
    return tuple(each for each in names() if not specs.detection(each).is_rare or each in wanted)


ONLY_DOCUMENTED = "“promptls harnesses --all” says what it reads by its documentation."


def register(harness: Harness) -> None:
    """Add a harness, or put another one in the place of a name that is known."""
    _registered[harness.name] = harness
    specs.add(harness.name, lambda: harness.spec or Spec(harness.name, harness.title, evidence=harness.evidence))


def get(name: str) -> Harness:
    """The harness called ``name``, or that has this alias.

    Raises:
        UsageError: there is none.
    """
    name = specs.canonical(name)
    if name in _registered:
        return _registered[name]
    if name not in catalogue.FOLDERS:
        from promptls.core.near import TYPED, near  # noqa: PLC0415 - only when something is wrong
        from promptls.harnesses.documented import PROGRAMS  # noqa: PLC0415 - the same

        if (known := next((each.title for each in PROGRAMS if each.name == name), None)) is not None:
            raise UsageError(f"promptls has no preview of {known}; {ONLY_DOCUMENTED}")
        meant = near(name, [*names(), *(alias for each in names() for alias in specs.detection(each).aliases)], TYPED)
        advice = f"did you mean {meant}?" if meant else f"choose one of {', '.join(names())}."
        raise UsageError(f"There is no harness {name!r}; {advice}")
    return catalogue.harness(name)


def every() -> list[Harness]:
    """All harnesses, in order."""
    return [get(name) for name in names()]


def describe() -> list[dict[str, Any]]:
    """Every harness as JSON: name, title, versions and what it loads; its tier is that of its default version."""
    return [
        {
            "name": harness.name,
            "title": harness.title,
            "tier": harness.versions[0].tier,
            "versions": [
                {"version": v.name, "verified": v.verified, "tier": v.tier, "note": v.note} for v in harness.versions
            ],
            "loads": list(harness.loads),
        }
        for harness in every()
    ]


def version(harness: Harness, name: str) -> Version:
    """The version that is shown for ``name``: itself, the default one for "", else the nearest one that is known.

    Raises:
        UsageError: ``name`` is neither a version of this harness nor a number that compares with one.
    """
    return _chosen(harness, name)[0]


def _chosen(harness: Harness, name: str) -> tuple[Version, str]:
    """The version for ``name``, and what it is among the known ones where ``name`` is not known."""
    found = choose(harness.versions, name)
    if found is None:
        known_ones = ", ".join(known.name for known in harness.versions)
        raise UsageError(f"{harness.title} {name!r} is not a known version; choose one of {known_ones}.")
    return found


def split(text: str) -> tuple[str, str]:
    """``harness@version`` as two strings; the version is "" if none is named. An alias becomes the full name."""
    name, _, number = specs.canonical(text).partition("@")
    return name, number


def preview(session: Session, host: Host) -> Prompt:
    """What the session's harness sends: a pure function of what it can see through ``host``.

    Where the harness raises, the prompt says so (``Prompt.is_fault``).

    Raises:
        UsageError: the session names a harness or version that does not exist.
    """
    harness = get(session.harness)
    known, which = _chosen(harness, session.version)
    try:
        return _preview(session, host, harness, known, which)
    except Exception as error:
        if isinstance(error, PromptlsError) or was_interrupted(error):
            raise
        from promptls.harnesses.faults import faulty  # noqa: PLC0415 - only when something is wrong

        asked = replace(session, harness=harness.name, version=known.name)
        return faulty(asked, harness.title, error, getattr(harness.preview, "__module__", ""))


def _preview(session: Session, host: Host, harness: Harness, known: Version, which: str) -> Prompt:
    other = session.version if which else None
    tier, learned = known.tier, _learned(host, harness, other or known.name)
    if learned is not None:
        known, other = learned.version, None
    asked = replace(
        session,
        harness=harness.name,
        version=known.name,
        turns=tuple(_placed(turn, session.cwd) for turn in session.turns),
        folders=tuple(resolve(session.cwd, folder) for folder in session.folders),
    )
    modelled, unmodelled = _modelled(asked, harness)
    piped, notes = _with_piped(modelled, harness)
    with given({} if learned is None else {learned.version.name: learned.row}):
        made = harness.preview(piped, host)
    prompt = with_known_texts(host, without_secrets(_once(host, made)), other or known.name)
    if learned is not None:
        prompt = learned.with_marks(prompt)
    if modelled.has_later:
        prompt = _without_gone(prompt, harness)
    is_verified = prompt.verified and known.verified
    prompt = replace(prompt, tier=tier, verified=is_verified, notes=(*prompt.notes, *_of_agent(prompt, session.agent)))
    prompt = with_calibration(host, prompt)
    if piped is not asked:
        prompt = replace(prompt, session=replace(prompt.session, **_as_asked(asked)))
    if other is not None:
        the = "the version" if which == "only" else f"the {which} version"
        notes.append(f"{harness.title} {other} is not known; this is what {known.name} sends, {the} that is known.")
        prompt = replace(prompt, other_version=other)
    notes += unmodelled
    prompt = _with_trust(prompt, harness)
    if host.platform == "win32":
        notes.append(f"Not verified on Windows: no session of {harness.title} has been captured there.")
    return replace(prompt, notes=(*notes, *prompt.notes), verified=False) if notes else prompt


def _learned(host: Host, harness: Harness, version: str) -> Row | None:
    """What was learned of a version on this machine."""
    if harness.name not in catalogue.FOLDERS or not version[:1].isdigit() or "/" in version:
        return None
    data = host.learned(f"{harness.name}@{version}.json")
    if data is None:
        return None
    from promptls.harnesses.learned import parsed  # noqa: PLC0415 - few have learned anything

    return parsed(data, harness.name, version)


def _modelled(session: Session, harness: Harness) -> tuple[Session, list[str]]:
    """The session with what the harness's rules know of its later life, and what to know of the rest."""
    if not session.has_later:
        return session, []
    from promptls.core.later import without_unknown  # noqa: PLC0415 - most sessions have no later life

    return without_unknown(session, specs.of(harness.name))


def _without_gone(prompt: Prompt, harness: Harness) -> Prompt:
    from promptls.core.later import with_gone  # noqa: PLC0415 - most sessions have no later life

    return with_gone(prompt, specs.of(harness.name))


def _of_agent(prompt: Prompt, asked: str | None) -> tuple[str, ...]:
    """That an agent which is asked for is not the one that another agent starts, where there is such a thing."""
    spec = specs.of(prompt.session.harness)
    if asked is None or spec.delegation is None:
        return ()
    from shlex import quote  # noqa: PLC0415 - few sessions name an agent

    flag = f"--subagent {quote(asked)}"
    if not spec.has_agents:
        return (f"{spec.title} starts no main session with an agent; what a sub-agent gets: {flag}.",)
    is_said = prompt.stopped is not None or any(repr(asked) in each for each in prompt.notes)
    if prompt.agent != asked or is_said:
        return ()
    return (f"This is a main session with the agent {asked}. As a sub-agent it gets another prompt: {flag}.",)


def _as_asked(session: Session) -> dict[str, Any]:
    """The fields of a session that are shown as they were asked for, whatever is known of them."""
    return {name: getattr(session, name) for name in ("turns", "interactive", "editor", "mode", "request")}


def _with_piped(session: Session, harness: Harness) -> tuple[Session, list[str]]:
    """The session with each prompt as it is sent with what is piped to the program, and what to know of it.

    An empty input adds nothing: that is what programs get that are started without one.
    """
    if not any(turn.stdin for turn in session.turns):
        return session, []
    form = specs.of(harness.name).piped
    is_known = all(not turn.stdin or (turn.prompt is not None and form) for turn in session.turns)
    says = f"promptls does not know where {harness.title} puts what is piped to it without a prompt, and leaves it out."
    notes = [] if is_known else [says if form else says.replace(" without a prompt", "")]
    return replace(session, turns=tuple(_piped(turn, form) for turn in session.turns)), notes


def _piped(turn: Turn, form: str) -> Turn:
    if not turn.stdin or turn.prompt is None or not form:
        return turn
    return replace(turn, prompt=form.format(prompt=turn.prompt, stdin=turn.stdin, line=turn.stdin.removesuffix("\n")))


def _placed(turn: Turn, cwd: str) -> Turn:
    """The turn with its paths absolute."""
    return replace(
        turn,
        attached=tuple(resolve(cwd, path) for path in turn.attached),
        open=tuple(replace(each, path=resolve(cwd, each.path)) for each in turn.open),
        steps=_placed_steps(turn.steps, cwd),
    )


def _placed_steps(steps: tuple[tuple[Call, ...], ...], cwd: str) -> tuple[tuple[Call, ...], ...]:
    return tuple(tuple(_placed_call(call, cwd) for call in step) for step in steps)


def _placed_call(call: Call, cwd: str) -> Call:
    read = resolve(cwd, call.read) if call.read is not None else None
    steps = _placed_steps(call.steps, cwd) if call.steps else call.steps
    return call if (read, steps) == (call.read, call.steps) else replace(call, read=read, steps=steps)


def waits_for_trust(prompt: Prompt) -> bool:
    """Whether something in the prompt counts only once the user trusts the folder."""
    spec = specs.of(prompt.session.harness)
    if not (spec.until_trusted and prompt.once_trusted):
        return False
    used = [each.path for each in prompt.candidates if each.path is not None and each.outcome in USED]
    return spec.own_text_waits or any(is_below(path, each) for each in prompt.once_trusted for path in used)


def _with_trust(prompt: Prompt, harness: Harness) -> Prompt:
    """The prompt with a note, if something in it counts only once the user trusts the folder."""
    spec = specs.of(harness.name)
    if not waits_for_trust(prompt):
        return prompt
    from promptls.core.uses import ONCE_TRUSTED  # noqa: PLC0415 - in few folders something waits

    says = f"This is what {harness.title} sends {ONCE_TRUSTED}; until then, {spec.until_trusted}."
    return replace(prompt, notes=(says, *prompt.notes))


def _once(host: Host, prompt: Prompt) -> Prompt:
    """The prompt without a text that another one hides and that is, by links, a file that is loaded.

    Of skills and the like, which may be many, another one of the same name is reported as it is.
    """
    if all(each.outcome != "shadowed" for each in prompt.candidates):
        return prompt
    loaded = [each.path for each in prompt.candidates if each.outcome in ("loaded", "cut") and each.use in TEXTS]

    def seen(candidate: Candidate) -> Candidate:
        path = candidate.path if candidate.outcome == "shadowed" and candidate.use in TEXTS else None
        others = (each for each in loaded if each is not None and each != path)
        same = next((each for each in others if host.is_same(each, path)), None) if path else None
        if same is None:
            return candidate
        rule = f"it is the same file as {same}, which is loaded"
        return replace(candidate, outcome="duplicate", rule=rule, reason="", other=same)

    return replace(prompt, candidates=tuple(map(seen, prompt.candidates)))
