"""The specs of all harnesses, by name: the catalogue puts them here, so that checks need not know any harness.

Each is loaded when it is first asked for.
"""

from __future__ import annotations

import re
from functools import lru_cache

from promptls.core.spec import Detection, Spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Made = TypeVar("Made")

_loaders: dict[str, Callable[[], Spec]] = {}
_loaded: dict[str, Spec] = {}
_detections: dict[str, Detection] = {}
_caches: list[Callable[[], object]] = []


def cached(make: Callable[[], Made]) -> Callable[[], Made]:
    """What is made of all specs, made once, and again when a harness is added."""
    kept = lru_cache(maxsize=1)(make)
    _caches.append(kept.cache_clear)
    return kept


def add(name: str, load: Callable[[], Spec], detection: Detection | None = None) -> None:
    """Add a harness after the others, or replace the one of the same name.

    With its ``detection`` given, its spec need not be loaded to look for it.
    """
    _loaders[name] = load
    _loaded.pop(name, None)
    _detections.pop(name, None)
    if detection is not None:
        _detections[name] = detection
    for clear in _caches:
        clear()


def names() -> tuple[str, ...]:
    """The names of all harnesses, in the order that decides between equals."""
    return tuple(_loaders)


def canonical(text: str) -> str:
    """``text``, a harness with or without its version, with the full name in place of an alias."""
    name, sign, version = text.partition("@")
    full = name if name in _loaders else next((each for each in _loaders if name in detection(each).aliases), name)
    return full + sign + version


def of(name: str) -> Spec:
    """What is known of the harness called ``name``; an empty spec where there is none."""
    found = _loaded.get(name)
    if found is None:
        load = _loaders.get(name)
        if load is None:
            return Spec(name, name)
        found = _loaded[name] = load()
    return found


def detection(name: str) -> Detection:
    """What shows that a folder is configured for the harness called ``name``."""
    if name not in _detections:
        _detections[name] = detection_of(of(name))
    return _detections[name]


def detection_of(spec: Spec) -> Detection:
    """The part of a spec that detection needs."""
    return Detection(**{field: getattr(spec, field) for field in Detection.__slots__})


@cached
def every() -> tuple[Spec, ...]:
    """What is known of all harnesses, in order."""
    return tuple(map(of, _loaders))


@cached
def endings() -> tuple[str, ...]:
    """What the names of instruction files and prompts end in, of all harnesses."""
    files = [each for spec in every() for each in spec.instruction_files]
    prompts = [spec.environments.suffix for spec in every() if spec.environments is not None]
    named = (ending for each in files for ending in each.endings if ending)
    return tuple(dict.fromkeys((".md", *named, *prompts)))


@cached
def text_places() -> tuple[re.Pattern[str], ...]:
    """The places of files whose text is for a model, of all harnesses: instructions, rules, skills, agents ..."""
    named = [
        rf"(?:^|/){re.escape(name)}" + ("" if name[-1:] == "/" else "$") for each in every() for name in each.nested
    ]
    places = [
        place
        for spec in every()
        for place in (
            *(each.place for each in spec.instruction_files),
            *(each.place for each in spec.rule_files),
            *(each.place for each in spec.front_matter),
        )
    ]
    return tuple(map(re.compile, dict.fromkeys((*named, *places))))


@cached
def instruction_names() -> frozenset[str]:
    """The names of instruction files in any directory, of all harnesses."""
    return frozenset(name for each in every() for name in each.nested)


@cached
def rule_places() -> tuple[re.Pattern[str], ...]:
    """The places of rule files, of all harnesses: each captures the directory that patterns are relative to."""
    places = dict.fromkeys(each.place for spec in every() for each in spec.rule_files)
    return tuple(map(re.compile, places))


@cached
def scope_keys() -> tuple[str, ...]:
    """The keys of front matter that hold the patterns of a rule, of all harnesses."""
    files = [each for spec in every() for each in spec.rule_files]
    return tuple(dict.fromkeys(key for each in files for key in (each.scope, *each.further_scopes)))
