"""Processes and streams of the operating system."""
