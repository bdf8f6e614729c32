"""OpenClaw, as ``agent exec`` runs it.

Sections named here are those of the harness specification for openclaw; ``source`` is the package of that version.
"""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.model import COMPUTED, Cut, Elided, Origin, Segment
from promptls.core.text import LineIndex, decode, units
from promptls.core.values import dataclass, replace
from promptls.harnesses.openclaw.limits import Piece, fit, kept_size, size, squeeze
from promptls.harnesses.openclaw.spec import SPEC
from promptls.harnesses.openclaw.versions import NEWEST, ROWS
from promptls.kit import args, javascript
from promptls.kit.base import described
from promptls.kit.candidates import STATE_SAYS, Rule, not_modelled, our_cut, own
from promptls.kit.draft import Draft
from promptls.kit.paths import join, native, resolve
from promptls.kit.segments import elided, head, tail
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Layer, Outcome, Prompt, Session
    from promptls.harnesses.openclaw.versions import Facts

AGENTS, SOUL, IDENTITY, USER, BOOTSTRAP, MEMORY = NAMES = (
    "AGENTS.md",
    "SOUL.md",
    "IDENTITY.md",
    "USER.md",
    "BOOTSTRAP.md",
    "MEMORY.md",
)
# A missing one of these is announced; the others are left out (wire: agents-only).
ANNOUNCED = (AGENTS, SOUL, IDENTITY)
# Names of other versions and programs that lie in workspaces and are not sent (wire: all-bootstrap-files).
NOT_SENT = ("TOOLS.md", "HEARTBEAT.md", "BOOT.md", "CLAUDE.md")

FILE_LIMIT, TOTAL_LIMIT = "bootstrapMaxChars", "bootstrapTotalMaxChars"

# One functional line each, in this order, if the file is there or announced (section "Placement").
FUNCTIONS = {
    SOUL: "SOUL.md: persona/tone. Follow it unless higher-priority instructions override.",
    MEMORY: (
        "MEMORY.md: durable non-profile facts and decisions; use when relevant unless higher-priority "
        "instructions override."
    ),
    USER: (
        "USER.md: durable user preferences and profile directives; follow unless higher-priority instructions override."
    ),
}
END_OF_STABLE = "\n<!-- /openclaw:attempt:STABLE -->"

WHY_FILE = "OpenClaw sends these files of the agent's workspace, in this order, and does not look above it"
WHY_CONFIG = "OpenClaw reads its limits from openclaw.json"

VALUES = {
    "--cwd": "cwd",
    "--config": "config",
    "--model": "model",
    "--state-dir": "other",
    "--message-file": "other",
    "--thinking": "other",
    "--timeout": "other",
    "--fallback": "other",
    **dict.fromkeys(("--message", "-m"), "other"),
    "--agent": "agent",
}
SWITCHES = ("--isolated", "--auth-env-only", "--no-auth-env-only", "--json", "--local")
NOT_MODELLED = ("--code-mode", "--local-model-lean", "--session-key", "--session-id", "--to", "-t", "--channel")


@dataclass(frozen=True, slots=True)
class File:
    """A workspace file with what is sent for it: ``pieces`` under its limits, or ``says`` in its stead."""

    name: str
    path: str
    text: str = ""
    pieces: tuple[Piece, ...] = ()
    says: str = ""
    cut: Cut | None = None
    # The file is there and cannot be read: its place holds a reason that is not known here.
    is_unreadable: bool = False


@dataclass(frozen=True, slots=True)
class OpenclawConfig:
    """What the configuration says of one agent; ``path`` is None without one."""

    path: str | None
    document: Document | None
    defaults: Value
    own: Value
    root: Value

    def get(self, key: str) -> Value | None:
        """The agent's own value of ``key``, else the default one."""
        return self.own.get(key) or self.defaults.get(key)

    def limit(self, key: str, fallback: int) -> int:
        """A limit: a number over 0, else the fallback."""
        value = self.get(key)
        number = value.data if value is not None else None
        return int(number) if isinstance(number, float) and number > 0 else fallback


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of ``openclaw agent exec`` for a session: everything is in the system message."""
    draft = Draft(session)
    command = args.read(session.args, values=VALUES, switches=(*SWITCHES, *NOT_MODELLED))
    _name_options(draft, command)
    workspace = host.realpath(resolve(session.cwd, command.last("cwd") or "."))
    config = _config(draft, host, session, command)
    injection = config.get("contextInjection")
    is_off = injection is not None and injection.data == "never"
    looked = [] if is_off else list(_look(draft, host, workspace))
    files = _under_limits(draft, config, looked)
    if is_off:
        _name_switched_off(draft, host, workspace, config, injection)
    _name_others(draft, host, workspace, config)
    was_cut = any(units(file.text) > size(file.pieces) for file in looked_and_sent(looked, files))
    draft.add_message("system", _system(files, was_cut=was_cut), index=0)
    for index, read in enumerate(session.reads, 1):
        # Nothing comes with it (wire: lazy-read-nested).
        why = "the frame of its read tool is not known; reading a file adds no instructions"
        draft.add_message(
            "tool",
            [elided("runtime", "openclaw", f"result of reading {read}", why=why)],
            index=index,
            at=f"read:{read}",
        )
    stopped = None
    if host.kind(workspace) != "directory":
        stopped = f"OpenClaw ends, because there is no directory {workspace}. Fix --cwd."
    return draft.prompt(
        model=session.model or command.last("model"),
        agent=session.agent or command.last("agent"),
        stopped=stopped,
        stopped_by=Origin("argument", name="--cwd") if stopped else None,
    )


def looked_and_sent(looked: list[File], files: list[File]) -> Iterator[File]:
    """Every file that was found, as it is sent; with no pieces where it was dropped."""
    sent = {file.name: file for file in files}
    yield from (sent.get(file.name, file) for file in looked)


def _name_options(draft: Draft, command: args.Arguments) -> None:
    draft.candidates += map(not_modelled, command.not_modelled(NOT_MODELLED))


# -- configuration -----------------------------------------------------------------------------------------------


def _config(draft: Draft, host: Host, session: Session, command: args.Arguments) -> OpenclawConfig:
    """openclaw.json: the one that is named, else that of the state directory (section "Limits"; docs cli/agent)."""
    nothing = OpenclawConfig(None, None, EMPTY, EMPTY, EMPTY)
    if command.switches & {"--isolated", "--auth-env-only"}:
        return nothing
    path = _config_path(host, session, command.last("config"))
    contents, rule = host.read(path), own(WHY_CONFIG, use="config")
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return nothing
    document = parse_json(decode(contents.data, keep_bom=False), comments=True)
    if document.root is None or document.flaw is not None:
        # No fault: what JSON with comments does not allow may well be right in JSON5.
        why = f"{WHY_CONFIG}, which is JSON5; promptls reads JSON with comments, and could not read all of this file"
        draft.candidates.append(replace(rule, why=why).failed(path))
        draft.notes.append("The limits in openclaw.json may not be known: promptls reads JSON with comments only.")
    else:
        draft.candidates.append(rule.loaded(path))
    root = document.root or EMPTY
    include = root.get("$include")
    if include is not None:
        where = Origin("config", path=path, range=document.range(include), name="$include")
        draft.candidates.append(Rule("promptls does not follow $include", where, "config").excluded())
    agents = root.get("agents") or EMPTY
    defaults, entries = agents.get("defaults") or EMPTY, agents.get("entries") or EMPTY
    sole = next(entries.names(), None) if len(entries.members) == 1 else None
    agent = session.agent or command.last("agent") or (defaults.get("systemAgent") or EMPTY).text("agentId") or sole
    return OpenclawConfig(path, document, defaults, entries.get(agent or "main") or EMPTY, root)


def _config_path(host: Host, session: Session, asked: str | None) -> str:
    env = host.env
    named = asked or env.get("OPENCLAW_CONFIG_PATH", "").strip()
    if named:
        return resolve(session.cwd, join(host.home, named[2:]) if named.startswith("~/") else named)
    profile = env.get("OPENCLAW_PROFILE", "").strip()
    folder = f".openclaw-{profile}" if profile and profile.lower() != "default" else ".openclaw"
    home = env.get("OPENCLAW_HOME", "").strip() or host.home
    state = env.get("OPENCLAW_STATE_DIR", "").strip() or join(home, folder)
    return join(resolve(session.cwd, state), "openclaw.json")


# -- files (section "Files") -------------------------------------------------------------------------------------


def _look(draft: Draft, host: Host, workspace: str) -> Iterator[File]:
    """The files of the workspace, whole, as far as something is sent for them."""
    rule = own(WHY_FILE)
    entries = {entry.name: entry for entry in host.entries(workspace)}
    largest = row(ROWS, draft.session.version).largest
    for name in NAMES:
        path = join(workspace, name)
        contents = host.read(path)
        entry = entries.get(name)
        if entry is not None and entry.is_link:
            # Links above the file are followed, the file itself must not be one (source).
            state = contents.state if contents.state == "broken-link" else None
            draft.candidates.append(rule.failed(path, "it is a link, which OpenClaw does not follow here", state=state))
            yield File(name, path, is_unreadable=True)
        elif contents.state == "missing":
            announced = name in ANNOUNCED
            reason = "it is missing, which OpenClaw says in its place" if announced else ""
            draft.candidates.append(rule.missing(path, reason, state="missing"))
            if announced:
                yield File(name, path, says=f"[MISSING] Expected at: {native(path)}")
        elif contents.state != "file" or contents.size > largest:
            over = f"it is over {largest // (1024 * 1024)} MiB, which OpenClaw does not read"
            reason = over if contents.state == "file" else STATE_SAYS[contents.state]
            draft.candidates.append(rule.failed(path, reason, state=contents.state))
            yield File(name, path, is_unreadable=True)
        elif text := javascript.trim_end(decode(contents.data, keep_bom=True)):
            draft.candidates.append(rule.loaded(path))
            yield File(name, path, text, cut=our_cut(contents))
        else:
            draft.candidates.append(rule.empty(path, "it is blank"))


def _name_others(draft: Draft, host: Host, workspace: str, config: OpenclawConfig) -> None:
    """What lies there and is not sent, and what promptls does not know."""
    for name in NOT_SENT:
        path = join(workspace, name)
        if host.kind(path) == "file":
            why = f"OpenClaw {draft.session.version} does not send {name}; put it into AGENTS.md"
            draft.candidates.append(replace(own(WHY_FILE), why=why).excluded(path))
    users = join(workspace, "users")
    if host.kind(users) == "directory":
        why = "a person's own users/ID/USER.md may follow USER.md; promptls does not know whose session this is"
        draft.candidates.append(replace(own(WHY_FILE), why=why).excluded(users))
    hooks = ((config.root.get("hooks") or EMPTY).get("internal") or EMPTY).get("entries") or EMPTY
    extra = hooks.get("bootstrap-extra-files")
    if extra is not None and config.document is not None:
        where = Origin("config", path=config.path, range=config.document.range(extra), name="bootstrap-extra-files")
        why = "this hook adds files to the prompt, which promptls does not model"
        draft.candidates.append(Rule(why, where).excluded())


def _name_switched_off(draft: Draft, host: Host, workspace: str, config: OpenclawConfig, value: Value | None) -> None:
    for name in NAMES:
        path = join(workspace, name)
        if value is not None and config.document is not None and host.kind(path) is not None:
            where = Origin("config", path=config.path, range=config.document.range(value), name="contextInjection")
            draft.candidates.append(Rule("contextInjection is never", where).disabled(path))


# -- limits (section "Limits") -----------------------------------------------------------------------------------


def _under_limits(draft: Draft, config: OpenclawConfig, looked: list[File]) -> list[File]:
    """The files that are sent, each under its limit and all under the total."""
    facts = row(ROWS, draft.session.version)
    each, left = config.limit(FILE_LIMIT, facts.file_limit), config.limit(TOTAL_LIMIT, facts.total_limit)
    sent: list[File] = []
    is_over = False
    for file in looked:
        is_over = is_over or left <= 0 or (not file.says and left < facts.least_left)
        if is_over:
            _change(draft, file.path, "dropped", f"{TOTAL_LIMIT} was used up before it")
            continue
        if file.says:
            mark = "…" if left > facts.most_without_mark else ""
            end = javascript.head(file.says, left - len(mark))
            says = file.says if units(file.says) <= left else file.says[:end] + mark
            sent.append(File(file.name, file.path, says=says))
            left -= units(says)
            continue
        if file.is_unreadable:
            sent.append(file)
            continue
        limit = min(each, facts.user_limit if file.name == USER else each, left)
        pieces = fit(file.name, file.text, limit, facts)
        left -= size(pieces)
        cut = file.cut
        if kept_size(pieces) < units(file.text):
            cut = Cut(kept_size(pieces), units(file.text), "characters", _whose(facts, file.name, limit, each))
            _change(draft, file.path, "cut", f"it has {cut.total} characters and {cut.limit} leaves {limit}")
        sent.append(File(file.name, file.path, file.text, tuple(pieces), cut=cut))
    return sent


def _whose(facts: Facts, name: str, limit: int, each: int) -> str:
    if name == USER and limit == facts.user_limit:
        return f"OpenClaw's own limit for {USER} ({limit})"
    return f"{FILE_LIMIT} ({each})" if limit == each else TOTAL_LIMIT


def _change(draft: Draft, path: str, outcome: Outcome, reason: str) -> None:
    """Give the candidate of ``path`` another outcome, unless nothing of it would be sent anyway."""
    for at, candidate in enumerate(draft.candidates):
        if candidate.path == path and candidate.outcome == "loaded":
            draft.candidates[at] = replace(candidate, outcome=outcome, reason=reason)


# -- the system message (section "Placement") --------------------------------------------------------------------


def _system(files: list[File], *, was_cut: bool) -> list[Segment]:
    why = "OpenClaw's own sections come before the files: identity, tools, safety, workspace"
    segments = [elided("provider", "openclaw", "sections before the workspace files", why=why), tail("\n", "provider")]
    if was_cut:
        why = "a workspace file was cut or dropped; the notice names no file"
        segments += [elided("provider", "openclaw", "bootstrap truncation warning", why=why), tail("\n", "provider")]
    if files:
        names = {file.name for file in files}
        lines = [
            "# Project Context",
            "Loaded project context:",
            *(FUNCTIONS[name] for name in FUNCTIONS if name in names),
        ]
        segments.append(head("\n".join(lines)))
        for file in files:
            segments += _file(file)
    why = "sections that change from turn to turn follow: date, messages, runtime"
    return [
        *segments,
        tail(END_OF_STABLE),
        tail("\n"),
        elided("runtime", "openclaw", "sections after the mark", why=why),
    ]


def _file(file: File) -> Iterator[Segment]:
    yield head(f"\n## {native(file.path)}\n", path=None if file.says else file.path)
    if file.says:
        yield Segment(
            "instructions", f"{file.name} is missing", file.says, COMPUTED, "OpenClaw says that it is missing"
        )
    if file.is_unreadable:
        yield head("[UNREADABLE: ")
        says = f"⟪the reason why {file.name} cannot be read⟫"
        yield Segment("instructions", file.name, says, COMPUTED, WHY_FILE, elided=Elided("reason"))
        yield tail("]")
    lines = LineIndex(file.text)
    layer: Layer = "memory" if file.name == MEMORY else "instructions"
    for piece in squeeze(file.pieces):
        if piece.start is not None:
            where = Origin("file", path=file.path, range=lines.range(piece.start, piece.start + len(piece.text)))
            yield Segment(layer, file.path, piece.text, where, WHY_FILE, cut=file.cut)
        elif piece.is_digest:
            why = "of an AGENTS.md over its limit OpenClaw picks the rule-like lines"
            where = Origin("computed", path=file.path)
            yield Segment("instructions", f"policy digest of {file.name}", piece.text, where, why, cut=file.cut)
        else:
            yield tail(piece.text)


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "AGENTS.md, SOUL.md, IDENTITY.md, USER.md, BOOTSTRAP.md and MEMORY.md of the workspace, in this order",
        "Nothing above the workspace, nothing below it, nothing on read; TOOLS.md and HEARTBEAT.md no longer",
        (
            f"At most {NEWEST.file_limit} characters a file (USER.md {NEWEST.user_limit}) and {NEWEST.total_limit} in "
            "all, unless openclaw.json says otherwise"
        ),
        "A sub-agent gets AGENTS.md only",
    ),
)
