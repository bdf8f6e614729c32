"""Entries and files by their paths."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="instruction-missing",
        family="paths",
        severity="error",
        summary="An entry of a configuration names a file that does not exist",
        why=(
            "The harness silently skips the entry, so its instructions are never sent even though the "
            "configuration suggests they are."
        ),
        before='{"instructions": ["docs/stile.md"]}',
        after='{"instructions": ["docs/style.md"]}',
        help="Fix the entry, create the file or remove the entry.",
        found_in=("instructions",),
        fix="offered",
        fixers=("nearest-path", "remove-entry", "create-file"),
        climbs=True,
        retracted_if=("personal", "used-elsewhere"),
    ),
    Rule(
        code="entry-from-cwd",
        family="paths",
        severity="warning",
        summary="An entry of a configuration leads elsewhere from another directory",
        why=(
            "The harness finds the configuration from the directories below it, too, but its relative entries start "
            "from the directory in which the harness is started. There they name another file, or none."
        ),
        before=".aider.conf.yml: read: RULES.md\nsrc/.aider.conf.yml: model: sonnet",
        after=".aider.conf.yml: read: RULES.md\nsrc/.aider.conf.yml: read: ../RULES.md",
        help="Name the file in the configuration of the directory in which the harness is started.",
        found_in=("instructions",),
    ),
    Rule(
        code="glob-empty",
        family="paths",
        severity="warning",
        summary="A pattern of a configuration matches no file",
        why=(
            "The harness silently treats a pattern with no matches as an empty list. The files that it was "
            "meant to load are not in the prompt."
        ),
        before='{"instructions": ["doc/*.md"]}',
        after='{"instructions": ["docs/*.md"]}',
        help="Fix the pattern or remove the entry.",
        found_in=("instructions",),
        fix="offered",
        fixers=("matching-pattern", "remove-entry"),
        climbs=True,
        retracted_if=("used-elsewhere",),
    ),
    Rule(
        code="glob-invalid",
        family="paths",
        severity="error",
        summary="A pattern of a configuration has a bracket that is not closed",
        why=(
            "An unmatched bracket or brace is treated as a literal character, so the pattern names a file that "
            "does not exist."
        ),
        before='{"instructions": ["docs/{a,b.md"]}',
        after='{"instructions": ["docs/{a,b}.md"]}',
        help="Close the bracket.",
        found_in=("instructions",),
        fix="offered",
        fixers=("matching-pattern", "remove-entry"),
        climbs=True,
    ),
    Rule(
        code="not-a-file",
        family="paths",
        severity="warning",
        summary="An instruction file is a directory or cannot be read",
        why=(
            "The harness needs a regular file that it can read. For a directory, a pipe or a file without read "
            "permission it loads nothing."
        ),
        before='{"instructions": ["docs"]}',
        after='{"instructions": ["docs/*.md"]}',
        help="Name a file that can be read.",
        found_in=("instructions", "places"),
        fix="offered",
        fixers=("remove-entry",),
    ),
    Rule(
        code="symlink-broken",
        family="paths",
        severity="warning",
        summary="An instruction file is a symbolic link to a missing file",
        why=(
            "A dangling link is not a file, so nothing is sent for it. It still appears in directory listings, "
            "which makes the loss easy to miss."
        ),
        before="AGENTS.md -> docs/old.md (missing)",
        after="AGENTS.md -> docs/agents.md",
        help="Point the link to an existing file, or remove it.",
        found_in=("instructions", "places"),
        fix="offered",
        fixers=("remove-entry",),
    ),
    Rule(
        code="case-mismatch",
        family="paths",
        severity="warning",
        summary="A name differs only in case from the one that the harness looks for",
        why=(
            "On a case-sensitive file system the harness does not find the file. On a case-insensitive one it "
            "works for you and fails for others. Where an entry or import takes a whole file away, it is an error: no "
            "session gets that file in another way."
        ),
        before="Agents.md",
        after="AGENTS.md",
        help="Rename the file, or write the entry as the file is named.",
        found_in=("places",),
        fix="safe",
        of_place=True,
    ),
    Rule(
        code="absolute-path",
        family="paths",
        severity="hint",
        summary="An entry names a file of the workspace by an absolute path",
        why="The path is valid only on this machine. Anyone whose checkout is elsewhere loads nothing.",
        before='{"instructions": ["/home/me/app/docs/style.md"]}',
        after='{"instructions": ["docs/style.md"]}',
        help="Write the path relative to the workspace.",
        found_in=("places",),
        fix="safe",
    ),
    Rule(
        code="outside-workspace",
        family="paths",
        severity="warning",
        summary="An entry names a file outside the workspace",
        why="Files outside the workspace are not part of the repository, so other people get a different prompt.",
        before='{"instructions": ["../shared/rules.md"]}',
        after='{"instructions": ["docs/rules.md"]}',
        help="Keep a copy in the repository, or name the file in your own global configuration.",
        found_in=("places",),
    ),
)
