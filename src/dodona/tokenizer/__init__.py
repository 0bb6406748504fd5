"""The tokenizer: from raw text to tokens and sentences."""
