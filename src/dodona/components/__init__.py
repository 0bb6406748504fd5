"""Tokenizer, tagger, lemmatizer and parser, with a common interface for training, application and storage."""
