"""Draws the icons of the extension: a prompt whose last line does not arrive.

    python tools/icon.py

media/prompt.svg is the icon of the view, in the colour of the editor; media/icon.png that of the extension, in colour.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import NamedTuple

MEDIA = Path(__file__).parent.parent / "vscode-extension" / "media"
# The side of the drawing in its own units, and of the picture in pixels; each pixel is the mean of SAMPLES².
UNITS, PIXELS, SAMPLES = 24, 128, 4
CORNER, EDGE = 5.0, 1.8


class Stroke(NamedTuple):
    """A line with round ends, its colour, and how much of it is seen."""

    start: tuple[float, float]
    end: tuple[float, float]
    colour: tuple[int, int, int]
    opacity: float = 1.0


GROUND = (22, 33, 56)
WHITE, BLUE, GREEN = (255, 255, 255), (102, 178, 255), (116, 214, 160)
STROKES = (
    Stroke((4.5, 5), (7.5, 7.5), WHITE),
    Stroke((7.5, 7.5), (4.5, 10), WHITE),
    Stroke((11.5, 7.5), (19.5, 7.5), BLUE),
    Stroke((4.5, 14), (16, 14), GREEN),
    Stroke((4.5, 18.5), (12, 18.5), WHITE, 0.35),
)


def main() -> None:
    """Write both."""
    MEDIA.mkdir(exist_ok=True)
    (MEDIA / "prompt.svg").write_text(svg(), encoding="utf-8")
    (MEDIA / "icon.png").write_bytes(png(rows()))


def svg() -> str:
    """The strokes in the current colour."""
    lines = (
        f'  <path d="M{x1:g} {y1:g}L{x2:g} {y2:g}"' + ("/>" if opacity == 1 else f' opacity="{opacity:g}"/>')
        for (x1, y1), (x2, y2), _, opacity in STROKES
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {UNITS} {UNITS}" fill="none"'
    return "\n".join(
        [f'{head} stroke="currentColor" stroke-width="{EDGE:g}" stroke-linecap="round">', *lines, "</svg>", ""]
    )


def rows() -> list[bytes]:
    """The pixels, red, green, blue and opacity, row by row."""
    return [bytes(value for x in range(PIXELS) for value in _pixel(x, y)) for y in range(PIXELS)]


def _pixel(x: int, y: int) -> tuple[int, int, int, int]:
    step = UNITS / PIXELS / SAMPLES
    seen = [
        colour
        for dx in range(SAMPLES)
        for dy in range(SAMPLES)
        if (colour := _colour((x * SAMPLES + dx + 0.5) * step, (y * SAMPLES + dy + 0.5) * step)) is not None
    ]
    if not seen:
        return 0, 0, 0, 0
    red, green, blue = (round(sum(channel) / len(seen)) for channel in zip(*seen, strict=True))
    return red, green, blue, round(255 * len(seen) / SAMPLES**2)


def _colour(x: float, y: float) -> tuple[float, ...] | None:
    """The colour at a place in units; None outside of the ground, a square with round corners."""
    inner = (min(max(x, CORNER), UNITS - CORNER), min(max(y, CORNER), UNITS - CORNER))
    if _distance((x, y), (inner, inner)) > CORNER:
        return None
    for start, end, colour, opacity in STROKES:
        if _distance((x, y), (start, end)) <= EDGE / 2:
            return tuple(opacity * c + (1 - opacity) * g for c, g in zip(colour, GROUND, strict=True))
    return GROUND


def _distance(at: tuple[float, float], line: tuple[tuple[float, float], tuple[float, float]]) -> float:
    (x, y), ((x1, y1), (x2, y2)) = at, line
    dx, dy = x2 - x1, y2 - y1
    share = ((x - x1) * dx + (y - y1) * dy) / ((dx * dx + dy * dy) or 1)
    share = min(max(share, 0), 1)
    return float(((x - x1 - share * dx) ** 2 + (y - y1 - share * dy) ** 2) ** 0.5)


def png(lines: list[bytes]) -> bytes:
    """A picture of ``lines`` as PNG."""
    head = struct.pack(">IIBBBBB", PIXELS, PIXELS, 8, 6, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + line for line in lines), 9)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    main()
