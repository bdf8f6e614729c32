"""What the user's settings.json says, where it changes a request (seen by verify)."""

from __future__ import annotations

from promptls.core.formats.tree import EMPTY
from promptls.core.model import Origin
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.copilot_cli.listing.servers import configuration
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.harnesses.copilot_cli.search import Search
    from promptls.kit.named import Named

WHY = "Copilot CLI reads the user's settings"
REASON = "disabledSkills in the settings leaves it out"


@dataclass(frozen=True, slots=True)
class Settings:
    """The keys that count.

    ``asks``: the model may ask the user. ``names_author``: commits get a line on who wrote them. ``mode``: the one in
    which a session on the screen starts. ``off``: the names of skills that are left out, each with where it is said.
    """

    asks: bool = True
    names_author: bool = True
    is_experimental: bool = False
    mode: str = ""
    model: str | None = None
    off: Mapping[str, Origin] = field(default_factory=dict)

    def without(self, search: Search, skills: list[Named]) -> list[Named]:
        """The skills that are not switched off."""
        gone = {each.path: self.off[each.name] for each in skills if each.name in self.off}
        candidates = search.draft.candidates
        for at, each in enumerate(candidates):
            if each.use == "skill" and each.path in gone and each.path:
                origin = gone[each.path]
                candidates[at] = replace(each, outcome="disabled", reason=REASON, origin=origin)
        return [each for each in skills if each.name not in self.off]


def read_settings(search: Search) -> Settings:
    """The settings; what is not there is as it usually is."""
    path = join(search.home, "settings.json")
    document = configuration(search, path, WHY, "config", counts=True)
    root = (document.root if document is not None else None) or EMPTY
    said = {key: value.kind for key in root.names() if (value := root.get(key)) is not None}
    off = {
        item.data: Origin("config", path=path, range=document.range(item), name=item.data)
        for item in (root.get("disabledSkills") or EMPTY).items
        if isinstance(item.data, str) and document is not None
    }
    return Settings(
        asks=said.get("askUser") != "false",
        names_author=said.get("includeCoAuthoredBy") != "false",
        is_experimental=said.get("experimental") == "true",
        mode=root.text("defaultMode") or "",
        model=root.text("model"),
        off=off,
    )
