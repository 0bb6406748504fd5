"""Annotation by people and models together: the project with its journal, what to look at next, and what is learned."""
