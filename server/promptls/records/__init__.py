"""What programs recorded of their sessions, in the user's home directory."""
