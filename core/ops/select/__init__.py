"""Ops that read or write chosen entries: indexing, gather, scatter."""
