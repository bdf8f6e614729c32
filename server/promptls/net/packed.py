"""Decompresses bodies step by step: never more than requested, however much they expand to."""

from __future__ import annotations

import zlib

# The codings that are requested; a server that sends others, or several, is refused.
CODINGS = ("gzip", "deflate")


class CodingError(Exception):
    """A body in a coding that was not requested. The text is a clause for users."""


class BrokenError(Exception):
    """A body that does not match its declared coding. The text is a clause for users."""


class Unpacker:
    """The decoder for one Content-Encoding."""

    def __init__(self, coding: str) -> None:
        """Read the value of a Content-Encoding header.

        Raises:
            CodingError: it names what was not asked for.
        """
        codings = [each for part in coding.lower().split(",") if (each := part.strip()) not in ("", "identity")]
        if len(codings) > 1:
            raise CodingError("its answer is compressed more than once")
        if codings and codings[0].removeprefix("x-") not in CODINGS:
            raise CodingError("its answer is compressed in a format that was not requested")
        self._is_deflate = codings == ["deflate"]
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | (0 if self._is_deflate else 16)) if codings else None
        self._began = False

    def unpack(self, data: bytes, most: int) -> bytes:
        """The next part of the body, at most ``most`` bytes of it.

        Raises:
            BrokenError: the data is not packed as the server says.
        """
        if self._inner is None or not data:
            return data[:most]
        try:
            unpacked = self._inner.decompress(data, most)
        except zlib.error:
            if not self._is_deflate or self._began:
                raise BrokenError("its answer is not packed as it says") from None
            # Some servers send deflate without its frame.
            self._is_deflate, self._inner = False, zlib.decompressobj(-zlib.MAX_WBITS)
            return self.unpack(data, most)
        self._began = True
        return unpacked

    def end(self) -> None:
        """There is no more data.

        Raises:
            BrokenError: there should be.
        """
        if self._began and self._inner is not None and not self._inner.eof:
            raise BrokenError("its answer ends too early")
