"""Can a hyperplane have every row on its side?  Always with a proof: a direction, or a combination that vanishes."""

from widemargin.separation.ask import separability
from widemargin.separation.result import Separability, SeparabilityTable

__all__ = ["Separability", "SeparabilityTable", "separability"]
