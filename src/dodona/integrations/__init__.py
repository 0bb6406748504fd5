"""Dodona inside other libraries."""
