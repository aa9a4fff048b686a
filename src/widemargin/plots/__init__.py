"""Pictures, drawn from the registries and from what fits recorded.  matplotlib is imported when one is drawn.

Each function returns its Axes, new ones unless `ax` is given, and takes its colours from matplotlib's settings: on dark
ground (plt.style.use("dark_background")) lines and names are bright.
"""

from __future__ import annotations

from widemargin.plots.along_strengths import coefficient_path, cross_validation
from widemargin.plots.certificates import convergence
from widemargin.plots.cuts import thresholds
from widemargin.plots.descending import descent, step_sizes
from widemargin.plots.learning import mistakes, progress
from widemargin.plots.link_curves import sigmoid
from widemargin.plots.loss_curves import losses, zero_one
from widemargin.plots.many_planes import hyperplanes, outliers
from widemargin.plots.margin_spread import margins
from widemargin.plots.noisy import best_so_far
from widemargin.plots.plane_view import boundary
from widemargin.plots.reliability import calibration
from widemargin.plots.search import fewest
from widemargin.plots.slopes import subgradients
from widemargin.plots.step_rules import schedules
from widemargin.plots.strengths import regularisation
from widemargin.plots.touching import first_touch
from widemargin.plots.unit_balls import level_sets
from widemargin.plots.weight_bars import coefficients
from widemargin.plots.whiskers import intervals

__all__ = [
    "best_so_far",
    "boundary",
    "calibration",
    "coefficient_path",
    "coefficients",
    "convergence",
    "cross_validation",
    "descent",
    "fewest",
    "first_touch",
    "hyperplanes",
    "intervals",
    "level_sets",
    "losses",
    "margins",
    "mistakes",
    "outliers",
    "progress",
    "regularisation",
    "schedules",
    "sigmoid",
    "step_sizes",
    "subgradients",
    "thresholds",
    "zero_one",
]
