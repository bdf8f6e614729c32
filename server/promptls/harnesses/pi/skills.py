"""The skills of Pi: where they are, which one of a name counts, and how they are listed.

What says "source" was read in the program's package and not seen on the wire.
"""

from __future__ import annotations

from promptls.core.formats.patterns import ignoring
from promptls.core.host import StepBudget
from promptls.core.model import SKILL_FILE
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.kit.candidates import own
from promptls.kit.named import Named, Row, take, text_at
from promptls.kit.paths import first_above, join, name, parent, relative, upwards
from promptls.kit.segments import elided, escaped, tail
from promptls.kit.skill_headers import said_in, skill_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Segment
    from promptls.harnesses.pi.files import Search

WHY = "Pi lists the skills of its own folders and of .agents"
WHY_INTRO = "Pi says how the model loads a skill"
NOT_TRUSTED = "the project is not trusted, so its skills do not count; start Pi with --approve, or trust it there"
BROKEN = "its front matter cannot be read, so it is left out"
NO_WORDS = "it has no description, so it is left out"
HIDDEN = "disable-model-invocation is true, so it is not listed"
# Lines of these leave out what is beside and below them.
IGNORING = (".gitignore", ".ignore", ".fdignore")
# A limit of ours: links may be endless.
DEPTH = 16
RULE = own(WHY, use="skill")


ROW = Row(
    "Pi",
    "skill",
    WHY,
    before="\n  <skill>\n    <name>{name}</name>\n    <description>",
    after="</description>\n    <location>{place}</location>\n  </skill>",
    escaped=escaped,
    of_path=escaped,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of skills. ``is_own``: one of Pi's own, and not ``.agents``. ``is_project``: it needs trust."""

    directory: str
    is_own: bool
    is_project: bool


def listed(search: Search, *, reads: bool) -> Iterator[Segment]:
    """The list, if there is a skill in it (captured: skills). ``reads``: its usual tools are there."""
    found = skills(search)
    if found:
        size = search.facts.skills_intro if reads else None
        intro = elided("tools", "Pi", "introduction of skills", why=WHY_INTRO, size=size)
        yield from (tail("\n\n<skills>\n", "tools"), intro, tail("\n\n<available_skills>", "tools"))
        yield from ROW.rows(found)
        yield tail("\n</available_skills>\n</skills>", "tools")


def skills(search: Search) -> list[Named]:
    """All that are listed, in the order of the search: of a name the first, and each file once (source: loadSkills)."""
    note, steps = search.draft.candidates.append, StepBudget()
    found: dict[str, Named] = {}
    hidden: set[str] = set()
    seen: set[str] = set()
    for place in places(search):
        for path in _files(search, place, steps):
            if place.is_project and not search.is_trusted:
                note(RULE.excluded(path, NOT_TRUSTED, state="untrusted"))
                continue
            skill, is_hidden = _skill(search, path)
            real = search.host.realpath(path)
            if skill is None or real in seen:
                continue
            if skill.name not in found:
                seen.add(real)
                hidden |= {skill.name} if is_hidden else set()
            take(found, skill, note)
    for each in found.values():
        note(RULE.excluded(each.path, HIDDEN) if each.name in hidden else RULE.loaded(each.path))
    if steps.is_spent:
        search.draft.notes.append("Not every skill is used: there are too many.")
    return [each for each in found.values() if each.name not in hidden]


def places(search: Search) -> Iterator[Place]:
    """Of the project, from the working directory up to the git root, else to the root of the disk; then of the user.

    (captured: skills, skills-not-trusted)
    """
    users = join(search.host.home, ".agents", "skills")
    yield Place(join(search.cwd, ".pi", "skills"), is_own=True, is_project=True)
    for directory in upwards(search.cwd, first_above(search.host, search.cwd, ".git")):
        if (here := join(directory, ".agents", "skills")) != users:
            yield Place(here, is_own=False, is_project=True)
    yield Place(join(search.directory, "skills"), is_own=True, is_project=False)
    yield Place(users, is_own=False, is_project=False)


def _files(
    search: Search, place: Place, steps: StepBudget, directory: str | None = None, lines: tuple[str, ...] = ()
) -> Iterator[str]:
    """Below a folder, SKILL.md, behind which no other file counts, else what is Markdown (source: collectSkillEntries).

    Of Pi's own folders only the top has other Markdown that counts; of .agents all but the top.
    """
    host, top = search.host, place.directory
    directory = directory or top
    inside = relative(directory, top) if directory != top else ""
    prefix = f"{inside}/" if inside else ""
    entries = sorted(host.entries(directory), key=lambda each: each.name)
    steps.spend(entries)
    if steps.is_spent or inside.count("/") >= DEPTH:
        return
    names = {each.name for each in entries}
    lines = (*lines, *(line for each in IGNORING if each in names for line in _lines(search, directory, each, prefix)))
    ignored = ignoring(lines) if lines else None
    is_ignored = ignored is not None and ignored.match_file(prefix + SKILL_FILE)
    if SKILL_FILE in names and host.kind(join(directory, SKILL_FILE)) == "file" and not is_ignored:
        yield join(directory, SKILL_FILE)
        return
    for entry in entries:
        path = join(directory, entry.name)
        kind = host.kind(path) if not entry.name.startswith(".") and entry.name != "node_modules" else None
        ends = "/" if kind == "directory" else ""
        if kind is None or (ignored is not None and ignored.match_file(f"{prefix}{entry.name}{ends}")):
            continue
        if kind == "directory":
            yield from _files(search, place, steps, path, lines)
        elif entry.name.endswith(".md") and place.is_own == (directory == top):
            yield path


def _lines(search: Search, directory: str, file: str, prefix: str) -> Iterator[str]:
    """The lines of a file that leaves out others, as paths below the folder of skills (source: prefixIgnorePattern)."""
    contents = search.host.read(join(directory, file))
    for line in decode(contents.data, keep_bom=True).splitlines() if contents.state == "file" else ():
        if line.strip() and not line.strip().startswith("#"):
            negated = "!" if line.startswith("!") else ""
            yield f"{negated}{prefix}{line.removeprefix('!').removeprefix('/')}"


def _skill(search: Search, path: str) -> tuple[Named | None, bool]:
    """A skill, and whether it is hidden from the model; None without a description, which is a text."""
    note = search.draft.candidates.append
    text = text_at(search.host, path, RULE, note)
    header = skill_header(text, mends=False) if text is not None else None
    said = header.value("description") if header is not None else None
    if header is None or said is None or not isinstance(said.data, str) or not said.data.strip():
        if text is not None and name(path) == SKILL_FILE:
            note(RULE.failed(path, BROKEN if header is None else NO_WORDS))
        return None, False
    own_name = header.value("name")
    called = own_name.data if own_name is not None and isinstance(own_name.data, str) and own_name.data else None
    named = Named(str(called or name(parent(path))), said.data, path, said_in(path, header, "description"), RULE)
    return named, header.is_true("disable-model-invocation")
