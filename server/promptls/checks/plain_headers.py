"""front-matter-sent: front matter that a harness sends as text, so that what it says of the file has no effect."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats.header import header
from promptls.core.model import Edit, Fix, Range
from promptls.core.sizes import uses_of
from promptls.core.text import LineIndex, unescaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.header import Header
    from promptls.core.model import Problem, Prompt, Segment
    from promptls.core.settings import Settings

OPENING = "---"
# Keys that say when a rule holds, beside those that hold its patterns.
WHEN = ("alwaysApply", "trigger", "inclusion")
EVERYTHING = ("*", "**", "**/*", "**/*.*")


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """A problem for each instruction file whose front matter the model gets to read, where it was meant to decide."""
    uses, seen = uses_of(prompt), set[str]()
    for segment in (each for message in prompt.messages for each in message.segments):
        path = segment.origin.path
        if path is None or path in seen or not is_begun(segment) or uses.get(path) != "instruction":
            continue
        seen.add(path)
        # Where some program reads its keys, they are not there for nothing.
        if not any(place.search(path) for place in specs.rule_places()):
            # Some programs send it in XML; a place in it is one in the file.
            yield from _of_text(prompt.session.harness, path, unescaped(segment.text))


def is_begun(segment: Segment) -> bool:
    """Whether a segment is the beginning of a file that begins with front matter."""
    where = segment.origin.range
    is_text = segment.elided is None and not segment.frame and segment.layer != "runtime"
    return is_text and segment.text.startswith(OPENING) and (where is None or where.start == (0, 0))


def _of_text(harness: str, path: str, text: str) -> Iterator[Problem]:
    head = header(text)
    key = next((each for each in (*specs.scope_keys(), *WHEN) if head.value(each) is not None), None)
    if head.document is None or head.document.flaw is not None or key is None:
        return
    message = (
        f"{harness} sends this front matter as text, so {key} decides nothing: it always sends the whole file. "
        "Remove the front matter, or move the text to a rule of a program that reads it."
    )
    fixes = (Fix("Remove the front matter", (Edit(path, LineIndex(text).range(0, head.body)),)),)
    yield problem(
        "front-matter-sent",
        path,
        head.range(key) or Range(),
        message,
        harness=harness,
        fixes=fixes,
        severity="hint" if _is_for_all(head) else None,
    )


def _is_for_all(head: Header) -> bool:
    """Whether the front matter asks for what happens anyway."""
    patterns = [pattern for key in specs.scope_keys() for pattern in head.patterns(key)]
    is_always = head.is_true("alwaysApply") or any(head.word(each) in ("always", "always_on") for each in WHEN)
    return is_always or (bool(patterns) and all(each in EVERYTHING for each in patterns))
