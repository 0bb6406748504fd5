"""The network: what it sees of a configuration, its encoder, its scores, and how it is trained."""
