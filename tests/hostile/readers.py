"""Every reader of text that others wrote, and texts that would keep a careless one busy.

To add a reader, add a row to ``READERS``; it is tried with every text of its kind. To add a text, add a piece to
``TEXTS``: a piece is repeated, and a pair is a beginning and a piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from promptls import harnesses
from promptls.checks import headers, instructions, merged_problems, security, suppressions, texts
from promptls.checks.commands import Commands
from promptls.checks.fixes import with_fixes
from promptls.checks.rules import problem
from promptls.checks.tree import Tree
from promptls.core import alike, lines, prompt_json, render, secrets, sections, servers, text_view
from promptls.core.changes import rewritten, together
from promptls.core.files import Contents
from promptls.core.formats import (
    codeowners,
    cursor,
    front_matter,
    header,
    markdown,
    parse_json,
    parse_toml,
    parse_yaml,
    patterns,
    read_again,
)
from promptls.core.formats.tree import Document, Value
from promptls.core.host import Buffers, Host
from promptls.core.merge import blocks, led_lines, merged
from promptls.core.model import Edit, Fix, Origin, Range, Session
from promptls.core.text import LineIndex
from promptls.harnesses import cursor as cursor_harness
from promptls.harnesses import mini_claude_code
from promptls.harnesses.aider import config as aider_config
from promptls.harnesses.aider import files as aider_files
from promptls.harnesses.auggie import files as auggie_files
from promptls.harnesses.claude_code import setup as claude_code_setup
from promptls.harnesses.claude_code.files import instruction_text as claude_code_text
from promptls.harnesses.claude_code.files import rules as claude_code_rules
from promptls.harnesses.claude_code.listing import skill_list as claude_code_skill_list
from promptls.harnesses.claude_code.listing import skills as claude_code_skills
from promptls.harnesses.claude_code.listing.skills import meta as claude_code_workflow_meta
from promptls.harnesses.claude_code.turns import command_text as claude_code_commands
from promptls.harnesses.claude_code.turns import mentions as claude_code_mentions
from promptls.harnesses.claude_code.turns import user_turns as claude_code_turns
from promptls.harnesses.codex.messages import command_rules as codex_rules
from promptls.harnesses.codex.skills import header as codex_skill_header
from promptls.harnesses.codex.skills import mentions as codex_skill_mentions
from promptls.harnesses.copilot_cli.files import imports as copilot_cli_imports
from promptls.harnesses.copilot_cli.files import instruction_files as copilot_cli_scoped
from promptls.harnesses.copilot_vscode.files import instructions as copilot_vscode_instructions
from promptls.harnesses.copilot_vscode.files import references as copilot_vscode_references
from promptls.harnesses.copilot_vscode.listing import skills as copilot_vscode_skills
from promptls.harnesses.droid import header as droid_header
from promptls.harnesses.gemini_cli import settings as gemini_cli_settings
from promptls.harnesses.gemini_cli.files import imports as gemini_cli_imports
from promptls.harnesses.gemini_cli.listing import skills as gemini_cli_skills
from promptls.harnesses.gemini_cli.turns import mentions as gemini_cli_mentions
from promptls.harnesses.hermes import scanner as hermes_scanner
from promptls.harnesses.hermes import skills as hermes_skills
from promptls.harnesses.kilo_code import references as kilo_code_references
from promptls.harnesses.letta_code import header as letta_code_header
from promptls.harnesses.openclaw import limits as openclaw_limits
from promptls.harnesses.opencode.listing import commands as opencode_commands
from promptls.harnesses.opencode.listing import tools as opencode_tools
from promptls.harnesses.opencode.start import filled_text as opencode_text
from promptls.harnesses.opencode.start import markdown as opencode_markdown
from promptls.harnesses.opencode.start.variables import flags as opencode_flags
from promptls.harnesses.qwen_code import imports as qwen_code_imports
from promptls.harnesses.qwen_code import rules as qwen_code_rules
from promptls.harnesses.qwen_code import settings as qwen_code_settings
from promptls.kit import draft, globs, mentions, scopes
from promptls.kit import pieced_text as pieces
from promptls.kit.draft import Draft
from promptls.kit.tool_lists import unknown_tools
from promptls.wire.error_output import last_error
from promptls.wire.server_client import expanded
from tests.disk import MemoryDisk

Read = Callable[[str], object]
Piece = str | tuple[str, str]
ROOT = "/nobody/project"


def text(piece: Piece, size: int) -> str:
    """``piece`` repeated until it has ``size`` characters."""
    start, repeated = piece if isinstance(piece, tuple) else ("", piece)
    return start + repeated * (size // len(repeated))


def host(*files: str, content: str = "") -> Host:
    """A host on which there are only these files, open in an editor."""
    return Host(home="/nobody", env={"A": "b"}, buffers=Buffers({f"{ROOT}/{name}": content for name in files}))


class Nowhere(Host):
    """A host on which there is nothing at all, so that a pattern for the whole disk looks nowhere."""

    def kind(self, _path: str) -> None:
        return None

    def entries(self, _path: str) -> tuple[()]:
        return ()


# -- readers that need a few words ----------------------------------------------------------------------------------


def places(content: str) -> None:
    """Every place of a text, and back again; as a line that is not ASCII, too."""
    for index in (LineIndex(content), LineIndex(f"é{content}".replace("\n", " "))):
        for at in range(0, len(content), 17):
            index.offset(*index.position(at))
        for at in range(len(content), 0, -17):
            index.position(at)


def ranges(document: Document) -> None:
    """The range of each value of a document."""
    stack: list[Value] = [document.root] if document.root else []
    while stack:
        value = stack.pop()
        document.range(value)
        stack += [*value.items, *(each for pair in value.members for each in pair)]


def changes(content: str) -> None:
    """As many fixes as there are words."""
    found: list[Fix] = []
    at = 0
    for word in content.split():
        found.append(Fix("", (Edit("/a", Range(0, at, 0, at + len(word)), word),)))
        at += len(word) + 1
    rewritten(content.replace("\n", " "), together(found))


def suppressed(content: str) -> None:
    """The comments of a file, and as many problems as it has lines."""
    where = f"{ROOT}/AGENTS.md"
    on = host("AGENTS.md", content=content)
    count = content.count("\n") + 1
    found = [problem("cut", where, Range(line, 0, line, 1), "") for line in range(count)]
    suppressions.unsuppressed(found, on, [where])


def filled_in(content: str) -> None:
    """opencode's configuration with its variables."""
    try:
        filled = opencode_text.fill_in(host(), opencode_flags(host(), "/"), opencode_text.Source("/a", "/", content))
    except opencode_text.TooMuchError:
        return
    for at in range(0, len(filled.text), 5):
        filled.range(at, at + 2)


def used(content: str) -> None:
    """A skill of Claude Code with this text, and with these arguments."""
    session = Session("claude-code", ROOT)
    setup = claude_code_setup.set_up(Draft(session), session, host())
    for body, given in ((content, "a b"), ("$1", content)):
        skill = claude_code_skills.Skill("a", "skill", "project", "/a", body, read_again.read(body), "/")
        claude_code_commands.Use(skill, given, "", setup).text()


def described(content: str) -> None:
    """The line of a skill of Claude Code with this text, and of one whose front matter says it."""
    session = Session("claude-code", ROOT)
    setup = claude_code_setup.set_up(Draft(session), session, host())
    for body in (content, f"---\ndescription: |\n  {content}\n---\n"):
        skill = claude_code_skills.Skill(content, "skill", "project", "/a", body, read_again.read(body), "/")
        claude_code_skill_list.own_entry(setup, skill, skill.name)


# Files that many harnesses read, and those that are there in each preview, as some program does not read them.
FILES = (
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md", "SYSTEM_PROMPT.md", "SOUL.md", ".memory/MEMORY.md"),
    *(".github/copilot-instructions.md", ".github/instructions/a.instructions.md", ".cursor/rules/a.mdc"),
)
ALWAYS = ("AGENTS.md", "CLAUDE.md")
# Files that only one harness reads.
OWN = {
    "aider": (".aider.conf.yml", ".env"),
    "auggie": (
        ".augment-guidelines",
        ".augment/rules/a.md",
        ".augment/rules/settings.json",
        ".augment/skills/a/SKILL.md",
    ),
    "crush": ("crush.json",),
    "deepagents-code": (".deepagents/AGENTS.md", ".agents/skills/b/SKILL.md"),
    "hermes": (".hermes.md", "CLAUDE.md", ".cursor/rules/a.mdc"),
    "gptme": ("gptme.toml", "skills/b/SKILL.md", "lessons/c.md", "memory/MEMORY.md", "memory/d.md"),
    "letta-code": (".agents/skills/b/SKILL.md",),
    "kimi-cli": (".kimi/AGENTS.md",),
    "mistral-vibe": (".vibe/config.toml",),
    "openhands": (".openhands/skills/a.md", ".agents/skills/b/SKILL.md"),
}


def disk_host(files: Iterable[str], content: str) -> Host:
    """A host with a repository in which there are only these files, on a disk in memory."""
    disk = MemoryDisk()
    for name in (*files, ".git/HEAD"):
        disk.add(f"{ROOT}/{name}", content.encode())
    disk.add(f"{ROOT}/.git/objects", None)
    return Host(home="/nobody", env={"A": "b", "GEMINI_CLI_TRUST_WORKSPACE": "true"}, disk=disk)


@cache
def files_for(harness: str) -> tuple[tuple[str, ...], ...]:
    """The files that a harness looks at; if it ends because of a configuration, that by itself and the others."""
    named, seen = (*FILES, *OWN.get(harness, ())), {*ALWAYS, *OWN.get(harness, ())}
    texts = [name for name in named if not name.endswith((".json", ".toml", ".yml"))]
    ends = False
    for files, content in ((named, "a"), (texts, "a"), (texts, "---\nname: b\ndescription: c\n---\na")):
        prompt = harnesses.preview(Session(harness, ROOT), disk_host(files, content))
        origins = [segment.origin for message in prompt.messages for segment in message.segments]
        origins += [each.origin for each in prompt.candidates]
        seen |= {each.path.removeprefix(f"{ROOT}/") for each in origins if each.path}
        ends |= bool(prompt.stopped) and files is named
    found = tuple(name for name in named if name in seen)
    others = tuple(name for name in found if name in texts)
    return ((*(name for name in found if name not in texts), *ALWAYS), others) if ends else (found,)


def whole(harness: str) -> Read:
    """A preview with all its views, a check of the folder and all its fixes.

    Every file that the harness looks at has this text, and two that it may not look at.
    """

    def said(files: tuple[str, ...], content: str) -> None:
        on = disk_host(files, content)
        prompt = harnesses.preview(Session(harness, ROOT), on)
        paths = tuple(f"{ROOT}/{name}" for name in files)
        found = with_fixes(merged_problems(Tree(ROOT, paths, (prompt,), on)), on, paths)
        list(text_view.to_text(prompt, found))
        list(render.to_markdown(prompt, found))
        prompt_json.to_json(prompt, found)
        suppressions.unsuppressed(found, on, paths)
        together(fix for problem in found for fix in problem.fixes)
        for path in paths:
            lines.never_sent([lines.file_in_prompt(prompt, [path], content)] * 2)

    def read(content: str) -> None:
        for files in files_for(harness):
            said(files, content)

    return read


def server_of(content: str, path: str) -> object:
    contents = Contents("file", content.encode("utf-8", "replace"), len(content))
    return servers.start_at(lambda _: contents, "codex", "a", Origin("config", path, name="a"))


def listed(read: Callable[[str], Iterator[object]]) -> Read:
    return lambda content: list(read(content))


def alike_texts(content: str) -> object:
    """What a text has nearly twice, or the other way round."""
    texts = [each.text for each in blocks(content)]
    return alike.near_pairs(texts, lambda *_: True), list(alike.opposed_pairs(texts))


def checked(content: str) -> object:
    """What a check finds in the words of an instruction file."""
    path = f"{ROOT}/AGENTS.md"
    tree = Tree(ROOT, (path,), (), host())
    return list(texts._words(tree, path, content, "X", Commands(tree)))


def tools_of_an_agent(content: str) -> object:
    """The faults in front matter whose ``tools`` are this text."""
    found = header.header(f"---\ntools: {content}\n---\n")
    return unknown_tools("X", found.text, found.start, found.value("tools"), ("Read", "Bash"))


# -- the table --------------------------------------------------------------------------------------------------------

READERS: dict[str, dict[str, Read]] = {
    "markdown": {
        "spans": markdown.parse,
        "links": markdown.links,
        "headings": markdown.headings,
        "front matter": front_matter.split,
        "header": header.header,
        "front matter of droid": lambda content: droid_header.fields(droid_header.header_of(content)),
        "front matter of hermes": lambda content: hermes_skills.fields(hermes_skills.header_of(content)),
        "front matter of letta-code": letta_code_header.lines,
        "front matter of auggie": auggie_files.header_of,
        "places": places,
        "changes": changes,
        "words in a check": checked,
        "alike": alike_texts,
        "merged": lambda content: merged([("A.md", content[::2]), ("B.md", content)]),
        "led lines": lambda content: led_lines(content.split("\n"), ()),
        "sections": lambda content: sections.directories(content, "/", lambda _: True),
        "mentions": listed(mentions.mentions),
        "imports of copilot-cli": listed(copilot_cli_imports.mentions),
        "no imports of copilot-cli": listed(copilot_cli_imports.unrecognised),
        "scope of copilot-cli": copilot_cli_scoped.scope,
        "attacks of hermes": lambda content: hermes_scanner.findings(content, len(content), is_strict=True),
        "front matter of claude-code": read_again.read,
        "comments that suppress": suppressed,
        "hidden and secret": security._finds.__wrapped__,
        "secrets": secrets.spans,
        "secrets of a file": lambda content: (
            secrets.spans_of_file("a.md", content),
            secrets.spans_of_file("a.json", content),
        ),
        "references of copilot-vscode": listed(copilot_vscode_references.targets),
        "skills of copilot-vscode": copilot_vscode_skills.without_tags,
        "references of kilo-code": listed(lambda content: kilo_code_references.references(host(), "/a.md", content)),
        "imports of qwen-code": qwen_code_imports.find_imports,
        "comments in rules of qwen-code": listed(
            lambda content: qwen_code_rules.without_comments(pieces.File("/a.md", content, None), 0)
        ),
        "imports of gemini-cli": gemini_cli_imports.find_imports,
        "blank lines of gemini-cli": lambda content: list(
            gemini_cli_imports.without_empty_lines([pieces.Piece(content)])
        ),
        "a file of opencode": lambda content: opencode_markdown.read("/a.md", content.encode("utf-8", "replace")),
        "a command of opencode": lambda content: opencode_commands.expanded(content, "a 'b c' $& d"),
        "arguments of opencode": lambda content: opencode_commands.expanded("$2 $ARGUMENTS", content),
        "a tool of opencode": listed(lambda content: opencode_tools.exported("/a.js", f"export default {content}")),
        "a file without tools of opencode": listed(lambda content: opencode_tools.exported("/a.js", content)),
        "a skill of gemini-cli": gemini_cli_skills.name_and_description,
        "files in a command of gemini-cli": listed(lambda content: gemini_cli_mentions.spans(content, "@{")),
        "imports of claude-code": listed(claude_code_text.recognised),
        "no imports of claude-code": listed(claude_code_text.unrecognised),
        "what claude-code sends": claude_code_text.sent,
        "what claude-code sends of a memory": claude_code_text.visible_text,
        "rules of claude-code": claude_code_rules.scope_of,
        "mentions of claude-code": listed(claude_code_mentions.mentions),
        "a command of claude-code": claude_code_turns.command_in,
        "a skill of claude-code": used,
        "the list of skills of claude-code": described,
        "a workflow of claude-code": listed(claude_code_workflow_meta),
        "a skill of codex": codex_skill_header.read_header,
        "mentions of codex": lambda content: codex_skill_mentions.mentioned(content, ()),
        "rules of codex": codex_rules.parse,
        "a file of a Python program": lambda content: draft.stripped("/a.md", content),
        "a fence of aider": lambda content: aider_files.fence([content, content]),
        "a variable of aider": lambda content: (
            aider_config.variable(content),
            aider_config.variable(f"AIDER_READ={content}"),
        ),
        "what openclaw keeps": lambda content: openclaw_limits.fit("AGENTS.md", content, 200),
        "lines of openclaw": lambda content: openclaw_limits.squeeze([openclaw_limits.Piece(content, 0)]),
        "hints of mini-claude-code": mini_claude_code.hint_flaw,
        "a key at the cursor": lambda content: cursor.front_matter_word(content, len(content)),
        "a value at the cursor": lambda content: cursor.front_matter_value(content, len(content)),
        "an import at the cursor": lambda content: cursor.mention_word(content, len(content)),
    },
    "json": {
        "servers": lambda content: server_of(content, "/x.json"),
        "kept answers": lambda content: servers.from_kept(content.encode("utf-8", "replace")),
        "variables": lambda content: expanded(content, {"A": "b"}),
        "what was said last": lambda content: last_error(f"{content}\nNode.js v20.0.0"),
        "with comments": lambda content: ranges(parse_json(content, comments=True)),
        "without": lambda content: ranges(parse_json(content, comments=False)),
        "at the cursor": lambda content: cursor.json_cursor(content, len(content)),
        "variables of opencode": filled_in,
        "variables of qwen-code": lambda content: qwen_code_settings.expanded(content, host()),
        "variables of gemini-cli": lambda content: gemini_cli_settings.expanded(content, {"A": "b"}),
    },
    "toml": {
        "servers": lambda content: server_of(content, "/x.toml"),
        "values": lambda content: ranges(parse_toml(content)),
        "at the cursor": lambda content: cursor.toml_cursor(content, len(content)),
    },
    "yaml": {
        "values": lambda content: ranges(parse_yaml(content)),
        "header": lambda content: header.header(f"---\n{content}\n---\n"),
        "tools of an agent": tools_of_an_agent,
        "a skill of codex": lambda content: codex_skill_header.read_header(f"---\n{content}\n---\n"),
        "rules of claude-code": lambda content: claude_code_rules.scope_of(f"---\npaths: {content}\n---\n"),
        "at the cursor": lambda content: cursor.front_matter_value(f"---\n{content}", len(content) + 4),
    },
    "pattern": {
        "entry": lambda content: globs.match(Nowhere(home="", env={}), content, ROOT, dot=False),
        **{
            name: lambda content, dialect=dialect: scopes.first_match([content], f"{ROOT}/a/b", ROOT, dialect)  # type: ignore[misc] # its default
            for name, dialect in (
                ("copilot-cli", copilot_cli_scoped.DIALECT),
                ("copilot-vscode", copilot_vscode_instructions.DIALECT),
                ("cursor", cursor_harness.DIALECT),
            )
        },
        "rule of claude-code": lambda content: claude_code_rules.applies((content,), ROOT, f"{ROOT}/{'a' * 200}"),
        "patterns of a rule": listed(claude_code_rules.split),
        "applyTo of copilot-cli": lambda content: copilot_cli_scoped.first_match([content], f"{ROOT}/a/b", ROOT),
        "lines of .gitignore": lambda content: patterns.ignoring(content.split("\n"), posix_classes=True),
        "commas": header.split_patterns,
        "brackets": instructions.open_bracket,
        "closed brackets": listed(instructions.closings),
        "owners": lambda content: codeowners.owners(content, "packages/api/AGENTS.md"),
        "ranges": patterns.turned_range,
        "scope in a check": lambda content: headers.matches_any(content, Tree(ROOT, (), (), host()), ""),
    },
}
TEXTS: dict[str, tuple[Piece, ...]] = {
    "markdown": (
        *("`a` @b.md\n", "`a` @b.md ", "@/ ", "@~/x ", "@a/", "@a.", "@a.b ", "@", "@./", "x@a.md ", "@\\ "),
        *(
            "ignore all ",
            "never write file ",
            "<!--system",
            "curl $A",
            "translate into and run ",
            "cat ",
            "edit AGENTS.md ",
        ),
        *("# a\n", "# a #", "#", "# ", "# a [b](c.md)\n", "[a](b.md)\n", "[a](b.md) ", "[", "[[", "![", "[a](", "]("),
        *("](a(", "[a](<b", '[a](b "c', "[a]: b\n", "<!-- a -->\n", "<!-- a -->", "<!--", "<!---->", "-->", "<a ", "<"),
        *("<!-- promptls: ignore cut x -->\n", "<!-- promptls: ignore cut x -->\na\n", "<!-- promptls: ignore cut"),
        *(
            "<!-- promptls: ignore cut x -->\n```\nx\n",
            "<!-- promptls: ignore \n",
            "<!-- promptls: ignore cut x -->\n- a\n",
        ),
        *("```\nx\n```\n", "```\n", "~~~\n", "`", "`a", "` ``  ``` ", "> a\n", "- a\n", "- `a` @b.md\n", "a|b\n", "|"),
        *(
            "*a",
            "**a",
            "**a_b ",
            "_a ",
            "~~a",
            "*",
            "\\",
            "&",
            "\n",
            "\r",
            " ",
            "\t",
            "a\n\n\n\n",
            "a\n",
            "a",
            "é",
            "😀",
        ),
        *("---\n", "---\na: b\n", ("---\n", "a: b\n"), ("---\r\n", "a: b\r\n"), ("---\npaths:\n", "  - a\n"), "a: b\n"),
        *(
            ("---\na: b", " "),
            ("---\na: *b", " #"),
            ("---\n", "a: b: c\n"),
            "`docs/x.md` ",
            "a/",
            "npm run x ",
            "make ",
        ),
        *(
            "$1",
            "$ARGUMENTS[",
            "${CLAUDE_",
            "$a",
            "!`",
            "!`a` ",
            "```!\n",
            "```! a",
            "\\$1",
            '@"',
            '@"a" ',
            ("/a ", " "),
        ),
        *("sk-", "a\u200b", "\u200d", '"token": "', "<system_hint a", "<system_hint ", "- must\n", "é @b.md ", "\x00"),
    ),
    "json": (
        *("[", "{", '"', "\\", '"a":1,', '{"a":', "/*", "//", "/* a */", ",", "[1 ,],", "1,", "1 ", "]", '"\\', '"a"'),
        *(("[", '"a",'), ("[", '"é",'), ('{"a":"', "x"), ('{"a":"', "\\n"), ("{", '"a":1,'), ("[1", " "), ("[", "[],")),
        *("{env:A}", "{env:", "{file:x}", "{file:", "$A ", "${A}", "${A", "${A:-", "é", "\n", '"apiKey":"a",'),
    ),
    "toml": (
        *(
            "a = 1\n",
            "[a]\n",
            "[[a]]\n",
            "a.",
            "a.b = 1\n",
            '"',
            "'",
            '"""',
            "[",
            "{",
            "a={",
            "a=[",
            "#",
            "\n",
            "=",
            "a\n",
        ),
        *(
            "a = [\n",
            ("a = [", "'é',"),
            ("a = [", "a"),
            ("a = [", "a "),
            ("a = [", "1,"),
            ("a = '", "a"),
            "é = 1\n",
            "\r",
        ),
        *("a = ]\n", "[a.b]\nc = 1\n", "[a] ", "a b\n"),
    ),
    "yaml": (
        *(
            "a: b\n",
            "- a\n",
            "- ",
            "? ",
            ": ",
            "[",
            "{",
            "[a,",
            "'",
            '"',
            "a: |\n x\n",
            "a: >\n x\n",
            "&a ",
            "*a ",
            "#",
        ),
        *(
            "\n",
            " ",
            "\t",
            "a",
            "a ",
            "a: ",
            "a: b: c\n",
            "\\",
            "\r",
            ", ",
            "é: é\n",
            "a: [b]\n",
            "- a: b\n",
            "''",
            '""',
        ),
        *(("a: b", " "), ("a: b", "\n  c"), ("a: [", "a, "), ("a: |\n", "  x\n"), ("a: '", "b\n "), "*a #", "{a,b},"),
    ),
    "pattern": (
        *(
            "{",
            "{a",
            "{a,",
            "}",
            "{}",
            "{,}",
            "{a,b}",
            "[",
            "[a",
            "[!",
            "]",
            "*",
            "**/",
            "?",
            "@(",
            "+(",
            "!(",
            "\\",
            "a/",
        ),
        *(
            "{1..2}",
            "{1..9",
            "[[:alpha:]]",
            "[]",
            "a*",
            "*a",
            "**a",
            "a/**/",
            "!",
            "#",
            "a,",
            "[z-a]",
            "[a-z]",
            "../",
            "~/",
        ),
        *("?(a|", "|", "{a..z}", "[\\", "a*b\n", "*/", "[:a:]", "é"),
    ),
}
# Texts for whole previews, which take longer.
OF_FILES: tuple[Piece, ...] = (
    *(
        "`a` @b.md\n",
        "@/ ",
        "@~/x ",
        "@a/",
        "[a](b.md) ",
        "# a\n",
        "<!-- promptls: ignore link-dead x -->\n[a](b.md)\n",
    ),
    *("é `docs/x.md` `make x` ", "a\u200b ", ("---\napplyTo: ", "[a],"), ("---\n", "descriptions: a\n")),
)
