"""Secrets in texts: what looks like one, where it is, and the text without it. This is the only list of them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from promptls.core.lazy import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Span = tuple[int, int]

# Names of secrets: their endings, in small letters and without signs ("OPENAI_API_KEY" is "openaiapikey").
ENDINGS = (
    *("apikey", "apikeys", "token", "password", "passwords", "passwd", "passphrase", "secret", "secrets"),
    *("authorization", "credential", "credentials", "cookie", "bearer", "auth"),
    *("accesskey", "privatekey", "secretkey", "accountkey", "signingkey", "encryptionkey", "authkey"),
)
# Names that contain one of these are secrets too (API_KEY_PROD), unless they name a location (api_key_file).
INSIDE = ("apikey", "password", "passwd", "passphrase", "secret", "authorization", "credential", "accesskey")
NO_VALUES = (
    *("file", "path", "dir", "url", "uri", "endpoint", "env", "envvar", "var", "helper", "ref", "type", "policy"),
    *("length", "command", "scanning", "name", "server", "store", "manager", "provider", "required", "enabled"),
)
# Names that are secrets in the query of a URL only.
IN_QUERIES = ("key", "sig", "signature", "code", "pw", "pwd", "pass")
# Every value in these tables is treated as a secret.
TABLES = ("headers", "httpheaders", "requestheaders", "extraheaders", "env", "environment")

# What keys of well-known services look like, and a private key.
KEYS = (
    r"\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36}\b"
    r"|\bgithub_pat_[A-Za-z0-9_]{60,}\b"
    r"|\bglpat-[A-Za-z0-9_-]{20,}\b"
    r"|\bsk-(?:proj-|ant-[a-z0-9]+-)?[A-Za-z0-9_-]{32,}\b"
    r"|\bAKIA[A-Z0-9]{16}\b"
    r"|\bAIza[A-Za-z0-9_-]{35}\b"
    r"|\bxox[abprs]-[0-9A-Za-z-]{20,}\b"
    r"|\bnpm_[A-Za-z0-9]{36}\b"
    r"|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"
)
# A text with a key contains one of these, and so the letter before them: one letter is found many times as fast.
MARKS = (
    ("_", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "npm_")),
    ("-", ("glpat-", "sk-", "xox", "-----BEGIN")),
    ("A", ("AKIA", "AIza")),
)

MASK = "*"

# The rest is compiled when it is first needed.
_HINT = (
    r"(?i:api[-_. ]?key|token|passw|passphrase|secret|authorization|credential|cookie|bearer|auth"
    r"|(?:access|private|account|signing|encryption)[-_. ]?key|headers|env)"
)
# What one of these has in it, however its letters are written: a tenth of the time rules most texts out.
_STEMS = ("key", "token", "passw", "passphrase", "secret", "cred", "cook", "bearer", "auth", "headers", "env")
_LONGEST_NAME = 64
_SEPARATOR = r"\\*[\"'`]?\s{0,200}(?::=|=>|[:=])[ \t]*"
_NEXT_ARGUMENT = r"\\*[\"'`]?(?:\s*,\s*|[ \t]+)(?=\\*[\"'`]|[^\s-])"
_START = r"(?i:\b[a-z][a-z0-9+.-]{0,30}):[\\/]+"
_USERINFO = _START + r"([^\s/?#\\\"'`<>@]+(?:@[^\s/?#\\\"'`<>@]+)*)@"
# The end of a text may cut the rest of it; a port is none.
_CUT_USERINFO = _START + r"([^\s/?#\\\"'`<>@:\[\]{}$]+:(?!\d{0,5}(?:…|\Z))[^\s/?#\\\"'`<>@{}$…]+)(?=…|\Z)"
_QUERY = r"[?&;#]([\w.%-]{1,64})=([^\s&#\"'`<>]+)"
_BEARER = r"\b(?:Bearer|Basic)[ \t]+([A-Za-z0-9._~+/=-]{12,})"
# A text without one of these names the value of nothing.
_SEPARATOR_OF_NAMES = regex(r"""[:=]|[ '"]-""")
_OPTION = regex(r"""[ '"]-""")
_QUOTED = {
    '"': r'"((?:[^"\\]|\\.)*)',
    "'": r"'((?:[^'\\]|\\.)*)",
    "`": r"`([^`]*)",
}
_REFERENCE = r"\$\w+|\$?\{\{?[\w:. ]+\}\}?|<[\w -]+>"
_NO_WORD = r"(?:true|false|null|none)\b"
_CONFIG_ENDINGS = (
    *(".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml", ".env", ".ini", ".cfg", ".conf", ".properties"),
    *("rc", "/config", ".gitmodules", ".gitconfig"),
)
_SOURCE_ENDINGS = (
    *(
        ".py",
        ".js",
        ".mjs",
        ".cjs",
        ".jsx",
        ".ts",
        ".mts",
        ".cts",
        ".tsx",
        ".go",
        ".rs",
        ".rb",
        ".java",
        ".kt",
        ".swift",
    ),
    *(
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".hpp",
        ".cs",
        ".php",
        ".lua",
        ".pl",
        ".vue",
        ".svelte",
        ".html",
        ".css",
        ".md",
        ".mdc",
    ),
)
_PROSE_ENDINGS = (".md", ".mdc", ".markdown", ".txt", ".mdx", ".rst")


@lru_cache(maxsize=1024)
def is_secret(name: str) -> bool:
    """Whether the value of a key, variable, header or option of this name is a secret."""
    plain = _plain(name)
    if plain.endswith(NO_VALUES) and not plain.endswith(ENDINGS):
        return False
    return plain.endswith(ENDINGS) or any(each in plain for each in INSIDE)


def masked(text: str) -> str:
    """``text`` with stars for each secret; each line keeps its place and its length in UTF-16."""
    if len(text) >= _SHORT:
        return _without(text, spans(text))
    return _masked_short(text) if _is_suspect(text) else text


def _is_suspect(text: str) -> bool:
    """Whether there may be a secret: in one pattern, these would take many times as long."""
    if ":" in text or "=" in text or text.startswith("-") or ("-" in text and _OPTION.search(text)):
        return True
    # What a secret comes after in a header.
    return "Bearer" in text or "Basic" in text or has_mark(text)


def masked_url(url: str) -> str:
    """A URL without user name and password, and with three stars for each secret in its query."""
    plain = without_userinfo(url)
    for start, end in reversed(list(_in_queries(plain))):
        plain = plain[:start] + MASK * 3 + plain[end:]
    return plain


def masked_arguments(args: Sequence[str]) -> list[str]:
    """Arguments of a command, in which a secret may follow its option."""
    secret = secret_arguments(args)
    return [_stars(arg) if arg in secret else masked(arg) for arg in args]


def secret_arguments(args: Sequence[str]) -> tuple[str, ...]:
    """The arguments of a command that are entirely secret, judged by the option before each."""
    pairs = pairwise(args)
    return tuple(dict.fromkeys(value for option, value in pairs if _takes_secret(option) and not value.startswith("-")))


def _takes_secret(option: str) -> bool:
    return option.startswith("-") and "=" not in option and is_secret(option)


def masked_file(path: str, text: str) -> str:
    """The text of a file as it may be shown: see ``spans_of_file``."""
    return _without(text, spans_of_file(path, text))


def spans_of_file(path: str, text: str) -> list[Span]:
    """The places of secrets in a file: by their keys in configurations, by their look in prose."""
    if not path.lower().endswith(_PROSE_ENDINGS):
        return spans(text)
    head = re.match(r"\ufeff?---[ \t]*\r?\n.*?^---[ \t]*$", text, re.DOTALL | re.MULTILINE)
    end = head.end() if head else 0
    return _merged([*spans(text[:end]), *((start + end, stop + end) for start, stop in _anywhere(text[end:]))])


def is_config(path: str) -> bool:
    """Whether a file is configuration by its name."""
    return path.lower().endswith(_CONFIG_ENDINGS) or is_of_variables(path)


def is_of_variables(path: str) -> bool:
    """Whether a file holds variables by its name, such as ``.env.local``; ``.env.py`` is a program like any other."""
    last = path[path.rfind("/") + 1 :].lower()
    return last.endswith(".env") or (last.startswith(".env") and not last.endswith(_SOURCE_ENDINGS))


def spans(text: str) -> list[Span]:
    """Where the secrets of a configuration, command or sentence are: sorted, none in another. Takes linear time."""
    return _merged([*_named(text), *_anywhere(text)])


def known_keys(text: str) -> Iterator[re.Match[str]]:
    """What looks like a key of a well-known service."""
    return re.finditer(KEYS, text) if has_mark(text) else iter(())


def has_mark(text: str) -> bool:
    """Whether ``text`` may have what a key of a well-known service would begin with."""
    for letter, marks in MARKS:  # noqa: SIM110 - a generator takes longer than what it looks for
        if letter in text and any(mark in text for mark in marks):
            return True
    return False


def without_userinfo(url: str) -> str:
    """``url`` without a user name and password; all else as it was written."""
    # The last @ of the authority, which ends at a slash, a question mark or a hash.
    return re.sub(r"^(\s*[a-z][a-z0-9+.-]*:[/\\]*)[^/?#]*@", r"\1", url, count=1, flags=re.IGNORECASE)


_SHORT = 2000


@lru_cache(maxsize=4096)
def _masked_short(text: str) -> str:
    return _without(text, spans(text))


def _without(text: str, found: Sequence[Span]) -> str:
    if not found:
        return text
    parts, at = [], 0
    for start, end in found:
        parts += [text[at:start], _stars(text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def _stars(text: str) -> str:
    """The same number of lines, each as long in UTF-16, so that the text after it keeps its place."""
    return "".join(letter if letter in "\r\n" else MASK * (1 + (letter > "\uffff")) for letter in text)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _merged(found: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(each for each in found if each[0] < each[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


# -- what looks like a secret, whatever its name -------------------------------------------------------------------


def _anywhere(text: str) -> Iterator[Span]:
    if ":" in text and "@" in text:
        yield from (found.span(1) for found in re.finditer(_USERINFO, text))
    if "://" in text:
        yield from (found.span(1) for found in re.finditer(_CUT_USERINFO, text))
    if "=" in text and any(mark in text for mark in "?&;#"):
        yield from _in_queries(text)
    if "Bearer" in text or "Basic" in text:
        found_words = re.finditer(_BEARER, text)
        yield from (found.span(1) for found in found_words if any(letter.isdigit() for letter in found[1]))
    for found in known_keys(text):
        end = found.end()
        if found[0].startswith("-----"):
            closing = text.find("-----END", end)
            end = closing if closing >= 0 else len(text)
        yield found.start(), end


def _in_queries(text: str) -> Iterator[Span]:
    for found in re.finditer(_QUERY, text):
        if is_secret(found[1]) or found[1].lower() in IN_QUERIES:
            yield found.span(2)


# -- what has the name of a secret ---------------------------------------------------------------------------------


def _named(text: str) -> Iterator[Span]:
    folded = text.casefold()
    if not any(each in folded for each in _STEMS):
        return
    if not _SEPARATOR_OF_NAMES.search(text) and not text.startswith("-"):
        return
    done = 0
    for hint in re.finditer(_HINT, text):
        if hint.start() < done:
            continue
        start, end = _name_around(text, hint.start(), hint.end())
        name = text[start:end]
        done = end
        if _plain(name.rpartition(".")[2]) in TABLES:
            for span in _in_table(text, start, end):
                yield span
                done = max(done, span[1])
        elif is_secret(name) and text[start - 1 : start] not in ("?", "&"):  # in a URL
            value = _value(text, start, end)
            if value is not None:
                yield value
                done = max(done, value[1])


def _name_around(text: str, start: int, end: int) -> Span:
    """The name that holds a stretch; only so long, that a text without white space takes no longer."""
    first = start
    while first > max(start - _LONGEST_NAME, 0) and _is_of_name(text[first - 1]):
        first -= 1
    last = end
    while last < min(end + _LONGEST_NAME, len(text)) and _is_of_name(text[last]):
        last += 1
    return first, last


def _is_of_name(letter: str) -> bool:
    return letter.isalnum() or letter in "_.-"


def _value(text: str, start: int, end: int) -> Span | None:
    """Where the value is of the name from ``start`` to ``end``; None if it has none."""
    separator = re.compile(_SEPARATOR).match(text, end)
    if separator is None and text.startswith("-", start):
        separator = re.compile(_NEXT_ARGUMENT).match(text, end)
    if separator is None:
        return None
    at = separator.end()
    is_tight = separator[0].strip() == separator[0] != ":" or text.startswith("--", start)
    block = re.compile(r"[|>][0-9+-]{0,2}[ \t]*(?:#[^\n]*)?(?=\r?\n)").match(text, at)
    if block is not None:
        return _indented(text, start, block.end())
    following = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n\s*").match(text, at)
    if following is not None:
        if text[following.end() : following.end() + 1] not in ("", '"', "'", "["):
            return _indented(text, start, at)
        at = following.end()
    before = text[start - 1 : start]
    is_inside = before in ("'", '"', "`") and text[end : end + 1] != before
    ends = before if is_inside else ",}]" if before == '"' else ""
    return _literal(text, at, is_tight=is_tight, ends=ends)


def _literal(text: str, at: int, *, is_tight: bool, ends: str = "") -> Span | None:
    """The value that begins at ``at``: in quotes, in brackets, or to the end of the word, line or what ``ends`` it."""
    for fence in ('"""', "'''"):
        if text.startswith(fence, at):
            end = text.find(fence, at + 3)
            return at + 3, end if end >= 0 else len(text)
    letter = text[at : at + 1]
    if letter in _QUOTED:
        quoted = re.compile(_QUOTED[letter], re.DOTALL).match(text, at)
        return _value_place(text, quoted.span(1)) if quoted else None
    if letter == "\\":  # a text in a text
        quoted = re.compile(r"\\+[\"']([^\"'\n\\]*)").match(text, at)
        if quoted is not None:
            return _value_place(text, quoted.span(1))
    if letter and letter in "[{":
        bracket = re.compile(r"\[[^\]]*" if letter == "[" else r"\{[^{}]*").match(text, at)
        return (at + 1, bracket.end()) if bracket else None
    if is_tight:
        ends += "\"'` \t"
    bare = re.compile(rf"[^\r\n”{re.escape(ends)}]+").match(text, at)
    return _value_place(text, bare.span()) if bare else None


def _value_place(text: str, where: Span) -> Span | None:
    """The place of a value; None if it only says where the secret is, or that there is none."""
    is_reference = re.compile(_REFERENCE).fullmatch(text, *where) or re.compile(_NO_WORD).match(text, *where)
    return None if is_reference else where


def _indented(text: str, start: int, at: int) -> Span | None:
    """The lines after ``at`` that are indented more than the line of the name."""
    ahead = text[max(start - _LONGEST_NAME, 0) : start].rpartition("\n")[2]
    own = len(ahead) - len(ahead.lstrip(" \t-"))
    end = first = text.find("\n", at) + 1
    if not first:
        return None
    if not re.compile(r"[ \t]*(?:- )?[\"']?[\w.-]+[\"']?[ \t]*:(?:\s|$)").match(text, first):
        for each in re.compile(_LINE).finditer(text, first):
            if each[2] and len(each[1]) <= own and not (len(each[1]) == own and each[2].startswith("- ")):
                break
            end = each.end()
    return (first, end) if end > first else None


def _in_table(text: str, start: int, end: int) -> Iterator[Span]:
    """The values of a table of headers or variables: in braces, indented, or after a TOML header."""
    brace = re.compile(_SEPARATOR + r"\s{0,200}\{([^{}]*)").match(text, end)
    if brace is not None:
        for each in re.finditer(r"[:=]\s*([\"'])((?:(?!\1)[^\\]|\\.)*)", brace[1]):
            yield brace.start(1) + each.start(2), brace.start(1) + each.end(2)
        return
    ahead = text[max(start - _LONGEST_NAME, 0) : start].rpartition("\n")[2]
    is_section = text.startswith("]", end) and ahead.lstrip(" \t").startswith("[")
    is_block = re.compile(r"[ \t]*:[ \t]*(?:#[^\n]*)?\r?\n").match(text, end) is not None
    depth = -1 if is_section else len(ahead) - len(ahead.lstrip(" \t"))
    first = text.find("\n", end) + 1
    if not first or not (is_section or is_block):
        return
    for line in re.compile(_LINE).finditer(text, first):
        if line[2] and (len(line[1]) <= depth or (is_section and line[2].startswith("["))):
            return
        value = re.compile(r"[\"']?[\w.-]+[\"']?[ \t]*[:=][ \t]*([^\r\n]+)").match(text, line.start(2))
        if value is not None:
            yield value.span(1)


# Its indentation and the rest.
_LINE = r"([ \t]*)([^\r\n]*)(?:\r?\n|(?<=[^\n])\Z)"
