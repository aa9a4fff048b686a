r"""TeX of the registries -> one line of text for a terminal: \tfrac12\|w\|_2^2 -> ½‖w‖₂²."""

from __future__ import annotations

import re
from collections.abc import Callable

SYMBOLS = {"le": "≤", "ne": "≠", "ge": "≥", "rho": "ρ", "alpha": "α", "ell": "ℓ", "sum": "Σ", "infty": "∞"}
SCRIPTS = {"_": dict(zip("012pj", "₀₁₂ₚⱼ", strict=True)), "^": dict(zip("0123p", "⁰¹²³ᵖ", strict=True))}

Text = str | Callable[[re.Match[str]], str]
RULES: list[tuple[str, Text]] = [
    (r"\\[dt]?frac\s*12", "½"),
    (r"\\[dt]?frac\{([^{}]*)\}\{((?:[^{}]|\{[^{}]*\})*)\}", r"(\1)/(\2) "),
    (r"\((\w)\)/", r"\1/"),
    (r"/\((\w)\)", r"/\1"),
    (r"\be\^\{([^{}]*)\}", r"exp(\1)"),
    (r"\\sqrt\{([^{}]*)\}", r"√(\1)"),
    (r"\\\|", "‖"),
    (rf"\\({'|'.join(SYMBOLS)})(?![a-z])", lambda found: SYMBOLS[found[1]]),
    (r"\\(max|min|log|exp|sup)", r"\1"),
    (r"\\[,;! ]", ""),
    (r" +", " "),
    (r"([_^])(\w)", lambda found: SCRIPTS[found[1]].get(found[2], found[0])),
]


def readable(tex: str) -> str:
    r"""The formula in one line; what has no rule stays TeX.

    >>> readable(r"\max(0, 1-z)^2"), readable(r"\tfrac12\|w\|_2^2"), readable(r"\frac{1}{1+e^{z}}")
    ('max(0, 1-z)²', '½‖w‖₂²', '1/(1+exp(z))')
    """
    for pattern, text in RULES:
        tex = re.sub(pattern, text, tex)
    return tex.strip()
