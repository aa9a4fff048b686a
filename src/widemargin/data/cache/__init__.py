"""Rows on disk, in binary: written once from blocks, read again and again in passes."""

from widemargin.data.cache.folder import Cache

__all__ = ["Cache"]
