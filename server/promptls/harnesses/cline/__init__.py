"""Cline's command line: rules at the end of one system message. Sections are those of its specification.

What says "source" was read in the program's package and not seen on the wire.
"""

from __future__ import annotations

from promptls.harnesses.cline.reading import read_result
from promptls.harnesses.cline.rules import AGENTS, RULES_FILE, send_rules
from promptls.harnesses.cline.spec import SPEC
from promptls.harnesses.cline.versions import ROWS
from promptls.kit import args
from promptls.kit.base import built_in, described
from promptls.kit.candidates import left_out
from promptls.kit.chat import send_plain
from promptls.kit.draft import Draft
from promptls.kit.named import skills_in
from promptls.kit.paths import join, resolve
from promptls.kit.segments import elided, head, tail
from promptls.kit.unread_files import name_above, name_nested, name_unread
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Segment, Session
    from promptls.kit.named import Named

VALUES = {
    **dict.fromkeys(("--cwd", "-c"), "cwd"),
    **dict.fromkeys(("--model", "-m"), "model"),
    **dict.fromkeys(("--provider", "-P", "--key", "-k", "--auto-approve", "--baseurl", "-b"), "other"),
}
WHY_BASE = "Cline begins with its own instructions; the rules are at the end"
WHY_ENVIRONMENT = "it is filled into the text: system, date and working directory"
WHY_ABOVE = "Cline reads the files of the working directory only, and does not look above it; start it there to load it"
WHY_NESTED = "Cline adds nothing when a file is read; start it there to load it"
WHY_NAME = "Cline does not read a file of this name; put it into .clinerules"
WHY_PLACE = "Cline does not read this place; its global rules are in ~/.cline/rules and ~/Documents/Cline/Rules"
# In this order (captured: skills in eight places of a folder); those of the home directory were not captured.
SKILLS = (".clinerules/skills", ".cline/skills", ".agents/skills")
WHY_SKILLS = "Cline names skills in the definition of the tool skills"
WHY_PLAIN = "Cline adds no rules to what is typed or read"


def preview(session: Session, host: Host) -> Prompt:
    """The last request of Cline for a session (wire: root-names)."""
    draft = Draft(session)
    facts = row(ROWS, session.version)
    command = args.read(session.args, values=VALUES)
    asked = command.last("cwd")
    cwd = host.realpath(resolve(session.cwd, asked or "."))
    base = elided("provider", SPEC.title, "system prompt", why=WHY_BASE, size=facts.base)
    place = elided("environment", SPEC.title, "environment", why=WHY_ENVIRONMENT)
    draft.add_message("system", [base, place, *send_rules(draft, host, cwd)], index=0)
    skills = list(skills_in(host, [join(cwd, each) for each in SKILLS], WHY_SKILLS, draft.candidates.append))
    if skills:
        intro = elided("tools", SPEC.title, "description of tool skills", why=WHY_SKILLS, size=facts.skills_intro)
        draft.add_message("tools", [intro, *_names(skills)], index=0, block=1)
    send_plain(draft, SPEC.title, index=1, why=WHY_PLAIN, read=lambda path: read_result(host, facts, path))
    _unread(draft, host, cwd)
    draft.candidates += left_out(session, command.unknown, SPEC.title)
    model = session.model or command.last("model")
    named = sum(len(each.text) for each in _names(skills))
    of_skills = {"skills": facts.skills_tool + named} if skills else {}
    return draft.prompt(model=model, verified=True, tools=built_in({**of_skills, **facts.tools}))


def _names(skills: Sequence[Named]) -> Iterator[Segment]:
    """The end of the description of the tool (surfaces: skill-tool)."""
    for number, skill in enumerate(skills):
        yield head(", " if number else " Available skills: ", "tools")
        # Only the name stands there, nothing of the text.
        yield head(skill.name, "tools", path=skill.path)
    if skills:
        yield tail(".", "tools")


def _unread(draft: Draft, host: Host, cwd: str) -> None:
    """What looks as if it was read (wire: root-names, chain-cwd-in-subdir, nested-read)."""
    names = ("CLAUDE.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md")
    name_unread(draft, host, WHY_NAME, [join(cwd, each) for each in (*names, ".agents/AGENTS.md")])
    name_unread(draft, host, WHY_NAME, _below(host, join(cwd, ".agents", "rules")))
    wrong = (AGENTS, ".cline/AGENTS.md", ".claude/CLAUDE.md", RULES_FILE)
    name_unread(
        draft,
        host,
        WHY_PLACE,
        [*(join(host.home, each) for each in wrong), *_below(host, join(host.home, ".clinerules"))],
    )
    name_above(draft, host, WHY_ABOVE, cwd, (AGENTS, RULES_FILE))
    name_nested(draft, host, WHY_NESTED, cwd, (AGENTS, RULES_FILE))


def _below(host: Host, directory: str) -> list[str]:
    return sorted(join(directory, each.name) for each in host.entries(directory))


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "AGENTS.md and .clinerules of the working directory: a file, or a directory of .md and .txt files",
        ".cline/rules of the working directory",
        "~/.agents/AGENTS.md, and the rules in ~/.cline/rules, ~/Cline/Rules and ~/Documents/Cline/Rules",
        "Of several rules of one name the last one; all of them sorted by name",
    ),
)
