"""Codex CLI: one user message with the instruction files, root first.

Sections named here are those of the harness specification for Codex; [source] is the public source text.
"""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.harnesses.base import Harness
from promptls.harnesses.candidates import STATE_SAYS, Rule, argument, our_cut
from promptls.harnesses.codex.config import CodexConfig, project_root, read_config
from promptls.harnesses.codex.files import SPACE, Doc, global_file, project_files, trimmed
from promptls.harnesses.codex.spec import SPEC
from promptls.harnesses.codex.unread import never_read, reads
from promptls.harnesses.codex.versions import NEWEST, ROWS
from promptls.harnesses.draft import Draft
from promptls.harnesses.frames import elided, head, tail
from promptls.harnesses.shared import args
from promptls.harnesses.shared.paths import home_or, native, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.harnesses.codex.versions import Facts


# The wrapper, to the letter (section "Placement on the wire").
OPENING, CLOSING = "<INSTRUCTIONS>\n", "\n</INSTRUCTIONS>"
BETWEEN_FILES = "\n\n"
BETWEEN_GLOBAL_AND_PROJECT = "\n\n--- project-doc ---\n\n"

WHY_BASE = "Codex begins with its base text"
WHY_DEVELOPER = "Codex sends several developer parts of its own next"
WHY_ENVIRONMENT = "Codex describes the environment in the part after the instruction files"


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

    model = session.model or command.last("model") or config.text("model")
    draft.add_message("developer", [_base(draft, host, config, model)], index=0)
    own = list(_developer(config))
    draft.add_message("developer", own, index=1)
    rest = elided("provider", "codex", "developer parts", why=WHY_DEVELOPER)
    draft.add_message("developer", [rest], index=1, block=len(own))
    everywhere = global_file(draft, host, config)
    root = project_root(host, cwd, config.markers())
    chain = list(reversed(list(upwards(cwd, root or cwd))))
    project = project_files(draft, host, config, chain)
    draft.add_message("user", _wrapped(cwd, everywhere, project), index=2)
    block = 1 if everywhere or project else 0
    environment = elided("environment", "codex", "environment context", why=WHY_ENVIRONMENT)
    draft.add_message("user", [environment], index=2, block=block)
    never_read(draft, host, config, chain, root, [resolve(session.cwd, d) for d in command.values.get("add-dir", [])])
    reads(draft, host, config, chain)
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
        why = f"promptls does not model {option}; the prompt is shown without it"
        draft.candidates.append(argument(option, why))


# -- the developer messages ------------------------------------------------------------------------------------


def _base(draft: Draft, host: Host, config: CodexConfig, model: str | None) -> Segment:
    """``model_instructions_file``, trimmed, else ``instructions``, else Codex's own (wire: model-instructions-file).

    A file that is missing or blank ends Codex [source].
    """
    entry = config.entries.get("model_instructions_file")
    if entry is None or not isinstance(entry.value.data, str):
        inline = config.entries.get("instructions")
        if inline is not None and isinstance(inline.value.data, str):
            why = "instructions in the configuration replaces Codex's base text"
            return Segment("provider", "instructions", inline.value.data, inline.origin(), why)
        return elided("provider", "codex", "base text", why=WHY_BASE, size=_base_size(config.facts, model))
    why = "model_instructions_file in the configuration replaces Codex's base text"
    path = home_or(host.home, entry.value.data) or resolve(entry.base, entry.value.data)
    origin = entry.origin(entry.value)
    rule = Rule(why, origin, "prompt")
    contents = host.read(path)
    doc = trimmed(path, contents.data, why) if contents.state == "file" else None
    if doc is not None:
        draft.candidates.append(rule.loaded(path))
        return Segment("provider", path, doc.text, doc.origin, why, cut=our_cut(contents))
    says = "it is blank" if contents.state == "file" else STATE_SAYS[contents.state]
    draft.candidates.append(rule.failed(path, says))
    config.stop(f"Codex ends, because of model_instructions_file {path}: {says}. Fix the entry.", origin)
    return elided("provider", "codex", "base text", why=WHY_BASE)


def _base_size(facts: Facts, model: str | None) -> int | None:
    """The size of Codex's own base text; None for a model of its catalogue that was not captured."""
    known = facts.base.get(model)
    return known if known is not None or (model or "").startswith(facts.catalogue) else facts.base_of_others


def _developer(config: CodexConfig) -> Iterator[Segment]:
    """``developer_instructions``: the first developer part, without a wrapper (captured: developer-instructions)."""
    entry = config.entries.get("developer_instructions")
    if entry is not None and isinstance(entry.value.data, str) and entry.value.data.strip(SPACE):
        why = "developer_instructions in the configuration is the first of the developer parts"
        yield Segment("instructions", "developer_instructions", entry.value.data, entry.origin(), why)


# -- the instruction files --------------------------------------------------------------------------------------


def _wrapped(cwd: str, everywhere: Doc | None, project: list[Doc]) -> list[Segment]:
    """The message. Without project files its first line names no directory (wire: global-only, max-bytes-zero)."""
    if everywhere is None and not project:
        return []
    where = f" for {native(cwd)}" if project else ""
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
    name=SPEC.name,
    title=SPEC.title,
    versions=tuple(each.version for each in ROWS),
    evidence=SPEC.evidence,
    spec=SPEC,
    command="codex",
    package="@openai/codex",
    preview=preview,
    loads=(
        "AGENTS.override.md, else AGENTS.md of CODEX_HOME (~/.codex), the first that is not blank",
        "one file of each directory from project root to cwd: AGENTS.override.md, AGENTS.md, then fallback names",
        f"project files only up to project_doc_max_bytes in all ({NEWEST.max_bytes}), root first",
        "model_instructions_file and developer_instructions of config.toml",
        ".codex/config.toml of a project, if the user's config.toml trusts it",
    ),
)
