"""The voted perceptron's votes: every weight vector it ever had, and how many rows each survived.

Freund, Schapire 1999.  sign(sum_k c_k sign(w_k.x + b_k)) is not linear in x: an object of study, not a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin._types import F64, I64
from widemargin.data.intake import intake, intake_rows
from widemargin.errors import InputError


@dataclass(frozen=True, eq=False)
class Votes:
    """Update k was made on `rows[k]` with step `steps[k]`; the weights after it survived `survived[k]` rows."""

    rows: I64
    steps: F64
    survived: I64
    intercept: bool = True

    @classmethod
    def from_updates(cls, time: I64, row: I64, step: F64, seen: int, intercept: bool) -> Votes:
        """From the recorded updates and the number of rows met in all."""
        return cls(row, step, np.diff(np.append(time, seen + 1)), intercept)

    def __len__(self) -> int:
        return len(self.rows)

    def predict(self, X_train: Any, y_train: Any, X: Any) -> Any:
        """The vote of all weight vectors on X; they are rebuilt from the training rows of their updates."""
        data = intake(X_train, y_train)
        if len(self.rows) and int(self.rows.max()) >= data.source.n:
            raise InputError(f"the votes are about row {int(self.rows.max())}; X_train has {data.source.n} rows")
        trained, asked = data.source.X.take(self.rows), intake_rows(X, d=data.source.d)
        products = asked.matrix @ trained.matrix.T
        products = products if isinstance(products, np.ndarray) else products.toarray()
        signed = self.steps * data.source.y[self.rows]
        scores = np.cumsum((products + float(self.intercept)) * signed, axis=1)  # (asked, k): w_k.x + b_k
        total = np.where(scores >= 0, 1, -1) @ self.survived
        return data.classes[(total >= 0).astype(np.intp)]
