"""Streaming read bandwidth: bytes per second of x.x over an array far larger than any cache."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from threadpoolctl import threadpool_limits

BYTES = 800_000_000
TILE = 1 << 16  # numbers: the threads take tiles in turn, none waits for the other


def streaming(threads: int, repeats: int = 5, size: int = BYTES) -> float:
    """The best of a few reads."""
    x = np.ones(size // 8)
    parts = np.array_split(x, threads)
    best = np.inf
    with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        for _ in range(repeats):
            started = time.perf_counter()
            list(pool.map(_read, parts))
            best = min(best, time.perf_counter() - started)
    return float(x.nbytes / best)


def _read(part: np.ndarray) -> float:
    return sum(float(part[k : k + TILE] @ part[k : k + TILE]) for k in range(0, len(part), TILE))
