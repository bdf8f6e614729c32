"""Files that instruction files import."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="import-missing",
        family="imports",
        severity="warning",
        summary="An import names a file that does not exist",
        why="The harness inserts nothing, or an error message, in its place. The model does not get the text.",
        before="@docs/stile.md",
        after="@docs/style.md",
        help="Fix the path.",
        found_in=("imports",),
        fix="offered",
        fixers=("nearest-path", "create-file"),
        retracted_if=("personal", "used-elsewhere"),
        of_text=True,
    ),
    Rule(
        code="import-cycle",
        family="imports",
        severity="warning",
        summary="Files import each other in a cycle",
        why="The harness breaks the cycle here and leaves this import out.",
        before="a.md: @b.md\nb.md: @a.md",
        after="a.md: @b.md",
        help="Remove this import.",
        found_in=("imports",),
        fix="offered",
        of_text=True,
    ),
    Rule(
        code="import-depth",
        family="imports",
        severity="warning",
        summary="An import is nested deeper than the harness follows",
        why=("The harness does not follow imports below its maximum depth. The text of the imported file is not sent."),
        before="one.md -> two.md -> ... -> six.md",
        after="one.md -> six.md",
        help="Import the file closer to the first one.",
        found_in=("imports",),
        of_text=True,
    ),
    Rule(
        code="import-outside",
        family="imports",
        severity="warning",
        summary="An import names a file that the harness does not allow files to import",
        why="The harness refuses files outside the project. The text is not sent.",
        before="@../other/rules.md",
        after="@docs/rules.md",
        help="Move the file into the project.",
        found_in=("imports",),
        retracted_if=("missing-elsewhere", "used-elsewhere"),
        of_text=True,
    ),
    Rule(
        code="import-unrecognised",
        family="imports",
        severity="warning",
        summary="This looks like an import of an existing file, but the harness does not treat it as one",
        why=(
            "The harness treats an @ as an import only in certain places, and some harnesses only import files "
            "with certain extensions, such as .md, .txt, .json and .py. Here the @ and the path stay as text."
        ),
        before="(@docs/style.md)",
        after="@docs/style.md",
        help=(
            "Put white space before the @, take the path out of code and quotes, and give the file one of "
            "these extensions."
        ),
        found_in=("imports", "mentions"),
        fix="offered",
        fixers=("set-apart",),
        of_text=True,
    ),
    Rule(
        code="import-accidental",
        family="imports",
        severity="warning",
        summary="Ordinary text is parsed as an import",
        why="The harness treats each @ before a letter as an import. The model gets an error in place of the name.",
        before="Ask @alice first.",
        after="Ask Alice first.",
        help="Remove the @, or put the name in backticks.",
        found_in=("imports",),
        fix="safe",
        of_text=True,
    ),
)
