"""One file an LSP feature: take a snapshot, call the core, convert."""
