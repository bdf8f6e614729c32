"""Rules of Claude Code, ``.claude/rules/**/*.md``: in which order, and for which files (specification, 4)."""

from __future__ import annotations

import re
from functools import lru_cache

from promptls.core.formats.patterns import alternatives, ignoring
from promptls.core.formats.read_again import read
from promptls.core.lazy import regex
from promptls.core.model import Origin
from promptls.core.text import LineIndex
from promptls.core.values import dataclass
from promptls.kit.paths import is_below, join, parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.core.model import Range
    from promptls.harnesses.claude_code.setup import Setup

# A limit of ours, against links that lead in circles.
MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A rule file: where it is, and whether it was reached through a link; ``path`` is then where that leads."""

    path: str
    is_link: bool


def rule_files(host: Host, directory: str) -> Iterator[RuleFile]:
    """The ``.md`` files below ``directory`` in the order the disk gives them, links shown as where they lead."""
    yield from _walk(host, directory, is_link=False, above=())


def _walk(host: Host, directory: str, *, is_link: bool, above: tuple[str, ...]) -> Iterator[RuleFile]:
    real = host.realpath(directory)
    if real in above or len(above) > MAX_DEPTH:
        return
    for entry in host.entries(directory):
        path = join(directory, entry.name)
        through_link = is_link or entry.is_link
        if entry.is_link:
            path = host.realpath(path)
        kind = host.kind(path)
        if kind == "directory":
            yield from _walk(host, path, is_link=through_link, above=(*above, real))
        elif entry.name.endswith(".md"):
            yield RuleFile(path, through_link)


@dataclass(frozen=True, slots=True)
class Scope:
    """What the front matter of a rule says. ``patterns`` is () for a rule that always holds.

    ``flaw`` is the place of front matter that cannot be read; such a rule always holds, too.
    """

    patterns: tuple[str, ...] = ()
    text: str = ""
    where: Range | None = None
    flaw: Range | None = None


@lru_cache(maxsize=512)
def scope_of(text: str) -> Scope:
    """The scope of a rule with this text. Only the key ``paths`` counts (wire: paths-keys)."""
    front = read(text)
    if front.unread:
        return Scope(flaw=LineIndex(text).range(front.start, front.end))
    value = front.get("paths")
    if value is None:
        return Scope()
    given = list(_strings(value))
    patterns = tuple(_without_tail(pattern) for entry in given for pattern in split(entry))
    if all(pattern == "**" for pattern in patterns):
        return Scope()
    where = LineIndex(text).range(*front.span(value))
    return Scope(tuple(filter(None, patterns)), ", ".join(given), where)


def _strings(value: Value) -> Iterator[str]:
    for item in value.items if value.kind == "array" else (value,):
        if isinstance(item.data, str):
            yield item.data


def split(entry: str) -> Iterator[str]:
    """The patterns of a string: commas outside of braces part them, and braces are expanded."""
    for part in filter(None, map(str.strip, _without_commas(entry))):
        yield from alternatives(part, keep_escapes=True) or (part,)


def _without_commas(entry: str) -> Iterator[str]:
    """``entry`` without the commas that part it: those whose next brace, if any, is not a closing one."""
    start = 0
    pieces = re.split(r"([{}])", entry)
    at = 0
    for piece, brace in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        for comma in re.finditer(",", piece) if brace != "}" else ():
            yield entry[start : at + comma.start()]
            start = at + comma.end()
        at += len(piece) + len(brace)
    yield entry[start:]


def _without_tail(pattern: str) -> str:
    """``s/**`` is ``s`` before it is matched, and so means any directory of that name."""
    return pattern.removesuffix("/**")


def applies(patterns: tuple[str, ...], base: str, path: str) -> bool:
    """Whether ``path`` is meant by ``patterns`` of a rule whose globs start at ``base``: gitignore, any case."""
    if path == base or not is_below(path, base):
        return False
    spec = _spec(tuple(pattern.lower() for pattern in patterns))
    parts = path[len(base.rstrip("/")) + 1 :].lower().split("/")
    directories = ("/".join(parts[:end]) + "/" for end in range(1, len(parts)))
    # Nothing below a directory that matched is asked again (a negated pattern there has no effect).
    return any(spec.match_file(place) for place in (*directories, "/".join(parts)))


@lru_cache(maxsize=2048)
def _spec(patterns: tuple[str, ...]):  # type: ignore[no-untyped-def] # noqa: ANN202 - imported late
    return ignoring(patterns)


# -- files that permissions keep Claude Code from reading: of calls, mentions and its own instruction files ------------

_RULE = regex(r"Read(?:\((.+)\))?", re.DOTALL)
# In the place of a pattern: every file.
ALL = "**"


def denied(setup: Setup, path: str) -> Origin | None:
    """The rule under ``permissions.deny`` that keeps ``path`` from being read (captured: deny-read-*)."""
    return next((origin for pattern, base, origin in _rules(setup, "deny") if _means(setup, pattern, base, path)), None)


def is_refused(setup: Setup, path: str) -> bool:
    """Whether a tool may not read ``path``: it is denied, or somebody would have to be asked (captured: ask-read)."""
    asked = (_means(setup, pattern, base, path) for pattern, base, _ in _rules(setup, "ask"))
    return denied(setup, path) is not None or any(asked)


def _rules(setup: Setup, key: str) -> Iterator[tuple[str, str, Origin]]:
    """The patterns of a list, where those that begin with a slash start, and what says so."""
    for setting in setup.settings.every("permissions"):
        listed = setting.value.get(key)
        base = parent(setting.origin.path) if setting.scope == "user" and setting.origin.path else setup.cwd
        for item in listed.items if listed is not None else ():
            if isinstance(item.data, str) and (found := _RULE.fullmatch(item.data)):
                yield found[1] or ALL, base, setting.part(item, f"permissions.{key} {item.data}")
    for option in ("disallowedTools", "disallowed-tools") if key == "deny" else ():
        for words in setup.command.values.get(option, ()):
            for word in re.split(r"[\s,]+", words):
                if (found := _RULE.fullmatch(word)) and found[1]:
                    yield found[1], setup.cwd, Origin("argument", name=f"--{option}")


def _means(setup: Setup, pattern: str, base: str, path: str) -> bool:
    if pattern.startswith("//"):
        return applies(("/" + pattern.lstrip("/"),), "/", path)
    if pattern.startswith("~/"):
        return applies((pattern[1:],), setup.home, path)
    if pattern.startswith("/"):
        return applies((pattern,), base, path)
    return applies(("/" + pattern[2:] if pattern.startswith("./") else pattern,), setup.cwd, path)
