"""Parsing beyond one machine, by Dask: files in shards (`dodona parse --scheduler`)."""
