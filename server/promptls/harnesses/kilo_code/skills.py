"""The skills of Kilo Code: where it looks for them, and how it lists them (source: Skill.discovery).

Not shown: what URLs and permissions of the configuration add or take away.
"""

from __future__ import annotations

from promptls.core.model import SKILL_FILE
from promptls.core.values import dataclass
from promptls.harnesses.kilo_code.config import ON, OWN_DIRECTORIES
from promptls.kit import collation
from promptls.kit.candidates import own
from promptls.kit.globs import match
from promptls.kit.named import Named, Row, take, text_at
from promptls.kit.paths import join, resolve, upwards
from promptls.kit.segments import elided, tail
from promptls.kit.skill_headers import said_in, skill_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Segment
    from promptls.harnesses.kilo_code.config import Config
    from promptls.harnesses.kilo_code.versions import Facts
    from promptls.kit.draft import Draft

WHY = "Kilo Code lists the skills of its own folders, of .agents and of .claude"
WHY_INTRO = "Kilo Code says what skills are for"
LATER = "{} has the same name and is read later"
BROKEN = "its front matter cannot be read, or has no name that is a text, so it is left out"
NO_DESCRIPTION = "it has no description, so it is not listed"
OFF = "an environment variable switches the skills of other programs off"
BUILT_IN = "builtin"
RULE = own(WHY, use="skill")
ROW = Row(
    "Kilo Code",
    "skill",
    WHY,
    before="  <skill>\n    <name>{name}</name>\n    <description>",
    after="</description>\n    <location>{place}</location>\n  </skill>\n",
)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that is searched. ``hidden``: also in folders whose names begin with a dot. ``is_off``: not read."""

    directory: str
    hidden: bool
    is_off: bool = False


def listed(draft: Draft, host: Host, config: Config, facts: Facts) -> Iterator[Segment]:
    """The list, the last part of the system message (captured: skills)."""
    yield elided("tools", "Kilo Code", "introduction of skills", why=WHY_INTRO, size=facts.skills_intro)
    yield tail("\n<available_skills>\n", "tools")
    found = [Named(each, size=size, place=BUILT_IN) for each, size in facts.built_in_skills.items()]
    by_name = {each.name: each for each in found} | skills(draft, host, config)
    for each in sorted(by_name.values(), key=lambda each: collation.key(each.name)):
        if each.path is not None:
            is_listed = each.origin is not None
            draft.candidates.append(RULE.loaded(each.path) if is_listed else RULE.excluded(each.path, NO_DESCRIPTION))
        if each.path is None or each.origin is not None:
            yield from ROW.segments(each)
    yield tail("</available_skills>", "tools")


def skills(draft: Draft, host: Host, config: Config) -> dict[str, Named]:
    """All that are found: of a name the one that is read last; without a description it has no origin.

    (captured: skills)
    """
    note, found, seen = draft.candidates.append, dict[str, Named](), set[str]()
    for place in places(host, config):
        for path in match(host, f"**/{SKILL_FILE}", place.directory, dot=place.hidden, steps=draft.steps).paths:
            if place.is_off:
                note(RULE.disabled(path, OFF))
            elif path not in seen:
                seen.add(path)
                text = text_at(host, path, RULE, note)
                header = skill_header(text, mends=True) if text is not None else None
                name, said = (header.value("name"), header.value("description")) if header is not None else (None, None)
                is_wrong = said is not None and not isinstance(said.data, str)
                if header is None or name is None or not isinstance(name.data, str) or is_wrong:
                    if text is not None:
                        note(RULE.failed(path, BROKEN))
                    continue
                origin = said_in(path, header, "description") if said is not None else None
                words = str(said.data) if said is not None else ""
                take(found, Named(name.data, words, path, origin, RULE), note, is_last=True, says=LATER)
    return found


def places(host: Host, config: Config) -> Iterator[Place]:
    """Those of other programs, of the home directory and upwards, then its own, of the home directory last."""
    is_off = _is_on(host, "KILO_DISABLE_EXTERNAL_SKILLS")
    no_claude = _is_on(host, "KILO_DISABLE_CLAUDE_CODE") or _is_on(host, "KILO_DISABLE_CLAUDE_CODE_SKILLS")
    for directory in dict.fromkeys((host.home, *upwards(config.cwd, config.top))):
        for folder in (".claude", ".agents"):
            yield Place(join(directory, folder, "skills"), True, is_off or (no_claude and folder == ".claude"))
    above = list(upwards(config.cwd, config.top)) if config.has_project else []
    directories = [config.directory, *(join(each, folder) for each in above for folder in OWN_DIRECTORIES)]
    directories += [join(host.home, folder) for folder in OWN_DIRECTORIES]
    directories += [resolve(config.cwd, moved)] if (moved := host.env.get("KILO_CONFIG_DIR")) else []
    for directory in dict.fromkeys(directories):
        yield from (Place(join(directory, folder), False) for folder in ("skill", "skills"))
    for entry in config.skill_paths:
        yield Place(join(host.home, entry[2:]) if entry.startswith("~/") else resolve(config.cwd, entry), False)


def _is_on(host: Host, variable: str) -> bool:
    return host.env.get(variable, "").lower() in ON
