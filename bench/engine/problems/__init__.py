"""The list of problem families; each is one file."""

from __future__ import annotations

from bench.engine.problem import Family, Problem, parse
from bench.engine.problems import elastic_net, hinge, l1_logistic, l1_path, l2_logistic, l2_path, softmax, squared_hinge

FAMILIES: dict[str, Family] = {
    module.FAMILY.code: module.FAMILY
    for module in (l2_logistic, l1_logistic, elastic_net, hinge, squared_hinge, softmax, l1_path, l2_path)
}
NAMES = tuple(name for family in FAMILIES.values() for name in family.members)


def problem(name: str) -> Problem:
    """The problem of a name, in the lists or not."""
    return parse(name, FAMILIES)
