"""What harnesses share: each module is one thing that several programs do alike."""
