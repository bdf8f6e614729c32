"""The list of skills: its frame, its lines, and what the budget leaves of the descriptions (section 2)."""

from __future__ import annotations

from promptls.core.model import USED, Cut, Limit, Origin, Segment
from promptls.core.values import dataclass, replace
from promptls.harnesses.codex.skills.found import WHY
from promptls.kit.candidates import own
from promptls.kit.paths import native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.model import Candidate
    from promptls.harnesses.codex.skills.found import Skill
    from promptls.harnesses.codex.start.config import CodexConfig
    from promptls.harnesses.codex.versions import Model
    from promptls.kit.draft import Draft

OPENING, ROOTS, SKILLS = "<skills_instructions>\n## Skills\n", "\n### Skill roots\n", "### Available skills\n"
USAGE, CLOSING = "### How to use skills\n", "</skills_instructions>"
WHY_FRAME = "Codex explains skills around their list"
WHY_USAGE = "Codex tells this model how to use skills"
WHY_LINE = "Codex lists the skill with its description"
SETTING = "skills.max_context_tokens in the user's config.toml"
BYTES_PER_TOKEN = 4


@dataclass(slots=True)
class Line:
    """A line of the list: ``shown`` characters of the description are kept, of ``length``.

    ``least`` are the bytes of the line without its description, and with its end; ``spent`` those with what is shown.
    """

    skill: Skill
    head: str
    tail: str
    length: int
    least: int
    spent: int
    shown: int = 0

    def bytes_of(self, start: int, end: int) -> int:
        """The bytes of a part of the description; Codex's own are ASCII."""
        if self.skill.size is not None:
            return end - start
        return len(self.skill.description[start:end].encode("utf-8", "replace"))


def skill_list(draft: Draft, config: CodexConfig, model: Model, skills: Sequence[Skill]) -> list[Segment]:
    """The part with the list, [] without any skill to list (parts: skills-no-instructions)."""
    listed = [skill for skill in skills if not skill.why_unlisted]
    if not listed or not config.is_on("skills", "include_instructions", default=True):
        return []
    # A root whose skills were all dropped keeps its number (parts: skills-budget-drop).
    roots = list(dict.fromkeys(skill.root for skill in _by_root(listed)))
    aliases = {root: f"r{number}" for number, root in enumerate(roots)}
    limit = _limit(config)
    lines = [_line(each, aliases[each.root]) for each in listed]
    wanted, setting = sum(map(_whole, lines)), _setting(config)
    kept = _that_fit(lines, wanted, limit)
    draft.limits.append(Limit("list of skills", wanted, limit, "tokens", setting))
    _tell(draft, config, lines, kept, limit)
    table = "".join(f"- `{alias}` = `{native(root)}`\n" for root, alias in aliases.items())
    facts = config.facts.skills
    segments = [head(OPENING, "tools"), elided("tools", "codex", "skills", why=WHY_FRAME, size=facts.intro)]
    segments.append(tail(ROOTS + table + SKILLS, "tools"))
    for line in kept:
        segments += _segments(line, _cut(line, limit, setting))
    if model.has_usage:
        usage = elided("tools", "codex", "how to use skills", why=WHY_USAGE, size=facts.usage)
        segments += [head(USAGE, "tools"), usage]
        segments.append(tail("\n", "tools"))
    return [*segments, tail(CLOSING, "tools")]


def _line(skill: Skill, root: str) -> Line:
    first, last = f"- {skill.name}:", f" (file: {root}/{skill.below})"
    length = skill.size if skill.size is not None else len(skill.description)
    least = len((first + last).encode("utf-8", "replace")) + 1
    return Line(skill, first, last, length, least, spent=least)


def _by_root(skills: Sequence[Skill]) -> list[Skill]:
    return sorted(skills, key=lambda skill: skill.rank)


def _segments(line: Line, cut: Cut | None) -> list[Segment]:
    skill = line.skill
    is_whole = line.shown == line.length
    path = skill.path if skill.size is None else None
    segments = [head(line.head + (" " if line.shown else ""), "tools", path=path)]
    if skill.size is not None and line.shown:
        text = elided("tools", "codex", f"description of {skill.name}", why=WHY_LINE, size=line.shown)
        segments = [replace(segments[0], frame="tail"), replace(text, frame="tail")]
    elif line.shown:
        shown = skill.description[: line.shown]
        segments.append(Segment("tools", skill.path, shown, skill.origin, WHY_LINE, cut=skill.cut if is_whole else cut))
    return [*segments, tail(f"{line.tail}\n", "tools")]


# -- the budget ------------------------------------------------------------------------------------------------------


def _limit(config: CodexConfig) -> int:
    """In tokens: as the user sets it, else a share of the context window (parts: skills-max-context)."""
    own_limit = config.number("skills", "max_context_tokens")
    window = config.number("model_context_window") or config.facts.context_window
    return own_limit if own_limit is not None else window * config.facts.skills.percent // 100


def _cost(size: int) -> int:
    """Tokens, as Codex counts them: bytes by four, rounded up."""
    return -(-size // BYTES_PER_TOKEN)


def _whole(line: Line) -> int:
    """The tokens of a line with all of its description."""
    return _cost(line.least + 1 + line.bytes_of(0, line.length))


def _that_fit(lines: list[Line], wanted: int, limit: int) -> list[Line]:
    """The lines that are listed: all of them whole, or with descriptions cut, or the first without any description.

    (parts: skills-budget-fit, skills-budget-unicode, skills-budget-drop)
    """
    if wanted <= limit:
        for line in lines:
            line.shown = line.length
        return lines
    least = sum(_cost(line.least) for line in lines)
    if least <= limit:
        _share(lines, limit - least)
        return lines
    kept: list[Line] = []
    for line in lines:
        if (cost := _cost(line.least)) <= limit:
            limit -= cost
            kept.append(line)
    return kept


def _share(lines: list[Line], left: int) -> None:
    """Give the descriptions a character each, in turn, as long as there is room for it."""
    active = lines
    while active:
        going: list[Line] = []
        for line in active:
            if line.shown == line.length:
                continue
            size = line.spent + line.bytes_of(line.shown, line.shown + 1) + (line.shown == 0)
            more = _cost(size) - _cost(line.spent)
            if more <= left:
                left -= more
                line.spent = size
                line.shown += 1
                going.append(line)
        active = going


def _cut(line: Line, limit: int, setting: Origin) -> Cut | None:
    if line.shown == line.length:
        return None
    says = f"the list of skills has room for {limit} tokens"
    return Cut(line.shown, line.length, "characters", says, setting)


def _setting(config: CodexConfig) -> Origin:
    """What sets the limit, or would."""
    entry = config.find("skills", "max_context_tokens") or config.find("model_context_window")
    return entry.origin() if entry is not None else Origin("config", path=config.user_file, name=SETTING)


def _tell(draft: Draft, config: CodexConfig, lines: list[Line], kept: list[Line], limit: int) -> None:
    """The skills that the budget cuts or drops: their candidates say so."""
    if all(line.shown == line.length for line in lines):
        return
    names = {line.skill.path for line in kept}
    rule, setting = own(WHY, use="skill"), _setting(config)
    cuts = {line.skill.path: (line, _cut(line, limit, setting)) for line in lines}

    def reported(each: Candidate) -> Candidate:
        if each.use != "skill" or each.path not in cuts or each.outcome not in USED:
            return each
        line, cut = cuts[each.path]
        if cut is None:
            return each
        if each.path not in names:
            return rule.dropped(each.path, cut.limit, cut=cut)
        return rule.cut(each.path, f"{cut.limit}; {line.shown} characters of its description are left", cut=cut)

    draft.candidates[:] = [reported(each) for each in draft.candidates]
