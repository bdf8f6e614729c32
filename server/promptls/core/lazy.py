"""Modules and regular expressions of which one run needs few.

Regular expressions are compiled when they are first used: one preview uses few of the hundred it loads.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from types import ModuleType
    from typing import Any, AnyStr

    def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """As ``re.compile``, for the constants of a module. An invalid one raises ``re.error`` when it is used."""
else:
    _NAMES = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn", "pattern")

    class regex:  # noqa: N801 - used as a function
        """As ``re.compile``, for the constants of a module. An invalid one raises ``re.error`` when it is used."""

        def __init__(self, source: str | bytes, flags: int = 0) -> None:
            self._source = source
            self._flags = flags

        def __getattr__(self, name: str) -> Any:  # noqa: D105 - called by Python, for what is not compiled yet
            if name not in _NAMES:
                raise AttributeError(name)
            import re  # noqa: PLC0415 - not for the commands that use none

            compiled = re.compile(self._source, self._flags)
            for each in _NAMES:
                setattr(self, each, getattr(compiled, each))
            return getattr(compiled, name)


def module(name: str) -> ModuleType:
    """The module of this name, as ``importlib.import_module`` has it; to import that takes longer than most modules.

    Raises:
        ImportError: there is none.
    """
    __import__(name)
    return sys.modules[name]
