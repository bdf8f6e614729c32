"""What of the user's files a program is given: those that the preview looked at, and of them nothing that can be run.

It is an allow list. A text stays as it is, but for marks that a program would take for a command to run. Of a
configuration there are the keys that the program's folder names (``Program.configurations``), written anew, so that
neither an escape nor a comment nor an encoding hides one. Programs are not there at all.
"""

from __future__ import annotations

import json
import re
from itertools import islice

from promptls.core import files, specs
from promptls.core.formats import jsonc, toml, yaml
from promptls.core.formats.tree import MAX_DEPTH
from promptls.core.lazy import regex
from promptls.core.paths import is_below, join, name, parent, relative, resolve, upwards
from promptls.core.secrets import is_config, masked_file
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.wire.visible import SYSTEM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.core.spec import Spec
    from promptls.harnesses.program import Configuration, Program, Takes

# What belongs to the system: a program sees it as it is, and cannot change it.
OF_SYSTEM = (*SYSTEM, "/dev", "/proc", "/System", "/Library", "/private/etc")
# Files that hold credentials, by name; no program gets one of them.
CREDENTIALS = frozenset(
    (
        *(".credentials.json", "auth.json", "oauth_creds.json", "google_accounts.json", "mcp-oauth-tokens.json"),
        *(".netrc", ".npmrc", "hosts.json", "hosts.yml", "apps.json", "models.json", "secrets.json", "providers.json"),
    )
)
# Keys of front matter whose values only change a prompt, for every program; those of its spec come to them.
HEADERS = frozenset(("name", "description", "title", "license", "version", "author", "tags", "metadata", "color"))
# Keys that configure what is run, whatever a spec says of them.
RUN = frozenset(("hooks", "mcpServers", "mcp-servers", "mcp_servers", "mcp", "command", "env"))
# What a program may load or start by itself.
_CODE = regex(r"\.(?:[cm]?[jt]sx?|py[cow]?|sh|bash|zsh|fish|ps1|rb|pl|lua|wasm|node|so|dylib|dll|exe|bat|cmd|jar)$")
# A mark before something in backquotes, or after a fence of them: a command whose output is put there.
_COMMAND = regex(r"!+(?=`)|(?<=```)!+")
_COMMAND_OF_TOML = regex(r"!+(?=\{)")
_LINE = regex("[^\n\r\x85\u2028\u2029]*(?:\r\n|[\n\r\x85\u2028\u2029]|$)")
_KEY = regex(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]|[\r\n\x85\u2028\u2029]|$)")
_BLANK = regex(r"[ \t]*(?:#.*)?[\r\n\x85\u2028\u2029]*$")
_FENCE = regex(r"\ufeff?---[ \t]*(?:\r\n|[\n\r])")
_END = regex(r"^---[ \t]*(?:\r\n|[\n\r]|\Z)", re.MULTILINE)
_VARIABLE = regex(r"[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$")
# Of a file that was only listed, the text is there if it may be for a model.
TEXTS = (".md", ".mdc", ".mdx", ".markdown", ".txt")
# What cannot be read, in each language.
BROKEN = {".toml": "= \n", ".yaml": "a: [\n", ".yml": "a: [\n"}
YAML = (".yaml", ".yml")
IGNORING, PATTERNS, SKILL = ".gitignore", "ignore", "SKILL.md"
MOST_TEXTS = 2000
# Lines of a text that is larger say nothing of a prompt.
MOST = 4 * 1024 * 1024
# A link may lead to another one.
MOST_LINKS = 40


@dataclass(frozen=True, slots=True)
class Given:
    """The files of a program, by absolute path; ``links`` with where they lead; ``left_out``: what is not there.

    Each of ``left_out`` is a noun, such as ``hooks``, and the path of the file that has it.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    directories: Collection[str] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()

    def top(self) -> frozenset[str]:
        """Everything that is there, as paths."""
        return frozenset((*self.files, *self.directories, *self.links))


@dataclass(frozen=True, slots=True)
class Rules:
    """How files are chosen: for a program with its spec, in these directories of the user's (``own``).

    ``packages``: directories of programs that are seen as they are. ``keeps_secrets``: nothing is replaced by stars, because nothing is the user's own. ``runs``: what the user has
    configured in ``home`` may run.
    """

    program: Program
    spec: Spec | None
    home: str
    own: tuple[str, ...]
    packages: tuple[str, ...] = ()
    keeps_secrets: bool = False
    runs: bool = False


def is_of_system(path: str, own: Iterable[str]) -> bool:
    """Whether a program sees ``path`` as it is: it belongs to the system and lies in no directory of the user's."""
    return any(is_below(path, top) for top in OF_SYSTEM) and not any(is_below(path, each) for each in own)


def choose(host: Host, prompt: Prompt, rules: Rules, *, further: Iterable[str] = ()) -> Given:
    """What a program is given of all that ``host`` looked at for ``prompt``, and of the paths of ``further``."""
    failed = {each.path for each in prompt.candidates if each.outcome == "failed" and each.path}
    chooser = _Chooser(rules, failed, host.has_read())
    for path in sorted({*host.looked_at(), *further}):
        chooser.add(path)
    for directory, entries in host.listed().items():
        for each in entries:
            chooser.add_listed(join(directory, each.name), is_directory=each.is_directory)
    chooser.add_patterns()
    return chooser.given()


def texts(paths: Iterable[str]) -> list[str]:
    """Those of the files of a folder that are for a model, by their names: for any program, at most ``MOST_TEXTS``.

    So a program gets also what the preview does not know that it reads.
    """
    likely = (path for path in paths if path.endswith(specs.endings()) and "/node_modules/" not in path)
    places = specs.text_places()
    return list(islice((path for path in likely if any(each.search(path) for each in places)), MOST_TEXTS))


def arguments(args: Sequence[str], program: Program) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The arguments that a program is given, and those that are left out."""
    kept: list[str] = []
    dropped: list[str] = []
    rest = list(args)
    while rest:
        option, has_value, value = rest[0].partition("=") if rest[0].startswith("--") else (rest[0], "", "")
        rest.pop(0)
        takes = program.options.get(option if option.startswith("-") else "")
        values = [value] if has_value else _values(rest, takes)
        chosen = _chosen_values(values, takes, program)
        if takes is None or chosen is None:
            dropped.append(option)
            continue
        kept += [f"{option}={chosen[0]}"] if has_value else [option, *chosen]
    return tuple(kept), tuple(dropped)


def _values(rest: list[str], takes: Takes | None) -> list[str]:
    """Take the values of an option off ``rest``; of one that nobody knows, all that may be one."""
    if takes == "":
        return []
    count = next((at for at, each in enumerate(rest) if each.startswith("-") and at), len(rest))
    if takes in (None, "values") and rest and rest[0].startswith("-"):
        count = 0
    count = min(count, 1) if takes in ("value", "setting", "json") else count
    found = rest[:count]
    del rest[:count]
    return found


def _chosen_values(values: Sequence[str], takes: Takes | None, program: Program) -> list[str] | None:
    """The values that an option is given; None if none is left."""
    if takes not in ("setting", "json") or not values:
        return list(values)
    kinds = program.configurations[:1]
    keys = kinds[0].keys if kinds else ()
    if takes == "setting":
        key, _, _ = values[0].partition("=")
        path = tuple(part.strip().strip("\"'") for part in key.split("."))
        return list(values) if _is_allowed(path, keys) else None
    root = jsonc.parse(values[0], comments=True).root
    data = _plain(root, MAX_DEPTH) if root is not None and root.kind == "object" else None
    return [json.dumps(_of_kind(data, kinds[0], program)[0])] if isinstance(data, dict) and kinds else None


def _is_allowed(path: Sequence[str], keys: Iterable[str]) -> bool:
    """Whether a key, or one above it, is among ``keys``."""
    split = (tuple(key.split(".")) for key in keys)
    return any(len(key) <= len(path) and all(a in (b, "*") for a, b in zip(key, path, strict=False)) for key in split)


def is_credential(path: str) -> bool:
    """Whether a file holds credentials, by its name."""
    return name(path).lower() in CREDENTIALS


class _Chooser:
    def __init__(self, rules: Rules, failed: Collection[str], read: Collection[str]) -> None:
        self._rules = rules
        self._failed = failed
        self._read = read
        self._headers = HEADERS | set(rules.program.headers) | _headers_of(rules.spec)
        self._files: dict[str, bytes] = {}
        self._directories: dict[str, None] = {}
        self._links: dict[str, str] = {}
        self._left_out: dict[tuple[str, str], None] = {}
        self._done: set[str] = set()

    def given(self) -> Given:
        """What has been chosen."""
        return Given(dict(self._files), tuple(self._directories), dict(self._links), tuple(self._left_out))

    def add(self, path: str, depth: int = MOST_LINKS) -> None:
        """A path that was looked at, with the links on the way to it."""
        if path in self._done or not path.startswith("/") or self._is_foreign(path):
            return
        self._done.add(path)
        place = path
        while len(place) > 1:
            if files.is_link(place):
                self._add_link(place, path, depth)
                return
            place = parent(place)
        info = files.stat_of(path)
        kind = files.kind_of(info)
        if kind == "directory":
            self._directories[path] = None
        elif kind == "file" and not self._is_code(path):
            data = self._content(path)
            if data is not None:
                self._files[path] = data

    def add_listed(self, path: str, *, is_directory: bool) -> None:
        """What a directory holds: its name is there, and nothing in it."""
        if path in self._done or self._is_foreign(path) or files.is_link(path):
            self.add(path)
        elif is_directory:
            self._directories.setdefault(path)
        elif path.lower().endswith(TEXTS) or self._kinds(path):
            self.add(path)
        elif not self._is_code(path):
            self._files.setdefault(path, b"")

    def add_patterns(self) -> None:
        """What git and other programs pass over, in each directory that there is."""
        held = {parent(path) for path in self._files} | set(self._directories)
        above = {place for path in held for place in upwards(path) if any(is_below(place, o) for o in self._rules.own)}
        for directory in sorted(above):
            self.add(join(directory, IGNORING))

    def _add_link(self, link: str, path: str, depth: int) -> None:
        target = files.target_of(link)
        if target is None or depth == 0:
            return
        real = resolve(parent(files.realpath(parent(link)) + "/x"), target)
        place = join(files.realpath(parent(link)), name(link))
        is_own = not is_of_system(real, self._rules.own)
        # Where the copies are elsewhere, it still leads to one.
        self._links[place] = relative(real, parent(place)) if is_own else target
        rest = path[len(link) :]
        self.add(real, depth - 1)
        self.add(f"{real}{rest}", depth - 1)
        if place != link:
            self.add(f"{place}{rest}", depth - 1)

    def _is_foreign(self, path: str) -> bool:
        """Whether a program sees it as it is, or gets a repository of ours in its place."""
        is_of_package = any(is_below(path, each) for each in self._rules.packages)
        return is_of_package or is_of_system(path, self._rules.own) or "/.git/" in f"{path}/"

    def _is_code(self, path: str) -> bool:
        """Whether a file is left out, because a program might load or start it by itself."""
        if not is_code(path, self._rules):
            return False
        self._leave_out(path, "program")
        return True

    def _content(self, path: str) -> bytes | None:
        """What is in the copy of a file; None where there is none."""
        is_own = is_below(path, self._rules.home)
        kinds = self._kinds(path)
        if not self._rules.keeps_secrets and is_own and is_credential(path) and not kinds:
            return None
        contents = files.read(path)
        if contents.state != "file":
            return None
        if self._rules.runs and not (is_own and kinds):
            return self._masked(path, contents.data) if is_own else contents.data
        if path in self._failed and is_config(path):
            return BROKEN.get(path[path.rfind(".") :].lower(), "{").encode()
        if kinds or is_config(path):
            return self._configured(path, contents.data)
        return self._text(path, contents.data)

    def _leave_out(self, path: str, *what: str) -> None:
        """Note what is not there of a file, if the preview knows the file."""
        code = self._rules.program.code
        if path in self._read or (code and re.search(code, path)):
            self._left_out.update(dict.fromkeys((each, path) for each in what))

    def _kinds(self, path: str) -> list[Configuration]:
        return [each for each in self._rules.program.configurations if re.search(each.place, path)]

    def _masked(self, path: str, data: bytes) -> bytes:
        if self._rules.keeps_secrets or not is_config(path):
            return data
        return masked_file(path, decode(data, keep_bom=True)).encode("utf-8", "replace")

    def _configured(self, path: str, data: bytes) -> bytes:
        """A configuration with the keys that are given, written anew."""
        kind = next(iter(self._kinds(path)), None)
        text = decode(data, keep_bom=False)
        if _is_of_variables(path):
            return self._variables(path, text, given=bool(kind and "" in kind.variables))
        root = _root(path, text)
        known = _plain(root, MAX_DEPTH) if root is not None else None
        if not isinstance(known, dict):
            return b"[]" if isinstance(known, list) and not path.endswith(".toml") else b""
        if kind is None:
            if known:
                self._leave_out(path, "text")
            return written(path, {}).encode()
        chosen, dropped = _of_kind(known, kind, self._rules.program)
        self._leave_out(path, *dropped)
        return self._masked(path, without_commands(written(path, chosen)).encode("utf-8", "replace"))

    def _variables(self, path: str, text: str, *, given: bool) -> bytes:
        found = filter(None, (_VARIABLE.match(line) for line in text.splitlines()))
        named = {each[1]: each[2] for each in found}
        kept = {key: value for key, value in named.items() if given and key in self._rules.program.keeps}
        self._leave_out(path, *(key for key in named if key not in kept))
        return "".join(f"{key}={value}\n" for key, value in kept.items()).encode()

    def _text(self, path: str, data: bytes) -> bytes:
        """A text without what would run; any other file as it is."""
        if (
            path.endswith(PATTERNS)
            or len(data) > MOST
            or b"\0" in data[:1024]
            or data[:2] in (b"\xff\xfe", b"\xfe\xff")
        ):
            return data
        text = data.decode("utf-8", "surrogateescape")
        # Elsewhere there are no skills, commands or agents.
        plain = without_commands(text) if name(path) == SKILL or is_hidden(path, self._rules) else text
        head, dropped = without_keys(plain, self._headers)
        self._leave_out(path, *(["commands"] if plain != text else []), *dropped)
        return head.encode("utf-8", "surrogateescape")


def is_code(path: str, rules: Rules) -> bool:
    """Whether a program might load or start a file by itself: one in a hidden directory, or where it looks for them."""
    if rules.runs:
        return False
    if (is_hidden(path, rules) or "/node_modules/" in path) and _CODE.search(path) is not None:
        return True
    return bool(rules.program.code) and re.search(rules.program.code, path) is not None


def is_hidden(path: str, rules: Rules) -> bool:
    """Whether a file is in a hidden directory of the user's."""
    top = next((each for each in sorted(rules.own, key=len, reverse=True) if is_below(path, each)), "/")
    return "/." in parent(f"/{relative(path, top)}")


def without_commands(text: str) -> str:
    """A text in which no program finds a command that it would run, and else the same."""
    return _COMMAND_OF_TOML.sub("", _COMMAND.sub("", text)) if "!" in text else text


def without_keys(text: str, allowed: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """A text whose front matter has only keys of ``allowed``, and the names of the others.

    A key counts where a line begins with it, plainly written; what is written in another way is left out with all that
    follows up to the next key.
    """
    opening = _FENCE.match(text)
    closing = _END.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return text, ()
    kept: list[str] = []
    dropped: list[str] = []
    is_kept = False
    for line in _lines(text, opening.end(), closing.start()):
        if _BLANK.match(line):
            kept.append(line)
            continue
        if line[0] not in " \t-]})":
            key = _KEY.match(line)
            is_kept = key is not None and key[1] in allowed and key[1] not in RUN
            if not is_kept:
                dropped.append(key[1] if key else line.strip()[:40])
        if is_kept:
            kept.append(line)
    return (text[: opening.end()] + "".join(kept) + text[closing.start() :], tuple(dropped)) if dropped else (text, ())


def _lines(text: str, start: int, end: int) -> Iterator[str]:
    while start < end:
        found = _LINE.match(text, start, end)
        if found is None or found.end() == start:
            return
        yield found[0]
        start = found.end()


def _headers_of(spec: Spec | None) -> set[str]:
    """The keys of front matter that a program reads, by its spec."""
    if spec is None:
        return set()
    rules = {key for each in spec.rule_files for key in (each.scope, *each.further_scopes, *each.kinds)}
    return rules | {key for each in spec.front_matter for key in each.keys}


def _is_of_variables(path: str) -> bool:
    return name(path).startswith(".env") or path.lower().endswith(".env")


def _of_kind(known: dict[str, Any], kind: Configuration, program: Program) -> tuple[dict[str, Any], list[str]]:
    """What of a configuration is given, and the names of what is left out."""
    dropped: list[str] = []
    found = _chosen(known, [tuple(key.split(".")) for key in kind.keys], (), dropped)
    result = found if isinstance(found, dict) else {}
    for place in kind.variables:
        named = known.get(place)
        if isinstance(named, dict):
            result[place] = {key: value for key, value in named.items() if key in program.keeps}
            dropped = [each for each in dropped if each != place]
            dropped += [f"{place}.{key}" for key in named if key not in program.keeps]
    return result, [each for each in dropped if not _is_allowed(each.split("."), kind.inert)]


def _chosen(value: Any, keys: Sequence[tuple[str, ...]], above: tuple[str, ...], dropped: list[str]) -> Any:
    """What of a value these keys lead to; the keys that they do not come to ``dropped``."""
    if () in keys:
        return value
    if isinstance(value, list):
        return [_chosen(each, [key[1:] for key in keys if key[0] == "*"] or keys, above, dropped) for each in value]
    if not isinstance(value, dict):
        return None
    found = {}
    for key, each in value.items():
        below = [rest[1:] for rest in keys if rest[0] in (key, "*")]
        if not below:
            dropped.append(".".join((*above, key)))
            continue
        chosen = _chosen(each, below, (*above, key), dropped)
        if chosen is not None or each is None:
            found[key] = chosen
    return found


def read(path: str, data: bytes) -> dict[str, Any]:
    """A configuration, in the language of ``path``; {} where it cannot be read."""
    root = _root(path, decode(data, keep_bom=False))
    found = _plain(root, MAX_DEPTH) if root is not None else None
    return found if isinstance(found, dict) else {}


def _root(path: str, text: str) -> Value | None:
    if path.endswith(".toml"):
        return toml.parse(text).root
    return (yaml.parse(text) if path.endswith(YAML) else jsonc.parse(text, comments=True)).root


def _plain(value: Value, depth: int) -> Any:
    if depth == 0:
        return None
    if value.kind == "object":
        return {str(key.data): _plain(each, depth - 1) for key, each in value.members}
    if value.kind == "array":
        return [_plain(each, depth - 1) for each in value.items]
    if value.kind == "number" and isinstance(value.data, float) and value.data.is_integer():
        return int(value.data)
    return {"true": True, "false": False, "null": None}.get(value.kind, value.data)


def written(path: str, data: dict[str, Any]) -> str:
    """A configuration in the language of ``path``: JSON is YAML, too."""
    if path.endswith(".toml"):
        return "".join(f"{_toml(key)} = {_toml(value)}\n" for key, value in data.items() if value is not None)
    return json.dumps(data, ensure_ascii=False, indent=1)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{_toml(key)} = {_toml(each)}" for key, each in value.items() if each is not None)
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(_toml(each) for each in value if each is not None)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
