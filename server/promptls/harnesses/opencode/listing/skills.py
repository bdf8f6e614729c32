"""opencode's skills: where it looks for them, which it lists, and what loading one adds (surfaces, 2)."""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY
from promptls.core.host import StepBudget
from promptls.core.model import COMPUTED, SKILL_FILE, Elided, Origin, Segment
from promptls.core.secrets import masked_url
from promptls.core.values import dataclass, field
from promptls.harnesses.opencode.start.markdown import Markdown, files, read
from promptls.harnesses.opencode.start.permissions import action, is_off
from promptls.kit import collation
from promptls.kit.candidates import STATE_SAYS, Rule, own
from promptls.kit.named import Named, Row, take
from promptls.kit.paths import home_or, join, native, parent, resolve, upwards
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Candidate
    from promptls.harnesses.opencode.listing.agents import Agent
    from promptls.harnesses.opencode.start.permissions import Permissions
    from promptls.harnesses.opencode.start.setup import Setup

WHY = "opencode lists every skill that it finds and that has a description, by name"
BUILT_IN = "&lt;built-in&gt;"
RACE = "{} has the same name, and opencode keeps the one that it has read last: usually, but not always, the later one"
NO_DESCRIPTION = "it has no description, so it is not listed; the skill tool and --command can still load it"


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill. ``description`` is None where it has none; ``file`` where it is built in.

    ``file`` may end with the front matter; ``whole`` has all of it.
    """

    name: str
    description: str | None
    rule: Rule
    file: Markdown | None = None

    @property
    def path(self) -> str | None:
        """Where it is; None where it is built in."""
        return self.file.path if self.file is not None else None

    def whole(self, host: Host) -> Markdown | None:
        """Its file with the body; None where it is built in."""
        if self.file is None:
            return None
        contents = host.read(self.file.path)
        return read(self.file.path, contents.data) if contents.state == "file" else self.file


@dataclass(slots=True)
class Skills:
    """All that were found, by name, and URLs of which nothing is known yet."""

    by_name: dict[str, Skill] = field(default_factory=dict)
    pending: list[Segment] = field(default_factory=list)


def find(setup: Setup) -> Skills:
    """Every skill, in the order of the search; of one name the last (parts: skills-roots, skills-config-paths)."""
    skills = Skills({name: Skill(name, None, own("it is built in")) for name in setup.facts.built_in_skills})
    steps = StepBudget()
    seen: set[str] = set()
    for directory, why, origin, hidden in _places(setup):
        if directory in seen:  # the home directory may be above the working directory
            continue
        seen.add(directory)
        rule = Rule(why, origin, "skill")
        for path in files(setup.host, directory, f"/{SKILL_FILE}", steps, hidden=hidden):
            _take(setup, skills, rule, path)
    for url in setup.config.entries.skill_urls:
        _fetch(setup, skills, url.text, url.origin)
    if steps.is_spent:
        setup.draft.notes.append("Not every skill is used: there are too many.")
    return skills


def _places(setup: Setup) -> Iterator[tuple[str, str, Origin, bool]]:
    """The directories that are searched, why, what says so, and whether hidden folders in them count."""
    flag = setup.flag
    why = "opencode looks for skills in the home directory and from the working directory up to the worktree root"
    origin = Origin("computed", name=why)
    for directory in (flag.home, *upwards(setup.cwd, setup.root)):
        for folder, is_off_ in ((".claude", flag.no_claude_skills), (".agents", flag.no_external_skills)):
            place = join(directory, folder, "skills")
            if not is_off_:
                yield place, why, origin, True
            elif setup.host.kind(place) == "directory":
                off = own("an environment variable switches the skills of other programs off", use="skill")
                setup.draft.candidates.append(off.disabled(place))
    why = "opencode looks for skills in its configuration directories"
    for directory in setup.config.directories:
        for folder in ("skill", "skills"):
            yield join(directory, folder), why, Origin("computed", name=why), False
    why = "an entry of skills.paths names the directory; a relative one begins at the working directory"
    for entry in setup.config.entries.skill_paths:
        place = home_or(flag.home, entry.text) or resolve(setup.cwd, entry.text)
        if setup.host.kind(place) != "directory":
            setup.draft.candidates.append(Rule(why, entry.origin, "skill").missing(place))
        yield place, why, entry.origin, False


def _take(setup: Setup, skills: Skills, rule: Rule, path: str) -> None:
    """Read one file, and keep it as the skill of its name if it has one."""
    contents = setup.host.head(path)
    if contents.state != "file":
        setup.draft.candidates.append(rule.failed(path, STATE_SAYS[contents.state]))
        return
    _keep(setup, skills, rule, read(path, contents.data))


def _keep(setup: Setup, skills: Skills, rule: Rule, file: Markdown) -> None:
    """Keep a skill that is valid; of two with a name, the later one (parts: skills-front-matter)."""
    name, description = file.root.text("name"), file.root.get("description")
    if file.flaw is not None:
        reason = "its front matter cannot be read, so it is left out"
        setup.draft.candidates.append(rule.failed(file.path, reason, faults=(file.flaw,)))
    elif name is None:
        setup.draft.candidates.append(rule.failed(file.path, "its front matter has no name that is a text"))
    elif description is not None and description.kind != "string":
        setup.draft.candidates.append(rule.failed(file.path, "its description is not a string"))
    else:
        text = None if description is None else str(description.data)
        skill = Skill(name, text, rule, file)
        take(skills.by_name, skill, setup.draft.candidates.append, is_last=True, says=RACE)


def _fetch(setup: Setup, skills: Skills, url: str, origin: Origin) -> None:
    """The skills that the index at a URL names, which opencode keeps in its cache (parts: skills-urls)."""
    rule = Rule("an entry of skills.urls names this URL", origin, "skill")
    base = url.rstrip("/")
    index = setup.host.urls([f"{base}/index.json"], setup.facts.url)[0]
    setup.draft.candidates.append(rule.answered(index))
    if index.state in ("pending", "disabled"):
        skills.pending.append(_unanswered(url, rule))
    document = parse_json(index.text, comments=False) if index.state == "ok" else None
    root = document.root if document is not None and document.flaw is None else None
    named = (root.get("skills") or EMPTY).items if root is not None else ()
    entries = [(each.text("name"), each) for each in named]
    offered = [
        name
        for name, each in entries
        if name and any(file.data == SKILL_FILE for file in (each.get("files") or EMPTY).items)
    ]
    cache = setup.host.env.get("XDG_CACHE_HOME") or join(setup.flag.home, ".cache")
    addresses = [f"{base}/{name}/{SKILL_FILE}" for name in offered]
    for name, answer in zip(offered, setup.host.urls(addresses, setup.facts.url), strict=True):
        place = resolve(join(cache, "opencode", "skills"), join(name, SKILL_FILE))
        setup.draft.candidates.append(rule.answered(answer))
        if answer.state == "ok":
            _keep(setup, skills, rule, read(place, answer.text.encode("utf-8", "replace")))
        elif answer.state in ("pending", "disabled"):
            skills.pending.append(_unanswered(answer.url, rule))


def _unanswered(url: str, rule: Rule) -> Segment:
    shown = masked_url(url)
    return Segment("tools", shown, f"⟪skills of {shown}: not known⟫", COMPUTED, rule.why, elided=Elided(shown))


# -- the list ------------------------------------------------------------------------------------------------------


def is_offered(setup: Setup, agent: Agent) -> bool:
    """Whether the agent has skills at all (parts: skills-tool-off, subagent-explore)."""
    return not is_off("skill", *setup.permissions(agent))


def skill_list(setup: Setup, agent: Agent, skills: Skills) -> Iterator[Segment]:
    """The list of skills, the last part of the system message (parts: skills-front-matter, skills-permission)."""
    if not is_offered(setup, agent):
        for skill in skills.by_name.values():
            if skill.path is not None:
                setup.draft.candidates.append(skill.rule.disabled(skill.path, f"agent {agent.name} has no skills"))
        return
    allowed = setup.permissions(agent)
    rows = [each for each in _sorted(skills) if _is_listed(setup, allowed, each)]
    yield tail("\n", "tools")
    yield elided("tools", "opencode", "introduction of skills", why=WHY, size=setup.facts.skills_intro)
    if not rows and not skills.pending:
        why = "the permissions deny every skill that has a description"
        yield tail("\n", "tools")
        yield elided("tools", "opencode", "remark that there are no skills", why=why, size=setup.facts.no_skills)
        return
    yield tail("\n<available_skills>\n", "tools")
    for skill in rows:
        yield from _row(setup, skill)
    for url in skills.pending:
        yield from (url, tail("\n", "tools"))
    yield tail("</available_skills>", "tools")


def _sorted(skills: Skills) -> list[Skill]:
    return sorted(skills.by_name.values(), key=lambda each: collation.key(each.name))


def _is_listed(setup: Setup, allowed: Sequence[Permissions], skill: Skill) -> bool:
    candidate: Candidate | None = None
    if action("skill", skill.name, *allowed) == "deny":
        candidate = skill.rule.excluded(skill.path, f"the permission skill denies {skill.name}")
    elif skill.path is not None and skill.description is None:
        candidate = skill.rule.excluded(skill.path, NO_DESCRIPTION)
    if skill.path is not None:
        setup.draft.candidates.append(candidate or skill.rule.loaded(skill.path))
    return candidate is None


def _escaped(path: str) -> str:
    """As ``html.escape``, which takes longer to import than everything else here to run."""
    path = path.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return path.replace('"', "&quot;").replace("'", "&#x27;")


# Only the location is escaped.
ROW = Row(
    "opencode",
    "skill",
    why="",
    before="  <skill>\n    <name>{name}</name>\n    <description>",
    after="</description>\n    <location>{place}</location>\n  </skill>\n",
    of_path=_escaped,
)


def _row(setup: Setup, skill: Skill) -> list[Segment]:
    if skill.file is None:
        size = setup.facts.built_in_skills.get(skill.name)
        return ROW.segments(Named(skill.name, size=size, place=BUILT_IN))
    origin = skill.file.origin("description")
    return ROW.segments(Named(skill.name, skill.description or "", skill.path, origin, skill.rule))


# -- loading one -----------------------------------------------------------------------------------------------------


def tool_result(setup: Setup, skills: Skills, name: str) -> list[Segment]:
    """What the tool skill answers (parts: skill-tool)."""
    why = "the session loads this skill"
    skill = skills.by_name.get(name)
    if skill is None:
        names = ", ".join(each.name for each in _sorted(skills))
        return [head(f'Skill "{name}" not found. Available skills: {names}', "runtime")]
    file = skill.whole(setup.host)
    if file is None:
        return [elided("runtime", "opencode", f"skill {name}", why=why)]
    directory = parent(file.path)
    shown, others = _beside(setup, directory)
    rest = "\n".join(f"<file>{native(path)}</file>" for path in shown)
    remark = f"{why}; of its {len(shown) + others} files, opencode names those that it finds first" if others else why
    return [
        head(f'<skill_content name="{name}">\n# Skill: {name}\n\n', "runtime", path=file.path),
        Segment("runtime", f"skill {name}", file.body, file.body_origin, why),
        tail(f"\n\nBase directory for this skill: {native(directory)}\n{RELATIVE_REFERENCE}\n{SAMPLED}\n\n", "runtime"),
        Segment("runtime", "files of the skill", f"<skill_files>\n{rest}\n</skill_files>\n", COMPUTED, remark),
        tail("</skill_content>", "runtime"),
    ]


# Lines of the frame.
RELATIVE_REFERENCE = "Relative paths in this skill (e.g., scripts/, reference/) are relative to this base directory."
RELATIVE_REFERENCES = "Relative paths in this skill (e.g., scripts/, references/) are relative to this base directory."
SAMPLED = "Note: file list is sampled."


def _beside(setup: Setup, directory: str) -> tuple[list[str], int]:
    """The files of a skill's folder that are named, and how many are not; opencode's order is not stable."""
    found = [path for path in files(setup.host, directory, "", StepBudget()) if not path.endswith(f"/{SKILL_FILE}")]
    most = setup.facts.skill_files
    return found[:most], max(len(found) - most, 0)
