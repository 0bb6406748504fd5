"""Configurations and moves: states, gold trees, the base class of transition systems, the driver."""
