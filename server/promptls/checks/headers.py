"""Front matter of rules: keys, types, and patterns that match nothing.

scope-empty, scope-invalid, scope-ignored, front-matter-invalid, front-matter-key, front-matter-type.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import chain, islice, takewhile
from posixpath import splitext

from promptls.checks.instructions import closings, open_bracket
from promptls.checks.names import in_use
from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats import front_matter, parse_yaml, read_again
from promptls.core.formats.header import Header, header, split_patterns
from promptls.core.formats.patterns import alternatives, path_matcher, turned_range
from promptls.core.formats.tree import Document, Flaw
from promptls.core.lazy import regex
from promptls.core.model import Edit, Fix, Range
from promptls.core.near import near
from promptls.core.paths import parent
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree
    from promptls.core.formats.tree import Value
    from promptls.core.model import Problem
    from promptls.core.settings import Settings
    from promptls.core.spec import RuleFile

    # Code, place, message and, where there is one, the fix: its title, the place and the text that goes there.
    Finding = tuple[str, Range, str, tuple[str, Range, str] | None]


TRUTH = ("true", "false", "null")
EVERYTHING = ("*", "**", "**/*")
# The lines with keys, and with items of their lists, that front matter without an end begins with.
_END = regex(r"---[ \t]*\r?\n(?:(?:[\w-]+:|[ \t]+\S|-[ \t]).*(?:\r?\n|\Z))*")
_KEYS = regex(r"((?:[A-Za-z]\w*:(?:[ \t].*)?\r?\n(?:[ \t]+\S.*\r?\n|-[ \t].*\r?\n)*)+)(---[ \t]*\r?(?:\n|\Z))?")
_VALUE = regex(r"^([ \t]*+(?:[\w-]++:|-)[ \t]++)(\S[^\r\n]*+)\r?$", re.MULTILINE)
_LISTED = regex(r"\[(.*?)\]?")
# So many lines are tried in quotes, and patterns in other words.
MOST_TRIED = 20
# How much an ending may differ from the one that was meant.
LIKE_ENDING = 0.6
MAX_LENGTH, MAX_WILD = 500, 8
_GROUP = regex(r"[@+?!*]\(")
# The directories that a pattern begins with, by name.
_PLAIN = regex(r"(?:[^*?\[\]{}\\/]*/)*")


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """The problems of each rule file of the harnesses in use."""
    used = in_use(tree.prompts)
    # The first harness speaks for all that read files of this kind.
    first: dict[str, tuple[str, RuleFile]] = {}
    for spec in specs.every():
        for schema in spec.rule_files if spec.name in used else ():
            first.setdefault(schema.place, (spec.name, schema))
    readers = [(re.compile(place), *reader) for place, reader in first.items()]
    for path in tree.prose():
        for place, harness, schema in readers:
            found = place.match(tree.relative(path))
            text = tree.text(path) if found else None
            if found and text:
                for code, where, message, edit in _of_file(tree, schema, found[1], text, harness):
                    fixes: tuple[Fix, ...] = ()
                    if edit is not None:
                        fixes = (Fix(edit[0], (Edit(path, edit[1], edit[2]),)),)
                    yield problem(code, path, where, message, harness=harness, fixes=fixes)


def _unfenced(text: str, schema: RuleFile, harness: str) -> Iterator[Finding]:
    """Front matter of which one of the two lines of dashes is missing, or both."""
    lines = LineIndex(text)
    dashes = "---\r\n" if "\r\n" in text else "---\n"
    if _opens(text, schema):
        says = f"The front matter is not closed, so {harness} does not read it. Add a line of three dashes."
        at = _END.match(text)
        end = at.end() if at else len(text)
        ahead = "" if text[end - 1 : end] in ("\n", "\r") else dashes[3:]
        edit = "Close the front matter", lines.range(end, end), ahead + dashes
        yield "front-matter-invalid", lines.range(0, 3), says, edit
        return
    keys = _KEYS.match(text)
    names = {line.partition(":")[0] for line in keys[1].splitlines() if line[:1].isalpha()} if keys else set()
    # A line of prose may look like a key.
    if keys and names <= set(schema.kinds) and (keys[2] or names & _telling(schema)):
        says = f"The front matter has no line of three dashes before it, so {harness} does not read it. Add one."
        closing = "" if keys[2] else dashes
        edit = "Put dashes around it", lines.range(0, keys.end(1)), f"{dashes}{keys[1]}{closing}"
        yield "front-matter-invalid", lines.range(0, len(keys[1].splitlines()[0])), says, edit


def _telling(schema: RuleFile) -> set[str]:
    """The keys that ordinary text hardly begins with: the scope, and what is true or false."""
    return {schema.scope, *(key for key, kinds in schema.kinds.items() if kinds == TRUTH)}


def _of_file(tree: Tree, schema: RuleFile, base: str, text: str, harness: str) -> Iterator[Finding]:
    matter = front_matter.split(text)
    if matter.document is None:
        yield from _unfenced(text, schema, harness)
        return
    found = _header(schema, text)
    lines = LineIndex(text)
    flaw = found.document.flaw if found.document else None
    if flaw is not None:
        where = lines.range(found.start + flaw.start, found.start + flaw.end)
        so = ", so it always adds this rule" if schema.is_read_again else ""
        says = f"{harness} cannot read the front matter{so}: {flaw.message}. Fix it."
        yield "front-matter-invalid", where, says, _quoted(found, flaw.start, schema)
        return
    root = found.document.root if found.document else None
    free = [each for each in schema.kinds if found.value(each) is None]
    for key, value in root.members if root else ():
        name = str(key.data)
        where = lines.range(found.start + key.start, found.start + key.end)
        if name in schema.kinds:
            yield from _of_value(schema, found, lines, name, value, harness)
        elif name in specs.scope_keys():
            if found.value(schema.scope) is None and name not in schema.further_scopes:
                says = f"{harness} does not read {name}, so these patterns have no effect. Write {schema.scope}."
                yield "scope-ignored", where, says, (f"Write {schema.scope}", where, schema.scope)
        elif right := near(name, free):
            says = f"{harness} does not know the key {name}. Write {right}."
            yield "front-matter-key", where, says, (f"Write {right}", where, right)
    yield from _of_scope(tree, schema, found, "" if schema.is_from_root else base, harness)


def _header(schema: RuleFile, text: str) -> Header:
    """The front matter of a rule as the harness reads it."""
    if not schema.is_read_again:
        return header(text)
    again = read_again.read(text)
    matter = text[again.start : again.end]
    flaw = parse_yaml(matter).flaw or Flaw(0, len(matter.rstrip()), "this is not valid YAML")
    return Header(text, again.start, Document(matter, None, flaw) if again.unread else again.document)


def _opens(text: str, schema: RuleFile) -> bool:
    """Whether a text without a whole front matter begins one, and not with a rule of three dashes."""
    # Possessive: with two ways to read the end of a line, a text that does not match would be read in 2**lines ways.
    keys = "|".join(schema.kinds)
    key = re.compile(rf"---[ \t]*\r?\n(?:(?!(?:{keys}):)[\w-]++:[^\n]*+\n)*(?:{keys}):")
    return key.match(text) is not None


def _of_value(  # noqa: PLR0917 - a value and its place
    schema: RuleFile, found: Header, lines: LineIndex, name: str, value: Value, harness: str
) -> Iterator[Finding]:
    kinds = schema.kinds[name]
    if value.kind not in kinds:
        wanted = (
            "true or false without quotes" if kinds == TRUTH else "a text or a list" if "array" in kinds else "a text"
        )
        where = lines.range(found.start + value.start, found.start + value.end)
        bare = str(value.data).lower()
        edit = (f"Write {bare}", where, bare) if kinds == TRUTH and bare in TRUTH else None
        yield "front-matter-type", where, f"{harness} needs {wanted} for {name}. Fix the value.", edit


def _of_scope(tree: Tree, schema: RuleFile, found: Header, base: str, harness: str) -> Iterator[Finding]:
    keys = (schema.scope, *schema.further_scopes)
    key = next((each for each in keys if found.value(each) is not None), schema.scope)
    patterns, where = found.patterns(key), found.range(key)
    if not patterns or where is None:
        return
    for pattern in patterns:
        bracket = open_bracket(pattern)
        if bracket:
            says = f"{harness} cannot match “{pattern}”: {bracket} is not closed. Close it."
            closed = (each for each in closings(pattern) if matches_any(each, tree, base))
            yield "scope-invalid", where, says, _rewritten(found, key, pattern, next(closed, None))
            return
        turned = turned_range(pattern)
        if turned:
            says = f"{harness} cannot match “{pattern}”: the range {turned} ends before it begins. Swap its ends."
            turned_back = pattern.replace(turned, turned[::-1])
            yield "scope-invalid", where, says, _rewritten(found, key, pattern, turned_back)
            return
    if not any(pattern in EVERYTHING or matches_any(pattern, tree, base) for pattern in patterns):
        names = ", ".join(patterns)
        says = f"{harness} never adds this rule: no file matches “{names}”. Fix the pattern."
        tried = patterns[:MOST_TRIED]
        right = next(((each, new) for each in tried if (new := _near_pattern(each, tree, base))), ("", None))
        yield "scope-empty", where, says, _rewritten(found, key, *right)


def _rewritten(found: Header, key: str, old: str, new: str | None) -> tuple[str, Range, str] | None:
    """The edit that writes ``new`` for the pattern ``old`` of ``key``, where it is there once."""
    value = found.value(key)
    if value is None or new is None:
        return None
    start, end = found.start + value.start, found.start + value.end
    if found.text.count(old, start, end) != 1:
        return None
    at = found.text.index(old, start, end)
    return f"Write {new}", LineIndex(found.text).range(at, at + len(old)), new


def _near_pattern(pattern: str, tree: Tree, base: str) -> str | None:
    """``pattern`` with a directory or an ending that is there in the place of one that is not."""
    parts, ending = pattern.split("/"), splitext(pattern)[1]
    names, endings = tree.names()
    plain = [part for part in parts[:-1] if re.fullmatch(r"[\w.-]+", part) and part not in names]
    right = {part: near(part, (name for name in names if name[0] == part[0])) for part in plain}
    tries = ["/".join([right.get(part) or part for part in parts])]
    if re.fullmatch(r"\.\w+", ending):
        tries += [each.removesuffix(ending) + new for each in tries if (new := near(ending, endings, LIKE_ENDING))]
    return next((each for each in tries if each != pattern and matches_any(each, tree, base)), None)


def _quoted(found: Header, flaw: int, schema: RuleFile) -> tuple[str, Range, str] | None:
    """The edit that puts one value from the line of the flaw on into quotes, where that makes it YAML."""
    matter = found.document.text if found.document else ""
    for line in islice(_VALUE.finditer(matter, matter.rfind("\n", 0, flaw) + 1), MOST_TRIED):
        kinds = schema.kinds.get(line[1].strip(" \t:"), ())
        value = line[2].rstrip(" \t")
        start, end = line.start(2), line.start(2) + len(value)
        for new in _in_other_words(value, may_be_list="array" in kinds):
            after = _header(schema, f"---\n{matter[:start]}{new}{matter[end:]}---\n")
            is_good = after.document is not None and after.document.flaw is None
            if is_good and not any(map(open_bracket, after.patterns(schema.scope))):
                where = LineIndex(found.text).range(found.start + start, found.start + end)
                return f"Write {new}", where, new
    return None


def _in_other_words(value: str, *, may_be_list: bool) -> Iterator[str]:
    """What may be meant by a value that is no YAML: a list of quoted words, or one of them."""
    listed = _LISTED.fullmatch(value)
    if listed and may_be_list:
        yield f"[{', '.join(_in_quotes(item.strip()) for item in split_patterns(listed[1]))}]"
    yield _in_quotes(value)


def _in_quotes(text: str) -> str:
    if text[:1] == text[-1:] and text[:1] in ("'", '"') and len(text) > 1:
        return text
    bare = text.strip("\"'") if '"' in text else text
    return f'"{bare}"' if '"' not in bare and "\\" not in bare else "'" + bare.replace("'", "''") + "'"


def matches_any(pattern: str, tree: Tree, base: str) -> bool:
    """Whether any reading of ``pattern`` that some harness might have matches a file; True if in question."""
    # Groups, and very many wild cards, can take forever.
    if len(pattern) > MAX_LENGTH or pattern.count("*") > MAX_WILD or _GROUP.search(pattern):
        return True
    bare = pattern.removeprefix("!").removeprefix("./").lstrip("/")
    bare = f"{bare}**" if bare.endswith("/") else bare
    each_way = alternatives(bare)
    if each_way is None:
        return True
    readings = [reading for each in each_way for reading in (f"**/{each}", f"{each}/**")]
    matchers = [path_matcher(each, dot=True, ignore_case=True) for each in readings]
    head = f"{tree.root.rstrip('/')}/{f'{base}/' if base else ''}"
    # Most patterns begin with a directory that is there, and the files are sorted.
    plain = _PLAIN.match(bare)
    begins = head + (plain[0] if plain else "")
    named = tree.near(*each_way)
    likely = islice(named, bisect_left(named, begins), None)
    for path in chain(takewhile(lambda path: path.startswith(begins), likely), named):
        if path.startswith(head) and any(matches(path[len(head) :]) for matches in matchers):
            return True
    return parent(bare).startswith("..") or pattern.startswith(("~", "/"))
