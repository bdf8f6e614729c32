"""``<permissions instructions>``: what the model learns of the sandbox, and of who is asked (section 5)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment
from promptls.core.values import replace
from promptls.harnesses.codex.start.sandbox import CATEGORIES
from promptls.kit.candidates import own
from promptls.kit.paths import join, native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Origin
    from promptls.harnesses.codex.start.sandbox import Approvals, Sandbox
    from promptls.harnesses.codex.versions import Model, Permissions
    from promptls.kit.draft import Draft

OPENING, CLOSING = "<permissions instructions>\n", "\n</permissions instructions>"
WHY = "Codex says what the sandbox allows"
WHY_MODE = "this decides over the sandbox that Codex tells the model of"
WHY_APPROVALS = "Codex says who is asked before a command runs"
WHY_ROOTS = "Codex names the directories that may be written to"
WHY_RULES = "Codex reads here which commands may run without a question"
UNASKED = "this session asks nobody, so the model is not told of them"
ALONE = "a reviewer is asked, so the model is not told of them"
WHY_DENIED = "Codex names what must not be read"

REVIEWED = "`approvals_reviewer` is `auto_review`: "
# A granular policy, to the letter (parts: dbg-granular2).
GRANULAR = "# Approval Requests\n\nApproval policy is `granular`. "
ASKED = "\n\nThese approval categories may still prompt the user when needed:"
REFUSED = "\n\nThese approval categories are automatically rejected instead of prompting the user:"


def permissions(  # noqa: PLR0917 - what the part is made of
    draft: Draft,
    host: Host,
    facts: Permissions,
    sandbox: Sandbox,
    policy: Approvals,
    rules: Sequence[str],
    model: Model,
) -> list[Segment]:
    """The part. ``rules`` are the folders whose rules files count."""
    network = "enabled" if sandbox.has_network else "restricted"
    mode = f"`sandbox_mode` is `{sandbox.mode}`: "
    return [
        head(OPENING, "environment"),
        elided("environment", "codex", "sandbox", why=WHY, size=facts.sandbox),
        _literal("sandbox mode", mode, sandbox.origin, WHY_MODE),
        _rest("sandbox mode, rest", WHY, facts.modes.get(sandbox.mode)),
        tail(f" Network access is {network}.\n", "environment"),
        *_approval(draft, host, facts, policy, rules, model.reviewer_alone),
        *_roots(sandbox),
        *_denied(facts, sandbox),
        tail(CLOSING, "environment"),
    ]


def _rest(title: str, why: str, size: int | None = None) -> Segment:
    return replace(elided("environment", "codex", title, why=why, size=size), frame="tail")


def _literal(title: str, text: str, origin: Origin, why: str) -> Segment:
    return Segment("environment", title, text, origin, why)


def _approval(  # noqa: PLR0917 - as above
    draft: Draft,
    host: Host,
    facts: Permissions,
    policy: Approvals,
    rules: Sequence[str],
    reviewer_alone: int | None,
) -> Iterator[Segment]:
    if policy.policy in ("never", "granular"):
        _leave_out(draft, host, rules)
    if policy.policy == "never":
        yield _literal("approvals", "Approval policy is currently never.", policy.origin, WHY_APPROVALS)
        yield _rest("approvals, rest", WHY_APPROVALS, facts.never)
        return
    if policy.policy == "granular":
        yield _literal("approvals", GRANULAR, policy.origin, WHY_APPROVALS)
        yield _rest("approvals, rest", WHY_APPROVALS)
        for title, is_on in ((ASKED, True), (REFUSED, False)):
            names = [name for name in CATEGORIES if policy.categories[name] == is_on]
            if names:
                text = "".join(f"\n- `{name}`" for name in names)
                yield _literal("approvals", title + text, policy.origin, WHY_APPROVALS)
        return
    if policy.is_reviewed and reviewer_alone is not None:
        # The line above has ended, and no prefixes follow (captured: gpt-6 models with --approve-for-me).
        _leave_out(draft, host, rules, ALONE)
        yield _literal("reviewer", f"\n{REVIEWED}", policy.origin, WHY_APPROVALS)
        yield _rest("reviewer, rest", WHY_APPROVALS, reviewer_alone)
        return
    yield elided("environment", "codex", "approvals", why=WHY_APPROVALS, size=facts.on_request)
    from promptls.harnesses.codex.messages.command_rules import approved  # noqa: PLC0415 - only where somebody is asked

    prefixes = approved(draft, host, rules, facts)
    if prefixes or policy.is_reviewed:
        # The text above ends with a line.
        yield tail("\n", "environment")
    yield from prefixes
    if policy.is_reviewed:
        yield _literal("reviewer", f"\n\n{REVIEWED}", policy.origin, WHY_APPROVALS)
        yield _rest("reviewer, rest", WHY_APPROVALS, facts.reviewer)


def _leave_out(draft: Draft, host: Host, folders: Sequence[str], reason: str = UNASKED) -> None:
    """Rules files decide what may run; where nobody is asked, the model is not told (parts: rules-prefix)."""
    for place in (join(folder, "rules") for folder in folders):
        for path in sorted(join(place, each.name) for each in host.entries(place) if each.name.endswith(".rules")):
            draft.candidates.append(own(WHY_RULES, use="command").excluded(path, reason))


def _roots(sandbox: Sandbox) -> Iterator[Segment]:
    names = ", ".join(f"`{native(root)}`" for root in sandbox.writable)
    if sandbox.writable:
        said = "root is" if len(sandbox.writable) == 1 else "roots are"
        yield _literal("writable roots", f"\n The writable {said} {names}.", COMPUTED, WHY_ROOTS)


def _denied(facts: Permissions, sandbox: Sandbox) -> Iterator[Segment]:
    denied = [entry for entry in sandbox.entries if entry.access == "deny"]
    if denied:
        yield head("\n## Denied filesystem reads\n", "environment")
        yield _rest("denied reads", WHY_DENIED, facts.denied)
        # Paths come before patterns [source].
        denied.sort(key=lambda entry: entry.kind != "path")
        lines = "".join(f"\n- {entry.kind} `{native(entry.place)}`" for entry in denied)
        yield _literal("denied reads", lines, sandbox.origin, WHY_DENIED)
