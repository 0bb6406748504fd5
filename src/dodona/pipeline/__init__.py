"""The chain of components: trained on a treebank, kept in one model file, applied to text, words or trees."""
