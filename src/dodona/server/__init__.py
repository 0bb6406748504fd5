"""Parsing over HTTP: the interface of UDPipe's service, one with JSON, and the playground page."""
