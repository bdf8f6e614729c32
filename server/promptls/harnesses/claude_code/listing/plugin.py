"""A plugin of Claude Code, as the rest of the folder sees it."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.paths import is_below, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.formats.tree import Value
    from promptls.core.model import Origin


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin that is on. ``manifest`` says nothing where it has none; ``origin`` is what turns it on."""

    name: str
    root: str
    manifest: Value
    origin: Origin

    def named(self, key: str) -> list[str]:
        """The paths that the manifest names under a key."""
        value = self.manifest.get(key)
        items: Iterable[Value] = () if value is None else value.items or (value,)
        given = (resolve(self.root, each.data) for each in items if isinstance(each.data, str))
        # Nothing outside of the plugin.
        return [path for path in given if is_below(path, self.root)]

    def called(self, of: str) -> str:
        """How something of the plugin is called."""
        return f"{self.name}:{of}"
