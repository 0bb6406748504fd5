"""From scores to trees: greedy, at many sites, with a beam."""
