"""Codex CLI 0.169.0: one user message with the instruction files, root first.

Sections named here are those of the harness specification for Codex; [source] is the public source text.
"""

from __future__ import annotations

from promptls.core.model import Candidate, Origin, Segment
from promptls.harnesses import args
from promptls.harnesses.base import (
    STATE_SAYS,
    Draft,
    Harness,
    Version,
    elided,
    head,
    our_cut,
    tail,
)
from promptls.harnesses.codex_config import Config, project_root, read_config
from promptls.harnesses.codex_files import OVERRIDE, SPACE, Doc, global_file, project_files, trimmed
from promptls.harnesses.codex_unread import never_read, reads
from promptls.harnesses.paths import home_or, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session


# The wrapper, to the letter (section "Placement on the wire").
OPENING, CLOSING = "<INSTRUCTIONS>\n", "\n</INSTRUCTIONS>"
BETWEEN_FILES = "\n\n"
BETWEEN_GLOBAL_AND_PROJECT = "\n\n--- project-doc ---\n\n"

WHY_BASE = "Codex begins with its base text"
WHY_DEVELOPER = "Codex sends several developer parts of its own next"
WHY_ENVIRONMENT = "Codex describes the environment in the part behind the instruction files"


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of ``codex exec`` for a session."""
    draft = Draft(session)
    command = args.read(session.args, values=VALUES, switches=(*SWITCHES, *NOT_MODELLED), greedy=("image",))
    directory = resolve(session.cwd, command.last("cd") or ".")
    cwd = host.realpath(directory)
    config = read_config(draft, host, cwd, command)
    if command.last("cd") and host.kind(directory) != "directory":
        config.stop(f"Codex ends, because there is no directory {directory}. Correct -C.", Origin("argument"))
    _name_options(draft, command)

    draft.say("developer", [_base(draft, host, config)], index=0)
    draft.say("developer", [elided("provider", "codex", "developer parts", why=WHY_DEVELOPER)], index=1)
    draft.say("developer", _developer(config), index=1, block=1)
    everywhere = global_file(draft, host, config)
    root = project_root(host, cwd, config.markers())
    chain = list(reversed(list(upwards(cwd, root or cwd))))
    project = project_files(draft, host, config, chain)
    draft.say("user", _wrapped(cwd, everywhere, project), index=2)
    block = 1 if everywhere or project else 0
    environment = elided("environment", "codex", "environment context", why=WHY_ENVIRONMENT)
    draft.say("user", [environment], index=2, block=block)
    never_read(draft, host, config, chain, root, [resolve(session.cwd, d) for d in command.values.get("add-dir", [])])
    reads(draft, host, config, chain)
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
    """``model_instructions_file``, trimmed, else ``instructions``, else Codex's own (wire: model-instructions-file).

    A file that is missing or blank ends Codex [source].
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
    doc = trimmed(path, contents.data, why) if contents.state == "file" else None
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


# -- the instruction files --------------------------------------------------------------------------------------


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


HARNESS = Harness(
    name="codex",
    title="Codex",
    versions=(Version("0.169.0", verified=True),),
    evidence=(".codex", OVERRIDE),
    command="codex",
    package="@openai/codex",
    preview=preview,
    loads=(
        "AGENTS.override.md, else AGENTS.md of CODEX_HOME (~/.codex), the first that is not blank",
        "one file of each directory from project root to cwd: AGENTS.override.md, AGENTS.md, then fallback names",
        "project files only up to project_doc_max_bytes in all (32768), root first",
        "model_instructions_file and developer_instructions of config.toml",
        ".codex/config.toml of a project, if the user's config.toml trusts it",
    ),
)
