"""The list of skills and commands that Claude Code shows to the model: words, order and budget (surfaces, 2 to 5)."""

from __future__ import annotations

from promptls.core.model import Cut, Segment
from promptls.core.text import units
from promptls.core.values import dataclass, replace
from promptls.harnesses.claude_code.listing.skill_rows import columns, description, has_words
from promptls.harnesses.claude_code.settings import json_root
from promptls.kit.javascript import head as first_units
from promptls.kit.paths import name as last_name
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from promptls.core.formats.tree import Value
    from promptls.core.model import Candidate, Origin
    from promptls.harnesses.claude_code.listing.built_in import BuiltInSkill
    from promptls.harnesses.claude_code.listing.skills import Skill, Skills
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft

HEADER = "The following skills are available for use with the Skill tool:\n\n"
WHY = "the list tells the model which skills and commands it can call"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the list. ``name`` is without the display name; ``says`` are its words, () for a name alone.

    ``columns`` is the width of the whole line; ``keeps`` is whether it keeps its words at any price.
    """

    name: str
    shown: str
    says: tuple[Segment, ...]
    columns: int
    keeps: bool = False
    skill: Skill | None = None

    @property
    def columns_alone(self) -> int:
        """The width of its name alone."""
        return columns(f"- {self.name}")

    def alone(self) -> Entry:
        """Its name alone."""
        return replace(self, shown=self.name, says=(), columns=self.columns_alone)

    def segments(self) -> list[Segment]:
        """The line without its end."""
        path = self.skill.path if self.skill is not None else None
        return [head(f"- {self.shown}: " if self.says else f"- {self.name}", "tools", path=path), *self.says]


def section(entries: Iterable[Entry]) -> list[Segment]:
    """The list with its header."""
    lines = [piece for entry in entries for piece in (tail("\n", "tools"), *entry.segments())]
    return [head(HEADER, "tools"), *lines[1:]] if lines else []


# -- which, in which order (surfaces, 2) -------------------------------------------------------------------------


def entries(draft: Draft, setup: Setup, skills: Skills, active: Iterable[Entry] = ()) -> list[Entry]:
    """Every line of the list at start; ``active`` are skills that the first prompt has brought (section 6).

    A name of one's own takes that of the program's own away (case commands-clash-builtin).
    """
    overrides = overrides_of(setup)
    # Each list is made anew.
    skills.displays.clear()
    own = [own_entry(setup, skill, shown_name(setup, skills, skill)) for skill in _for_model(draft, skills, overrides)]
    scoped = [_scoped_entry(setup, skill) for skill in skills.scoped]
    built_in, late = ([_built_in_entry(setup, each) for each in some] for some in _built_in(setup, skills))
    found = [*own, *built_in, *active, *scoped, *late]
    found = [
        entry.alone() if overrides.get(entry.name) == "name-only" else entry
        for entry in found
        if overrides.get(entry.name) not in OFF
    ]
    kept = within_budget(setup, found, skills.used)
    pairs = zip(kept, found, strict=True)
    draft.candidates += [_outcome(setup, entry.skill, entry, was) for entry, was in pairs if entry.skill is not None]
    return kept


OFF = ("off", "user-invocable-only")


def overrides_of(setup: Setup) -> Mapping[str, str]:
    """``skillOverrides`` of all settings, by name (case skills-overrides)."""
    members = (member for setting in setup.settings.every("skillOverrides") for member in setting.value.members)
    return {str(key.data): str(value.data) for key, value in members}


def _for_model(draft: Draft, skills: Skills, overrides: Mapping[str, str]) -> Iterator[Skill]:
    """Those that are listed for the model; the others are named (case skills-front-matter)."""
    for skill in skills.order:
        rule = skill.rule()
        if skill.is_for_users_only:
            candidate = rule.excluded(skill.path, "disable-model-invocation keeps it from the model")
        elif overrides.get(skill.name) in OFF:
            candidate = rule.disabled(skill.path, f"skillOverrides says {overrides[skill.name]}")
        elif skill.root is not None and not has_words(skill):
            # (cases plugin-dir; captured: plugin-desc-rules)
            candidate = rule.excluded(skill.path, "those of plugins are listed only with a description")
        elif skill.patterns:
            candidate = rule.unscoped(skill.path, f"it is for files that its paths mean ({', '.join(skill.patterns)})")
        else:
            yield skill
            continue
        draft.candidates.append(replace(candidate, faults=skill.faults()))


def _built_in(setup: Setup, skills: Skills) -> Iterator[list[BuiltInSkill]]:
    """The program's own, at their two places (surfaces, 2; cases skills-no-bundled, commands-clash-builtin)."""
    own = [each for each in setup.own_skills if setup.has_bundled_skills or each.stays]
    for some in (setup.facts.built_in_skills, setup.facts.late_skills):
        yield [each for each in own if each in some and each.name not in skills.known]


def _outcome(setup: Setup, skill: Skill, entry: Entry, was: Entry) -> Candidate:
    """What the list has of a skill: all, the beginning of its words, or its name."""
    rule = skill.rule()
    cut = was.says[0].cut if was.says else None
    if was.says and not entry.says:
        budget = list_budget(setup)
        limit = f"the list of skills has room for {budget} characters"
        cut = Cut(entry.columns, was.columns, "columns", limit, _setting(setup, "skillListingBudgetFraction"))
        found = rule.cut(skill.path, f"{limit}, so only its name is listed", cut=cut)
    elif cut is not None:
        found = rule.cut(skill.path, f"{cut.limit}, so the end of its description is left out", cut=cut)
    else:
        found = rule.loaded(skill.path)
    faults = skill.faults()
    return replace(found, faults=faults) if faults else found


# -- the words of a line (surfaces, 3) ---------------------------------------------------------------------------


def own_entry(setup: Setup, skill: Skill, shown: str, after: str = "") -> Entry:
    """The line of a skill or command; ``after`` follows its words.

    The limit is one for both, as they are sent (captured: desc-escape, nested-long).
    """
    text, start, end = description(skill, setup.facts.skill_first_line)
    text = _escaped(text)
    limit = words_limit(setup)
    total = units(text + after)
    cut = None
    if total > limit:
        text, after = _cut(text, after, limit)
        says = f"a description may have {limit} characters"
        cut = Cut(limit - 1, total, "UTF-16 units", says, _setting(setup, "skillListingMaxDescChars"))
    words = Segment("tools", f"{skill.kind} {skill.name}", text, skill.origin(start, end), WHY, cut=cut)
    line = columns(f"- {shown}: {text}{after}")
    return Entry(skill.name, shown, (words, *([tail(after, "tools")] if after else [])), line, skill=skill)


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _cut(text: str, after: str, limit: int) -> tuple[str, str]:
    """The beginning of both together, with an ellipsis as its last unit."""
    whole = text + after
    kept = first_units(whole, limit - 1)
    half = "\ufffd" if units(whole[:kept]) < limit - 1 else ""
    if kept <= len(text):
        return f"{text[:kept]}{half}…", ""
    return text, f"{after[: kept - len(text)]}…"


def shown_name(setup: Setup, skills: Skills, skill: Skill) -> str:
    """The name, with that of the front matter if it says more (case skills-escape-and-display-name).

    That needs letters, digits and ``-_.:`` only, and a name that nothing else has.
    """
    given = skill.given_name
    if given is None or not given or not all(letter.isalnum() or letter in "-_.:" for letter in given):
        return skill.name
    given = f"{skill.name.partition(':')[0]}:{given}" if skill.root is not None else given
    taken = given in skills.known or given in skills.displays or any(given == each.name for each in setup.own_skills)
    if given == skill.name or taken:
        return skill.name
    skills.displays.add(given)
    return f"{skill.name} ({given})"


def _scoped_entry(setup: Setup, skill: Skill) -> Entry:
    """A skill of --add-dir whose name is taken (captured: skills-clash-add-dir)."""
    below = last_name(skill.base)
    return scoped_entry(setup, skill, below, f"{below}:{skill.name}", is_taken=True)


def scoped_entry(setup: Setup, skill: Skill, below: str, shown: str, *, is_taken: bool) -> Entry:
    """A skill for the files below a directory (surfaces, 6; cases skills-nested-read, skills-nested-same).

    ``is_taken``: one that is for all files has its name.
    """
    after = f" (from {below}/.claude/skills — applies when working on files under {below}/)"
    if is_taken:
        after = (
            f' (scoped to {below}/ — use this instead of the unscoped "{skill.name}" skill '
            f"when the files being changed are under {below}/)"
        )
    return own_entry(setup, replace(skill, name=shown), shown, after)


def _built_in_entry(setup: Setup, skill: BuiltInSkill) -> Entry:
    why = "Claude Code describes its built-in skills"
    size = min(skill.size, words_limit(setup))
    says = elided("tools", "Claude Code", f"description of the skill {skill.name}", why=why, size=size)
    line = len(f"- {skill.name}: ") + size - skill.breaks
    return Entry(skill.name, skill.name, (says,), line, keeps=skill in setup.facts.built_in_skills)


# -- limits (surfaces, 3 and 4) ----------------------------------------------------------------------------------


def words_limit(setup: Setup) -> int:
    """The longest description, in UTF-16 units (cases skills-desc-limit-when, skills-budget-scopes)."""
    setting = setup.settings.last("skillListingMaxDescChars")
    given = setting.value.data if setting is not None else None
    return int(given) if isinstance(given, float) else setup.facts.skill_words


def list_budget(setup: Setup) -> int:
    """The columns that the lines may have: those of a variable, else a share of the model's context (section 4)."""
    given = setup.variables.get("SLASH_COMMAND_TOOL_CHAR_BUDGET", ("",))[0]
    if given.isascii() and given.isdigit():
        return int(given)
    facts = setup.facts
    setting = setup.settings.last("skillListingBudgetFraction")
    share = setting.value.data if setting is not None else None
    own = facts.skill_columns_narrow if setup.is_on("CLAUDE_CODE_DISABLE_1M_CONTEXT") else facts.skill_columns
    whole = own if setup.has_system_messages else facts.skill_columns_inline
    return int(whole * (share if isinstance(share, float) else facts.skill_share) + ROUNDING)


ROUNDING = 1e-6


def within_budget(setup: Setup, found: list[Entry], typed: Iterable[str] = ()) -> list[Entry]:
    """All lines if there is room, else names, and the words of those that fit (cases skills-budget-*).

    Words come back whole or not at all: those used most first, then in the order of the list. ``typed`` are skills that
    were used just now.
    """
    # A line end between two lines counts, one inside of a line does not.
    room = list_budget(setup) - (len(found) - 1)
    if sum(entry.columns for entry in found) <= room:
        return found
    room -= sum(entry.columns if entry.keeps else entry.columns_alone for entry in found)
    kept = [entry if entry.keeps else entry.alone() for entry in found]
    used = _usage(setup, typed)
    for at in sorted(range(len(found)), key=lambda at: -used.get(found[at].name, 0)):
        more = found[at].columns - kept[at].columns
        if more and more <= room:
            kept[at] = found[at]
            room -= more
    return kept


def _usage(setup: Setup, typed: Iterable[str]) -> Mapping[str, float]:
    """How much each skill was used, as the program keeps it (case skills-budget-usage): what is long ago counts less.

    The list is made after what is typed has been noted (seen by verify).
    """
    used = json_root(setup.host, setup.state_file).get("skillUsage")
    kept = [
        (str(key.data), _number(value, "usageCount"), _number(value, "lastUsedAt"))
        for key, value in (used.members if used is not None else ())
    ]
    counts = {key: count for key, count, _ in kept if count}
    now, facts = setup.host.now().timestamp() if counts else 0, setup.facts
    found: dict[str, float] = {}
    for key, count, last in kept:
        halved = max(now - last / 1000, 0) / facts.skill_half_life
        found[key] = count * max(0.5**halved, facts.skill_least_use)
    for name in typed:
        counts[name] = found[name] = counts.get(name, 0) + 1
    return found


def _number(value: Value, key: str) -> float:
    found = value.get(key)
    return found.data if found is not None and isinstance(found.data, float) else 0.0


def _setting(setup: Setup, key: str) -> Origin | None:
    setting = setup.settings.last(key)
    return setting.origin if setting is not None else None
