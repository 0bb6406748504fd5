"""The parser: its options and training, its models, searches, constraints and confidence."""
