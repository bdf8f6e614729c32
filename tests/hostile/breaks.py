"""Every way to break a file: each function puts something at a path."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

LARGE = 50 * 1024 * 1024
Put = Callable[[Path], object]


def text(content: str) -> Put:
    return lambda path: path.write_text(content, encoding="utf-8")


def data(content: bytes) -> Put:
    return lambda path: path.write_bytes(content)


def large(path: Path, head: bytes = b"") -> None:
    """A file of 50 MB that takes no space."""
    path.write_bytes(head)
    os.truncate(path, LARGE)


def links(path: Path, **targets: str) -> None:
    """``path`` as a link to ``target``, and others beside it."""
    for name, target in targets.items():
        (path if name == "target" else path.parent / name).symlink_to(target)


def link_to_fifo(path: Path) -> None:
    os.mkfifo(path.parent / "pipe")
    path.symlink_to("pipe")


# What is there instead of a file, or a file that nobody can read as meant.
NO_FILE: dict[str, Put] = {
    "nothing": lambda _: None,
    "directory": lambda path: path.mkdir(),
    "fifo": os.mkfifo,
    "socket": lambda path: os.mknod(path, stat.S_IFSOCK | 0o600),
    "link to itself": lambda path: path.symlink_to(path.name),
    "loop of links": lambda path: links(path, target="other", other=path.name),
    "dangling link": lambda path: path.symlink_to("gone"),
    "link to a fifo": link_to_fifo,
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
}

ODD_BYTES: dict[str, Put] = {
    "empty": data(b""),
    "blank": data(b" \n\t\r\n"),
    "not UTF-8": data(b"caf\xe9 \xff\xfe \xed\xa0\x80"),
    "NUL bytes": data(b"a\0b\0"),
    "byte order mark": data(b"\xef\xbb\xbfrules\n"),
    "UTF-16": data("rules\n".encode("utf-16")),
    "CRLF": data(b"rules\r\nmore\r\n"),
    "control characters": data(bytes(range(32)) + b"\x7f\x1b]0;title\x07"),
    "50 MB": large,
    "one line of 1 MB": data("é".encode() * 500_000),
    "backticks": data(b"```\n````\n" + b"`" * 5000),
    "unclosed front matter": data(b"---\na: b\n"),
    "broken front matter": data(b"---\na: [b\n\tc: '\n---\nbody\n"),
    "deep front matter": data(b"---\n" + b"- " * 1000 + b"a\n---\nbody\n"),
    "wide front matter": data(b"---\ndescription: a" + b" " * 100_000 + b"b\n  c\n---\nbody\n"),
    "front matter of odd types": data(b"---\nname: 5\nmode: [a]\nmodel: {a: b}\ndisable: null\n---\nbody\n"),
}

ODD_JSON: dict[str, Put] = {
    "comments": text('// a\n{"instructions": /* b */ ["a.md"]}'),
    "trailing commas": text('{"instructions": ["a.md",],}'),
    "byte order mark": text('\ufeff{"instructions": ["a.md"]}'),
    "CRLF": text('{\r\n"instructions": [\r\n"a.md"]}\r\n'),
    "NUL bytes": data(b'{"instructions": ["a\0.md"]}'),
    "lone surrogates": text(
        r'{"instructions": ["\ud800.md", "\udcff/*", "~/\ud800"], "environment": {"\ud800": "\udfff"},'
        r' "agent": {"\ud800": {"prompt": "\ud800"}}, "model": "\ud800/\ud800"}'
    ),
    "escaped NUL": text(r'{"instructions": ["a\u0000.md", "\u0000*", "~/\u0000"], "environment": {"a": "\u0000"}}'),
    "entry of 5,000 characters": text('{{"instructions": ["{}", "{}*"]}}'.format("a/" * 2500, "b" * 5000)),
    "odd entries": text('{"instructions": ["", "/", "~", "~/", ".", "..", "//", "*", "~x", "http://", "file:///"]}'),
    "entries that are none": text('{"instructions": [1, null, {}, [], true, "a.md"]}'),
    "5,000 entries on a line": text('{{"instructions": [{}]}}'.format(",".join(f'"é{n}.md"' for n in range(5000)))),
    "5,000 keys": text("{{{}}}".format(",".join(f'"k{n}": 1' for n in range(5000)))),
    "100,000 open brackets": text("[" * 100_000),
    "100,000 open braces": text('{"a":' * 100_000),
    "deep": text('{{"instructions": {}"a.md"{}}}'.format("[" * 300, "]" * 300)),
    "huge number": text('{"instructions": ["a.md"], "a": %s}' % ("9" * 10_000)),
    "huge exponent": text('{"a": 1e999999, "b": -1E-999999, "c": NaN, "d": Infinity}'),
    "duplicate keys": text('{"instructions": 5, "instructions": ["a.md"]}'),
    "wrong types": text('{"instructions": "a.md", "provider": {}, "agent": [], "model": 5, "mode": [1]}'),
    "wrong types inside": text('{"provider": [5, {"models": 5}], "agent": {"build": 5, "plan": {"prompt": {}}}}'),
    "a string": text('"instructions"'),
    "null": text("null"),
    "50 MB": lambda path: large(path, b'{"instructions": ["a.md"]}'),
    "600 kB": text('{"instructions": ["%s"]}' % ("a" * 600_000)),
    "100,000 open comments": text("/*" * 100_000),
    "10,000 trailing commas": text("[" + "[1 ,]," * 10_000 + "]"),
    "100,000 open strings": text('"\\' * 100_000),
    "100,000 open variables": text('{"a": "%s"}' % ("{env:{file:" * 50_000)),
    "10,000 variables": text('{"a": "%s"}' % ("{env:HOME}" * 10_000)),
    "a file that names itself": text('{"a": "%s"}' % ("{file:etcode.json}{file:opencode.json}" * 200)),
}


ODD_TOML: dict[str, Put] = {
    "broken halfway": text('model = "a\n[projects'),
    "duplicate keys": text('model = "a"\nmodel = "b"\n'),
    "wrong types": text("model = 5\nproject_doc_max_bytes = -1\nproject_root_markers = 'x'\n"),
    "wrong types inside": text("project_root_markers = [1, [], {}]\nprojects = 5\n"),
    "huge number": text(f"project_doc_max_bytes = {'9' * 10_000}\n"),
    "infinite": text("project_doc_max_bytes = inf\n"),
    "escaped NUL": text(r'project_doc_fallback_filenames = ["a\u0000.md", "", "/", "..", "a/b"]'),
    "100,000 open brackets": text("a = " + "[" * 100_000),
    "a key of 100,000 parts": text("a." * 100_000 + "a = 1\n"),
    "a table of 100,000 parts": text("[" + "a." * 100_000 + "a]\n"),
    "2,000 tables": text("".join(f"[projects.'/{n}']\ntrust_level = 'trusted'\n" for n in range(2000))),
    "carriage returns": text("\r" * 1000 + "="),
    "not UTF-8": data(b'model = "caf\xe9"\n'),
    "50 MB": lambda path: large(path, b'model = "a"\n'),
}


def unreadable(path: Path, content: bytes, patch: pytest.MonkeyPatch) -> None:
    """A file without permission, for root too."""
    path.write_bytes(content)
    path.chmod(0)
    real = os.open

    def refuse(name: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if name == str(path):
            raise PermissionError(13, "Permission denied", name)
        return real(name, flags, mode, dir_fd=dir_fd)

    patch.setattr(os, "open", refuse)
