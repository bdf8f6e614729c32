"""The languages of files, as they are named before code, and their comments (parts: mode-edit; source)."""

from __future__ import annotations

from promptls.core.paths import native
from promptls.core.spec import ending

# The language, how a comment begins and ends in it, and the endings of its files.
_LANGUAGES = (
    ("bat", "REM", "", ".bat .cmd"),
    ("c", "//", "", ".c .i"),
    ("clojure", ";", "", ".clj .cljs .cljc .edn"),
    ("coffeescript", "//", "", ".coffee"),
    ("cpp", "//", "", ".cpp .cc .cxx .c++ .hpp .hh .hxx .h++ .h .ino .inl .ipp .ixx"),
    ("csharp", "//", "", ".cs .csx"),
    ("css", "/*", "*/", ".css"),
    ("dart", "//", "", ".dart"),
    ("fsharp", "//", "", ".fs .fsi .fsx"),
    ("go", "//", "", ".go"),
    ("groovy", "//", "", ".groovy .gradle"),
    ("handlebars", "{{!", "}}", ".hbs .handlebars"),
    ("html", "<!--", "-->", ".html .htm .xhtml .ejs"),
    ("java", "//", "", ".java"),
    ("javascript", "//", "", ".js .mjs .cjs .es6"),
    ("jsx", "//", "", ".jsx"),
    ("json", "//", "", ".json"),
    ("julia", "#", "", ".jl"),
    ("tex", "%", "", ".tex .ltx .sty .cls"),
    ("less", "//", "", ".less"),
    ("lua", "--", "", ".lua"),
    ("makefile", "#", "", ".mk .mak"),
    ("markdown", "<!--", "-->", ".md .markdown"),
    ("objectivec", "//", "", ".m"),
    ("perl", "#", "", ".pl .pm"),
    ("php", "//", "", ".php"),
    ("powershell", "#", "", ".ps1 .psm1 .psd1"),
    ("python", "#", "", ".py .pyi .pyw"),
    ("r", "#", "", ".r"),
    ("ruby", "#", "", ".rb .gemspec .rake .ru .podspec"),
    ("rust", "//", "", ".rs"),
    ("scss", "//", "", ".scss"),
    ("bash", "#", "", ".sh .bash .zsh .fish .ksh .csh"),
    ("sql", "--", "", ".sql"),
    ("swift", "//", "", ".swift"),
    ("typescript", "//", "", ".ts .mts .cts"),
    ("tsx", "//", "", ".tsx"),
    ("xml", "<!--", "-->", ".xml .xsd .svg .csproj .xaml"),
    ("yaml", "#", "", ".yaml .yml"),
)
_BY_ENDING = {each: (name, start, end) for name, start, end, endings in _LANGUAGES for each in endings.split()}
_PLAIN = ("plaintext", "//", "")


def language(path: str) -> str:
    """The language of the file at ``path``, as it is named after the fence of its code."""
    return _BY_ENDING.get(ending(path), _PLAIN)[0]


def path_comment(path: str) -> str:
    """The comment that names the file at ``path`` above its code, with the end of its line."""
    _, start, end = _BY_ENDING.get(ending(path), _PLAIN)
    return f"{start} filepath: {native(path)}{f' {end}' if end else ''}\n"
