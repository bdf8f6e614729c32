"""Which files Crush sends: those of its own list, all of them, and those that a configuration adds.

Sections named here are those of the harness specification for Crush; [source] is internal/agent/prompt/prompt.go.
"""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.kit.candidates import Rule, not_modelled, our_cut
from promptls.kit.configs import Setting
from promptls.kit.globs import match
from promptls.kit.paths import join, native, parent, resolve, upwards
from promptls.kit.segments import head, tail
from promptls.kit.unread_files import name_above, name_nested, name_unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.host import Host
    from promptls.harnesses.crush.config import Config
    from promptls.kit.draft import Draft

DEFAULTS = (
    *(".github/copilot-instructions.md", ".cursorrules", ".cursor/rules/", "CLAUDE.md", "CLAUDE.local.md"),
    *("GEMINI.md", "gemini.md", "crush.md", "crush.local.md", "Crush.md", "Crush.local.md", "CRUSH.md"),
    *("CRUSH.local.md", "AGENTS.md", "agents.md", "Agents.md"),
)

WHY_FILE = "Crush sends all files of these names that are in the working directory"
WHY_GLOBAL = "Crush sends CRUSH.md of its own directory, and AGENTS.md beside that, for all folders"
WHY_ENTRY = "context_paths adds files and directories, relative to the working directory"
WHY_GLOBAL_ENTRY = "global_context_paths takes the place of Crush's own list"
WHY_TAKEN = (
    "Crush looks only for {}, the first of several spellings of this name, even if that file does not exist; "
    "rename this file"
)
WHY_ABOVE = "Crush looks in the working directory only; start it there, or name the file in context_paths"
WHY_NESTED = "Crush loads nothing on a read; start it in that directory, or name the file in context_paths"
NOTE_ORDER = "Crush sends its files in an order that changes from start to start; they are shown by name."


def project_files(draft: Draft, host: Host, cwd: str, config: Config) -> list[Segment]:
    """The files of the working directory, and what a configuration adds (section "Context paths")."""
    own_entries = [Setting(each, Origin("computed", name=WHY_FILE)) for each in DEFAULTS]
    parts = _files(draft, host, cwd, [*own_entries, *config.paths], WHY_ENTRY)
    top = next((each for each in upwards(cwd) if host.kind(join(each, ".git")) is not None), cwd)
    names = [each for each in DEFAULTS if not each.endswith("/")]
    name_unread(
        draft, host, WHY_ABOVE, [join(each, name) for each in upwards(cwd, top) if each != cwd for name in names]
    )
    name_above(draft, host, WHY_ABOVE, top, ("CRUSH.md", "AGENTS.md"))
    name_nested(draft, host, WHY_NESTED, cwd, ("CRUSH.md", "CRUSH.local.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"))
    return parts


def user_files(draft: Draft, host: Host, cwd: str, config: Config) -> list[Segment]:
    """The files for all folders (section "Global")."""
    defaults = (join(config.user, "CRUSH.md"), join(parent(config.user), "AGENTS.md"))
    entries = config.global_paths or [Setting(each, Origin("computed", name=WHY_GLOBAL)) for each in defaults]
    return _files(draft, host, cwd, entries, WHY_GLOBAL_ENTRY)


def _files(draft: Draft, host: Host, cwd: str, entries: Sequence[Setting], why: str) -> list[Segment]:
    """The files of a list, sorted; of entries that differ in letter case only the first counts [source].

    ``why`` is that of the entries of a configuration.
    """
    taken: dict[str, Setting] = {}
    parts: list[Segment] = []
    # Equal entries are one, and each is sorted before it is looked for.
    for entry in sorted(entries, key=lambda each: each.text):
        rule = Rule(why if entry.origin.kind == "config" else entry.origin.name or why, entry.origin)
        written = _expanded(host, entry.text)
        if written is None:
            draft.candidates.append(not_modelled(f"“{entry.text}” in context_paths"))
            continue
        path, first = resolve(cwd, written), taken.setdefault(written.lower(), entry)
        if first.text != entry.text:
            _name_taken(draft, host, cwd, path, first)
        elif first is entry:
            found = _inside(draft, host, path) if host.kind(path) == "directory" else [path]
            for each in found:
                parts += _file(draft, host, each, rule)
    return parts


def _name_taken(draft: Draft, host: Host, cwd: str, path: str, first: Setting) -> None:
    """A file that would be read but for its letter case (section "Dedupe")."""
    other = resolve(cwd, first.text)
    if host.kind(path) == "file" and not host.is_same(path, other):
        why = WHY_TAKEN.format(first.text)
        draft.candidates.append(
            Rule(why, first.origin).shadowed(path, by=other if host.kind(other) == "file" else None)
        )


def _inside(draft: Draft, host: Host, path: str) -> list[str]:
    """Every file below a directory, by name."""
    return sorted(match(host, "**/*", path, dot=True, steps=draft.steps).paths)


def _file(draft: Draft, host: Host, path: str, rule: Rule) -> list[Segment]:
    contents = host.read(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return []
    text = decode(contents.data, keep_bom=True)
    # A file without text is sent, too.
    draft.candidates.append(rule.read(path, contents) if text.strip() else rule.empty(path, "it is blank"))
    where = Origin("file", path=path, range=LineIndex(text).range(0, len(text)))
    body = Segment("instructions", path, text, where, rule.why, cut=our_cut(contents))
    return [head(f'\n<file path="{native(path)}">\n', path=path), body, tail("\n</file>\n")]


_VARIABLE = regex(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)


def _expanded(host: Host, written: str) -> str | None:
    """A path with ``~`` or a variable at its beginning; None where more than a variable is asked of a shell."""
    if written.startswith("~"):
        return host.home + written[1:]
    if not written.startswith("$"):
        return written
    found = _VARIABLE.match(written)
    if found is None or "$" in written[found.end() :] or "`" in written:
        return None
    return host.env.get(found[1] or found[2], "") + written[found.end() :]
