"""URLs as they may be shown, sent and stored."""

from __future__ import annotations

import re

# The last @ of the authority, which ends at a slash, a question mark or a hash.
_USERINFO = re.compile(r"^([a-z][a-z0-9+.-]*:[/\\]*)[^/?#]*@", re.IGNORECASE)


def without_userinfo(url: str) -> str:
    """``url`` without a user name and password; all else as it was written."""
    return _USERINFO.sub(r"\1", url)
