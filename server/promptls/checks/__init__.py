"""Rules that turn what a preview saw into problems."""
