"""What a configuration is and what a move does to it: states, gold trees, the base class of systems, the driver."""
