"""Codex CLI: its own texts first, then what it may do, the instruction files, the environment, and the prompt.

Sections named here are those of the specifications of Codex and of its surfaces; [source] is the public source text.
"""

from __future__ import annotations

from promptls.core.model import Origin, Segment, Turn
from promptls.core.values import replace
from promptls.harnesses.codex.files import trimmed
from promptls.harnesses.codex.listing.tools import tools
from promptls.harnesses.codex.messages.developer import DEFAULT, tool_texts
from promptls.harnesses.codex.request import Request
from promptls.harnesses.codex.spec import SPEC
from promptls.harnesses.codex.start.command_line import PLAN, REVIEW, name_options, read_start
from promptls.harnesses.codex.start.layers import read_config
from promptls.harnesses.codex.start.sandbox import approvals, sandbox
from promptls.harnesses.codex.start.setup import read_setup
from promptls.harnesses.codex.turns.history import History, main_history
from promptls.harnesses.codex.unread import never_read
from promptls.harnesses.codex.versions import NEWEST, ROWS
from promptls.kit.base import described
from promptls.kit.candidates import STATE_SAYS, Rule, our_cut
from promptls.kit.draft import Draft
from promptls.kit.paths import home_or, resolve
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.harnesses.codex.start.config import CodexConfig
    from promptls.harnesses.codex.start.setup import Setup

SUMMARY, TITLE = "summary", "title"
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
    name_options(draft, start.command, config)
    model = session.model or start.command.last("model") or config.text("model")
    setup = read_setup(draft, host, config, start, model)

    base = _base(draft, host, config, setup)
    if session.request == TITLE:
        base = elided("provider", "codex", "base text of the request for a title", why=WHY_BASE)
    history = _history(draft, host, setup)
    sender = history.setup
    if sender.base is not setup.base and base.elided is not None:
        base = _own_base(sender)
    never_read(draft, host, config, setup.chain, setup.root, start.added)
    request = Request(draft)
    # A request for a summary has no tools but those that are an item (captured: compact-typed-summary).
    is_whole = sender.model.has_tool_item or bool(sender.config.is_compacted_remotely)
    has_tools = session.request is None or (session.request == SUMMARY and is_whole)
    defined = tool_texts(sender) if has_tools else ()
    if sender.model.has_tool_item:
        request.send_tools(defined, is_item=True)
    if start.mode != "debug":
        request.send("developer", [base])
    if not sender.model.has_tool_item:
        request.send_tools(defined, is_item=False)
    request.send_items(history.items)
    if setup.servers:
        draft.notes.append(NOTE_SERVERS.format(", ".join(server.name for server in setup.servers)))
    return draft.prompt(
        model=history.model if history.model not in ("", setup.name) else model,
        tools=tools(sender, is_forked=history.is_forked) if has_tools else (),
        stopped=config.stopped,
        stopped_by=config.stopped_by,
    )


def _history(draft: Draft, host: Host, setup: Setup) -> History:
    """All that is said in the request that is shown: of the session, or of a sub-agent that its last call starts."""
    session = draft.session
    turns = session.turns or (Turn(),)
    if session.mode not in (None, PLAN, REVIEW):
        from promptls.core.later import no_mode  # noqa: PLC0415 - rarely asked for

        draft.notes += no_mode(session, SPEC, DEFAULT)
    if session.request == TITLE:
        from promptls.harnesses.codex.turns.title import title_items  # noqa: PLC0415 - rarely asked for

        return History(draft, host, setup, items=title_items(draft, host, setup, turns[0]))
    if setup.start.is_review:
        # It sees nothing of what was said before (captured: interactive-review).
        turns = turns[-1:]
    resumed = _resumed(draft, host, setup)
    if turns[-1].steps and any(call.steps is not None for call in turns[-1].steps[-1]):
        from promptls.harnesses.codex.turns.sub_agent import history_of_sub_agent  # noqa: PLC0415 - only after a call

        # What was said before the call; the call itself has no result yet.
        last = turns[-1]
        done = max(at for at, call in enumerate(last.steps[-1]) if call.steps is not None)
        before = (*turns[:-1], replace(last, steps=(*last.steps[:-1], last.steps[-1][:done])))
        found = history_of_sub_agent(
            draft, host, resumed or setup, turns, lambda: main_history(draft, host, setup, before, resumed)
        )
        if found is not None:
            return found
    if session.request == SUMMARY:
        turns = _before_summary(turns)
    history = main_history(draft, host, setup, turns, resumed)
    if session.request == SUMMARY:
        from promptls.harnesses.codex.turns.compaction import request_for_summary  # noqa: PLC0415 - rarely asked for

        history.items += request_for_summary(draft, host, history.setup)
    return history


def _before_summary(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns without the compaction at their end; of one before a prompt is sent, without that prompt, too."""
    last = turns[-1]
    if last.compact is not None and not last.steps:
        return turns[:-1]
    if not any(call.compact for step in last.steps[-1:] for call in step):
        return turns
    is_first = len(last.steps) == 1 and len(turns) > 1
    return turns[:-1] if is_first else (*turns[:-1], replace(last, steps=last.steps[:-1]))


def _resumed(draft: Draft, host: Host, setup: Setup) -> Setup | None:
    """The process that takes up a session of the program on the screen: ``codex exec resume``.

    That of the screen takes up its own sessions, which its command line says (captured: compact-resume-after).
    """
    turn = next((turn for turn in reversed(draft.session.turns) if turn.resumes), None)
    if turn is None or setup.start.mode != "interactive" or (turn.args or ())[:1] == ("resume",):
        return None
    asked = draft.session if turn.args is None else replace(draft.session, args=turn.args)
    start = read_start(replace(asked, interactive=False), host)
    around = sandbox(host, setup.config, start) if turn.args is not None else setup.sandbox
    return replace(setup, start=start, approvals=approvals(setup.config, start), sandbox=around)


def _base(draft: Draft, host: Host, config: CodexConfig, setup: Setup) -> Segment:
    """``model_instructions_file``, trimmed, else ``instructions``, else Codex's own (wire: model-instructions-file).

    A file that is missing or blank ends Codex [source]. A review has a text of its own (captured: review-exec).
    """
    if setup.start.is_review:
        return elided("provider", "codex", "base text of reviews", why=WHY_BASE, size=config.facts.review)
    entry = config.entries.get("model_instructions_file")
    if entry is None or not isinstance(entry.value.data, str):
        inline = config.entries.get("instructions")
        if inline is not None and isinstance(inline.value.data, str):
            why = "instructions in the configuration replaces Codex's base text"
            return Segment("provider", "instructions", inline.value.data, inline.origin(), why)
        return _own_base(setup)
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


def _own_base(setup: Setup) -> Segment:
    return elided("provider", "codex", "base text", why=WHY_BASE, size=setup.size_of_base(setup.base))


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
