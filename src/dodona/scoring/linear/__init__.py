"""The linear model: feature templates as data, features as hashes, weights in the making and frozen."""
