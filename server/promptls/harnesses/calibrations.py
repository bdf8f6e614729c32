"""What programs reported of the user's own requests: one JSON file for each harness, numbers only.

    {"format": 2, "promptls": "0.9.0", "measured": {"3632233996": 12}, "models": {"claude-opus-5-5": {
        "base": "estimate 7", "requests": [["3632233996", "2026-11-22T10:00:00Z", 9000, 4000, 13100]]}}}

A request has its session as a number, its time, what promptls counts of its tools and of its text, and what was
reported. ``measured`` says of how many requests of a session that is known. Another version of promptls may count
otherwise. Imported where there is such a file.
"""

from __future__ import annotations

import json

from promptls import __version__
from promptls.core.calibration import Measured, calibrate
from promptls.core.lazy import regex
from promptls.core.tokens import counter
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from promptls.core.calibration import Calibration
    from promptls.core.model import Prompt

# Of what is kept; a new one for each change of the weights of an estimate.
FORMAT = 2
# Sessions that differ by more percent say nothing of another one: of some, the records do not say all.
WIDEST = 8
# A day or a size of the window at the end of a model's name, which is the same model.
_VARIANT = regex(r"(?:[-@]20\d{6}|-latest|\[1m\])+$")


def calibrated(prompt: Prompt, data: bytes) -> Prompt:
    """``prompt`` with what the file of its harness says of requests with its model."""
    known = content_of(data)
    model = prompt.model or last_model(known)
    found = calibration_of(known, model) if model is not None else None
    if found is None or not is_near(found, model):
        return prompt
    return replace(prompt, calibration=found, counted_as=model if prompt.model is None else None)


def last_model(kept: Mapping[str, Any]) -> str | None:
    """The model that was asked last: the usual one, where no setting names it."""
    models = kept.get("models")
    times = {name: _last(about) for name, about in models.items()} if isinstance(models, dict) else {}
    return max(times, key=lambda name: times[name]) if any(times.values()) else None


def _last(about: object) -> str:
    rows = about.get("requests") if isinstance(about, dict) else None
    row = rows[-1] if isinstance(rows, list) and rows else None
    return str(row[1]) if isinstance(row, list) and len(row) > 1 else ""


def calibration_of(kept: Mapping[str, Any], model: str) -> Calibration | None:
    """What the content of a file says of a model."""
    count = counter(model)
    return calibrate(requests_of(kept, model, count.base), is_exact=count.is_exact)


def is_near(found: Calibration, model: str | None) -> bool:
    """Whether it is of sessions that are so much alike that it says more than an estimate."""
    return found.spread <= max(WIDEST, counter(model).error)


def content_of(data: bytes) -> dict[str, Any]:
    """The content of the file of a harness; {} if it is not as this promptls writes it."""
    try:
        root = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    is_ours = isinstance(root, dict) and root.get("format") == FORMAT and root.get("promptls") == __version__
    return root if is_ours else {}


def requests_of(kept: Mapping[str, Any], model: str, base: str) -> tuple[Measured, ...]:
    """The requests of a model that are counted as ``base`` counts, the oldest first; those of its other days, too."""
    models = kept.get("models")
    known: Mapping[str, Any] = models if isinstance(models, dict) else {}
    names = [model] if model in known else [each for each in known if plain(each) == plain(model)]
    found = []
    for name in names:
        about = known[name]
        rows = about.get("requests") if isinstance(about, dict) and about.get("base") == base else None
        for row in rows if isinstance(rows, list) else ():
            try:
                session, at, tools, text, reported = row
                found.append(Measured(str(session), str(at), int(tools), int(text), int(reported)))
            except (TypeError, ValueError, OverflowError):
                continue
    return tuple(sorted(found, key=lambda each: each.at))


def plain(model: str) -> str:
    """A model's name without the day of its release and the size of its window."""
    return _VARIANT.sub("", model.lower())
