"""spec-skill-*, spec-plugin-*: what is not valid by the specifications of Agent Skills and of Agent Plugins 1.0.0.

Off unless a profile or the settings ask for them. Programs do otherwise, so a problem of a skill also says what those
in use do with it.
"""

from __future__ import annotations

import re
import unicodedata
from posixpath import basename, normpath

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats import parse_json
from promptls.core.formats.header import header
from promptls.core.lazy import regex
from promptls.core.model import USED, Edit, Fix, Range
from promptls.core.paths import join, parent
from promptls.core.phrases import and_list
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from promptls.checks.tree import Tree
    from promptls.core.formats.tree import Value
    from promptls.core.model import Problem
    from promptls.core.settings import Settings

    # The code, the place in the text (None: the file), a message, and what is written there instead.
    Finding = tuple[str, tuple[int, int] | None, str, str | None]

NAME, DESCRIPTION, FIELD = "spec-skill-name", "spec-skill-description", "spec-skill-field"
MANIFEST, SERVERS = "spec-plugin-manifest", "spec-plugin-servers"
PROFILES = {
    "agentskills": (NAME, DESCRIPTION, FIELD),
    "agentplugins": (NAME, DESCRIPTION, FIELD, MANIFEST, SERVERS),
}
SKILL, PLUGIN, MCP, SKILLS = "SKILL.md", "plugin.json", "mcp.json", "skills"
SKILL_FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
# Characters.
LONGEST = {"name": 64, "description": 1024, "compatibility": 500}
SCHEMA = "https://agent-plugins.org/schemas/1.0.0/{}.schema.json"
OF_PLUGINS = "https://agent-plugins.org/"
_PLUGIN_NAME = regex(r"(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
# Fields with the kind of their value; a list is one of strings.
MANIFEST_FIELDS = {
    **dict.fromkeys(("$schema", "name", "version", "description", "homepage", "repository", "license"), "string"),
    "author": "object",
    "keywords": "array",
    "extensions": "object",
}
REMOTE = {"type": "string", "url": "string", "headers": "object"}
SERVER_FIELDS = {
    "stdio": {"type": "string", "command": "string", "args": "array", "env": "object", "cwd": "string"},
    "streamable-http": REMOTE,
    "sse": REMOTE,
}
# What is no text in YAML; numbers and truths are read as they are written.
NO_TEXT = ("object", "array", "null")
KINDS = {"string": "a text", "object": "an object", "array": "a list of texts"}
RESERVED = ("PLUGIN_ROOT", "PLUGIN_DATA")
_ROOTED = regex(r"\./.*|\$\{PLUGIN_(?:ROOT|DATA)\}(?:/.*)?", re.DOTALL)
_ROOT = regex(r"\A(?:\./|\$\{PLUGIN_(?:ROOT|DATA)\}/?)")
_LOCAL = regex(r"http://(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:[/?].*)?", re.IGNORECASE)
# The name of a header, and what its value never has.
_HEADER = regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_CONTROL = regex(r"[\x00-\x08\x0a-\x1f\x7f]")
_URL = regex(r"https://[^/?#@\s]+(?:[/?][^#\s]*)?", re.IGNORECASE)


def check_tree(tree: Tree, settings: Settings) -> Iterator[Problem]:
    """The problems of each SKILL.md, and of each plugin.json that is one of Agent Plugins."""
    asked = _asked(settings)
    if not asked:
        return
    done = _what_programs_do(tree) if asked.intersection(PROFILES["agentskills"]) else {}
    for path in tree.files:
        last = basename(path)
        if last == SKILL:
            says = done.get(tree.host.realpath(path), "")
            found = _of_skill(tree.text(path) or "", _directory(tree, path))
            yield from _problems(tree, path, asked, found, says)
        elif last == PLUGIN and _is_plugin(tree, path):
            yield from _problems(tree, path, asked, _of_manifest(tree.text(path) or ""))
            yield from _problems(tree, path, asked, _beside(tree, parent(path)))
            servers = join(parent(path), MCP)
            if tree.host.kind(servers) == "file":
                yield from _problems(tree, servers, asked, _of_servers(tree.text(servers) or ""))


def _asked(settings: Settings) -> set[str]:
    levels = dict(settings.rules)
    of_profiles = {code for each in settings.profiles for code in PROFILES.get(each, ())}
    named = {code for code in PROFILES["agentplugins"] if code in levels}
    return {code for code in of_profiles | named if levels.get(code) != "off"}


def _problems(tree: Tree, path: str, asked: set[str], found: Iterator[Finding], says: str = "") -> Iterator[Problem]:
    lines = LineIndex(tree.text(path) or "")
    for code, place, message, instead in found:
        if code in asked:
            where = Range() if place is None else lines.range(*place)
            fixes = (Fix(f"Write {instead}", (Edit(path, where, instead),)),) if instead is not None else ()
            yield problem(code, path, where, f"{message}{says}", fixes=fixes, severity="error")


def _directory(tree: Tree, path: str) -> str | None:
    """The name of the directory of a skill; None at the top, which everybody names as they like."""
    directory = parent(path)
    return None if directory in (tree.root, tree.workspace) else basename(directory)


def _what_programs_do(tree: Tree) -> dict[str, str]:
    """For each skill, by its path with links resolved, who lists it and who does not, as a sentence."""
    found: dict[str, dict[str, bool]] = {}
    for harness, each in tree.candidates():
        if each.use == "skill" and each.path is not None and basename(each.path) == SKILL:
            known = found.setdefault(tree.host.realpath(each.path), {})
            known[harness] = known.get(harness, False) or each.outcome in USED
    return {path: _who_lists_the_skill(known) for path, known in found.items()}


def _who_lists_the_skill(known: dict[str, bool]) -> str:
    lists, others = ([specs.of(name).title for name, is_listed in known.items() if is_listed == way] for way in (1, 0))
    parts = [f"{and_list(lists)} list{'s' if len(lists) == 1 else ''} the skill"] if lists else []
    if others:
        verb = "does" if len(others) == 1 else "do"
        parts.append(f"{and_list(others)} {verb} not" if parts else f"{and_list(others)} {verb} not list the skill")
    return f" As it is, {', '.join(parts)}." if parts else ""


# -- skills -----------------------------------------------------------------------------------------------------------


def _of_skill(text: str, directory: str | None) -> Iterator[Finding]:
    found = header(text)
    root = found.document.root if found.document is not None and found.document.flaw is None else None
    if root is None:
        yield NAME, None, "The file needs front matter in YAML, with the name of the skill.", None
        yield DESCRIPTION, None, "The file needs front matter in YAML, with a description of the skill.", None
        return
    fields = {str(key.data): (key, value) for key, value in root.members}
    for code, field in ((NAME, "name"), (DESCRIPTION, "description")):
        if field not in fields:
            yield code, None, f"The front matter needs a {field}.", None
    for field, (key, value) in fields.items():
        place = (found.start + value.start, found.start + value.end)
        written = value.data if isinstance(value.data, str) else text[slice(*place)]
        if field == "name":
            yield from _of_name(value, place, written, directory)
        elif field == "description":
            if value.kind in NO_TEXT or not written.strip():
                yield DESCRIPTION, place, "The description of a skill has to be a text that is not empty.", None
            elif len(written) > LONGEST[field]:
                yield DESCRIPTION, place, _too_long(field, written), None
        else:
            place = (found.start + key.start, found.start + key.end)
            yield from ((FIELD, place, message, None) for message in _of_field(field, value, written))


def _of_name(value: Value, place: tuple[int, int], written: str, directory: str | None) -> Iterator[Finding]:
    name = unicodedata.normalize("NFKC", written.strip())
    if value.kind in NO_TEXT or not name:
        yield NAME, place, "The name of a skill has to be a text that is not empty.", None
    elif len(name) > LONGEST["name"]:
        yield NAME, place, _too_long("name", name), None
    elif not _is_name(name):
        says = "has lower-case letters, digits and single hyphens only, with none at either end"
        better = directory if directory is not None and _is_name(directory) else None
        yield NAME, place, f"The name of a skill {says}; “{written}” does not fit. Write another.", better
    elif directory is not None and unicodedata.normalize("NFKC", directory) != name:
        says = f"The skill is named {written}, but its directory {directory}; the specification requires the same name."
        yield NAME, place, says, directory if _is_name(directory) else None


def _is_name(name: str) -> bool:
    letters = all(each.isalnum() or each == "-" for each in name)
    return letters and name == name.lower() and "--" not in name and name.strip("-") == name


def _too_long(field: str, text: str) -> str:
    return f"The {field} has {len(text):,} characters; the specification allows {LONGEST[field]:,}."


def _of_field(field: str, value: Value, written: str) -> Iterator[str]:
    if field not in SKILL_FIELDS:
        yield f"{field} is no field of the specification, so it may mean nothing elsewhere."
    elif field == "metadata":
        if value.kind != "object" or any(each.kind in NO_TEXT for _, each in value.members):
            yield "metadata has to be a map from names to texts."
    elif field == "allowed-tools":
        # One edition of the specification allows a list, too.
        if value.kind != "string" and (value.kind != "array" or any(each.kind != "string" for each in value.items)):
            yield "allowed-tools has to be a text: the names of tools with blanks between them."
    elif value.kind in NO_TEXT or not written.strip():
        yield f"{field} has to be a text that is not empty."
    elif len(written) > LONGEST.get(field, len(written)):
        yield _too_long(field, written)


# -- plugins ----------------------------------------------------------------------------------------------------------


def _is_plugin(tree: Tree, path: str) -> bool:
    """Whether a plugin.json says that it is one of Agent Plugins, or has what only such a one has beside it."""
    root = parse_json(tree.text(path) or "", comments=False, trailing_commas=False).root
    schema = root.text("$schema") if root is not None else None
    if schema is not None:
        return schema.startswith(OF_PLUGINS)
    skills = join(parent(path), SKILLS)
    return any(tree.host.kind(join(skills, each.name, SKILL)) == "file" for each in tree.host.entries(skills))


def _beside(tree: Tree, directory: str) -> Iterator[Finding]:
    """What stands in the place of the skills or the servers, and is of another kind; links are followed."""
    names = {each.name for each in tree.host.entries(directory)}
    for code, name, kind in ((MANIFEST, SKILLS, "directory"), (SERVERS, MCP, "file")):
        if name in names and tree.host.kind(join(directory, name)) != kind:
            yield code, None, f"{name} beside this file has to be a {kind}; nothing of it is loaded.", None


def _of_manifest(text: str) -> Iterator[Finding]:
    root = yield from _top(text, MANIFEST, "plugin", ("$schema", "name"))
    for key, value in root.members if root is not None else ():
        field, place = str(key.data), (value.start, value.end)
        if field not in MANIFEST_FIELDS:
            says = f"{field} is not a field of the specification, so it is ignored. Put fields of one program"
            yield MANIFEST, (key.start, key.end), f"{says} below extensions.", None
        elif not _is(value, MANIFEST_FIELDS[field]):
            yield MANIFEST, place, f"{field} has to be {KINDS[MANIFEST_FIELDS[field]]}.", None
        elif field == "name" and not (
            len(str(value.data)) <= LONGEST["name"] and _PLUGIN_NAME.fullmatch(str(value.data))
        ):
            says = "1 to 64 lower-case letters, digits, hyphens and periods, without two hyphens or periods in a row"
            yield MANIFEST, place, f"The name of a plugin has to be {says}, or either of them at an end.", None
        elif field == "author":
            yield from _of_texts(value, MANIFEST, "author", ("name", "email", "url"))
        elif field == "extensions" and any(each.kind != "object" for _, each in value.members):
            yield MANIFEST, place, "extensions needs an object for each program, named by a reversed domain.", None


def _of_servers(text: str) -> Iterator[Finding]:
    root = yield from _top(text, SERVERS, "mcp", ("$schema", "mcpServers"))
    for key, value in root.members if root is not None else ():
        field = str(key.data)
        if field not in ("$schema", "mcpServers"):
            yield SERVERS, (key.start, key.end), f"{field} is no field of the specification; remove it.", None
        elif field == "$schema" and value.kind != "string":
            yield SERVERS, (value.start, value.end), "$schema has to be a text.", None
        elif field == "mcpServers" and value.kind != "object":
            yield SERVERS, (value.start, value.end), "mcpServers has to be an object.", None
        elif field == "mcpServers":
            for name, server in value.members:
                yield from ((SERVERS, place, says, None) for place, says in _of_server(name, server))


def _top(text: str, code: str, schema: str, needed: tuple[str, ...]) -> Generator[Finding, None, Value | None]:
    """The object at the top; None where there is none."""
    found = parse_json(text, comments=False, trailing_commas=False)
    if found.flaw is not None:
        yield code, (found.flaw.start, found.flaw.end), f"The file is no JSON: {found.flaw.message}.", None
        return None
    root = found.root
    if root is None or root.kind != "object":
        yield code, None, "The file has to be a JSON object.", None
        return None
    for field in needed:
        if root.get(field) is None:
            yield code, None, f"{field} is missing; add it.", None
    value, right = root.get("$schema"), SCHEMA.format(schema)
    if value is not None and isinstance(value.data, str) and value.data != right:
        yield code, (value.start, value.end), f"$schema of Agent Plugins 1.0.0 has to be {right}.", f'"{right}"'
    return root


def _of_texts(value: Value, code: str, whose: str, allowed: tuple[str, ...] | None) -> Iterator[Finding]:
    """An object of texts."""
    for key, each in value.members:
        if allowed is not None and str(key.data) not in allowed:
            yield code, (key.start, key.end), f"{key.data} is no field of {whose}; remove it.", None
        elif each.kind != "string":
            yield code, (each.start, each.end), f"{key.data} of {whose} has to be a text.", None


def _of_server(name: Value, server: Value) -> Iterator[tuple[tuple[int, int], str]]:
    kind = server.text("type")
    fields = SERVER_FIELDS.get(kind or "")
    if fields is None:
        yield (name.start, name.end), f"{name.data} needs a type: stdio, streamable-http or sse."
        return
    needed = "command" if kind == "stdio" else "url"
    if server.get(needed) is None:
        yield (name.start, name.end), f"{name.data} needs a {needed}, as its type is {kind}."
    for key, value in server.members:
        field, place = str(key.data), (value.start, value.end)
        if field not in fields:
            yield (key.start, key.end), f"{field} is no field of a server whose type is {kind}; remove it."
        elif not _is(value, fields[field]):
            yield place, f"{field} has to be {KINDS[fields[field]]}."
        else:
            yield from ((place, says) for says in _of_value(field, value))


def _of_value(field: str, value: Value) -> Iterator[str]:
    written = str(value.data)
    if field == "command" and (not written or ("/" in written and not written.startswith("./")) or " " in written):
        yield "command has to be the name of a program, or a path that begins with ./; arguments belong in args."
    elif field in ("command", "cwd") and normpath(_ROOT.sub("", written)).split("/")[0] == "..":
        yield f"{field} must not lead out of the plugin."
    elif field == "cwd" and not _ROOTED.fullmatch(written):
        yield "cwd has to begin with ./, ${PLUGIN_ROOT} or ${PLUGIN_DATA}."
    elif field == "url" and not (_URL.fullmatch(written) or _LOCAL.fullmatch(written)):
        yield "url has to be an address with https, or http on this machine, without a user or a fragment."
    elif field in ("env", "headers") and any(each.kind != "string" for _, each in value.members):
        yield f"{field} has to be an object of texts."
    elif field == "env" and any(key.data in RESERVED for key, _ in value.members):
        yield f"env must not set {' or '.join(RESERVED)}: the program does."
    elif field == "headers" and len({str(key.data).lower() for key, _ in value.members}) < len(value.members):
        yield "headers must not name one header twice."
    elif field == "headers" and not all(_is_header(str(key.data), str(each.data)) for key, each in value.members):
        yield "headers has what is no header of HTTP: a name has no blanks and colons, a value no line ends."


def _is_header(name: str, text: str) -> bool:
    return bool(_HEADER.fullmatch(name)) and not _CONTROL.search(text)


def _is(value: Value, kind: str) -> bool:
    return value.kind == kind and (kind != "array" or all(each.kind == "string" for each in value.items))
