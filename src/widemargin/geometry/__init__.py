"""Geometry of hyperplanes and point sets: distances, margins, enclosing balls, and what they bound.

A hyperplane is given as a model, a fit, or a pair (w, b).
"""

from widemargin.geometry.ball import EnclosingBall, enclosing_ball, enclosing_radius
from widemargin.geometry.hyperplane import origin_distance, signed_distance
from widemargin.geometry.influence import EffectiveSupport, effective_support
from widemargin.geometry.margins import functional_margin, geometric_margin
from widemargin.geometry.mistake_bounds import MistakeBound, notes_bound, novikoff_bound

__all__ = [
    "EffectiveSupport",
    "EnclosingBall",
    "MistakeBound",
    "effective_support",
    "enclosing_ball",
    "enclosing_radius",
    "functional_margin",
    "geometric_margin",
    "notes_bound",
    "novikoff_bound",
    "origin_distance",
    "signed_distance",
]
