"""Parsing beyond one machine, by Dask: files in shards (`dodona parse --scheduler`), bags and data frames of texts."""

from dodona.distributed.bags import parse_bag, parse_frame, parse_frames, parse_texts
from dodona.distributed.models import Model, read_model

__all__ = ["Model", "parse_bag", "parse_frame", "parse_frames", "parse_texts", "read_model"]
