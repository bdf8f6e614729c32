"""Codex CLI 0.169.0: one user message with the instruction files, root first.

Sections named here are those of the harness specification for Codex; [source] is the public source text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from promptls.core.model import Candidate, Cut, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.harnesses import args
from promptls.harnesses.base import (
    OUR_LIMIT,
    STATE_SAYS,
    Draft,
    Harness,
    Version,
    elided,
    head,
    our_cut,
    tail,
)
from promptls.harnesses.budget import Budget
from promptls.harnesses.codex_config import DEFAULT_MAX_BYTES, Config, project_root, read_config
from promptls.harnesses.paths import home_or, is_below, join, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Outcome, Prompt, Session

OVERRIDE, AGENTS = "AGENTS.override.md", "AGENTS.md"
MAX_BYTES, FALLBACK = "project_doc_max_bytes", "project_doc_fallback_filenames"

# The wrapper, to the letter (section "Placement on the wire").
OPENING, CLOSING = "<INSTRUCTIONS>\n", "\n</INSTRUCTIONS>"
BETWEEN_FILES = "\n\n"
BETWEEN_GLOBAL_AND_PROJECT = "\n\n--- project-doc ---\n\n"

# White space as Rust trims it; Python's own strip() takes four control characters more.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

WHY_GLOBAL = f"Codex takes the first of {OVERRIDE} and {AGENTS} in its home directory that is not blank"
WHY_CHAIN = (
    f"Codex takes one file of each directory from the project root down to the working directory: {OVERRIDE}, "
    f"{AGENTS}, then the fallback names"
)
WHY_BASE = "Codex begins with its base text"
WHY_DEVELOPER = "Codex sends several developer parts of its own next"
WHY_ENVIRONMENT = "Codex describes the environment in the part behind the instruction files"
WHY_READ = "Codex has no lazy loading: the model sees the output of a shell command, and no instruction file is added"


@dataclass(frozen=True, slots=True)
class Doc:
    """An instruction file that is sent."""

    path: str
    text: str
    origin: Origin
    why: str
    cut: Cut | None = None


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of ``codex exec`` for a session."""
    draft = Draft(session)
    command = args.read(session.args, values=VALUES, switches=(*SWITCHES, *NOT_MODELLED), greedy=("image",))
    directory = resolve(session.cwd, command.last("cd") or ".")
    cwd = host.realpath(directory)
    config = read_config(draft, host, cwd, command)
    if host.kind(directory) != "directory":
        config.stop(f"Codex ends, because there is no directory {directory}. Correct -C.", Origin("argument"))
    _name_options(draft, command)

    draft.say("developer", [_base(draft, host, config)], index=0)
    draft.say("developer", [elided("provider", "codex", "developer parts", why=WHY_DEVELOPER)], index=1)
    draft.say("developer", _developer(config), index=1, block=1)
    everywhere = _global_file(draft, host, config)
    root = project_root(host, cwd, config.markers())
    chain = list(reversed(list(upwards(cwd, root or cwd))))
    project = _project_files(draft, host, config, chain)
    draft.say("user", _wrapped(cwd, everywhere, project), index=2)
    block = 1 if everywhere or project else 0
    environment = elided("environment", "codex", "environment context", why=WHY_ENVIRONMENT)
    draft.say("user", [environment], index=2, block=block)
    _never_read(draft, host, config, chain, root, [resolve(session.cwd, d) for d in command.values.get("add-dir", [])])
    _reads(draft, host, config, chain)
    model = session.model or command.last("model") or config.text("model")
    return draft.prompt(model=model, verified=True, stopped=config.stopped, stopped_by=config.stopped_by)


# The options of ``codex`` and ``codex exec``: with a value that counts, with another value, without one.
VALUES = {
    **dict.fromkeys(("--cd", "-C"), "cd"),
    **dict.fromkeys(("--config", "-c"), "config"),
    **dict.fromkeys(("--model", "-m"), "model"),
    **dict.fromkeys(("--profile", "-p"), "profile"),
    **dict.fromkeys(("--image", "-i"), "image"),
    **dict.fromkeys(("--enable", "--disable"), "feature"),
    "--add-dir": "add-dir",
    **dict.fromkeys(("--sandbox", "-s", "--ask-for-approval", "-a", "--local-provider", "--color"), "other"),
    **dict.fromkeys(("--output-last-message", "-o", "--output-schema"), "other"),
}
SWITCHES = (
    *("--dangerously-bypass-approvals-and-sandbox", "--yolo", "--ephemeral", "--ignore-rules", "--ignore-user-config"),
    *("--json", "--experimental-json", "--no-alt-screen", "--search", "--skip-git-repo-check"),
)
NOT_MODELLED = ("--oss", "--strict-config", "--last", "--all")
OTHER_SESSIONS = ("resume", "fork", "review", "apply", "cloud")


def _name_options(draft: Draft, command: args.Arguments) -> None:
    """Options and sub-commands that promptls does not model."""
    named = [option for option in NOT_MODELLED if option in command.switches]
    named += [f"--enable or --disable {feature}" for feature in command.values.get("feature", [])]
    words = [word for word in command.rest if word not in ("exec", "e")]
    named += [word for word in words[:1] if word in OTHER_SESSIONS]
    for option in (*named, *command.unknown):
        why = f"promptls does not model {option}; the prompt is shown as without it"
        draft.candidates.append(Candidate("excluded", why, Origin("argument", name=option)))


# -- the developer messages ------------------------------------------------------------------------------------


def _base(draft: Draft, host: Host, config: Config) -> Segment:
    """``model_instructions_file``, trimmed, else ``instructions``, else Codex's own text (wire:
    model-instructions-file; [source]). A file that is missing or blank ends Codex.
    """
    entry = config.entries.get("model_instructions_file")
    if entry is None or not isinstance(entry.value.data, str):
        inline = config.entries.get("instructions")
        if inline is not None and isinstance(inline.value.data, str):
            why = "instructions in the configuration replaces Codex's base text"
            return Segment("provider", "instructions", inline.value.data, inline.origin(), why)
        return elided("provider", "codex", "base text", why=WHY_BASE)
    why = "model_instructions_file in the configuration replaces Codex's base text"
    path = home_or(host.home, entry.value.data) or resolve(entry.base, entry.value.data)
    origin = entry.origin(entry.value)
    contents = host.read(path)
    doc = _trimmed(path, contents.data, why) if contents.state == "file" else None
    if doc is not None:
        draft.candidates.append(Candidate("loaded", why, origin, path=path, use="prompt"))
        return Segment("provider", path, doc.text, doc.origin, why, cut=our_cut(contents))
    says = "it is blank" if contents.state == "file" else STATE_SAYS[contents.state]
    draft.candidates.append(Candidate("failed", f"{why}: {says}", origin, path=path, use="prompt"))
    config.stop(f"Codex ends, because of model_instructions_file {path}: {says}. Correct the entry.", origin)
    return elided("provider", "codex", "base text", why=WHY_BASE)


def _developer(config: Config) -> Iterator[Segment]:
    """``developer_instructions``: one of the developer parts, without a wrapper (wire: developer-instructions)."""
    entry = config.entries.get("developer_instructions")
    if entry is not None and isinstance(entry.value.data, str) and entry.value.data.strip(SPACE):
        why = "developer_instructions in the configuration is one of the developer parts; which place it has varies"
        yield Segment("instructions", "developer_instructions", entry.value.data, entry.origin(), why)


# -- the instruction files -------------------------------------------------------------------------------------


def _wrapped(cwd: str, everywhere: Doc | None, project: list[Doc]) -> list[Segment]:
    """The message. Without project files its first line names no directory (wire: global-only, max-bytes-zero)."""
    if everywhere is None and not project:
        return []
    where = f" for {cwd}" if project else ""
    segments = [head(f"# AGENTS.md instructions{where}\n\n{OPENING}")]
    if everywhere is not None:
        segments.append(_segment(everywhere))
    for at, doc in enumerate(project):
        if at:
            segments.append(tail(BETWEEN_FILES))
        elif everywhere is not None:
            segments.append(tail(BETWEEN_GLOBAL_AND_PROJECT))
        segments.append(_segment(doc))
    return [*segments, tail(CLOSING)]


def _segment(doc: Doc) -> Segment:
    return Segment("instructions", doc.path, doc.text, doc.origin, doc.why, cut=doc.cut)


def _trimmed(path: str, data: bytes, why: str) -> Doc | None:
    """A file's text between white space; None if there is nothing else."""
    text = decode(data, keep_bom=True)
    kept = text.strip(SPACE)
    start = len(text) - len(text.lstrip(SPACE))
    where = LineIndex(text).range(start, start + len(kept))
    return Doc(path, kept, Origin("file", path=path, range=where), why) if kept else None


def _global_file(draft: Draft, host: Host, config: Config) -> Doc | None:
    """The first that is not blank, trimmed; it costs nothing of the budget (section 1)."""
    taken: Doc | None = None
    for name in (OVERRIDE, AGENTS):
        path = join(config.home, name)
        origin = Origin("computed", name=WHY_GLOBAL)
        contents = host.read(path)
        if contents.state != "file":
            outcome: Outcome = "missing" if contents.state in ("missing", "broken-link") else "failed"
            says = f"{WHY_GLOBAL}: {STATE_SAYS[contents.state]}"
            draft.candidates.append(Candidate(outcome, says, origin, path=path, state=contents.state))
        elif taken is not None:
            says = f"{WHY_GLOBAL}: {taken.path} comes first"
            draft.candidates.append(Candidate("shadowed", says, origin, path=path, other=taken.path))
        elif doc := _trimmed(path, contents.data, WHY_GLOBAL):
            cut = our_cut(contents)
            taken = replace(doc, cut=cut)
            says = f"{WHY_GLOBAL}: {OUR_LIMIT}" if cut else WHY_GLOBAL
            draft.candidates.append(Candidate("cut" if cut else "loaded", says, origin, path=path, cut=cut))
        else:
            says = f"{WHY_GLOBAL}: it is blank, so the next one has its turn"
            draft.candidates.append(Candidate("empty", says, origin, path=path))
    return taken


def _names(draft: Draft, config: Config, cwd: str) -> list[tuple[str, Origin]]:
    """The file names in order, each with what named it; fallback names that can bring nothing are told (section 3)."""
    names = [(name, Origin("computed", name=WHY_CHAIN)) for name in (OVERRIDE, AGENTS)]
    entry = config.entries.get(FALLBACK)
    for item in entry.names() if entry is not None else ():
        name, origin = str(item.data).strip(SPACE), entry.origin(item) if entry else Origin("computed")
        if not name or "/" in name:
            why = "Codex skips a blank fallback name"
            if name:
                why = "Codex loads nothing for a fallback name with a directory in it; give the bare file name"
            draft.candidates.append(Candidate("excluded", why, origin, path=resolve(cwd, name)))
        elif name in (known for known, _ in names):
            why = f"Codex looks for {name} already, and the first place counts"
            draft.candidates.append(Candidate("duplicate", why, origin, path=join(cwd, name), other=join(cwd, name)))
        else:
            names.append((name, origin))
    return names


def _chosen(draft: Draft, host: Host, config: Config, chain: list[str]) -> list[tuple[str, Origin]]:
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
                says = f"{WHY_CHAIN}: {first} comes first{blank}"
                draft.candidates.append(Candidate("shadowed", says, origin, path=path, other=first))
            else:
                state = host.read(path).state
                says = f"{WHY_CHAIN}: {STATE_SAYS[state]}"
                outcome: Outcome = "missing" if kind is None else "failed"
                rule = Origin("computed", name=WHY_CHAIN)
                draft.candidates.append(Candidate(outcome, says, rule, path=path, state=state))
    return chosen


def _project_files(draft: Draft, host: Host, config: Config, chain: list[str]) -> list[Doc]:
    """The chosen files, verbatim, as far as the budget goes: the deepest is cut first (section "Budget").

    A blank file costs nothing. One that cannot be read loses them all [source].
    """
    budget = _budget(config)
    docs: list[Doc] = []
    candidates: list[Candidate] = []
    unreadable: str | None = None
    for path, origin in _chosen(draft, host, config, chain):
        contents = host.read(path)
        kept = budget.fits(contents.size)
        whole = decode(contents.data, keep_bom=True)
        # Cut at a byte: half a character becomes U+FFFD (wire: max-bytes-utf8-cut).
        text = decode(contents.data[:kept], keep_bom=True)
        cut = budget.cut(kept, contents.size) or our_cut(contents)
        if contents.state != "file":
            if budget.left and unreadable is None:
                unreadable = path
            candidates.append(Candidate("failed", STATE_SAYS[contents.state], origin, path=path, state=contents.state))
        elif not whole.strip(SPACE):
            candidates.append(Candidate("empty", f"{WHY_CHAIN}: it is blank, and keeps its turn", origin, path=path))
        elif not budget.total:
            why = f"{budget.limit}, which turns project files off"
            candidates.append(Candidate("disabled", why, origin, path=path, cut=cut))
        elif not text.strip(SPACE):
            why = f"nothing of the budget is left for it: {budget.limit}"
            candidates.append(Candidate("dropped", why, origin, path=path, cut=cut))
        else:
            budget.spend(kept)
            why = f"{WHY_CHAIN}: {cut.limit}" if cut else WHY_CHAIN
            candidates.append(Candidate("cut" if cut else "loaded", why, origin, path=path, cut=cut))
            sent = Origin("file", path=path, range=LineIndex(whole).range(0, len(text)))
            docs.append(Doc(path, text, sent, WHY_CHAIN, cut))
    if unreadable is not None:
        why = f"Codex gives up all project files, because {unreadable} cannot be read"
        candidates = [
            replace(c, outcome="dropped", why=why, other=unreadable) if c.outcome in ("loaded", "cut") else c
            for c in candidates
        ]
    draft.candidates += candidates
    return docs if unreadable is None else []


def _budget(config: Config) -> Budget:
    """``project_doc_max_bytes``: one budget for all project files."""
    entry = config.entries.get(MAX_BYTES)
    if entry is None or not isinstance(entry.value.data, int):
        limit = f"{MAX_BYTES} is not set, so it is {DEFAULT_MAX_BYTES}; set a larger one in {config.user_file}"
        return Budget(DEFAULT_MAX_BYTES, "bytes", limit, Origin("builtin", name=MAX_BYTES))
    setting = entry.origin()
    where = f"{entry.path}:{setting.range.start_line + 1}" if entry.path and setting.range else "-c"
    return Budget(entry.value.data, "bytes", f"{MAX_BYTES} is {entry.value.data} in {where}", setting)


# -- what is not read ------------------------------------------------------------------------------------------


def _never_read(  # noqa: PLR0917 - the places, in the order they are told
    draft: Draft, host: Host, config: Config, chain: list[str], root: str | None, added: list[str]
) -> None:
    """Files that look as if Codex read them and that it does not (sections 1.2 and 4); only those that exist."""
    top = chain[0]
    if root is None:
        why = "there is no project root marker above the working directory, so Codex looks in it only"
    else:
        why = f"the project root is {root}, and Codex does not look above it"
    rule = Origin("computed", name=why)
    told: set[str] = set()

    def tell(path: str, outcome: Outcome, why: str, origin: Origin) -> None:
        if path not in told and host.kind(path) == "file":
            told.add(path)
            draft.candidates.append(Candidate(outcome, why, origin, path=path))

    for directory in upwards(parent(top)) if top != "/" else ():
        for name in (OVERRIDE, AGENTS):
            tell(join(directory, name), "outside", why, rule)
    why = "Codex reads no AGENTS.md in this place"
    rule = Origin("computed", name=why)
    for directory in (*chain, host.home):
        for name in (".codex", ".agents"):
            if host.realpath(join(directory, name)) != host.realpath(config.home):
                tell(join(directory, name, AGENTS), "excluded", why, rule)
    if host.home not in chain:
        tell(join(host.home, AGENTS), "excluded", why, rule)
    for directory in added:
        why = "--add-dir lets Codex write there, and loads no file of it"
        if directory not in chain:
            tell(join(directory, AGENTS), "excluded", why, Origin("argument", name="--add-dir"))


def _reads(draft: Draft, host: Host, config: Config, chain: list[str]) -> None:
    """What reading a file adds: nothing but the output of a command (wire: lazy-read-nested)."""
    entry = config.entries.get(FALLBACK)
    names = (OVERRIDE, AGENTS, *(str(item.data).strip(SPACE) for item in (entry.names() if entry else ())))
    for at, read in enumerate(draft.session.reads):
        event = f"read:{read}"
        for directory in upwards(parent(read)):
            if directory in chain or is_below(chain[0], directory):
                break
            for name in names:
                path = join(directory, name)
                if name and host.kind(path) == "file":
                    why = f"{WHY_READ}; start Codex in {directory} (-C) to have it loaded"
                    draft.candidates.append(
                        Candidate("outside", why, Origin("computed", name=WHY_READ), path=path, at=event)
                    )
                    break
        output = elided("runtime", "codex", f"output of the command that reads {read}", why=WHY_READ)
        draft.say("tool", [output], index=4 + 2 * at, at=event)


HARNESS = Harness(
    name="codex",
    title="Codex",
    versions=(Version("0.169.0", verified=True),),
    evidence=(".codex", OVERRIDE),
    preview=preview,
    loads=(
        "AGENTS.override.md, else AGENTS.md of CODEX_HOME (~/.codex), the first that is not blank",
        "one file of each directory from the project root down to the working directory: AGENTS.override.md, "
        "AGENTS.md, then the names in project_doc_fallback_filenames",
        "project files only up to project_doc_max_bytes in all (32768), root first",
        "model_instructions_file and developer_instructions of config.toml",
        ".codex/config.toml of a project, if the user's config.toml trusts it",
    ),
)
