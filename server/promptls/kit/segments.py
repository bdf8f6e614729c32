"""The parts of a message that are not a file's text: frames, placeholders for what is not shown, answers of URLs."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Cut, Elided, Origin, Segment
from promptls.core.secrets import is_config, masked_url, spans
from promptls.core.text import ESCAPES
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.model import FetchResult, Layer

WHY_FRAME = "the harness's own frame"


def elided(
    layer: Layer, harness: str, title: str, *, why: str, size: int | None = None, offline: int | None = None
) -> Segment:
    """A placeholder for prose of the harness's own, which is not reproduced."""
    how_long = f", {size} characters" if size is not None else ""
    text = f"⟪{title} of {harness}{how_long}: not reproduced⟫"
    origin = Origin("builtin", name=title)
    return Segment(layer, title, text, origin, why, cache="static", elided=Elided(title, size, offline=offline))


def by_hook(placeholder: Segment, origin: Origin) -> Segment:
    """A placeholder for what the hook at ``origin`` says."""
    said = replace(placeholder.elided, is_of_hook=True) if placeholder.elided is not None else None
    return replace(placeholder, origin=origin, elided=said)


def without_secrets(segment: Segment, found: Sequence[tuple[int, int]] | None = None) -> list[Segment]:
    """The segment, and where it is configuration with secrets in it, a placeholder in the place of each.

    ``found``: where they are, if the text is not as it is in the file.
    """
    if found is None:
        found = spans(segment.text) if segment.origin.path is None or is_config(segment.origin.path) else []
    pieces: list[Segment] = []
    at = 0
    for start, end in found:
        hidden = f"⟪{end - start} characters, a secret⟫"
        pieces.append(replace(segment, text=segment.text[at:start]))
        why = "secrets are never shown"
        pieces.append(Segment(segment.layer, "secret", hidden, COMPUTED, why, elided=Elided("secret"), frame="tail"))
        at = end
    return [*pieces, replace(segment, text=segment.text[at:])] if pieces else [segment]


def head(text: str, layer: Layer = "instructions", *, path: str | None = None) -> Segment:
    """A piece of the harness's own frame before a text, exact to the character; ``path`` is what it announces."""
    return Segment(layer, "frame", text, Origin("computed", path=path), WHY_FRAME, frame="head")


def tail(text: str, layer: Layer = "instructions") -> Segment:
    """A piece of the harness's own frame after a text: closing tags and joins, exact to the character."""
    return Segment(layer, "frame", text, COMPUTED, WHY_FRAME, frame="tail")


def url_segments(fetched: FetchResult, label: str, *, why: str) -> list[Segment]:
    """The segments of a URL's answer: ``label`` and the text; a placeholder while it is pending; else none."""
    url = masked_url(fetched.url)
    origin = Origin("url", url=url)
    if fetched.state == "ok" and fetched.text:
        cut = (
            Cut(len(fetched.text), len(fetched.text), "characters", "promptls keeps 1 MiB", is_ours=True)
            if fetched.truncated
            else None
        )
        return [*without_secrets(head(label)), Segment("instructions", url, fetched.text, origin, why, cut=cut)]
    if fetched.state in ("pending", "disabled"):
        # Whether it is sent, and what, cannot be known now: show a placeholder, and never guess.
        says = "not answered yet" if fetched.state == "pending" else "not fetched"
        text = f"⟪{url}: {says}⟫"
        unknown = Elided(url)
        return [
            *without_secrets(head(label)),
            Segment("instructions", url, text, Origin("computed", name=url), why, elided=unknown),
        ]
    return []


def escaped(text: str) -> str:
    """``text`` as it stands in XML; of a text that is not ASCII, translating each letter takes many times as long."""
    for sign, name in ESCAPES:
        text = text.replace(sign, name)
    return text
