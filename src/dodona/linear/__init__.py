"""The linear model: feature templates as data, features as hashes, weights during training and frozen."""
