"""This machine and this folder as input: what is asked for becomes a session, and the session a prompt."""
