"""What a harness is written with: a draft, candidates, segments, versions; and what several harnesses do alike."""
