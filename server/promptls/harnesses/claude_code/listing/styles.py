"""Claude Code's output styles: which there are, and the text of the one that is chosen (surfaces, 10)."""

from __future__ import annotations

from promptls.core.formats.read_again import read
from promptls.core.model import Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.claude_code.files.rules import rule_files
from promptls.harnesses.claude_code.listing.agents import SCOPES, body_of, definitions_of
from promptls.harnesses.claude_code.listing.places import markdown_files, places
from promptls.kit.candidates import Rule
from promptls.kit.paths import join, name, resolve
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.read_again import FrontMatter
    from promptls.harnesses.claude_code.listing.plugin import Plugin
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft

    # Scope, path, text and front matter of a file.
    Definition = tuple[str, str, str, FrontMatter]

WHY_STYLE = "Claude Code looks here for output styles"


@dataclass(frozen=True, slots=True)
class Style:
    """An output style. ``again`` is what follows where it is said again that it is active."""

    name: str
    segment: Segment
    again: Segment
    keeps_coding: bool = True


def _styles_of(setup: Setup, plugin: Plugin) -> Iterator[Definition]:
    """The output styles of a plugin (case plugin-style)."""
    for _below, path in markdown_files(setup.host, join(plugin.root, "output-styles")):
        contents = setup.host.read(path)
        if contents.state == "file":
            text = decode(contents.data, keep_bom=False)
            yield "plugin", path, text, read(text)


AGAIN = "Remember to follow the specific guidelines for this style."


def style(draft: Draft, setup: Setup) -> Style | None:
    """The output style of the settings; each file of one is a candidate."""
    if setup.is_bare:
        return None
    chosen = _chosen_style(draft, setup)
    told = {each.path for each in draft.candidates if each.use == "style"}
    rule = Rule(WHY_STYLE, Origin("computed", name=WHY_STYLE), "style")
    for place in places(setup, "output-styles"):
        others = (each.path for each in rule_files(setup.host, place.directory) if each.path not in told)
        draft.candidates += [rule.unscoped(path, "the setting outputStyle chooses one") for path in others]
    return chosen


def _chosen_style(draft: Draft, setup: Setup) -> Style | None:
    """Project before user (wire: output-style-user-vs-project)."""
    setting = setup.settings.last("outputStyle")
    wanted = setup.settings.text("outputStyle")
    if setting is None or wanted is None or wanted == "default":
        return None
    found: dict[str, Style] = {}
    definitions = [
        ("", *each) for each in sorted(definitions_of(setup, "output-styles"), key=lambda d: SCOPES.index(d[0]))
    ]
    definitions += [(f"{plugin.name}:", *each) for plugin in setup.plugins for each in _styles_of(setup, plugin)]
    for before, _scope, path, text, front in definitions:
        given = before + (front.text("name") or name(path).removesuffix(".md"))
        if wanted != given:
            continue
        body, where = body_of(path, text, front.body)
        why = f"the setting outputStyle names {wanted}"
        keeps = front.get("keep-coding-instructions")
        segment = Segment("provider", f"output style {given}", body, where, why)
        again = tail(AGAIN, "provider")
        found[path] = Style(given, segment, again, keeps_coding=keeps is not None and keeps.kind == "true")
    for path in list(found)[:-1]:
        rule = Rule(WHY_STYLE, replace(setting.origin, name=wanted), "style")
        draft.candidates.append(rule.shadowed(path, f"another style {wanted} comes first", by=list(found)[-1]))
    if found:
        path, used = list(found.items())[-1]
        draft.candidates.append(Rule(WHY_STYLE, setting.origin, "style").loaded(path))
        return used
    # (captured: style-explanatory)
    for own in setup.facts.styles:
        if own.name == wanted:
            why = "a style of its own"
            says = elided("provider", "Claude Code", f"output style {wanted}", why=why, size=own.size)
            again = elided("provider", "Claude Code", f"reminder of {wanted}", why=why, size=own.again)
            return Style(wanted, says, again if own.again else tail(AGAIN, "provider"))
    path = resolve(setup.cwd, f".claude/output-styles/{wanted}.md")
    draft.candidates.append(Rule(WHY_STYLE, setting.origin, "style").missing(path, f"there is no style {wanted}"))
    return None
