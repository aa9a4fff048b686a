"""The synthetic data sets, one a file: shapes and statistics of well-known real ones."""

from bench.engine.data.store import load, make, stored_bytes

__all__ = ["load", "make", "stored_bytes"]
