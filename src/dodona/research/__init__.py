"""The API for the study of parsing: systems, configurations and oracles, with names for transitions and labels."""
