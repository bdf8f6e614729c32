"""Kimi CLI: a system message with the instruction files in the middle of its own text.

Sections named here are those of the harness specification for Kimi CLI; [source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.model import Origin
from promptls.harnesses.kimi_cli.files import send_files, unread
from promptls.harnesses.kimi_cli.reading import read_result
from promptls.harnesses.kimi_cli.spec import SPEC
from promptls.harnesses.kimi_cli.versions import NEWEST, ROWS
from promptls.kit import args
from promptls.kit.base import built_in, described
from promptls.kit.candidates import argument, not_modelled
from promptls.kit.chat import send_plain
from promptls.kit.draft import Draft
from promptls.kit.paths import first_above, resolve
from promptls.kit.segments import elided, head, tail
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session

# Both sides of the instruction files, to the letter; they are there also without any (wire: root-names) [source].
FENCE = "`````````"

WHY_BASE = "Kimi CLI's own text; the files are in the middle of it"
WHY_ENVIRONMENT = "it is filled into the text: system, shell, time, working directory and a listing of two levels"
WHY_SKILLS = "it is filled into the text: name, path and description of each skill, which promptls does not list yet"
WHY_PLAIN = "Kimi CLI adds no instructions to what is typed or read"

VALUES = {
    **dict.fromkeys(("--work-dir", "-w"), "cwd"),
    **dict.fromkeys(("--model", "-m"), "model"),
    "--agent": "agent",
    **{option: option for option in ("--agent-file", "--add-dir", "--skills-dir")},
    **dict.fromkeys(("--prompt", "-p", "--command", "-c"), "prompt"),
    **dict.fromkeys(("--session", "--resume", "-S", "-r"), "--session"),
    **dict.fromkeys(("--config", "--config-file", "--input-format", "--output-format"), "other"),
    **dict.fromkeys(("--max-steps-per-turn", "--max-retries-per-step", "--max-ralph-iterations"), "other"),
    **dict.fromkeys(("--mcp-config", "--mcp-config-file"), "--mcp-config"),
}
SWITCHES = (
    *("--verbose", "--debug", "--thinking", "--no-thinking", "--yolo", "--yes", "-y", "--auto-approve", "--afk"),
    *("--print", "--acp", "--wire", "--final-message-only", "--quiet", "--continue", "-C", "--plan"),
)
NOT_MODELLED = ("--continue", "-C", "--plan", "--agent-file", "--session", "--mcp-config")
# These change which tools there are.
NAMED_AGENT = {"agent", "--agent-file", "--mcp-config"}
NO_EFFECT = {
    "--add-dir": "Kimi CLI lists the directories of --add-dir, and loads no AGENTS.md of them",
    "--skills-dir": "promptls does not list the skills of Kimi CLI yet",
}


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (section "Placement")."""
    draft = Draft(session)
    facts = row(ROWS, session.version)
    command = args.read(session.args, values=VALUES, switches=SWITCHES)
    _name_options(draft, command)
    asked = command.last("cwd")
    cwd = host.realpath(resolve(session.cwd, asked or "."))
    # The nearest directory with a .git of any kind, else only the working directory (wire: git-file, no-git-sub).
    root = first_above(host, cwd, ".git") or cwd
    segments = [
        elided("provider", SPEC.name, "base prompt before the files", why=WHY_BASE, size=facts.base),
        elided("environment", SPEC.name, "environment", why=WHY_ENVIRONMENT),
        head(f"{FENCE}\n"),
        *send_files(draft, host, root, cwd, facts.max_bytes),
        tail(f"\n{FENCE}"),
        elided("provider", SPEC.name, "base prompt after the files", why=WHY_BASE, size=facts.base_after),
        elided("tools", SPEC.name, "list of skills", why=WHY_SKILLS),
    ]
    draft.add_message("system", segments, index=0)
    send_plain(
        draft,
        SPEC.name,
        index=1,
        why=WHY_PLAIN,
        read=lambda path: read_result(host, facts, path),
        given=command.last("prompt"),
    )
    unread(draft, host, root, cwd)
    stopped = None
    if asked is not None and host.kind(cwd) != "directory":
        stopped = f"Kimi CLI ends, because there is no directory {cwd}. Fix --work-dir."
    return draft.prompt(
        model=session.model or command.last("model"),
        agent=session.agent or command.last("agent"),
        verified=True,
        tools=None if NAMED_AGENT & command.values.keys() or session.agent else built_in(facts.tools),
        stopped=stopped,
        stopped_by=Origin("argument", name="--work-dir") if stopped else None,
    )


def _name_options(draft: Draft, command: args.Arguments) -> None:
    """What may shape the prompt in a way that is not known here, and what does not."""
    draft.candidates += map(not_modelled, command.not_modelled(NOT_MODELLED))
    draft.candidates += [argument(option, why) for option, why in NO_EFFECT.items() if option in command.values]


HARNESS = described(
    SPEC,
    ROWS,
    command="kimi",
    package="kimi-cli",
    registry="pypi",
    preview=preview,
    loads=(
        ".kimi/AGENTS.md of each directory from the git root down to the working directory",
        "After it AGENTS.md of the same directory, else agents.md",
        f"{NEWEST.max_bytes} bytes of these in all, the deepest first: what is left out is the root's",
        "A placeholder for name and description of each skill",
    ),
)
