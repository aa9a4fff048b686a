"""Probabilities from scores that rows got from fits without them."""

from widemargin.calibration.measured import Calibration, calibrate
from widemargin.calibration.priors import correct_priors

__all__ = ["Calibration", "calibrate", "correct_priors"]
