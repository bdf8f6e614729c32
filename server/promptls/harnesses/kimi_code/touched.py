"""Which directories a call of a tool of Kimi Code comes near: those whose instruction files it names.

[source] is the package of that version.
"""

from __future__ import annotations

from promptls.kit.paths import parent, resolve
from promptls.kit.tool_calls import given

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Call
    from promptls.kit.writer import Writer

ON_FILES, ON_PLACES = ("Read", "Edit", "Write"), ("Glob", "Grep")
# What lists a directory; reading by the shell names nothing [source: bashTargets.ts].
LISTING = ("ls", "tree", "find", "dir", "exa", "eza", "lsd")
# Options with a value in the next word [source: the same].
WITH_VALUE = frozenset(
    (
        *("-w", "--width", "--sort", "--block-size", "-I", "--ignore", "--hide", "--format", "--time-style"),
        *("--indicator-style", "--quoting-style", "-T", "--tabsize"),
    )
)
OF_TREES = WITH_VALUE | frozenset(
    (
        *("--ignore-glob", "--hyperlink", "-L", "--level", "--depth", "-P", "-o", "--filelimit", "--charset"),
        *("--timefmt", "-s"),
    )
)
BETWEEN = "();<>|&\n"
# A word with one of these is left out: only a shell knows what it is.
UNSAFE = frozenset("$`*?[]~")


def touched(writer: Writer, call: Call) -> list[tuple[str, str | None]]:
    """Each directory that a call comes near, with the file of it that is read or written.

    (wire: nested-tools; captured: nested-read) [source: agentsMdReminderService.ts]
    """
    if call.read is not None:
        return [(parent(call.read), call.read)]
    values, cwd = given(call), writer.cwd
    path = values.get("path")
    if call.tool in (*ON_FILES, *ON_PLACES) and isinstance(path, str) and path:
        there = resolve(cwd, path)
        return [(parent(there), there)] if call.tool in ON_FILES else [(there, None)]
    command, at = values.get("command"), values.get("cwd")
    if call.tool != "Bash" or not isinstance(command, str):
        return []
    base = resolve(cwd, at) if isinstance(at, str) and at else cwd
    found = _listed(command, base, writer.host.home)
    return [(each, None) for each in dict.fromkeys([*([base] if base != cwd else []), *found])]


def _listed(command: str, cwd: str, home: str) -> Iterator[str]:
    """The directories that a command line lists; a change of directory is followed."""
    base: str | None = cwd
    for words, is_piped in _commands(command):
        name, *arguments = words
        known = [each for each in arguments if not UNSAFE & set(each)]
        is_whole = len(known) == len(arguments)
        if name == "cd" and not is_piped:
            base = _changed(base, known, home) if is_whole else None
        if name in LISTING:
            operands = _operands(name, known) or (["."] if is_whole else [])
            yield from (resolve(base or "/", each) for each in operands if base is not None or each.startswith("/"))


def _changed(base: str | None, words: list[str], home: str) -> str | None:
    """The directory after `cd`; None where nobody knows it."""
    if not words:
        return home
    is_one = len(words) == 1 and not words[0].startswith("-")
    is_known = base is not None or words[0].startswith("/")
    return resolve(base or "/", words[0]) if is_one and is_known else None


def _operands(name: str, words: list[str]) -> list[str]:
    if name == "find":
        paths = [each for each in words if each not in ("-H", "-L", "-P", "--")]
        end = next((at for at, each in enumerate(paths) if each.startswith("-") or each in ("(", ")", "!")), len(paths))
        return paths[:end]
    options, found, is_value = WITH_VALUE if name in ("ls", "dir") else OF_TREES, list[str](), False
    for each in words:
        if is_value:
            is_value = False
        elif each.startswith("-"):
            is_value = each in options
        else:
            found.append(each)
    return found


def _commands(command: str) -> Iterator[tuple[list[str], bool]]:
    """The words of each simple command, and whether it is part of a pipe; none of a line that no shell can read."""
    import shlex  # noqa: PLC0415 - only where a command is called

    lexer = shlex.shlex(command, posix=True, punctuation_chars=BETWEEN)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, "#"
    try:
        tokens = list(lexer)
    except ValueError:
        return
    words, was_piped, depth, skips = list[str](), False, 0, False
    for each in (*tokens, ";"):
        if not set(each) <= set(BETWEEN):
            words += [] if skips or depth else [each]
            skips = False
        elif set(each) & set("<>"):
            # The number of a stream, as in `2>&1`, is no operand.
            words = words[:-1] if words[-1:] and words[-1].isdigit() else words
            skips = True
        else:
            is_pipe = each == "|"
            if words:
                yield words, was_piped or is_pipe
            words, was_piped = [], is_pipe
            depth += each.count("(") - each.count(")")
