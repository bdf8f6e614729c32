"""Moves the fragments in changes/ into CHANGELOG.md, as a new version.

python tools/changes.py VERSION
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
KINDS = ("security", "added", "changed", "removed", "fixed")
WIDTH = 120
_NAME = re.compile(rf"[a-z0-9]+(-[a-z0-9]+)*\.({'|'.join(KINDS)})\.md")
_VERSION = re.compile(r"\d+\.\d+\.\d+")


def faults(name: str, text: str) -> list[str]:
    """What is wrong with a fragment; see changes/README.md for its form."""
    found = []
    if not _NAME.fullmatch(name):
        found.append(f"its name is not NAME.KIND.md with a kind of {', '.join(KINDS)}")
    if "\n\n" in text.strip() or re.match(r"\s*([-*#]|\d+\.) ", text):
        found.append("it is not one plain paragraph")
    if not text.rstrip().endswith((".", ".)")):
        found.append("it does not end with a full stop")
    if any(len(line) > WIDTH for line in text.splitlines()):
        found.append(f"a line is longer than {WIDTH} characters")
    return found


def section(version: str, day: str, fragments: dict[str, str]) -> str:
    """The section of a version, made of the text of each fragment by its file name."""
    lines = [f"## {version} - {day}", ""]
    for kind in KINDS:
        texts = [text.strip() for name, text in sorted(fragments.items()) if name.endswith(f".{kind}.md")]
        if texts:
            lines += [f"### {kind.title()}", "", *(f"- {text}".replace("\n", "\n  ") for text in texts), ""]
    return "\n".join(lines)


def with_section(changelog: str, new: str) -> str:
    """The changelog with a new version above the others."""
    head, mark, rest = changelog.partition("\n## ")
    return f"{head}\n{new}{mark}{rest}"


def main() -> int:
    """Write the changelog and remove the fragments."""
    version = sys.argv[1] if len(sys.argv) > 1 else ""
    paths = [path for path in sorted((ROOT / "changes").glob("*.md")) if path.name != "README.md"]
    fragments = {path.name: path.read_text(encoding="utf-8") for path in paths}
    wrong = [f"changes/{name}: {fault}" for name, text in fragments.items() for fault in faults(name, text)]
    if not _VERSION.fullmatch(version) or wrong or not fragments:
        print("\n".join(wrong) or "Usage: python tools/changes.py VERSION, with fragments in changes/", file=sys.stderr)
        return 2
    changelog = ROOT / "CHANGELOG.md"
    new = section(version, dt.datetime.now(dt.UTC).date().isoformat(), fragments)
    changelog.write_text(with_section(changelog.read_text(encoding="utf-8"), new), encoding="utf-8")
    for path in paths:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
