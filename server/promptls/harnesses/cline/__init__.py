"""Cline's command line: rules at the end of one system message. Sections are those of its specification.

What says "source" was read in the program's package and not seen on the wire.
"""

from __future__ import annotations

from promptls.core.text import newlines
from promptls.harnesses.cline.rules import AGENTS, RULES_FILE, send_rules
from promptls.harnesses.cline.spec import SPEC
from promptls.harnesses.cline.versions import ROWS
from promptls.kit.args import Options
from promptls.kit.base import built_in, described
from promptls.kit.named import skills_in
from promptls.kit.paths import join, native
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import shown, text_of
from promptls.kit.unread_files import name_above, name_nested, name_unread
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Segment, Session
    from promptls.harnesses.cline.versions import Facts
    from promptls.kit.draft import Draft
    from promptls.kit.named import Named


OPTIONS = Options(
    cwd=("--cwd", "-c"),
    model=("--model", "-m"),
    values=("--provider", "-P", "--key", "-k", "--auto-approve", "--baseurl", "-b"),
)
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
    writer = Writer(SPEC, session, host, OPTIONS)
    draft, facts, cwd = writer.draft, row(ROWS, session.version), writer.cwd
    base = writer.own("system prompt", why=WHY_BASE, size=facts.base)
    place = writer.own("environment", why=WHY_ENVIRONMENT, layer="environment")
    writer.system(base, place, *send_rules(draft, host, cwd))
    skills = list(skills_in(host, [join(cwd, each) for each in SKILLS], WHY_SKILLS, draft.candidates.append))
    if skills:
        intro = writer.own("description of tool skills", why=WHY_SKILLS, size=facts.skills_intro, layer="tools")
        draft.add_message("tools", [intro, *_names(skills)], index=0, block=1)
    writer.chat(index=1, why=WHY_PLAIN, read=lambda path: read_result(host, facts, path))
    _unread(draft, host, cwd)
    named = sum(len(each.text) for each in _names(skills))
    of_skills = {"skills": facts.skills_tool + named} if skills else {}
    return writer.prompt(tools=built_in({**of_skills, **facts.tools}))


def _names(skills: Sequence[Named]) -> Iterator[Segment]:
    """The end of the description of the tool (parts: skill-tool)."""
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


def read_result(host: Host, facts: Facts, path: str) -> list[list[Segment]] | None:
    """JSON with the numbered text of a file; None where it is not known, as of one that is cut.

    (wire: read-forms, long-file)
    """
    text = text_of(host, path)
    lines = newlines(text).removesuffix("\n").split("\n") if text else []
    if text is None or len(lines) > facts.read_lines or any(len(each) > facts.read_line for each in lines):
        return None
    width = len(str(len(lines)))
    numbered = "\n".join(f"{number:{width}} | {line}" for number, line in enumerate(lines, 1))
    if len(numbered) > facts.read_characters:
        return None
    import json  # noqa: PLC0415 - only a read needs it

    answer = [{"query": native(path), "result": numbered, "success": True}]
    return [[shown(path, json.dumps(answer, ensure_ascii=False, separators=(",", ":")))]]


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
