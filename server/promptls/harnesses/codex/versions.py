"""What is known of each version of Codex: a row for each, and code asks the row.

Sections are those of the specification; sizes are characters, counted in captured requests.
"""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version."""

    version: Version
    # The base text by model; without a name it is that of the default one. Other models of Codex's own catalogue
    # were not captured; ``base_of_others`` is for those that it does not know.
    base: Mapping[str | None, int]
    base_of_others: int
    catalogue: tuple[str, ...]
    # project_doc_max_bytes and project_root_markers where nothing sets them (section 1).
    max_bytes: int
    markers: tuple[str, ...]


NEWEST = Facts(
    Version("0.169.0", verified=True),
    base={None: 21_769, "gpt-6.1-sol": 21_769, "gpt-5.6-luna": 17_730, "gpt-5.5": 21_299},
    base_of_others=16_979,
    catalogue=("gpt-", "codex"),
    max_bytes=32_768,  # (wire: default-32k-drops-nested)
    markers=(".git",),
)
ROWS = (NEWEST,)
