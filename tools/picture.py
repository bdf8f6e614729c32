"""The first picture of the README: where the tokens of a session go, for each of the widely used harnesses.

A session that starts in ``tests/pictures/shop.txt`` and reads a file of it, on a disk in memory.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt, Session, reading
from promptls.core.sizes import Size, sizes
from promptls.core.tokens import counter
from promptls.core.totals import is_at_least, prompt_tokens, window_of

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.disk import disk_of  # noqa: E402 - the tests are no package that is installed

SHOP = ROOT / "tests" / "pictures" / "shop.txt"
SECTION = re.compile(r"^-- (.+) --\n", re.MULTILINE)
TOP, HOME, READ = "/home/you/shop", "/home/you", "/home/you/shop/api/core/orders.py"
SHOWN = ("claude-code", "codex", "opencode", "gemini-cli", "copilot-cli")
# What the rows of a prompt are in the legend, in the order of the bar, with the colours of light and dark.
LEGEND = (
    ("instruction files", ("file", "url"), "#0969da", "#4493f8"),
    ("skills, commands, agents", ("skills", "commands", "agents"), "#8250df", "#ab7df8"),
    ("servers and hooks", ("servers", "hooks"), "#bf3989", "#db61a2"),
    ("tools", ("tools",), "#bc4c00", "#db6d28"),
    ("the program itself", ("harness", "typed"), "#8c959f", "#656c76"),
)
OWN = tuple(kind for _, kinds, _, _ in LEGEND[:3] for kind in kinds)
WIDTH, LEFT, BAR, STEP, HEAD, LEGEND_STEP = 880, 24, 18, 58, 92, 26


def picture() -> str:
    """The picture as SVG, for light and dark."""
    prompts = [_prompt(name) for name in SHOWN]
    totals = [prompt_tokens(prompt, counter(prompt.model)) for prompt in prompts]
    height = HEAD + STEP * len(prompts) + 30
    body = [_legend()]
    for number, (prompt, total) in enumerate(zip(prompts, totals, strict=True)):
        body.append(_row(prompt, total, max(totals), HEAD + STEP * number))
    style = "".join(f".c{at}{{fill:{light}}}" for at, (_, _, light, _) in enumerate(LEGEND))
    dark = "".join(f".c{at}{{fill:{colour}}}" for at, (_, _, _, colour) in enumerate(LEGEND))
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">
<title>{_words(prompts, totals)}</title>
<style>
text{{font:13px ui-sans-serif,system-ui,sans-serif;fill:#1f2328}}.t{{font-weight:600;font-size:17px}}.n{{fill:#59636e}}
.b{{fill:#ffffff}}.h{{font-weight:600}}{style}
@media(prefers-color-scheme:dark){{text{{fill:#f0f6fc}}.n{{fill:#9198a1}}.b{{fill:#0d1117}}{dark}}}
</style>
<rect class="b" width="{WIDTH}" height="{height}" rx="8"/>
<text class="t" x="{LEFT}" y="34">What each program sends before your first word, in one repository</text>
{chr(10).join(body)}
</svg>
"""


def _prompt(name: str) -> Prompt:
    parts = SECTION.split(SHOP.read_text(encoding="utf-8"))[1:]
    files: dict[str, str] = {f"{TOP}/{path}": text for path, text in zip(parts[::2], parts[1::2], strict=True)}
    files[f"{TOP}/.git/HEAD"] = "ref: refs/heads/main\n"
    host = Host(
        home=HOME,
        env={"HOME": HOME},
        clock=lambda: datetime(2026, 11, 22, 12, tzinfo=UTC),
        disk=disk_of(files),
    )
    return harnesses.preview(Session(name, TOP, turns=reading((READ,)), is_trusted=True), host)


def _legend() -> str:
    found, x = [], LEFT
    for at, (name, *_) in enumerate(LEGEND):
        found.append(f'<rect class="c{at}" x="{x}" y="52" width="12" height="12" rx="2"/>')
        found.append(f'<text class="n" x="{x + 18}" y="63">{name}</text>')
        x += LEGEND_STEP + 18 + 7 * len(name)
    return "\n".join(found)


def _row(prompt: Prompt, total: int, largest: int, y: int) -> str:
    rows, room = sizes(prompt), WIDTH - 2 * LEFT
    title = harnesses.get(prompt.session.harness).title
    window = window_of(prompt)
    share = f" · {total / window:.1%} of {window:,}" if window else ""
    least = "at least " if is_at_least(prompt) else ""
    own = _sum(rows, OWN)
    says = f"{least}{total:,} tokens{share} · {own:,} are yours"
    version = f'<tspan class="n" font-weight="400">{prompt.session.version}</tspan>'
    found = [
        f'<text class="h" x="{LEFT}" y="{y + 14}">{escape(title)} {version}</text>',
        f'<text class="n" x="{WIDTH - LEFT}" y="{y + 14}" text-anchor="end">{says}</text>',
    ]
    x = float(LEFT)
    for at, (name, kinds, _, _) in enumerate(LEGEND):
        tokens = _sum(rows, kinds)
        if tokens:
            wide = max(tokens / largest * room, 2)
            found.append(
                f'<rect class="c{at}" x="{x:.1f}" y="{y + 22}" width="{wide:.1f}" height="{BAR}">'
                f"<title>{name}: {tokens:,} tokens</title></rect>"
            )
            x += wide
    return "\n".join(found)


def _sum(rows: list[Size], kinds: tuple[str, ...]) -> int:
    return sum(row.tokens for row in rows if row.kind in kinds)


def _words(prompts: list[Prompt], totals: list[int]) -> str:
    """What the picture says, for who cannot see it."""
    said = [f"{each.session.harness} {total:,} tokens" for each, total in zip(prompts, totals, strict=True)]
    return escape(f"What each program sends before the first word: {', '.join(said)}")
