"""Which session is meant, and which ones matter: of a place, a folder, a file, a rule; and what they say of a file."""
