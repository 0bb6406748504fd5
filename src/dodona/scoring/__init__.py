"""Configurations in, scores of actions out: the interface, and the models behind it."""
