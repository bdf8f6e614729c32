"""What a whole folder has: its prompts, and what is made of all of them."""
