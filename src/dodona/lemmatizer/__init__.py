"""The lemmatizer: lemmas by edit scripts."""
