"""``promptls explain``: which harnesses load an instruction file, and why others do not."""

from __future__ import annotations

from promptls import harnesses
from promptls.cli.arguments import Parser, absolute, current_directory, existing
from promptls.cli.output import show, write_json
from promptls.core.paths import relative, with_relative
from promptls.core.render import Line
from promptls.core.uses import WORDS
from promptls.harnesses.explain import explain
from promptls.harnesses.start import place_of
from promptls.listing import Listing
from promptls.local import load_harnesses, local_host
from promptls.settings_file import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Cut
    from promptls.harnesses.explain import Explanation, Use


def run(argv: list[str]) -> int:
    """Explain each file for every harness, those of this workspace first."""
    parser = Parser(prog="promptls explain", description="Show which coding agents load an instruction file.")
    parser.add_argument("paths", nargs="+", metavar="FILE", help="an instruction file; several are explained in turn")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only for this coding agent; repeatable"
    )
    options = parser.parse_args(argv)
    paths = [existing(absolute(each), "file") for each in options.paths]
    load_harnesses()
    for each in options.harness:
        name, version = harnesses.split(each)
        harnesses.version(harnesses.get(name), version)
    found = {path: _explained(path, options.harness) for path in paths}
    if options.format == "json":
        files = [{"path": path, "harnesses": [each.json() for each in about]} for path, about in found.items()]
        write_json(files[0] if len(files) == 1 else {"files": files})
        return 0
    show(Line(line) for path, about in found.items() for line in _text(path, about, is_first=path == paths[0]))
    return 0


def _explained(path: str, only: list[str]) -> list[Explanation]:
    host = local_host()
    settings = at(host, place_of(host, path)).settings
    return explain(path, local_host, settings=settings, list_files=_files, only=only)


def _text(path: str, found: list[Explanation], *, is_first: bool) -> Iterator[str]:
    yield from (path,) if is_first else ("", path)
    for each in found:
        yield from ("", f"{each.harness} {each.version}{' · in use here' if each.is_found else ''}", *_says(each))


def _files(root: str) -> list[str]:
    with Listing(root) as listing:
        return listing.files()


def _says(each: Explanation) -> Iterator[str]:
    """Indented lines, relative to the current directory."""
    here = current_directory()
    words = WORDS.get(each.used_as)
    if each.is_read:
        begin, end = (f"{words.offered}: ", f"; {words.later}") if words else ("", "")
        yield f"    {begin}{with_relative(each.why, here)}{end}"
    elif not each.uses:
        other = f" ({relative(each.other, here)})" if each.other else ""
        yield f"    {words.refused if words else 'not loaded'}: {with_relative(each.why, here)}{other}"
    if each.cut is not None:
        yield f"        {_cut(each.cut)}"
    for use in each.uses:
        yield from _used(use, here)


def _used(use: Use, here: str) -> Iterator[str]:
    words = WORDS.get(use.used_as)
    when = "at start" if use.at == "start" else "when a file next to or below it is read"
    if use.scope:
        when = f"for {use.scope}" if use.at == "start" else f"when a file that {use.scope} matches is read"
    by = f", {with_relative(use.by, here)}" if use.by else ""
    start = relative(use.cwd, here)
    yield (
        f"    {words.listed if words else 'loaded'} {when}, as {use.layer} in the {use.role} message{by}, "
        f"if started in {start}"
    )
    yield f"        {with_relative(use.why, here)}{f'; {words.later}' if words else ''}"
    if use.cut is not None:
        yield f"        {_cut(use.cut)}"
    least = "at least " if use.is_at_least else ""
    size = f"{use.tokens:,} token{'' if use.tokens == 1 else 's'}"
    yield (
        f"        it is {size}; changing it invalidates {least}{use.invalidates:,} of {least}{use.of:,} "
        "cached prompt tokens"
    )


def _cut(cut: Cut) -> str:
    raised = f"; {cut.setting.name} raises it" if cut.setting and cut.setting.name else ""
    return f"{cut.kept:,} of {cut.total:,} {cut.unit} are kept: {cut.limit}{raised}"
