"""The pipeline of components: trained on a treebank, stored in one model file, applied to text, words or trees."""
