"""A prompt without the secrets of the configurations that shaped it; what the model is sent stays as it is."""

from __future__ import annotations

from functools import lru_cache

from promptls.core.secrets import MASK, is_config, masked, masked_file, secret_arguments
from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Candidate, Cut, Message, Origin, Prompt, Segment


def without_secrets(prompt: Prompt) -> Prompt:
    """``prompt`` with stars for each secret in names, titles and reasons."""
    return _Masker(secret_arguments(prompt.session.args)).prompt(prompt)


# Titles and reasons are said in each prompt again.
_masked = lru_cache(maxsize=4096)(masked)
# A shorter one is part of too many words.
SHORTEST = 4


@dataclass(frozen=True, slots=True)
class _Masker:
    """What hides secrets: those that look like one, and ``known`` ones, which follow an option of the command."""

    known: tuple[str, ...]
    # Texts without a secret: most are said again and again.
    clean: set[str] = field(default_factory=set)

    def prompt(self, prompt: Prompt) -> Prompt:
        tools = prompt.tools
        return replace(
            prompt,
            messages=tuple(map(self.message, prompt.messages)),
            candidates=tuple(map(self.candidate, prompt.candidates)),
            tools=None if tools is None else tuple(replace(tool, why=self.text(tool.why)) for tool in tools),
            stopped=None if prompt.stopped is None else self.text(prompt.stopped),
            stopped_by=None if prompt.stopped_by is None else self.origin(prompt.stopped_by),
            notes=tuple(map(self.text, prompt.notes)),
        )

    def message(self, message: Message) -> Message:
        segments = tuple(map(self.segment, message.segments))
        return message if segments == message.segments else replace(message, segments=segments)

    def segment(self, segment: Segment) -> Segment:
        if segment.frame:  # the harness's own
            return segment
        title, why, shown = self.text(segment.title), self.text(segment.why), self.text_of(segment)
        origin, cut = self.origin(segment.origin), self.cut(segment.cut)
        is_clean = (title, why, shown) == (segment.title, segment.why, segment.text)
        if is_clean and origin is segment.origin and cut is segment.cut:
            return segment
        return replace(segment, title=title, why=why, text=shown, origin=origin, cut=cut)

    def text_of(self, segment: Segment) -> str:
        """What is typed, attached or read, without the secrets of options and configurations; as long as before."""
        if segment.layer != "runtime" or segment.elided is not None:
            return segment.text
        path = segment.origin.path
        if path is not None and is_config(path):
            return masked_file(path, segment.text)
        return self.without_known(segment.text) if path is None else segment.text

    def candidate(self, candidate: Candidate) -> Candidate:
        path, origin = candidate.path, candidate.origin
        # An entry that is no path, such as a URL of another scheme.
        is_entry = path is not None and candidate.outcome in ("missing", "failed") and (":" in path or "=" in path)
        said = (candidate.rule, candidate.reason, origin.name or "")
        if candidate.cut is None and not is_entry and self.clean.issuperset(said):
            return candidate
        shown = replace(
            candidate,
            rule=self.text(candidate.rule),
            reason=self.text(candidate.reason),
            origin=self.origin(origin),
            cut=self.cut(candidate.cut),
            path=self.text(path) if path is not None and is_entry else path,
        )
        return candidate if shown == candidate else shown

    def origin(self, origin: Origin) -> Origin:
        if origin.name is None or origin.name in self.clean:
            return origin
        name = self.text(origin.name)
        return origin if name == origin.name else replace(origin, name=name)

    def cut(self, cut: Cut | None) -> Cut | None:
        setting = None if cut is None or cut.setting is None else self.origin(cut.setting)
        return cut if cut is None or setting is cut.setting else replace(cut, setting=setting)

    def text(self, text: str) -> str:
        if text in self.clean:
            return text
        shown = _masked(self.without_known(text))
        if shown == text:
            self.clean.add(text)
        return shown

    def without_known(self, text: str) -> str:
        for each in self.known:
            if len(each) >= SHORTEST:
                text = text.replace(each, MASK * len(each))
        return text
