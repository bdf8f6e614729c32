"""config-key: keys of a configuration that are almost one that the harness reads, or were one once."""

from __future__ import annotations

import re

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats import parse_json, parse_toml
from promptls.core.model import Edit, Fix
from promptls.core.near import near
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from promptls.checks.tree import Tree
    from promptls.core.formats.tree import Document, Value
    from promptls.core.model import Problem
    from promptls.core.settings import Settings

# With more keys than anybody writes, it is no configuration.
MOST_KEYS = 200


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """A problem for each key at the top of a configuration that is read and almost names something."""
    for harness, candidate in tree.candidates():
        path = candidate.path
        is_read = candidate.outcome == "loaded" or candidate.state == "untrusted"
        if path is None or candidate.use != "config" or not is_read:
            continue
        config = next((each for each in specs.of(harness).config_files if each.holds(path)), None)
        if config is None:
            continue
        text = tree.text(path)
        if text is None:
            continue
        document = parse_toml(text) if path.endswith(".toml") else parse_json(text, comments=True)
        root = document.root
        if root is None or len(root.members) > MOST_KEYS:
            continue
        yield from _old(document, path, harness, config.old or {})
        for key, _ in root.members:
            name = str(key.data)
            if name in config.read or name in config.known:
                continue
            right = near(name, [each for each in config.read if root.get(each) is None])
            if right:
                message = f"{harness} does not know the key {name}, and ignores it. Write {right}."
                where = document.range(key)
                written = right if text[key.start : key.end] == name else f'"{right}"'
                fixes = (Fix(f"Write {right}", (Edit(path, where, written),)),)
                yield problem("config-key", path, where, message, harness=harness, fixes=fixes)


def _old(document: Document, path: str, harness: str, old: Mapping[str, str]) -> Iterator[Problem]:
    """A problem for each key that a harness does not read any more, with the one that it reads now."""
    for key, value in document.root.members if document.root else ():
        new = old.get(str(key.data))
        # Where the value has another form, it is another setting of the same name.
        if new is None or value.kind == "object":
            continue
        is_set = _at(document.root, new.split(".")) is not None
        advice = f"{new} is set already: remove this key." if is_set else f"Write {new}."
        message = f"{harness} no longer reads {key.data}, so it has no effect. {advice}"
        edits = _removed(document, key, value) if is_set else _moved(document, key, value, new.split("."))
        title = f"Remove {key.data}" if is_set else f"Write {new}"
        lines = LineIndex(document.text)
        fix = Fix(title, tuple(Edit(path, lines.range(start, end), text) for start, end, text in edits))
        yield problem("config-key", path, document.range(key), message, harness=harness, fixes=(fix,))


def _at(root: Value | None, names: Sequence[str]) -> Value | None:
    for name in names:
        root = root.get(name) if root is not None else None
    return root


def _moved(document: Document, key: Value, value: Value, names: list[str]) -> list[tuple[int, int, str]]:
    """The edits that write the value at a key below others: into the object that is there, else in its own place."""
    text = document.text[value.start : value.end]
    depth = max(n for n in range(len(names)) if n == 0 or _at(document.root, names[:n]) is not None)
    for name in reversed(names[depth + 1 :]):
        text = f'{{"{name}": {text}}}'
    text = f'"{names[depth]}": {text}'
    holder = _at(document.root, names[:depth])
    if depth == 0 or holder is None or holder.kind != "object":
        return [(key.start, value.end, text)]
    comma = ", " if holder.members else ""
    return [(holder.start + 1, holder.start + 1, text + comma), *_removed(document, key, value)]


def _removed(document: Document, key: Value, value: Value) -> list[tuple[int, int, str]]:
    """The edit that takes a member out, with one comma."""
    after = re.compile(r"\s*,[ \t]*(?:\r?\n[ \t]*)?").match(document.text, value.end)
    if after:
        return [(key.start, after.end(), "")]
    before = document.text[: key.start].rstrip()
    start = len(before) - 1 if before.endswith(",") else key.start
    return [(start, value.end, "")]
