"""What goes wrong between the server and its client."""

from __future__ import annotations


class ClientError(Exception):
    """The client answered a request of the server with an error; the text is the client's."""
