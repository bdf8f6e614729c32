"""The prompts of a session that reads one file: one for each harness in use there."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.sessions.start import place_of
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import HERE, NO_URLS, each_answered, look, started_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.workspace.request import Answer, Here, Sources


@dataclass(frozen=True, slots=True)
class FilePrompts:
    """The prompts for a file, made through ``host``, and what is known of its place."""

    here: Here
    answers: tuple[Answer, ...]

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts, a harness each."""
        return tuple(each.prompt for each in self.answers)

    @property
    def host(self) -> Host:
        """What has looked up everything."""
        return self.here.host


def file_prompts(path: str, *, here: str, only: Sequence[str] = (), sources: Sources = HERE) -> FilePrompts:
    """The prompts of sessions that read the file at ``path``, without URLs.

    ``here`` takes the place of a workspace where there is no repository; ``only``: harnesses in place of those in use.

    Raises:
        UsageError: there is no such harness or version.
    """
    load_harnesses()
    host = sources.host()
    known = look(place_of(host, path, started_in(path, here), here=here), sources, NO_URLS, host)
    return FilePrompts(known, tuple(each_answered(known, only)))
