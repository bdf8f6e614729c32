"""What other parts need to know of a harness, as data: each harness has a ``Spec`` in its folder.

Detection, sessions, checks, completion and the extension's generated parts read it. Expressions are texts, so that
a spec costs nothing until somebody asks for it.
"""

from __future__ import annotations

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from promptls.core.model import Later, Use

    # The place of an object in a configuration: names, and "*" for any name or number.
    Place = tuple[str, ...]
    # Where a package comes from, which decides what is on the disk of it.
    Registry = Literal["npm", "pypi"]


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """A kind of instruction file that is written for this harness.

    ``place``: a regular expression for the end of a path. ``name``: its name, where that is well known in exactly
    this spelling. ``endings``: what its name may end in, because matching every path of a folder takes long;
    ``loaded_ending``: the only one that is loaded from this place.
    """

    place: str
    name: str = ""
    endings: tuple[str, ...] = (".md",)
    loaded_ending: str = ""


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A kind of file whose front matter says which files it is for.

    ``place``: a regular expression for a path below the checked folder, which captures the directory that patterns
    are relative to. ``scope``: the key that holds the patterns; ``further_scopes``: those that are read where that is
    missing. ``kinds``: every key with the types that its value may have. ``is_from_root``: patterns are relative to
    the git root, wherever the file is. ``is_read_again``: front matter that is not YAML is read again with quotes,
    and a rule whose own cannot be read always holds. ``needs_scope``: without patterns in a text the file is only
    listed; ``ending`` is that of such files.
    """

    place: str
    scope: str
    kinds: Mapping[str, tuple[str, ...]]
    further_scopes: tuple[str, ...] = ()
    is_from_root: bool = False
    is_read_again: bool = False
    needs_scope: bool = False
    ending: str = ""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The keys of front matter that an editor can offer, each with one sentence; ``place`` as in a rule file.

    The values of ``tools`` are names of tools.
    """

    place: str
    keys: Mapping[str, str]
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration: the base names that it has, and its keys.

    ``has_other_names``: what the harness reads as configuration under another name has the same keys. ``read``: the
    keys at the top that decide over the prompt; ``known``: some others, so that they are not treated as misspelled;
    ``old``: keys of earlier versions, with the key that is read now. ``keys``: what an editor can offer, each key
    with one sentence, by the place of the object. ``entries``: the place of the list that names files;
    ``has_patterns``: its entries may be patterns.
    """

    names: tuple[str, ...]
    has_other_names: bool = False
    read: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    old: Mapping[str, str] | None = None
    keys: Mapping[Place, Mapping[str, str]] | None = None
    entries: Place = ()
    has_patterns: bool = False

    def holds(self, path: str) -> bool:
        """Whether a configuration of the harness is of this kind."""
        return self.has_other_names or path.rpartition("/")[2] in self.names


@dataclass(frozen=True, slots=True)
class Imports:
    """``@path`` in an instruction file puts the text of another one there.

    ``endings``: those of files that are imported, in lower case, beside files without any; None for all files.
    ``on_failure``: what the model gets in the place of an import that fails. ``tells_unrecognised``: the candidates
    say of an ``@`` before a file that it is not treated as an import.
    """

    endings: frozenset[str] | None = None
    on_failure: Literal["text", "error"] = "text"
    tells_unrecognised: bool = True

    def takes(self, path: str) -> bool:
        """Whether a file of this name is imported."""
        found = ending(path)
        return self.endings is None or not found or found in self.endings


@dataclass(frozen=True, slots=True)
class Environments:
    """Folders of agents and their prompts: regular expressions for their files; ``built_in`` need no entry."""

    config: str
    prompt: str
    suffix: str
    built_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Misplaced:
    """Something of the user's that the harness does not read in a place where people put it.

    ``holder``: the directory of the harness that it is in, in any directory; ``place``: a regular expression for the
    path below that. ``use``: what it is meant as. ``instead``: a sentence that says where it belongs. ``key``: only
    where the file has it, at the top.
    """

    holder: str
    place: str
    use: Use
    instead: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Delegation:
    """The call that starts a sub-agent: the tool, and the keys of its input for the agent's name and for its task.

    ``further``: other keys that it always has, with their values. ``namespace``: the group that the tool is in.
    ``others``: other tools whose calls may start one, for which the program waits. ``with_steps``: those that say
    more to one, and older names of the tool. ``is_apart``: it never waits; ``is_apart_on_screen``: nor for any of them
    on the screen. ``ends``: the tool that a sub-agent has to call to end; without one, it ends with a text.
    """

    tool: str
    agent: str
    task: str
    further: tuple[tuple[str, str | bool], ...] = ()
    namespace: str = ""
    others: tuple[str, ...] = ()
    with_steps: tuple[str, ...] = ()
    is_apart: bool = False
    is_apart_on_screen: bool = False
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Home:
    """A directory where a harness keeps what is the user's: ``path`` below the home directory.

    ``variable`` of the environment moves it: to ``below`` in the directory that it names. One of ``evidence`` in it
    shows that the user has started the harness; without any, the directory itself does. ``records`` is where the
    sessions are that it recorded, if it keeps any there.
    """

    path: str
    variable: str = ""
    below: str = ""
    evidence: tuple[str, ...] = ()
    records: str = ""


@dataclass(frozen=True, slots=True)
class Detection:
    """The part of a spec that says who uses a harness, and which folder is for it; the fields are those of ``Spec``."""

    evidence: tuple[str, ...] = ()
    is_fallback: bool = False
    is_rare: bool = False
    counts_for_agents: bool = False
    owns_agents: bool = False
    aliases: tuple[str, ...] = ()
    command: str = ""
    package: str = ""
    registry: Registry = "npm"
    homes: tuple[Home, ...] = ()


@dataclass(frozen=True, slots=True)
class Spec:
    """What is known of a harness.

    ``prints``: its own word for a start that only prints an answer; ``in_editor``: what it calls itself where an editor
    runs it, as its records have it. ``command`` and ``package``: those of its
    program, where its version can be read from what is installed by a ``registry``; ``homes``: where it keeps what is
    the user's. ``aliases``: shorter names that users may write. ``evidence``: files and directories of its own,
    relative to any directory at or above the current file; one of them shows that the folder is configured for it.
    ``is_fallback``: a folder without any evidence is previewed as it.
    ``is_rare``: shown only where it is in use or named. ``counts_for_agents``: AGENTS.md alone counts for it;
    ``owns_agents``: where it is configured, AGENTS.md is its own instruction file.

    ``nested``: the names of instruction files in any directory, one that ends in a slash is a directory of them;
    ``is_nested_on_read``: they come with a file that is read; ``names_nested``: only their paths do.
    ``counts_attached``: the patterns of its rules are for files that are attached to a prompt; a file that is read adds
    nothing. ``names_from_config``: an entry of the configuration is a name for files of every directory.
    ``usual_family``: that of the models that it asks where nobody names one, as ``core/tokens.py`` calls it.
    ``own_text``: the characters of a token in the definitions of its tools and in its own prose, as o200k_base counts
    them; None where nobody has counted. ``imports_reads``: a file that is read may be imported, too.

    ``toml_files``: files with such keys at the top, in TOML. ``misplaced``: what is not read although it looks as if it
    were. ``skills``: folders of skills in a directory, each of which is a folder with a SKILL.md. ``skill_fields``:
    what it does with a skill that has such a field, as the end of a sentence; "" if it was seen to do nothing.
    ``not_shown``: files that are read and not shown yet, by a regular expression for the end of a path.
    ``ignores_case``: names are loaded in any spelling. ``hides``: how far a file that wins hides the next one.
    ``sends_empty``: an empty file is sent, and hides none. ``sends_links_once``: two names of one file are sent
    once; ``links_unseen``: it is not known what is sent for them. ``reads_for_agents``: what is read of a directory
    in place of AGENTS.md, and can import it. ``shadowed_advice``: what to do about a file that is skipped.
    ``has_hints``: it takes hints of the settings. ``until_trusted``: what it does until the user trusts the
    folder, where some of it, or all, waits for that (``Session.is_trusted``); ``own_text_waits``: also text of its own;
    ``all_waits``: all of it, so that a session in which something happened is one in a folder that is trusted.
    ``is_trusted_if_told``: it does not ask, so that a preview takes no folder to be trusted that nothing says so of.
    ``has_agents``: a main session can have an agent.
    ``piped``: the prompt with what is piped to the program: ``{prompt}``, ``{stdin}``, ``{line}`` for the latter
    without its last line break; "" if nobody knows. ``later``: what of a session's later life its rules know: what a
    new process adds that takes the session up, compaction, sub-agents ... ``modes``: the modes that they know, as a
    record names them; ``screen_modes``: those that only the interactive program has. ``anew``: what is
    typed there to begin as if nothing had been said, which asks the model nothing; ``is_told_anew``: it is told of it,
    and its rules know how. ``delegation``: how it starts a sub-agent. ``is_started``: ``promptls capture`` can start
    it; ``is_learned``: ``promptls learn`` has sessions for it; ``takes_answers``: its rules know what becomes of the
    answers of MCP servers. ``brings_once``: what a read has brought comes with no later read of the same process,
    after a compaction neither. ``another_model``: the option with which a new process takes a session up with another
    model, where its rules know what then stays of the first one.
    ``unread_records``: why the sessions that it records are not read, as a sentence without a full stop.
    """

    name: str
    title: str
    evidence: tuple[str, ...] = ()
    is_fallback: bool = False
    is_rare: bool = False
    counts_for_agents: bool = False
    owns_agents: bool = False
    aliases: tuple[str, ...] = ()
    nested: tuple[str, ...] = ("AGENTS.md",)
    is_nested_on_read: bool = True
    names_nested: bool = False
    counts_attached: bool = False
    usual_family: str = ""
    own_text: tuple[float, float] | None = None
    names_from_config: bool = False
    imports_reads: bool = True
    instruction_files: tuple[InstructionFile, ...] = ()
    rule_files: tuple[RuleFile, ...] = ()
    front_matter: tuple[FrontMatter, ...] = ()
    toml_files: tuple[FrontMatter, ...] = ()
    config_files: tuple[ConfigFile, ...] = ()
    imports: Imports | None = None
    environments: Environments | None = None
    misplaced: tuple[Misplaced, ...] = ()
    skills: tuple[str, ...] = ()
    skill_fields: Mapping[str, str] | None = None
    not_shown: tuple[tuple[str, str], ...] = ()
    ignores_case: bool = False
    hides: Literal["beside", "to-root"] = "to-root"
    sends_empty: bool = False
    sends_links_once: bool = False
    links_unseen: bool = False
    reads_for_agents: tuple[str, ...] = ()
    shadowed_advice: str = ""
    has_hints: bool = False
    has_agents: bool = True
    until_trusted: str = ""
    own_text_waits: bool = False
    all_waits: bool = False
    is_trusted_if_told: bool = False
    piped: str = ""
    later: tuple[Later, ...] = ()
    modes: tuple[str, ...] = ()
    screen_modes: tuple[str, ...] = ()
    anew: tuple[str, ...] = ()
    is_told_anew: bool = False
    prints: str = ""
    in_editor: str = ""
    delegation: Delegation | None = None
    is_started: bool = False
    is_learned: bool = False
    takes_answers: bool = False
    brings_once: bool = False
    another_model: str = ""
    unread_records: str = ""
    command: str = ""
    package: str = ""
    registry: Registry = "npm"
    homes: tuple[Home, ...] = ()


def ending(path: str) -> str:
    """The ending of a file's name in lower case: from its last dot on, unless that is its first letter."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""
