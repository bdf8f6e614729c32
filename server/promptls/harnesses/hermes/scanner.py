"""What Hermes takes for an attack: a file in which any of it stands is left out whole [source: tools/threat_patterns].

A rule is written here in words. A blank is any white space, ``~`` is up to eight words; the rest is an expression. Of a
pair, both parts have to stand in one line, the second one soon after the first.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from promptls.core.lazy import regex
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    # A stretch of a text, by offsets.
    Span = tuple[int, int]
    # Where a word begins, and the first and the last place at which what follows it, or ends before it, may be.
    Edge = tuple[int, int, int]

WORDS = r"(?:\w+\s+){0,8}"
INVISIBLE = regex("[\u200b-\u200d\u2060\u2062-\u2064\ufeff\u202a-\u202e\u2066-\u2069]")
NAMES = r"(?:AGENTS\.md|CLAUDE\.md|\.cursorrules|\.clinerules)"
CHANGING = r"(?:update|modify|edit|write|change|append|add\s+to)"
KEYS = r"\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)"
# The rules in the order in which they are told, with their names. Those after STRICT are for memories alone.
STRICT = "send_to_url"
RULES = {
    "prompt_injection": "ignore ~(?:previous|all|above|prior) ~instructions",
    "sys_prompt_override": "system prompt override",
    "disregard_rules": "disregard ~(?:your|all|any) ~(?:instructions|rules|guidelines)",
    "bypass_restrictions": "act as (?:if|though) ~you ~(?:have no|don't have) ~(?:restrictions|limits|rules)",
    "html_comment_injection": "",
    "hidden_div": "",
    "translate_execute": "",
    "deception_hide": "do not ~tell ~the user",
    "role_hijack": "you are ~now (?:a|an|the) ",
    "role_pretend": "pretend ~(?:you are|to be) ",
    "leak_system_prompt": "output ~(?:system|initial) prompt",
    "remove_filters": "(?:respond|answer|reply) without ~(?:restrictions|limitations|filters|safety)",
    "fake_update": "you have been ~(?:updated|upgraded|patched) to",
    "identity_override": r"\bname yourself \w+",
    "c2_node_registration": r"register (?:as )?a?\s*node",
    "c2_heartbeat": r"(?:heartbeat|beacon|check[\s\-]?in) (?:to|with) ",
    "c2_task_pull": r"pull (?:down )?(?:new )?task(?:ing|s)?\b",
    "c2_network_connect": r"connect to the network\b",
    "forced_action": r"you must (?:\w+ ){0,3}(?:register|connect|report|beacon)\b",
    "anti_forensic_oneliner": r"only use one[\s\-]?liners?\b",
    "anti_forensic_disk": "never ~(?:create|write) ~(?:script|file) ~disk",
    "env_var_unset_agent": r"unset \w*(?:CLAUDE|CODEX|HERMES|AGENT|OPENAI|ANTHROPIC)\w*",
    "known_c2_framework": r"\b(?:cobalt\s*strike|sliver|havoc|mythic|metasploit|brainworm)\b",
    "c2_explicit": r"\bc2 (?:server|channel|infrastructure|beacon)\b",
    "c2_explicit_long": r"\bcommand and control\b",
    "exfil_curl": "",
    "exfil_wget": "",
    "read_secrets": "",
    STRICT: "",
    "context_exfil": "(?:include|output|print|share) "
    "~(?:conversation|chat history|previous messages|full context|entire context)",
    "ssh_backdoor": "authorized_keys",
    "ssh_access": r"(?:\$HOME|~)/\.ssh".replace("~", r"\x7e"),
    "hermes_env": r"(?:\$HOME|~)/\.hermes/\.env".replace("~", r"\x7e"),
    "agent_config_mod": "",
    "hermes_config_mod": "",
    "hardcoded_secret": r"(?:api[_-]?key|token|secret|password)\s*[=:]\s*[\"'][A-Za-z0-9+/=_-]{20,}",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two parts with at most ``most`` characters between them, none of which is ``never``.

    After ``first``, and before ``last``, white space has to be where ``has_space`` and ``has_space_before`` say so.
    """

    first: str
    last: str
    most: int
    never: str = "\n"
    has_space: bool = True
    has_space_before: bool = False


PAIRS = {
    "hidden_div": Pair(r"<\s*div\s+style\s*=\s*[\"']", r"display\s*:\s*none", 2048, ">", has_space=False),
    "exfil_curl": Pair("curl", KEYS, 2048),
    "exfil_wget": Pair("wget", KEYS, 2048),
    "read_secrets": Pair("cat", r"(?:\.env|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc)", 2048),
    STRICT: Pair("(?:send|post|upload|transmit)", r"(?:to|at)\s+https?://", 2048, has_space_before=True),
    "agent_config_mod": Pair(CHANGING, NAMES, 2048),
    "hermes_config_mod": Pair(CHANGING, r"\.hermes/(?:config\.yaml|SOUL\.md)", 2048),
}
NEAR, INTO = 512, "into"
COMMENT_WORDS = regex("ignore|override|system|secret|hidden", re.IGNORECASE)
SPACE = regex(r"\s*")


def findings(text: str, most: int, *, is_strict: bool = False) -> list[tuple[str, Span | None]]:
    """The name of each rule that holds, with the first place; None where letters were put in place of others.

    Only so many letters are looked at. Takes linear time.
    """
    text = text[:most]
    letters = sorted({match[0] for match in INVISIBLE.finditer(text)})
    found: list[tuple[str, Span | None]] = [
        (f"invisible_unicode_U+{ord(each):04X}", (text.index(each), text.index(each) + 1)) for each in letters
    ]
    seen = text
    if not text.isascii():
        import unicodedata  # noqa: PLC0415 - few files need it

        seen = unicodedata.normalize("NFKC", text)
    for rule in RULES:
        if rule == STRICT and not is_strict:
            break
        where = _first(rule, seen)
        if where is not None:
            found.append((rule, where if seen == text else None))
    return found


def _first(rule: str, text: str) -> Span | None:
    """The first place at which a rule holds."""
    if rule == "html_comment_injection":
        return _comment(text)
    if rule == "translate_execute":
        return _translated(text)
    if rule in PAIRS:
        pair = PAIRS[rule]
        befores = _before(text, pair.last, has_space=pair.has_space_before)
        return _near(text, _after(text, pair.first, has_space=pair.has_space), befores, pair.most, pair.never)
    match = re.search(RULES[rule].replace(" ", r"\s+").replace("~", WORDS), text, re.IGNORECASE)
    return match.span() if match else None


def _comment(text: str) -> Span | None:
    """A comment of HTML, without > in it, that has one of some words not too far from its ends."""
    at = text.find("<!--")
    while at >= 0:
        longest = at + 4 + 2 * NEAR + len("override") + 3
        end = text.find(">", at + 4, longest)
        body = text[at + 4 : end - 2] if end >= at + 6 and text[end - 2 : end] == "--" else ""
        if any(m.start() <= NEAR and len(body) - m.end() <= NEAR for m in COMMENT_WORDS.finditer(body)):
            return at, end + 1
        at = text.find("<!--", at + 4)
    return None


def _translated(text: str) -> Span | None:
    """Translate something into something and execute it."""
    intos = _before(text, rf"{INTO}(?=\s)", has_space=True)
    afters = [(first, end + 1, _past_space(text, end)) for first, _, end in intos]
    ends = _before(text, r"and\s+(?:execute|run|eval)", has_space=True)
    right = [intos[at] for at, _ in _pairs(text, afters, ends, NEAR, "\n")]
    return _near(text, _after(text, "translate", has_space=True), right, NEAR, "\n")


def _past_space(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    return match.end() if match else at


def _after(text: str, word: str, *, has_space: bool) -> Iterator[Edge]:
    for match in re.finditer(word, text, re.IGNORECASE):
        end = match.end()
        last = _past_space(text, end) if has_space else end
        if last > end or not has_space:
            yield match.start(), end + has_space, last


def _before(text: str, word: str, *, has_space: bool) -> list[Edge]:
    """As ``_after``: the first and the last place at which a part may begin, and where it ends."""
    edges: list[Edge] = []
    for match in re.finditer(word, text, re.IGNORECASE):
        first = last = match.start()
        while has_space and first > 0 and text[first - 1].isspace():
            first -= 1
        if not has_space or first < last:
            edges.append((first, last - has_space, match.end()))
    return edges


def _pairs(text: str, afters: Iterable[Edge], befores: list[Edge], most: int, never: str) -> Iterator[tuple[int, Span]]:
    """The first parts that have a second one near enough, by number: the next second one is the best."""
    lasts = [last for _, last, _ in befores]
    for number, (start, first, last) in enumerate(afters):
        at = bisect_left(lasts, first)
        if at < len(befores):
            begin, _, end = befores[at]
            if begin <= last or (begin - last <= most and text.find(never, last, begin) < 0):
                yield number, (start, end)


def _near(text: str, afters: Iterable[Edge], befores: list[Edge], most: int, never: str) -> Span | None:
    return next((span for _, span in _pairs(text, afters, befores, most, never)), None)
