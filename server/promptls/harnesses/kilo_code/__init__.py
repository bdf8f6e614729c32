"""Kilo Code's command line: instruction files in one system message. Sections are those of its specification.

It shares much of its instruction code with another program, and reads that one's project configuration, too. What
says "source" was read in the program's package and not seen on the wire.
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment
from promptls.core.values import replace
from promptls.harnesses.kilo_code.config import read_config
from promptls.harnesses.kilo_code.instructions import names, send_files
from promptls.harnesses.kilo_code.rules import DIRECTORIES, LEGACY
from promptls.harnesses.kilo_code.skills import listed
from promptls.harnesses.kilo_code.spec import SPEC
from promptls.harnesses.kilo_code.versions import ROWS
from promptls.kit.args import Options
from promptls.kit.base import built_in, described
from promptls.kit.chat import result, send_chat, typed
from promptls.kit.numbered_read import Nested, ReadTool, read_result
from promptls.kit.paths import git_root, join, native
from promptls.kit.segments import elided, head, tail
from promptls.kit.unread_files import name_unread
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Session, Turn
    from promptls.harnesses.kilo_code.config import Config
    from promptls.harnesses.kilo_code.versions import Facts
    from promptls.kit.draft import Draft

TEMPORARY = "/tmp"  # noqa: S108 - only its length counts
OPTIONS = Options(
    cwd=("--dir",),
    model=("--model", "-m"),
    agent=("--agent", "--mode"),
    values=("--format", "--title", "--port", "--log-level", "--variant"),
    switches=("--auto", "--print-logs", "--share", "--thinking"),
)
WHY_BASE = "Kilo Code begins with a prompt of its own, by agent and model"
WHY_NAME = "Kilo Code does not read a file of this name here; name it under instructions in kilo.json"
WHY_ABOVE = "Kilo Code reads its rules of the working directory only, and not of the git root"
WHY_DETAILS = "Kilo Code says when and where the message was written"
WHY_PLAIN = "Kilo Code adds no instructions to it"


def preview(session: Session, host: Host) -> Prompt:
    """The last request of ``kilo run`` for a session."""
    writer = Writer(SPEC, session, host, OPTIONS)
    draft, facts, cwd = writer.draft, row(ROWS, session.version), writer.cwd
    config = read_config(draft, host, cwd, git_root(host, cwd))
    sent: set[str] = set()
    base = writer.own("agent's prompt and environment", why=WHY_BASE)
    files = list(send_files(draft, host, config, facts, sent))
    writer.system(base, *files, *listed(draft, host, config, facts))
    tool = ReadTool(SPEC.title, facts.read_lines, facts.read_line, facts.read_bytes)
    nested = Nested(draft, host, cwd, names(host), sent, tool)

    def answer(call: Call) -> list[list[Segment]]:
        if call.read is None:
            return [[result(SPEC.title, call, WHY_PLAIN)]]
        return [read_result(tool, host, call.read, nested.reminder(call.read, call.at))]

    def prompt(turn: Turn) -> list[list[Segment]]:
        return [[_quoted(typed(SPEC.title, turn, WHY_PLAIN))], _details(facts, cwd, config.root)]

    send_chat(draft, index=1, prompt=prompt, answer=answer)
    _unread(draft, host, config)
    # Others may have other tools; nobody has captured them.
    tools = built_in(_tools(facts, host, writer.model or config.model or "")) if writer.agent is None else None
    return writer.prompt(model=config.model, tools=tools)


def _tools(facts: Facts, host: Host, model: str) -> dict[str, int]:
    """A model has one of two tools that change files (captured: gpt-5, gpt-4o, gpt-oss-120b, o3, claude-sonnet-4-5).

    The definition of bash names the directory for temporary files (captured: TMPDIR).
    """
    sizes = dict(facts.tools)
    sizes["bash"] += len(native(join(host.env.get("TMPDIR") or TEMPORARY, "kilo")))
    own = model.rpartition("/")[2]
    is_patching = "gpt-" in own and "gpt-4" not in own and "oss" not in own
    return {name: size for name, size in sizes.items() if name != ("edit" if is_patching else "apply_patch")}


def _quoted(prompt: Segment) -> Segment:
    """As ``kilo run`` puts its arguments together: what has a blank is in quotation marks (parts: prompt-in-quotes).

    Behind ``--``, where alone a prompt can begin with ``-``, it adds none (captured).
    """
    if prompt.elided is not None or " " not in prompt.text or prompt.text.startswith("-"):
        return prompt
    escaped = prompt.text.replace('"', '\\"')
    return replace(prompt, text=f'"{escaped}"')


def _details(facts: Facts, cwd: str, root: str) -> list[Segment]:
    """What follows each prompt: when and where it was written (parts: prompt-in-quotes)."""
    time = elided("environment", SPEC.title, "time of the message", why=WHY_DETAILS, size=facts.time)
    where = f"\nWorking directory: {native(cwd)}\nWorkspace root folder: {native(root)}\n"
    return [
        head("\n\n<environment_details>\nMessage time: ", "environment"),
        time,
        Segment("environment", "place", where, COMPUTED, WHY_DETAILS),
        tail("</environment_details>", "environment"),
    ]


def _unread(draft: Draft, host: Host, config: Config) -> None:
    """What looks as if it was read (wire: root-names; captured: rules-from-subdir)."""
    other = ("KILO.md", "AGENTS.local.md", "GEMINI.md", ".clinerules", ".github/copilot-instructions.md")
    own = (f"{each}/AGENTS.md" for each in DIRECTORIES)
    places = dict.fromkeys((config.cwd, config.root))
    name_unread(draft, host, WHY_NAME, [join(place, each) for place in places for each in (*other, *own)])
    home = ("AGENTS.md", ".config/opencode/AGENTS.md", *(f"{each}/AGENTS.md" for each in DIRECTORIES))
    name_unread(draft, host, WHY_NAME, [join(host.home, each) for each in home])
    if config.root != config.cwd:
        rules = [join(config.root, each, "rules") for each in DIRECTORIES]
        lost = [join(place, entry.name) for place in rules for entry in host.entries(place)]
        name_unread(draft, host, WHY_ABOVE, [*lost, join(config.root, LEGACY)])


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "The first of AGENTS.md in ~/.config/kilo and ~/.claude/CLAUDE.md",
        "Every AGENTS.md from the working directory up to the worktree root, nearest first",
        "If there is no AGENTS.md, every CLAUDE.md; if there is neither, every CONTEXT.md",
        "Rules in ~/.kilo/rules and ~/.kilocode/rules, then in the same places of the working directory",
        ".kilocoderules, and the rules of the modes code, architect, ask, debug and orchestrator",
        "Files named by instructions in kilo.json and opencode.json, then its URLs",
        "Skills of .claude/skills and .agents/skills, of the home directory and up to the worktree root, then its own",
        "On read: the first of AGENTS.md, CLAUDE.md and CONTEXT.md in each directory from the file's up to below cwd",
    ),
)
