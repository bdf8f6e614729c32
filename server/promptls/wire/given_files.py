"""What of the user's files a program is given: those that the preview looked at, and of them nothing that can be run.

It is an allow list. A text stays as it is, but for marks that a program would take for a command to run. Of a
configuration there are the keys that the program's folder names (``Program.configurations``), written anew, so that
neither an escape nor a comment nor an encoding hides one. Programs are not there at all.
"""

from __future__ import annotations

import json
import os
import re
from heapq import nsmallest
from itertools import takewhile

from promptls.core import files, specs
from promptls.core.lazy import regex
from promptls.core.paths import is_below, join, name, parent, relative, resolve, upwards
from promptls.core.secrets import is_config, is_of_variables, masked_file
from promptls.core.text import decode
from promptls.core.values import dataclass, field, replace
from promptls.kit import tool_calls
from promptls.wire.configurations import NOTHING, broken, is_inert, of_kind, parsed, plain, written
from promptls.wire.harmless_text import read_text, without_commands, without_keys, written_text
from promptls.wire.visible_disk import EMPTY, SYSTEM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.core.spec import Spec
    from promptls.kit.launch import Configuration, Program
    from promptls.wire.configurations import Key


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
HEADERS = frozenset(
    (
        *("name", "description", "title", "license", "version", "author", "tags", "metadata", "color", "compatibility"),
        *("when_to_use", "argument-hint", "disable-model-invocation", "user-invocable", "allowed-tools"),
        *("context", "effort", "paths"),
    )
)
# What a program may load or start by itself.
_CODE = regex(r"\.(?:[cm]?[jt]sx?|py[cow]?|sh|bash|zsh|fish|ps1|rb|pl|lua|wasm|node|so|dylib|dll|exe|bat|cmd|jar)$")
_IS_COMMAND = regex(r"/(?:commands?|prompts|workflows|skills?|agents?|modes?)/|\.prompt\.md$")
_VARIABLE = regex(r"[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$")
_PATHS = regex(r"(?<=[\"'])/[^\"'\\\n]+(?=[\"'])")
# Of a file that was only listed, the text is there if it may be for a model.
TEXTS = (".md", ".mdc", ".mdx", ".markdown", ".txt")
IGNORING, PATTERNS, SKILL = ".gitignore", "ignore", "SKILL.md"
# Keys of a configuration with the paths of files that are commands, skills or agents then.
NAMES_FILES = ("commands", "skills", "agents")
MOST_TEXTS = 2000
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


@dataclass(frozen=True, slots=True)
class Rules:
    """How files are chosen: for a program with its spec, in these directories of the user's (``own``).

    ``packages``: directories of programs that are seen as they are. ``keeps_secrets``: nothing is replaced by stars,
    because nothing is the user's own. ``runs``: what the user has configured in ``home`` may run.
    """

    program: Program
    spec: Spec | None
    home: str
    own: tuple[str, ...]
    packages: tuple[str, ...] = ()
    keeps_secrets: bool = False
    runs: bool = False


def is_of_system(path: str, own: Iterable[str]) -> bool:
    """Whether a program sees ``path`` as it is: the system's, in no directory that its user or anybody may write to."""
    return any(is_below(path, top) for top in OF_SYSTEM) and not any(is_below(path, each) for each in (*own, *EMPTY))


def choose(host: Host, prompt: Prompt, rules: Rules, *, further: Iterable[str] = ()) -> Given:
    """What a program is given of all that ``host`` looked at for ``prompt``, and of the paths of ``further``."""
    failed = {
        each.path for each in prompt.candidates if each.outcome == "failed" and each.use == "config" and each.path
    }
    variables = (host.env.get(each) for each in rules.program.files)
    named = {resolve(prompt.session.cwd, each) for each in variables if each}
    chooser = _Chooser(rules, failed, host.has_read(), named)
    for path in sorted({*host.looked_at(), *further}):
        chooser.add(path)
    for directory, entries in host.listed().items():
        # Where a link leads to it, its entries are in the place that it leads to.
        real = files.realpath(directory)
        for each in entries:
            chooser.add_listed(join(real, each.name), is_directory=each.is_directory)
    chooser.add_patterns()
    return chooser.given()


def texts(paths: Iterable[str], program: Program, cwd: str) -> list[str]:
    """Those of the files of a folder that are for a model, by their names: for any program, at most ``MOST_TEXTS``.

    They are those nearest to ``cwd``, these first.

    So a program gets also what the preview does not know that it reads; and what ``program`` would load is named.
    """
    places = specs.text_places()
    code = re.compile(program.code) if program.code else None

    def is_likely(path: str) -> bool:
        if code is not None and code.search(path):
            return True
        is_text = path.endswith(specs.endings()) and "/node_modules/" not in path
        return is_text and any(each.search(path) for each in places)

    return nsmallest(MOST_TEXTS, filter(is_likely, paths), key=lambda path: distance(path, cwd))


def called_for(session: Session) -> Iterator[str]:
    """The paths that calls of tools name: a tool needs the file that it reads or edits, also if no preview reads it."""
    steps = [step for turn in session.turns for step in turn.steps]
    while steps:
        for call in steps.pop():
            steps += call.steps or ()
            if call.read is not None:
                yield resolve(session.cwd, call.read)
            for value in tool_calls.given(call).values():
                if isinstance(value, str) and value and not re.search(r"[\n\0]", value):
                    yield resolve(session.cwd, value)


def distance(path: str, cwd: str) -> int:
    """The steps from a directory up and down to a file."""
    there, here = path.split("/"), cwd.split("/")
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(there, here, strict=False)))
    return len(there) + len(here) - 2 * shared


def is_credential(path: str) -> bool:
    """Whether a file holds credentials, by its name."""
    return name(path).lower() in CREDENTIALS


class _Chooser:
    def __init__(self, rules: Rules, failed: Collection[str], read: Collection[str], named: Collection[str]) -> None:
        self._rules = rules
        self._failed = failed
        self._read = read
        # The configurations that variables name.
        self._named = named
        self._instructions = _instructions_of(rules.spec)
        self._headers = HEADERS | set(rules.program.headers) | _headers_of(rules.spec)
        self._files: dict[str, bytes] = {}
        self._directories: dict[str, None] = {}
        self._links: dict[str, str] = {}
        self._left_out: dict[tuple[str, str], None] = {}
        self._done: set[str] = set()
        # Whether any file may be a command, because a configuration names it; else what a link leads to may be one.
        self._may_be_any = False
        self._linked: set[str] = set()

    def given(self) -> Given:
        """What has been chosen."""
        for path, data in self._files.items():
            if not self._is_configuration(path) and not path.endswith(PATTERNS) and self._may_run(path):
                self._files[path] = self._without_what_runs(path, data)
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
        elif kind == "file" and path not in self._read and not self._is_loaded(path):
            # What was only listed keeps its name.
            self._files[path] = b""

    def add_listed(self, path: str, *, is_directory: bool) -> None:
        """What a directory holds: its name is there, and nothing in it."""
        if path in self._done or self._is_foreign(path) or files.is_link(path):
            self.add(path)
        elif is_directory:
            self._directories.setdefault(path)
        elif path.lower().endswith(TEXTS) or self._kind(path) is not None or self._is_wanted(path):
            self.add(path)
        elif not self._is_code(path) or not self._is_loaded(path):
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
        # Another name of an instruction file makes it no command.
        if is_hidden(link, self._rules) or name(link) not in specs.instruction_names():
            self._linked.add(real)
        rest = path[len(link) :]
        self.add(real, depth - 1)
        self.add(f"{real}{rest}", depth - 1)
        if place != link:
            self.add(f"{place}{rest}", depth - 1)

    def _is_foreign(self, path: str) -> bool:
        """Whether a program sees it as it is, or gets a repository of ours in its place."""
        is_of_package = any(is_below(path, each) for each in self._rules.packages)
        return is_of_package or is_of_system(path, self._rules.own) or "/.git/" in f"{path}/"

    def _is_loaded(self, path: str) -> bool:
        """Whether a file is where the program loads programs by itself: there is not even an empty one of its name."""
        code = self._rules.program.code
        return bool(code) and re.search(code, path) is not None

    def _is_wanted(self, path: str) -> bool:
        """Whether a file is a program that may be loaded."""
        return self._rules.runs and self._is_loaded(path)

    def _is_code(self, path: str) -> bool:
        """Whether a file is left out, because a program might load or start it by itself."""
        if not is_code(path, self._rules):
            return False
        self._leave_out(path, "program")
        return True

    def _say(self, path: str, keys: Iterable[Key]) -> None:
        """Name keys that are left out, but for those of other folders."""
        for key in keys:
            folders = [each for each in key if each.startswith("/")]
            if not folders or any(is_below(own, each) for own in self._rules.own for each in folders):
                self._leave_out(path, ".".join(key))

    def _may_run(self, path: str) -> bool:
        """Whether some program may take a file for a command, a skill or an agent; instructions run nothing."""
        if self._rules.runs:
            return False
        if self._may_be_any or name(path) == SKILL or _IS_COMMAND.search(path) is not None:
            return True
        if any(is_below(path, each) for each in self._linked):
            return True
        return is_hidden(path, self._rules) and not any(each.search(path) for each in self._instructions)

    def _without_what_runs(self, path: str, data: bytes) -> bytes:
        text, encoding = read_text(data)
        plain = without_commands(text)
        head, dropped = without_keys(plain, self._headers)
        self._leave_out(path, *(["commands"] if plain != text else []), *dropped)
        return written_text(head, encoding) if head != text else data

    def _content(self, path: str) -> bytes | None:
        """What is in the copy of a file; None where there is none."""
        is_own = is_below(path, self._rules.home)
        kind = self._kind(path)
        if not self._rules.keeps_secrets and is_own and is_credential(path) and kind is None:
            return None
        contents = files.read(path)
        if contents.state != "file":
            return None
        # Of what a program remembers, it gets also then only what is listed.
        if self._rules.runs and not (is_own and kind is not None and ("*" in kind.inert or is_credential(path))):
            return self._masked(path, contents.data) if is_own else contents.data
        if path in self._failed and is_config(path):
            return broken(path)
        if self._is_configuration(path):
            return self._configured(path, contents.data)
        return contents.data

    def _leave_out(self, path: str, *what: str) -> None:
        """Note what is not there of a file, if the preview knows the file."""
        if path in self._read or self._is_loaded(path):
            self._left_out.update(dict.fromkeys((each, path) for each in what))

    def _is_configuration(self, path: str) -> bool:
        return is_config(path) or self._kind(path) is not None

    def _kind(self, path: str) -> Configuration | None:
        kinds = self._rules.program.configurations
        known = next((each for each in kinds if re.search(each.place, path)), None)
        return kinds[0] if known is None and kinds and path in self._named else known

    def _masked(self, path: str, data: bytes) -> bytes:
        if self._rules.keeps_secrets or not is_config(path):
            return data
        text = decode(data, keep_bom=True)
        found = masked_file(path, text)
        if self._rules.runs:
            found = self._with_variables(path, text, with_paths(text, found))
        return found.encode("utf-8", "replace")

    def _with_variables(self, path: str, text: str, masked: str) -> str:
        """A masked configuration with the variables that decide over the prompt: by their place they look secret."""
        kind = self._kind(path)
        root = parsed(path, text)[0] if kind is not None and kind.variables else None
        # Where characters count twice, places are others.
        if kind is None or root is None or len(masked) != len(text):
            return masked
        found = list(masked)
        for place in kind.variables:
            named = root.get(place)
            for key, value in named.members if named is not None else ():
                if key.data in self._rules.program.keeps and value.kind != "object":
                    found[value.start : value.end] = text[value.start : value.end]
        return "".join(found)

    def _configured(self, path: str, data: bytes) -> bytes:
        """A configuration with the keys that are given, written anew."""
        kind = self._kind(path)
        text = decode(data, keep_bom=False)
        if is_of_variables(path):
            return self._variables(path, text, kind)
        root, flaw = parsed(path, text)
        if flaw is not None and text.strip():
            self._leave_out(path, *(["text"] if kind is None else []))
            return broken(path) if kind is not None else b""
        known = plain(root) if root is not None else None
        if not isinstance(known, dict):
            self._leave_out(path, *(["text"] if known not in NOTHING else []))
            return b"[]" if isinstance(known, list) and not path.endswith(".toml") else b""
        if kind is None:
            if known:
                self._leave_out(path, "text")
            return written(path, {}).encode()
        if self._rules.runs:
            kind = replace(kind, keys=(*kind.keys, *kind.running))
        chosen, dropped = of_kind(known, kind, self._rules.program.keeps)
        self._say(path, dropped)
        text = written(path, chosen)
        if self._rules.runs:
            return self._masked(path, text.encode("utf-8", "replace"))
        if without_commands(text) != text:
            self._leave_out(path, "commands")
        self._may_be_any |= "{file:" in text or any(key in chosen for key in NAMES_FILES)
        # What is given of variables is no secret, and by its place it would count as one.
        apart = {place: chosen.pop(place) for place in kind.variables if place in chosen}
        data = self._masked(path, without_commands(written(path, chosen)).encode("utf-8", "replace"))
        return written(path, {**json.loads(data), **apart}).encode("utf-8", "replace") if apart else data

    def _variables(self, path: str, text: str, kind: Configuration | None) -> bytes:
        given = kind is not None and "" in kind.variables
        found = filter(None, (_VARIABLE.match(line) for line in text.splitlines()))
        named = {each[1]: each[2] for each in found}
        kept = {key: value for key, value in named.items() if given and key in self._rules.program.keeps}
        self._say(path, ((key,) for key in named if key not in kept and not (kind and is_inert((key,), kind))))
        self._leave_out(path, *(["text"] if text.strip() and not named else []))
        return "".join(f"{key}={value}\n" for key, value in kept.items()).encode()


def with_paths(text: str, masked: str) -> str:
    """A masked text with the paths of what is there, such as variables of MCP servers have them: none is a secret."""
    found = list(masked)
    # Where characters count twice, places are others.
    for each in _PATHS.finditer(text) if len(masked) == len(text) else ():
        if all(os.path.exists(path) for path in each[0].split(os.pathsep)):
            found[each.start() : each.end()] = each[0]
    return "".join(found)


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


def _headers_of(spec: Spec | None) -> set[str]:
    """The keys of front matter that a program reads, by its spec."""
    if spec is None:
        return set()
    rules = {key for each in spec.rule_files for key in (each.scope, *each.further_scopes, *each.kinds)}
    return rules | {key for each in spec.front_matter for key in each.keys}


def _instructions_of(spec: Spec | None) -> tuple[re.Pattern[str], ...]:
    """The places of files that are only read, by a program's spec."""
    if spec is None:
        return ()
    named = (rf"(?:^|/){re.escape(each)}" + ("" if each[-1:] == "/" else "$") for each in spec.nested)
    kinds = [*(each.place for each in spec.instruction_files), *(each.place for each in spec.rule_files)]
    return tuple(map(re.compile, (*named, *kinds)))
