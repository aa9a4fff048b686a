"""The tables that ship with the package: gzip CSV, read with the standard library."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from widemargin._types import Array
from widemargin.data import csv_file, schema
from widemargin.datasets import tfidf

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Split(NamedTuple):
    """Training rows, test rows and the names of the columns."""

    X: csr_array
    y: Array
    X_test: csr_array
    y_test: Array
    feature_names: list[str]


def adult() -> Split:
    """Does a person of the 1994 US census earn more than 50,000 dollars a year?  32,561 + 16,281 rows.

    The published split.  Numbers are standardised and categories one-hot (missing is a level).

    Source: Becker, B. and Kohavi, R. (1996), Adult, UCI Machine Learning Repository,
    https://doi.org/10.24432/C5XW20, licence CC BY 4.0.  ATTRIBUTION.md lists the changes.
    """
    columns = _read("adult.csv.gz")
    y = np.array(columns.pop("income"))
    train = np.array(columns.pop("split")) == "train"
    known = schema.learn(columns, train).schema
    return _split(known.encode(columns).X, y, train, known.features)


def sms_spam() -> Split:
    """Is a text message spam?  5,574 English messages, of which every fourth is a test row.

    Bag of words, tf-idf of the training rows, rows of length 1.

    Source: Almeida, T. A. and Gómez Hidalgo, J. M. (2011), SMS Spam Collection, UCI Machine Learning
    Repository, https://doi.org/10.24432/C5CC84, licence CC BY 4.0.  ATTRIBUTION.md lists the changes.
    """
    columns = _read("sms_spam.csv.gz")
    y = np.array(columns["label"])
    train = np.arange(len(y)) % 4 != 3
    X, words = tfidf.encode(columns["text"], train)
    return _split(X, y, train, words)


def _read(name: str) -> csv_file.Columns:
    with resources.files("widemargin.datasets").joinpath(name).open("rb") as raw:
        return csv_file.columns(raw, name)


def _split(X: csr_array, y: Array, train: Array, names: list[str]) -> Split:
    return Split(X[train], y[train], X[~train], y[~train], names)
