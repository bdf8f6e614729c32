"""What Claude Code says of a command that it does not know: which there are, and which is the nearest (surfaces, 8)."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.harnesses.claude_code.listing.skill_list import OFF, overrides_of
from promptls.harnesses.claude_code.message_blocks import NAME, in_reminder
from promptls.harnesses.claude_code.setup import NO_TRAFFIC
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.harnesses.claude_code.listing.skills import Skills
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup

# Names that are listed; others are counted (wire: typed-unknown-names).
_LISTED = regex(r"[\w:.-]+", re.ASCII)


def reminder(setup: Setup, skills: Skills, name: str) -> Block:
    """A reminder that lists the commands there are (case command-unknown)."""
    facts, overrides = setup.facts, overrides_of(setup)
    own = [each for each in skills.typable if each.is_for_users and overrides.get(each.name) != OFF[0]]
    own = [each for each in own if not each.patterns or each.name in skills.active]
    listed = [each.shown for each in own if not each.is_for_users_only and _LISTED.fullmatch(each.shown)]
    local = facts.local_commands + (0 if setup.is_set(NO_TRAFFIC) else facts.local_commands_online)
    others = local + len(own) - len(listed)
    built_in = (each.name for each in setup.typed_skills if overrides.get(each.name) != OFF[0])
    listed += [each for each in built_in if each not in listed]
    why = "the prompt begins with a command that Claude Code does not know"
    begins = head(f"The user's message starts with the slash command /{name}, ", "runtime")
    found = [begins, elided("runtime", NAME, "reminder of unknown commands", why=why, size=facts.unknown_command[0])]
    if near := nearest(name, (*listed, *facts.unlisted_commands), facts.near_letters):
        found.append(head(f"The closest available command is /{near}. Ask the user before running it. ", "runtime"))
    all_of_them = ", ".join(f"/{each}" for each in listed)
    found.append(tail(f"Slash commands available in this session: {all_of_them}, and {others} more.", "runtime"))
    found.append(elided("runtime", NAME, "reminder of unknown commands, rest", why=why, size=facts.unknown_command[1]))
    return in_reminder(found, "runtime")


def nearest(name: str, names: Iterable[str], most: int) -> str | None:
    """The first of those names that differ least, by at most so many letters."""
    found, least = None, most + 1
    for each in names:
        if abs(len(each) - len(name)) < least and (away := _distance(name, each)) < least:
            found, least = each, away
    return found


def _distance(one: str, other: str) -> int:
    """How many letters have to be put in, left out or replaced."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for to, each in enumerate(other, 1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (letter != each))
    return row[-1]
