"""The system array of Claude Code: who is speaking, and the prompt, its own or another (specification, 1 and 8)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Origin, Segment
from promptls.core.text import decode, whole
from promptls.harnesses.claude_code.files.at_start import memory_directory
from promptls.harnesses.claude_code.git_status import git_status
from promptls.harnesses.claude_code.listing.skill_rows import description
from promptls.harnesses.claude_code.message_blocks import NAME
from promptls.harnesses.claude_code.models import undated
from promptls.harnesses.claude_code.setup import EXCLUDE_DYNAMIC, NO_TELEMETRY, NO_TRAFFIC
from promptls.harnesses.claude_code.system_sections import standard
from promptls.kit.base import iso_date
from promptls.kit.candidates import STATE_SAYS, Rule
from promptls.kit.paths import native, resolve
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.start_values import StartedSession
    from promptls.kit.draft import Draft

# In the request it comes first; its messages are counted from 1 here.
SYSTEM = 0
OF_EDITOR = "text of the editor"


def system(draft: Draft, started: StartedSession) -> None:
    """A line for billing, a line of identity, and everything else: three blocks, two of them cached."""
    setup = started.setup
    facts = setup.facts
    why = "the first block names the program and its version, for billing"
    size = facts.billing_line + len(setup.entry)
    if started.forks or (started.task is not None and not started.task.is_first):
        size += facts.billing_line_of_sub_agent
    draft.add_message("system", [elided("provider", NAME, "billing line", why=why, size=size)], index=SYSTEM)
    is_appended = setup.in_editor or bool(_option_text(draft, setup, "append-system-prompt"))
    size = facts.identity_line_with_append if is_appended else facts.identity_line
    if setup.is_interactive and started.task is None:
        # (captured: interactive-append)
        size = facts.identity_line_interactive
    why = "the second block says who is speaking"
    identity = [elided("provider", NAME, "identity line", why=why, size=size)]
    cached = may_cache(setup)
    draft.add_message("system", identity, index=SYSTEM, block=1, cached=cached)
    draft.add_message("system", _third(draft, started), index=SYSTEM, block=2, cached=cached)


def _third(draft: Draft, started: StartedSession) -> list[Segment]:
    """--system-prompt, else the agent's body, else the program's own prompt; then what is appended (8)."""
    setup = started.setup
    if started.task is not None:
        return _third_of_sub_agent(started)
    given = _option_text(draft, setup, "system-prompt")
    if given is not None:
        parts = [given]
        if started.agent is not None and not started.agent.is_built_in:
            rule = Rule("--system-prompt comes before the prompt of the agent", started.agent.body_origin, "prompt")
            draft.candidates.append(rule.shadowed(rule.origin.path))
    elif started.agent is not None and not started.agent.is_built_in:
        parts = [[started.agent.prompt(), *started.agent_memory]]
    else:
        parts = [_own_prompt(draft, started)]
    appended = _option_text(draft, setup, "append-system-prompt")
    if appended is not None and not setup.in_editor:
        parts.append(appended)
    if setup.in_editor:
        # In the place of what an option says (seen by verify).
        why = "the extension of the editor adds a text of its own, which promptls does not know"
        parts.append([elided("runtime", NAME, OF_EDITOR, why=why)])
    if started.has_git_status and not setup.facts.git_status_in_first_message:
        parts.append(git_status(setup))
    joined: list[Segment] = []
    for part in parts:
        if any(segment.text for segment in part):
            joined += [tail("\n\n", "provider"), *part] if joined else part
    return joined


def _third_of_sub_agent(started: StartedSession) -> list[Segment]:
    """The prompt of the agent, and the message of each of them (case subagent-skills)."""
    setup, facts, name = started.setup, started.setup.facts, started.task.name if started.task else ""
    why, size = "the prompt of a sub-agent", facts.agent_notes
    if size is not None and (setup.is_inline or setup.counts_tokens):
        size += facts.agent_notes_more
    size, more = _unasked(setup, size, facts.agent_notes_unasked)
    notes = elided("provider", NAME, "notes for sub-agents", why=why, size=size)
    own_size = next((each.prompt for each in facts.built_in_agents if each.name == name), None)
    own = [elided("provider", NAME, f"prompt of agent {name}", why=why, size=own_size)]
    if name == facts.guide:
        own = _guide(started)
    prompt = [started.agent.prompt()] if started.agent is not None else own
    return [*prompt, *started.agent_memory, tail("\n\n", "provider"), notes, *more]


def _guide(started: StartedSession) -> list[Segment]:
    """The prompt of the agent that knows the program: it names what the user has (captured: interactive-guide)."""
    facts = started.setup.facts
    skills = [skill for skill in started.skills.order if not skill.is_for_users_only]
    rows = [
        (f"\n- /{each.name}: ", description(each, facts.skill_first_line)[0], each.rule().origin) for each in skills
    ]
    agents = [(f"\n- {each.name}: ", each.description, each.origin) for each in started.agents]
    why, is_seen = "its prompt names skills and agents of the user", bool(rows and agents)
    listed = [
        [
            piece
            for name, says, origin in some
            for piece in (head(name), Segment("tools", name.strip(), says, origin, why))
        ]
        for some in (rows, agents)
    ]
    first, second, third = (
        elided("provider", NAME, f"prompt of agent {facts.guide}", why=why, size=size if is_seen else None)
        for size in facts.guide_prompt
    )
    between = tail("\n", "provider")
    return [first, *listed[0], between, second, *listed[1], between, between, third]


def _unasked(setup: Setup, size: int | None, unasked: int) -> tuple[int | None, list[Segment]]:
    """A size with the paragraphs that a server may leave out, or without, and these (captured: environment-default).

    They are sent where the program may not ask it; of what it answers nothing is known here.
    """
    if size is None or not unasked:
        return size, []
    if not setup.asks_what_is_on:
        return size + unasked, []
    why = (
        f"a server decides whether {unasked} characters more are sent, "
        f"because neither {NO_TELEMETRY} nor {NO_TRAFFIC} is set; without an answer they are not"
    )
    return size, [elided("runtime", NAME, "further paragraphs", why=why, offline=0)]


def _own_prompt(draft: Draft, started: StartedSession) -> list[Segment]:
    setup, facts = started.setup, started.setup.facts
    if setup.is_bare:
        why = "--bare and CLAUDE_CODE_SIMPLE leave only the working directory and the date"
        if facts.bare_prompt is not None:
            return [elided("provider", NAME, "bare prompt", why=why, size=facts.bare_prompt)]
        text = f"CWD: {native(setup.cwd)}\nDate: {iso_date(setup.host)}"
        return [Segment("environment", "bare prompt", text, COMPUTED, why, cache="turn")]
    if facts.own_prompt is None:
        sections = standard(draft, setup, started.style, has_memory=started.has_memory)
        return [piece for segment in sections for piece in (tail("\n\n", "provider"), segment)][1:]
    why = "Claude Code's own prompt; its size is that of a session without anything of one's own"
    size = _own_size(started)
    if facts.own_prompt_without_memory is not None and setup.excludes_dynamic:
        size, why = facts.own_prompt_without_memory, f"{why}; {EXCLUDE_DYNAMIC} removes the part about memory"
    size, more = _unasked(setup, size, facts.own_prompt_unasked)
    size = None if size is None else size - len(facts.prompt_begins)
    own = elided("provider", NAME, "own prompt", why=why, size=size)
    return [head(facts.prompt_begins, "provider"), own, *more]


def _own_size(started: StartedSession) -> int | None:
    """The size of its own prompt for the model, the tools and the style (surfaces, 5).

    It names the directory of the memory. Where a command asks for another model, only the program on the screen sends
    the prompt of that (captured: interactive-skill-model-step).
    """
    setup, facts = started.setup, started.setup.facts
    setup = setup.kept if setup.is_interactive else setup.before
    size = facts.own_prompt if setup.has_system_messages else facts.own_prompt_inline
    if size is None or facts.own_prompt_unknown is None:
        return size
    if setup.has_system_messages and setup.model != facts.default_model:
        size = facts.own_prompts.get(undated(setup.model), facts.own_prompt_unknown)
    if setup.is_interactive:
        size += facts.own_prompt_shell_inline if setup.has_older_texts else facts.own_prompt_shell
    if started.style is not None:
        size += facts.own_prompt_style
        # (captured: style-coding-inline)
        drops_coding = setup.has_older_texts and not started.style.keeps_coding
        size -= facts.own_prompt_coding_inline if drops_coding else 0
    if not started.has_skills:
        size -= facts.own_prompt_skill_tool_interactive if setup.is_interactive else facts.own_prompt_skill_tool
    if not started.has_memory:
        return size - (facts.memory_section if setup.has_system_messages else facts.memory_section_inline)
    return size + len(f"{native(memory_directory(setup))}/")


def _option_text(draft: Draft, setup: Setup, option: str) -> list[Segment] | None:
    """The text of an option or of the file that its -file variant names (wire: system-prompt-file)."""
    text = setup.command.last(option)
    why = f"--{option} gives this text"
    if text is not None:
        return [Segment("provider", f"--{option}", text, Origin("argument", name=f"--{option}"), why)]
    path = setup.command.last(f"{option}-file")
    if path is None:
        return None
    path = resolve(setup.cwd, path)
    rule = Rule(f"--{option}-file names it", Origin("argument", name=f"--{option}-file"), "prompt")
    contents = setup.host.read(path)
    if contents.state != "file":
        missing = rule.missing(path, STATE_SAYS[contents.state], state=contents.state)
        if missing not in draft.candidates:
            draft.candidates.append(missing)
        return []
    loaded = rule.loaded(path)
    if loaded not in draft.candidates:
        draft.candidates.append(loaded)
    text = decode(contents.data, keep_bom=False)
    return [Segment("provider", path, text, Origin("file", path=path, range=whole(text)), rule.why)]


def may_cache(setup: Setup) -> bool:
    """Whether the request has cache marks."""
    return not setup.is_on("DISABLE_PROMPT_CACHING")
