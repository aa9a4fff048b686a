"""Support vector machines as programmes: hard margin, soft margin, and the view of the duals."""

from widemargin.svm.hard import hard_margin
from widemargin.svm.result import SVM
from widemargin.svm.soft import soft_margin

__all__ = ["SVM", "hard_margin", "soft_margin"]
