"""Copilot CLI's skills: where it looks for them, which it lists, and what calling one adds (surfaces, Skills)."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby, islice

from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, Cut, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.copilot_cli.front_matter import OF_SKILLS, text_of, wrong_key
from promptls.harnesses.copilot_cli.search import PLUGINS, code_units
from promptls.kit.candidates import Rule, own
from promptls.kit.javascript import SPACE, trimmed
from promptls.kit.javascript import head as head_of
from promptls.kit.named import Named, Row, fitting, take, text_at
from promptls.kit.paths import join, name, native, parent, upwards
from promptls.kit.segments import elided, escaped, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.formats.header import Header
    from promptls.core.model import Candidate
    from promptls.harnesses.copilot_cli.listing.plugins import Plugin
    from promptls.harnesses.copilot_cli.search import Search
    from promptls.harnesses.copilot_cli.versions import Facts

FOLDERS = (".github/skills", ".agents/skills", ".claude/skills")
COMMANDS = ".claude/commands"
WHY = "Copilot CLI lists every skill with its name and description"
WHY_PLACE = "Copilot CLI looks for skills from the working directory up to the git root, then in the home directory"
WHY_PLUGIN = "Copilot CLI lists the skills of the plugins of --plugin-dir"
WHY_COMMAND = "Copilot CLI lists the Markdown files of .claude/commands as skills"
_OF_COMMANDS = own(WHY_COMMAND, use="command")
# (wire: skill-names)
_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9._:-]*")
_BLANKS = regex(r" +")
_LINE = regex(r"[^\n]+")
# Where what is typed behind the name of a skill is put (seen by verify).
_PLACE = regex(
    r"\\(?P<escaped>\$\d{1,4})|\$ARGUMENTS\[(?P<index>\d{1,4})\]|\$ARGUMENTS|\$(?P<number>\d{1,4})", re.ASCII
)
_WORD = regex(r"""(?:[^\s"']|"[^"]*"?|'[^']*'?)+""")
_QUOTED = regex(r""""([^"]*)"?|'([^']*)'?""")
WHY_WORDS = "what the user types behind the name of the skill"
FURTHER, BETWEEN = "Additional skills available (invoke by name): ", ", "


ROW = Row(
    "Copilot CLI",
    "skill",
    WHY,
    before="<skill>\n  <name>{name}</name>\n  <description>",
    after="</description>\n  <location>{place}</location>\n</skill>\n",
    escaped=escaped,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A directory of skills. ``group``: skills of one that follow each other are sorted by name."""

    path: str
    location: str
    group: str
    rule: Rule


def find(search: Search, added: Sequence[str], plugins: Sequence[Plugin], facts: Facts) -> list[Named]:
    """Every skill in the order of the list; of one name the first counts (parts: skills-same-name).

    Those of the workspace come by the kind of folder, then the nearest directory first. Neighbours that are all of the
    working directory, or all of others, are in the order of their names, whatever folder they are in (parts:
    skills-directories; wire: skills-between). So are those of each place of the user (wire: skill-order-of-the-user).
    """
    found: dict[str, Named] = {}
    # Without a repository, from the root of the disk on (parts: skill-above-without-git).
    between = [*upwards(search.cwd, search.root if search.is_repository else None)]
    rule = own(WHY_PLACE, use="skill")
    project = [(join(directory, folder), directory) for folder in FOLDERS for directory in between]
    places = [Place(path, "project", _group(search, directory), rule) for path, directory in project]
    # As those of the working directory (wire: added-directory).
    places += [Place(join(each, FOLDERS[0]), "project", _group(search, search.cwd), rule) for each in added]
    for place in places:
        _look(search, place, facts, found)
    _of_plugins(search, plugins, facts, found)
    for path in (join(search.home, "skills"), join(search.host.home, ".agents", "skills")):
        _look(search, Place(path, "user", path, rule), facts, found)
    # An editor gets none of the program's own (seen by verify).
    for each, size in ({} if search.draft.session.editor else facts.built_in_skills).items():
        found.setdefault(each, Named(each, size=size, place="builtin"))
    for directory in between if search.is_repository else search.directories:
        _commands(
            search, Place(join(directory, COMMANDS), "project", _group(search, directory), _OF_COMMANDS), facts, found
        )
    for path in (path for plugin in plugins for path in plugin.commands):
        _commands(search, Place(path, "plugin", "plugin", _OF_COMMANDS), facts, found)
    groups = groupby(found.values(), key=lambda each: each.group)
    return [each for _, group in groups for each in sorted(group, key=lambda each: code_units(each.name))]


def _group(search: Search, directory: str) -> str:
    return "of the working directory" if directory == search.cwd else "of others"


def _of_plugins(search: Search, plugins: Sequence[Plugin], facts: Facts, found: dict[str, Named]) -> None:
    """The skills of plugins; a name that several have gets theirs in front (later: plugin-dir-two)."""
    rule = Rule(WHY_PLUGIN, Origin("argument", name=PLUGINS), "skill")
    of_each: list[tuple[Plugin, dict[str, Named]]] = []
    for plugin in plugins:
        of_each.append((plugin, {}))
        for path in plugin.skills:
            _look(search, Place(path, "plugin", "plugin", rule), facts, of_each[-1][1])
    count = Counter(name for _, skills in of_each for name in skills)
    for plugin, skills in of_each:
        for skill in skills.values():
            called = skill.name if count[skill.name] == 1 else f"{plugin.name}:{skill.name}"
            take(found, replace(skill, name=called), search.draft.candidates.append)


def _look(search: Search, place: Place, facts: Facts, found: dict[str, Named]) -> None:
    """The skills of a folder by path; below one that has a SKILL.md nothing is looked for.

    It is so whether that counts or not (wire: skills-below-a-skill; parts: skills-skill-at-root).
    """
    if search.host.kind(place.path) != "directory":
        return
    paths = {path for path in search.files_below(place.path, hidden=True, links=True) if name(path) == SKILL_FILE}
    for path in sorted(paths, key=code_units):
        above = upwards(parent(parent(path)), place.path)
        top = next((file for directory in above if (file := join(directory, SKILL_FILE)) in paths), None)
        if top is not None:
            reason = f"{top} makes the whole folder one skill"
            search.draft.candidates.append(place.rule.shadowed(path, reason, by=top))
        else:
            _take(search, path, name(parent(path)), place, facts, found)


def _commands(search: Search, place: Place, facts: Facts, found: dict[str, Named]) -> None:
    for entry in sorted(search.host.entries(place.path), key=lambda each: code_units(each.name)):
        path = join(place.path, entry.name)
        if entry.name.endswith(".md") and search.host.kind(path) == "file":
            _take(search, path, entry.name.removesuffix(".md"), place, facts, found)


def _take(  # noqa: PLR0917 - a file and what is known so far
    search: Search, path: str, default: str, place: Place, facts: Facts, found: dict[str, Named]
) -> None:
    add, rule = search.draft.candidates.append, place.rule
    text = text_at(search.host, path, rule, add)
    if text is None:
        return
    from promptls.harnesses.copilot_cli.front_matter import strict_header  # noqa: PLC0415 - only with a skill

    front = strict_header(text)
    if front.document is None and rule.use == "skill":
        add(rule.failed(path, "it has no front matter, so it is left out"))
        return
    if front.document is not None and front.document.flaw is not None:
        add(rule.failed(path, "its front matter cannot be read, so it is left out"))
        return
    if front.value("description") is None:  # its text has one
        front = strict_header(decode(search.host.read(path).data, keep_bom=False))
    given = front.value("name")
    called = str(given.data) if given is not None and isinstance(given.data, str) else default
    called = _BLANKS.sub("-", called.strip(SPACE))
    skill = _skill(front, path, called, place, facts)
    refused = _refused(front, skill, path, rule, facts)
    if refused is not None:
        add(refused)
    else:
        take(found, skill, add)


def _skill(front: Header, path: str, called: str, place: Place, facts: Facts) -> Named:
    """The skill; without a description, the first lines of its text that are no headings are one.

    (parts: skills-front-matter; wire: skill-front-matter-kinds)
    """
    described = front.value("description")
    if described is not None:
        text, where = text_of(front, described), front.range("description")
    else:
        body = trimmed(front.text, front.body)
        lines = list(islice(_lines(front.text, *body), facts.skill_first_lines))
        text = " ".join(front.text[begin:end] for begin, end in lines)
        text = text[: head_of(text, facts.skill_description)]
        where = LineIndex(front.text).range(*((lines[0][0], lines[-1][1]) if lines else body))
    origin = Origin("file", path=path, range=where)
    return Named(called, text, path, origin, place.rule, place=place.location, group=place.group)


def _lines(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the lines between two offsets are that are neither blank nor headings, without the blanks around them."""
    for found in _LINE.finditer(text, begin, end):
        line = found[0].strip(SPACE)
        if line and not line.startswith("#"):
            start = text.index(line, found.start())
            yield start, start + len(line)


def _refused(front: Header, skill: Named, path: str, rule: Rule, facts: Facts) -> Candidate | None:
    """Why it is not listed, if it is not."""
    most = facts.skill_description
    wrong = wrong_key(front, OF_SKILLS)
    if wrong is not None:
        return rule.failed(path, f"{wrong} has the wrong type, so it is left out")
    if front.is_true("disable-model-invocation"):
        return rule.excluded(path, "disable-model-invocation is true, so it is not listed")
    if not skill.name:
        return rule.failed(path, "its name is empty, so it is left out")
    if not _NAME.fullmatch(skill.name):
        return rule.failed(path, "its name has another character than A-Z, a-z, 0-9, . _ : and -, so it is left out")
    if len(skill.name) > facts.skill_name:
        return rule.failed(path, f"its name is longer than {facts.skill_name} characters, so it is left out")
    if len(skill.words) > most:
        return rule.failed(path, f"its description is longer than {most} characters, so it is left out")
    return None


# -- the list (parts: skills-many) ----------------------------------------------------------------------------------


def rows(search: Search, skills: Sequence[Named], facts: Facts) -> Iterator[Segment]:
    """A row for each skill up to a limit, then the names of others up to another one, and how many more there are."""
    shown = ROW.fitting(skills, facts.skill_rows)
    for skill in skills[:shown]:
        yield from ROW.segments(skill)
    rest = skills[shown:]
    named = _named(rest, facts.skill_names)
    _outcomes(search, skills, shown, shown + named, facts)
    if rest:
        names = BETWEEN.join(skill.name for skill in rest[:named])
        more = f"... and {len(rest) - named} more" if named < len(rest) else ""
        yield tail(f"{FURTHER}{names}{more}\n", "tools")


def _named(skills: Sequence[Named], room: int) -> int:
    """How many names have room in the line (seen by verify)."""
    return fitting((len(skill.name) + len(BETWEEN) for skill in skills), room - len(FURTHER) + len(BETWEEN))


def _outcomes(search: Search, skills: Sequence[Named], shown: int, named: int, facts: Facts) -> None:
    """The first ones are ``shown`` with a row, those up to ``named`` by name."""
    rows = Cut(shown, len(skills), "skills", f"the list of skills has {facts.skill_rows} characters at most")
    names = Cut(named, len(skills), "skills", f"the names of others have {facts.skill_names} characters at most")
    for number, skill in enumerate(skills):
        if skill.rule is None or skill.path is None:
            continue
        if number < shown:
            search.draft.candidates.append(skill.rule.loaded(skill.path))
        elif number < named:
            search.draft.candidates.append(skill.rule.cut(skill.path, "only its name is listed", cut=rows))
        else:
            search.draft.candidates.append(skill.rule.dropped(skill.path, "not even its name is listed", cut=names))


# -- calling one (parts: skill-called) ------------------------------------------------------------------------------


def context(search: Search, skill: Named, given: str | None = None) -> list[Segment]:
    """The user's message that the tool skill adds; ``given``: the words behind its name, if the user types that."""
    why = "the session calls this skill"
    if skill.path is None:
        return [elided("runtime", "Copilot CLI", f"skill {skill.name}", why=why)]
    directory = parent(skill.path)
    # The file of a command is one of the others (seen by verify).
    files = [path for path in search.files_below(directory, hidden=True) if name(path) != SKILL_FILE]
    listed = "".join(f"\n  - {native(path)}" for path in files)
    related = f"Related files (use view tool to read):{listed}\n\n" if files else ""
    opening = f'<skill-context name="{skill.name}">\nBase directory for this skill: {native(directory)}\n\n'
    body = _body(search, skill, skill.path, why)
    said = [body, tail("\n\n", "runtime")] if given is None else list(_with_words(body, given))
    end = tail("</skill-context>", "runtime")
    return [head(f"{opening}{related}", "runtime", path=skill.path), *said, end]


def _with_words(body: Segment, given: str) -> Iterator[Segment]:
    """The body with what is typed in the places for it, else behind it (captured: interactive-skill; seen by verify).

    The first word is number 0; one that is missing is empty, and a sign behind a backslash is no place.
    """
    places = list(_PLACE.finditer(body.text))
    has_place = any(place["escaped"] is None for place in places)
    words, at, lines = _words(given), 0, LineIndex(body.text)
    first = body.origin.range.start_line if body.origin.range is not None else 0

    def piece(start: int, end: int) -> Segment:
        where = lines.range(start, end)
        where = replace(where, start_line=where.start_line + first, end_line=where.end_line + first)
        return replace(body, text=body.text[start:end], origin=replace(body.origin, range=where))

    for place in places:
        if place["escaped"] is not None:
            yield piece(at, place.start())
            at = place.start("escaped")
            continue
        number = place["index"] or place["number"]
        word = given if number is None else words[int(number)] if int(number) < len(words) else ""
        yield piece(at, place.start())
        if word:
            yield Segment("runtime", "arguments", word, Origin("argument"), WHY_WORDS)
        at = place.end()
    yield piece(at, len(body.text))
    if has_place or not given:
        yield tail("\n\n", "runtime")
        return
    yield tail("\n\n\nARGUMENTS: ", "runtime")
    yield Segment("runtime", "arguments", given, Origin("argument"), WHY_WORDS)
    yield tail("\n", "runtime")


def _words(given: str) -> list[str]:
    """Words between blanks that are not quoted; one that is not closed goes to the end, and nothing is escaped."""
    return [_QUOTED.sub(lambda found: found[1] or found[2] or "", word[0]) for word in _WORD.finditer(given)]


def invoked(search: Search, skill: Named) -> list[Segment]:
    """What a compaction keeps of the last skill: all of it (captured: compact-typed)."""
    if skill.path is None:
        return [elided("runtime", "Copilot CLI", f"skill {skill.name}", why="it was called before the compaction")]
    opening = f"\n\n<invoked_skills>\n## Most recent skill: {skill.name}\nPath: {native(skill.path)}\n\n"
    return [
        head(f"{opening}Continue to follow these instructions:\n\n", "runtime", path=skill.path),
        _body(search, skill, skill.path, "it was called before the compaction"),
        tail("\n\n</invoked_skills>", "runtime"),
    ]


def _body(search: Search, skill: Named, path: str, why: str) -> Segment:
    from promptls.harnesses.copilot_cli.front_matter import strict_header  # noqa: PLC0415 - only with a skill

    whole = strict_header(decode(search.host.read(path).data, keep_bom=False))
    start, end = trimmed(whole.text, whole.body)
    where = Origin("file", path=path, range=LineIndex(whole.text).range(start, end))
    return Segment("runtime", f"skill {skill.name}", whole.text[start:end], where, why)
