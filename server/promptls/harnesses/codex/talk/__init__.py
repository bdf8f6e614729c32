"""What has been said and done in a session, and what is left of it later: turns, compaction, sub-agents."""
