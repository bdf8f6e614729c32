"""The messages of Claude Code: the first one with what is said at start, and those of later turns (1, 2)."""

from __future__ import annotations

from promptls.core.model import START
from promptls.core.values import replace
from promptls.harnesses.claude_code.environment import date, token_counter
from promptls.harnesses.claude_code.git_status import attribution, git_status
from promptls.harnesses.claude_code.message_blocks import NAME, in_reminder, merged, sectioned
from promptls.harnesses.claude_code.models import AUTO, PLAN, undated
from promptls.harnesses.claude_code.reminders import reminder, sections, sections_of_sub_agent, surroundings
from promptls.harnesses.claude_code.setup import EXCLUDE_DYNAMIC
from promptls.harnesses.claude_code.tools import request_for_output
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Segment, Turn
    from promptls.harnesses.claude_code.files.instruction_file import SentFile
    from promptls.harnesses.claude_code.message_blocks import Again, Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.start_values import StartedSession
    from promptls.harnesses.claude_code.turns.user_turns import TurnContent
    from promptls.kit.draft import Draft

# The first of the messages, behind the system array.
FIRST = 1


def first_message(  # noqa: PLR0917 - what is said, and where
    draft: Draft,
    started: StartedSession,
    entries: list[SentFile],
    said: TurnContent,
    index: int = FIRST,
    at: str = START,
) -> int:
    """Instruction files and what the user types; then the message of role system. Returns the last index."""
    setup, facts = started.setup, started.setup.facts
    # The first of the files that are mentioned is a message of its own (surfaces, 12).
    index = _mentioned_first(draft, said, index, at)
    ahead = said.called[said.alone :]
    block = 0
    # Between the reminders, where there are several (requests: mention-agents-md-s45).
    ahead += said.agents if _has_near_between(setup) else [*said.agents, *said.near]
    # A message for each, but where reminders are blocks of the user's (wire: typed-unknown-and-mention).
    blocks = ahead if setup.is_inline else merged([[piece] for piece in ahead])
    for piece in (*blocks, *([said.lead] if said.lead and not setup.is_inline else [])):
        draft.add_message("user", piece, index=index, block=block, at=at)
        block += 1
    after = _around_the_files(draft, started, entries, said)
    if after:
        # What is the last before the prompt ends with a line break (wire: settings-no-git-instructions, agent-flag).
        after[-1] = [*after[-1], tail(facts.files_end)]
    for piece in (*after, *merged(said.typed)):
        draft.add_message("user", piece, index=index, block=block, at=at)
        block += 1
    if setup.is_bare or not setup.has_system_messages:
        return index
    sections = sectioned(_sections(draft, started, said), tagged=setup.is_tagged)
    draft.add_message("system", sections, index=index + 1, at=at)
    return index + 1


def _mentioned_first(draft: Draft, said: TurnContent, index: int, at: str) -> int:
    """The call of the first file that is mentioned, and of a part of it the lines: messages of their own.

    Returns the index of the next one.
    """
    for piece in said.called[: said.alone]:
        draft.add_message("user", piece, index=index, at=at)
        index += 1
    return index


def _sections(draft: Draft, started: StartedSession, said: TurnContent) -> list[Block]:
    """What is said at start beside the files, with what the first turn brings."""
    if said.again is not None:
        return _sections_again(started, said, said.again)
    found = said.discovery
    mode = mode_sections(started)
    if not started.setup.facts.built_in_skills:
        return [*said.mentioned, *surroundings(started), *mode, *said.hooked]
    if started.task is not None:
        return sections_of_sub_agent(draft, started, said.mentioned, found.entries)
    if said.is_alone:
        return [] if started.setup.is_inline else [date(started.setup)]
    return sections(
        draft,
        started,
        mentioned=said.mentioned,
        thinking=said.thinking,
        near=said.bare if _has_near_between(started.setup) else (),
        discovered=found.notes,
        active=found.entries,
        counter=[] if said.is_command else token_counter(started.setup.at_start),
        mode=mode,
        editor=said.editor,
        hooked=said.hooked,
    )


def _sections_again(started: StartedSession, said: TurnContent, again: Again) -> list[Block]:
    """What a compaction makes the program say again, and what a later prompt brings (captured: compact-mention)."""
    setup = started.setup
    counter = [] if said.is_command else token_counter(setup)
    found = [
        *again.sections,
        *said.resumed,
        *said.mentioned,
        *said.model,
        *said.discovery.sections(setup),
        *said.modes,
        *said.editor,
    ]
    # The style is said again with what somebody types (seen by verify).
    found += [counter, *([] if again.goes_on else [style_reminder(started)]), *said.hooked]
    found += [date(setup)] if setup.has_system_messages and not again.has_front else []
    return [section for section in found if section]


def _has_near_between(setup: Setup) -> bool:
    """Whether the files near what is mentioned at start come between the reminders that are known in parts."""
    return setup.is_inline and bool(setup.facts.built_in_skills) and not setup.is_bare


def _around_the_files(draft: Draft, started: StartedSession, entries: list[SentFile], said: TurnContent) -> list[Block]:
    """The blocks between what is mentioned and what is typed, the files among them (surfaces, 1)."""
    setup, facts = started.setup, started.setup.facts
    found = _before_the_files(draft, started, said)
    has_front = said.again is not None and said.again.has_front
    if entries and not has_front:
        found.append(start_block(started, entries))
    if not has_front and started.has_git_status and facts.git_status_in_first_message:
        found.append(in_reminder(git_status(setup), "environment"))
    if facts.built_in_skills and setup.is_inline and not setup.is_bare and not has_front:
        found.append(in_reminder(date(setup), "environment"))
    if setup.excludes_dynamic and started.has_memory:
        why = f"{EXCLUDE_DYNAMIC} moves the part about memory here"
        found.append([elided("memory", NAME, "memory section", why=why)])
    if started.has_attribution and (commits := attribution(setup.at_start)):
        found.append(in_reminder(commits, "environment"))
    return found


def mode_sections(started: StartedSession) -> list[Block]:
    """What is said of some permission modes; a sub-agent hears of some in other words (captured: subagent-bypass)."""
    setup, found = started.setup, mode_of(started.setup)
    if started.lists is not None and not _is_concerned(setup.mode, started):
        return []
    if started.task is None or setup.mode not in setup.facts.modes_of_sub_agents:
        return found
    why = f"Claude Code says what the mode {setup.mode} means for a sub-agent"
    return [[elided("environment", NAME, f"mode {setup.mode}", why=why)] for _ in found]


def mode_of(setup: Setup) -> list[Block]:
    """The same for the main session (surfaces, 1; captured: mode-auto, mode-tools)."""
    facts, is_tagged = setup.facts, setup.is_tagged
    sizes = facts.mode_sizes_tagged if is_tagged else facts.mode_sizes
    is_seen = is_tagged or undated(setup.model) in facts.mode_models
    if setup.mode == AUTO and undated(setup.model) in facts.auto_models:
        is_seen, sizes = True, facts.mode_sizes_tagged
    if setup.mode not in sizes or not (is_seen or setup.mode == PLAN) or not _is_concerned(setup.mode, setup):
        return []
    why = f"Claude Code says what the mode {setup.mode} means"
    size = sizes[setup.mode] if is_seen else None
    return [[elided("environment", NAME, f"mode {setup.mode}", why=why, size=size)]]


def planning(setup: Setup) -> Setup:
    """The same in plan mode."""
    return replace(setup, chosen_mode=PLAN)


def _is_concerned(mode: str, known: Setup | StartedSession) -> bool:
    """Whether a mode is said something of: auto and bypass only if the model may both run commands and change files.

    It is about the choice between the two, in the main session and in a sub-agent (seen by verify).
    """
    return mode == PLAN or (known.has_tool("Bash") and (known.has_tool("Edit") or known.has_tool("Write")))


def left_to_say(draft: Draft, started: StartedSession, said: TurnContent) -> list[Block]:
    """What is said at start beside the files, where the first turn has not brought it (captured: typed-path-first)."""
    if started.setup.is_bare or not started.setup.facts.built_in_skills:
        return []
    found = _sections(draft, started, replace(said, is_alone=False))
    return found[:-1] if started.setup.has_system_messages else found


def later_message(  # noqa: PLR0917 - what a turn goes on from
    draft: Draft, started: StartedSession, said: TurnContent, index: int, at: str, waiting: list[Block]
) -> int:
    """A later turn: what is mentioned, and the prompt; no lists and no date again (surfaces, 1). The last index."""
    setup, again = started.setup, style_reminder(started)
    counter = (
        [] if said.is_command or said.is_alone or started.task is not None else token_counter(said.process or setup)
    )
    said_of_style = [section for section in (counter, again) if section]
    found = said.discovery.sections(setup)
    before = [*said.resumed, *said.mentioned, *said.model, *said.thinking]
    parts = [*before, *found, *said.modes, *said.editor, *said_of_style, *said.hooked]
    if waiting and not said.is_alone:
        parts = [*said.resumed, *said.mentioned, *waiting, *found, *said.editor, *said.hooked]
    inline = [in_reminder(part, "runtime") for part in parts] if setup.is_inline else []
    # The first of the files that are mentioned is a message of its own, as at start (captured: mention-in-later-turn).
    index = _mentioned_first(draft, said, index, at)
    ahead = [piece for piece in (*said.called[said.alone :], *said.agents, *said.near, *inline, *said.commits) if piece]
    messages = [ahead] if setup.is_inline else [[piece] for piece in ahead]
    if said.lead:
        messages = [*messages[:-1], [*(messages or [[]])[-1], said.lead]]
    for block, piece in enumerate(merged([*messages, *said.typed])):
        draft.add_message("user", piece, index=index, block=block, at=at)
    if parts and not inline:
        draft.add_message("system", sectioned(parts, tagged=setup.is_tagged), index=index + 1, at=at)
        return index + 1
    return index


def turn_ends(draft: Draft, setup: Setup, turn: Turn, index: int) -> int:
    """The answer that --json-schema asks for (requests: json-schema-resumed). Returns the last index."""
    if wanted := request_for_output(setup, turn):
        index += 2
        draft.add_message("user", wanted, index=index)
    return index


def style_reminder(started: StartedSession) -> Block:
    """What is said again of the output style after each step and with each turn (wire: style-steps)."""
    return reminder(started.style) if started.setup.facts.built_in_skills else []


def _before_the_files(draft: Draft, started: StartedSession, said: TurnContent) -> list[Block]:
    """Blocks ahead of the files: reminders where there is no message of role system."""
    setup, facts = started.setup, started.setup.facts
    if setup.is_bare:
        why = "a reminder with the date"
        date_block = elided("environment", NAME, "date", why=why, size=facts.bare_date)
        return [[date_block]] if facts.bare_date is not None else []
    if setup.has_system_messages:
        return []
    if facts.built_in_skills:
        found = [in_reminder(section, section[0].layer) for section in _sections(draft, started, said)]
        return [*found, said.lead] if said.lead else found
    first = [elided("tools", NAME, "reminder", why="a reminder with the list of skills")]
    own = [first if facts.surroundings is None else sectioned(surroundings(started))]
    mentioned, hooked = ([in_reminder(each, "runtime") for each in some] for some in (said.mentioned, said.hooked))
    return [*mentioned, *own, *hooked]


def start_block(started: StartedSession, entries: list[SentFile]) -> list[Segment]:
    """All files in one reminder, a blank line between two (2)."""
    facts = started.setup.facts
    found = [head("<system-reminder>\n")]
    if facts.introduction is not None:
        title = "introduction of the context"
        found += [elided("instructions", NAME, title, why=WHY_FRAME, size=facts.introduction)]
        found += [head("\n# claudeMd\n")]
    found += [elided("instructions", NAME, "preamble of the files", why=WHY_FRAME, size=facts.preamble)]
    for entry in entries:
        found += [tail("\n\n"), *entry.with_label(facts.labels)]
    if facts.caveat is not None:
        rest = elided("instructions", NAME, "date and caveat", why=WHY_FRAME, size=facts.caveat)
        found += [tail("\n"), replace(rest, cache="session")]
    return [*found, tail("\n</system-reminder>")]


WHY_FRAME = "Claude Code explains its instruction files"
