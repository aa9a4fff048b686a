"""Write docs/losses.md and docs/penalties.md: what the registries say of each entry, and its numbers.

    python tools/registry_pages.py

The tables in these pages are computed, by the same functions that the solvers call; only the prose is written here.
"""

from __future__ import annotations

import math
import runpy
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import widemargin as wm

DOCS = Path(__file__).resolve().parents[1] / "docs"
SHARED = runpy.run_path(str(DOCS / "registries.py"))  # how a cell is written, said once
code, formula, number, table = (SHARED[name] for name in ("code", "formula", "number", "table"))
MADE = "<!-- Made by tools/registry_pages.py from the registry: run it again rather than edit this. -->"

LOSSES = """# Losses

{made}

Every loss is a function of the margin z = y (w·x + b): positive where the row is on its side of the hyperplane,
and the larger the further. Zero-one counts z ≤ 0 as a mistake; the others are what can be minimised instead.

{names}

## Shape

At a corner ℓ′ jumps, at a joint ℓ″ does. `d1` at a corner is the slope from the left, `subdifferential` holds both.
Times the last column a loss is never below zero-one, so a small mean loss proves few mistakes.

{shapes}

## Numbers

{values}

ℓ′, of which every solver takes its steps:

{slopes}

```python
import widemargin as wm

hinge = wm.losses["hinge"]
low, high = hinge.subdifferential(1)
print(hinge.value([-1, 0, 1, 2]), hinge.d1(1), low, high)
```

```text
[2. 1. 0. 0.] -1.0 -1.0 0.0
```

## Dual and probability

A certificate is a point a, one number per row, in the domain of ℓ\\*(−a) = sup over z of −a z − ℓ(z). Outside it the
conjugate is infinite. The prox, argmin over z of q ℓ(z) + (z − c)²/2, is what an implicit step or a passive-aggressive
update does to the margin c. A loss with a link implies P(y = +1) for a score f = w·x + b: the P for which f is best.

{duals}

What a loss does not have, it refuses: `conjugate` and `prox` where it is not convex, `probability` without a link.
"""

PENALTIES = """# Penalties

{made}

A penalty R(w) is a function of the weights and never of the intercept; the objective is the weighted mean loss
plus α R(w). A parameter is written after a colon, `elastic_net:0.5`, or in a call,
`wm.penalties.elastic_net(l1_ratio=0.5)`. The p-norm for p < 1 is the sum of |w_j|ᵖ, without the root: not a norm,
nor convex.

{names}

## Shape

A norm grows in proportion to w; with a large enough α all of w is 0. A separable penalty is a sum over coordinates.
The shares are those of ‖w‖₁ and of ‖w‖²/2, where R is made of these two: most solvers need them.
A penalty with a parameter is shown at its default, and where its parameter changes what it is.

{shapes}

## Prox

prox(w, t) = argmin over x of t R(x) + ‖x − w‖²/2 is what a step of a proximal method does to the weights. For
w = ({point}):

{proxes}

A penalty that is not convex can hold w = 0 however small it is, and a fit with one depends on where it starts; its
prox is the global minimum all the same.

```python
import widemargin as wm

l1 = wm.penalties["l1"]
print(l1.value([3, -1, 0.5]), l1.prox([3, -1, 0.5], 1))
print(l1.distance([-1, 0.3], [2, 0]), l1.dual_norm([3, -1]))
```

```text
4.5 [2. 0. 0.]
0.0 3.0
```

`distance(g, w)` is 0 where g + ∂R(w) holds 0: with g the gradient of the mean loss over α, w is then optimal.
"""


def yes(fact: bool) -> str:
    """A fact as a cell."""
    return "yes" if fact else "no"


def points(values: Iterable[float]) -> str:
    """Where something happens."""
    return ", ".join(map(cell, values)) or "–"


def interval(low: float, high: float) -> str:
    """A closed interval of real numbers: open at an infinite end."""
    left = f"[{cell(low)}" if math.isfinite(low) else "(−∞"
    right = f"{cell(high)}]" if math.isfinite(high) else "∞)"
    return f"{left}, {right}"


def cell(value: float) -> str:
    """A number of a table, four digits, a true minus."""
    return f"{value + 0.0:.4g}".replace("-", "−")


def losses() -> str:
    """The page of losses."""
    every: list[Any] = list(wm.losses.values())
    margins = (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 5.0)
    head = ("name", *(f"z = {cell(z)}" for z in margins))
    shape = ("name", "convex", "corners", "joints", "sup ℓ″", "0 beyond z =", "× to bound 0/1")
    return LOSSES.format(
        made=MADE,
        names=table(
            ("name", "ℓ(z)", "in a word", "from"),
            ((code(x.name), formula(x.tex), x.summary, x.reference) for x in every),
        ),
        shapes=table(
            shape,
            (
                (
                    code(x.name),
                    yes(x.convex),
                    points(x.kinks),
                    points(x.joints),
                    number(x.curvature),
                    f"{x.threshold:g}" if math.isfinite(x.threshold) else "never",
                    number(x.bound_scale),
                )
                for x in every
            ),
        ),
        values=table(head, ((code(x.name), *map(cell, x.value(np.array(margins)))) for x in every)),
        slopes=table(head, ((code(x.name), *map(cell, x.d1(np.array(margins)))) for x in every)),
        duals=table(
            ("name", "domain of a", "ℓ\\*(−½)", "prox(0, 1)", "P(y = +1 given f)"),
            (
                (code(x.name), interval(*x.dual_domain), cell(x.conjugate(0.5)), cell(x.prox(0, 1)), code(x.link))
                for x in every
                if x.convex
            ),
        ),
    )


def members() -> list[Any]:
    """Every penalty, with a parameter also at round values of it within its range."""
    found = []
    for entry in wm.penalties.values():
        round_values = {entry.standard, *(v for v in (0.0, 0.5, 1.0, 2.0, math.inf) if entry.low <= v <= entry.high)}
        found += [entry(v) for v in sorted(round_values)] if entry.parameter else [entry]
    return found


def penalties() -> str:
    """The page of penalties."""
    every: list[Any] = list(wm.penalties.values())
    w, steps = np.array([3.0, -1.0, 0.5]), (0.1, 1.0, 3.0)
    listed = (
        (
            code(x.name),
            formula(x.tex),
            x.summary,
            f"{code(x.parameter)} from {number(x.low)} to {number(x.high)}, else {x.standard:g}"
            if x.parameter
            else "–",
            x.reference,
        )
        for x in every
    )
    facts = (
        (
            code(x.text),
            *map(yes, (x.convex, x.norm, x.separable, x.smooth)),
            ", ".join(f"{share:g}" for share in x.shares) if x.shares else "–",
        )
        for x in members()
    )
    moved = ((code(x.text), cell(x.value(w)), *(", ".join(map(cell, x.prox(w, t))) for t in steps)) for x in members())
    return PENALTIES.format(
        made=MADE,
        point=", ".join(map(cell, w)),
        names=table(("name", "R(w)", "in a word", "parameter", "from"), listed),
        shapes=table(("written", "convex", "norm", "separable", "differentiable", "shares"), facts),
        proxes=table(("written", "R(w)", *(f"t = {cell(t)}" for t in steps)), moved),
    )


PAGES = {"losses.md": losses, "penalties.md": penalties}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
        sys.stdout.write(f"wrote docs/{name}\n")
