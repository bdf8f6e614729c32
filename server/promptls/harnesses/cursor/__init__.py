"""Cursor: from its documentation only, never seen on the wire.

Which rules apply is documented (cursor.com/docs/rules), and where skills are (cursor.com/docs/skills, which lists
.agents/skills and .cursor/skills of the project and of the home directory, and for compatibility those of .claude and
.codex). In which message they are, in which order and wrapper, is not: placeholders are there. What only third parties
say is named as that.
"""

from __future__ import annotations

from promptls.core.formats.header import header
from promptls.core.glob_index import Rules
from promptls.core.model import COMPUTED, START, Elided, Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.cursor.spec import SPEC
from promptls.harnesses.cursor.versions import ROWS
from promptls.kit import scopes
from promptls.kit.base import described
from promptls.kit.candidates import Rule, argument, not_modelled, own
from promptls.kit.draft import Draft, look_for_text
from promptls.kit.globs import match
from promptls.kit.mentions import mentions
from promptls.kit.named import skills_in
from promptls.kit.paths import is_below, join, name, parent, resolve, upwards
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Prompt, Session
    from promptls.kit.draft import Found

RULES = ".cursor/rules"
AGENTS = "AGENTS.md"
LEGACY = ".cursorrules"
# Not documented; this is the reading under which the documentation's own examples match.
DIALECT = scopes.Dialect(or_name=True)

WHY_ALWAYS = "alwaysApply is true, so the rule is in every chat"
WHY_GLOBS = "its globs match a file that is in context"
WHY_LISTED = "it has a description and no globs: only the description is sent, and the model decides"
WHY_MANUAL = "it has neither alwaysApply, globs nor a description: it is sent only if the user names it with @"
WHY_AGENTS = "Cursor reads AGENTS.md of the workspace and, by third parties, of the directories of a file in context"
WHY_LEGACY = "Cursor still reads the legacy .cursorrules of the workspace"
WHY_FOLDER = "Cursor 2.2 announced rules as folders with a RULE.md; whether it reads this one was not seen"
WHY_SKILLS = "Cursor presents the skills that it finds to the model, which reads one when it needs it"
WHY_SHORT = "its documentation asks for a name and a description, and does not say what comes of a skill without"
WHY_BY_HAND = "disable-model-invocation is true, so only the user can call the skill"
SKILLS = tuple(f"{each}/skills" for each in (".agents", ".cursor", ".claude", ".codex"))
WHY_FRAME = "how Cursor wraps a rule is not documented"

NOTES = (
    "Documented, not verified: no file says which rules Cursor sent in a request.",
    "What Cursor itself sends, its tools too, is not known: sizes are those of your own text.",
    "Rules are at the start of the model's context; the message, order and wrapper are not documented.",
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
    draft.add_message("user", [*start, *_skills(draft, host, root)], index=0)
    _reads(cursor, rules)
    _name_manual(cursor, rules)
    _name_not_modelled(draft)
    return draft.prompt(model=session.model, agent=session.agent)


@dataclass(frozen=True, slots=True)
class ProjectRule:
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

    def rules(self, folder: str, at: str = START) -> Iterator[ProjectRule]:
        """The rules of a folder's own .cursor/rules, by path; only names that end in .mdc are rules."""
        place = join(folder, RULES)
        if self.host.kind(place) != "directory":
            why = "Cursor looks for rules here"
            self.draft.candidates.append(own(why, at=at).missing(place))
            return
        for path in sorted(match(self.host, "**/*", place, dot=True).paths):
            why = "Cursor reads the rules of a project"
            rule = own(why, at=at)
            if not path.endswith(".mdc"):
                is_folder = name(path) == "RULE.md"
                says = WHY_FOLDER if is_folder else "a rule's name must end in .mdc, so Cursor ignores it"
                self.draft.candidates.append(replace(rule, why=says).excluded(path))
                continue
            found = look_for_text(self.host, path, why=why, origin=rule.origin, keep_bom=False, at=at)
            if found.text:
                yield ProjectRule(path, folder, found, scopes.header(found.text))
            else:
                self.draft.candidates.append(found.candidate)

    def send(self, path: str, found: Found, rule: Rule, reason: str = "") -> list[Segment]:
        """A rule's text in a wrapper that is not known. Whether its front matter is sent is not known either."""
        candidate = rule.candidate("cut" if found.cut else "loaded", path, reason)
        self.draft.candidates.append(candidate)
        self.sent.add(path)
        for mention in mentions(found.text):
            target = resolve(parent(path), mention.target)
            if mention.is_path:
                says = "third parties say that Cursor pulls in an @file of a rule; it is not added here"
                named = Origin("argument", path=path, name=f"@{mention.target}")
                self.draft.candidates.append(Rule(says, named, at=rule.at).excluded(target))
        wrapper = elided("instructions", "Cursor", f"wrapper of {path}", why=WHY_FRAME)
        return [wrapper, Segment("instructions", path, found.text, found.origin, candidate.why, cut=found.cut)]

    def plain(self, path: str, why: str, at: str = START) -> list[Segment]:
        """A file without front matter that is sent as it is."""
        rule = own(why, at=at)
        found = look_for_text(self.host, path, why=why, origin=rule.origin, keep_bom=False, at=at)
        if not found.text:
            self.draft.candidates.append(found.candidate)
            return []
        return self.send(path, found, rule)


def _always(cursor: Cursor, rules: list[ProjectRule], at: str = START) -> Iterator[Segment]:
    for rule in rules:
        if rule.header.is_true("alwaysApply"):
            named = Rule(WHY_ALWAYS, rule.origin("alwaysApply"), at=at)
            yield from cursor.send(rule.path, rule.found, named)


def _plain(cursor: Cursor) -> Iterator[Segment]:
    yield from cursor.plain(join(cursor.root, AGENTS), WHY_AGENTS)
    yield from cursor.plain(join(cursor.root, LEGACY), WHY_LEGACY)


def _is_listed(rule: ProjectRule) -> bool:
    return not rule.header.is_true("alwaysApply") and not rule.globs and bool(rule.header.word("description"))


def _listed(cursor: Cursor, rules: list[ProjectRule], at: str = START) -> Iterator[Segment]:
    """Rules that the model may ask for: their descriptions only."""
    for rule in rules:
        if _is_listed(rule):
            origin = rule.origin("description")
            cursor.draft.candidates.append(Rule(WHY_LISTED, origin, at=at).unscoped(rule.path))
            title = f"row for {name(rule.path)}"
            text = f"⟪row that describes {rule.path}: not reproduced⟫"
            where = Origin("computed", name=rule.path)
            yield Segment("instructions", title, text, where, WHY_LISTED, elided=Elided(title))


def _skills(draft: Draft, host: Host, root: str) -> Iterator[Segment]:
    """Names and descriptions, each once, whatever links lead to it. How they are listed is not documented."""
    places = [join(top, each) for top in dict.fromkeys((root, host.home)) for each in SKILLS]
    seen: dict[object, str] = {}
    at = len(draft.candidates)
    found = list(skills_in(host, places, WHY_SKILLS, draft.candidates.append))
    draft.candidates[at:] = [_not_known(each) for each in draft.candidates[at:]]
    for skill in found:
        path = skill.path or ""
        place = host.place(path)
        text = decode(host.head(path).data, keep_bom=False)
        if place in seen or header(text).is_true("disable-model-invocation"):
            rule = own(WHY_SKILLS, use="skill")
            other = rule.duplicate(path, of=seen[place]) if place in seen else rule.disabled(path, WHY_BY_HAND)
            draft.candidates[at:] = [other if each.path == path else each for each in draft.candidates[at:]]
            continue
        seen[place] = path
        yield elided("tools", "Cursor", f"row for {path}", why="how Cursor lists a skill is not documented")
        yield Segment("tools", path, skill.words, skill.origin or COMPUTED, WHY_SKILLS)


def _not_known(found: Candidate) -> Candidate:
    """A skill without what the documentation asks for: nobody says what becomes of it."""
    is_short = found.outcome == "failed" and found.state is None
    return replace(found, outcome="excluded", reason=WHY_SHORT) if is_short else found


def _reads(cursor: Cursor, rules: list[ProjectRule]) -> None:
    """What a file in context adds: rules with matching globs, and the rules and AGENTS.md of its directories."""
    known = {cursor.root: rules}
    likely: dict[str, Rules] = {}
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
            if folder not in likely:
                likely[folder] = Rules(rule.globs for rule in known[folder])
            for rule in map(known[folder].__getitem__, likely[folder].near(read)):
                pattern = scopes.first_match(rule.globs, read, folder, DIALECT)
                if pattern is not None and rule.path not in cursor.sent:
                    named = Rule(WHY_GLOBS, rule.origin("globs"), at=at)
                    parts += cursor.send(rule.path, rule.found, named, pattern)
        if parts:
            parts.insert(0, elided("instructions", "Cursor", "place and order of the rules", why=NOTES[1]))
        cursor.draft.add_message("user", parts, index=index, at=at)


def _name_manual(cursor: Cursor, rules: list[ProjectRule]) -> None:
    """The workspace's rules that nothing has brought, and why."""
    for rule in rules:
        if rule.path in cursor.sent or _is_listed(rule):
            continue
        why = "its globs match no file in context" if rule.globs else WHY_MANUAL
        key = "globs" if rule.globs else "alwaysApply"
        if rule.header.word("alwaysApply") == "true":
            why = f"“true” in quotes is a text and not true, say third parties; and {why}"
        cursor.draft.candidates.append(Rule(why, rule.origin(key)).unscoped(rule.path))


def _name_not_modelled(draft: Draft) -> None:
    for kind, place in (("User rules", "Cursor's settings"), ("Team rules", "a dashboard")):
        why = f"{kind} are kept in {place}, which promptls cannot see"
        draft.candidates.append(argument(kind, why))
    for option in draft.session.args:
        draft.candidates.append(not_modelled(option))


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "Rules of .cursor/rules/*.mdc with alwaysApply: true",
        "AGENTS.md and the legacy .cursorrules of the workspace",
        "The descriptions of rules without globs",
        "Name and description of skills, in the four folders that its documentation names, here and at home",
        "For a file in context: rules whose globs match it, and the rules and AGENTS.md of its directories",
    ),
)
