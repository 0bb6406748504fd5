"""Parsing beyond one machine, by Dask."""
