"""Auggie: what its command line sends; the prompt itself is made on Augment's server, and nobody sees it.

A message has the name of a field of the request as its role: ``workspace_guidelines``, ``rules``, ``skills``. What
stands before a rule or a skill are the other fields of it, a line each; how the server frames them is not known.
Sections are those of its specification.
"""

from __future__ import annotations

from promptls.core.text import units
from promptls.harnesses.auggie.files import SHARED, guidelines, is_link, rules
from promptls.harnesses.auggie.skills import called, listed, numbered, skills
from promptls.harnesses.auggie.spec import SPEC
from promptls.harnesses.auggie.versions import NEWEST, ROWS, VARIABLES_NOT_MODELLED
from promptls.kit.args import Options
from promptls.kit.base import described
from promptls.kit.candidates import argument
from promptls.kit.chain import Chain, Reading
from promptls.kit.chat import result, send_chat, typed
from promptls.kit.paths import git_root, is_below, join, native, parent, relative, resolve, upwards
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import given as given_to
from promptls.kit.tool_calls import shown, text_of
from promptls.kit.unread_files import name_nested, name_unread
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Segment, Session, Turn
    from promptls.harnesses.auggie.versions import Facts
    from promptls.kit.named import Named

WHY_OWN = "with --print, Auggie sends a rule of its own first"
WHY_FOLDERS = "with --add-workspace, Auggie sends a rule of its own; it names the folder"
WHY_ADDED = "Auggie sends no instruction file of a folder that --add-workspace names"
WHY_STATE = "Auggie sends the root and the working directory, and nothing of git"
WHY_PLAIN = "Auggie adds nothing to what is typed"
WHY_ASK = "with --ask, words of Auggie's own come before what is typed"
WHY_NAME = "Auggie does not read a file of this name; put it into AGENTS.md or .augment/rules"
WHY_CWD = "Auggie reads nothing below the root of the workspace; put it into the root's"
WHY_LAZY = (
    "the server has turned enable_hierarchical_rules on: with a file come AGENTS.md and CLAUDE.md of the directories "
    "on the way to it, the deepest first, each once"
)
WHY_NOT_LAZY = (
    "only if Augment's server turns that on, it comes with a file that is read (--hint enable_hierarchical_rules)"
)
NOTE_SERVER = "Augment's server makes the prompt of these fields, and nobody sees it; how it frames them is not known."
HIERARCHICAL = "enable_hierarchical_rules"
EDITING = "str-replace-editor"
TOOLS = ("view", "save-file", EDITING, "remove-files")
# Lines before and behind what was replaced [source].
AROUND = 4

ASKING = {"--ask", "-a"}
OPTIONS = Options(
    cwd=("--workspace-root", "-w"),
    model=("--model", "-m"),
    prompt=("--instruction", "-i"),
    values=("--rules", "--add-workspace", "--mcp-config", "--output-format", "--instruction-file", "--persona"),
    switches=("--print", "-p", "--quiet", "--compact", "--dont-save-session", "--continue", "-c", *ASKING),
    not_modelled=("--continue", "-c", "--mcp-config", "--instruction-file", "--persona"),
    variables=VARIABLES_NOT_MODELLED,
)
# (wire: root-names, imported-rules, home-names)
NAMES = (
    *("agents.md", "claude.md", "AGENT.md", "CLAUDE.local.md", "GEMINI.md", "AUGGIE.md", "AUGMENT.md", ".cursorrules"),
    *(".windsurfrules", "AGENTS.override.md", ".augment/AGENTS.md", ".augment/guidelines.md", ".claude/CLAUDE.md"),
    ".github/copilot-instructions.md",
)
HOME = (".augment/user-guidelines.md", "AGENTS.md", ".augment/AGENTS.md", ".claude/CLAUDE.md", ".augment-guidelines")
NESTED = Chain(SHARED, WHY_LAZY, reading=Reading(sends_empty=True, follows_links=False))


def preview(session: Session, host: Host) -> Prompt:
    """What is sent for a session (section "Order")."""
    writer = Writer(SPEC, session, host, OPTIONS)
    facts, draft, given = row(ROWS, session.version), writer.draft, writer.command
    root = writer.cwd if given.last("cwd") is not None else git_root(host, writer.cwd) or writer.cwd
    draft.add_message("workspace_guidelines", guidelines(writer, root), index=0)
    sent = [segment for rule in rules(writer, root) for segment in (tail("\n"), *rule.segments())]
    # An editor gets none of its own (seen by verify).
    own = [] if session.editor else [writer.own("rule of its own", why=WHY_OWN, size=facts.own_rule)]
    parts = [*own, *(sent if own else sent[1:])]
    if "--add-workspace" in given.values:
        draft.candidates.append(argument("--add-workspace", WHY_ADDED))
        parts += [tail("\nrule path=multi-folder-workspace.md type=0 description=None\n\n")]
        parts += [writer.own("rule of several folders", why=WHY_FOLDERS)]
    draft.add_message("rules", parts, index=1)
    found = skills(writer, facts, root)
    draft.add_message("skills", listed(found.values()), index=2)
    is_lazy = HIERARCHICAL in session.hints
    known: set[str] = set()

    def state() -> list[Segment]:
        return [writer.own("state of the workspace", why=WHY_STATE, layer="environment")]

    # It stands behind what is typed, and before what tools answer [source: addIdeStateForIteration].
    send_chat(
        draft,
        index=3,
        prompt=lambda turn: [_typed(writer, facts, root, turn, found), state()],
        answer=lambda call: [
            [*_result(writer, facts, root, call), *(_brought(writer, root, call, known) if is_lazy else ())]
        ],
        given=given.last("prompt"),
        before=lambda _call: ("user", state()),
    )
    _name_files(writer, root, is_lazy=is_lazy)
    draft.notes.append(NOTE_SERVER)
    return writer.prompt()


def _typed(writer: Writer, facts: Facts, root: str, turn: Turn, found: Mapping[str, Named]) -> list[Segment]:
    """In an editor the first prompt stays as it is, and --ask does nothing (seen by verify)."""
    session = writer.session
    is_plain = session.editor and turn is session.turns[0]
    said = None if is_plain else called(writer, root, turn.prompt or "", found)
    said = said or [typed(SPEC.title, turn, WHY_PLAIN)]
    asks = not session.editor and ASKING & {*writer.command.switches}
    return [writer.own("words on asking", why=WHY_ASK, size=facts.on_asking, layer="runtime"), *said] if asks else said


def _result(writer: Writer, facts: Facts, root: str, call: Call) -> list[Segment]:
    """What the tool for viewing shows: numbered lines (wire: nested-read); of a long file, those of its beginning."""
    text = text_of(writer.host, call.read) if call.read is not None else None
    if call.read is None or text is None or units(text) > facts.read:
        return _edited(writer, root, call) or [result(SPEC.title, call, WHY_PLAIN)]
    about = writer.own("heading of the file", why=WHY_PLAIN, layer="runtime")
    end = writer.own("number of its lines", why=WHY_PLAIN, layer="runtime")
    return [about, tail("\n", "runtime"), shown(call.read, numbered(text)), end]


def _edited(writer: Writer, root: str, call: Call) -> list[Segment]:
    """What the tool that replaces a text shows: the new lines with those around them (wire: nested-tools).

    Nothing where it replaces several texts, or one that does not stand exactly once in the file.
    """
    values = given_to(call) if call.tool == EDITING else {}
    entries, path = values.get("str_replace_entries"), resolve(root, str(values.get("path")))
    entry = entries[0] if isinstance(entries, list) and len(entries) == 1 else None
    old, new = (str(entry.get("old_str", "")), str(entry.get("new_str", ""))) if isinstance(entry, dict) else ("", "")
    text = text_of(writer.host, path) if old else None
    if text is None or text.count(old) != 1:
        return []
    start = text[: text.index(old)].count("\n")
    first = max(0, start - AROUND)
    lines = text.replace(old, new).split("\n")[first : start + new.count("\n") + AROUND + 1]
    said = "".join(f"{number:6}\t{line}\n" for number, line in enumerate(lines, first + 1))
    words = writer.own("words on the edit", why=WHY_PLAIN, layer="runtime")
    return [words, tail("\n", "runtime"), shown(path, said), words]


def _brought(writer: Writer, root: str, call: Call, known: set[str]) -> list[Segment]:
    """The files of the directories on the way up to the root, which is not one of them.

    (wire: nested-read, nested-links, nested-cwd) Front matter, comments and all stay (section "Lazy").
    """
    values = given_to(call)
    listed = values.get("file_paths")
    named = [values.get("path"), *(listed if isinstance(listed, list) else ())] if call.tool in TOOLS else []
    paths = [call.read] if call.read is not None else [resolve(root, str(each)) for each in named if each]
    parts: list[Segment] = []
    for path in paths:
        top = path if writer.host.kind(path) == "directory" else parent(path)
        places = [each for each in upwards(top, root) if each != root] if is_below(top, root) else []
        fresh = [each for each in places if each not in known]
        known.update(fresh)
        for file in writer.find(NESTED, fresh, call.at):
            shown_path = native(relative(file.path, root), root)
            parts += [head(f"\n\nContents of {shown_path}:\n\n", path=file.path), *file.segments]
    if not parts:
        return []
    sentence = writer.own("sentence about the files", why=WHY_LAZY, layer="runtime")
    return [tail("\n\n<supervisor>\n"), sentence, *parts, tail("\n\n</supervisor>")]


def _name_files(writer: Writer, root: str, *, is_lazy: bool) -> None:
    """What looks as if it were read (wire: root-names, home-names, chain)."""
    draft, host, cwd = writer.draft, writer.host, writer.cwd
    name_unread(draft, host, WHY_NAME, [join(root, each) for each in NAMES])
    name_unread(draft, host, WHY_NAME, [join(host.home, each) for each in HOME])
    places = [each for each in upwards(cwd, root) if each != root] if is_below(cwd, root) else []
    beside = (*SHARED, ".augment-guidelines")
    if not is_lazy:
        name_unread(draft, host, WHY_CWD, [join(place, each) for place in places for each in beside])
        name_nested(draft, host, WHY_NOT_LAZY, root, [each for each in SHARED if not is_link(writer, join(root, each))])


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        ".augment-guidelines of the root of the workspace",
        "AGENTS.md and CLAUDE.md of it, then the rules of .augment/rules, then those of ~/.augment/rules",
        f"Each skill of .augment, .claude and .agents whose description has at most {NEWEST.description} characters",
        "On read, if the server turns that on: AGENTS.md and CLAUDE.md on the way to the file",
    ),
)
