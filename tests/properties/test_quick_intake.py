"""What the core does at the door says what NumPy and SciPy say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from widemargin.data.intake import intake, intake_rows


def dense(rows: Any) -> Any:
    return rows.matrix.toarray() if rows.sparse else rows.matrix


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_columns_of_sparse_rows_at_any_number_of_threads(dtype: str) -> None:
    random = np.random.default_rng(3)
    table = sp.random_array((900, 7), density=0.3, rng=random, dtype=dtype, format="csr")
    wanted = table.T.tocsr()
    wanted.sort_indices()
    for form in (table, table.astype(bool)):
        rows = intake_rows(form)
        for threads in (1, 2, 5):
            turned = rows.turned(threads)
            assert turned.transposed is rows
            assert np.array_equal(turned.indices, wanted.indices)
            assert np.array_equal(turned.indptr, wanted.indptr)
            assert turned.values is None if rows.values is None else np.array_equal(turned.values, wanted.data)


@given(st.lists(st.sampled_from([0, 1, 5]), min_size=1, max_size=12), st.sampled_from("?bBilqdf"))
def test_two_labels_of_any_type(chosen: list[int], kind: str) -> None:
    y = np.array(chosen).astype(kind)
    classes = np.unique(y)
    if len(classes) == 2:
        found = intake(np.ones((len(y), 1)), y)
        assert found.classes.tolist() == classes.tolist()
        assert found.classes.dtype == y.dtype
        assert found.source.y.tolist() == np.where(y == classes[1], 1.0, -1.0).tolist()


def test_sparse_ones_store_no_values() -> None:
    for dtype in ("?", "i1", "f8"):
        rows = intake_rows(sp.csr_array(np.eye(3, dtype=dtype)))
        assert rows.values is None
        assert np.array_equal(dense(rows), np.eye(3))
    assert intake_rows(sp.csr_array(np.diag([1.0, 1.0, 2.0]))).values is not None
    twice = sp.coo_array((np.array([True, True]), ([0, 0], [1, 1])), shape=(1, 2))
    assert dense(intake_rows(twice)).tolist() == twice.toarray().tolist() == [[0, 1]]
