"""Files that are found and not sent, or sent twice."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="never-loaded",
        family="loading",
        severity="warning",
        summary="No harness in use here loads this instruction file",
        why=(
            "Its name or location looks like that of an instruction file, but none of the harnesses in use "
            "here looks for it, wherever it is started."
        ),
        before=".github/instructions/python.md",
        after=".github/instructions/python.instructions.md",
        help="Give it the name and location that the harness looks for, or name it in the configuration.",
        settings='exclude = ["templates/"]',
        found_in=("places",),
        fix="offered",
        yields_to=("front-matter-invalid",),
        of_place=True,
    ),
    Rule(
        code="never-arrived",
        family="loading",
        severity="warning",
        summary="An instruction file did not reach a recorded session",
        why=(
            "The session touched a neighbouring file, for example with a search or a shell command. The harness loads "
            "this file only when its own read tool is used there; some never load files below the start directory."
        ),
        before="grep -n total packages/api/orders.py",
        after="read packages/api/orders.py",
        help=(
            "If the session needed it, import it in a file that is sent at the start, or start the harness in that "
            "directory."
        ),
        found_in=("arrivals",),
        of_place=True,
    ),
    Rule(
        code="lost-in-long-sessions",
        family="loading",
        severity="off",
        summary="A long session loses this instruction file",
        why=(
            "A nested file, or a rule for some files, is sent when a file near it is read. A compaction removes it "
            "from the session. It is sent again only with the next such read, and by some programs only after they are "
            "started again. The rule is off until it is switched on."
        ),
        before="packages/api/CLAUDE.md alone",
        after="@packages/api/CLAUDE.md in the root's CLAUDE.md",
        help="Import it in a file that is loaded at start, or put into that file what must always hold.",
        settings='[rules]\nlost-in-long-sessions = "warning"',
        found_in=("compactions",),
        fix="offered",
        of_file=True,
    ),
    Rule(
        code="shadowed",
        family="loading",
        severity="information",
        summary="Another file takes precedence over this one",
        why=(
            "The harness loads only one of several candidate files and ignores the rest. The problem is a "
            "warning if no harness in use here loads the file."
        ),
        before="AGENTS.override.md beside AGENTS.md",
        after="AGENTS.md alone",
        help=(
            "Import it in the file that is loaded, or copy there what the harness needs. Do not remove either "
            "file while another program reads it."
        ),
        found_in=("hidden", "places"),
        fix="offered",
        fixers=("import-it",),
        retracted_if=("sent-elsewhere",),
        of_place=True,
    ),
    Rule(
        code="empty",
        family="loading",
        severity="information",
        summary="An instruction file has no text",
        why="The harness finds the file and sends nothing for it.",
        before="AGENTS.md: (nothing)",
        after="AGENTS.md: Use tabs.",
        help="Add text to the file, or remove it.",
        found_in=("loading",),
    ),
    Rule(
        code="empty-hides",
        family="loading",
        severity="warning",
        summary="An empty file keeps another one from being loaded",
        why=(
            "The harness checks whether a file exists, not whether it has content. The empty file takes "
            "precedence, and the other one is not sent."
        ),
        before="AGENTS.override.md: (nothing)\nAGENTS.md: Use tabs.",
        after="AGENTS.md: Use tabs.",
        help="Remove the empty file.",
        found_in=("loading",),
    ),
    Rule(
        code="outside-root",
        family="loading",
        severity="information",
        summary="An instruction file is above the directory where the search stops",
        why=(
            "The harness searches upwards only as far as the project's root. A session that starts there does not get "
            "files above that. Nothing is said where a start further up in the same repository gets it."
        ),
        before="big/AGENTS.md with big/app/.git",
        after="big/app/AGENTS.md",
        help="Name it in the configuration, or put what such a session needs of it below the root.",
        found_in=("loading",),
        retracted_if=("usual-start",),
        of_place=True,
    ),
    Rule(
        code="untrusted-config",
        family="loading",
        severity="warning",
        summary="The harness ignores a configuration because the project is not trusted",
        why=(
            "The harness reads the configuration of a project only if the user trusts the project. Until then "
            "its settings have no effect."
        ),
        before=".codex/config.toml without trust",
        after='~/.codex/config.toml:\n[projects."/home/me/app"]\ntrust_level = "trusted"',
        help="Trust the project in your own configuration, or set the keys there.",
        found_in=("loading",),
    ),
    Rule(
        code="left-out",
        family="loading",
        severity="warning",
        summary="The harness silently leaves out this instruction file",
        why=(
            "It looks for a file of this name in this place, but drops it because it is a link, is not UTF-8, or is "
            "named in `.gitignore`. Nothing in the session says so."
        ),
        before="CLAUDE.md -> AGENTS.md (a link, but the program follows no links)",
        after="CLAUDE.md (a file: the same text, or one line that names AGENTS.md)",
        help="Replace the link with a file, save the file as UTF-8, or take its name out of `.gitignore`.",
        found_in=("loading",),
        retracted_if=("sent-elsewhere",),
        of_place=True,
    ),
    Rule(
        code="taken-for-attack",
        family="loading",
        severity="warning",
        summary="The harness leaves out a whole file because of one sentence in it",
        why=(
            "It searches instruction files for phrases that attackers use, and does not send a file that has one. "
            "Harmless sentences match, too: a comment with the word *system* in it, or advice on secrets. The model is "
            "told that a file was left out; the user is not."
        ),
        before="<!-- how our build system works -->\nNever cat the .env file.",
        after="<!-- how our builds work -->\nNever print secrets.",
        help="Rephrase the sentence.",
        found_in=("config",),
        of_text=True,
    ),
    Rule(
        code="prompt-replaced",
        family="loading",
        severity="warning",
        summary="A file takes the place of the whole prompt, instruction files included",
        why=(
            "The harness sends this file instead of its own system message. It does not ask, even if somebody has only "
            "cloned the repository. AGENTS.md is not sent with it, nor are the rules that keep the harness safe."
        ),
        before="---\nname: agent\ndescription: Reviews\noverride: true\n---\nYou review code.",
        after="---\nname: agent\ndescription: Reviews\noverride: true\n---\n${base_prompt}\n\nYou review code.",
        help="Put `${base_prompt}` into the text, or give the agent a name of its own.",
        found_in=("loading",),
    ),
    Rule(
        code="duplicate-source",
        family="loading",
        severity="information",
        summary="An entry names a file that is already loaded",
        why="Each file is sent once, where it is first named. The entry has no effect.",
        before='{"instructions": ["AGENTS.md"]}',
        after='{"instructions": []}',
        help="Remove the entry.",
        found_in=("loading",),
        fix="safe",
        fixers=("remove-entry",),
        retracted_if=("used-elsewhere",),
    ),
    Rule(
        code="duplicate-text",
        family="loading",
        severity="information",
        summary="The same text is sent twice",
        why=(
            "Two files, or a link and its target, have the same text, and the harness sends both. The copy "
            "costs tokens with every request."
        ),
        before="AGENTS.md and docs/agents.md with the same text",
        after="AGENTS.md",
        help="Keep one of them, or make one a link to the other. Do not remove a file that another program needs.",
        found_in=("loading",),
        retracted_if=("one-file",),
    ),
)
