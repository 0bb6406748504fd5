"""The neural scorer: which words of a configuration the network sees, its encoder, and the scores of actions."""
