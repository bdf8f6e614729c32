"""The keys that decide a prompt: what an editor can offer while a configuration or front matter is typed."""

from __future__ import annotations

import re

from promptls.core import specs
from promptls.kit.paths import name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from promptls.core.spec import ConfigFile, Place


def config(path: str) -> tuple[str, ConfigFile] | None:
    """The harness that a file is a configuration of, and its keys; None if it is none that is known.

    A name such as config.toml is that of several harnesses: one that knows the place goes before.
    """
    last = name(path)
    if toml(path):
        return None
    for spec in specs.every():
        for each in spec.config_files:
            if each.keys and last in each.names:
                return spec.name, each
    return None


def keys_at(keys: Mapping[Place, Mapping[str, str]], place: Sequence[str | int]) -> Mapping[str, str]:
    """The keys of the object at ``place``."""
    for pattern, found in keys.items():
        if len(pattern) == len(place) and all(p in ("*", at) for p, at in zip(pattern, place, strict=True)):
            return found
    return {}


def names_tools(path: str, key: str) -> list[str]:
    """The harnesses for which the value of ``key`` in the front matter of this file names tools."""
    return [
        spec.name
        for spec in specs.every()
        if any(key in each.tools and re.search(each.place, path) for each in spec.front_matter)
    ]


def readers(path: str, key: str) -> list[str]:
    """The harnesses for which ``key`` in the front matter of this file, or at its top in TOML, has a meaning."""
    return [
        spec.name
        for spec in specs.every()
        if any(key in each.keys and re.search(each.place, path) for each in (*spec.front_matter, *spec.toml_files))
    ]


def toml(path: str) -> Mapping[str, str]:
    """The keys that a file may have at its top in TOML; none where it means nothing."""
    known = [each for spec in specs.every() for each in spec.toml_files]
    return next((each.keys for each in known if re.search(each.place, path)), {})


def front_matter(path: str) -> Mapping[str, str]:
    """The keys that the front matter of a file may have; none where it means nothing."""
    known = [each for spec in specs.every() for each in spec.front_matter]
    return next((each.keys for each in known if re.search(each.place, path)), {})
