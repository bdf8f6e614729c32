"""How a model would read a file with the tools that a request offers, whatever they are called: a guess by names."""

from __future__ import annotations

from shlex import quote

from promptls.wire.replies import ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from promptls.wire.request_formats import Format

# Names of tools that read a file, in letters and digits; then those that run a command.
READS = (
    *("read", "readfile", "view", "viewfile", "openfile", "fileread", "readtextfile", "fsread", "getfile", "showfile"),
    *("filereader", "loadfile", "cat", "readfiles", "readmanyfiles", "strreplaceeditor", "texteditor", "editor"),
    *("strreplacebasededittool", "fileeditor"),
)
RUNS = (
    *("bash", "shell", "ipython", "terminal", "runcommand", "runshellcommand", "execute", "executebash", "exec"),
    *("executecommand", "runterminalcommand", "execcommand", "localshell", "runshell"),
)
PATHS = ("filepath", "absolutepath", "path", "targetfile", "filename", "file", "relativepath", "paths", "files")
COMMANDS = ("command", "cmd", "code", "script", "commands")
VIEWS = ("view", "read", "open", "cat")
SCHEMAS = ("input_schema", "parameters", "parametersJsonSchema")
WAYS = ("anyOf", "oneOf")
# Objects inside of one another that are filled in.
DEEPEST = 20
PLAIN: Mapping[str, Any] = {"boolean": False, "integer": 1, "number": 1, "array": []}


def reading_call(kind: Format, body: Any, path: str) -> ToolCall | None:
    """The call that reads ``path``: a tool for that, else one that runs a command; None where neither is offered."""
    tools = {_plain(name): (name, schema) for name, schema in _schemas(kind, body)}
    for names, fields, value in ((READS, PATHS, path), (RUNS, COMMANDS, f"cat {quote(path)}")):
        for each in names:
            if each in tools and (arguments := _arguments(tools[each][1], fields, value)) is not None:
                return ToolCall(tools[each][0], arguments)
    return None


def plain_call(kind: Format, body: Any, tool: str) -> ToolCall | None:
    """A call of a tool with something plain for each argument that it requires; None where it is not offered."""
    schema = next((schema for name, schema in _schemas(kind, body) if name == tool), None)
    return None if schema is None else ToolCall(tool, _plain_object(schema))


def _plain_object(schema: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    properties, required = _dict(schema.get("properties")), schema.get("required")
    names = map(str, required if isinstance(required, list) and depth < DEEPEST else ())
    return {each: _plain_value(_dict(properties.get(each)), depth) for each in names}


def _arguments(schema: Mapping[str, Any], fields: tuple[str, ...], value: str) -> dict[str, Any] | None:
    properties = _dict(schema.get("properties"))
    by_name = {_plain(name): name for name in properties}
    wanted = next((by_name[each] for each in fields if each in by_name), None)
    if wanted is None:
        return None
    takes_list = _dict(properties[wanted]).get("type") in ("array", "ARRAY")
    found: dict[str, Any] = {wanted: [value] if takes_list else value}
    found = {**_plain_object(schema), **found}
    for each, about in properties.items():
        choices = _dict(about).get("enum")
        chosen = next((one for one in VIEWS if isinstance(choices, list) and one in choices), None)
        if chosen is not None:
            found[each] = chosen
    return found


def _plain_value(about: Mapping[str, Any], depth: int) -> Any:
    choices, kind = about.get("enum"), about.get("type")
    # Some programs require every argument, and null where there is none.
    ways: list[Any] = next((about[each] for each in WAYS if isinstance(about.get(each), list)), [])
    if (isinstance(kind, list) and "null" in kind) or any(_dict(each).get("type") == "null" for each in ways):
        return None
    if ways and depth < DEEPEST:
        return _plain_value(_dict(ways[0]), depth + 1)
    if isinstance(choices, list) and choices:
        return choices[0]
    if str(kind).lower() == "object":
        return _plain_object(about, depth + 1)
    return PLAIN.get(str(kind[0] if isinstance(kind, list) and kind else kind).lower(), "x")


def _schemas(kind: Format, body: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    tools = _dict(body).get("tool_definitions" if kind == "augment" else "tools")
    for tool in map(_dict, tools if isinstance(tools, list) else ()):
        declared = tool.get("functionDeclarations") or tool.get("function_declarations")
        single = _dict(tool.get("function")) or tool
        listed = declared if isinstance(declared, list) else ()
        for each in map(_dict, listed) if kind == "generate" else (single,):
            yield str(each.get("name") or each.get("type") or ""), _schema(each)


def _schema(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((_dict(tool[key]) for key in SCHEMAS if key in tool), {})


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
