"""Oracles: which actions are correct in a configuration."""
