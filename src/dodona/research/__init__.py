"""The door for people who study parsing: systems, configurations and oracles with names for everything."""
