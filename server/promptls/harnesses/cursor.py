"""Cursor: from its documentation only, never seen on the wire.

Which rules apply is documented; in which message they stand, in which order and wrapper, is not: placeholders stand
there. What only third parties say is named as that.
"""

from __future__ import annotations

from promptls.core.model import START, Candidate, Elided, Origin, Segment
from promptls.core.values import dataclass
from promptls.harnesses import scopes
from promptls.harnesses.base import Draft, Harness, Version, elided, look_for_text
from promptls.harnesses.globs import match
from promptls.harnesses.mentions import mentions
from promptls.harnesses.paths import is_below, join, name, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.harnesses.base import Found

RULES = ".cursor/rules"
AGENTS = "AGENTS.md"
LEGACY = ".cursorrules"

WHY_ALWAYS = "alwaysApply is true, so the rule is in every chat"
WHY_GLOBS = "its globs match a file that is in context"
WHY_LISTED = "it has a description and no globs: only the description is sent, and the model decides"
WHY_MANUAL = "it has neither alwaysApply, globs nor a description: it is sent only where one names it with @"
WHY_AGENTS = "Cursor reads AGENTS.md of the workspace and, by third parties, of the directories of a file in context"
WHY_LEGACY = "Cursor still reads the legacy .cursorrules of the workspace"
WHY_FRAME = "how Cursor wraps a rule is not documented"

NOTES = (
    "Documented, not verified: no file says which rules Cursor sent in a request.",
    "Rules stand at the start of the model's context; in which message, order and wrapper is not documented.",
    "The dialect of globs is not documented; a pattern is held against the path below the rule's folder, and the name.",
)


def preview(session: Session, host: Host) -> Prompt:
    """What Cursor is documented to send for a chat in the workspace ``session.cwd``."""
    draft = Draft(session)
    draft.notes += NOTES
    root = host.realpath(session.cwd)
    cursor = Cursor(draft, host, root)
    rules = list(cursor.rules(root))
    start = [*_always(cursor, rules), *_plain(cursor), *_listed(cursor, rules)]
    if start:
        start.insert(0, elided("instructions", "Cursor", "place and order of the rules", why=NOTES[1]))
    draft.say("user", start, index=0)
    _reads(cursor, rules)
    _name_manual(cursor, rules)
    _name_not_modelled(draft)
    return draft.prompt(model=session.model, agent=session.agent)


@dataclass(frozen=True, slots=True)
class Rule:
    """A project rule. ``folder`` holds the .cursor directory; the rule is meant for what is below it."""

    path: str
    folder: str
    found: Found
    header: scopes.Header

    @property
    def globs(self) -> tuple[str, ...]:
        """Its patterns: a text with commas, or a list."""
        return self.header.patterns("globs")

    def origin(self, key: str) -> Origin:
        """The value that decides over the rule."""
        name_ = self.header.word(key) or key
        return Origin("config", path=self.path, range=self.header.range(key), name=name_)


class Cursor:
    """What every part of the search needs, and the rules that were looked at."""

    def __init__(self, draft: Draft, host: Host, root: str) -> None:
        """Begin in the workspace ``root``."""
        self.draft = draft
        self.host = host
        self.root = root
        self.sent: set[str] = set()

    def rules(self, folder: str, at: str = START) -> Iterator[Rule]:
        """The rules of a folder's own .cursor/rules, by path; only names that end in .mdc are rules."""
        place = join(folder, RULES)
        if self.host.kind(place) != "directory":
            why = "Cursor looks for rules here"
            self.draft.candidates.append(Candidate("missing", why, Origin("computed", name=why), path=place, at=at))
            return
        for path in sorted(match(self.host, "**/*", place, dot=True).paths):
            why = "Cursor reads the rules of a project"
            origin = Origin("computed", name=why)
            if not path.endswith(".mdc"):
                says = "a rule's name must end in .mdc, so Cursor ignores it"
                self.draft.candidates.append(Candidate("excluded", says, origin, path=path, at=at))
                continue
            found = look_for_text(self.host, path, why=why, origin=origin, keep_bom=False, at=at)
            if found.text:
                yield Rule(path, folder, found, scopes.header(found.text))
            else:
                self.draft.candidates.append(found.candidate)

    def send(self, path: str, found: Found, why: str, origin: Origin, at: str = START) -> list[Segment]:
        """A rule's text in a wrapper that is not known. Whether its front matter is sent is not known either."""
        self.draft.candidates.append(Candidate("cut" if found.cut else "loaded", why, origin, path=path, at=at))
        self.sent.add(path)
        for mention in mentions(found.text):
            target = resolve(parent(path), mention.target)
            if mention.is_path:
                says = "third parties say that Cursor pulls in an @file of a rule; it is not added here"
                named = Origin("argument", path=path, name=f"@{mention.target}")
                self.draft.candidates.append(Candidate("excluded", says, named, path=target, at=at))
        wrapper = elided("instructions", "Cursor", f"wrapper of {path}", why=WHY_FRAME)
        return [wrapper, Segment("instructions", path, found.text, found.origin, why, cut=found.cut)]

    def plain(self, path: str, why: str, at: str = START) -> list[Segment]:
        """A file without front matter that is sent as it is."""
        origin = Origin("computed", name=why)
        found = look_for_text(self.host, path, why=why, origin=origin, keep_bom=False, at=at)
        if not found.text:
            self.draft.candidates.append(found.candidate)
            return []
        return self.send(path, found, why, origin, at)


def _always(cursor: Cursor, rules: list[Rule], at: str = START) -> Iterator[Segment]:
    for rule in rules:
        if rule.header.is_true("alwaysApply"):
            yield from cursor.send(rule.path, rule.found, WHY_ALWAYS, rule.origin("alwaysApply"), at)


def _plain(cursor: Cursor) -> Iterator[Segment]:
    yield from cursor.plain(join(cursor.root, AGENTS), WHY_AGENTS)
    yield from cursor.plain(join(cursor.root, LEGACY), WHY_LEGACY)


def _is_listed(rule: Rule) -> bool:
    return not rule.header.is_true("alwaysApply") and not rule.globs and bool(rule.header.word("description"))


def _listed(cursor: Cursor, rules: list[Rule], at: str = START) -> Iterator[Segment]:
    """Rules that the model may ask for: their descriptions only."""
    for rule in rules:
        if _is_listed(rule):
            origin = rule.origin("description")
            cursor.draft.candidates.append(Candidate("unscoped", WHY_LISTED, origin, path=rule.path, at=at))
            title = f"row for {name(rule.path)}"
            text = f"⟪row that describes {rule.path}: not reproduced⟫"
            where = Origin("computed", name=rule.path)
            yield Segment("instructions", title, text, where, WHY_LISTED, elided=Elided(title))


def _reads(cursor: Cursor, rules: list[Rule]) -> None:
    """What a file in context brings: rules with matching globs, and the rules and AGENTS.md of its directories."""
    known = {cursor.root: rules}
    for index, read in enumerate(cursor.draft.session.reads, 1):
        at = f"read:{read}"
        if not is_below(read, cursor.root):
            continue
        parts: list[Segment] = []
        for folder in reversed(list(upwards(parent(read), cursor.root))):
            if folder not in known:
                known[folder] = list(cursor.rules(folder, at))
                parts += [*_always(cursor, known[folder], at), *_listed(cursor, known[folder], at)]
                parts += cursor.plain(join(folder, AGENTS), WHY_AGENTS, at)
            for rule in known[folder]:
                pattern = scopes.first_match(rule.globs, read, folder, scopes.CURSOR)
                if pattern is not None and rule.path not in cursor.sent:
                    parts += cursor.send(rule.path, rule.found, f"{WHY_GLOBS}: {pattern}", rule.origin("globs"), at)
        if parts:
            parts.insert(0, elided("instructions", "Cursor", "place and order of the rules", why=NOTES[1]))
        cursor.draft.say("user", parts, index=index, at=at)


def _name_manual(cursor: Cursor, rules: list[Rule]) -> None:
    """The workspace's rules that nothing has brought, and why."""
    for rule in rules:
        if rule.path in cursor.sent or _is_listed(rule):
            continue
        why = "its globs match no file in context" if rule.globs else WHY_MANUAL
        key = "globs" if rule.globs else "alwaysApply"
        if rule.header.word("alwaysApply") == "true":
            why = f"“true” in quotes is a text and not true, say third parties; and {why}"
        cursor.draft.candidates.append(Candidate("unscoped", why, rule.origin(key), path=rule.path))


def _name_not_modelled(draft: Draft) -> None:
    for kind, place in (("User rules", "Cursor's settings"), ("Team rules", "a dashboard")):
        why = f"{kind} are kept in {place}, which promptls cannot see"
        draft.candidates.append(Candidate("excluded", why, Origin("argument", name=kind)))
    for option in draft.session.args:
        why = f"promptls does not model the option {option}; the prompt is shown as without it"
        draft.candidates.append(Candidate("excluded", why, Origin("argument", name=option)))


HARNESS = Harness(
    name="cursor",
    title="Cursor",
    versions=(Version("documented", note="documented, not verified"),),
    evidence=(".cursor", ".cursorrules"),
    preview=preview,
    loads=(
        "Rules of .cursor/rules/*.mdc with alwaysApply: true",
        "AGENTS.md and the legacy .cursorrules of the workspace",
        "The descriptions of rules without globs",
        "For a file in context: rules whose globs match it, and the rules and AGENTS.md of its directories",
    ),
)
