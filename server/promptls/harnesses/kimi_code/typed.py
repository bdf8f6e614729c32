"""What a session in an editor sends in place of a prompt that calls a skill.

[source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.harnesses.kimi_code.listing import front_of
from promptls.kit.paths import native, parent
from promptls.kit.segments import elided, escaped, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.kit.named import Named
    from promptls.kit.writer import Writer

WHY = "the prompt calls this skill"
PLACE = "$ARGUMENTS"
# Words by their number or name, and what is of the session (source: expandSkillParameters).
_OTHER_PLACE = regex(r"\$(?!ARGUMENTS(?!\[))[\w{]")


def called(writer: Writer, found: dict[str, Named], typed: str) -> list[Segment]:
    """The skill of ``/NAME`` or ``/skill:NAME`` with its frame; nothing where none is called (seen by verify)."""
    name, _, given = typed.removeprefix("/").strip().partition(" ")
    skill = found.get(name.removeprefix("skill:")) if typed.startswith("/") else None
    if skill is None or skill.path is None:
        return []
    given = given.strip()
    said = {"name": skill.name, "trigger": "user-slash", "source": skill.group.lower()}
    said |= {"dir": native(parent(skill.path)), "args": given}
    attributes = "".join(f' {key}="{escaped(value)}"' for key, value in said.items())
    opening = f'User activated the skill "{escaped(skill.name)}". Follow the loaded skill instructions.\n\n'
    return [
        head(f"{opening}<skill-loaded{attributes}>\n", "runtime", path=skill.path),
        *_text(writer, skill.path, given.replace("<", "&lt;").replace(">", "&gt;")),
        tail("\n</skill-loaded>", "runtime"),
    ]


def _text(writer: Writer, path: str, given: str) -> list[Segment]:
    """The text of a skill, with what is typed in its places or behind it."""
    text = decode(writer.host.read(path).data, keep_bom=True)
    front, _ = front_of(text)
    body = text[front.body :].strip()
    if _OTHER_PLACE.search(body):
        return [elided("runtime", "Kimi Code", f"text of {path}", why=WHY)]
    index, parts, at = LineIndex(text), list[Segment](), text.index(body, front.body)
    for number, stretch in enumerate(body.split(PLACE)):
        if number:
            parts.append(tail(given, "runtime"))
            at += len(PLACE)
        origin = Origin("file", path=path, range=index.range(at, at + len(stretch)), again=number > 0)
        parts.append(Segment("runtime", path, stretch, origin, WHY, cache="turn"))
        at += len(stretch)
    return [*parts, *([tail(f"\n\nARGUMENTS: {given}", "runtime")] if given and PLACE not in body else [])]
