"""Completion: paths and patterns in ``instructions``, imports after ``@``, keys of configurations and front matter."""

from __future__ import annotations

import os

from lsprotocol import types

from promptls import harnesses
from promptls.checks.rules.catalogue import RULES
from promptls.core import describe, specs
from promptls.core.files import expand_home
from promptls.core.formats.cursor import (
    front_matter_value,
    front_matter_word,
    json_cursor,
    mention_word,
    toml_cursor,
)
from promptls.core.host import StepBudget
from promptls.core.lazy import regex
from promptls.core.paths import join, parent, resolve
from promptls.core.values import replace
from promptls.kit import config_keys as keys
from promptls.kit.globs import is_magic, match
from promptls.kit.paths import is_url
from promptls.lsp.convert import offsets_range
from promptls.lsp.names import agents, used
from promptls.lsp.server import PromptServer
from promptls.workspace.machine import load_harnesses
from promptls.workspace.settings_file import OWN, SHARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from promptls.core.formats.cursor import TomlCursor
    from promptls.core.host import Host
    from promptls.core.spec import ConfigFile
    from promptls.lsp.documents import Document
    from promptls.lsp.view import View

TRIGGERS = ['"', "/", "@", "*"]
MANY = 500
# Steps that a pattern may take while it is being typed.
STEPS = 20_000
# Characters that need escaping in JSON, or end an import.
_UNWRITTEN = regex(r'["\\\s]')
TEXTS = (".md", ".markdown", ".txt")
# The keys of front matter whose values are names that a harness knows.
NAMED = ("model", "agent")


def register(server: PromptServer) -> None:
    """Claim the request."""

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=TRIGGERS))
    async def complete(params: types.CompletionParams) -> types.CompletionList | None:
        document = server.context.documents.get(params.text_document.uri)
        if document is None or document.path is None:
            return None
        load_harnesses()
        path, offset = document.path, document.lines.offset(params.position.line, params.position.character)
        if (config := keys.config(path)) is not None:
            return await _in_config(server, document, path, offset, *config)
        if (typed := _patterns_typed(document, path, offset)) is not None:
            return await _pattern_of_rule(server, document, path, offset, typed)
        tool = front_matter_value(document.text, offset)
        if tool and (named := keys.names_tools(path, tool[0])):
            return await _tools(server, document, path, offset - len(tool[1]), offset, named)
        if tool and tool[0] in NAMED and (read_by := keys.readers(path, tool[0])):
            return await _words(server, document, path, tool, offset, read_by)
        if path.endswith(".toml"):
            return await _in_toml(server, document, path, offset)
        if document.language != "json" and (word := front_matter_word(document.text, offset)) is not None:
            return _list(_keys(document, keys.front_matter(path), offset - len(word), offset, after=": "))
        if (typed := mention_word(document.text, offset)) is not None:
            return await _import(server, document, path, offset, typed)
        return None


async def _in_config(  # noqa: PLR0917 - a place, and what is known of its file
    server: PromptServer,
    document: Document,
    path: str,
    offset: int,
    harness: str,
    config: ConfigFile,
) -> types.CompletionList | None:
    cursor = json_cursor(document.text, offset)
    if cursor is None:
        return None
    if cursor.is_key:
        quotes = "" if cursor.is_string else '"'
        found = keys.keys_at(config.keys or {}, cursor.keys)
        return _list(_keys(document, found, cursor.start, offset, before=quotes, after=quotes))
    is_entry = cursor.is_string and bool(config.entries) and cursor.keys[:-1] == config.entries
    if not is_entry:
        return None
    views = await server.previews.views_of_file(path)
    base = _base(views, harness, path)
    host = server.previews.sources().host()

    def items() -> list[types.CompletionItem]:
        found = list(_paths(host, document, base, cursor.typed, offset))
        if config.has_patterns and is_magic(cursor.typed):
            found.insert(0, _pattern(host, document, base, cursor.typed, offset))
        return found

    return _list(await server.previews.run(items))


async def _import(
    server: PromptServer, document: Document, path: str, offset: int, typed: str
) -> types.CompletionList | None:
    views = await server.previews.views_of_file(path)
    importing = [view for view in views if specs.of(view.prompt.session.harness).imports]
    if not any(candidate.path == path for view in importing for candidate in view.prompt.candidates):
        return None
    imports = [found for view in importing if (found := specs.of(view.prompt.session.harness).imports)]

    def takes(target: str) -> bool:
        return any(each.takes(target) for each in imports)

    host = server.previews.sources().host()
    base = parent(path)
    return _list(await server.previews.run(lambda: list(_paths(host, document, base, typed, offset, takes))))


def _any(_path: str) -> bool:
    return True


def _patterns_typed(document: Document, path: str, offset: int) -> str | None:
    """The typed part of a pattern of a rule's scope."""
    found = front_matter_value(document.text, offset)
    return found[1] if found and found[0] in specs.scope_keys() and found[0] in keys.front_matter(path) else None


async def _pattern_of_rule(
    server: PromptServer, document: Document, path: str, offset: int, typed: str
) -> types.CompletionList | None:
    folder = server.context.folder_of(path)
    if folder is None or folder.path is None:
        return None
    base, host = folder.path, server.previews.sources().host()

    def items() -> list[types.CompletionItem]:
        if is_magic(typed):
            return [_pattern(host, document, base, typed, offset)]
        return list(_paths(host, document, base, typed, offset))

    return _list(await server.previews.run(items))


async def _tools(  # noqa: PLR0917 - a place, and who reads it
    server: PromptServer, document: Document, path: str, start: int, offset: int, named: Sequence[str]
) -> types.CompletionList:
    """The tools of the harnesses ``named``, as their sessions offer them; what stands for others is none."""
    views = await server.previews.views_of_file(path)
    found = {
        tool.name: tool.why
        for view in views
        if view.prompt.session.harness in named
        for tool in view.prompt.tools or ()
        if tool.origin.kind != "builtin"
    }
    return _list(_keys(document, dict(sorted(found.items())), start, offset))


async def _in_toml(server: PromptServer, document: Document, path: str, offset: int) -> types.CompletionList | None:
    """Settings of ours; of a harness's file the keys at the top, and names that are their values."""
    if (cursor := _settings_cursor(document, path, offset)) is not None:
        return _list(_settings(document, cursor, offset))
    cursor, found = toml_cursor(document.text, offset), keys.toml(path)
    if cursor is None or cursor.table:
        return None
    if cursor.key is None:
        return _list(_keys(document, found, offset - len(cursor.typed), offset, after=" = ")) if found else None
    if cursor.key not in NAMED or cursor.key not in found:
        return None
    quote = "" if cursor.is_string else '"'
    typed = cursor.key, cursor.typed
    return await _words(server, document, path, typed, offset, keys.readers(path, cursor.key), quote)


async def _words(  # noqa: PLR0917 - a place, and who reads it
    server: PromptServer,
    document: Document,
    path: str,
    typed: tuple[str, str],
    offset: int,
    readers: Sequence[str],
    quote: str = "",
) -> types.CompletionList:
    """The names that the harnesses ``readers`` have for models or agents, and those of the user's."""
    key, start = typed[0], offset - len(typed[1])
    found: dict[str, str] = {}
    for view in await server.previews.views_of_file(path):
        if view.prompt.session.harness in readers:
            found |= agents(view) if key == "agent" else _models(view, path)
    for each in readers:
        found |= dict.fromkeys(harnesses.get(each).words.get(key, ()), harnesses.get(each).title)
    return _list(_keys(document, dict(sorted(found.items())), start, offset, before=quote, after=quote))


def _models(view: View, own: str) -> Iterator[tuple[str, str]]:
    """The models that other files name, and the files; and the model of the session."""
    if view.prompt.model:
        yield view.prompt.model, "the model of the session"
    for path, head in used(view, "agent", "command"):
        if path != own and (model := head.word("model")):
            yield model, path


def _settings_cursor(document: Document, path: str, offset: int) -> TomlCursor | None:
    """The place in promptls.toml, or in our part of pyproject.toml."""
    name = os.path.basename(path)
    cursor = toml_cursor(document.text, offset) if name in (OWN, SHARED) else None
    if cursor is None or name == OWN:
        return cursor
    return replace(cursor, table=cursor.table[2:]) if cursor.table[:2] == ("tool", "promptls") else None


def _settings(document: Document, cursor: TomlCursor, offset: int) -> list[types.CompletionItem]:
    """The keys of a settings file, and their possible values."""
    from promptls.workspace.options import described_keys, values_of  # noqa: PLC0415 - pydantic is too slow for the start

    start = offset - len(cursor.typed)
    if cursor.key is None:
        is_rules = cursor.table == ("rules",)
        found = {code: rule.summary for code, rule in RULES.items()} if is_rules else described_keys(cursor.table) or {}
        tables = () if is_rules or cursor.table else ("urls", "rules", "budgets")
        items = _keys(
            document, {key: says for key, says in found.items() if key not in tables}, start, offset, "", " = "
        )
        return items + _keys(document, {key: found[key] for key in tables}, start, offset, "[", "]")
    place = (*cursor.table, *cursor.key.split("."))
    if place[-1] in ("harness", "harnesses"):
        words = {each: harnesses.get(each).title for each in harnesses.names()}
    else:
        words = dict.fromkeys(values_of(place), "")
    is_word = set(words) <= {"true", "false"}
    quote = "" if cursor.is_string or is_word else '"'
    return _keys(document, words, start, offset, before=quote, after=quote)


def _base(views: Sequence[View], harness: str, path: str) -> str:
    """The directory that the entries of a configuration are relative to: where its session starts."""
    for view in views:
        session = view.prompt.session
        if session.harness == harness and any(candidate.path == path for candidate in view.prompt.candidates):
            return session.cwd
    return parent(path)


def _paths(  # noqa: PLR0917 - what is typed and where
    host: Host, document: Document, base: str, typed: str, offset: int, takes: Callable[[str], bool] = _any
) -> Iterator[types.CompletionItem]:
    """The entries of the directory that is typed so far, of its files those that ``takes`` wants; texts first."""
    if is_url(typed) or is_magic(typed) or "\0" in typed:
        return
    head, slash, last = typed.rpartition("/")
    directory = resolve(base, expand_home(head + slash))
    shown = [entry for entry in host.entries(directory) if entry.name.startswith(".") <= last.startswith(".")]
    where = offsets_range(document, offset - len(typed), offset)
    for entry in sorted(shown, key=lambda entry: entry.name)[:MANY]:
        path = join(directory, entry.name)
        is_directory = host.kind(path) == "directory"
        if path == document.path or entry.name == ".git" or _UNWRITTEN.search(entry.name):
            continue
        if not is_directory and not takes(path):
            continue
        text = f"{head}{slash}{entry.name}{'/' if is_directory else ''}"
        order = "0" if entry.name.endswith((*TEXTS, *specs.endings())) else "1" if is_directory else "2"
        yield types.CompletionItem(
            text,
            kind=types.CompletionItemKind.Folder if is_directory else types.CompletionItemKind.File,
            sort_text=order + text,
            filter_text=text,
            text_edit=types.TextEdit(where, text),
        )


def _pattern(host: Host, document: Document, base: str, typed: str, offset: int) -> types.CompletionItem:
    """The pattern itself, with the number of files that it matches."""
    found = match(host, expand_home(typed), base, dot=True, steps=StepBudget(STEPS))
    where = offsets_range(document, offset - len(typed), offset)
    return types.CompletionItem(
        typed,
        kind=types.CompletionItemKind.Value,
        detail=describe.matched(len(found.paths), is_cut=found.is_cut),
        sort_text="",
        filter_text=typed,
        text_edit=types.TextEdit(where, typed),
    )


def _keys(  # noqa: PLR0917 - keys, and how they are written there
    document: Document, found: Mapping[str, str], start: int, offset: int, before: str = "", after: str = ""
) -> list[types.CompletionItem]:
    where = offsets_range(document, start, offset)
    return [
        types.CompletionItem(
            key,
            kind=types.CompletionItemKind.Property,
            documentation=says,
            filter_text=before + key,
            text_edit=types.TextEdit(where, f"{before}{key}{after}"),
        )
        for key, says in found.items()
    ]


def _list(items: list[types.CompletionItem]) -> types.CompletionList:
    return types.CompletionList(is_incomplete=True, items=items)
