"""x_j = (1 + log n_j) (1 + log((1 + N)/(1 + N_j))), rows scaled to length 1.  Salton & Buckley 1988.

n_j: how often word j stands in the text; N_j: in how many of the N training texts it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from widemargin._types import Array

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TOKEN = re.compile(r"[^\W\d_]+|\d+|[£$€!?]")


def tokens(text: str) -> list[str]:
    """Lower-case words and marks; a number is its count of digits, for no two prizes are the same.

    >>> tokens("WIN £1000 now! Call 09061701461")
    ['win', '£', '#4', 'now', '!', 'call', '#11']
    """
    return [f"#{len(t)}" if t.isdigit() else t for t in TOKEN.findall(text.lower())]


def encode(texts: Sequence[str], train: Array, *, least: int = 2) -> tuple[csr_array, list[str]]:
    """All texts as rows, and the words: those that stand in at least `least` training texts."""
    from scipy.sparse import csr_array

    counts = [Counter(tokens(text)) for text in texts]
    spread = Counter(word for i in np.flatnonzero(train) for word in counts[i])
    words = sorted(word for word, times in spread.items() if times >= least)
    number = {word: j for j, word in enumerate(words)}
    rows = [sorted((number[w], times) for w, times in count.items() if w in number) for count in counts]
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    indices = np.fromiter((j for row in rows for j, _ in row), np.int32, indptr[-1])
    n_j = np.fromiter((times for row in rows for _, times in row), float, indptr[-1])
    N_j = np.array([spread[word] for word in words])
    x = (1.0 + np.log(n_j)) * (1.0 + np.log((1.0 + train.sum()) / (1.0 + N_j)))[indices]
    row_of = np.repeat(np.arange(len(rows)), np.diff(indptr))
    x /= np.sqrt(np.bincount(row_of, x * x, minlength=len(rows)))[row_of]
    return csr_array((x, indices, indptr), shape=(len(rows), len(words))), words
