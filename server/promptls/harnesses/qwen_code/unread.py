"""What Qwen Code does not read although it looks as if it did (wire: root-names, rules-forms, no-git, nested-read)."""

from __future__ import annotations

from promptls.harnesses.qwen_code.context import LOCAL, NAMES, names
from promptls.kit.paths import join
from promptls.kit.unread_files import name_nested, name_unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.harnesses.qwen_code.context import Search

WHY_NEVER = "Qwen Code reads no file of this name in this place"
WHY_NAME = f"{WHY_NEVER}, unless context.fileName names it"
WHY_RULES = "Qwen Code reads the rules of the git root only"
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
        name_unread(draft, host, WHY_RULES, sorted(join(rules, entry.name) for entry in host.entries(rules)))
    name_unread(draft, host, WHY_HOME, [join(host.home, each) for each in NAMES])
    name_nested(draft, host, WHY_NESTED, search.cwd, NAMES)
