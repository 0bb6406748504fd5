"""From gold trees to weights: one configuration at a time, or whole derivations with a beam."""
