"""Skills that a prompt names with ``$name``: their files follow the prompt, whole (section 3 of the surfaces)."""

from __future__ import annotations

import re
from collections import Counter

from promptls.core.lazy import regex
from promptls.core.model import Segment
from promptls.core.text import decode, whole
from promptls.core.values import replace
from promptls.harnesses.codex.skills.found import ADMIN, REPO, SYSTEM, USER
from promptls.kit.candidates import STATE_SAYS, our_cut, own
from promptls.kit.paths import native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.harnesses.codex.skills.found import Skill
    from promptls.kit.draft import Draft

WHY = "the prompt names this skill, so Codex sends its file"
# The order of the messages, which is not that of the list (captured: skill-mention-order).
SCOPES = (REPO, USER, SYSTEM, ADMIN)
_MENTION = regex(r"\[\$([A-Za-z0-9_:-]++)\]\s*+\(([^)]*+)\)|\$([A-Za-z0-9_:-]++)", re.ASCII)
# Variables of a shell, in any case (captured: skill-mention-env; [source]).
VARIABLES = {"PATH", "HOME", "USER", "SHELL", "PWD", "TMPDIR", "TEMP", "TMP", "LANG", "TERM", "XDG_CONFIG_HOME"}
SCHEME = "skill://"


def mentioned(prompt: str, skills: Sequence[Skill]) -> list[Skill]:
    """The skills that a prompt names: by a link to their file first, then by name.

    A name that two skills have names none of them (parts: skill-mention-link; captured: skill-mention-duplicate).
    """
    links: set[str] = set()
    names: set[str] = set()
    for linked, path, plain in _MENTION.findall(prompt):
        if (linked or plain).upper() not in VARIABLES:
            (links if linked else names).add(path.strip().removeprefix(SCHEME) if linked else plain)
    ordered = sorted(skills, key=lambda skill: (SCOPES.index(skill.scope), skill.name, skill.path.split("/")))
    counts = Counter(skill.name for skill in skills)
    by_link = [skill for skill in ordered if skill.path in links or skill.real in links]
    by_name = [skill for skill in ordered if skill.name in names and counts[skill.name] == 1 and skill not in by_link]
    return [*by_link, *by_name]


def bodies(draft: Draft, host: Host, prompt: str, skills: Sequence[Skill], at: str) -> Iterator[list[Segment]]:
    """One message for each skill that a prompt names, to the letter (parts: skill-mention, skill-mention-big)."""
    rule = replace(own(WHY, use="skill"), at=at)
    for skill in mentioned(prompt, skills):
        opening = f"<skill>\n<name>{skill.name}</name>\n<path>{native(skill.real)}</path>\n"
        contents = host.read(skill.path)
        segments = [head(opening, path=skill.path if contents.state == "file" else None)]
        if contents.state == "file":
            text = decode(contents.data, keep_bom=True)
            origin = replace(skill.origin, range=whole(text))
            segments.append(Segment("instructions", skill.path, text, origin, WHY, cut=our_cut(contents)))
            draft.candidates.append(rule.read(skill.path, contents))
        elif skill.size is not None:
            segments.append(elided("instructions", "codex", f"skill {skill.name}", why=WHY))
        else:
            draft.candidates.append(rule.failed(skill.path, STATE_SAYS[contents.state], state=contents.state))
            continue
        yield [*segments, tail("\n</skill>")]
