"""Where Codex finds skills: the roots, the walk below each, and what becomes of each SKILL.md (section 2)."""

from __future__ import annotations

from collections import Counter
from itertools import takewhile

from promptls.core.formats import parse_json, parse_yaml
from promptls.core.model import COMPUTED, Cut, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.kit.candidates import Rule, own
from promptls.kit.paths import join, name, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Range
    from promptls.harnesses.codex.listing.plugins import Plugin
    from promptls.harnesses.codex.start.config import CodexConfig
    from promptls.harnesses.codex.versions import Skills
    from promptls.kit.draft import Draft

SKILL = "SKILL.md"
SYSTEM, ADMIN, REPO, USER = "system", "admin", "repo", "user"
DOTS = "..."
# The order of the list; mentions have another one.
SCOPES = (SYSTEM, ADMIN, REPO, USER)
MANIFESTS = (".codex-plugin/plugin.json", ".claude-plugin/plugin.json")
# With one of these beside its SKILL.md, a skill may be of a plugin, or not be listed.
TELLING = frozenset((".codex-plugin", ".claude-plugin", "agents"))

WHY = "Codex lists the skills of this directory"
WHY_NO_LIST = "skills.include_instructions is off, so it is used only where a prompt names it"
WHY_DISABLED = "skills.config switches this skill off"


@dataclass(frozen=True, slots=True)
class Root:
    """A directory that is searched for skills: ``rank`` is its place among them.

    ``market`` is the folder of the marketplace that its plugin is from.
    """

    path: str
    scope: str
    market: str = ""
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that can be used. ``size`` is that of a description of Codex's own, which is not reproduced.

    ``path`` is that of its SKILL.md as it was found, ``real`` with its links resolved, ``rank`` that of its
    root. One with ``why_unlisted`` is used only where it is named.
    """

    name: str
    scope: str
    root: str
    rank: int
    path: str
    real: str
    description: str = ""
    where: Range | None = None
    size: int | None = None
    why_unlisted: str = ""
    # The folder of the marketplace, for a skill of a plugin.
    market: str = ""
    # Where the description is longer than any may be.
    cut: Cut | None = None

    @property
    def below(self) -> str:
        """Its place below ``root``."""
        return self.path[len(self.root.rstrip("/")) + 1 :]

    @property
    def origin(self) -> Origin:
        """Where the description is, of one that is not Codex's own."""
        return Origin("file", path=self.path, range=self.where)


def find_skills(
    draft: Draft, host: Host, config: CodexConfig, chain: Sequence[str], plugins: Sequence[Plugin]
) -> list[Skill]:
    """Every skill that is switched on, in the order of the list: by scope, name and path (parts: skills-roots).

    The same file is taken once, where it is found first. Duplicate names are all listed (parts: skills-duplicates).
    """
    found: dict[str, Skill] = {}
    rule = own(WHY, use="skill")
    spaces: dict[str, str] = {}
    for root in _roots(host, config, chain, plugins):
        is_own = root.scope == SYSTEM
        skills = _built_in(config, root) if is_own else _walk(draft, host, config.facts.skills, root, spaces)
        for skill in skills:
            if skill.real in found:
                reason = "it is, by links, a skill that was found before"
                draft.candidates.append(rule.duplicate(skill.path, reason, of=found[skill.real].path))
            else:
                found[skill.real] = skill
    kept = _below_markets(_switched_on(draft, config, list(found.values())))
    has_list = config.is_on("skills", "include_instructions", default=True)
    for skill in kept:
        why = skill.why_unlisted or ("" if has_list else WHY_NO_LIST)
        if skill.size is None:
            draft.candidates.append(_outcome(rule, skill, why))
    return sorted(kept, key=lambda skill: (SCOPES.index(skill.scope), skill.name, skill.path.split("/")))


def _outcome(rule: Rule, skill: Skill, why_not: str) -> Candidate:
    if why_not:
        return rule.disabled(skill.path, why_not)
    if skill.cut is None:
        return rule.loaded(skill.path)
    return rule.cut(skill.path, f"{skill.cut.limit}, so the end of its description is left out", cut=skill.cut)


# -- where ---------------------------------------------------------------------------------------------------------


def _roots(host: Host, config: CodexConfig, chain: Sequence[str], plugins: Sequence[Plugin]) -> list[Root]:
    """The roots in the order of their numbers, each once by its real path (parts: skills-roots, skills-symlinks)."""
    home = host.realpath(config.home)
    folders = [join(directory, ".codex") for directory in reversed(chain)]
    roots = [Root(join(folder, "skills"), REPO) for folder in folders if host.realpath(folder) != home]
    roots.append(Root(join(config.home, "skills"), USER))
    roots.append(Root(join(host.home, ".agents", "skills"), USER))
    if config.is_on("skills", "bundled", "enabled", default=True):
        roots.append(Root(join(config.home, "skills", ".system"), SYSTEM))
    roots.append(Root(join(config.machine, "skills"), ADMIN))
    roots += [Root(folder, USER, plugin.market) for plugin in plugins for folder in plugin.skills]
    roots += [Root(join(directory, ".agents", "skills"), REPO) for directory in chain]
    by_place: dict[str, Root] = {}
    for root in roots:
        if root.scope == SYSTEM or host.kind(root.path) == "directory":
            real = host.realpath(root.path)
            by_place.setdefault(real, replace(root, path=real, rank=len(by_place)))
    return list(by_place.values())


def _built_in(config: CodexConfig, root: Root) -> list[Skill]:
    """Those that Codex writes into its home directory when it starts (captured: skills-no-bundled)."""
    places = [(title, join(root.path, title, SKILL), size) for title, size in config.facts.skills.built_in.items()]
    return [Skill(title, SYSTEM, root.path, root.rank, path, path, size=size) for title, path, size in places]


def _walk(draft: Draft, host: Host, facts: Skills, root: Root, spaces: dict[str, str]) -> list[Skill]:
    """Every SKILL.md below a root, level by level; hidden directories are passed over (captured: skills-depth).

    A directory that is a link is followed, a SKILL.md that is one is not (parts: skills-symlinks).
    """
    seen = {root.path}
    # With their real paths.
    level = [(root.path, root.path)]
    skills: list[Skill] = []
    has_more = False
    depth = 0
    while level:
        below: list[tuple[str, str]] = []
        for directory, place in level:
            for entry in sorted(host.entries(directory), key=lambda entry: entry.name):
                path = join(directory, entry.name)
                if entry.name == SKILL and not entry.is_directory:
                    skills += _skill(draft, host, facts, root, path, place, spaces, is_link=entry.is_link)
                elif entry.name.startswith(".") or not (entry.is_directory or entry.is_link) or depth == facts.depth:
                    continue
                elif len(seen) == facts.directories:
                    has_more = True
                else:
                    real = host.realpath(path) if entry.is_link else path
                    if real in seen:
                        _seen_before(draft, host, path)
                    elif entry.is_directory or host.kind(path) == "directory":
                        seen.add(real)
                        below.append((path, real if entry.is_link else join(place, entry.name)))
        level = below
        depth += 1
    if has_more:
        draft.notes.append(f"Codex searches no more than {len(seen)} directories for skills below {root.path}.")
    return skills


def _below_markets(skills: list[Skill]) -> list[Skill]:
    """The only skill of a plugin that is listed is shown below its marketplace (parts: plugin)."""
    if not any(skill.market for skill in skills):
        return skills
    counts = Counter(skill.rank for skill in skills if not skill.why_unlisted)
    is_only = [bool(skill.market) and counts[skill.rank] == 1 for skill in skills]
    return [replace(each, root=each.market) if alone else each for each, alone in zip(skills, is_only, strict=True)]


def _seen_before(draft: Draft, host: Host, folder: str) -> None:
    """A folder that was searched under another name: its skill is listed there."""
    path = join(folder, SKILL)
    if host.kind(path) == "file":
        reason = "its folder was searched before, through a link"
        draft.candidates.append(own(WHY, use="skill").duplicate(path, reason, of=None))


# -- one skill -------------------------------------------------------------------------------------------------------


def _skill(  # noqa: PLR0917 - what the walk knows
    draft: Draft, host: Host, facts: Skills, root: Root, path: str, place: str, spaces: dict[str, str], *, is_link: bool
) -> list[Skill]:
    """The skill in a SKILL.md, [] if it is left out (parts: skills-front-matter, skills-invalid).

    ``place`` is the real path of its folder.
    """
    rule = own(WHY, use="skill")
    if is_link:
        why = "it is a link, which Codex does not follow; link its folder instead"
        draft.candidates.append(rule.excluded(path, why))
        return []
    contents = host.head(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return []
    from promptls.harnesses.codex.skills.header import read_header  # noqa: PLC0415 - only with a skill

    header = read_header(decode(contents.data, keep_bom=True))
    if header.reason:
        draft.candidates.append(rule.failed(path, header.reason, faults=header.faults))
        return []
    folder = parent(path)
    title = header.name or " ".join(name(folder).split()) or "skill"
    if len(title) > facts.longest_name:
        says = f"its name has {len(title)} characters, more than the {facts.longest_name} that Codex allows"
        draft.candidates.append(rule.failed(path, says))
        return []
    has_more = any(entry.name in TELLING for entry in host.entries(folder))
    above = None if has_more else spaces.get(parent(folder))
    space = _name_space(host, folder, spaces) if above is None else above
    cut = _cut(header.description, facts.longest_description)
    skill = Skill(
        name=f"{space}:{title}" if space else title,
        scope=root.scope,
        root=root.path,
        rank=root.rank,
        path=path,
        real=join(place, SKILL),
        description=header.description[: cut.kept] + DOTS if cut else header.description,
        cut=cut,
        where=header.where,
        why_unlisted=_unlisted(host, folder) if has_more else "",
        market=root.market,
    )
    return [skill]


def _cut(description: str, longest: int) -> Cut | None:
    """A description that is too long ends in dots (parts: skills-invalid)."""
    if len(description) <= longest:
        return None
    says = f"a description may have {longest} characters"
    return Cut(longest - len(DOTS), len(description), "characters", says, is_fixed=True)


def _name_space(host: Host, folder: str, known: dict[str, str]) -> str:
    """The name of the plugin that a skill belongs to, by a manifest above it (parts: skills-plugin-in-repo)."""
    waiting = list(takewhile(lambda above: above not in known, upwards(folder)))
    for directory in reversed(waiting):
        known[directory] = _plugin_name(host, directory) or known.get(parent(directory), "")
    return known[folder]


def _plugin_name(host: Host, directory: str) -> str:
    """The name in the first manifest of the folder, else the folder's own; "" if it cannot be read [source]."""
    path = next((each for each in (join(directory, name) for name in MANIFESTS) if host.kind(each) == "file"), None)
    if path is None:
        return ""
    document = parse_json(decode(host.read(path).data, keep_bom=True), comments=False)
    title = document.root.get("name") if document.root is not None else None
    if document.flaw is not None or (title is not None and title.kind != "string"):
        return ""
    return " ".join(str(title.data if title is not None else "").split()) or name(directory)


def _unlisted(host: Host, folder: str) -> str:
    """Why ``agents/openai.yaml`` keeps a skill off the list, "" if it does not (captured: skills-openai-yaml).

    A file that cannot be read counts for nothing.
    """
    path = join(folder, "agents", "openai.yaml")
    if host.kind(path) != "file":
        return ""
    document = parse_yaml(decode(host.read(path).data, keep_bom=False))
    policy = document.root.get("policy") if document.root is not None and document.flaw is None else None
    implicit = policy.get("allow_implicit_invocation") if policy is not None else None
    if implicit is not None and implicit.kind == "false":
        return f"{path} has it used only where a prompt names it"
    products = policy.get("products") if policy is not None else None
    if products is not None and products.items and all(str(item.data).lower() != "codex" for item in products.items):
        return f"{path} lists it for other products only"
    return ""


# -- switching off ---------------------------------------------------------------------------------------------------


def _switched_on(draft: Draft, config: CodexConfig, skills: list[Skill]) -> list[Skill]:
    """The skills that the last entry of ``skills.config`` for them leaves on (captured: skills-config-disable).

    An entry names a skill or the path of its file. A project's entries count for nothing (captured:
    skills-config-merge, skills-config-flag).
    """
    # The one that counts comes last.
    entries: dict[tuple[str, str], tuple[bool, Origin]] = {}
    for layer in config.layers:
        listed = layer.find(("skills", "config"))
        if listed is None or not layer.is_own:
            continue
        for item in listed.value.items:
            enabled, title, path = item.get("enabled"), item.text("name"), item.text("path")
            key = ("name", title) if title else ("path", resolve(layer.base, path or "."))
            entries.pop(key, None)
            entries[key] = enabled is None or enabled.kind == "true", listed.origin(item)
    kept: list[Skill] = []
    for skill in skills:
        keys = (("name", skill.name), ("path", skill.path), ("path", skill.real))
        is_on, origin = next((entries[key] for key in reversed(entries) if key in keys), (True, COMPUTED))
        if is_on:
            kept.append(skill)
        else:
            draft.candidates.append(Rule(WHY_DISABLED, origin, "skill").disabled(skill.path))
    return kept
