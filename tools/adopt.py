"""Writes the row of a version that ``promptls learn`` has learned into ``harnesses/<name>/versions.py``.

    promptls learn codex
    python tools/adopt.py codex@0.170.0

The row is that of the nearest version with the values that differ. The newest row is always named NEWEST; the row that
was it before is named after its version. Read the diff: which session shows a value, and which rules have moved,
``promptls learn --all`` has said. What has moved is no value, and needs a rule.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from promptls.harnesses.catalogue import FOLDERS
from promptls.harnesses.learned import as_place, file_of, parsed, rows
from promptls.kit.facts import GONE, LIKE
from promptls.kit.versions import key
from promptls.workspace.machine import known_texts_directory

TOP = Path(__file__).parents[1]
ROWS = re.compile(r"^ROWS = \(([\w\s,]*)\)", re.MULTILINE)
VALUES = re.compile(r"^(from promptls\.core\.values import )(.*)$", re.MULTILINE)


def main() -> None:
    """Write the row of what is named."""
    if len(sys.argv) != 2:  # noqa: PLR2004 - the program and one name
        sys.exit(__doc__)
    name, _, version = sys.argv[1].partition("@")
    path = Path(file_of(known_texts_directory(), name, version))
    if not path.is_file() or parsed(path.read_bytes(), name, version) is None:
        sys.exit(f"Nothing was learned of {name} {version}: run “promptls learn {name}” with it on PATH.")
    kept = json.loads(path.read_text("utf-8"))
    module = TOP / "server" / "promptls" / "harnesses" / FOLDERS[name] / "versions.py"
    module.write_text(with_row(module.read_text("utf-8"), kept, rows(name)), "utf-8")
    print(f"{module} has a row of {version}: read it, then run make generate and the tests.")
    for rule, says in kept["rules"]["moved"].items():
        print(f"moved, and not in the row: {rule}: {says}")
    for each in kept.get("deviations", ()):
        print(f"in some sessions only, and not in the row: {json.dumps(each)}")


def with_row(text: str, kept: dict[str, Any], known: tuple[Any, ...]) -> str:
    """The module of a harness with a row of what was learned."""
    found = ROWS.search(text)
    if found is None:
        sys.exit("There is no line “ROWS = (NEWEST, ...)” of names: name each row, the newest NEWEST.")
    names = [each.strip() for each in found[1].split(",") if each.strip()]
    versions = [each.version.name for each in known]
    own = named(kept["version"])
    if (key(kept["version"]) or ()) > max(key(each) or () for each in versions):
        # What describes the harness, and its tests, ask NEWEST.
        before = named(versions[names.index("NEWEST")])
        names = [before if each == "NEWEST" else each for each in names]
        text, own = re.sub(r"\bNEWEST\b", before, text), "NEWEST"
        found = ROWS.search(text) or found
    base = names[versions.index(kept["base"])]
    row = known[versions.index(kept["base"])]
    tree: dict[Any, Any] = {}
    for change in kept["changes"]:
        below = tree
        *tables, name = as_place(change["at"])
        for each in tables:
            below = below.setdefault(each, {})
        value = change["value"]
        # What is learned of a new entry of a table comes later.
        is_new = isinstance(value, dict) and isinstance(value.get(LIKE), str)
        below[name] = (
            {key: each if key == LIKE else Value(each) for key, each in value.items()} if is_new else Value(value)
        )
    fields = [f"    {field}={written(each, getattr(row, field), f'{base}.{field}')}," for field, each in tree.items()]
    said = f'    version=Version("{kept["version"]}", verified=True, like="{kept["base"]}"),'
    note = f"# What differs from {base} (captured: {kept['sessions']['run']} sessions of promptls learn)."
    block = "\n".join([note, f"{own} = replace(", f"    {base},", said, *fields, ")"])
    order = sorted(zip([*versions, kept["version"]], [*names, own], strict=True), key=lambda each: key(each[0]) or ())
    # The first row is the default.
    listed = ", ".join(each for _, each in reversed(order))
    return VALUES.sub(with_replace, f"{text[: found.start()]}{block}\n\n\nROWS = ({listed}){text[found.end() :]}")


def with_replace(found: re.Match[str]) -> str:
    """The line that imports what rows are made with, ``replace`` among it."""
    return found[1] + ", ".join(sorted({*found[2].split(", "), "replace"}))


def named(version: str) -> str:
    """The name of the row of a version."""
    return f"V{re.sub(r'[^0-9A-Za-z]', '_', version)}"


class Value:
    """The new value of a place."""

    def __init__(self, value: Any) -> None:
        self.value = value


def written(change: Any, now: Any, place: str) -> str:
    """A value of a row with its changes, as Python; ``place`` is how the one of the other row is written."""
    if isinstance(change, Value):
        return repr(change.value)
    if isinstance(now, dict):
        gone = [each for each, new in change.items() if isinstance(new, Value) and new.value == GONE]
        kept = [f"{each!r}: {_entry(each, new, now, place)}" for each, new in change.items()]
        kept = [each for each in kept if not each.endswith(f": {GONE!r}")]
        old = f"**{place}" if not gone else f"**{{k: v for k, v in {place}.items() if k not in {gone!r}}}"
        return "{" + ", ".join([old, *kept]) + "}"
    if isinstance(now, tuple):
        parts = [f"{place}[{at}]" for at in range(len(now))]
        for at, new in sorted(change.items(), reverse=True):
            if isinstance(new, Value) and isinstance(new.value, dict):
                given = ", ".join(f"{field}={value!r}" for field, value in new.value.items() if field != LIKE)
                parts[at:at] = [f"replace({place}[{new.value[LIKE]}], {given})"]
            else:
                is_gone = isinstance(new, Value) and new.value == GONE
                parts[at : at + 1] = [] if is_gone else [written(new, now[at], f"{place}[{at}]")]
        return f"({', '.join(parts)},)" if parts else "()"
    fields = ", ".join(
        f"{field}={written(new, getattr(now, field), f'{place}.{field}')}" for field, new in change.items()
    )
    return f"replace({place}, {fields})"


def _entry(name: str, new: Any, now: dict[str, Any], place: str) -> str:
    """An entry of a table: changed, or a new one that is like another."""
    if not isinstance(new, dict) or LIKE not in new:
        return written(new, now.get(name), f"{place}[{name!r}]")
    own = {key: each for key, each in new.items() if key != LIKE}
    like = f"{place}[{new[LIKE]!r}]"
    return written(own, now[new[LIKE]], like) if own else like


if __name__ == "__main__":
    main()
