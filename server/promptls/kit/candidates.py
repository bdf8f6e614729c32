"""What came of each place that a harness looks at: a rule names the place, and has one method an outcome."""

from __future__ import annotations

from promptls.core.model import START, Candidate, Cut, Origin
from promptls.core.secrets import masked_url
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.files import Contents
    from promptls.core.files import State as FileState
    from promptls.core.model import CandidateState, Fault, FetchResult, Outcome, Session, Use

OUR_LIMIT = "promptls reads only the first 1 MiB of a file over 4 MiB; the harness may send all of it"


@dataclass(frozen=True, slots=True)
class Rule:
    """Why a harness looks at a place. ``origin`` is where it says so: an entry, an option, or the harness's own code.

    The ``reason`` of an outcome is a clause; "" where the rule says all there is to say.
    """

    why: str
    origin: Origin
    use: Use = "instruction"
    at: str = START

    def candidate(
        self,
        outcome: Outcome,
        path: str | None = None,
        reason: str = "",
        *,
        state: CandidateState | None = None,
        other: str | None = None,
        cut: Cut | None = None,
        faults: tuple[Fault, ...] = (),
    ) -> Candidate:
        """The candidate of any outcome; the methods below say it shorter."""
        return Candidate(
            outcome,
            self.why,
            self.origin,
            reason=reason,
            path=path,
            use=self.use,
            at=self.at,
            faults=faults,
            other=other,
            state=state,
            cut=cut,
        )

    def loaded(self, path: str | None = None, reason: str = "", *, faults: tuple[Fault, ...] = ()) -> Candidate:
        """It is in the prompt, or it counts as a configuration."""
        return self.candidate("loaded", path, reason, faults=faults)

    def read(self, path: str, contents: Contents) -> Candidate:
        """A file that is loaded, by promptls perhaps not to its end."""
        return self.cut(path, OUR_LIMIT) if contents.is_cut else self.loaded(path)

    def missing(self, path: str | None = None, reason: str = "", *, state: CandidateState | None = None) -> Candidate:
        """There is nothing."""
        return self.candidate("missing", path, reason, state=state)

    def unread(self, path: str, state: FileState, consequence: str = "") -> Candidate:
        """There is no file that can be read, but something else or nothing."""
        outcome: Outcome = "missing" if state in NOTHING else "failed"
        return self.candidate(outcome, path, f"{STATE_SAYS[state]}{consequence}", state=state)

    def failed(
        self,
        path: str | None = None,
        reason: str = "",
        *,
        state: CandidateState | None = None,
        faults: tuple[Fault, ...] = (),
        other: str | None = None,
    ) -> Candidate:
        """It is there, and the harness or promptls cannot use it."""
        return self.candidate("failed", path, reason, state=state, faults=faults, other=other)

    def empty(self, path: str | None, reason: str = "") -> Candidate:
        """It has no text."""
        return self.candidate("empty", path, reason)

    def shadowed(self, path: str | None, reason: str = "", *, by: str | None = None) -> Candidate:
        """Another file takes its turn."""
        return self.candidate("shadowed", path, reason, other=by)

    def duplicate(
        self, path: str, reason: str = "", *, of: str | None, state: CandidateState | None = None
    ) -> Candidate:
        """It is in the prompt already."""
        return self.candidate("duplicate", path, reason, other=of, state=state)

    def outside(self, path: str, reason: str = "") -> Candidate:
        """It lies where the harness does not go."""
        return self.candidate("outside", path, reason)

    def excluded(
        self,
        path: str | None = None,
        reason: str = "",
        *,
        state: CandidateState | None = None,
        other: str | None = None,
    ) -> Candidate:
        """It is left out."""
        return self.candidate("excluded", path, reason, state=state, other=other)

    def unscoped(self, path: str | None, reason: str = "") -> Candidate:
        """It is for other files or agents."""
        return self.candidate("unscoped", path, reason)

    def disabled(self, path: str | None = None, reason: str = "", *, cut: Cut | None = None) -> Candidate:
        """A setting turns it off."""
        return self.candidate("disabled", path, reason, cut=cut)

    def cut(self, path: str | None, reason: str, *, cut: Cut | None = None) -> Candidate:
        """A limit leaves a part of it."""
        return self.candidate("cut", path, reason, cut=cut)

    def dropped(
        self, path: str, reason: str = "", *, cut: Cut | None = None, state: CandidateState | None = None
    ) -> Candidate:
        """A limit leaves nothing of it."""
        return self.candidate("dropped", path, reason, cut=cut, state=state)

    def answered(self, fetched: FetchResult) -> Candidate:
        """What came of a URL."""
        outcome: Outcome = "failed"
        says = URL_SAYS.get(fetched.state, "")
        reason = f"{says} ({fetched.detail})" if fetched.detail else says
        if fetched.state == "ok":
            outcome = "cut" if fetched.truncated else "loaded"
            reason = "promptls keeps only the first 1 MiB of an answer" if fetched.truncated else ""
        elif fetched.state in ("pending", "disabled", "empty"):
            outcome = fetched.state
        shown = replace(fetched, url=masked_url(fetched.url))
        return replace(self.candidate(outcome, reason=reason), url=shown.url, fetched=shown)


def own(why: str, *, use: Use = "instruction", at: str = START) -> Rule:
    """A rule of the harness's own code, which no file or option says."""
    return Rule(why, Origin("computed", name=why), use, at)


def argument(name: str, why: str, *, use: Use = "instruction") -> Candidate:
    """An option or argument of the command line that has no effect on the prompt, and why."""
    return Rule(why, Origin("argument", name=name), use).excluded()


def not_modelled(option: str) -> Candidate:
    """An option, command or variable that may shape the prompt, in a way that promptls does not know."""
    return argument(option, f"promptls does not model {option}; the prompt is shown without it")


def left_out(
    session: Session, unknown: Iterable[str], harness: str, *, has_agents: bool = False
) -> Iterator[Candidate]:
    """The options that promptls does not know, and what has no meaning for a harness without hints and agents."""
    for option in unknown:
        yield not_modelled(option)
    if session.agent is not None:
        yield not_modelled("--agent") if has_agents else argument("--agent", f"{harness} is started without an agent")
    if session.hints:
        yield argument("--hint", f"{harness} has no hints")


def and_reason(candidate: Candidate, reason: str) -> str:
    """The reason of a candidate with another one after it."""
    return f"{candidate.reason}: {reason}" if candidate.reason else reason


NOTHING = ("missing", "broken-link")
STATE_SAYS = {
    "missing": "there is no such file",
    "broken-link": "it is a link whose target does not exist",
    "directory": "it is a directory",
    "special": "it is not a regular file, so it is not opened",
    "unreadable": "it cannot be read",
    "spared": "its text is not wanted here",
}
URL_SAYS = {
    "timeout": "it did not answer in time",
    "unreachable": "it cannot be reached",
    "status": "it did not answer with success",
    "empty": "its answer is empty",
    "refused": "it is not fetched",
    "disabled": "it is not fetched",
    "pending": "it has not answered yet",
}


def our_cut(contents: Contents) -> Cut | None:
    """The cut that our own limit on large files made, if it did."""
    return Cut(len(contents.data), contents.size, "bytes", OUR_LIMIT, is_ours=True) if contents.is_cut else None
