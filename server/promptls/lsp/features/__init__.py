"""One file per LSP feature: take a snapshot, call the core, convert."""
