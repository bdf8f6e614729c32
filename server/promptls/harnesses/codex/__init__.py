"""Codex CLI: its own texts first, then what it may do, the instruction files, the environment, and the prompt.

Sections named here are those of the specifications of Codex and of its surfaces; [source] is the public source text.
"""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.harnesses.codex.developer import developer, role_messages, tool_texts
from promptls.harnesses.codex.environment import environment
from promptls.harnesses.codex.files import Doc, global_file, project_files, trimmed
from promptls.harnesses.codex.request import Request
from promptls.harnesses.codex.spec import SPEC
from promptls.harnesses.codex.start.command_line import name_options, read_start
from promptls.harnesses.codex.start.layers import read_config
from promptls.harnesses.codex.start.setup import read_setup
from promptls.harnesses.codex.tools import tools
from promptls.harnesses.codex.turns import send_turns, session_hooks
from promptls.harnesses.codex.unread import never_read
from promptls.harnesses.codex.versions import NEWEST, ROWS
from promptls.kit.base import described
from promptls.kit.candidates import STATE_SAYS, Rule, our_cut
from promptls.kit.draft import Draft
from promptls.kit.paths import home_or, native, resolve
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.harnesses.codex.start.config import CodexConfig
    from promptls.harnesses.codex.versions import Model


# The wrapper, to the letter (section "Placement on the wire").
OPENING, CLOSING = "<INSTRUCTIONS>\n", "\n</INSTRUCTIONS>"
BETWEEN_FILES = "\n\n"
BETWEEN_GLOBAL_AND_PROJECT = "\n\n--- project-doc ---\n\n"

WHY_BASE = "Codex begins with its base text"
NOTE_SERVERS = (
    "Whether an MCP server can start is not known. One that cannot has neither a line nor tools in the request: {}."
)


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session: of ``codex exec``, unless the command line is that of another one (section 1)."""
    draft = Draft(session)
    start = read_start(session, host)
    config = read_config(draft, host, start.cwd, start.command)
    if start.command.last("cd") and host.kind(start.directory) is None:
        says = f"Codex ends, because there is no directory {start.directory}. Fix -C."
        config.stop(says, Origin("argument"))
    name_options(draft, start.command)
    model = session.model or start.command.last("model") or config.text("model")
    setup = read_setup(draft, host, config, start, model)

    request = Request(draft)
    base = _base(draft, host, config, setup.model)
    if setup.model.has_tool_item:
        request.send_tools(tool_texts(setup), is_item=True)
    if start.mode != "debug":
        request.send("developer", [base])
    if not setup.model.has_tool_item:
        request.send_tools(tool_texts(setup), is_item=False)
    request.send("developer", *developer(draft, host, setup))
    for message in role_messages(setup):
        request.send("developer", message)
    everywhere = global_file(draft, host, config)
    # Of a file there is no project (captured: settle-cd-file).
    project = project_files(draft, host, config, setup.chain) if host.kind(start.cwd) != "file" else []
    has_environment = config.is_on("include_environment_context", default=True)
    around = environment(host, start.cwd, setup.sandbox) if has_environment else []
    request.send("user", _wrapped(start.cwd, everywhere, project), around)
    session_hooks(request, setup)
    send_turns(request, host, setup)
    never_read(draft, host, config, setup.chain, setup.root, start.added)
    if setup.servers:
        draft.notes.append(NOTE_SERVERS.format(", ".join(server.name for server in setup.servers)))
    return draft.prompt(
        model=model,
        verified=True,
        tools=tools(setup),
        stopped=config.stopped,
        stopped_by=config.stopped_by,
    )


def _base(draft: Draft, host: Host, config: CodexConfig, model: Model) -> Segment:
    """``model_instructions_file``, trimmed, else ``instructions``, else Codex's own (wire: model-instructions-file).

    A file that is missing or blank ends Codex [source].
    """
    entry = config.entries.get("model_instructions_file")
    if entry is None or not isinstance(entry.value.data, str):
        inline = config.entries.get("instructions")
        if inline is not None and isinstance(inline.value.data, str):
            why = "instructions in the configuration replaces Codex's base text"
            return Segment("provider", "instructions", inline.value.data, inline.origin(), why)
        return elided("provider", "codex", "base text", why=WHY_BASE, size=model.base)
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


HARNESS = described(
    SPEC,
    ROWS,
    words={"model": tuple(NEWEST.models)},
    preview=preview,
    loads=(
        "AGENTS.override.md, else AGENTS.md of CODEX_HOME (~/.codex), the first that is not blank",
        "one file of each directory from project root to cwd: AGENTS.override.md, AGENTS.md, then fallback names",
        f"project files only up to project_doc_max_bytes in all ({NEWEST.max_bytes}), root first",
        "model_instructions_file and developer_instructions of config.toml",
        ".codex/config.toml of a project, if the user's config.toml trusts it",
        "SKILL.md below .codex/skills and .agents/skills from cwd to the project root: name and description",
        "the same of CODEX_HOME/skills, ~/.agents/skills, /etc/codex/skills and plugins",
        "the whole SKILL.md of each skill that the prompt names as $name",
        "what the sandbox allows; commands that rules/*.rules of CODEX_HOME or a trusted project allow",
        "roles of sub-agents in agents/**/*.toml of CODEX_HOME or a trusted project",
        "the working directory, the shell, the date and the time zone",
        "memories/memory_summary.md of CODEX_HOME, if features.memories is on",
        "placeholders for MCP servers and hooks, which promptls never runs",
        "With the prompt: what is piped to the program",
    ),
)
