"""Which files Pi sends: one of each directory up to the root of the disk, and those of the system prompt (source).

(specification, "Files", "System prompt files")
"""

from __future__ import annotations

from promptls.core import specs
from promptls.core.formats import parse_json
from promptls.core.model import Origin, Segment
from promptls.core.text import decode, whole
from promptls.core.values import dataclass
from promptls.harnesses.installed import directories, npm_directory, on_path
from promptls.harnesses.pi.spec import SPEC
from promptls.kit.candidates import NOTHING, Rule, our_cut, own
from promptls.kit.paths import first_above, is_below, join, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Use
    from promptls.harnesses.pi.versions import Facts
    from promptls.kit.draft import Draft

WHY_GLOBAL = "Pi sends one global instruction file, of ~/.pi/agent"
WHY_CHAIN = "Pi sends one instruction file of each directory, from the root of the disk down to the working directory"
WHY_WORKTREE = "Pi leaves out the file of the main checkout that a linked worktree inside of it has, too"
WHY_SYSTEM = "Pi takes its system prompt from SYSTEM.md of .pi in a trusted project, else of ~/.pi/agent"
WHY_APPEND = "Pi adds APPEND_SYSTEM.md of .pi in a trusted project, else of ~/.pi/agent"
USUAL = f"/usr/local/lib/node_modules/{SPEC.package}"
NOT_TRUSTED = "the project is not trusted, so it does not count; start Pi with --approve, or trust the project there"


@dataclass(frozen=True, slots=True)
class Search:
    """What every search needs. ``directory`` is the global one; ``is_trusted``: the project's prompt files count."""

    draft: Draft
    host: Host
    facts: Facts
    cwd: str
    directory: str
    is_trusted: bool

    def text(self, path: str, rule: Rule) -> Segment | None:
        """The text of a file, which may be empty; None if it cannot be read. The candidate is noted."""
        contents = self.host.read(path)
        if contents.state != "file":
            self.draft.candidates.append(rule.unread(path, contents.state))
            return None
        text = decode(contents.data, keep_bom=False)
        is_sent_empty = "it is empty, and goes out as an empty block"
        self.draft.candidates.append(rule.read(path, contents) if text else rule.empty(path, is_sent_empty))
        origin = Origin("file", path=self.host.realpath(path), range=whole(text))
        return Segment("instructions", path, text, origin, rule.why, cut=our_cut(contents))


def global_directory(host: Host, cwd: str) -> str:
    """PI_CODING_AGENT_DIR moves it (wire: agent-dir)."""
    moved = host.env.get("PI_CODING_AGENT_DIR")
    if not moved:
        return join(host.home, ".pi", "agent")
    return resolve(cwd, host.home + moved[1:] if moved == "~" or moved.startswith("~/") else moved)


def is_trusted(draft: Draft, host: Host, cwd: str, directory: str) -> bool:
    """What the nearest directory in the store of trust says; without one, what the session says (source)."""
    path = join(directory, "trust.json")
    contents = host.read(path)
    rule = own("Pi remembers here which projects are trusted", use="config")
    said: dict[str, str] = {}
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
    else:
        draft.candidates.append(rule.loaded(path))
        root = parse_json(decode(contents.data, keep_bom=False), comments=False).root
        said = {str(name.data): value.kind for name, value in (root.members if root is not None else ())}
    found = next((said[place] for place in upwards(cwd) if said.get(place) in ("true", "false")), None)
    if found is None and draft.session.is_trusted:
        above = upwards(cwd, first_above(host, cwd, ".git"))
        draft.once_trusted += [join(cwd, ".pi"), *(join(each, ".agents", "skills") for each in above)]
        return True
    return found == "true"


def package(host: Host, cwd: str) -> str:
    """The directory of its package, which its own text names; where it is not found, as npm has it on most machines.

    (seen by verify with three directories)
    """
    command = next(on_path(host, specs.detection(SPEC.name), directories(host, cwd)), None)
    found = npm_directory(host, command, SPEC.package) if command is not None else None
    return USUAL if found is None else found


def instructions(search: Search) -> list[tuple[str, Segment]]:
    """The paths and texts of all instruction files: the global one, then outermost first (wire: chain-root-to-cwd)."""
    draft = search.draft
    found = _of_directory(search, search.directory, own(WHY_GLOBAL))
    twin = _twin(search)
    chain: list[tuple[str, Segment]] = []
    for directory in upwards(search.cwd):
        path = _first(search, directory)
        if path is not None and path == twin:
            draft.candidates.append(own(WHY_WORKTREE).excluded(path))
        elif found is None or path != found[0]:
            each = _of_directory(search, directory, own(WHY_CHAIN))
            chain += [each] if each else []
    return [*([found] if found else []), *reversed(chain)]


def _of_directory(search: Search, directory: str, rule: Rule) -> tuple[str, Segment] | None:
    """The first file of a directory; an empty one counts (wire: override-first, case-variants, empty-file)."""
    first: str | None = None
    seen: list[str] = []
    for path in (join(directory, each) for each in search.facts.names):
        kind = search.host.kind(path)
        # On some systems two of the names are one file.
        is_new = not any(search.host.is_same(path, each) for each in seen)
        seen.append(path)
        if first is not None:
            if kind == "file" and is_new:
                search.draft.candidates.append(rule.shadowed(path, f"{first} comes first", by=first))
        elif kind is None:
            search.draft.candidates.append(rule.missing(path))
        elif (state := search.host.read(path).state) == "file":
            first = path
        else:
            search.draft.candidates.append(rule.unread(path, state))
    if first is None or (text := search.text(first, rule)) is None:
        return None
    return first, text


def _first(search: Search, directory: str) -> str | None:
    """What is no regular file is skipped, and so is what cannot be read (wire: agents-md-is-directory)."""
    paths = (join(directory, each) for each in search.facts.names)
    files = (path for path in paths if search.host.kind(path) == "file")
    return next((path for path in files if search.host.read(path).state == "file"), None)


def _twin(search: Search) -> str | None:
    """The file of the main checkout that has the same name as that of a linked worktree inside of it (source)."""
    host = search.host
    worktree = first_above(host, search.cwd, ".git")
    if worktree is None or host.kind(join(worktree, ".git")) != "file":
        return None
    _, _, there = decode(host.read(join(worktree, ".git")).data, keep_bom=False).partition("gitdir:")
    git = resolve(worktree, there.strip())
    common = host.read(join(git, "commondir"))
    if not there.strip() or common.state != "file":
        return None
    main = parent(host.realpath(resolve(git, decode(common.data, keep_bom=False).strip())))
    own_file = _first(search, worktree)
    is_inside = worktree != main and is_below(worktree, main)
    return join(main, own_file[len(worktree) :].lstrip("/")) if is_inside and own_file is not None else None


def prompt_file(search: Search, name: str, why: str, use: Use) -> Segment | None:
    """The project's file if it counts, else the global one (wire: system-append-trusted)."""
    rule = own(why, use=use)
    projects, global_ = join(search.cwd, ".pi", name), join(search.directory, name)
    if search.host.kind(projects) is not None:
        if search.is_trusted:
            if search.host.kind(global_) is not None:
                reason = f"{projects} comes first"
                search.draft.candidates.append(rule.shadowed(global_, reason, by=projects))
            return search.text(projects, rule)
        search.draft.candidates.append(rule.excluded(projects, NOT_TRUSTED, state="untrusted"))
    else:
        search.draft.candidates.append(rule.missing(projects))
    if search.host.read(global_).state in NOTHING:
        search.draft.candidates.append(rule.missing(global_))
        return None
    return search.text(global_, rule)


def above(search: Search, sent: list[tuple[str, Segment]]) -> Iterator[str]:
    """A note where files come from above the repository, or the working directory without one."""
    root = first_above(search.host, search.cwd, ".git")
    top = root or search.cwd
    paths = [path for path, _ in sent if not is_below(path, top) and not is_below(path, search.directory)]
    if paths:
        where = "the git root" if root is not None else "the working directory"
        yield f"{', '.join(paths)}: sent from above {where}, because Pi climbs to the root of the disk."
