"""Kilo Code's instruction files: global, of the project, rules, configured, by URL (specification; source).

What is of the project must lie in the worktree, links followed, or it is dropped without a word.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.harnesses.kilo_code.config import ON, Config
from promptls.harnesses.kilo_code.references import filled, references
from promptls.harnesses.kilo_code.rules import rules
from promptls.kit.candidates import NOTHING, Rule, our_cut, own
from promptls.kit.globs import is_magic, match
from promptls.kit.paths import is_absolute, is_below, is_url, join, name, native, parent, resolve, upwards
from promptls.kit.pieced_text import File
from promptls.kit.segments import head, tail, url_segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.harnesses.kilo_code.versions import Facts
    from promptls.kit.draft import Draft

AGENTS, CLAUDE, CONTEXT = "AGENTS.md", "CLAUDE.md", "CONTEXT.md"
NAMES = (AGENTS, CLAUDE, CONTEXT)
NO_CLAUDE = ("KILO_DISABLE_CLAUDE_CODE", "KILO_DISABLE_CLAUDE_CODE_PROMPT")
WHY_GLOBAL = "Kilo Code sends the first global file that exists: AGENTS.md of ~/.config/kilo, else ~/.claude/CLAUDE.md"
WHY_ENTRY = "an entry of instructions names it"
WHY_URL = "an entry of instructions names this URL; URLs follow all files"
OUTSIDE = "it resolves to a place outside the worktree, so Kilo Code drops it silently"
REFERS = "its text has “{}”, which a file of the project may not have, so Kilo Code drops it without a word"
# In the text of a file of the project (source: substitute).
_VARIABLE = regex(r"(?<!\$)\{env:[^{}\n]+\}")


@dataclass(frozen=True, slots=True)
class Place:
    """A file to send, and why. ``is_trusted``: it may be anywhere."""

    path: str
    rule: Rule
    is_trusted: bool


def names(host: Host) -> tuple[str, ...]:
    """The names of instruction files, in the order of precedence."""
    return (AGENTS, CONTEXT) if _has_no_claude(host) else NAMES


def _has_no_claude(host: Host) -> bool:
    return any(host.env.get(each, "").lower() in ON for each in NO_CLAUDE)


def send_files(draft: Draft, host: Host, config: Config, facts: Facts, sent: set[str]) -> Iterator[Segment]:
    """Every file in its label, then the URLs (wire: root-names, config-instructions-global). Fills ``sent``."""
    places = [*_global(draft, host, config), *_project(draft, host, config)]
    places += [Place(each.path, own(each.why), each.is_trusted) for each in rules(draft, host, config.cwd)]
    for entry in config.entries:
        if not is_url(entry.text):
            places += _configured(draft, host, config, entry.text, entry.origin, is_trusted=entry.is_trusted)
    for place in places:
        if place.path in sent:
            reason = "it is already included, from an earlier place"
            draft.candidates.append(place.rule.duplicate(place.path, reason, of=place.path))
            continue
        sent.add(place.path)
        if block := _block(draft, host, config, place):
            yield from block
            yield tail("\n")
    urls = [(entry.text, entry.origin) for entry in config.entries if is_url(entry.text)]
    for (_, origin), fetched in zip(urls, host.urls([url for url, _ in urls], facts.url), strict=True):
        draft.candidates.append(Rule(WHY_URL, origin).answered(fetched))
        if segments := url_segments(fetched, f"Instructions from: {fetched.url}\n", why=WHY_URL):
            yield from segments
            yield tail("\n")


def _block(draft: Draft, host: Host, config: Config, place: Place) -> list[Segment]:
    """A file with its label; nothing if it is empty, or of the project and not allowed to be sent."""
    path, rule, contents = place.path, place.rule, host.read(place.path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return []
    text = decode(contents.data, keep_bom=False)
    variable = None if place.is_trusted else _VARIABLE.search(text)
    if not place.is_trusted and not is_below(host.realpath(path), host.realpath(config.root)):
        draft.candidates.append(rule.outside(path, OUTSIDE))
        return []
    if variable is not None:
        draft.candidates.append(rule.excluded(path, REFERS.format(variable[0])))
        return []
    if not text:
        draft.candidates.append(rule.empty(path, "it is empty"))
        return []
    root = host.realpath(config.root)
    named = references(host, path, text) if not place.is_trusted else ()
    outside = next((each for each in named if not is_below(host.realpath(each.path), root)), None)
    if outside is not None:
        draft.candidates.append(rule.excluded(path, REFERS.format(outside.written)))
        return []
    if _VARIABLE.search(text):
        draft.notes.append(f"{path}: Kilo Code fills in {{env:}} in this text; promptls shows it as it is.")
    draft.candidates.append(rule.read(path, contents))
    file = File(path, text, our_cut(contents), host.realpath(path))
    return [head(f"Instructions from: {native(path)}\n", path=path), *filled(draft, host, file, rule.why)]


def _global(draft: Draft, host: Host, config: Config) -> Iterator[Place]:
    """The first that exists (wire: claude-home-only; captured: global-file-order)."""
    rule, first = own(WHY_GLOBAL), None
    moved = host.env.get("KILO_CONFIG_DIR")
    paths = [join(resolve(config.cwd, moved), AGENTS)] if moved else []
    paths += [join(config.directory, AGENTS), *([] if _has_no_claude(host) else [join(host.home, ".claude", CLAUDE)])]
    for path in paths:
        if host.kind(path) is None:
            draft.candidates.append(rule.missing(path))
        elif first is None:
            first = path
            yield Place(path, rule, is_trusted=True)
        else:
            draft.candidates.append(rule.shadowed(path, f"{first} comes first", by=first))


def _project(draft: Draft, host: Host, config: Config) -> Iterator[Place]:
    """All files of the first name that has any, nearest first (wire: chain-root-to-cwd, claude-and-context)."""
    first: str | None = None
    for file in names(host) if config.has_project else ():
        rule = own(f"Kilo Code sends every {file} from the working directory up to the worktree root, nearest first")
        for path in (join(directory, file) for directory in upwards(config.cwd, config.top)):
            if host.kind(path) is None:
                if first is None or name(first) == file:
                    draft.candidates.append(rule.missing(path))
            elif first is not None and name(first) != file:
                says = f"there is {first}, and Kilo Code sends files of one name only, also where it is empty"
                draft.candidates.append(rule.shadowed(path, says, by=first))
            else:
                first = first or path
                yield Place(path, rule, is_trusted=False)


def _configured(
    draft: Draft, host: Host, config: Config, entry: str, origin: Origin, *, is_trusted: bool
) -> Iterator[Place]:
    """The files that an entry names: from the working directory up to the root, or an absolute path.

    (wire: config-relative)
    """
    rule = Rule(WHY_ENTRY, origin)
    pattern = join(host.home, entry[2:]) if entry.startswith("~/") else entry
    is_fixed = is_absolute(pattern, config.cwd)
    if is_fixed:
        bases, pattern = [parent(join(config.cwd, pattern))], name(pattern)
    else:
        bases = list(upwards(config.cwd, config.top)) if config.has_project else [config.directory]
    # The hits of a pattern come in the order of the disk, from its end (wire: glob-order).
    found = [
        match(host, pattern, base, dot=not is_fixed, backwards=True, steps=draft.steps) for base in bases if pattern
    ]
    if any(matches.is_cut for matches in found):
        draft.notes.append("A pattern of instructions is only partly expanded, because it matches too many paths.")
    paths = [path for matches in found for path in matches.paths]
    yield from (Place(path, rule, is_trusted and (is_fixed or not config.has_project)) for path in paths)
    if not paths:
        where = resolve(bases[0], pattern)
        if is_magic(entry):
            draft.candidates.append(rule.missing(where, state="no-match"))
        else:
            state = host.read(where).state
            draft.candidates.append(rule.candidate("missing" if state in NOTHING else "failed", where, state=state))
