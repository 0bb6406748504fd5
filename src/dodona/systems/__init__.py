"""The transition systems, one file each, which read like their papers, and the registry that describes them."""
