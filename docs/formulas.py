r"""MkDocs hook: TeX between dollars becomes MathML when the pages are built, so that nothing is fetched to show it.

pymdownx.arithmatex finds the formulas and keeps Markdown away from them; here each is converted.
What the converter does not know it hands through as text, so that a backslash or an ampersand that is left is an error.
"""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
DISPLAY = re.compile(r'<div class="arithmatex">\\\[(.*?)\\\]</div>', re.DOTALL)
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
UNDER = ("argmax", "argmin", "inf", "lim", "max", "min", "sup")  # names whose index stands below in a display
SPACE = "0.17em"


class FormulaError(ValueError):
    """A formula that MathML cannot be made of."""


def mathml(tex: str, display: str = "inline") -> str:
    """The formula as one <math> element on one line; what the converter does not know is an error."""
    bare = re.sub(r"\\[{}]", "", tex)
    if bare.count("{") != bare.count("}"):
        raise FormulaError(f"the formula {tex!r} opens {bare.count('{')} braces and closes {bare.count('}')}")
    try:
        root = ElementTree.fromstring(convert(" ".join(tex.split()), display=display))
    except Exception as error:
        raise FormulaError(f"the formula {tex!r} cannot be read: {type(error).__name__} {error}") from error
    unknown = [text for text in root.itertext() if "\\" in text or "&" in text]
    if unknown:
        raise FormulaError(f"the formula {tex!r} holds what is not known: {', '.join(unknown)}")
    for parent in root.iter():
        _space(parent)
        if display == "block":
            _lower(parent)
    ElementTree.register_namespace("", NAMESPACE)
    return ElementTree.tostring(root, encoding="unicode")


def _space(parent: Element) -> None:
    """Bars and primes belong to their neighbours, names to their bracket, signs to what follows; as in TeX."""
    children = [*parent]
    for k, child in enumerate(children):
        text, first = child.text or "", k == 0 or _opens(children[k - 1])
        if text in ("‖", "|", "′"):
            child.tag = f"{{{NAMESPACE}}}mo"
            child.attrib |= {"stretchy": "false", "lspace": "0", "rspace": "0"}
        elif text in ("−", "+") and first:
            child.set("form", "prefix")
        elif _named(child):
            after = k + 1 < len(children) and (children[k + 1].text or "") not in ("(", "[", "{")
            child.tag = f"{{{NAMESPACE}}}mo"
            child.attrib |= {"lspace": "0" if first else SPACE, "rspace": SPACE if after else "0"}


def _opens(node: Element) -> bool:
    """Whether what follows begins anew: an operator that is no closing bracket, bar or prime."""
    return _is(node, "mo") and (node.text or "") not in (")", "]", "}", "‖", "|", "′")


def _lower(node: Element) -> None:
    """In a display the index of min stands below it."""
    if _is(node, "msub") and (node[0].text or "") in UNDER:
        node.tag = f"{{{NAMESPACE}}}munder"
        node[0].set("rspace", SPACE)


def _named(node: Element) -> bool:
    return (_is(node, "mo") or _is(node, "mi")) and len(node.text or "") > 1 and (node.text or "").isalpha()


def _is(node: Element, tag: str) -> bool:
    return node.tag == f"{{{NAMESPACE}}}{tag}"


def rendered(page: str) -> str:
    """The page with its formulas as MathML."""
    page = DISPLAY.sub(lambda found: mathml(html.unescape(found[1]), "block"), page)
    return INLINE.sub(lambda found: mathml(html.unescape(found[1])), page)


def on_page_content(text: str, **_: Any) -> str:
    """Convert what Markdown has left in place."""
    return rendered(text)
