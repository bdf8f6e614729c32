"""Qwen Code: context files and rules at the end of one system message. Sections are those of its specification.

It began as a fork of another program, and shares the forms of settings, context files and imports with it. What says
"source" was read in the program's package and not seen on the wire.
"""

from __future__ import annotations

from promptls.core.model import Cut, Origin, Segment
from promptls.core.text import decode, is_binary
from promptls.core.values import replace
from promptls.harnesses.qwen_code.context import LOCAL, NAMES, Search, context, git_root, names, warnings
from promptls.harnesses.qwen_code.rules import WHY_RULES, RuleFile, Waiting, block, read_rules
from promptls.harnesses.qwen_code.settings import read_setup
from promptls.harnesses.qwen_code.skills import Skills, find
from promptls.harnesses.qwen_code.spec import SPEC
from promptls.harnesses.qwen_code.versions import NEWEST, ROWS
from promptls.kit import args
from promptls.kit.base import built_in, described
from promptls.kit.candidates import Rule, argument, left_out, own
from promptls.kit.chat import send_chat
from promptls.kit.configs import Setting
from promptls.kit.draft import Draft, look_for_text
from promptls.kit.inline_imports import JOIN
from promptls.kit.paths import join, resolve
from promptls.kit.segments import elided, head, tail, without_secrets
from promptls.kit.unread_files import name_nested, name_unread
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Call, Candidate, Prompt, Session, Turn
    from promptls.harnesses.qwen_code.context import Search
    from promptls.harnesses.qwen_code.settings import Setup
    from promptls.kit.args import Arguments

VALUES = {
    **dict.fromkeys(("--model", "-m"), "model"),
    **dict.fromkeys(("--include-directories", "--add-dir"), "directories"),
    **dict.fromkeys(("--prompt", "-p", "--prompt-interactive", "-i"), "prompt"),
    "--system-prompt": "system",
    "--append-system-prompt": "append",
    # These change nothing that is shown here.
    **dict.fromkeys(("--approval-mode", "--auth-type", "--output-format", "-o", "--input-format"), "ignored"),
    **dict.fromkeys(("--openai-api-key", "--openai-base-url", "--openai-logging-dir", "--session-id"), "ignored"),
    **dict.fromkeys(("--fallback-model", "--max-session-turns", "--max-tool-calls", "--max-wall-time"), "ignored"),
}
BARE, SAFE = "--bare", "--safe-mode"
SWITCHES = (BARE, SAFE, "--yolo", "-y", "--debug", "-d", "--screen-reader", "--openai-logging", "--chat-recording")
SYSTEM_MD = "QWEN_SYSTEM_MD"
SEPARATOR = "\n\n---\n\n"
WHY_BASE = "Qwen Code begins with its own instructions"
WHY_READ = "the session reads this file"


def preview(session: Session, host: Host) -> Prompt:
    """The last request of Qwen Code for a session."""
    draft = Draft(session)
    cwd = host.realpath(session.cwd)
    command = args.read(session.args, values=VALUES, switches=SWITCHES, greedy=("directories",))
    setup = read_setup(draft, host, cwd)
    root = git_root(host, cwd)
    search = Search(
        draft, host, setup, row(ROWS, session.version), cwd, root, _directories(draft, host, setup, command)
    )
    base = _base(search, command)
    is_off = not command.switches.isdisjoint((BARE, SAFE))
    sent = [] if is_off else context(search)
    rules = [] if is_off else list(read_rules(draft, host, _rule_directories(search)))
    waiting = Waiting(draft, host, root or cwd, [rule for rule in rules if rule.patterns])
    draft.add_message("system", [*base, *_system(search, sent, rules, command)], index=0)
    skills = find(search, is_safe=SAFE in command.switches) if BARE not in command.switches else None
    _conversation(search, waiting, skills, command)
    waiting.name_rest()
    if skills is not None:
        skills.name_rest()
    draft.notes += warnings(search, sent)
    unread(search)
    draft.candidates += _left_out(search, command)
    return draft.prompt(
        model=session.model or command.last("model") or setup.settings.text("model.name"),
        tools=built_in(search.facts.tools) if _is_usual(search, command) else None,
    )


def _directories(draft: Draft, host: Host, setup: Setup, command: Arguments) -> tuple[str, ...]:
    """The working directory, and the included ones where a setting says so (wire: include-load, include-only)."""
    cwd = host.realpath(draft.session.cwd)
    given = setup.settings.all_strings("context.includeDirectories")
    for value in command.values.get("directories", ()):
        origin = Origin("argument", name="--include-directories")
        given += [Setting(each.strip(), origin) for each in value.split(",")]
    found = [cwd]
    for each in given:
        home = host.home + each.text[1:] if each.text == "~" or each.text.startswith("~/") else each.text
        path, rule = resolve(cwd, home), Rule("Qwen Code includes this directory", each.origin)
        if host.kind(path) != "directory":
            draft.candidates.append(rule.missing(path, "there is no such directory"))
        elif setup.settings.is_true("context.loadFromIncludeDirectories", default=False):
            found.append(host.realpath(path))
        else:
            why = "context.loadFromIncludeDirectories is not true, so no context file of it is read"
            draft.candidates.append(rule.disabled(path, why))
    return tuple(dict.fromkeys(found))


def _rule_directories(search: Search) -> list[str]:
    """Of the user, and, in a trusted folder, of the git root, else the working directory (wire: no-git)."""
    own_rules = [join(search.root or search.cwd, ".qwen", "rules")] if search.setup.is_trusted else []
    return [join(search.setup.directory, "rules"), *own_rules]


# -- the system message ------------------------------------------------------------------------------------------------


def _base(search: Search, command: Arguments) -> list[Segment]:
    """What comes before the context files: prose, a text or a file (wire: system-md, system-prompts)."""
    text = command.last("system")
    asked = search.host.env.get(SYSTEM_MD, "").strip()
    if text is not None:
        why = "--system-prompt replaces Qwen Code's own instructions"
        return [Segment("provider", "--system-prompt", text, Origin("argument", name="--system-prompt"), why)]
    if asked.lower() in ("", "0", "false"):
        size = search.facts.base if _is_usual(search, command) else None
        return [elided("provider", "Qwen Code", "system prompt", why=WHY_BASE, size=size)]
    home = search.host.home + asked[1:] if asked == "~" or asked.startswith("~/") else asked
    path = join(search.cwd, ".qwen", "system.md") if asked.lower() in ("1", "true") else resolve(search.cwd, home)
    why, origin = f"{SYSTEM_MD} replaces Qwen Code's own instructions", Origin("argument", name=SYSTEM_MD)
    found = look_for_text(search.host, path, why=why, origin=origin, keep_bom=True, use="prompt")
    search.draft.candidates.append(found.candidate)
    if found.candidate.outcome in ("missing", "failed"):
        says = f"Qwen Code ends, because it cannot read the system prompt {path}. Create it or unset the variable."
        search.draft.stop(says, origin)
    return [Segment("provider", path, found.text, found.origin, why, cut=found.cut)]


def _is_usual(search: Search, command: Arguments) -> bool:
    """Whether the tools and what Qwen Code says of them are all there (wire: trust-asked, bare)."""
    return search.setup.is_trusted and BARE not in command.switches


def _system(search: Search, sent: list[list[Segment]], rules: list[RuleFile], command: Arguments) -> Iterator[Segment]:
    """Context files, then the rules without patterns, then what the command line adds (wire: root-names)."""
    root = search.root or search.cwd
    blocks = [*sent, *(block(rule, root, WHY_RULES) for rule in rules if not rule.patterns)]
    for at, each in enumerate(blocks):
        yield tail(JOIN if at else SEPARATOR)
        yield from each
    if text := (command.last("append") or "").strip():
        yield tail(SEPARATOR)
        origin = Origin("argument", name="--append-system-prompt")
        yield Segment("instructions", "--append-system-prompt", text, origin, "--append-system-prompt adds it")
    why = "the status of git and the agent's own memories follow, if there are any; promptls does not show them"
    yield elided("memory", "Qwen Code", "status of git, and memories", why=why)


# -- what is said and done ---------------------------------------------------------------------------------------------


def _conversation(search: Search, waiting: Waiting, skills: Skills | None, command: Arguments) -> None:
    why = "Qwen Code says first where it runs; promptls does not know the text"
    listed = [skills.list_segments()] if skills is not None else []
    start = [elided("environment", "Qwen Code", "context of the start", why=why)]

    def says(turn: Turn) -> list[list[Segment]]:
        typed = Segment("runtime", "prompt", turn.prompt or "", Origin("argument"), "what the user types")
        parts = [*listed, [*start, typed]]
        listed.clear()
        start.clear()
        return parts

    def answer(call: Call) -> list[list[Segment]]:
        added = waiting.reminder(call)
        if skills is not None and (brought := skills.reminder(waiting.touched(call), call)):
            added += [*([tail(JOIN)] if added else []), *brought]
        return [[*_result(search, call), *_reminder(added)]]

    given = command.last("prompt") or " ".join(command.rest)
    send_chat(search.draft, index=1, prompt=says, answer=answer, given=given)


def _reminder(added: list[Segment]) -> list[Segment]:
    return [head("\n\n<system-reminder>\n"), *added, tail("\n</system-reminder>")] if added else []


def _result(search: Search, call: Call) -> list[Segment]:
    """What a tool answers, as far as a file decides it: one that is not cut is sent as it is (wire: nested-read)."""
    contents = search.host.read(call.read) if call.read is not None else None
    if call.read is None or contents is None or contents.state != "file" or is_binary(contents.data):
        why = "only the tool knows what it answers"
        return [elided("runtime", "Qwen Code", f"result of {call.tool or f'reading {call.read}'}", why=why)]
    text = decode(contents.data, keep_bom=False)
    lines, most = text.split("\n"), search.facts.read_lines
    kept = "\n".join(lines[:most])
    if len(kept) > search.facts.read_characters:
        why = "it is longer than Qwen Code answers at once, and promptls does not know how it is cut"
        return [elided("runtime", "Qwen Code", f"result of reading {call.read}", why=why)]
    body = Segment("runtime", call.read, kept, Origin("file", path=call.read), WHY_READ, cache="turn")
    if len(lines) <= most:
        return without_secrets(body)
    # (wire: read-long)
    label = f"Showing lines 1-{most} of {len(lines)} total lines.\n\n---\n\n"
    limit = Cut(most, len(lines), "lines", f"Qwen Code's read tool answers {most} lines at most")
    return [head(label, "runtime"), *without_secrets(replace(body, cut=limit))]


def _left_out(search: Search, command: Arguments) -> Iterator[Candidate]:
    session = search.draft.session
    for option in command.switches & {BARE, SAFE}:
        yield argument(option, f"{option} leaves out context files, rules and skills")
    yield from left_out(session, command.unknown, SPEC.title)
    extensions = join(search.setup.directory, "extensions")
    if search.host.entries(extensions):
        why = "Qwen Code sends the context files and rules of its extensions, which promptls does not model"
        yield own(why, use="config").excluded(extensions)


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "Its own system prompt, or --system-prompt, or the file in QWEN_SYSTEM_MD",
        "QWEN.md in ~/.qwen, then from the directory above the git root down to the working directory",
        "AGENTS.md in the same places; context.fileName names others in place of the two",
        "The language file that it writes, and .qwen/QWEN.local.md of the git root",
        f"Imports (@path) in all of them, {NEWEST.import_depth} levels deep",
        "Rules without paths below ~/.qwen/rules and .qwen/rules of the git root",
        "Skills of .qwen/skills and .agents/skills, of the working directory, then of the user, then its own",
        "On read: rules and skills whose paths match the file, each once",
    ),
)

# -- what Qwen Code does not read although it looks as if it did (wire: root-names, rules-forms, no-git) ---------------

WHY_NEVER = "Qwen Code reads no file of this name in this place"
WHY_NAME = f"{WHY_NEVER}, unless context.fileName names it"
WHY_OTHER_RULES = "Qwen Code reads the rules of the git root only"
WHY_HOME = "Qwen Code's global files are in ~/.qwen"
WHY_LOCAL = "Qwen Code reads the local context file of a git root only"
WHY_NESTED = "Qwen Code adds no context file when a file is read, only rules with paths"


def unread(search: Search) -> None:
    """Report such files where they are there."""
    draft, host, top = search.draft, search.host, search.root or search.cwd
    chosen = {each.text for each in names(search.setup)}
    places = tuple(dict.fromkeys((top, search.cwd)))
    other = [each for each in (*NAMES, "CLAUDE.md", "GEMINI.md", LOCAL) if each not in chosen]
    name_unread(draft, host, WHY_NAME, [join(place, each) for place in places for each in other])
    never = (".qwen/QWEN.md", ".qwen/AGENTS.md", ".github/copilot-instructions.md")
    name_unread(draft, host, WHY_NEVER, [join(place, each) for place in places for each in never])
    if search.root != search.cwd:
        name_unread(draft, host, WHY_LOCAL, [join(search.cwd, ".qwen", LOCAL)])
    if search.root not in (None, search.cwd):
        rules = join(search.cwd, ".qwen", "rules")
        name_unread(draft, host, WHY_OTHER_RULES, sorted(join(rules, entry.name) for entry in host.entries(rules)))
    name_unread(draft, host, WHY_HOME, [join(host.home, each) for each in NAMES])
    name_nested(draft, host, WHY_NESTED, search.cwd, NAMES)
