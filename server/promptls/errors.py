"""Every exception that promptls raises on purpose.

    PromptlsError            one plain sentence for the user that says what to do
    └── UsageError           the command line or a request asked for something that does not exist

Parsers and harnesses raise none of them: bad input is data (see ``core.model.Fault``).
"""


class PromptlsError(Exception):
    """Base of all. Its text is shown to the user as it is."""


class UsageError(PromptlsError):
    """The caller named a harness, path or option that does not exist."""
