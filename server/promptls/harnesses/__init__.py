"""One module a harness, over shared pieces."""
