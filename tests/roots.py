"""In which order Codex names the writable roots, by hand: it depends on where the folder of a test is."""

from __future__ import annotations

import re

NAMED = re.compile(r"(?<=The writable roots are )`[^`]*`(?:, `[^`]*`)*")


def in_order(text: str, folder: object, home: object) -> str:
    """``text`` with the roots in the order that they have here; ``.`` is the folder, ``~`` the home directory.

    They are sorted name by name, so /tmp stands before those inside of it.
    """

    def key(root: str) -> list[str]:
        path = root.replace("~", str(home), 1) if root.startswith("~/") else root
        path = path if path.startswith("/") else f"{folder}/{path}".removesuffix("/.")
        return path.split("/")

    def sort(found: re.Match[str]) -> str:
        return ", ".join(f"`{root}`" for root in sorted(re.findall("`([^`]*)`", found[0]), key=key))

    return NAMED.sub(sort, text)
