"""Tokenizer, tagger, lemmatizer and parser: each trains, applies, saves and loads itself in the same way."""
