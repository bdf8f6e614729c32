"""Kimi CLI: a system message with the instruction files in the middle of its own text.

Sections named here are those of the harness specification for Kimi CLI; [source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.text import newlines
from promptls.harnesses.kimi_cli.files import CHAIN, FENCE, FRAME, UNREAD, within_budget
from promptls.harnesses.kimi_cli.skills import listed
from promptls.harnesses.kimi_cli.spec import SPEC
from promptls.harnesses.kimi_cli.versions import NEWEST, ROWS
from promptls.kit.args import Options
from promptls.kit.base import built_in, described
from promptls.kit.paths import name, native
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import shown, text_of
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Segment, Session
    from promptls.harnesses.kimi_cli.versions import Facts


WHY_BASE = "Kimi CLI's own text; the files are in the middle of it"
WHY_ENVIRONMENT = "it is filled into the text: system, shell, time, working directory and a listing of two levels"
WHY_SKILLS = "the skills that Kimi CLI brings come after the user's"
WHY_PLAIN = "Kimi CLI adds no instructions to what is typed or read"

RESUMED = ("--session", "--resume", "-S", "-r")
MCP = ("--mcp-config", "--mcp-config-file")
OPTIONS = Options(
    cwd=("--work-dir", "-w"),
    model=("--model", "-m"),
    agent=("--agent",),
    prompt=("--prompt", "-p", "--command", "-c"),
    values=(
        *("--agent-file", "--add-dir", "--skills-dir", *RESUMED, *MCP),
        *("--config", "--config-file", "--input-format", "--output-format"),
        *("--max-steps-per-turn", "--max-retries-per-step", "--max-ralph-iterations"),
    ),
    switches=(
        *("--verbose", "--debug", "--thinking", "--no-thinking", "--yolo", "--yes", "-y", "--auto-approve", "--afk"),
        *("--print", "--acp", "--wire", "--final-message-only", "--quiet", "--continue", "-C", "--plan"),
    ),
    not_modelled=("--continue", "-C", "--plan", "--agent-file", "--skills-dir", *RESUMED, *MCP),
    no_effect={
        "--add-dir": "Kimi CLI lists the directories of --add-dir, and loads no AGENTS.md of them",
    },
)
# These change which tools there are.
OTHER_TOOLS = {"agent", "--agent-file", *MCP}


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (section "Placement")."""
    writer = Writer(SPEC, session, host, OPTIONS)
    facts = row(ROWS, session.version)
    files = within_budget(writer, writer.find(CHAIN), facts.max_bytes)
    writer.system(
        writer.own("base prompt before the files", why=WHY_BASE, size=facts.base),
        writer.own("environment", why=WHY_ENVIRONMENT, layer="environment"),
        head(f"{FENCE}\n"),
        *FRAME.around(files),
        tail(f"\n{FENCE}"),
        writer.own("base prompt after the files", why=WHY_BASE, size=facts.base_after),
        *listed(writer, facts),
        writer.own("skills that it brings", why=WHY_SKILLS, layer="tools"),
        writer.own("base prompt after the skills", why=WHY_BASE, size=facts.base_end),
    )
    writer.chat(index=1, why=WHY_PLAIN, read=lambda path: read_result(host, facts, path))
    writer.name_unread(UNREAD, CHAIN)
    if writer.command.last("cwd") is not None and host.kind(writer.cwd) != "directory":
        writer.stop(f"Kimi CLI ends, because there is no directory {writer.cwd}. Fix --work-dir.", option="--work-dir")
    is_other = session.agent or OTHER_TOOLS & writer.command.values.keys()
    return writer.prompt(tools=None if is_other else built_in(facts.tools))


# It reads no file of these names, nor .env with an ending other than those of examples [source: utils/sensitive.py].
SECRET = (".env", "id_rsa", "id_ed25519", "id_ecdsa", "credentials")
EXAMPLES = (".env.example", ".env.sample", ".env.template")


def read_result(host: Host, facts: Facts, path: str) -> list[list[Segment]] | None:
    """A remark, and the numbered text in a part of its own (wire: read-forms); None where it is not known."""
    if _is_refused(name(path)):
        return None
    if host.kind(path) is None:
        return [[_remark(f"ERROR: `{native(path)}` does not exist.")]]
    text = text_of(host, path)
    if text is None:
        return None
    *ended, last = newlines(text).split("\n")
    lines = [*(f"{each}\n" for each in ended), *([last] if last else [])]
    size = sum(len(each.encode()) for each in lines)
    if len(lines) >= facts.read_lines or size >= facts.read_bytes or any(len(each) > facts.read_line for each in lines):
        return None
    total = f"Total lines in file: {len(lines)}. End of file reached."
    if not lines:
        return [[_remark(f"No lines read from file. {total}")]]
    numbered = "".join(f"{number:6}\t{line}" for number, line in enumerate(lines, 1))
    remark = _remark(f"{len(lines)} lines read from file starting from line 1. {total}")
    return [[remark], [shown(path, numbered)]]


def _is_refused(last: str) -> bool:
    return last in SECRET or (last.startswith(".env.") and last not in EXAMPLES)


def _remark(says: str) -> Segment:
    return head(f"<system>{says}</system>", "runtime")


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        ".kimi/AGENTS.md of each directory from the git root down to the working directory",
        "After it AGENTS.md of the same directory, else agents.md",
        f"{NEWEST.max_bytes} bytes of these in all, the deepest first: what is left out is the root's",
        "Name, path and description of each skill of .kimi, .claude, .codex and .agents, of the git root and of home",
    ),
)
