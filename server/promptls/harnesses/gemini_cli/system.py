"""Gemini CLI's system instruction: its own base or a file, sub-agents, skills, and tier 1."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import START, Origin, Segment
from promptls.harnesses.gemini_cli.environment import directories
from promptls.harnesses.gemini_cli.files.imports import without_empty_lines
from promptls.harnesses.gemini_cli.files.loaded import context_file
from promptls.harnesses.gemini_cli.files.places import ContextFile
from promptls.harnesses.gemini_cli.listing import agents, skills
from promptls.harnesses.gemini_cli.listing.inventory import AGENT_TOOL, tools
from promptls.harnesses.gemini_cli.settings import home_of
from promptls.kit.inline_imports import JOIN
from promptls.kit.paths import join, resolve
from promptls.kit.pieced_text import Piece, after, before, segments, trimmed
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Layer
    from promptls.harnesses.gemini_cli.files.loaded import Loaded
    from promptls.harnesses.gemini_cli.files.places import Search
    from promptls.harnesses.gemini_cli.listing.agents import Agent
    from promptls.harnesses.gemini_cli.listing.inventory import Inventory
    from promptls.harnesses.gemini_cli.versions import Facts

WHY_SYSTEM = "GEMINI_SYSTEM_MD replaces the base of the system instruction"
WHY_TIER_1 = "global context files and the private index belong to the system instruction"
_VARIABLE = regex(r"\$\{(AgentSkills|SubAgents|AvailableTools|\w+_ToolName)\}")


def base(search: Search, inventory: Inventory) -> tuple[list[Piece | Segment], str | None]:
    """The base of the system instruction: prose, or the file in GEMINI_SYSTEM_MD; or why gemini-cli ends.

    Only the prose has sub-agents and skills in it; a file names their places (surfaces, GEMINI_SYSTEM_MD).
    """
    # They are listed for the tool that starts one (wire: tools-core).
    has_agents = any(each.name == AGENT_TOOL and each.enabled for each in tools(search, inventory))
    sections = {
        "SubAgents": [
            *agents.section(
                inventory.agents if has_agents else {},
                inventory.facts,
                inventory.system,
                is_plan=inventory.mode == "plan",
            )
        ],
        "AgentSkills": [*skills.section(inventory.skills, inventory.system.skills_intro)],
    }
    asked = search.host.env.get("GEMINI_SYSTEM_MD", "").strip()
    if asked.lower() in ("", "0", "false"):
        why = "gemini-cli begins with its own instructions"
        core, size = inventory.own()
        # Without sub-agents a line end less (seen by verify).
        core = None if core is None else core - (not sections["SubAgents"])
        return [
            elided("provider", "gemini-cli", "core system prompt", why=why, size=core),
            *sections["SubAgents"],
            *sections["AgentSkills"],
            # (seen by verify)
            *([tail("\n", "provider")] if sections["AgentSkills"] else []),
            elided("provider", "gemini-cli", "rest of the system prompt", why=why, size=size),
        ], None
    home = home_of(search.host)
    path = resolve(search.cwd, home + asked[1:] if asked == "~" or asked.startswith("~/") else asked)
    if asked.lower() in ("1", "true"):
        path = join(search.cwd, ".gemini", "system.md")
    place = ContextFile(path, WHY_SYSTEM, Origin("argument", name="GEMINI_SYSTEM_MD"))
    file = context_file(search, place, START)
    if file is None:
        return [], f"gemini-cli ends, because it cannot read the system prompt {path}. Create it or unset the variable."
    pieces: list[Piece | Segment] = []
    for piece in trimmed([Piece(file.text, file)]):
        at = 0
        for found in _VARIABLE.finditer(piece.text):
            pieces.append(Piece(piece.text[at : found.start()], file, piece.start + at))
            why = "the file names this variable"
            if found[1] == "SubAgents" and sections["SubAgents"]:
                pieces.append(tail("\n", "tools"))  # (parts: system-md-subagents)
            pieces += sections.get(found[1], [elided("provider", "gemini-cli", f"value of {found[1]}", why=why)])
            at = found.end()
        pieces.append(Piece(piece.text[at:], file, piece.start + at))
    return pieces, None


def system(search: Search, facts: Facts, base: list[Piece | Segment], loaded: Loaded) -> list[Segment]:
    """The base and tier 1; runs of empty lines are cut down in all of it (source)."""
    context: list[Piece | Segment] = []
    if loaded.private:
        # Only now the global files get a tag of their own (wire: user-project-memory).
        context.append(before("---\n\n<loaded_context>\n"))
        if loaded.global_:
            context += [before("<global_context>\n"), *loaded.global_, after("\n</global_context>\n")]
        index = "--- Private Project Memory Index (private, not committed to repo) ---"
        end = "\n--- End Private Project Memory Index ---\n</user_project_memory>\n</loaded_context>"
        context += [before(f"<user_project_memory>\n{index}\n"), *loaded.private, after(end)]
    elif loaded.global_:
        names = ", ".join(each.text for each in search.names)
        title, size = "heading of the context files", facts.context_heading + len(names)
        heading = elided("provider", "gemini-cli", title, why=f"it names {names}", size=size)
        context += [heading, before("\n\n<loaded_context>\n"), *loaded.global_, after("\n</loaded_context>")]
    memory = {piece.file.path for piece in loaded.private if piece.file}
    found: list[Segment] = []
    seen: set[str] = set()
    run: list[Piece] = []
    for each in (*base, after(JOIN if context else ""), *context, None):
        if isinstance(each, Piece):
            run.append(each)
            continue
        for piece in without_empty_lines(run):
            layer: Layer = "memory" if piece.file and piece.file.path in memory else "instructions"
            found += segments([piece], layer, WHY_TIER_1, seen)
        run = []
        found += [each] if each else []
    return found


def system_of_agent(
    search: Search, inventory: Inventory, roots: list[str], loaded: Loaded, agent: Agent, *, has_skills: bool
) -> list[Segment]:
    """The system instruction of a sub-agent: its text, skills, global files, directories and rules (later, B)."""
    why, title, facts = "the session starts this sub-agent", f"prompt of sub-agent {agent.name}", inventory.facts
    built_in = facts.built_in_agents.get(agent.name) if agent.body is None else None
    text: list[Piece | Segment]
    if built_in is None:
        text = [Segment("provider", title, agent.body or "", agent.body_origin or Origin("computed"), why)]
    elif built_in.is_main:
        start = inventory.is_interactive, inventory.mode
        before_agents, rest = inventory.system.generalist.get(start, (None, None))
        before_agents = None if before_agents is None else inventory.with_names(before_agents)
        rest = None if rest is None else inventory.with_places(rest, on_screen=False)
        text = [
            elided("provider", "gemini-cli", title, why=why, size=before_agents),
            *agents.section(inventory.agents, facts, inventory.system, is_plan=inventory.mode == "plan"),
            *skills.section(inventory.skills, inventory.system.skills_intro),
            tail("\n", "provider"),
            elided("provider", "gemini-cli", "rest of the system prompt", why=why, size=rest),
        ]
    else:
        named = facts.models.get(inventory.model, inventory.model) if built_in.names_model else ""
        text = [elided("provider", "gemini-cli", title, why=why, size=built_in.system + len(named))]
    if inventory.skills and has_skills:
        text += [tail(JOIN, "tools"), *skills.section(inventory.skills, facts.skills_intro_of_agent)]
    rules = facts.rules_own if built_in is None else facts.rules_built_in
    if inventory.mode == "plan":
        rules += facts.agent_plan_note + inventory.places.plan_name
    # (seen by verify)
    ends = bool(loaded.private or loaded.global_) and (built_in is None or has_skills)
    return [
        *system(search, facts, [*text, tail("\n", "provider")] if ends else text, loaded),
        tail(JOIN, "provider"),
        elided("environment", "gemini-cli", "heading of the directories", why=why, size=facts.agent_directories),
        tail("\n", "environment"),
        *directories(search, roots, facts),
        elided("provider", "gemini-cli", "rules of sub-agents", why=why, size=rules),
    ]
