"""Scores of actions in a configuration: the interface `Scorer`, and its models."""
