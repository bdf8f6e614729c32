"""promptls: the prompt that a coding agent really gets, before any request is made."""

__version__ = "0.1.0"
