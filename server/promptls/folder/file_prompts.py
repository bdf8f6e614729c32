"""The prompts of a session that reads one file: one for each harness in use there."""

from __future__ import annotations

from promptls import harnesses
from promptls.core.values import dataclass, replace
from promptls.harnesses.detect import in_use, versions
from promptls.harnesses.start import Overrides, place_of, session_of
from promptls.local import load_harnesses, local_host
from promptls.settings_file import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.core.settings import Settings
    from promptls.harnesses.detect import Detected
    from promptls.harnesses.start import Place


@dataclass(frozen=True, slots=True)
class FilePrompts:
    """The prompts for the file at ``place``, made through ``host``; ``found`` are the harnesses in use there."""

    prompts: tuple[Prompt, ...]
    host: Host
    place: Place
    settings: Settings
    found: list[Detected]


def file_prompts(path: str, *, here: str, only: Sequence[str] = ()) -> FilePrompts:
    """The prompts of sessions that read the file at ``path``, without URLs.

    ``here`` takes the place of a workspace where there is no repository; ``only``: harnesses in place of those in use.

    Raises:
        UsageError: there is no such harness or version.
    """
    load_harnesses()
    host = local_host()
    place = place_of(host, path, here=here)
    settings = replace(at(host, place).settings, urls_enabled=False)
    found = in_use(host, place.directory, place.top, settings)
    names = only or versions(found, settings) or [harnesses.fallback()]
    sessions = [session_of(host, place, settings, Overrides(harness=each))[0] for each in names]
    return FilePrompts(tuple(harnesses.preview(each, host) for each in sessions), host, place, settings, found)
