"""Strings as numbers, and the compiled models of characters, tags and lemmas."""
