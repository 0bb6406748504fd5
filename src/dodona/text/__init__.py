"""Hashes of strings, and the compiled models of characters, tags and lemmas."""
