"""What data say about single coefficients: standard errors, intervals, p-values; and Firth's correction."""

from __future__ import annotations

from widemargin.inference.corrected import firth
from widemargin.inference.of_fit import infer
from widemargin.inference.result import Coefficient, Inference

__all__ = ["Coefficient", "Inference", "firth", "infer"]
