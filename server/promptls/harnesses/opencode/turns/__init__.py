"""What is said in a session of opencode, and what a compaction leaves of it."""
