"""URLs as they may be sent and stored."""

from __future__ import annotations

from promptls.core.secrets import masked_url, without_userinfo

__all__ = ["masked_url", "without_userinfo"]
