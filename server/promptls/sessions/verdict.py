"""Does my program get this file? One sentence for each, the same in every view.

``TITLE: no. You start at the root; start in sdk/, or move it to AGENTS.md.`` Sentences hold absolute paths, which a
view shows as short as it can.
"""

from __future__ import annotations

from promptls.core import specs
from promptls.core.model import START
from promptls.core.paths import is_hidden, parent
from promptls.core.phrases import cut_says
from promptls.core.uses import ONCE_TRUSTED, WORDS, listed
from promptls.core.values import dataclass, field
from promptls.sessions.explanation import UNSHOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal

    from promptls.core.model import Fix
    from promptls.sessions.explanation import Explanation, Use

    # ``part``: some of it. ``later``: not by itself, but when it is asked for. ``?``: nobody knows.
    Answer = Literal["yes", "part", "no", "later", "?"]

WORD: Mapping[Answer, str] = {"yes": "yes", "part": "in part", "no": "no", "later": "only when asked for", "?": "?"}


@dataclass(frozen=True, slots=True)
class Asked:
    """The file that a verdict is about, where its reader starts, and the top of the folder.

    ``has_lines``: some lines of it are meant.
    """

    path: str
    start: str
    root: str
    has_lines: bool = False


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change that works: ``says`` what to do, in the imperative; ``fix`` does it, None where no editor can.

    ``links``: the link that is made, by its path.
    """

    says: str
    fix: Fix | None
    links: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What some programs do with a file, by name: the answer, and what else there is to say in a clause or sentence.

    ``start``: the directory in which a session gets it, where the reader's start does not; ``remedy``: a change after
    which it does, which was tried in memory.
    """

    harnesses: tuple[str, ...]
    answer: Answer
    says: str
    start: str | None = None
    remedy: Remedy | None = None

    @property
    def who(self) -> str:
        """The programs, by their titles."""
        return ", ".join(specs.of(each).title for each in self.harnesses)

    @property
    def line(self) -> str:
        """The whole sentence."""
        return f"{self.who}: {self.clause}"

    @property
    def clause(self) -> str:
        """The same without the programs."""
        joint = ". " if self.answer == "no" else ": " if self.answer in ("later", "?") else ", "
        advice = [f"start in {self.start}/"] if self.start else []
        advice += [self.remedy.says] if self.remedy else []
        rest = ", or ".join(advice)
        ends = f"; {rest}" if rest and self.start else f"; you can {rest}" if rest else ""
        return f"{WORD[self.answer]}{joint}{self.says}{ends}."

    def json(self) -> dict[str, Any]:
        """As JSON; keys are stable."""
        return {
            "harnesses": list(self.harnesses),
            "answer": self.answer,
            "says": self.clause,
            "start": self.start,
            "remedy": self.remedy.says if self.remedy else None,
        }


def verdicts(
    explained: Iterable[Explanation], asked: Asked, remedies: Mapping[str, Remedy] | None = None
) -> list[Verdict]:
    """One for each harness, in order; those that cannot know the file share the last one.

    ``remedies``: what was tried for a harness, by its name.
    """
    every = list(explained)
    strangers = tuple(each.harness for each in every if is_stranger(each))
    found = [_verdict(each, asked, (remedies or {}).get(each.harness)) for each in every if not is_stranger(each)]
    if strangers:
        who = "it does" if len(strangers) == 1 else "they do"
        remedy = next((remedies[each] for each in strangers if remedies and each in remedies), None)
        says = f"{who.capitalize()} not look for a file of this name here"
        found.append(Verdict(strangers, "no", says, remedy=remedy if len(strangers) == 1 else None))
    return found


def is_stranger(found: Explanation) -> bool:
    """Whether the harness does not look at a file of this name in this place."""
    return found.is_unknown and not found.uses


def needs_remedy(found: Explanation, asked: Asked) -> bool:
    """Whether a session of the reader's goes without the file, though nothing was meant so."""
    is_sent = any(_is_usual(use, asked) for use in found.uses)
    meant = found.outcome in ("disabled", "failed", "unscoped", "duplicate", "empty", UNSHOWN) or found.is_read
    return not is_sent and not meant and not found.is_fault


def _verdict(found: Explanation, asked: Asked, remedy: Remedy | None) -> Verdict:
    name = (found.harness,)
    if found.is_fault:
        return Verdict(name, "?", found.reason.rstrip("."))
    usual = [use for use in found.uses if _is_usual(use, asked)]
    sent = [use for use in usual if use.lines or not asked.has_lines]
    if sent:
        return _sent(name, found, sent, asked)
    if asked.has_lines and found.left_out and (usual or not found.uses):
        piece = found.left_out[0]
        is_later = piece.reason in ("later", "import")
        why = f"beyond a limit: {cut_says(piece.cut)}" if piece.cut is not None else piece.why
        return Verdict(name, "later" if is_later else "no", _sentence(why) if not is_later else why)
    if asked.has_lines and usual:
        return Verdict(name, "no", "These lines are blank")
    if found.is_named:
        says = f"Only its path is sent, {_on_reading(asked)}, and the model has to read it"
        return Verdict(name, "no", says, start=found.uses[0].cwd if found.uses else None)
    if found.uses:
        where = "at the root" if asked.start == asked.root else f"in {asked.start}"
        return Verdict(name, "no", f"You start {where}", start=found.uses[0].cwd, remedy=remedy)
    return _not_sent(name, found, remedy)


def _is_usual(use: Use, asked: Asked) -> bool:
    """Whether a session that starts where the reader does has this use."""
    return use.cwd == asked.start


def _sent(name: tuple[str, ...], found: Explanation, sent: Sequence[Use], asked: Asked) -> Verdict:
    first = sent[0]
    words = WORDS.get(first.used_as)
    parts = [" ".join(filter(None, (listed(first.used_as) if words else "", _when(first, asked))))]
    # Where nobody has seen a request, lines count for nothing.
    if first.at == START and asked.has_lines and found.tier != "documented":
        parts.append(_place(first))
    parts += [f"as {first.why}"] if first.why.endswith("imports it") else []
    parts += [first.by] if first.by else []
    parts += [ONCE_TRUSTED] if first.once_trusted else []
    parts += ["by its documentation"] if found.tier == "documented" else []
    says = ", ".join(filter(None, parts)) + (f"; {words.later}" if words else "")
    is_cut = first.cut is not None and not asked.has_lines
    is_part = is_cut or (asked.has_lines and bool(found.left_out))
    limit = f": {cut_says(first.cut)}" if is_cut and first.cut is not None else ""
    is_gone = first.after_compaction.startswith("gone")
    later = f"; after a compaction {first.after_compaction}" if is_gone else ""
    return Verdict(name, "part" if is_part else "yes", says + later + limit)


def _when(use: Use, asked: Asked) -> str:
    if use.at == START:
        return "at the start"
    if use.scope:
        return f"on reading a file that {use.scope} matches"
    return _on_reading(asked)


def _on_reading(asked: Asked) -> str:
    folders = parent(asked.path).split("/")
    at = next((at for at, each in enumerate(folders) if is_hidden(each)), len(folders))
    folder = "/".join(folders[:at])
    return f"on reading a file in {'the root' if folder == asked.root else f'{folder}/'}"


def _place(use: Use) -> str:
    lines = [
        f"line {first + 1:,}" if first == last else f"lines {first + 1:,}-{last + 1:,}" for first, last in use.lines
    ]
    return f"in {' and again '.join(lines)} of message {use.message + 1}"


def _not_sent(name: tuple[str, ...], found: Explanation, remedy: Remedy | None) -> Verdict:
    words = WORDS.get(found.used_as)
    trusted = f", {ONCE_TRUSTED}" if found.once_trusted else ""
    if found.outcome == UNSHOWN:
        return Verdict(name, "?", f"it reads this file, and {found.reason}; promptls does not show that yet")
    if found.is_read and words is not None:
        return Verdict(name, "yes", f"{words.offered}{trusted}; {words.later}")
    if found.is_read and found.used_as == "config":
        return Verdict(name, "yes", f"{listed(found.used_as)}{trusted}; its text is not sent")
    if found.outcome == "unscoped":
        return Verdict(name, "later", found.why)
    if found.outcome == "failed" and found.reason:
        return Verdict(
            name,
            "no",
            f"It sends nothing here: {found.reason}" if found.rule.endswith("nothing here") else _sentence(found.why),
        )
    says = f"It takes {found.other} instead" if found.other and found.outcome == "shadowed" else _sentence(found.why)
    return Verdict(name, "no", says, remedy=remedy)


def _sentence(clause: str) -> str:
    return clause[:1].upper() + clause[1:].rstrip(".")
