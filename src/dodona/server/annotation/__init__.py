"""The functions behind the page of `dodona annotate`, and the page itself."""
