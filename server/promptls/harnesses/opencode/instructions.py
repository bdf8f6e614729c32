"""The instruction files of opencode: global, of the project, configured, by URL (specification, sections 2 to 5)."""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.secrets import masked
from promptls.core.values import replace
from promptls.kit.candidates import NOTHING, Rule, own
from promptls.kit.draft import look_for_text
from promptls.kit.paths import is_absolute, is_url, join, name, native, parent, resolve, upwards
from promptls.kit.segments import head, url_segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.opencode.start.setup import Setup
    from promptls.harnesses.opencode.start.variables import Flags

AGENTS, CLAUDE, CONTEXT = "AGENTS.md", "CLAUDE.md", "CONTEXT.md"

WHY_GLOBAL = (
    "opencode loads the first global file that exists: AGENTS.md of its configuration, then ~/.claude/CLAUDE.md"
)


def instructions(setup: Setup, sent: dict[str, None]) -> Iterator[list[Segment]]:
    """Global file, project files, configured files, URLs (section 5). Fills ``sent`` with the files' paths."""
    draft, host = setup.draft, setup.host
    urls: list[tuple[str, Origin]] = []
    places = [*_global_file(setup), *_project_files(setup)]
    for entry in setup.config.instructions or ():
        if is_url(entry.text):
            urls.append((entry.text, entry.origin))
        else:
            places += _configured(setup, entry.text, entry.origin)
    for path, why, origin in places:
        if path in sent:
            reason = "it is already included, from an earlier place"
            draft.candidates.append(Rule(why, origin).duplicate(path, reason, of=path))
            continue
        sent[path] = None
        found = look_for_text(host, path, why=why, origin=origin, keep_bom=False)
        draft.candidates.append(found.candidate)
        if found.text:
            block = Segment("instructions", path, found.text, found.origin, why, cut=found.cut)
            yield [head(f"Instructions from: {native(path)}\n", path=path), block]
    why = "an entry of instructions names this URL; URLs follow all files"
    for (_, origin), fetched in zip(urls, host.urls([url for url, _ in urls], setup.facts.url), strict=True):
        draft.candidates.append(Rule(why, origin).answered(fetched))
        if segments := url_segments(fetched, f"Instructions from: {fetched.url}\n", why=why):
            yield segments


def names(flag: Flags) -> tuple[str, ...]:
    """The names of instruction files, in the order of precedence (section 2.1)."""
    return (AGENTS, CONTEXT) if flag.no_claude else (AGENTS, CLAUDE, CONTEXT)


def _global_file(setup: Setup) -> Iterator[tuple[str, str, Origin]]:
    """The first that exists (section 3)."""
    draft, host, flag = setup.draft, setup.host, setup.flag
    rule = own(WHY_GLOBAL)
    claude = join(flag.home, ".claude", CLAUDE)
    first: str | None = None
    for path in (join(flag.directory, AGENTS), claude):
        exists = host.kind(path) is not None
        if path == claude and flag.no_claude:
            if exists:
                why = "an environment variable switches Claude Code's files off"
                draft.candidates.append(replace(rule, why=why).disabled(path))
        elif not exists:
            draft.candidates.append(rule.missing(path))
        elif first is None:
            first = path
            yield path, WHY_GLOBAL, rule.origin
        else:
            draft.candidates.append(rule.shadowed(path, f"{first} comes first", by=first))


def _project_files(setup: Setup) -> Iterator[tuple[str, str, Origin]]:
    """All files of the first name that has any, in cwd and above up to the worktree (section 2)."""
    draft, host, flag = setup.draft, setup.host, setup.flag
    first: str | None = None
    for file in (AGENTS, CLAUDE, CONTEXT):
        for directory in upwards(setup.cwd, setup.root):
            path = join(directory, file)
            why = f"opencode loads every {file} from the working directory up to the worktree root, nearest first"
            rule = own(why)
            exists = host.kind(path) is not None
            if flag.no_project_config or (file == CLAUDE and flag.no_claude):
                if exists:
                    off = replace(rule, why="an environment variable switches it off")
                    draft.candidates.append(off.disabled(path))
            elif first is not None and name(first) != file:
                if exists:
                    says = f"{name(first)} exists from here to the worktree root, and hides every {file}"
                    draft.candidates.append(replace(rule, why=says).shadowed(path, by=first))
            elif exists:
                first = first or path
                yield path, why, rule.origin
            else:
                draft.candidates.append(rule.missing(path))


def _configured(setup: Setup, entry: str, origin: Origin) -> list[tuple[str, str, Origin]]:
    """The files that an entry of ``instructions`` names (section 4.3 to 4.6)."""
    from promptls.kit.globs import is_magic, match  # noqa: PLC0415 - only where there are entries

    draft, host, flag = setup.draft, setup.host, setup.flag
    pattern = join(flag.home, entry[2:]) if entry.startswith("~/") else entry
    if is_absolute(pattern, setup.cwd):
        pattern = join(setup.cwd, pattern)
        bases, pattern, dot = [parent(pattern)], name(pattern), False
        why = "an entry of instructions names it; only the last part of an absolute path may be a pattern"
    elif flag.no_project_config:
        bases, dot = [flag.directory], True
        why = "an entry of instructions names it, relative to the configuration directory"
    else:
        bases, dot = list(upwards(setup.cwd, setup.root)), True
        why = "an entry of instructions names it, relative to the working directory and each directory above"
    # From the end of the disk's order.
    found = [match(host, pattern, base, dot=dot, backwards=True, steps=draft.steps) for base in bases if pattern]
    is_cut = any(matches.is_cut for matches in found)
    if is_cut:
        draft.notes.append(f"The pattern {masked(entry)} is only partly expanded, because it matches too many paths.")
    paths = [path for matches in found for path in matches.paths]
    if not paths:
        where = resolve(bases[0], pattern)
        rule = Rule(why, origin)
        if is_cut:
            reason = "promptls stopped expanding the pattern, which matches too many paths"
            draft.candidates.append(rule.failed(where, reason, state="given-up"))
        elif is_magic(entry):
            draft.candidates.append(rule.missing(where, state="no-match"))
        else:
            state = host.read(where).state
            draft.candidates.append(rule.candidate("missing" if state in NOTHING else "failed", where, state=state))
    return [(path, why, origin) for path in paths]
