"""The fields around a skill that skill_view of Hermes answers with, where files alone decide them.

[source] is the program's package: tools/skills_tool.py.
"""

from __future__ import annotations

from promptls.harnesses.hermes.skills import header_of
from promptls.kit.paths import is_below, join, name, native, parent, relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host

# What asks for variables, files or programs, or says more: what is answered then hangs on the machine [source].
FURTHER = (
    *("prerequisites", "required_environment_variables", "required_credential_files", "setup", "metadata"),
    *("tags", "related_skills", "platforms"),
)
# Of which endings the files of a directory of a skill are named; None: all of them [source].
LINKED: dict[str, tuple[str, ...] | None] = {
    "references": (".md",),
    "templates": (".md", ".py", ".yaml", ".yml", ".json", ".tex", ".sh"),
    "assets": None,
    "scripts": (".py", ".sh", ".bash", ".js", ".ts", ".rb"),
}
HINT = (
    "To view linked files, call skill_view(name, file_path) where file_path is e.g. 'references/api.md' or "
    "'assets/config.yaml'"
)


def fields(host: Host, path: str, top: str, text: str) -> tuple[str, str] | None:
    """What stands before and behind the text of the skill at ``path`` below ``top``, as JSON (wire: skill-call).

    None where the machine or the order of the disk has a say.
    """
    front = header_of(text)
    words = front.value("description")
    linked = _linked(host, parent(path))
    if linked is None or words is None or words.kind != "string" or any(front.value(each) for each in FURTHER):
        return None
    called = front.word("name") or name(parent(path))
    before = {
        "success": True,
        "name": called,
        "description": str(words.data),
        "tags": [],
        "related_skills": [],
    }
    shown = relative(path, top if is_below(path, top) else parent(parent(path)))
    after: dict[str, object] = {
        "path": native(shown, path),
        "skill_dir": native(parent(path)),
        "linked_files": linked or None,
        "usage_hint": HINT if linked else None,
        "required_environment_variables": [],
        "required_commands": [],
        "missing_required_environment_variables": [],
        "missing_credential_files": [],
        "missing_required_commands": [],
        "setup_needed": False,
        "setup_skipped": False,
        "readiness_status": "available",
    }
    return f"{_json(before)[:-1]}, ", f", {_json(after)[1:]}"


def _json(data: object) -> str:
    import json  # noqa: PLC0415 - only where a skill is viewed

    return json.dumps(data, ensure_ascii=False)


def _linked(host: Host, skill: str) -> dict[str, list[str]] | None:
    """The files beside a skill; None where they stand in the order of the disk, or may lie deeper."""
    found: dict[str, list[str]] = {}
    for directory, endings in LINKED.items():
        entries = host.entries(join(skill, directory))
        if any(each.is_directory for each in entries) and directory in ("templates", "assets"):
            return None
        files = [each.name for each in entries if not each.is_directory]
        groups = [[each for each in files if each.endswith(ending)] for ending in endings or ("",)]
        if any(len(each) > 1 for each in groups):
            return None
        named = [f"{directory}/{each}" for group in groups for each in group]
        if named:
            found[directory] = named
    return found
