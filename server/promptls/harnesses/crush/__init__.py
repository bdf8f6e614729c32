"""Crush: from its source, never seen on the wire. One system message, in it first the project's files.

Sections named here are those of the harness specification for Crush; [source] is its source text.
"""

from __future__ import annotations

from promptls.harnesses.crush.config import read_config
from promptls.harnesses.crush.files import NOTE_ORDER, project_files, user_files
from promptls.harnesses.crush.spec import SPEC
from promptls.harnesses.crush.versions import ROWS
from promptls.kit.args import Options
from promptls.kit.base import described
from promptls.kit.segments import head, tail
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session

WHY_BASE = "Crush's own text comes first"
WHY_ENVIRONMENT = "working directory, platform, date, state of git and the list of skills come before the files"
WHY_WORDS = "Crush's own sentence before the files"
WHY_PLAIN = "Crush adds no instructions to what is typed or read"
NOTE_SOURCE = "Read in the source of Crush, not verified: no session of it has been captured."

OPTIONS = Options(
    cwd=("--cwd", "-c"),
    model=("--model", "-m"),
    named={**dict.fromkeys(("--data-dir", "-D"), "data"), "-s": "--session"},
    values=("--host", "-H", "--channels", "--small-model", "--session"),
    switches=("--debug", "-d", "--yolo", "-y", "--quiet", "-q", "--verbose", "-v"),
    not_modelled=("--continue", "-C", "--session"),
)


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (section "Placement")."""
    writer = Writer(SPEC, session, host, OPTIONS)
    draft, facts, cwd = writer.draft, row(ROWS, session.version), writer.cwd
    draft.notes.append(NOTE_SOURCE)
    config = read_config(draft, host, cwd, writer.command.last("data"))
    project, user = project_files(draft, host, cwd, config), user_files(draft, host, cwd, config)
    segments = [
        writer.own("base prompt", why=WHY_BASE, size=facts.base),
        writer.own("environment and skills", why=WHY_ENVIRONMENT, layer="environment"),
    ]
    for files, title, tag, size in (
        (project, "# Project-Specific Context", "project_context", facts.project),
        (user, "# User context", "user_preferences", facts.user),
    ):
        if files:
            words = writer.own(f"sentence before {tag}", why=WHY_WORDS, size=size, layer="instructions")
            segments += [tail("\n\n"), head(f"{title}\n"), words, tail(f"\n<{tag}>\n"), *files, tail(f"\n</{tag}>\n")]
    if len({each.origin.path for each in (*project, *user) if each.origin.path is not None}) > 1:
        draft.notes.append(NOTE_ORDER)
    writer.system(*segments)
    writer.chat(index=1, why=WHY_PLAIN)
    return writer.prompt()


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "All of .github/copilot-instructions.md, the rules and .cursorrules of Cursor, CLAUDE.md, GEMINI.md",
        "CLAUDE.local.md, CRUSH.md, CRUSH.local.md and AGENTS.md: of the working directory, in an order that changes",
        "The files and directories of options.context_paths in crush.json",
        "CRUSH.md of ~/.config/crush and AGENTS.md of ~/.config, unless options.global_context_paths names others",
    ),
)
