"""What two programs in use take differently: each is told by their previews."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="skill-hidden-elsewhere",
        family="elsewhere",
        severity="information",
        summary="One program hides a skill from its model, and another lists it",
        why=(
            "Some programs hide a skill with disable-model-invocation from the model. Others do not know the key: "
            "their models see the skill and may call it."
        ),
        before="disable-model-invocation: true in a SKILL.md that a program lists which has another key for it",
        after="allow_implicit_invocation: false below policy in agents/openai.yaml beside it, where that is its key",
        help="Turn the skill off for the other program too, or remove the key if its model may call the skill.",
        found_in=("elsewhere",),
        of_text=True,
    ),
    Rule(
        code="field-elsewhere",
        family="elsewhere",
        severity="information",
        summary="One program follows a field of this skill, and another ignores it",
        why=(
            "A skill with context: fork runs in a sub-agent of one program; others put its whole text into the session."
            " The fields model, allowed-tools, paths and user-invocable differ in the same way. A program is named "
            "only if captured sessions show that it ignores the field."
        ),
        before="context: fork in a skill that two programs have",
        after="a skill that says itself: Do this in a sub-agent if you have any, and report in ten lines.",
        help="Say in the text of the skill what must hold in every program, or give each its own skill.",
        found_in=("elsewhere",),
        of_text=True,
    ),
    Rule(
        code="trust-elsewhere",
        family="elsewhere",
        severity="information",
        summary="One program sends this file, and another sends nothing, because it does not trust the folder",
        why=(
            "Each program keeps its own list of the folders that you trust. If this folder is marked as not trusted in "
            "one of them, that program sends nothing of it."
        ),
        before='~/.gemini/trustedFolders.json:\n{"/home/me/app": "DO_NOT_TRUST"}',
        after='~/.gemini/trustedFolders.json:\n{"/home/me/app": "TRUST_FOLDER"}',
        help="Trust the folder in that program as well, or leave it if you do not use the program here.",
        found_in=("elsewhere",),
        of_place=True,
    ),
    Rule(
        code="link-elsewhere",
        family="elsewhere",
        severity="information",
        summary="One program follows a link to this file, and another does not",
        why="The model of the other program gets nothing of the file, and the program does not say so.",
        before=".agents/skills/release/SKILL.md, a link to a file that only one of two programs follows",
        after=".agents/skills/release, a link to the folder, or the text itself",
        help="Put the text itself there, or make its folder a link if both programs follow that.",
        found_in=("elsewhere",),
        of_place=True,
    ),
    Rule(
        code="import-elsewhere",
        family="elsewhere",
        severity="information",
        summary="One program replaces this import with the file, and another sends it as it is written",
        why="The model of the other program sees a name with an @ and none of the text behind it.",
        before="@docs/style.md in AGENTS.md, which one program imports and another sends as it is",
        after="Read docs/style.md before you change a page.",
        help="Say in words when to read the file, or put what every program needs into this file.",
        found_in=("elsewhere",),
        of_text=True,
    ),
    Rule(
        code="scope-elsewhere",
        family="elsewhere",
        severity="information",
        summary="One program adds this rule only for some files, and another sends it at each start",
        why="Each program has its own key for patterns. A program that ignores this one always sends the rule.",
        before="paths: src/** in a file that a second program is told to load by its own configuration",
        after="the key of both programs, or the rule in the folder of one",
        help="Write the patterns under the keys of both programs, if both have one.",
        found_in=("elsewhere",),
        yields_to=("scope-ignored", "scope-empty", "scope-invalid", "front-matter-invalid", "front-matter-type"),
        of_text=True,
    ),
    Rule(
        code="nested-elsewhere",
        family="elsewhere",
        severity="off",
        summary="One program adds a nested instruction file on reading, and another does so only if started there",
        why="Most people start programs at the top of a repository. There, the other program never gets the file.",
        before="packages/api/AGENTS.md, which only one of two programs adds on reading a file there",
        after="a line in the AGENTS.md at the top: Read packages/api/AGENTS.md before you work in packages/api.",
        help="Name the file in one that the other program gets at start, or start that program in this directory.",
        found_in=("elsewhere",),
        of_place=True,
    ),
)
