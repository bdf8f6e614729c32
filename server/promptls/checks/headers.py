"""Front matter of rules: keys, types, and patterns that match nothing.

scope-empty, scope-invalid, scope-ignored, front-matter-invalid, front-matter-key, front-matter-type.
"""

from __future__ import annotations

import re
from posixpath import dirname

from promptls.checks.instructions import open_bracket
from promptls.checks.names import in_use
from promptls.checks.near import near
from promptls.checks.rules import problem
from promptls.core.formats import front_matter
from promptls.core.formats.header import header
from promptls.core.model import Edit, Fix, Range
from promptls.core.text import LineIndex
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree
    from promptls.core.formats.header import Header
    from promptls.core.formats.tree import Value
    from promptls.core.model import Problem
    from promptls.core.settings import Settings

    # Code, place, message and, where there is one, the fix: its title, the place and the text that goes there.
    Finding = tuple[str, Range, str, tuple[str, Range, str] | None]


@dataclass(frozen=True, slots=True)
class Schema:
    """The front matter of one kind of rule: its key for patterns, and every key with the types it may have.

    ``place`` matches the path and captures the directory that patterns are relative to.
    """

    place: re.Pattern[str]
    harnesses: tuple[str, ...]
    scope: str
    keys: dict[str, tuple[str, ...]]


WORDS = ("string", "array", "null")
TRUTH = ("true", "false", "null")
SCHEMAS = (
    Schema(
        re.compile(r"^(.*?)/?\.github/instructions/.+\.instructions\.md$"),
        ("copilot-cli", "copilot-vscode"),
        "applyTo",
        {
            "applyTo": ("string", "array"),
            "description": ("string", "null"),
            "name": ("string", "null"),
            "excludeAgent": WORDS,
        },
    ),
    Schema(
        re.compile(r"^(.*?)/?\.cursor/rules/.+\.mdc$"),
        ("cursor",),
        "globs",
        {"globs": WORDS, "description": ("string", "null"), "alwaysApply": TRUTH},
    ),
    Schema(
        re.compile(r"^(.*?)/?\.claude/rules/.+\.md$"),
        ("claude-code",),
        "paths",
        {"paths": WORDS, "description": ("string", "null"), "name": ("string", "null")},
    ),
)
SCOPES = ("applyTo", "globs", "paths")
EVERYTHING = ("*", "**", "**/*")
# The lines with keys, and with items of their lists, that front matter without an end begins with.
_END = re.compile(r"---[ \t]*\r?\n(?:(?:[\w-]+:|[ \t]+\S|-[ \t]).*(?:\r?\n|\Z))*")
# Brace groups with more alternatives than this are not followed.
MAX_ALTERNATIVES = 1000
MAX_LENGTH, MAX_WILD = 500, 8
_GROUP = re.compile(r"[@+?!*]\(")


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """The problems of each rule file of the harnesses in use."""
    used = in_use(tree.prompts)
    # Each schema's place is below a directory with a dot.
    for path in [path for path in tree.prose() if "/." in path]:
        for schema in SCHEMAS:
            place = schema.place.match(tree.relative(path))
            harness = next((name for name in schema.harnesses if name in used), None)
            text = tree.text(path) if place and harness else None
            if place and harness and text:
                for code, where, message, edit in _of_file(tree, schema, place[1], text, harness):
                    fixes: tuple[Fix, ...] = ()
                    if edit is not None:
                        fixes = (Fix(edit[0], (Edit(path, edit[1], edit[2]),)),)
                    yield problem(code, path, where, message, harness=harness, fixes=fixes)


def _of_file(tree: Tree, schema: Schema, base: str, text: str, harness: str) -> Iterator[Finding]:
    matter = front_matter.split(text)
    if matter.document is None:
        if _opens(text, schema):
            lines = LineIndex(text)
            says = f"The front matter is not closed, so {harness} does not read it. Add a line of three dashes."
            at = _END.match(text)
            end = lines.range(at.end(), at.end()) if at else lines.range(len(text), len(text))
            yield "front-matter-invalid", lines.range(0, 3), says, ("Close the front matter", end, "---\n")
        return
    found = header(text)
    lines = LineIndex(text)
    flaw = found.document.flaw if found.document else None
    if flaw is not None:
        where = lines.range(found.start + flaw.start, found.start + flaw.end)
        says = f"{harness} cannot read the front matter: {flaw.message}. Correct it."
        yield "front-matter-invalid", where, says, None
        return
    root = found.document.root if found.document else None
    for key, value in root.members if root else ():
        name = str(key.data)
        where = lines.range(found.start + key.start, found.start + key.end)
        if name in schema.keys:
            yield from _of_value(schema, found, lines, name, value, harness)
        elif name in SCOPES:
            if found.value(schema.scope) is None:
                says = f"{harness} does not read {name}, so these patterns do nothing. Write {schema.scope}."
                yield "scope-ignored", where, says, (f"Write {schema.scope}", where, schema.scope)
        elif right := near(name, [each for each in schema.keys if found.value(each) is None]):
            says = f"{harness} does not know the key {name}. Write {right}."
            yield "front-matter-key", where, says, (f"Write {right}", where, right)
    yield from _of_scope(tree, schema, found, base, harness)


def _opens(text: str, schema: Schema) -> bool:
    """Whether a text without a whole front matter begins one, and not with a rule of three dashes."""
    key = re.compile(rf"---[ \t]*\r?\n(?:[\w-]+:.*\r?\n)*(?:{'|'.join(schema.keys)}):")
    return key.match(text) is not None


def _of_value(  # noqa: PLR0917 - a value and where it stands
    schema: Schema, found: Header, lines: LineIndex, name: str, value: Value, harness: str
) -> Iterator[Finding]:
    kinds = schema.keys[name]
    if value.kind not in kinds:
        wanted = (
            "true or false without quotes" if kinds == TRUTH else "a text or a list" if "array" in kinds else "a text"
        )
        where = lines.range(found.start + value.start, found.start + value.end)
        bare = str(value.data).lower()
        edit = (f"Write {bare}", where, bare) if kinds == TRUTH and bare in TRUTH else None
        yield "front-matter-type", where, f"{harness} needs {wanted} for {name}. Correct the value.", edit


def _of_scope(tree: Tree, schema: Schema, found: Header, base: str, harness: str) -> Iterator[Finding]:
    patterns, where = found.patterns(schema.scope), found.range(schema.scope)
    if not patterns or where is None:
        return
    for pattern in patterns:
        bracket = open_bracket(pattern)
        if bracket:
            says = f"{harness} cannot match “{pattern}”: {bracket} is not closed. Close it."
            yield "scope-invalid", where, says, None
            return
    if not any(pattern in EVERYTHING or matches_any(pattern, tree, base) for pattern in patterns):
        names = ", ".join(patterns)
        says = f"{harness} never adds this rule: no file matches “{names}”. Correct the pattern."
        yield "scope-empty", where, says, None


def matches_any(pattern: str, tree: Tree, base: str) -> bool:
    """Whether any reading of ``pattern`` that some harness might have matches a file: in doubt it does."""
    import bracex  # noqa: PLC0415 - only where rules have patterns
    from wcmatch import glob  # noqa: PLC0415 - the same

    # Groups, and very many wild cards, can take for ever.
    if len(pattern) > MAX_LENGTH or pattern.count("*") > MAX_WILD or _GROUP.search(pattern):
        return True
    bare = pattern.removeprefix("!").removeprefix("./").lstrip("/")
    bare = f"{bare}**" if bare.endswith("/") else bare
    flags = glob.GLOBSTAR | glob.FORCEUNIX | glob.DOTGLOB | glob.IGNORECASE
    try:
        alternatives = bracex.expand(bare, limit=MAX_ALTERNATIVES)
    except bracex.ExpansionLimitException:
        return True
    readings = [reading for each in alternatives for reading in (each, f"**/{each}", f"{each}/**")]
    include, _ = glob.translate(readings, flags=flags)
    regexes = [re.compile(regex) for regex in include]
    prefix = f"{base}/" if base else ""
    for path in tree.files:
        relative = tree.relative(path)
        if relative.startswith(prefix) and any(regex.match(relative[len(prefix) :]) for regex in regexes):
            return True
    return dirname(bare).startswith("..") or pattern.startswith(("~", "/"))
