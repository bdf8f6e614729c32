"""What only a session needs that has gone on for a while: results of tools, sub-agents, compaction."""
