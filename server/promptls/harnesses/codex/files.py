"""Which instruction files Codex takes, and how much of them: the global one, then the project's, root first.

Sections named here are those of the harness specification for Codex; [source] is the public source text.
"""

from __future__ import annotations

from promptls.core.model import Cut, Limit, Origin
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.codex.start.config import CodexConfig
from promptls.harnesses.codex.start.trust import untrusted
from promptls.kit.budget import Budget
from promptls.kit.candidates import STATE_SAYS, Rule, our_cut, own
from promptls.kit.draft import Draft
from promptls.kit.paths import join, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate

OVERRIDE, AGENTS = "AGENTS.override.md", "AGENTS.md"
MAX_BYTES, FALLBACK = "project_doc_max_bytes", "project_doc_fallback_filenames"

# White space as Rust trims it; Python's own strip() takes four control characters more.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

WHY_GLOBAL = f"Codex loads the first of {OVERRIDE} and {AGENTS} in its home directory that is not blank"
WHY_CHAIN = (
    f"Codex loads one file of each directory from the project root down to the working directory: {OVERRIDE}, "
    f"{AGENTS}, then the fallback names"
)


WHY_CLOSED = (
    "the permissions deny a place, and Codex then reads no instruction file above the working directory; start it in "
    "the root of the project"
)


@dataclass(frozen=True, slots=True)
class Doc:
    """An instruction file that is sent."""

    path: str
    text: str
    origin: Origin
    why: str
    cut: Cut | None = None


def trimmed(path: str, data: bytes, why: str) -> Doc | None:
    """A file's text between white space; None if there is nothing else."""
    text = decode(data, keep_bom=True)
    kept = text.strip(SPACE)
    start = len(text) - len(text.lstrip(SPACE))
    where = LineIndex(text).range(start, start + len(kept))
    return Doc(path, kept, Origin("file", path=path, range=where), why) if kept else None


def global_file(draft: Draft, host: Host, config: CodexConfig) -> Doc | None:
    """The first that is not blank, trimmed; it costs nothing of the budget (section 1)."""
    taken: Doc | None = None
    for name in (OVERRIDE, AGENTS):
        path = join(config.home, name)
        rule = own(WHY_GLOBAL)
        contents = host.read(path)
        if contents.state != "file":
            draft.candidates.append(rule.unread(path, contents.state))
        elif taken is not None:
            draft.candidates.append(rule.shadowed(path, f"{taken.path} comes first", by=taken.path))
        elif doc := trimmed(path, contents.data, WHY_GLOBAL):
            cut = our_cut(contents)
            taken = replace(doc, cut=cut)
            draft.candidates.append(rule.cut(path, cut.limit, cut=cut) if cut else rule.loaded(path))
        else:
            draft.candidates.append(rule.empty(path, "it is blank, so the next one is loaded"))
    return taken


def _names(draft: Draft, config: CodexConfig, cwd: str) -> list[tuple[str, Origin]]:
    """The file names in order, each with what named it; fallback names without effect are reported (section 3)."""
    names = [(name, Origin("computed", name=WHY_CHAIN)) for name in (OVERRIDE, AGENTS)]
    entry = config.entries.get(FALLBACK)
    for item in entry.names() if entry is not None else ():
        name, origin = str(item.data).strip(SPACE), entry.origin(item) if entry else Origin("computed")
        if not name or "/" in name:
            why = "Codex skips a blank fallback name"
            if name:
                why = "Codex loads nothing for a fallback name with a directory in it; give the bare file name"
            draft.candidates.append(Rule(why, origin).excluded(resolve(cwd, name)))
        elif name in (known for known, _ in names):
            rule, path = (
                Rule(f"Codex looks for {name} already, and takes it from the first place", origin),
                join(cwd, name),
            )
            draft.candidates.append(rule.duplicate(path, of=path))
        else:
            names.append((name, origin))
    return names


def _chosen(draft: Draft, host: Host, config: CodexConfig, chain: list[str]) -> list[tuple[str, Origin]]:
    """One file a directory, by existence: a blank one keeps its turn (wire: empty-override-silences)."""
    names = _names(draft, config, chain[-1])
    chosen: list[tuple[str, Origin]] = []
    for directory in chain:
        first: str | None = None
        for name, origin in names:
            path = join(directory, name)
            kind = host.kind(path)
            if kind == "file" and first is None:
                first = path
                chosen.append((path, origin))
            elif kind == "file":
                blank = "" if host.read(first or "").data.decode("utf-8", "replace").strip(SPACE) else " and is blank"
                reason = f"{first} comes first{blank}"
                draft.candidates.append(Rule(WHY_CHAIN, origin).shadowed(path, reason, by=first))
            else:
                draft.candidates.append(own(WHY_CHAIN).unread(path, host.read(path).state))
    return chosen


def project_files(
    draft: Draft, host: Host, config: CodexConfig, chain: list[str], *, is_closed: bool = False
) -> list[Doc]:
    """The chosen files, verbatim, as far as the budget goes: the deepest is cut first (section "Budget").

    A blank file costs nothing. One that cannot be read loses them all [source]. A project that is marked as untrusted
    has none (wire: settle-trust-untrusted). ``is_closed``: the sandbox denies a place, and then nothing above the
    working directory is sent (captured: perm-cwd-below-deny, perm-cwd-below-glob).
    """
    if level := untrusted(host, config, chain[-1]):
        why = f"the project is marked as untrusted in {config.user_file}, so Codex sends no instruction file of it"
        for path, _ in _chosen(draft, host, config, chain):
            draft.candidates.append(Rule(why, level.origin()).excluded(path, state="untrusted"))
        return []
    budget = _budget(config)
    docs: list[Doc] = []
    candidates: list[Candidate] = []
    unreadable: str | None = None
    wanted = 0
    chosen = _chosen(draft, host, config, chain)
    for path, origin in _nearest(draft, chosen, chain[-1]) if is_closed else chosen:
        contents, rule = host.read(path), Rule(WHY_CHAIN, origin)
        kept = budget.fits(contents.size)
        whole = decode(contents.data, keep_bom=True)
        # Cut at a byte: half a character becomes U+FFFD (captured: max-bytes-utf8-cut).
        text = decode(contents.data[:kept], keep_bom=True)
        cut = budget.cut(kept, contents.size) or our_cut(contents)
        wanted += contents.size if whole.strip(SPACE) else 0
        if contents.state != "file":
            if budget.left and unreadable is None:
                unreadable = path
            candidates.append(Rule(STATE_SAYS[contents.state], origin).failed(path, state=contents.state))
        elif not whole.strip(SPACE):
            candidates.append(rule.empty(path, "it is blank, but still takes precedence"))
        elif not budget.total:
            candidates.append(Rule(f"{budget.limit}, which turns project files off", origin).disabled(path, cut=cut))
        elif not text.strip(SPACE):
            nothing = Rule("nothing of the budget is left for it", origin)
            candidates.append(nothing.dropped(path, budget.limit, cut=cut))
        else:
            budget.spend(kept)
            candidates.append(rule.cut(path, cut.limit, cut=cut) if cut else rule.loaded(path))
            sent = Origin("file", path=path, range=LineIndex(whole).range(0, len(text)))
            docs.append(Doc(path, text, sent, WHY_CHAIN, cut))
    if unreadable is not None:
        why = f"Codex gives up all project files, because {unreadable} cannot be read"
        candidates = [
            replace(c, outcome="dropped", rule=why, reason="", other=unreadable)
            if c.outcome in ("loaded", "cut")
            else c
            for c in candidates
        ]
    draft.candidates += candidates
    draft.limits.append(Limit("project files", wanted, budget.total, budget.unit, budget.setting))
    return docs if unreadable is None else []


def _nearest(draft: Draft, chosen: list[tuple[str, Origin]], cwd: str) -> Iterator[tuple[str, Origin]]:
    """Those of the working directory alone; of the rest the candidates say why not."""
    for path, origin in chosen:
        if parent(path) == cwd:
            yield path, origin
        else:
            draft.candidates.append(Rule(WHY_CHAIN, origin).excluded(path, WHY_CLOSED))


def _budget(config: CodexConfig) -> Budget:
    """``project_doc_max_bytes``: one budget for all project files."""
    entry = config.entries.get(MAX_BYTES)
    if entry is None or not isinstance(entry.value.data, int):
        most = config.facts.max_bytes
        limit = f"{MAX_BYTES} is not set, so it is {most}; set a larger one in {config.user_file}"
        return Budget(most, "bytes", limit, Origin("builtin", name=MAX_BYTES))
    setting = entry.origin()
    where = f"{entry.path}:{setting.range.start_line + 1}" if setting.range else "-c"
    return Budget(entry.value.data, "bytes", f"{MAX_BYTES} is {entry.value.data} in {where}", setting)
